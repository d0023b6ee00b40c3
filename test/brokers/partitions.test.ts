// Venue processes and brokers in network namespaces, on disks of their own (`npm run cluster` at any length).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MISSING } from './brokers.ts';
import { assertRun } from './nemesis/assert-run.ts';
import { isolationMissing } from './places.ts';

const FAULTS = ['leader cut off from the brokers', 'leader\'s disk full'];
const options = { timeout: 290_000, skip: MISSING === false ? isolationMissing() : MISSING };

test('a leader cut off or with a full disk is replaced, and brokers that lose their log halt every node by name', options, async (t) => {
  assert.ok(await assertRun(t, FAULTS, true) >= 2);
});
