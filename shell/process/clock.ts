// The only place that reads the clock. `now` is venue time: wall time, at most a minute ahead of the monotonic clock, which nobody can
// set; or simulated, start + (real − real start) · speed, which with speed 0 moves only by steps. Timeouts, heartbeats and fsync use
// `steady` and real timers, never `now`.

import { performance } from 'node:perf_hooks';

type SimulatedClock = { readonly venue: number; readonly real: number; readonly speed: number };
type BoundedClock = { readonly wall: number; readonly real: number };
export type VenueClock = SimulatedClock | BoundedClock;

/** A wall clock years ahead would settle every option for ever. */
const MAX_AHEAD_MS = 60_000;
let venueClock: VenueClock | null = null;
const SAMPLES = 16;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const sharedOffset = clockOffset(() => performance.now(), monotonic);

/** Ms since the epoch. */
export function now(): number {
  if (venueClock === null) return Date.now();
  if ('speed' in venueClock) return Math.floor(venueClock.venue + (monotonic() - venueClock.real) * venueClock.speed);
  return Math.min(Date.now(), Math.floor(venueClock.wall + sharedSteady() - venueClock.real) + MAX_AHEAD_MS);
}

export function isHeldBack(): boolean {
  return venueClock !== null && 'wall' in venueClock && Date.now() > now();
}

export function wallTime(): number {
  return Date.now();
}

/** Monotonic ms. */
export function steady(): number {
  return performance.now();
}

/** Real ms for a timer of `venueMs`. A clock that moves only by steps has nothing to wait for. */
export function realMs(venueMs: number): number {
  if (venueClock === null || !('speed' in venueClock)) return venueMs;
  return venueClock.speed > 0 ? venueMs / venueClock.speed : venueMs > 0 ? LONGEST_TIMER_MS : 0;
}

export function boundClock(): VenueClock {
  return { wall: Date.now(), real: sharedSteady() };
}

export function startClock(venue: number, speed: number): VenueClock {
  return { venue, real: monotonic(), speed };
}

/** Null: wall time, however far ahead. */
export function followClock(clock: VenueClock | null): void {
  venueClock = clock;
}

/** Monotonic ms, equal in all threads. */
export function sharedSteady(): number {
  return performance.now() + sharedOffset;
}

/** The fastest sample counts, because a thread that loses its core between two readings would be wrong for its whole life. */
export function clockOffset(own: () => number, other: () => number): number {
  let [least, behind] = [Infinity, 0];
  for (let look = 0; look < SAMPLES; look++) {
    const before = own();
    const read = other();
    const after = own();
    if (after - before >= least) continue;
    least = after - before;
    behind = read - (before + after) / 2;
  }
  return behind;
}

/** The start of `performance.now` differs by thread. */
function monotonic(): number {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1_000 + nanos / 1e6;
}
