// When the store commits: by what the last commit took, within ten seconds, and with no more rows than a quarter of a second writes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitPace } from '../../shell/history/pace.ts';

test('the first commit comes at once, the next after a hundred times what it took, ten seconds at the latest', () => {
  const pace = new CommitPace();
  assert.equal(pace.take(1), 0);
  for (const [ms, wait] of [[3, 300], [99, 9_900], [101, 10_000], [5_000, 10_000], [0.5, 50]] as const) {
    pace.committed(ms);
    assert.equal(pace.take(1), wait);
    assert.equal(pace.take(100), wait, 'what more comes meanwhile changes nothing');
  }
});

test('a commit is due with as many rows as a quarter of a second writes, 8,192 to 65,536', () => {
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
  assert.equal(most(40_000, 100), 65_536);
  assert.equal(most(40_000, 10_000), 8_192, 'a disk that stood still once is no reason for a commit of few');
  assert.equal(most(0, 20), 8_192);
});

test('rows that are committed no longer count', () => {
  const pace = new CommitPace();
  pace.take(65_535);
  pace.committed(100);
  assert.equal(pace.take(65_535), 10_000);
  assert.equal(pace.take(1), 0);
});
