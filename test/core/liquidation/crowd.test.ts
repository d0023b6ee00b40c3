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
import { LiquidationScene } from './liquidation-scene.ts';

/** Wallets 1 to `count` have 10,000 USDC and one BTC perp at 100,000 each; wallet 0 sold the perps and has funds to sell more. */
function crowd(count: number): LiquidationScene {
  const scene = new LiquidationScene({ balance: 1_000_000_000 });
  assert.equal(scene.sell(0, 100_000, count + 1, { slot: scene.perp }), 0);
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 10_000 * USDC;
  settings[MAX_POSITION] = 1_000_000_000 * USDC;
  scene.venue(scene.write.configure(settings));
  for (let wallet = 1; wallet <= count; wallet++) assert.equal(scene.buy(wallet, 100_000, 1, { slot: scene.perp }), 0);
  return scene;
}

test('when more wallets wait in pre_liquidation than the work queue holds, another is still taken over in five seconds', () => {
  const last = WORK_ITEMS + 80;
  const scene = crowd(last - 1);
  const ether = scene.slots((one) => one.kind === PERP && one.underlying === 'ETH')[0]!;
  assert.equal(scene.sell(0, 3_000, 16, { slot: ether }), 0);
  assert.equal(scene.buy(last, 100_000, 0.5, { slot: scene.perp }), 0);
  assert.equal(scene.buy(last, 3_000, 16, { slot: ether }), 0);
  // Below maintenance, but not so far that a wait ends before its minute.
  scene.index(94_600);
  scene.seconds(4);
  for (let wallet = 1; wallet < last; wallet++) assert.equal(scene.status(wallet), PRE_LIQUIDATION, `wallet ${wallet}`);
  scene.index(2_560, 1);
  scene.seconds(5);
  assert.equal(scene.status(last), LIQUIDATED);
  assert.ok(scene.fund() >= 0);
  scene.seconds(60);
  for (let wallet = 1; wallet < last; wallet++) assert.equal(scene.status(wallet), IN_LIQUIDATION, `wallet ${wallet}`);
});

test('when no new wallet is accepted any more, the fund still gets the last account and takes over', () => {
  const scene = new LiquidationScene();
  scene.trade(1, 2, 100_000, 1);
  const { accounts } = scene.state;
  let wallet = 3;
  while (scene.send(scene.write.cancel(wallet, scene.next(), 999)) === ORDER_NOT_FOUND) wallet++;
  assert.equal(scene.send(scene.write.cancel(wallet, scene.next(), 999)), ENGINE_BUSY);
  assert.equal(accountCount(accounts), accounts.capacity - 1);
  scene.index(85_000);
  scene.seconds(5);
  assert.deepEqual([scene.status(1), scene.position(1)], [LIQUIDATED, 0]);
  assert.equal(scene.fund(), accounts.capacity - 1);
  assert.equal(scene.send(scene.write.cancel(wallet, scene.next(), 999)), ENGINE_BUSY);
});
