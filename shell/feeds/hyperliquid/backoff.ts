// Delay before a retry: doubles with each failure up to a bound, less a random part of up to half, so that clients
// spread out.

const FIRST_MS = 1_000;
const MAX_MS = 30_000;

/** `failures`: consecutive, at least 1. */
export function backoff(failures: number, random = Math.random()): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1)) * (1 - random / 2);
}
