// Shared by bench/fan-out.ts and its threads: sizes, their messages, and how to find out which book changes a message carries. It scans
// bytes, and of a message's head only those that may differ, because it must cost almost nothing beside the work that is measured.

import type { ApiWiring, Counters, Measures, ReaderWiring } from '../shell/process/wiring.ts';
import type { RingerDescription } from '../shell/ipc/doorbell.ts';
import type { RingDescription } from '../shell/ipc/ring.ts';

export const INSTRUMENTS = 3_000;
/** Times kept of the last changes of an instrument; more than occur while a message waits. */
export const MOMENTS = 256;
/** Buckets of 0.1 ms. */
export const BUCKETS = 5_000;
export const BUCKETS_PER_MS = 10;

type Shared = { readonly counters: Counters; readonly moments: SharedArrayBuffer };
export type CoreStart = Shared & { readonly role: 'core'; readonly log: RingDescription; readonly ringReader: RingerDescription };
export type ReaderStart = Shared & { readonly role: 'reader'; readonly wiring: ReaderWiring };
/** `samples`: buckets, of all sockets but the one that may be stuck; `totals`: bytes written to them, messages, writes. */
export type ApiStart = Shared & {
  readonly role: 'api'; readonly wiring: ApiWiring; readonly measures: Measures; readonly samples: SharedArrayBuffer;
  readonly totals: SharedArrayBuffer;
};
export type FromThread =
  | { readonly type: 'cpu'; readonly ms: number }
  | { readonly type: 'ready'; readonly symbols?: string[]; readonly port?: number }
  | { readonly type: 'unread'; readonly bytes: number } | { readonly type: 'stopped' };
export type ToThread =
  | { readonly type: 'cpu' } | { readonly type: 'stop' } | { readonly type: 'start'; readonly rate: number }
  | { readonly type: 'fill' } | { readonly type: 'unread' };

const DELTA = Buffer.from('{"type":"BookUpdate","is_snapshot":false,"symbol":"');
const [QUOTE, ZERO, NINE] = [0x22, 0x30, 0x39];
export const NONE: readonly number[] = [];

export class Changes {
  /** Instruments by the hash of their symbols. */
  readonly #slots = new Map<number, number>();
  readonly #moments: Float64Array;
  #at = 0;

  constructor(symbols: readonly string[], moments: Float64Array) {
    this.#moments = moments;
    symbols.forEach((symbol, slot) => {
      this.#at = 0;
      this.#slots.set(this.#hash(Buffer.from(`${symbol}"`)), slot);
    });
    if (this.#slots.size !== symbols.length) throw new Error('two symbols have one hash');
  }

  /** Times of the changes that a message of the channel book carries; NONE for a snapshot. */
  madeIn(message: Uint8Array): readonly number[] {
    if (message[DELTA.length - 14] !== DELTA.at(-14) || message[2] !== DELTA[2] || message[9] !== DELTA[9]) return NONE;
    this.#at = DELTA.length;
    const first = this.#slots.get(this.#hash(message))! * MOMENTS;
    const to = this.#number(message);
    const from = this.#number(message);
    return Array.from({ length: Math.min(to - from, MOMENTS - 1) }, (_, i) => this.#moments[first + (to - i) % MOMENTS]!);
  }

  #hash(message: Uint8Array): number {
    let hash = 0;
    for (let byte = message[this.#at++]!; byte !== QUOTE; byte = message[this.#at++]!) hash = (Math.imul(hash, 31) + byte) | 0;
    return hash;
  }

  #number(message: Uint8Array): number {
    const isDigit = (): boolean => message[this.#at]! >= ZERO! && message[this.#at]! <= NINE!;
    let value = 0;
    while (!isDigit()) this.#at++;
    while (isDigit()) value = value * 10 + message[this.#at++]! - ZERO!;
    return value;
  }
}
