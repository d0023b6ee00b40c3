// A tick with nothing due, by which a clock that is stepped is where it was after a restart.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { TICK } from '../../../core/codec/commands.ts';
import { recordKind, recordTime, viewsOf } from '../../../core/codec/record.ts';
import { SEQ, TIME } from '../../../core/engine/state.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { noteTime } from '../../../core/sequencer/sequencer.ts';
import { hashOf, START, TestVenue } from '../../support/venue.ts';

test('given nothing is due, when the time is noted, then a tick is journaled, a replay ends there, and what is due later stays so', () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 5 }), (waits) => {
    const venue = new TestVenue().open();
    for (const wait of waits) {
      const due = nextDue(venue.state);
      const at = Math.min(venue.state.clock[TIME]! + wait, due - 1);
      const seq = venue.seq();
      assert.equal(noteTime(venue.sequencer, at), true);
      const views = viewsOf(venue.log.kept.at(-1)!.buffer as ArrayBuffer);
      assert.deepEqual([recordKind(views, 0), recordTime(views, 0), venue.seq()], [TICK, at, seq + 1]);
      assert.deepEqual([venue.state.clock[TIME], nextDue(venue.state)], [at, due]);
    }
    assert.equal(hashOf(venue.replay()), venue.hash());
  }), { numRuns: 30 });
});

test('a time is noted neither without room nor before the last command', () => {
  const venue = new TestVenue().open();
  const [seq, time] = [venue.state.clock[SEQ]!, venue.state.clock[TIME]!];
  venue.log.open = false;
  assert.equal(noteTime(venue.sequencer, time + 1), false);
  assert.deepEqual([venue.state.clock[SEQ], venue.state.clock[TIME]], [seq, time]);
  venue.log.open = true;
  assert.equal(noteTime(venue.sequencer, START - 1), true);
  assert.equal(venue.state.clock[TIME], time);
});
