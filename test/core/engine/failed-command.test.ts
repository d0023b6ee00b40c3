// A command that throws when applied is a fault of the venue: the process ends, and nothing of the command may be in the log.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { recordSeq } from '../../../core/codec/record.ts';
import { SEQ } from '../../../core/engine/state.ts';
import { createRing, ringConsumer, ringProducer } from '../../../shell/ipc/ring.ts';
import { RECORD_BYTES } from '../../../core/limits.ts';
import { createSequencer, takeCommand, takeVenueCommand } from '../../../core/sequencer/sequencer.ts';
import { Scene } from '../../support/scene.ts';

/** No command has it. */
const UNKNOWN_KIND = 200;
const LOG_BYTES = 1_048_576;

/** A venue whose log is a ring that a journal would read. */
function venueWithRing() {
  const scene = new Scene();
  const ring = createRing({ bytes: LOG_BYTES, consumers: 1, largest: RECORD_BYTES });
  const producer = ringProducer(ring);
  const log = {
    views: producer.views, hasRoom: () => producer.room() >= RECORD_BYTES, claim: (bytes: number) => producer.claim(bytes),
    commit: () => producer.publish(),
  };
  const journal = ringConsumer(ring, 0);
  return { scene, journal, sequencer: createSequencer(scene.state, scene.admission, log) };
}

test('a command that throws when applied is not in the log', () => {
  const { scene, journal, sequencer } = venueWithRing();
  const seq = scene.state.clock[SEQ]!;
  assert.equal(takeVenueCommand(sequencer, scene.write.index(0, 100_000e6, 1), scene.now), true);
  assert.equal(recordSeq(journal.views, journal.next()), seq + 1, 'what was applied is there');
  assert.throws(() => takeVenueCommand(sequencer, scene.write.plain(UNKNOWN_KIND), scene.now), /^RangeError: unknown command 200$/);
  assert.equal(journal.peek(), -1);
});

test('a signed command that throws when applied is not in the log, and gets no reply', () => {
  const { scene, journal, sequencer } = venueWithRing();
  assert.equal(scene.sell(1, 100_000, 1), 0);
  scene.reply.kept = [];
  // What admission lets through meets a store that was broken behind its back.
  Object.defineProperty(scene.state, 'streams', { get: () => { throw new RangeError('broken store'); } });
  const sell = scene.write.cancelAll(1, scene.next());
  assert.throws(() => takeCommand(sequencer, sell, 0, scene.now, scene.reply), /broken store/);
  assert.equal(journal.peek(), -1);
  assert.deepEqual(scene.reply.kept, []);
});
