// Bodies of GET /orderbook, reused while every number in them is unchanged; only the timestamp is rewritten.

import { hasExpired } from '../../../core/instruments/instruments.ts';
import { tradingMode } from '../../../core/instruments/trading-mode.ts';
import type { State } from '../../../core/engine/state.ts';
import type { GreeksCache } from './greeks-cache.ts';
import { MAX_DEPTH } from '../../ipc/queries.ts';
import { deliveryPrice, orderbookBody } from './orderbook.ts';
import { BUCKET, type Statistics } from './statistics.ts';
import type { Names } from '../text.ts';

/** Bytes. */
const MOST_KEPT = 16_777_216;
const ROOM = 512;
const TIME_AT = '{"timestamp":'.length;
const DIGIT_0 = 0x30;

type Kept = { readonly key: number[]; room: Buffer; body: Uint8Array };

type Parts = { readonly state: State; readonly names: Names; readonly greeksCache: GreeksCache; readonly statistics: Statistics };

export class BookCache {
  readonly #parts: Parts;
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;
  readonly #key: number[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  text(slot: number, depth: number, time: number): string {
    const { state, names, greeksCache, statistics } = this.#parts;
    return orderbookBody(state, names, greeksCache, slot, depth, statistics.of(names.symbol(slot), time), time);
  }

  body(slot: number, depth: number, time: number): Uint8Array {
    this.#writeKey(slot, time);
    const at = slot * (MAX_DEPTH + 1) + depth;
    const kept = this.#kept.get(at);
    if (kept === undefined || !isSame(kept.key, this.#key)) return this.#write(at, kept, this.text(slot, depth, time));
    writeTime(kept.body, time);
    return kept.body;
  }

  /** The book's seq stands for its levels and trades, the delivery price for the settlement price. */
  #writeKey(slot: number, time: number): void {
    const { state } = this.#parts;
    const { instruments, streams, valuation } = state;
    const underlying = instruments.underlying[slot]!;
    const key = this.#key;
    key[0] = instruments.id[slot]!;
    key[1] = instruments.status[slot]!;
    key[2] = hasExpired(instruments, slot, time) ? 1 : 0;
    key[3] = instruments.openInterest[slot]!;
    key[4] = streams.books[slot]!;
    key[5] = Math.floor(time / BUCKET);
    key[6] = valuation.vintage[underlying]!;
    key[7] = valuation.markIndex[underlying]!;
    key[8] = valuation.index[underlying]!;
    key[9] = valuation.mark[slot]!;
    key[10] = valuation.theo[slot]!;
    key[11] = deliveryPrice(state, slot, time);
    key[12] = digitsOf(time);
    key[13] = tradingMode(instruments, slot);
  }

  #write(at: number, last: Kept | undefined, text: string): Uint8Array {
    let kept = last;
    if (kept === undefined || kept.room.length < text.length) {
      const room = Buffer.allocUnsafeSlow(Math.ceil(text.length / ROOM) * ROOM);
      if (this.#bytes + room.length > MOST_KEPT) this.#forget();
      this.#bytes += room.length - (this.#kept.get(at)?.room.length ?? 0);
      kept = { key: kept?.key ?? [], room, body: room };
      this.#kept.set(at, kept);
    }
    for (let i = 0; i < this.#key.length; i++) kept.key[i] = this.#key[i]!;
    kept.body = kept.room.subarray(0, kept.room.write(text, 'latin1'));
    return kept.body;
  }

  #forget(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function digitsOf(time: number): number {
  let digits = 1;
  for (let rest = time; rest >= 10; rest /= 10) digits++;
  return digits;
}

function writeTime(body: Uint8Array, time: number): void {
  for (let at = TIME_AT + digitsOf(time) - 1, rest = time; at >= TIME_AT; at--) {
    const next = Math.floor(rest / 10);
    body[at] = DIGIT_0 + rest - next * 10;
    rest = next;
  }
}
