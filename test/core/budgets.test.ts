// Budgets of new wallets by network source, with more sources than the table has rows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBudgets, NEW_WALLETS_PER_HOUR, takeNewWallet } from '../../core/sequencer/budgets.ts';
import { HOUR } from '../../core/units.ts';

/** Spread as the digests of addresses are. */
const sourceOf = (n: number): number => Math.imul(n + 1, 0x85ebca6b) >>> 0;

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
