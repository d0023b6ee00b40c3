// When the store commits what it has taken (docs/decisions/history.md). Seldom: a commit writes some ten pages for each wallet that
// did anything since the last, and the journal's fsync, on the same disk, waits behind it. But within a bounded time, which a start
// after a kill has to make up for, and with as many rows as a bounded time writes, since questions wait for a commit in hand. Times
// ms. Reads no clock, has no timer: whoever commits tells the time and what it took.

/** The part of the time in which commits may be written, by what the last one took: with a hundredth they would be the p99 of orders. */
const COMMIT_PART = 0.002;
/** The longest time that something waits for a commit. */
export const COMMIT_WITHIN = 30_000;
/**
 * How long one should take, by the rows that the last has written, and the part of the time that commits of no more may have. Without
 * this part, thousands of wallets would have many commits of the same pages: few rows cost nearly as much as many.
 */
const SHOULD_TAKE = 250;
const CROWDED_PART = 0.02;
/** How long one may take, which goes before any part of the time: of wallets that do one thing each, no two rows share a page. */
const MAY_TAKE = 1_000;
/** Bounds of the rows in these times: what a start makes up for, and what no slow disk brings them below. */
const MOST_ROWS = 262_144;
const LEAST_ROWS = 8_192;

export class CommitScheduler {
  #rows = 0;
  /** Of the last commit: its end, what it took, and how many rows one has that takes a millisecond. */
  #end = -Infinity;
  #took = 0;
  #rowsEachMs = MOST_ROWS;

  /** At this time so many more rows wait for a commit. Returns after how long it is due if no more come: 0 for now. */
  take(rows: number, now: number): number {
    this.#rows += rows;
    if (this.#rows >= this.#rowsIn(MAY_TAKE)) return 0;
    const part = this.#rows >= this.#rowsIn(SHOULD_TAKE) ? CROWDED_PART : COMMIT_PART;
    return Math.max(0, this.#end + Math.min(this.#took / part, COMMIT_WITHIN) - now);
  }

  /** All that was taken has been committed between these times. */
  committed(from: number, to: number): void {
    this.#end = to;
    this.#took = to - from;
    this.#rowsEachMs = this.#rows / Math.max(1, this.#took);
    this.#rows = 0;
  }

  #rowsIn(ms: number): number {
    return Math.min(MOST_ROWS, Math.max(LEAST_ROWS, this.#rowsEachMs * ms));
  }
}
