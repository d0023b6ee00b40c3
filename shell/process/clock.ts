// The clock: the only place that reads it. `now` is the venue's time in ms since the epoch: of the sequencer, budgets, the
// feed, and everything that falls due. It is the wall's, at most a minute ahead of the machine's monotonic clock, which is one
// for all threads and which nobody sets; a simulated clock reads start + (real − real start) · speed of the monotonic one.
// What concerns the outside world (timeouts, heartbeats, fsync) goes by `steady` and real timers, never by `now`. The thread of the
// history asks for no time of the venue and is not told of its clock; that of the journal notes the wall's for a segment made at a start.

// Imported, not taken from the global object, which looks it up each time.
import { performance } from 'node:perf_hooks';

/** A clock that read `venue` when the monotonic clock read `real`, both ms. Plain, so that threads can be given it. */
type SimulatedClock = { readonly venue: number; readonly real: number; readonly speed: number };
/** The wall's clock read `wall` when the monotonic one read `real`, both ms. */
type BoundedClock = { readonly wall: number; readonly real: number };
export type VenueClock = SimulatedClock | BoundedClock;

/** How far the wall's clock may get ahead of the monotonic one: whoever sets it years ahead would settle every option for ever. */
const MAX_AHEAD_MS = 60_000;
let venueClock: VenueClock | null = null;
const SAMPLES = 16;
const sharedOffset = clockOffset(() => performance.now(), monotonic);

/** Integer ms since the epoch, as it is in the venue. */
export function now(): number {
  if (venueClock === null) return Date.now();
  if ('speed' in venueClock) return Math.floor(venueClock.venue + (monotonic() - venueClock.real) * venueClock.speed);
  return Math.min(Date.now(), Math.floor(venueClock.wall + sharedSteady() - venueClock.real) + MAX_AHEAD_MS);
}

/** True while the wall's clock reads more than the venue may follow. */
export function isHeldBack(): boolean {
  return venueClock !== null && 'wall' in venueClock && Date.now() > now();
}

/** The wall's, also where the venue has a clock of its own: for logs. */
export function wallTime(): number {
  return Date.now();
}

/** Milliseconds from an arbitrary start, never backwards; real ones. */
export function steady(): number {
  return performance.now();
}

/** Real milliseconds in which so many of the venue's go by: for timers. */
export function realMs(venueMs: number): number {
  return venueClock !== null && 'speed' in venueClock ? venueMs / venueClock.speed : venueMs;
}

/** The wall's clock from what it reads now. */
export function boundClock(): VenueClock {
  return { wall: Date.now(), real: sharedSteady() };
}

/** A clock that reads `venue` now. */
export function startClock(venue: number, speed: number): VenueClock {
  return { venue, real: monotonic(), speed };
}

/** From now on this thread goes by `clock`; null: by the wall's, without a bound. */
export function followClock(clock: VenueClock | null): void {
  venueClock = clock;
}

/** Milliseconds that read the same in every thread, never backwards: for measurements that go from one thread to another. */
export function sharedSteady(): number {
  return performance.now() + sharedOffset;
}

/**
 * What the start of one clock lies behind that of another, ms. Of several looks the one counts in which the least time went by: a thread
 * that has to wait for a core between two readings would be late by as much for as long as it lives.
 */
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

/** Not `performance.now`, whose start each thread has for itself. */
function monotonic(): number {
  const [seconds, nanos] = process.hrtime();
  return seconds * 1_000 + nanos / 1e6;
}
