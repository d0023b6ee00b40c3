// How much of something each key may have: a network source, a connection, a pair of wallet and source. Windowed: so much in each
// window, then all begin anew. Held: so much at one time, to be given back. What is refused is not counted, so that it uses up nothing
// that others could have. The amounts are rows of limits.ts.

/**
 * Keys counted one by one; those beyond share one row, so a flood of made-up keys limits itself. A quota of what is held never has so
 * many: connections and places in queues are fewer.
 */
export const QUOTA_ROWS = 65_536;
/**
 * A row at 0 stays for a key that comes again, until there are so many of them and they are half of all: a Map that lost a key with each
 * request would make itself a new table again and again.
 */
const IDLE_ROWS = 16;

/** What one key may have; one of loopback, where that is another amount; all keys together, where they have a bound. */
type Most = { readonly amount: number; readonly loopback?: number; readonly all?: number };

export function mostOf({ amount, loopback = amount }: Most, isLoopback: boolean): number {
  return isLoopback ? loopback : amount;
}

export class Quota<Key extends string | number> {
  readonly #most: Most;
  readonly #windowNow: (() => number) | null;
  readonly #rows = new Map<Key, number>();
  #window = -1;
  #shared = 0;
  #all = 0;
  #idle = 0;

  /** `windowNow`: the number of the window that it is now; without it the quota is one of what is held. */
  constructor(most: Most, windowNow: (() => number) | null = null) {
    this.#most = most;
    this.#windowNow = windowNow;
  }

  /** Counts the amount; or tells whose bound it is beyond, and nothing is counted. */
  take(key: Key, isLoopback: boolean, amount = 1): 'each' | 'all' | null {
    if (amount > this.left(key, isLoopback)) return 'each';
    if (this.#all + amount > (this.#most.all ?? Infinity)) return 'all';
    this.add(key, amount);
    return null;
  }

  /** Counts the amount whatever the bounds are. */
  add(key: Key, amount = 1): void {
    const hasRow = this.hasRow(key);
    const used = this.#rows.get(key);
    if (used === 0) this.#idle--;
    if (hasRow) this.#rows.set(key, (used ?? 0) + amount);
    else this.#shared += amount;
    this.#all += amount;
  }

  /** Of an amount that was counted in this window. */
  give(key: Key, amount = 1): void {
    const used = this.#rows.get(key);
    this.#all -= amount;
    if (used === undefined) this.#shared -= amount;
    else this.#rows.set(key, used - amount);
    if (used === amount && ++this.#idle > Math.max(IDLE_ROWS, this.#rows.size / 2)) this.#forgetIdle();
  }

  used(key: Key): number {
    return this.hasRow(key) ? this.#rows.get(key) ?? 0 : this.#shared;
  }

  left(key: Key, isLoopback: boolean): number {
    return this.mostOf(isLoopback) - this.used(key);
  }

  mostOf(isLoopback: boolean): number {
    return mostOf(this.#most, isLoopback);
  }

  /** What all keys have together. */
  get all(): number {
    this.#beginWindow();
    return this.#all;
  }

  /** Whether the key is counted by itself. */
  hasRow(key: Key): boolean {
    this.#beginWindow();
    return this.#rows.has(key) || this.#rows.size < QUOTA_ROWS;
  }

  #beginWindow(): void {
    if (this.#windowNow === null) return;
    const window = this.#windowNow();
    if (window === this.#window) return;
    this.#window = window;
    this.#rows.clear();
    this.#shared = this.#all = this.#idle = 0;
  }

  #forgetIdle(): void {
    for (const [key, used] of this.#rows) if (used === 0) this.#rows.delete(key);
    this.#idle = 0;
  }
}
