// Liquidation of accounts with amounts beyond 2^53 micros, as after a ten-thousandfold rise of the index: it begins and ends by exact
// equity, is carried out if balances can hold the amounts, and otherwise the fund pays nothing.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { USDC } from '../../../core/units.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { HEALTHY, IN_LIQUIDATION, LIQUIDATED, PORTFOLIO, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { DELEVERAGED, DELEVERAGED_AGAINST, DELEVERAGED_PRICE, DELEVERAGED_SIZE, FUND_POSTED, LIQUIDATION_CHANGED, LIQUIDATION_EQUITY,
  LIQUIDATION_MAINTENANCE, LIQUIDATION_STATE } from '../../../core/codec/events.ts';
import { MAX_POSITION } from '../../../core/settings.ts';
import { LiquidationScene } from './liquidation-scene.ts';

const MOST = [MAX_POSITION, 9_000_000_000 * USDC] as const;

function changes(scene: LiquidationScene): number[][] {
  return scene.seen(LIQUIDATION_CHANGED).filter((slots) => slots[1] === scene.account(1))
    .map((slots) => [slots[LIQUIDATION_STATE]!, slots[LIQUIDATION_EQUITY]!, slots[LIQUIDATION_MAINTENANCE]!]);
}

/** Wallet 1 is long 20 BTC perps from 100,000 and short 1,000 ETH perps from 3,000, against wallet 2. */
function opposed(): LiquidationScene {
  const scene = new LiquidationScene({ balance: 4_000_000_000, set: [MOST] });
  const eth = scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  scene.trade(1, 2, 100_000, 20);
  scene.trade(2, 1, 3_000, 1_000, eth);
  scene.seconds(1);
  return scene;
}

/** Equity of wallet 1 at these indexes, micros; its maintenance margin. */
const equityAt = (btc: number, eth: number): number => (4e9 + 20 * (btc - 100_000) - 1_000 * (eth - 3_000)) * USDC;
const maintenanceAt = (btc: number, eth: number): number => (20 * btc + 1_000 * eth) * 0.05 * USDC;

test('given a gain and a loss that both exceed 2^53 micros, an account with negative equity enters pre_liquidation', () => {
  const scene = opposed();
  scene.index(1e9);
  scene.index(25e6, 1);
  scene.seconds(4);
  assert.ok(equityAt(1e9, 25e6) < 0);
  assert.deepEqual(changes(scene)[0], [PRE_LIQUIDATION, equityAt(1e9, 25e6), maintenanceAt(1e9, 25e6)]);
});

test('given a gain and a loss beyond 2^53 micros, an account with enough equity stays healthy, and recovers after a fall', () => {
  const scene = opposed();
  scene.index(1e9);
  scene.index(19.5e6, 1);
  scene.seconds(20);
  assert.deepEqual([scene.status(1), scene.status(2)], [HEALTHY, HEALTHY]);
  scene.index(22.2e6, 1);
  scene.seconds(4);
  scene.index(19.5e6, 1);
  scene.seconds(2);
  assert.deepEqual(changes(scene), [
    [PRE_LIQUIDATION, equityAt(1e9, 22.2e6), maintenanceAt(1e9, 22.2e6)],
    ...changes(scene).slice(1, -1), [HEALTHY, equityAt(1e9, 19.5e6), maintenanceAt(1e9, 19.5e6)],
  ]);
});

test('given a requirement beyond 2^53 micros, an account with more equity than that stays healthy, in either mode', () => {
  for (const mode of [0, PORTFOLIO]) {
    const scene = new LiquidationScene({ balance: 900_000_000, set: [MOST] });
    if (mode === PORTFOLIO) {
      scene.cancel(1, 0);
      assert.equal(scene.send(scene.write.marginMode(1, scene.next(), mode)), 0);
    }
    scene.trade(1, 2, 100_000, 1_000);
    scene.trade(1, 2, 100_000, 1_000);
    scene.index(1e9);
    scene.seconds(10);
    // 2,000 contracts: maintenance margin of at least 100 bn USDC, equity of 2,000 bn.
    assert.deepEqual([scene.status(1), changes(scene)], [HEALTHY, []]);
    assert.notEqual(scene.status(2), HEALTHY);
  }
});

test('a holder whose gain exceeds 2^53 micros is deleveraged at the price that leaves the bankrupt account with zero', () => {
  const scene = new LiquidationScene({ balance: 1_000_000 });
  scene.trade(1, 2, 100_000, 20);
  scene.seconds(1);
  scene.index(1e9);
  scene.seconds(4);
  const deals = scene.seen(DELEVERAGED).map((slots) => [slots[DELEVERAGED_AGAINST], slots[DELEVERAGED_SIZE], slots[DELEVERAGED_PRICE]]);
  // The 1,000,000 of wallet 2 over 20 contracts.
  assert.deepEqual(deals, [[scene.account(1), 20e6, (100_000 + 50_000) * USDC]]);
  assert.deepEqual([scene.status(2), scene.dollars(1), scene.dollars(2)], [LIQUIDATED, 2_000_000, 0]);
});

test('the fund pays nothing while it cannot take over an account, however often it tries', () => {
  const scene = new LiquidationScene({ balance: 1_000_000_000, set: [MOST] });
  const early = [11, 12, 13, 14];
  for (const wallet of early) scene.trade(wallet, 2, 100_000, 5);
  scene.seconds(1);
  scene.index(1e9);
  // Nobody who is long now has a profit.
  for (const wallet of early) scene.trade(wallet + 10, wallet, 1e9, 5);
  scene.seconds(20);
  assert.equal(scene.status(2), IN_LIQUIDATION);
  assert.deepEqual([scene.position(2), scene.fundDollars(), scene.seen(FUND_POSTED)], [-20, 1_000_000, []]);
  // Once amounts are in the range again, the fund takes the account over.
  scene.index(300_000_000);
  scene.seconds(20);
  assert.equal(scene.status(2), LIQUIDATED);
});

test('the fund pays nothing for an account whose position would take the fund’s own beyond the exact range', () => {
  const scene = new LiquidationScene({ balance: 260_000_000, seed: 50_000_000, set: [MOST] });
  const shorts = [1, 2, 3, 4];
  for (const wallet of shorts) scene.trade(wallet + 10, wallet, 100_000, 22_500);
  scene.seconds(1);
  scene.index(104_000);
  scene.index(108_000);
  scene.seconds(1);
  scene.index(111_540);
  // Nobody who is long now has a profit.
  for (const wallet of shorts) scene.trade(wallet + 20, wallet + 10, 111_900, 22_500);
  scene.seconds(4);
  assert.deepEqual([shorts.map((wallet) => scene.status(wallet)), scene.positionOf(scene.fund())],
    [[LIQUIDATED, LIQUIDATED, LIQUIDATED, IN_LIQUIDATION], -67_500]);
  scene.index(111_900);
  scene.kept = [];
  scene.seconds(20);
  assert.deepEqual([scene.equity(scene.account(4)), scene.position(4), scene.seen(FUND_POSTED)], [-7_750_000, -22_500, []]);
});
