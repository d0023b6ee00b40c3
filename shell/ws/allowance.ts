// How many bytes of one connection the thread reads in a second: to parse a message costs it up to 65 ns a byte, and
// whoever may send 500 messages of a megabyte would have the thread for himself.

const SECOND = 1_000;

export class Allowance {
  readonly #bytes: number;
  readonly #steady: () => number;
  #second = -1;
  #left = 0;

  /** `bytes` in each second of `steady`, ms of a clock that never goes back. */
  constructor(bytes: number, steady: () => number) {
    this.#bytes = bytes;
    this.#steady = steady;
  }

  /** False when these are too many for this second; they count all the same. */
  take(bytes: number): boolean {
    const second = Math.floor(this.#steady() / SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#left = this.#bytes;
    }
    this.#left -= bytes;
    return this.#left >= 0;
  }
}
