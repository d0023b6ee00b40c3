// A command that throws in main: the error, which becomes the last line of the process, names it, and the journal is handed nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEQ } from '../../../core/engine/state.ts';
import { SharedCounters } from '../../../shell/ipc/counters.ts';
import { ringConsumer } from '../../../shell/ipc/ring.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { rulesOf } from '../../../shell/process/market.ts';
import { createMeters, Meters } from '../../../shell/process/observability/meters.ts';
import { MainLoop } from '../../../shell/process/threads/main-loop.ts';
import { createWiring, LOG_JOURNAL } from '../../../shell/process/wiring.ts';
import { TestVenue } from '../../support/venue.ts';

test('when a command throws in main, its error names it, and the journal finds nothing in the log', (t) => {
  const { state, write } = new TestVenue().open();
  const wiring = createWiring(1);
  const loop = new MainLoop({
    wiring: wiring.main, counters: new SharedCounters(wiring.counters), state, rules: rulesOf(readConfig([], {}) as Config),
    meters: new Meters(createMeters(['main']), 'main'), onDigest: () => undefined,
  });
  t.after(() => loop.stop());
  const failing = state.clock[SEQ]! + 1;
  const named = new RegExp(`^Error: command ${failing} \\(kind 200\\) failed when applied and is not in the journal: RangeError: unknown `);
  assert.throws(() => loop.send(write.plain(200)), named);
  assert.equal(ringConsumer(wiring.journal.log, LOG_JOURNAL).peek(), -1);
});
