// The venue's time on the page, a second at a time, so that all texts made of it change together.

import { signal } from '@preact/signals';
import { connection } from './connection.ts';

const SECOND_MS = 1_000;

/** ms. */
export const venueTime = signal(connection.now());

export function startClock(): void {
  setInterval(() => { venueTime.value = connection.now(); }, SECOND_MS);
}
