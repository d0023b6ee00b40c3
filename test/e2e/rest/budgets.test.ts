// Budgets of reads (decision 5.3): per wallet and source by the wallet's tier, per source without a wallet, simulations per source, in
// the process and at once; bounded, and new every minute.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { DEFAULT_LIMITS, MARKET_MAKER, UNLIMITED } from '../../../core/tiers.ts';
import { BOUNDS, LIMITS } from '../../../shell/http/limits.ts';
import { ReadBudgets } from '../../../shell/reader/budgets.ts';
import { CHARGE_API, CHARGE_NONE, CHARGE_RISK } from '../../../shell/ipc/queries.ts';

const MINUTE = 60_000;
const RISK = { charge: CHARGE_RISK, source: 1, isLoopback: false };
const WALLET = '0x01';

class Desk {
  now = 1_000 * MINUTE + 7;
  tier = 0;
  table = DEFAULT_LIMITS;
  readonly budgets: ReadBudgets;

  constructor(isRated = true, table = DEFAULT_LIMITS) {
    this.budgets = new ReadBudgets({ table, isRated, now: () => this.now, tierOf: () => this.tier });
  }

  /** What is left afterwards, -1: refused; null: nothing is counted. */
  read(wallet: string | undefined, source = 1, isLoopback = false): number | null {
    return this.budgets.take({ charge: CHARGE_API, source, isLoopback }, wallet)?.left ?? null;
  }

  simulate(source = 1): string | number {
    const standing = this.budgets.take({ ...RISK, source }, WALLET)!;
    if (standing.left < 0) return standing.message;
    this.budgets.end(RISK);
    return standing.left;
  }
}

function spend(count: number, take: () => unknown): unknown {
  let last: unknown = null;
  for (let i = 0; i < count; i++) last = take();
  return last;
}

test('a wallet\'s reads have its tier\'s budget, separate for each source, new each minute', () => {
  const desk = new Desk();
  const { requests } = DEFAULT_LIMITS[0]!;
  assert.equal(desk.read(WALLET), requests - 1);
  assert.equal(spend(requests - 1, () => desk.read(WALLET)), 0);
  assert.equal(desk.read(WALLET), -1);
  assert.equal(desk.read(WALLET, 2), requests - 1);
  assert.equal(desk.read('0x02'), requests - 1);
  desk.tier = MARKET_MAKER;
  assert.equal(desk.read(WALLET), DEFAULT_LIMITS[MARKET_MAKER]!.requests - requests - 1);
  desk.now += MINUTE;
  desk.tier = 0;
  assert.equal(desk.read(WALLET), requests - 1);
  const standing = desk.budgets.take({ charge: CHARGE_API, source: 1, isLoopback: false }, WALLET)!;
  const message = 'Rate limit exceeded: 600 per minute';
  assert.deepEqual(standing, { limit: requests, left: requests - 2, windowEnd: 1_002 * 60, message });
});

test('a source has one budget for its reads, with a wallet or without, and loopback has more', () => {
  const desk = new Desk();
  assert.equal(spend(BOUNDS.sourceRequests - 1, () => desk.read(undefined)), 1);
  assert.equal(desk.read('0x02'), DEFAULT_LIMITS[0]!.requests - 1);
  assert.deepEqual([desk.read(undefined), desk.read('0x02')], [-1, -1]);
  assert.equal(desk.read(undefined, 2), BOUNDS.sourceRequests - 1);
  assert.equal(desk.read('0x02', 2), DEFAULT_LIMITS[0]!.requests - 1);
  assert.equal(desk.read(undefined, 3, true), LIMITS.sourceRequests.loopback - 1);
});

test('a flood of invented wallets counts for its source and uses nobody else\'s budget', () => {
  const desk = new Desk();
  assert.equal(desk.read(WALLET, 2), DEFAULT_LIMITS[0]!.requests - 1);
  for (let i = 0; i < 65_535; i++) assert.equal(desk.read(`0x${i}`, 100 + i), DEFAULT_LIMITS[0]!.requests - 1);
  assert.equal(spend(BOUNDS.sourceRequests, () => desk.read(`0xnew${Math.floor(desk.now++ % 7)}`, 1)), 0);
  assert.equal(desk.read('0xnext', 1), -1);
  assert.equal(desk.read(WALLET, 2), DEFAULT_LIMITS[0]!.requests - 2);
});

test('simulations: 60 a source, 600 in the process, 4 at once', () => {
  const desk = new Desk();
  assert.equal(desk.simulate(), 59);
  assert.equal(spend(59, () => desk.simulate()), 0);
  assert.equal(desk.simulate(), 'Rate limit exceeded: 60 per minute');
  for (let source = 2; source <= 10; source++) assert.equal(spend(60, () => desk.simulate(source)), 0);
  assert.equal(desk.simulate(11), 'Rate limit exceeded: 600 per minute');
  assert.equal(desk.read(WALLET), DEFAULT_LIMITS[0]!.requests - 1, 'no read of the wallet');
  desk.now += MINUTE;
  for (let i = 0; i < 4; i++) assert.equal(desk.budgets.take(RISK, WALLET)!.left, 59 - i);
  const saturated = desk.budgets.take(RISK, WALLET)!;
  assert.deepEqual([saturated.left, saturated.limit, saturated.message], [-1, 4, 'Rate limit exceeded: 4 risk simulations at once']);
  assert.equal(saturated.windowEnd, Math.floor(desk.now / 1_000) + 1);
  desk.budgets.end(RISK);
  assert.equal(desk.budgets.take(RISK, WALLET)!.left, 55, 'what was refused is not counted');
});

test('nothing counts with rates off, for a thread\'s own reads, and in an unlimited tier', () => {
  const off = new Desk(false);
  assert.equal(spend(10_000, () => off.read(WALLET)), null);
  for (let i = 0; i < 10; i++) assert.equal(off.budgets.take(RISK, WALLET), null);
  assert.equal(new Desk().budgets.take({ charge: CHARGE_NONE, source: 1, isLoopback: false }, WALLET), null);
  const free = DEFAULT_LIMITS.map((row) => ({ ...row, requests: UNLIMITED }));
  assert.equal(spend(1_000, () => new Desk(true, free).read(WALLET)), BOUNDS.sourceRequests - 1, 'beside the source’s');
});
