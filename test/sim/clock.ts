// The clock's own work, and that it is bounded: a tick does what has fallen due, so the core does not ask for one again and again
// while time stands still and nothing of the queues gets done; nor is there work at one moment without end.

import assert from 'node:assert/strict';
import { TIME } from '../../core/engine/state.ts';
import { runDue, type Sequencer } from '../../core/sequencer/sequencer.ts';

/** Steps at one moment, without a command of anybody's between them, after which something is wrong. */
const WORK_BOUND = 20_000;
/** Ticks in a row at one moment: the second finds nothing, except deadlines beyond the 256 of one tick, more than there are here. */
const TICKS_BOUND = 2;

export class Clock {
  private time = -1;
  private steps = 0;
  private ticks = 0;

  /** A command was taken, or the state is another one: what is due may be so again. */
  begin(): void {
    this.time = -1;
  }

  /** Does what is due at `now`, up to `most` steps. */
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
}
