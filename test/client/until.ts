// Waiting in the client's tests: for a condition, never for a time. It fails if the condition does not hold within the patience of a busy
// machine.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/** The first value that is not undefined, null or false. */
export async function until<T>(what: string, look: () => T | Promise<T>): Promise<Exclude<T, undefined | null | false>> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(5)) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) return value as Exclude<T, undefined | null | false>;
  }
  return assert.fail(`in vain: ${what}`);
}
