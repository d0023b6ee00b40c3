// More wallets below maintenance than the work queue has places, and a venue with the maximum number of wallets: the liquidation of
// a wallet does not depend on how many others there are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountCount, IN_LIQUIDATION, LIQUIDATED, PRE_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { ENGINE_BUSY, ORDER_NOT_FOUND } from '../../../core/errors.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { WORK_ITEMS } from '../../../core/lifecycle/work-queue.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../../../core/settings.ts';
import { USDC } from '../../../core/units.ts';
import { Pit } from './pit.ts';

/** Wallets 1 to `count` have 10,000 USDC and one BTC perp at 100,000 each; wallet 0 sold the perps and has funds to sell more. */
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

test('when more wallets wait in pre_liquidation than the work queue holds, another is still taken over in five seconds', () => {
  const last = WORK_ITEMS + 80;
  const pit = crowd(last - 1);
  const ether = pit.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  assert.equal(pit.sell(0, 3_000, 16, { slot: ether }), 0);
  assert.equal(pit.buy(last, 100_000, 0.5, { slot: pit.perp }), 0);
  assert.equal(pit.buy(last, 3_000, 16, { slot: ether }), 0);
  // Below maintenance, but not so far that a wait ends before its minute.
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

test('when no new wallet is accepted any more, the fund still gets the last account and takes over', () => {
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
