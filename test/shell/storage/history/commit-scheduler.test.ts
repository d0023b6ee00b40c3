// When the store commits: by the duration of the last commit and the number of waiting rows, within half a minute. Times in ms.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitScheduler } from '../../../../shell/storage/history/commit-scheduler.ts';

const START = 1_000_000;

/** One whose last commit wrote so many rows in so long and ended at START. */
function after(rows: number, ms: number): CommitScheduler {
  const pace = new CommitScheduler();
  pace.take(rows, START - ms);
  pace.committed(START - ms, START);
  return pace;
}

test('the first commit is immediate, the next after 500 times the last one\'s duration, at most 30 s', () => {
  assert.equal(new CommitScheduler().take(1, 0), 0);
  for (const [ms, wait] of [[3, 1_500], [59, 29_500], [61, 30_000], [5_000, 30_000], [0.5, 250]] as const) {
    const pace = after(1_000, ms);
    assert.equal(pace.take(1, START), wait);
    assert.equal(pace.take(100, START + 100), wait - 100, 'what more comes meanwhile puts it off no further');
    assert.equal(pace.take(1, START + wait + 1), 0);
  }
});

test('with more rows than a quarter second writes, the commit may come after 50 times the last duration', () => {
  const pace = after(40_000, 500);
  assert.equal(pace.take(19_999, START), 30_000);
  assert.equal(pace.take(1, START + 50), 24_950);
  assert.equal(pace.take(1, START + 25_000), 0);
  assert.equal(after(40_000, 700).take(14_286, START), 30_000, 'nor does that part of the time put one off beyond half a minute');
});

test('with as many rows as a second writes, bounded to 8,192 to 262,144, a commit is due', () => {
  /** Rows with which a commit is due at once after one of so many rows that took so long. */
  const most = (rows: number, ms: number): number => {
    const pace = after(rows, ms);
    let taken = 1;
    while (pace.take(1, START) !== 0) taken++;
    return taken;
  };
  assert.equal(most(40_000, 2_000), 20_000);
  assert.equal(most(40_000, 500), 80_000);
  assert.equal(most(40_000, 10), 262_144);
  assert.equal(most(40_000, 10_000), 8_192, 'a disk that stood still once is no reason for a commit of few');
  assert.equal(most(0, 20), 8_192);
});

test('committed rows no longer count', () => {
  const pace = after(262_143, 100);
  assert.equal(pace.take(262_143, START), 30_000);
  assert.equal(pace.take(1, START), 0);
});

test('commits of thousands of wallets, which cost the same with few or many rows, take a small part of the time', () => {
  const pace = new CommitScheduler();
  let [now, waiting, inCommits, longest] = [0, 0, 0, 0];
  let due = Infinity;
  const commit = (): void => {
    const ms = 250 + waiting / 1_000;
    pace.committed(now, now + ms);
    [now, waiting, inCommits, longest, due] = [now + ms, 0, inCommits + ms, Math.max(longest, ms), Infinity];
  };
  while (now < 3_600_000) {
    now += 250;
    if (due <= now) commit();
    waiting += 4_000;
    const wait = pace.take(4_000, now);
    due = now + wait;
    if (wait === 0) commit();
  }
  assert.ok(inCommits / now < 0.04, `${inCommits / now} of the time`);
  assert.ok(longest < 1_000);
});
