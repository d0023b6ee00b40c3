// A WebSocket that reconnects until closed. It detects silence with a heartbeat message, because browsers hide ping frames. Subscription
// requests go one at a time, below the venue's rate limit. Times in ms.

import type { Addresses } from './addresses.ts';
import { BOUNDS } from '../../shell/http/limits.ts';
import { LONGEST_TIMER_MS } from './retries.ts';
import { StrikebookError } from './strikebook-error.ts';
import { CLIENT_LOST } from './refusals.ts';

type SocketEvent = { readonly data?: unknown; readonly reason?: string; readonly message?: string };
type SocketLike = {
  readonly readyState?: number;
  send(data: string): void;
  close(): void;
  /** Closes without the peer's answer. Only the package `ws` has it. */
  terminate?(): void;
  addEventListener(type: 'message' | 'close' | 'error', listener: (event: SocketEvent) => void): void;
};
export type SocketConstructor = new (url: string) => SocketLike;

export type ReconnectOptions = {
  /** Default: the global one, in Node from version 22. */
  readonly WebSocket?: SocketConstructor;
  /** After this time without a message the venue is asked for one; after as long again, the socket reconnects. */
  readonly heartbeatMs?: number;
  /** Before the second attempt to connect. Doubles until a connection has lasted a heartbeat. */
  readonly firstWaitMs?: number;
  /** Longest delay between attempts, and before a temporarily refused subscription is retried. */
  readonly longestWaitMs?: number;
};
/**
 * `message` returns true if it answered a request. `beat` returns false if requests are no longer answered. `fault` gets exceptions of
 * turns.
 */
type Owner = {
  up(hello: SocketMessage): void; down(reason: string): void; message(message: SocketMessage): boolean; beat(): boolean;
  fault(error: unknown): void;
};
export type SubscriptionRequest = {
  readonly type: 'Subscribe' | 'Unsubscribe'; readonly channel: string; readonly symbols?: readonly string[];
  readonly expiry?: string; readonly option_type?: string; readonly from_seq?: number;
  readonly min_seq?: number;
};
export type SocketMessage = { readonly type?: unknown; readonly message?: unknown; readonly [name: string]: unknown };
type Question = {
  readonly id: string; readonly answer: string; resolve(answer: SocketMessage): void; reject(error: StrikebookError): void;
};

const HEARTBEAT_MS = 15_000;
const FIRST_WAIT_MS = 100;
/** For the peer's close frame, if the runtime can close without it. */
const LEAVE_MS = 3_000;
const CLOSED = 3;
const LONGEST_WAIT_MS = 5_000;
/** The connection is given up after so many heartbeats without an answer, even if other messages come. */
export const HEARTBEATS_TO_GIVE_UP = 4;
/** Half the venue's limit, because two bursts may fall into one of its seconds. */
const ASKS_IN_A_ROW = BOUNDS.messagesPerTick / 2;
/** Unsubscribes from nothing; the venue only answers. */
const PROBE: SubscriptionRequest = { type: 'Unsubscribe', channel: 'trades', symbols: ['-'] };

/** Prefix of request ids. A message with an older id is a further Error about a request already refused. */
const ASKED = 'ask ';

/** After all promise callbacks. Browsers do not need it: each message is its own task. */
const { setImmediate: later } = globalThis as { readonly setImmediate?: (work: () => void) => void };

export class ReconnectingSocket {
  readonly #addresses: Addresses;
  readonly #path: string;
  #url = '';
  readonly #make: SocketConstructor;
  readonly #owner: Owner;
  readonly #heartbeatMs: number;
  readonly #waits: { readonly first: number; readonly longest: number };
  #socket: SocketLike | null = null;
  #isOpen = false;
  #isClosed = false;
  #failures = 0;
  #question: Question | null = null;
  #asked = 0;
  #endRest: () => void = () => undefined;
  #lastId = 0;
  #turn: Promise<void> = Promise.resolve();
  #heardSomething = false;
  /** Messages behind an answer, until its caller has continued: callers see the order on the wire. */
  readonly #held: (() => void)[] = [];
  #isHolding = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(addresses: Addresses, path: string, owner: Owner, options: ReconnectOptions) {
    const make = options.WebSocket ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
    if (make === undefined) throw new StrikebookError('invalid_argument', 'This runtime has no WebSocket: give one in the options');
    this.#addresses = addresses;
    this.#path = path;
    this.#make = make;
    this.#owner = owner;
    this.#heartbeatMs = Math.min(options.heartbeatMs ?? HEARTBEAT_MS, LONGEST_TIMER_MS / HEARTBEATS_TO_GIVE_UP);
    this.#waits = { first: options.firstWaitMs ?? FIRST_WAIT_MS, longest: longestWaitOf(options) };
    this.#connect();
  }

  /** What a subscription must begin with; 0: anything. */
  get minSeq(): number {
    return this.#addresses.minSeq;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Requires `isOpen`. */
  say(text: string): void {
    this.#socket!.send(text);
  }

  /** The venue's node does not lead; `leader`: the address of the one that does, if it is known. With one address it stays. */
  follow(leader: unknown): void {
    if (this.#addresses.isOne || this.#socket === null) return;
    this.#addresses.follow(this.#url, leader);
    this.#lose(this.#socket, 'another node leads');
  }

  /** After all earlier turns. Only in a turn may `ask` be called. */
  turn(work: () => Promise<void>): void {
    this.#turn = this.#turn.then(work).catch((error: unknown) => this.#owner.fault(error));
  }

  /**
   * `answered` gets the answer before later messages are handled. Throws `subscription_refused` with the venue's first Error as `details`,
   * or `no_answer` if the connection was lost.
   */
  async ask(frame: SubscriptionRequest, answered: (answer: SocketMessage) => void = () => undefined): Promise<void> {
    if (++this.#asked % ASKS_IN_A_ROW === 0) await this.#rest();
    if (!this.#isOpen) throw new StrikebookError('no_answer', 'The socket is not connected');
    const socket = this.#socket!;
    const late = setTimeout(() => this.#lose(socket, `no answer to ${frame.type}`), HEARTBEATS_TO_GIVE_UP * this.#heartbeatMs);
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
    this.#url = this.#addresses.current;
    const socket = new this.#make(`${this.#url.replace(/^http/, 'ws')}${this.#path}`);
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#lose(socket, 'not connected in time'), this.#heartbeatMs);
    const lose = (reason: string): void => this.#arrived(() => this.#lose(socket, reason));
    socket.addEventListener('message', ({ data }) => this.#arrived(() => { if (this.#socket === socket) this.#received(socket, data); }));
    socket.addEventListener('close', ({ reason }) => lose(reason || 'the connection ended'));
    // Not every runtime fires `close` after a refused connection.
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

  #opened(socket: SocketLike, hello: SocketMessage): void {
    clearTimeout(this.#timer);
    this.#isOpen = true;
    this.#asked = 0;
    this.#beat(socket, false);
    this.#owner.up(hello);
  }

  /** `isSilent`: nothing was received since the last beat but one, although something was asked. */
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
    let frame: SocketMessage;
    try {
      frame = JSON.parse(String(data)) as SocketMessage;
    } catch {
      return this.#lose(socket, 'a message that is no JSON');
    }
    if (this.#isOpen) this.#message(socket, frame);
    else if (frame.type === 'Hello') this.#opened(socket, frame);
  }

  #message(socket: SocketLike, frame: SocketMessage): void {
    if (frame.type === 'Error') return this.#error(socket, frame);
    const question = this.#question;
    if (question !== null && frame.type === question.answer && frame.id === question.id) {
      this.#question = null;
      question.resolve(frame);
      this.#hold();
    } else if (!isOfQuestion(frame) && this.#owner.message(frame)) this.#hold();
  }

  #error(socket: SocketLike, frame: SocketMessage): void {
    const message = String(frame.message);
    // The venue has lost our subscriptions: reconnecting restores them.
    if (message === CLIENT_LOST) return this.#lose(socket, message);
    const question = this.#question;
    if (question !== null && frame.id === question.id) {
      this.#question = null;
      question.reject(new StrikebookError('subscription_refused', message, { details: frame }));
      this.#hold();
    } else if (!isOfQuestion(frame)) this.#owner.message(frame);
  }

  #lose(socket: SocketLike, reason: string): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    if (!this.#isClosed) this.#addresses.leave(this.#url);
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

export function longestWaitOf({ longestWaitMs = LONGEST_WAIT_MS }: ReconnectOptions): number {
  return Math.min(longestWaitMs, LONGEST_TIMER_MS);
}

function isOfQuestion({ id }: SocketMessage): boolean {
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
    // Some runtimes throw if the connection never opened.
  }
}
