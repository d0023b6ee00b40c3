// How long to wait before another try: twice as long after each failure, up to a bound, and by chance up to half of that
// less, so that many clients of one server do not all come back at once.

const FIRST_MS = 1_000;
const MOST_MS = 30_000;

/** `failures`: in a row, at least 1. `random` in [0, 1). */
export function backoff(failures: number, random = Math.random()): number {
  return Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1)) * (1 - random / 2);
}
