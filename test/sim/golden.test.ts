// The golden journal gives the same results as when it was written (see golden.ts).

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BEHAVIOUR } from '../../core/version.ts';
import { readJournal, readResults, replay } from './golden.ts';

const RAISE = 'old commands have other results: raise BEHAVIOUR and write the golden journal anew';

test('golden journal: replies, balances, events and state equal those recorded for this BEHAVIOUR', () => {
  const golden = readResults();
  const now = replay(readJournal(), golden.limits);
  assert.equal(golden.behaviour, BEHAVIOUR, 'the golden journal belongs to another BEHAVIOUR: write it anew');
  assert.ok(golden.records > 300);
  assert.equal(now.records, golden.records);
  assert.equal(now.answers, golden.answers, `answers changed: ${RAISE}`);
  assert.equal(now.balances, golden.balances, `balances changed: ${RAISE}`);
  assert.equal(now.events, golden.events, `events changed: ${RAISE}`);
  assert.equal(now.state, golden.state, `state changed: ${RAISE}`);
});
