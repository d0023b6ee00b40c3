// Budgets of new wallets per network source, also with more sources than table rows; and refunds to the budget of a wallet.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chargeBudget, createBudgets, minuteOf, NEW_WALLETS_AN_HOUR, refundBudget, takeNewWallet, usedBudget, type Budgets,
} from '../../../core/sequencer/rate-budgets.ts';
import { ORDERS } from '../../../core/codec/signed-commands.ts';
import { HOUR, MINUTE } from '../../../core/units.ts';

/** Spread over 32 bits, as digests of network addresses are. */
const sourceOf = (n: number): number => Math.imul(n + 1, 0x85ebca6b) >>> 0;
/** As `sourceOf`, but without equal distances between consecutive sources. */
const scattered = (n: number): number => Math.imul(sourceOf(n) ^ (sourceOf(n) >>> 13), 0xc2b2ae35) >>> 0;

const A_SOURCE = NEW_WALLETS_AN_HOUR[0]!;
/** The venue's limits without the one for all sources together. */
const LIMITS = [...NEW_WALLETS_AN_HOUR.slice(0, 3), Infinity];
const take = (budgets: Budgets, source: number, time: number, block = 0, subnet = 0, limits: readonly number[] = LIMITS): boolean => (
  takeNewWallet(budgets, limits, source, block, subnet, time) < 0
);

test('given 300,000 sources that each opened a wallet this hour, another source can still open one', () => {
  const budgets = createBudgets(1);
  for (let n = 0; n < 300_000; n++) assert.equal(take(budgets, sourceOf(n), 0), true, `source ${n}`);
  assert.equal(take(budgets, sourceOf(400_000), 0), true);
});

test('with more sources than table rows, each source can open at most 20 wallets and their total is bounded', () => {
  const budgets = createBudgets(1);
  const taken = (source: number, time: number): number => {
    let count = 0;
    while (count <= A_SOURCE && take(budgets, source, time)) count++;
    return count;
  };
  let all = 0;
  for (let n = 0; n < 400_000; n++) {
    const count = taken(sourceOf(n), 0);
    assert.ok(count <= A_SOURCE);
    all += count;
  }
  assert.ok(all <= budgets.newWallets.length / 3 * A_SOURCE, `${all}`);
  assert.equal(taken(sourceOf(7), HOUR), A_SOURCE, 'the next hour begins anew');
});

test('sources of the last hour take no rows in the next: each of 5,000 new sources can open its 20 wallets', () => {
  const budgets = createBudgets(1);
  for (let n = 0; n < 400_000; n++) take(budgets, scattered(n), 0);
  for (let n = 500_000; n < 505_000; n++) {
    for (let wallet = 0; wallet < A_SOURCE; wallet++) {
      assert.equal(take(budgets, scattered(n), HOUR), true, `source ${n}, wallet ${wallet}`);
    }
    assert.equal(take(budgets, scattered(n), HOUR), false);
  }
});

/** Opens wallets until a limit refuses one. Returns how many were opened and the index of that limit (-1: none refused). */
function flood(budgets: Budgets, limits: readonly number[], networkOf: (n: number) => readonly [number, number, number]): [number, number] {
  for (let n = 0; n < 10_000; n++) {
    const [source, block, subnet] = networkOf(n);
    const reached = takeNewWallet(budgets, limits, source, block, subnet, 0);
    if (reached >= 0) return [n, reached];
  }
  return [10_000, -1];
}

test('in one hour an IPv4 address can open 20 wallets, the /64 networks of a /56 together 60, those of a /48 together 200', () => {
  const fresh = (): Budgets => createBudgets(1);
  assert.deepEqual(flood(fresh(), LIMITS, () => [7, 0, 0]), [20, 0]);
  assert.deepEqual(flood(fresh(), LIMITS, (n) => [sourceOf(n), 0xb10c, 3]), [60, 1]);
  assert.deepEqual(flood(fresh(), LIMITS, (n) => [sourceOf(n), 0xb10c, n % 256]), [200, 2]);
  assert.deepEqual(flood(fresh(), LIMITS, (n) => [sourceOf(n), sourceOf(50_000 + n), 0]), [10_000, -1], 'each of a /48 of its own');
});

test('all sources together can open 2,000 wallets an hour; refused attempts count against no limit', () => {
  const budgets = createBudgets(1);
  assert.deepEqual(flood(budgets, NEW_WALLETS_AN_HOUR, (n) => [sourceOf(n), sourceOf(50_000 + n), 0]), [2_000, 3]);
  assert.equal(take(budgets, 0, 0, 0, 0, NEW_WALLETS_AN_HOUR), true, 'loopback is not counted');
  assert.equal(take(budgets, sourceOf(9_000), HOUR, 0, 0, NEW_WALLETS_AN_HOUR), true, 'the next hour begins anew');
  const other = createBudgets(1);
  for (let n = 0; n < 100; n++) take(other, 7, 0, 0xb10c, 3);
  assert.deepEqual(flood(other, LIMITS, (n) => [sourceOf(n), 0xb10c, 3]), [40, 1], 'only the 20 accepted of 100 attempts count');
});

test('a refund lowers the used budget of its own minute, never below 0, and not that of a later minute', () => {
  const budgets = createBudgets(1);
  const used = (time: number): number => usedBudget(budgets, 0, ORDERS, time);
  chargeBudget(budgets, 0, ORDERS, HOUR, 1);
  refundBudget(budgets, 0, ORDERS, minuteOf(HOUR));
  assert.equal(used(HOUR), 0);
  refundBudget(budgets, 0, ORDERS, minuteOf(HOUR));
  assert.equal(used(HOUR), 0);
  chargeBudget(budgets, 0, ORDERS, HOUR + MINUTE, 2);
  refundBudget(budgets, 0, ORDERS, minuteOf(HOUR));
  assert.equal(used(HOUR + MINUTE), 2);
});
