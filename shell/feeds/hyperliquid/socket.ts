// The connection to Hyperliquid's public socket: opens it, subscribes to the mids, asks for a sign of life when it is quiet, and
// opens another when it is lost, sooner or later (backoff). Times ms, real ones. Only a message with mids counts as success:
// a server that accepts and says nothing is met less and less often. Never more than one connection at a time.

import { WebSocket } from 'ws';
import { backoff } from './backoff.ts';
import { PING, readMessage, readMids, SUBSCRIBE } from './messages.ts';

/** A message of all mids is some 20 KiB; one larger than this ends the connection. */
const MAX_BYTES = 1_048_576;
const OPEN_WITHIN = 10_000;
const WATCH_EVERY = 1_000;
/** Quiet for so long: the server is asked whether it is there. For so long: it is not. */
const ASK_AFTER = 5_000;
const LOST_AFTER = 15_000;
/** A server that answers and sends no mids has forgotten what it was asked for. */
const MIDS_WITHIN = 30_000;

type Wishes = {
  readonly url: string;
  /** The coins whose mids are wanted; read at each message. */
  readonly coins: () => ReadonlySet<string>;
  readonly steady: () => number;
  readonly onMids: (mids: ReadonlyMap<string, number>) => void;
  /** The connection works, or why there is none. */
  readonly onChange: (why: string | null) => void;
};

/** Owns the one connection from `connectMids` to `close`. */
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
    const socket = new WebSocket(this.#wishes.url, { maxPayload: MAX_BYTES, perMessageDeflate: false });
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
    // After an error of the protocol a library would still wait for the other side's goodbye.
    socket.on('error', ({ message }) => this.#lost(message));
    socket.on('close', () => this.#lost('closed by the server'));
  }

  #hear(text: string): void {
    this.#heardAt = this.#wishes.steady();
    const message = readMessage(text);
    if (message?.channel !== 'allMids') return;
    const mids = readMids(message.data, this.#wishes.coins());
    if (mids === null) return;
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
