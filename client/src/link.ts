// One WebSocket to the venue that comes back: connects, is open when the venue says Hello, notices when nothing answers any more,
// and connects again with growing waits until it is closed. Asks one thing at a time, so that an Error of the venue belongs to
// what was asked; what has an id of its own in its answer need not wait and is said. A browser shows no ping frames, so the
// heartbeat is a message of ours that the venue answers. Times in ms.

import { StrikebookError } from './errors.ts';

type SocketEvent = { readonly data?: unknown; readonly reason?: string; readonly message?: string };
/** What of a WebSocket this library uses: the global one, or that of a package. */
export type SocketLike = {
  send(data: string): void;
  close(): void;
  addEventListener(type: 'message' | 'close' | 'error', listener: (event: SocketEvent) => void): void;
};
export type SocketConstructor = new (url: string) => SocketLike;

export type LinkOptions = {
  /** Instead of the global one, which Node has from version 22 on. */
  readonly WebSocket?: SocketConstructor;
  /** A connection that says nothing for so long is asked; without an answer it is given up after as long again. */
  readonly heartbeatMs?: number;
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
};
/** `up` gets the venue's Hello. */
type Owner = { up(hello: Frame): void; down(reason: string): void; message(message: Frame): void };
/** What can be asked; the answer is `Subscribed` or `Unsubscribed`. */
export type Ask = {
  readonly type: 'Subscribe' | 'Unsubscribe'; readonly channel: string; readonly symbols?: readonly string[];
  readonly expiry?: string; readonly option_type?: string; readonly from_seq?: number;
};
export type Frame = { readonly type?: unknown; readonly message?: unknown; readonly [name: string]: unknown };
type Question = { readonly answer: string; resolve(answer: Frame): void; reject(error: StrikebookError): void };

const HEARTBEAT_MS = 15_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
/** Ends a subscription that nobody has, which the venue answers and nothing else. */
export const PROBE: Ask = { type: 'Unsubscribe', channel: 'trades', symbols: ['-'] };

export class Link {
  readonly #url: string;
  readonly #make: SocketConstructor;
  readonly #owner: Owner;
  readonly #heartbeatMs: number;
  readonly #waits: { readonly first: number; readonly longest: number };
  #socket: SocketLike | null = null;
  #isOpen = false;
  #isClosed = false;
  #failures = 0;
  #question: Question | null = null;
  /** The end of the questions so far. */
  #turn: Promise<void> = Promise.resolve();
  #heardSomething = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, owner: Owner, options: LinkOptions) {
    const make = options.WebSocket ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
    if (make === undefined) throw new StrikebookError('invalid_argument', 'This runtime has no WebSocket: give one in the options');
    this.#url = url;
    this.#make = make;
    this.#owner = owner;
    this.#heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    this.#waits = { first: options.firstWaitMs ?? FIRST_WAIT_MS, longest: options.longestWaitMs ?? LONGEST_WAIT_MS };
    this.#connect();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends a message; not to be called unless `isOpen`. */
  say(text: string): void {
    this.#socket!.send(text);
  }

  /** Runs when every turn before it is over; in it, `ask` may be called. */
  turn(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work);
  }

  /**
   * Sends a message and waits for its answer. Throws `subscription_refused` when the venue answers with an Error, `no_answer` when
   * the connection is gone first. An Error about something asked before is no answer to Unsubscribe, which cannot fail.
   */
  ask(frame: Ask): Promise<Frame> {
    if (!this.#isOpen) return Promise.reject(new StrikebookError('no_answer', 'The socket is not connected'));
    const socket = this.#socket!;
    const late = setTimeout(() => this.#lose(socket, `no answer to ${frame.type}`), this.#heartbeatMs);
    return new Promise<Frame>((resolve, reject) => {
      this.#question = { answer: `${frame.type}d`, resolve, reject };
      socket.send(JSON.stringify(frame));
    }).finally(() => clearTimeout(late));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#socket !== null) this.#lose(this.#socket, 'closed');
  }

  #connect(): void {
    const socket = new this.#make(this.#url);
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#lose(socket, 'not connected in time'), this.#heartbeatMs);
    socket.addEventListener('message', ({ data }) => { if (this.#socket === socket) this.#received(socket, data); });
    socket.addEventListener('close', ({ reason }) => this.#lose(socket, reason || 'the connection ended'));
    // A close follows, but not in every runtime when the connection was refused.
    socket.addEventListener('error', ({ message }) => this.#lose(socket, message || 'the connection failed'));
  }

  #opened(socket: SocketLike, hello: Frame): void {
    clearTimeout(this.#timer);
    this.#isOpen = true;
    this.#beat(socket);
    this.#owner.up(hello);
  }

  #beat(socket: SocketLike): void {
    this.#heardSomething = false;
    this.#timer = setTimeout(() => {
      if (!this.#heardSomething) this.turn(() => this.ask(PROBE).then(() => undefined, () => undefined));
      this.#beat(socket);
    }, this.#heartbeatMs);
  }

  #received(socket: SocketLike, data: unknown): void {
    this.#heardSomething = true;
    this.#failures = 0;
    let frame: Frame;
    try {
      frame = JSON.parse(String(data)) as Frame;
    } catch {
      return this.#lose(socket, 'a message that is no JSON');
    }
    if (this.#isOpen) this.#message(frame);
    else if (frame.type === 'Hello') this.#opened(socket, frame);
  }

  #message(frame: Frame): void {
    const question = this.#question;
    if (question !== null && frame.type === question.answer) {
      this.#question = null;
      question.resolve(frame);
    } else if (question !== null && frame.type === 'Error' && question.answer === 'Subscribed') {
      this.#question = null;
      question.reject(new StrikebookError('subscription_refused', String(frame.message)));
    } else {
      this.#owner.message(frame);
    }
  }

  /** The end of this connection, whatever its state, and the start of the next. */
  #lose(socket: SocketLike, reason: string): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    clearTimeout(this.#timer);
    try {
      socket.close();
    } catch {
      // Some runtimes throw when the connection never opened.
    }
    this.#isOpen = false;
    this.#question?.reject(new StrikebookError('no_answer', reason));
    this.#question = null;
    if (!this.#isClosed) {
      const wait = Math.min(this.#waits.longest, this.#waits.first * 2 ** Math.min(this.#failures++, 20));
      this.#timer = setTimeout(() => this.#connect(), wait * (0.5 + Math.random() / 2));
    }
    this.#owner.down(reason);
  }
}
