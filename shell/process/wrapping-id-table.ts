// Items by 32-bit ids that wrap. Slots instead of a Map, whose old tables keep nearly every item alive until a full collection
// (docs/decisions/speed.md).

export class WrappingIdTable<T> {
  readonly #items: (T | null)[];
  readonly #numbers: Uint32Array;
  #last: number;

  constructor(most: number, first = 1) {
    const slots = 2 ** Math.ceil(Math.log2(most));
    this.#items = new Array<T | null>(slots).fill(null);
    this.#numbers = new Uint32Array(slots);
    this.#last = (first - 1) >>> 0;
  }

  get last(): number {
    return this.#last;
  }

  /** Skips ids whose slot is in use. Throws RangeError when all are. */
  add(item: T): number {
    const items = this.#items;
    const mask = items.length - 1;
    let number = this.#last;
    for (let tried = 0; ; tried++) {
      if (tried === items.length) throw new RangeError(`no free id: ${tried} items are pending`);
      number = (number + 1) >>> 0;
      if (items[number & mask] === null) break;
    }
    items[number & mask] = item;
    this.#numbers[number & mask] = number;
    return this.#last = number;
  }

  get(number: number): T | null {
    const slot = number & (this.#items.length - 1);
    return this.#numbers[slot] === number ? this.#items[slot]! : null;
  }

  remove(number: number): void {
    const slot = number & (this.#items.length - 1);
    if (this.#numbers[slot] === number) this.#items[slot] = null;
  }
}
