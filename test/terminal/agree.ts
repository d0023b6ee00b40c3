// For tests of figures that move with the marks: compares the screen with what the interface tells at the same moment.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 80;
const LOOK_EVERY_MS = 100;

/** Waits until the page shows what the venue tells both before and after the look. */
export async function agree(told: () => Promise<unknown>, shown: () => Promise<unknown>): Promise<void> {
  for (let left = TRIES; ; left--) {
    const [before, seen, after] = [await told(), await shown(), await told()];
    const isSteady = JSON.stringify(before) === JSON.stringify(after);
    if (isSteady && JSON.stringify(seen) === JSON.stringify(before)) return;
    if (left === 0) assert.deepEqual(seen, before);
    await sleep(LOOK_EVERY_MS);
  }
}
