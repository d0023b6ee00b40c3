// Counts an amount per key up to a limit. A windowed quota restarts with each window; a held quota is given back. A
// refused amount is not counted.

/** Further keys share one row, so a flood of invented keys limits itself. Held quotas never have that many. */
export const QUOTA_ROWS = 65_536;
/** Rows at 0 are kept up to this many and half of all rows: frequent deletions would make the Map rebuild its table. */
const IDLE_ROWS = 16;

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

  /** Without `windowNow` the quota is held. */
  constructor(most: Most, windowNow: (() => number) | null = null) {
    this.#most = most;
    this.#windowNow = windowNow;
  }

  take(key: Key, isLoopback: boolean, amount = 1): 'each' | 'all' | null {
    if (amount > this.left(key, isLoopback)) return 'each';
    if (this.#all + amount > (this.#most.all ?? Infinity)) return 'all';
    this.add(key, amount);
    return null;
  }

  add(key: Key, amount = 1): void {
    const hasRow = this.hasRow(key);
    const used = this.#rows.get(key);
    if (used === 0) this.#idle--;
    if (hasRow) this.#rows.set(key, (used ?? 0) + amount);
    else this.#shared += amount;
    this.#all += amount;
  }

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

  get all(): number {
    this.#beginWindow();
    return this.#all;
  }

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
