// Decides when the history commits (docs/decisions/history.md). Seldom, because a commit writes some ten pages per active wallet, and the
// journal's fsync waits behind it. Delay and rows are bounded, because queries wait for a running commit. Times in ms.

/** Share of time spent in commits. At a hundredth, commits would be the p99 of orders. */
const COMMIT_SHARE = 0.002;
export const MAX_DELAY_MS = 30_000;
/** Rows that take more than TARGET_MS get the larger share: few rows cost nearly as much as many. */
const TARGET_MS = 250;
const LARGE_COMMIT_SHARE = 0.02;
const MAX_COMMIT_MS = 1_000;
/** Rows per commit: the most that a start must redo. */
const MAX_ROWS = 262_144;
const MIN_ROWS = 8_192;

export class CommitScheduler {
  #rows = 0;
  #end = -Infinity;
  #took = 0;
  #rowsEachMs = MAX_ROWS;

  take(rows: number, now: number): number {
    this.#rows += rows;
    if (this.#rows >= this.#rowsIn(MAX_COMMIT_MS)) return 0;
    const share = this.#rows >= this.#rowsIn(TARGET_MS) ? LARGE_COMMIT_SHARE : COMMIT_SHARE;
    return Math.max(0, this.#end + Math.min(this.#took / share, MAX_DELAY_MS) - now);
  }

  committed(from: number, to: number): void {
    this.#end = to;
    this.#took = to - from;
    this.#rowsEachMs = this.#rows / Math.max(1, this.#took);
    this.#rows = 0;
  }

  #rowsIn(ms: number): number {
    return Math.min(MAX_ROWS, Math.max(MIN_ROWS, this.#rowsEachMs * ms));
  }
}
