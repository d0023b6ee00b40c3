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
import { Pit } from './pit.ts';

const MOST = [MAX_POSITION, 9_000_000_000 * USDC] as const;

function changes(pit: Pit): number[][] {
  return pit.seen(LIQUIDATION_CHANGED).filter((slots) => slots[1] === pit.account(1))
    .map((slots) => [slots[LIQUIDATION_STATE]!, slots[LIQUIDATION_EQUITY]!, slots[LIQUIDATION_MAINTENANCE]!]);
}

/** Wallet 1 is long 20 BTC perps from 100,000 and short 1,000 ETH perps from 3,000, against wallet 2. */
function opposed(): Pit {
  const pit = new Pit({ balance: 4_000_000_000, set: [MOST] });
  const eth = pit.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  pit.trade(1, 2, 100_000, 20);
  pit.trade(2, 1, 3_000, 1_000, eth);
  pit.seconds(1);
  return pit;
}

/** Equity of wallet 1 at these indexes, micros; its maintenance margin. */
const equityAt = (btc: number, eth: number): number => (4e9 + 20 * (btc - 100_000) - 1_000 * (eth - 3_000)) * USDC;
const maintenanceAt = (btc: number, eth: number): number => (20 * btc + 1_000 * eth) * 0.05 * USDC;

test('given a gain and a loss that both exceed 2^53 micros, an account with negative equity enters pre_liquidation', () => {
  const pit = opposed();
  pit.index(1e9);
  pit.index(25e6, 1);
  pit.seconds(4);
  assert.ok(equityAt(1e9, 25e6) < 0);
  assert.deepEqual(changes(pit)[0], [PRE_LIQUIDATION, equityAt(1e9, 25e6), maintenanceAt(1e9, 25e6)]);
});

test('given a gain and a loss beyond 2^53 micros, an account with enough equity stays healthy, and recovers after a fall', () => {
  const pit = opposed();
  pit.index(1e9);
  pit.index(19.5e6, 1);
  pit.seconds(20);
  assert.deepEqual([pit.status(1), pit.status(2)], [HEALTHY, HEALTHY]);
  pit.index(22.2e6, 1);
  pit.seconds(4);
  pit.index(19.5e6, 1);
  pit.seconds(2);
  assert.deepEqual(changes(pit), [
    [PRE_LIQUIDATION, equityAt(1e9, 22.2e6), maintenanceAt(1e9, 22.2e6)],
    ...changes(pit).slice(1, -1), [HEALTHY, equityAt(1e9, 19.5e6), maintenanceAt(1e9, 19.5e6)],
  ]);
});

test('given a requirement beyond 2^53 micros, an account with more equity than that stays healthy, in either mode', () => {
  for (const mode of [0, PORTFOLIO]) {
    const pit = new Pit({ balance: 900_000_000, set: [MOST] });
    if (mode === PORTFOLIO) {
      pit.cancel(1, 0);
      assert.equal(pit.send(pit.write.marginMode(1, pit.next(), mode)), 0);
    }
    pit.trade(1, 2, 100_000, 1_000);
    pit.trade(1, 2, 100_000, 1_000);
    pit.index(1e9);
    pit.seconds(10);
    // 2,000 contracts: maintenance margin of at least 100 bn USDC, equity of 2,000 bn.
    assert.deepEqual([pit.status(1), changes(pit)], [HEALTHY, []]);
    assert.notEqual(pit.status(2), HEALTHY);
  }
});

test('a holder whose gain exceeds 2^53 micros is deleveraged at the price that leaves the bankrupt account with zero', () => {
  const pit = new Pit({ balance: 1_000_000 });
  pit.trade(1, 2, 100_000, 20);
  pit.seconds(1);
  pit.index(1e9);
  pit.seconds(4);
  const deals = pit.seen(DELEVERAGED).map((slots) => [slots[DELEVERAGED_AGAINST], slots[DELEVERAGED_SIZE], slots[DELEVERAGED_PRICE]]);
  // The 1,000,000 of wallet 2 over 20 contracts.
  assert.deepEqual(deals, [[pit.account(1), 20e6, (100_000 + 50_000) * USDC]]);
  assert.deepEqual([pit.status(2), pit.dollars(1), pit.dollars(2)], [LIQUIDATED, 2_000_000, 0]);
});

test('the fund pays nothing while it cannot take over an account, however often it tries', () => {
  const pit = new Pit({ balance: 1_000_000_000, set: [MOST] });
  const early = [11, 12, 13, 14];
  for (const wallet of early) pit.trade(wallet, 2, 100_000, 5);
  pit.seconds(1);
  pit.index(1e9);
  // Nobody who is long now has a profit.
  for (const wallet of early) pit.trade(wallet + 10, wallet, 1e9, 5);
  pit.seconds(20);
  assert.equal(pit.status(2), IN_LIQUIDATION);
  assert.deepEqual([pit.position(2), pit.fundDollars(), pit.seen(FUND_POSTED)], [-20, 1_000_000, []]);
  // Once amounts are in the range again, the fund takes the account over.
  pit.index(300_000_000);
  pit.seconds(20);
  assert.equal(pit.status(2), LIQUIDATED);
});

test('the fund pays nothing for an account whose position would take the fund’s own beyond the exact range', () => {
  const pit = new Pit({ balance: 260_000_000, seed: 50_000_000, set: [MOST] });
  const shorts = [1, 2, 3, 4];
  for (const wallet of shorts) pit.trade(wallet + 10, wallet, 100_000, 22_500);
  pit.seconds(1);
  pit.index(104_000);
  pit.index(108_000);
  pit.seconds(1);
  pit.index(111_540);
  // Nobody who is long now has a profit.
  for (const wallet of shorts) pit.trade(wallet + 20, wallet + 10, 111_900, 22_500);
  pit.seconds(4);
  assert.deepEqual([shorts.map((wallet) => pit.status(wallet)), pit.positionOf(pit.fund())],
    [[LIQUIDATED, LIQUIDATED, LIQUIDATED, IN_LIQUIDATION], -67_500]);
  pit.index(111_900);
  pit.kept = [];
  pit.seconds(20);
  assert.deepEqual([pit.equity(pit.account(4)), pit.position(4), pit.seen(FUND_POSTED)], [-7_750_000, -22_500, []]);
});
