// Time that stands still: the clock lies behind the venue's last time, since it was set back, or the journal had a clock of its own.
// The venue's time never goes back, so until the clock has caught up nothing falls due and no budget of writes begins anew. Here is
// when to say so, once each way. Times ms since the epoch.

import { MINUTE } from '../../core/units.ts';
import { log } from './log.ts';

/** To be told every so often the time of the last command and what the clock reads. */
export function standstillWatch(): (last: number, time: number) => void {
  let isStill = false;
  return (last, time) => {
    if (!isStill && time < last - MINUTE) {
      isStill = true;
      log('warn', 'clock', `the journal goes on to ${iso(last)}, the clock reads ${iso(time)}: the venue's time stands still until then, `
        + 'or until the clock is set right (with --clock-start it would go on from there)');
    } else if (isStill && time >= last) {
      isStill = false;
      log('info', 'clock', `the clock has caught up with the journal at ${iso(last)}: the venue's time goes on`);
    }
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
