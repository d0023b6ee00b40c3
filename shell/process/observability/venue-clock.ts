// What may be wrong with the venue's clock. Once the venue's time has gone ahead it never goes back, and whatever fell due on the way
// is done for good: so a start by a clock that does not fit the journal is refused, and a clock that is set while the venue runs is told.
// Times ms since the epoch.

import { DAY, MINUTE } from '../../../core/units.ts';
import { isHeldBack } from '../clock.ts';
import type { ClockStatus } from '../../ipc/status.ts';
import { Refusal } from '../refusal.ts';

const MOST_PAST = 7 * DAY;
/** Less than this is how the system corrects a clock. */
const STILL_AFTER = 5_000;

/** `last`: of the journal, 0: it is empty. Throws Refusal where `time`, at which the venue would go on, does not fit it. */
export function checkClock(last: number, time: number): void {
  const [isPast, isBefore] = [time > last + MOST_PAST, time < last - MINUTE];
  if (last === 0 || !(isPast || isBefore)) return;
  const distance = isPast ? 'more than 7 days later: all that falls due in between would be done, for good'
    : 'more than a minute earlier: the venue\'s time would stand still until then';
  throw new Refusal(`the journal's last record is of ${iso(last)}, the clock reads ${iso(time)}, ${distance}; `
    + 'set the clock right, or start with --accept-clock');
}

/** `last`: time of the last command; `time`: the venue's, `wall`: the machine's. */
export function clockStatus(last: number, time: number, wall: number): ClockStatus {
  const state = time < last - STILL_AFTER ? 'still' : isHeldBack() ? 'held' : 'running';
  return { state, last, wall };
}

/** Why the clock is not well, null: it is. */
export function clockProblem({ state, last, wall }: ClockStatus): string | null {
  if (state === 'running') return null;
  if (state === 'held') {
    return `the machine's clock was set to ${iso(wall)}, the venue's time is at most a minute ahead of the monotonic clock; `
      + 'set it right, or start anew to take it';
  }
  return `the journal goes on to ${iso(last)}, the clock reads ${iso(wall)}: the venue's time stands still until then, `
    + 'or until the clock is set right';
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
