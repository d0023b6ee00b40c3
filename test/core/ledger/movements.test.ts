// Movements of cash that the books of a venue seldom show: both sides of a takeover and of a deleveraging, whatever moved.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as E from '../../../core/codec/events.ts';
import { movementsOf } from '../../../core/ledger/movements.ts';
import { TestVenue } from '../../support/venue.ts';

const { instruments } = new TestVenue().open().state;

/** Account, kind, amount and balance of each movement of an event. */
function told(kind: number, values: Readonly<Record<number, number>>): number[][] {
  const f = new Float64Array(24);
  for (const [slot, value] of Object.entries(values)) f[Number(slot)] = value;
  return movementsOf(kind, f, instruments).map(({ account, kind: what, amount, balance }) => [account, what, amount, balance]);
}

test('a takeover moves cash of the account and of the fund, each with its own amount and balance', () => {
  assert.deepEqual(told(E.TAKEN_OVER, {
    [E.ACCOUNT]: 3, [E.OVER_INSTRUMENT]: 1, [E.OVER_AMOUNT]: -700, [E.OVER_CASH]: 50, [E.OVER_FUND]: 9, [E.OVER_FUND_AMOUNT]: 701,
    [E.OVER_FUND_CASH]: 5_000,
  }), [[3, 7, -700, 50], [9, 7, 701, 5_000]]);
});

test('a deleveraging moves cash of both sides', () => {
  assert.deepEqual(told(E.DELEVERAGED, {
    [E.ACCOUNT]: 3, [E.DELEVERAGED_AGAINST]: 4, [E.DELEVERAGED_AMOUNT]: -20, [E.DELEVERAGED_CASH]: 1, [E.DELEVERAGED_AGAINST_AMOUNT]: 19,
    [E.DELEVERAGED_AGAINST_CASH]: 2,
  }), [[3, 8, -20, 1], [4, 8, 19, 2]]);
});

test('a posting of the fund moves cash from one account to the other, a fee by its own kind', () => {
  const posting = { [E.ACCOUNT]: 3, [E.POSTED_INSTRUMENT]: -1, [E.POSTED_AMOUNT]: -5, [E.POSTED_CASH]: 10, [E.POSTED_FUND]: 9 };
  for (const [why, kind] of [[E.POSTED_COVER, 7], [E.POSTED_TAKEOVER, 7], [E.POSTED_FEE, 6]] as const) {
    const moved = told(E.FUND_POSTED, { ...posting, [E.POSTED_WHY]: why, [E.POSTED_FUND_CASH]: 20 });
    assert.deepEqual(moved, [[3, kind, 5, 10], [9, kind, -5, 20]]);
  }
});

test('a settlement that the balance had no room for is told as what was paid', () => {
  assert.deepEqual(told(E.POSITION_SETTLED, {
    [E.ACCOUNT]: 3, [E.SETTLED_VALUE]: 100, [E.SETTLED_PAID]: 60, [E.SETTLED_FEE]: 7, [E.SETTLED_CASH]: 53,
  }), [[3, 4, 60, 60], [3, 5, -7, 53]]);
});
