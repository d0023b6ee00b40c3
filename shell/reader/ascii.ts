// A byte buffer for messages made thousands of times a second: ASCII, integers from 0 to 2^53, and amounts in 1e-6. Bytes are valid until
// the next `begin`.

import { DECIMALS } from '../../core/codec/decimal.ts';

const [ZERO, POINT, MINUS] = [0x30, 0x2e, 0x2d] as const;
const MICRO = 10 ** DECIMALS;
/** A number is written in two halves, because each half is a small integer for V8. */
const HALF_DIGITS = 7;
const HALF = 10 ** HALF_DIGITS;
const NUMBER_BYTES = 24;

export class Ascii {
  #bytes = new Uint8Array(4_096);
  #length = 0;

  begin(): this {
    this.#length = 0;
    return this;
  }

  text(text: string): this {
    this.#makeRoom(text.length);
    const bytes = this.#bytes;
    for (let i = 0; i < text.length; i++) bytes[this.#length++] = text.charCodeAt(i);
    return this;
  }

  whole(value: number): this {
    this.#makeRoom(NUMBER_BYTES);
    const high = Math.floor(value / HALF);
    if (high > 0) this.#digits(high, digitsOf(high));
    const low = value - high * HALF;
    this.#digits(low, high > 0 ? HALF_DIGITS : digitsOf(low));
    return this;
  }

  micro(value: number): this {
    this.#makeRoom(NUMBER_BYTES);
    if (value < 0) this.#bytes[this.#length++] = MINUS;
    const size = Math.abs(value);
    const whole = Math.floor(size / MICRO);
    let rest = size - whole * MICRO;
    this.whole(whole);
    if (rest === 0) return this;
    let places = DECIMALS;
    for (; rest % 10 === 0; places--) rest /= 10;
    this.#bytes[this.#length++] = POINT;
    this.#digits(rest, places);
    return this;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  toString(): string {
    return Buffer.from(this.#bytes.buffer, 0, this.#length).toString('latin1');
  }

  #digits(value: number, count: number): void {
    let left = value | 0;
    for (let at = this.#length + count - 1; at >= this.#length; at--) {
      const next = (left / 10) | 0;
      this.#bytes[at] = ZERO + left - next * 10;
      left = next;
    }
    this.#length += count;
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = new Uint8Array(2 * (this.#length + bytes));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

function digitsOf(value: number): number {
  let count = 1;
  for (let bound = 10; value >= bound; bound *= 10) count++;
  return count;
}
