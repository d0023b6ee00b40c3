// Runs the clock's own work and checks that it is bounded: the core must not ask for tick after tick while time stands still and no
// queue gets shorter, and work at one time must end.

import assert from 'node:assert/strict';
import { SEQ, TIME } from '../../core/engine/state.ts';
import { NEXT_SWEEP } from '../../core/lifecycle/liquidation-state.ts';
import { nextDue } from '../../core/lifecycle/ticks.ts';
import { noteTime, runDue, type Sequencer } from '../../core/sequencer/sequencer.ts';

/** The most steps at one time without a command between them; more is a livelock. */
const WORK_BOUND = 20_000;
/** Ticks in a row at one time; the second finds no work, because there are fewer deadlines here than one tick handles (256). */
const TICKS_BOUND = 2;

export class Clock {
  private time = -1;
  private steps = 0;
  private ticks = 0;

  /** Restarts the counts, after a command or with another state. */
  begin(): void {
    this.time = -1;
  }

  /** Runs the work that is due at `now`, up to `most` steps. */
  run(sequencer: Sequencer, now: number, most = Infinity): void {
    for (let steps = 0; steps < most; steps++) {
      if (!runDue(sequencer, now)) return;
      const time = sequencer.state.clock[TIME]!;
      if (time !== this.time) {
        this.time = time;
        this.steps = this.ticks = 0;
      }
      this.ticks = sequencer.ticked ? this.ticks + 1 : 0;
      if (this.ticks > TICKS_BOUND) assert.fail(`livelock: ${this.ticks} ticks in a row at ${time}, without work between them`);
      if (++this.steps > WORK_BOUND) assert.fail(`livelock: the work at ${time} never ends`);
    }
  }

  /** Journals the time, as a clock that is stepped does; what falls due later stays so. False: something is due. */
  note(sequencer: Sequencer, now: number): boolean {
    const { state } = sequencer;
    const [due, seq, time] = [nextDue(state), state.clock[SEQ]!, Math.max(now, state.clock[TIME]!)];
    if (due <= time) return false;
    const isFirst = state.risk.counters[NEXT_SWEEP] === 0;
    assert.ok(noteTime(sequencer, now), 'clock: there is room for a tick');
    assert.deepEqual([state.clock[SEQ], state.clock[TIME]], [seq + 1, time], 'clock: an idle tick is one record');
    // The first sweep after there are holdings again begins with any tick.
    if (!(isFirst && nextDue(state) === 0)) assert.equal(nextDue(state), due, 'clock: an idle tick does nothing else');
    return true;
  }
}
