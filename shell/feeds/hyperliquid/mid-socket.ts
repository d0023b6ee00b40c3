// The connection to Hyperliquid's public socket: opens it, subscribes to the mids, asks for a sign of life when it is quiet, and
// opens another when it is lost, sooner or later (backoff). Times ms, real ones. Only a message with wanted mids counts as success:
// a server that accepts and says nothing is met less and less often. Never more than one connection at a time, and never more
// answers to its pings waiting than a bound: a server that does not read them is left.

import { WebSocket } from 'ws';
import { backoff } from './backoff.ts';
import { PING, readMessage, readMids, SUBSCRIBE } from './parse-messages.ts';

/** A message of all mids is some 20 KiB; one larger than this ends the connection. */
const MAX_BYTES = 1_048_576;
const OPEN_WITHIN = 10_000;
const WATCH_EVERY = 1_000;
/** Quiet for so long: the server is asked whether it is there. For so long: it is not. */
const ASK_AFTER = 5_000;
const LOST_AFTER = 15_000;
/** A server that answers and sends no mids has forgotten what it was asked for. */
const MIDS_WITHIN = 30_000;
/** Bytes that may wait for a server to read them: some 500 answers to its pings. */
const MOST_UNSENT = 65_536;

type Wishes = {
  readonly url: string;
  /** The coins whose mids are wanted; read at each message. */
  readonly coins: () => Iterable<string>;
  readonly steady: () => number;
  readonly onMids: (mids: ReadonlyMap<string, number>) => void;
  /** The connection works, or why there is none. */
  readonly onChange: (why: string | null) => void;
};

/** Owns the one connection until `close`. */
export class MidSocket {
  readonly #wishes: Wishes;
  #socket: WebSocket | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #heardAt = 0;
  #midsAt = 0;

  constructor(wishes: Wishes) {
    this.#wishes = wishes;
    this.#open();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#drop();
  }

  #open(): void {
    const socket = new WebSocket(this.#wishes.url, { maxPayload: MAX_BYTES, perMessageDeflate: false, autoPong: false });
    this.#socket = socket;
    this.#heardAt = this.#midsAt = this.#wishes.steady();
    // The library's own bound of a handshake is one of silence: a server that sends a byte now and then would keep it.
    this.#timer = setTimeout(() => this.#lost(`no connection within ${OPEN_WITHIN} ms`), OPEN_WITHIN);
    socket.on('open', () => {
      clearTimeout(this.#timer!);
      socket.send(SUBSCRIBE);
      this.#timer = setTimeout(() => this.#watch(), WATCH_EVERY);
    });
    socket.on('message', (data: Buffer, isBinary) => this.#hear(isBinary ? '' : data.toString('utf8')));
    // The library would answer each ping, whether or not the answers before it have left.
    socket.on('ping', (data: Buffer) => {
      if (socket.bufferedAmount > MOST_UNSENT) this.#lost('answers to pings are not read');
      else socket.pong(data);
    });
    // After an error of the protocol a library would still wait for the other side's goodbye. When each of several addresses of
    // a host refuses, the error has no message.
    socket.on('error', ({ message, code }: NodeJS.ErrnoException) => this.#lost(message || code || 'the connection failed'));
    socket.on('close', () => this.#lost('closed by the server'));
  }

  #hear(text: string): void {
    this.#heardAt = this.#wishes.steady();
    const message = readMessage(text);
    if (message?.channel !== 'allMids') return;
    const mids = readMids(message.data, this.#wishes.coins());
    if (mids === null || mids.size === 0) return;
    this.#midsAt = this.#heardAt;
    this.#failures = 0;
    this.#wishes.onChange(null);
    this.#wishes.onMids(mids);
  }

  #watch(): void {
    const time = this.#wishes.steady();
    const quiet = time - this.#heardAt;
    if (quiet >= LOST_AFTER) return this.#lost(`nothing heard for ${LOST_AFTER} ms`);
    if (time - this.#midsAt >= MIDS_WITHIN) return this.#lost(`no mids for ${MIDS_WITHIN} ms`);
    if (quiet >= ASK_AFTER) this.#socket?.send(PING);
    this.#timer = setTimeout(() => this.#watch(), WATCH_EVERY);
  }

  #lost(why: string): void {
    this.#drop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#wishes.onChange(why);
    this.#timer = setTimeout(() => this.#open(), backoff(++this.#failures));
  }

  /** Ends the connection at once; what it still says is not heard. */
  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.removeAllListeners();
    // An end before the handshake is an error of its own.
    socket?.on('error', () => {});
    socket?.terminate();
  }
}
