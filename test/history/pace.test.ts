// When the store commits: by what the last commit took, within half a minute, and with no more rows than a quarter of a second writes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitPace } from '../../shell/history/pace.ts';

test('the first commit comes at once, the next after five hundred times what it took, half a minute at the latest', () => {
  const pace = new CommitPace();
  assert.equal(pace.take(1), 0);
  for (const [ms, wait] of [[3, 1_500], [59, 29_500], [61, 30_000], [5_000, 30_000], [0.5, 250]] as const) {
    pace.committed(ms);
    assert.equal(pace.take(1), wait);
    assert.equal(pace.take(100), wait, 'what more comes meanwhile changes nothing');
  }
});

test('a commit is due with as many rows as a quarter of a second writes, 8,192 to 262,144', () => {
  /** Rows with which a commit is due after one of so many rows that took so long. */
  const most = (rows: number, ms: number): number => {
    const pace = new CommitPace();
    pace.take(rows);
    pace.committed(ms);
    let taken = 1;
    while (pace.take(1) !== 0) taken++;
    return taken;
  };
  assert.equal(most(40_000, 1_000), 10_000);
  assert.equal(most(40_000, 500), 20_000);
  assert.equal(most(40_000, 10), 262_144);
  assert.equal(most(40_000, 10_000), 8_192, 'a disk that stood still once is no reason for a commit of few');
  assert.equal(most(0, 20), 8_192);
});

test('rows that are committed no longer count', () => {
  const pace = new CommitPace();
  pace.take(262_143);
  pace.committed(100);
  assert.equal(pace.take(262_143), 30_000);
  assert.equal(pace.take(1), 0);
});
