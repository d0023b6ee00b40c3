// Five takeovers of venue processes on three real brokers under a signed fleet (evidence F17; `npm run cluster` at any length): what was
// answered is found again at each new leader and in the end on every node, done once, and the journals hold one chain.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MISSING } from './brokers.ts';
import { assertRun } from './nemesis/assert-run.ts';

const FAULTS = [
  'leader killed', 'leader paused until it is deposed', 'standby killed', 'leader and the broker that leads the stream killed',
  'leader stopped cleanly', 'leader killed',
];
const TAKEOVERS = 5;
const options = { timeout: 290_000, skip: MISSING };
const TITLE = `${TAKEOVERS} takeovers under load: nothing answered is lost or acts twice, reads are of now, and all is one chain`;

test(TITLE, options, async (t) => {
  assert.ok(await assertRun(t, FAULTS, false) >= TAKEOVERS);
});
