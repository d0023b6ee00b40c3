// The connection to Hyperliquid's public socket, for mids. Only wanted mids count as success, so a silent server is tried less and less
// often.

import { WebSocket } from 'ws';
import { PING, readMessage, readMids, SUBSCRIBE } from './parse-messages.ts';

/** All mids are some 20 KiB; a larger message closes the connection. */
const MAX_BYTES = 1_048_576;
const OPEN_TIMEOUT_MS = 10_000;
const CHECK_EVERY_MS = 1_000;
const PING_AFTER_MS = 5_000;
const LOST_AFTER_MS = 15_000;
const MIDS_TIMEOUT_MS = 30_000;
/** Bytes of some 500 unread pongs. */
const MAX_UNSENT_BYTES = 65_536;

type MidSocketOptions = {
  readonly url: string;
  readonly coins: () => Iterable<string>;
  readonly steady: () => number;
  readonly onMids: (mids: ReadonlyMap<string, number>) => void;
  readonly onChange: (why: string | null) => void;
};

export class MidSocket {
  readonly #options: MidSocketOptions;
  #socket: WebSocket | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failures = 0;
  #lastMessageAt = 0;
  #lastMidsAt = 0;

  constructor(options: MidSocketOptions) {
    this.#options = options;
    this.#open();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#drop();
  }

  #open(): void {
    const socket = new WebSocket(this.#options.url, { maxPayload: MAX_BYTES, perMessageDeflate: false, autoPong: false });
    this.#socket = socket;
    this.#lastMessageAt = this.#lastMidsAt = this.#options.steady();
    // The library's handshake timeout restarts with every byte that the server sends.
    this.#timer = setTimeout(() => this.#lost(`no connection within ${OPEN_TIMEOUT_MS} ms`), OPEN_TIMEOUT_MS);
    socket.on('open', () => {
      clearTimeout(this.#timer!);
      socket.send(SUBSCRIBE);
      this.#timer = setTimeout(() => this.#check(), CHECK_EVERY_MS);
    });
    socket.on('message', (data: Buffer, isBinary) => this.#onMessage(isBinary ? '' : data.toString('utf8')));
    // The library would answer every ping, even if earlier pongs are unsent.
    socket.on('ping', (data: Buffer) => {
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) this.#lost('the server does not read pongs');
      else socket.pong(data);
    });
    // The library would wait for the server's close.
    socket.on('error', ({ message, code }: NodeJS.ErrnoException) => this.#lost(message || code || 'the connection failed'));
    socket.on('close', () => this.#lost('closed by the server'));
  }

  #onMessage(text: string): void {
    this.#lastMessageAt = this.#options.steady();
    const message = readMessage(text);
    if (message?.channel !== 'allMids') return;
    const mids = readMids(message.data, this.#options.coins());
    if (mids === null || mids.size === 0) return;
    this.#lastMidsAt = this.#lastMessageAt;
    this.#failures = 0;
    this.#options.onChange(null);
    this.#options.onMids(mids);
  }

  #check(): void {
    const time = this.#options.steady();
    const quiet = time - this.#lastMessageAt;
    if (quiet >= LOST_AFTER_MS) return this.#lost(`nothing heard for ${LOST_AFTER_MS} ms`);
    if (time - this.#lastMidsAt >= MIDS_TIMEOUT_MS) return this.#lost(`no mids for ${MIDS_TIMEOUT_MS} ms`);
    if (quiet >= PING_AFTER_MS) this.#socket?.send(PING);
    this.#timer = setTimeout(() => this.#check(), CHECK_EVERY_MS);
  }

  #lost(why: string): void {
    this.#drop();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#options.onChange(why);
    this.#timer = setTimeout(() => this.#open(), backoff(++this.#failures));
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.removeAllListeners();
    // Closing before the handshake emits an error.
    socket?.on('error', () => {});
    socket?.terminate();
  }
}

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

export function backoff(failures: number, random = Math.random()): number {
  return Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1)) * (1 - random / 2);
}
