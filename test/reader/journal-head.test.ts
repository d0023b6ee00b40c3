// The head of the journal as clients are shown it: read once a second at most, and a reading that fails costs nobody anything.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepJournalHead } from '../../shell/reader/journal-head.ts';

test('a head is kept for a second; one that cannot be read leaves the one before, with a line for the operator', () => {
  let time = 0;
  let seq = 1;
  let readings = 0;
  let fails = false;
  const told: string[] = [];
  const head = keepJournalHead(() => {
    readings++;
    if (fails) throw new Error('EMFILE: too many open files');
    return { seq, hash: String(seq) };
  }, () => time, (line) => told.push(line));
  seq = 2;
  time = 999;
  assert.deepEqual([head(), readings], [{ seq: 1, hash: '1' }, 1]);
  time = 1_000;
  assert.deepEqual([head(), head(), readings], [{ seq: 2, hash: '2' }, { seq: 2, hash: '2' }, 2]);
  fails = true;
  seq = 3;
  time = 2_000;
  assert.deepEqual([head(), head(), readings], [{ seq: 2, hash: '2' }, { seq: 2, hash: '2' }, 3]);
  assert.deepEqual(told, ['the head of the journal could not be read, that of seq 2 is shown: Error: EMFILE: too many open files']);
  fails = false;
  time = 3_000;
  assert.deepEqual(head(), { seq: 3, hash: '3' });
});

test('a venue without a journal has no head yet; a head that cannot be read before anybody asks is the fault of the start', () => {
  assert.deepEqual(keepJournalHead(() => null, () => 0, assert.fail)(), { seq: 0, hash: '' });
  assert.throws(() => keepJournalHead(() => { throw new Error('damaged'); }, () => 0, assert.fail), /damaged/);
});
