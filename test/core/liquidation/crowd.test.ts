// More wallets that fall than the work queue has places for, and a venue with as many wallets as it takes: nobody's liquidation
// depends on how many others there are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountCount, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { ENGINE_BUSY, ORDER_NOT_FOUND } from '../../../core/errors.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { WORK_ITEMS } from '../../../core/lifecycle/work-queue.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../../../core/settings.ts';
import { USDC } from '../../../core/units.ts';
import { Pit } from './pit.ts';

/** Wallets 1 to `count` have 10,000 USDC each and one BTC perp at 100,000; wallet 0 sold them and has enough for more. */
function crowd(count: number): Pit {
  const pit = new Pit({ balance: 1_000_000_000 });
  assert.equal(pit.sell(0, 100_000, count + 1, { slot: pit.perp }), 0);
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 10_000 * USDC;
  settings[MAX_POSITION] = 1_000_000_000 * USDC;
  pit.venue(pit.write.configure(settings));
  for (let wallet = 1; wallet <= count; wallet++) assert.equal(pit.buy(wallet, 100_000, 1, { slot: pit.perp }), 0);
  return pit;
}

test('one that falls behind a crowd that waits is taken over as soon as without it', () => {
  const last = WORK_ITEMS + 80;
  const pit = crowd(last - 1);
  const ether = pit.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  assert.equal(pit.sell(0, 3_000, 16, { slot: ether }), 0);
  assert.equal(pit.buy(last, 100_000, 0.5, { slot: pit.perp }), 0);
  assert.equal(pit.buy(last, 3_000, 16, { slot: ether }), 0);
  // Below maintenance, and not so far that anybody's wait ends before its minute.
  pit.index(94_600);
  pit.seconds(4);
  for (let wallet = 1; wallet < last; wallet++) assert.equal(pit.status(wallet), PRE_LIQUIDATION, `wallet ${wallet}`);
  pit.index(2_560, 1);
  pit.seconds(5);
  assert.equal(pit.status(last), LIQUIDATED);
  assert.ok(pit.fund() >= 0);
  pit.seconds(60);
  for (let wallet = 1; wallet < last; wallet++) assert.equal(pit.status(wallet), IN_LIQUIDATION, `wallet ${wallet}`);
});

test('the last account is kept for the fund, which takes over where no other wallet may come', () => {
  const pit = new Pit();
  pit.trade(1, 2, 100_000, 1);
  const { accounts } = pit.state;
  let wallet = 3;
  while (pit.send(pit.write.cancel(wallet, pit.next(), 999)) === ORDER_NOT_FOUND) wallet++;
  assert.equal(pit.send(pit.write.cancel(wallet, pit.next(), 999)), ENGINE_BUSY);
  assert.equal(accountCount(accounts), accounts.capacity - 1);
  pit.index(85_000);
  pit.seconds(5);
  assert.deepEqual([pit.status(1), pit.position(1)], [LIQUIDATED, 0]);
  assert.equal(pit.fund(), accounts.capacity - 1);
  assert.equal(pit.send(pit.write.cancel(wallet, pit.next(), 999)), ENGINE_BUSY);
});
