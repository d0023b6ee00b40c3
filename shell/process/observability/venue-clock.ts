// Problems of the venue's clock, which never goes back: a start is refused if the clock does not fit the journal; a clock that is set
// later is reported. Times in ms since the epoch.

import { DAY, MINUTE } from '../../../core/units.ts';
import { isHeldBack } from '../clock.ts';
import type { ClockStatus } from '../../ipc/status.ts';
import { StartRefusal } from '../start-refusal.ts';

const MOST_PAST = 7 * DAY;
const STILL_AFTER = 5_000;

/** `last`: the journal's end, 0 if empty; `time`: where the venue would continue. Throws Refusal. */
export function checkClock(last: number, time: number): void {
  const [isPast, isBefore] = [time > last + MOST_PAST, time < last - MINUTE];
  if (last === 0 || !(isPast || isBefore)) return;
  const distance = isPast ? 'more than 7 days later: all that falls due in between would be done, for good'
    : 'more than a minute earlier: the venue\'s time would stand still until then';
  throw new StartRefusal(`the journal's last record is of ${iso(last)}, the clock reads ${iso(time)}, ${distance}; `
    + 'set the clock right, or start with --accept-clock');
}

/** `last`: of the last command; `time`: the venue's; `wall`: the machine's. */
export function clockStatus(last: number, time: number, wall: number): ClockStatus {
  const state = time < last - STILL_AFTER ? 'still' : isHeldBack() ? 'held' : 'running';
  return { state, last, wall };
}

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
