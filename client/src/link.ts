// One WebSocket to the venue that comes back: connects, is open when the venue says Hello, notices when nothing answers any more,
// and connects again with growing waits until it is closed. Asks one thing at a time, each by an id that an Error of the venue names, and
// never more in a second than the venue takes; requests that may be many at a time need not wait and are said.
// A browser shows no ping frames, so the heartbeat is a message of ours that the venue answers. Times in ms.

import { BOUNDS } from '../../shell/http/limits.ts';
import { LONGEST_TIMER_MS } from './attempts.ts';
import { StrikebookError } from './errors.ts';
import { CLIENT_LOST } from './refusals.ts';

type SocketEvent = { readonly data?: unknown; readonly reason?: string; readonly message?: string };
/** What of a WebSocket this library uses: the global one, or that of a package. */
type SocketLike = {
  readonly readyState?: number;
  send(data: string): void;
  close(): void;
  /** Ends the connection whatever the peer does. The package `ws` has it, browsers and Node's own WebSocket do not. */
  terminate?(): void;
  addEventListener(type: 'message' | 'close' | 'error', listener: (event: SocketEvent) => void): void;
};
export type SocketConstructor = new (url: string) => SocketLike;

export type LinkOptions = {
  /** Instead of the global one, which Node has from version 22 on. */
  readonly WebSocket?: SocketConstructor;
  /** A connection that says nothing for so long is asked; when it still says nothing it is given up after as long again. */
  readonly heartbeatMs?: number;
  /** Before the second attempt to connect; doubles until a connection has lasted a heartbeat. */
  readonly firstWaitMs?: number;
  /** Also what a subscription rests that the venue refuses only for now. */
  readonly longestWaitMs?: number;
};
/**
 * `up` gets the venue's Hello; `message` says whether it answered a request; `beat`, at each heartbeat, whether requests are answered;
 * `fault` gets what a turn throws.
 */
type Owner = {
  up(hello: Frame): void; down(reason: string): void; message(message: Frame): boolean; beat(): boolean; fault(error: unknown): void;
};
/** What can be asked; the answer is `Subscribed` or `Unsubscribed`. */
export type Ask = {
  readonly type: 'Subscribe' | 'Unsubscribe'; readonly channel: string; readonly symbols?: readonly string[];
  readonly expiry?: string; readonly option_type?: string; readonly from_seq?: number;
};
export type Frame = { readonly type?: unknown; readonly message?: unknown; readonly [name: string]: unknown };
type Question = { readonly id: string; readonly answer: string; resolve(answer: Frame): void; reject(error: StrikebookError): void };

const HEARTBEAT_MS = 15_000;
const FIRST_WAIT_MS = 100;
/** A peer that does not answer the end of a connection in this time is not waited for, where the runtime lets us. */
const LEAVE_MS = 3_000;
/** WebSocket.CLOSED */
const CLOSED = 3;
const LONGEST_WAIT_MS = 5_000;
/** Heartbeats after which a venue that says much, but not what it was asked, is given up. */
export const PATIENCE = 4;
/** Questions between two rests of a second of the venue's: those of two rows may fall into one. */
const ASKS_IN_A_ROW = BOUNDS.messagesPerTick / 2;
/** Ends a subscription that nobody has, which the venue answers and nothing else. */
const PROBE: Ask = { type: 'Unsubscribe', channel: 'trades', symbols: ['-'] };

/** Ids of what is asked begin so. What comes with one that is not the last is one more about what was refused. */
const ASKED = 'ask ';

/** Runs when every promise that is settled has told those who wait. A browser makes each message a task of its own, and has none. */
const { setImmediate: later } = globalThis as { readonly setImmediate?: (work: () => void) => void };

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
  /** On this connection. */
  #asked = 0;
  /** Of the last rest; harmless when it is over. */
  #endRest: () => void = () => undefined;
  #lastId = 0;
  /** The end of the questions so far. */
  #turn: Promise<void> = Promise.resolve();
  #heardSomething = false;
  /** What came in one piece behind an answer, until the caller that got the answer has gone on: users see the order of the wire. */
  readonly #held: (() => void)[] = [];
  #isHolding = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, owner: Owner, options: LinkOptions) {
    const make = options.WebSocket ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
    if (make === undefined) throw new StrikebookError('invalid_argument', 'This runtime has no WebSocket: give one in the options');
    this.#url = url;
    this.#make = make;
    this.#owner = owner;
    this.#heartbeatMs = Math.min(options.heartbeatMs ?? HEARTBEAT_MS, LONGEST_TIMER_MS / PATIENCE);
    this.#waits = { first: options.firstWaitMs ?? FIRST_WAIT_MS, longest: longestWaitOf(options) };
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
    this.#turn = this.#turn.then(work).catch((error: unknown) => this.#owner.fault(error));
  }

  /**
   * Sends a message and waits for its answer, which `answered` gets before anything that follows it is heard. Throws
   * `subscription_refused` with the venue's text, and its Error as `details`, when it answers with one, `no_answer` when the connection
   * is gone first. An Error to Subscribe may be one of many, of which the first is thrown.
   */
  async ask(frame: Ask, answered: (answer: Frame) => void = () => undefined): Promise<void> {
    if (++this.#asked % ASKS_IN_A_ROW === 0) await this.#rest();
    if (!this.#isOpen) throw new StrikebookError('no_answer', 'The socket is not connected');
    const socket = this.#socket!;
    const late = setTimeout(() => this.#lose(socket, `no answer to ${frame.type}`), PATIENCE * this.#heartbeatMs);
    await new Promise<void>((resolve, reject) => {
      const id = `${ASKED}${++this.#lastId}`;
      this.#question = {
        id, answer: `${frame.type}d`, resolve: (answer) => { answered(answer); resolve(); }, reject,
      };
      socket.send(JSON.stringify({ ...frame, id }));
    }).finally(() => clearTimeout(late));
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, BOUNDS.tickMs);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
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
    const lose = (reason: string): void => this.#arrived(() => this.#lose(socket, reason));
    socket.addEventListener('message', ({ data }) => this.#arrived(() => { if (this.#socket === socket) this.#received(socket, data); }));
    socket.addEventListener('close', ({ reason }) => lose(reason || 'the connection ended'));
    // A close follows, but not in every runtime when the connection was refused.
    socket.addEventListener('error', ({ message }) => lose(message || 'the connection failed'));
  }

  #arrived(work: () => void): void {
    if (this.#isHolding) this.#held.push(work);
    else work();
  }

  #hold(): void {
    if (later === undefined) return;
    this.#isHolding = true;
    later(() => {
      this.#isHolding = false;
      while (!this.#isHolding && this.#held.length > 0) this.#held.shift()!();
    });
  }

  #opened(socket: SocketLike, hello: Frame): void {
    clearTimeout(this.#timer);
    this.#isOpen = true;
    this.#asked = 0;
    this.#beat(socket, false);
    this.#owner.up(hello);
  }

  /** `isSilent`: nothing was heard since the beat before the last, though something has been asked. */
  #beat(socket: SocketLike, isSilent: boolean): void {
    this.#heardSomething = false;
    this.#timer = setTimeout(() => {
      const isHeard = this.#heardSomething;
      if (isSilent && !isHeard) return this.#lose(socket, 'silence');
      if (!this.#owner.beat()) return this.#lose(socket, 'no answer to requests');
      if (isHeard) this.#failures = 0;
      else if (this.#question === null) this.turn(() => this.ask(PROBE).catch(() => undefined));
      this.#beat(socket, !isHeard);
    }, this.#heartbeatMs);
  }

  #received(socket: SocketLike, data: unknown): void {
    this.#heardSomething = true;
    let frame: Frame;
    try {
      frame = JSON.parse(String(data)) as Frame;
    } catch {
      return this.#lose(socket, 'a message that is no JSON');
    }
    if (this.#isOpen) this.#message(socket, frame);
    else if (frame.type === 'Hello') this.#opened(socket, frame);
  }

  #message(socket: SocketLike, frame: Frame): void {
    if (frame.type === 'Error') return this.#error(socket, frame);
    const question = this.#question;
    if (question !== null && frame.type === question.answer && frame.id === question.id) {
      this.#question = null;
      question.resolve(frame);
      this.#hold();
    } else if (!isOfQuestion(frame) && this.#owner.message(frame)) this.#hold();
  }

  #error(socket: SocketLike, frame: Frame): void {
    const message = String(frame.message);
    // Whatever was asked: what the venue has lost comes back with the next connection.
    if (message === CLIENT_LOST) return this.#lose(socket, message);
    const question = this.#question;
    if (question !== null && frame.id === question.id) {
      this.#question = null;
      question.reject(new StrikebookError('subscription_refused', message, { details: frame }));
      this.#hold();
    } else if (!isOfQuestion(frame)) this.#owner.message(frame);
  }

  /** The end of this connection, whatever its state, and the start of the next. */
  #lose(socket: SocketLike, reason: string): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    clearTimeout(this.#timer);
    leave(socket);
    this.#isOpen = false;
    this.#question?.reject(new StrikebookError('no_answer', reason));
    this.#question = null;
    this.#endRest();
    if (!this.#isClosed) {
      const wait = Math.min(this.#waits.longest, this.#waits.first * 2 ** Math.min(this.#failures++, 20));
      this.#timer = setTimeout(() => this.#connect(), wait * (0.5 + Math.random() / 2));
    }
    this.#owner.down(reason);
  }
}

export function longestWaitOf({ longestWaitMs = LONGEST_WAIT_MS }: LinkOptions): number {
  return Math.min(longestWaitMs, LONGEST_TIMER_MS);
}

function isOfQuestion({ id }: Frame): boolean {
  return typeof id === 'string' && id.startsWith(ASKED);
}

function leave(socket: SocketLike): void {
  if (socket.readyState === CLOSED) return;
  if (socket.terminate !== undefined) {
    const late = setTimeout(() => socket.terminate!(), LEAVE_MS);
    socket.addEventListener('close', () => clearTimeout(late));
  }
  try {
    socket.close();
  } catch {
    // Some runtimes throw when the connection never opened.
  }
}
