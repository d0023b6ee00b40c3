// One quota for whatever many keys share: in a window or at one time, with a bound of each key and of all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quota, QUOTA_ROWS } from '../../../shell/http/quota.ts';

test('a key has so much, one on loopback its own amount, all together no more than their bound; what is refused is not counted', () => {
  const quota = new Quota<string>({ amount: 3, loopback: 5, all: 7 });
  assert.deepEqual([quota.take('a', false, 2), quota.take('a', false, 2), quota.take('a', false)], [null, 'each', null]);
  assert.deepEqual([quota.take('l', true, 5), quota.take('l', true, 4), quota.take('b', false)], ['all', null, 'all']);
  assert.deepEqual([quota.used('a'), quota.used('l'), quota.used('b'), quota.all], [3, 4, 0, 7]);
  assert.deepEqual([quota.left('a', false), quota.left('l', true)], [0, 1]);
});

test('what is held is given back, and the key has its part again', () => {
  const quota = new Quota<string>({ amount: 1 });
  for (let i = 0; i < 3; i++) {
    assert.deepEqual([quota.take('a', false), quota.take('a', false), quota.all], [null, 'each', 1]);
    quota.give('a');
    assert.deepEqual([quota.used('a'), quota.all], [0, 0]);
  }
});

test('a window that ends is forgotten as a whole, also by one that only looks', () => {
  let window = 1;
  const quota = new Quota<string>({ amount: 2, all: 2 }, () => window);
  assert.deepEqual([quota.take('a', false, 2), quota.take('b', false)], [null, 'all']);
  window++;
  assert.deepEqual([quota.used('a'), quota.all, quota.take('b', false, 2)], [0, 0, null]);
});

test('keys beyond the rows share one, and have their own in the next window', () => {
  let window = 1;
  const quota = new Quota<number>({ amount: 2 }, () => window);
  for (let key = 0; key < QUOTA_ROWS; key++) quota.add(key);
  assert.deepEqual([quota.hasRow(0), quota.hasRow(QUOTA_ROWS)], [true, false]);
  assert.deepEqual([QUOTA_ROWS, QUOTA_ROWS + 1, QUOTA_ROWS + 2].map((key) => quota.take(key, false)), [null, null, 'each']);
  assert.equal(quota.take(0, false), null, 'one with a row keeps it');
  window++;
  assert.deepEqual([QUOTA_ROWS, QUOTA_ROWS + 1].map((key) => quota.used(key)), [0, 0]);
});

test('keys that hold nothing any more take nobody’s row', () => {
  const quota = new Quota<number>({ amount: 1 });
  for (let key = 0; key < 3 * QUOTA_ROWS; key++) {
    assert.ok(quota.hasRow(key));
    quota.take(key, false);
    if (key !== 7) quota.give(key);
  }
  assert.deepEqual([quota.used(7), quota.all], [1, 1], 'what is held is kept');
});
