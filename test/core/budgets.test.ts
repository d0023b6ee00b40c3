// Budgets of new wallets by network source, with more sources than the table has rows; and what is given back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  chargeBudget, createBudgets, minuteOf, NEW_WALLETS_PER_HOUR, ORDERS, refundBudget, takeNewWallet, usedBudget,
} from '../../core/sequencer/budgets.ts';
import { HOUR, MINUTE } from '../../core/units.ts';

/** Spread as the digests of addresses are. */
const sourceOf = (n: number): number => Math.imul(n + 1, 0x85ebca6b) >>> 0;
/** The same, and not each as far from the one before it. */
const scattered = (n: number): number => Math.imul(sourceOf(n) ^ (sourceOf(n) >>> 13), 0xc2b2ae35) >>> 0;

test('a source has its new wallets, however many sources came before it', () => {
  const budgets = createBudgets(1);
  for (let n = 0; n < 300_000; n++) assert.equal(takeNewWallet(budgets, sourceOf(n), 0), true, `source ${n}`);
  assert.equal(takeNewWallet(budgets, sourceOf(400_000), 0), true);
});

test('beyond its rows too a source has twenty at most, and all together have a bound', () => {
  const budgets = createBudgets(1);
  const taken = (source: number, time: number): number => {
    let count = 0;
    while (count <= NEW_WALLETS_PER_HOUR && takeNewWallet(budgets, source, time)) count++;
    return count;
  };
  let all = 0;
  for (let n = 0; n < 400_000; n++) {
    const count = taken(sourceOf(n), 0);
    assert.ok(count <= NEW_WALLETS_PER_HOUR);
    all += count;
  }
  assert.ok(all <= budgets.newWallets.length * NEW_WALLETS_PER_HOUR, `${all}`);
  assert.equal(taken(sourceOf(7), HOUR), NEW_WALLETS_PER_HOUR, 'the next hour begins anew');
});

test('the sources of an hour that is over take no row of the next', () => {
  const budgets = createBudgets(1);
  for (let n = 0; n < 400_000; n++) takeNewWallet(budgets, scattered(n), 0);
  for (let n = 500_000; n < 505_000; n++) {
    for (let wallet = 0; wallet < NEW_WALLETS_PER_HOUR; wallet++) {
      assert.equal(takeNewWallet(budgets, scattered(n), HOUR), true, `source ${n}, wallet ${wallet}`);
    }
    assert.equal(takeNewWallet(budgets, scattered(n), HOUR), false);
  }
});

test('what is given back can be used again, down to nothing, in its minute alone', () => {
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
