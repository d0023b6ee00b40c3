// When the store commits what it has taken (docs/decisions/0040). Seldom: a commit writes some ten pages for each wallet that did anything
// since the last, and the journal's fsync, on the same disk, waits behind it. But within a bounded time, which a start after a kill has to
// make up for, and with as many rows as a bounded time writes, since questions wait for a commit in hand. Times ms. Reads no clock, has
// no timer: whoever commits tells what it took.

/** The part of the time in which commits may be written, by what the last one took: with a hundredth they would be the p99 of orders. */
const COMMIT_PART = 0.002;
/** The longest time that something waits for a commit. */
const COMMIT_WITHIN = 30_000;
/** How long one should take: it is due with as many rows as the last would have written in that. */
const COMMIT_TAKES = 250;
/** Bounds of these rows: what a start makes up for, and what no slow disk brings them below. */
const MOST_ROWS = 262_144;
const LEAST_ROWS = 8_192;

export class CommitPace {
  #rows = 0;
  #mostRows = MOST_ROWS;
  #wait = 0;

  /** So many more rows wait for a commit; returns after how long one is due, if none is already: 0 for now. */
  take(rows: number): number {
    this.#rows += rows;
    return this.#rows >= this.#mostRows ? 0 : this.#wait;
  }

  /** All that was taken has been committed, which took so long. */
  committed(ms: number): void {
    this.#mostRows = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, this.#rows * COMMIT_TAKES / Math.max(1, ms)));
    this.#wait = Math.min(ms / COMMIT_PART, COMMIT_WITHIN);
    this.#rows = 0;
  }
}
