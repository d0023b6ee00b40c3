// A quota shared by many keys, per window or for what is held at one time, with a bound per key and one for all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quota, QUOTA_ROWS } from '../../../shell/http/quota.ts';

test('a key has its amount, loopback its own, all together a bound; refused amounts do not count', () => {
  const quota = new Quota<string>({ amount: 3, loopback: 5, all: 7 });
  assert.deepEqual([quota.take('a', false, 2), quota.take('a', false, 2), quota.take('a', false)], [null, 'each', null]);
  assert.deepEqual([quota.take('l', true, 5), quota.take('l', true, 4), quota.take('b', false)], ['all', null, 'all']);
  assert.deepEqual([quota.used('a'), quota.used('l'), quota.used('b'), quota.all], [3, 4, 0, 7]);
  assert.deepEqual([quota.left('a', false), quota.left('l', true)], [0, 1]);
});

test('an amount given back can be taken again', () => {
  const quota = new Quota<string>({ amount: 1 });
  for (let i = 0; i < 3; i++) {
    assert.deepEqual([quota.take('a', false), quota.take('a', false), quota.all], [null, 'each', 1]);
    quota.give('a');
    assert.deepEqual([quota.used('a'), quota.all], [0, 0]);
  }
});

test('when a window ends all its amounts are forgotten, even if the quota is only read', () => {
  let window = 1;
  const quota = new Quota<string>({ amount: 2, all: 2 }, () => window);
  assert.deepEqual([quota.take('a', false, 2), quota.take('b', false)], [null, 'all']);
  window++;
  assert.deepEqual([quota.used('a'), quota.all, quota.take('b', false, 2)], [0, 0, null]);
});

test('keys beyond the last row share one, and get their own rows in the next window', () => {
  let window = 1;
  const quota = new Quota<number>({ amount: 2 }, () => window);
  for (let key = 0; key < QUOTA_ROWS; key++) quota.add(key);
  assert.deepEqual([quota.hasRow(0), quota.hasRow(QUOTA_ROWS)], [true, false]);
  assert.deepEqual([QUOTA_ROWS, QUOTA_ROWS + 1, QUOTA_ROWS + 2].map((key) => quota.take(key, false)), [null, null, 'each']);
  assert.equal(quota.take(0, false), null, 'one with a row keeps it');
  window++;
  assert.deepEqual([QUOTA_ROWS, QUOTA_ROWS + 1].map((key) => quota.used(key)), [0, 0]);
});

test('keys that hold nothing free their rows for others', () => {
  const quota = new Quota<number>({ amount: 1 });
  for (let key = 0; key < 3 * QUOTA_ROWS; key++) {
    assert.ok(quota.hasRow(key));
    quota.take(key, false);
    if (key !== 7) quota.give(key);
  }
  assert.deepEqual([quota.used(7), quota.all], [1, 1], 'what is held is kept');
});
