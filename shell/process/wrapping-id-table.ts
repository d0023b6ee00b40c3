// What waits for something that will name it by its number: requests for their answers. Numbers count up and come round at 2^32.
// Slots and no Map, since things come and go here as often as orders do: a Map that has let go of much makes itself a new table, and
// the old one holds on to the new one and to what was in it then. Once an old table lies among the old objects, each later one, and
// nearly all that ever waited, outlives the young collections until a full one (docs/decisions/speed.md).

export class WrappingIdTable<T> {
  readonly #items: (T | null)[];
  readonly #numbers: Uint32Array;
  #last: number;

  /** Room for `most` at least. `first` is the number of the first; tests begin below the wrap. */
  constructor(most: number, first = 1) {
    const slots = 2 ** Math.ceil(Math.log2(most));
    this.#items = new Array<T | null>(slots).fill(null);
    this.#numbers = new Uint32Array(slots);
    this.#last = (first - 1) >>> 0;
  }

  /** The number that was given last. */
  get last(): number {
    return this.#last;
  }

  /** Its number; a number whose slot is taken by what has waited for long is left out. RangeError when all are taken. */
  add(item: T): number {
    const items = this.#items;
    const mask = items.length - 1;
    let number = this.#last;
    for (let tried = 0; ; tried++) {
      if (tried === items.length) throw new RangeError(`${tried} wait, there is no room for another`);
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
