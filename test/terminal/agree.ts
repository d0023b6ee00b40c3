// For tests of what moves with the marks or the window: compares the screen with what it must show until both agree.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';

const TRIES = 300;
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

/** Nothing sticks out at the side. The layout follows a new size of the window in a later frame. */
export async function fitsWidth(page: Page, { width }: { readonly width: number }): Promise<void> {
  await agree(async () => width, () => page.evaluate(() => document.documentElement.scrollWidth));
}
