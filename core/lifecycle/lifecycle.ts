// The state that lifecycle functions share: trading, work queues, and when things fall due.

import { fixedSection, float64, type Section } from '../columns.ts';
import { MAX_LISTED_EXPIRIES } from '../instruments/calendar.ts';
import type { Trading } from '../trading/context.ts';
import type { Credits } from '../registry/credits.ts';
import type { Payouts } from '../registry/payouts.ts';
import type { Usernames } from '../registry/usernames.ts';
import type { Firing } from './firing-state.ts';
import type { Perps } from './funding-rate.ts';
import type { Reclaim } from './reclaim-state.ts';
import type { Risk } from './liquidation-state.ts';
import type { Settlement } from './settlement-price.ts';
import type { WorkQueue } from './work-queue.ts';

/** (expiry, step) pairs per underlying: room for twice the expiries listed at once. */
export const STEPS = 2 * 2 * MAX_LISTED_EXPIRIES;

/** `next`: earliest expiry of an active instrument (0: none). Per underlying: when to check its listing, the index then, strike steps. */
export type Schedule = {
  readonly next: Float64Array; readonly listing: Float64Array; readonly spot: Float64Array; readonly steps: Float64Array;
};

export type Lifecycle = Trading & {
  readonly marks: WorkQueue; readonly work: WorkQueue; readonly schedule: Schedule; readonly settlement: Settlement; readonly perps: Perps;
  readonly risk: Risk; readonly payouts: Payouts; readonly credits: Credits; readonly reclaim: Reclaim; readonly firing: Firing;
  readonly usernames: Usernames;
};

export function createSchedule(underlyings: number): Schedule {
  return { next: float64(1), listing: float64(underlyings), spot: float64(underlyings), steps: float64(underlyings * STEPS) };
}

export function scheduleSections(schedule: Schedule): readonly Section[] {
  return [
    fixedSection('schedule.next', schedule.next), fixedSection('schedule.listing', schedule.listing),
    fixedSection('schedule.spot', schedule.spot), fixedSection('schedule.steps', schedule.steps),
  ];
}
