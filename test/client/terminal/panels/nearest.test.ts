// The strike at the money: what the chain and the grid of quotes mark and scroll to, with and without an index.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestStrike } from '../../../../client/terminal/panels/chain/nearest.ts';

test('given strikes and an index, then the nearest strike is at the money, and the lower one of two as near', () => {
  assert.equal(nearestStrike([90, 100, 110], '104.9'), 100);
  assert.equal(nearestStrike([90, 100, 110], '105'), 100);
  assert.equal(nearestStrike([90, 100, 110], '105.1'), 110);
  assert.equal(nearestStrike([90, 100, 110], '1'), 90);
});

test('given no index or no strikes, then none is at the money', () => {
  assert.equal(nearestStrike([90, 100], undefined), null);
  assert.equal(nearestStrike([], '100'), null);
});
