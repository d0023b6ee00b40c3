// Which changes of books a message carries, told by its bytes: it has to cost next to nothing beside what bench/fan-out.ts measures,
// so of a message's head only what may be another is looked at.

import { MOMENTS } from './fan-out-shared.ts';

const DELTA = Buffer.from('{"type":"BookUpdate","is_snapshot":false,"symbol":"');
const [QUOTE, ZERO, NINE] = [0x22, 0x30, 0x39];
export const NONE: readonly number[] = [];

export class Changes {
  /** By the hash of their symbols. */
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

  /** When the changes were made that a message of the channel book carries, NONE for a snapshot. */
  madeIn(message: Uint8Array): readonly number[] {
    if (message[DELTA.length - 14] !== DELTA.at(-14) || message[2] !== DELTA[2] || message[9] !== DELTA[9]) return NONE;
    this.#at = DELTA.length;
    const first = this.#slots.get(this.#hash(message))! * MOMENTS;
    const to = this.#number(message);
    const from = this.#number(message);
    return Array.from({ length: Math.min(to - from, MOMENTS - 1) }, (_, i) => this.#moments[first + (to - i) % MOMENTS]!);
  }

  /** Of what stands before the next quotation mark. */
  #hash(message: Uint8Array): number {
    let hash = 0;
    for (let byte = message[this.#at++]!; byte !== QUOTE; byte = message[this.#at++]!) hash = (Math.imul(hash, 31) + byte) | 0;
    return hash;
  }

  /** The next number. */
  #number(message: Uint8Array): number {
    const isDigit = (): boolean => message[this.#at]! >= ZERO! && message[this.#at]! <= NINE!;
    let value = 0;
    while (!isDigit()) this.#at++;
    while (isDigit()) value = value * 10 + message[this.#at++]! - ZERO!;
    return value;
  }
}
