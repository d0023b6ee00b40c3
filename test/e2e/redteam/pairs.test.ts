// Attacks with pairs of wallets, where one wins what the other loses and the fund must pay the deficit; and attacks with wallets as such:
// new ones, other people's, forgotten agents, triggers at will.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, HOUR, USDC } from '../../../core/units.ts';
import { HEALTHY, LIQUIDATED } from '../../../core/accounts/accounts.ts';
import { FLAG_MMP_OPT_OUT, RESET_MMP } from '../../../core/codec/commands.ts';
import { DELEVERAGED, MMP_TRIGGERED } from '../../../core/codec/events.ts';
import { accountTotal } from '../../support/raw.ts';
import { balance } from '../../core/liquidation/liquidation-scene.ts';
import { BALANCE, DOLLAR, AttackedVenue, SEED } from './attacked-venue.ts';

/** Wallets 1 and 2 are a pair of 999 perps at 100,000; wallet 3 has nothing. */
function pair(): AttackedVenue {
  const scene = new AttackedVenue().enter(1, 2, 3);
  scene.deal(1, 2, 100_000, 999);
  scene.seconds(1);
  return scene;
}

function kinds(scene: AttackedVenue): number[] {
  const seen: number[] = [];
  scene.state.events.listener = (kind) => {
    seen.push(kind);
  };
  return seen;
}

test('attack: a pair before a jump of 15 %; the fund pays a fifth of itself, the winner the rest', () => {
  const scene = pair();
  const seen = kinds(scene);
  scene.index(85_000);
  assert.ok(scene.equity(1) < -4_900_000n * DOLLAR, 'five million short');
  scene.seconds(5);
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(seen.filter((kind) => kind === DELEVERAGED).length, 1);
  // A price has six decimals, and 999 contracts of its last one are the fund's gain.
  const gain = scene.wealth(1, 2) - 2n * BALANCE;
  assert.ok(gain <= SEED / 5n && gain > SEED / 5n - 999n, `${gain}`);
  assert.equal(scene.fund(), SEED - gain);
  balance(scene.state);
});

test('attack: a pair without a jump; the loser is closed before it owes anything', () => {
  const scene = pair();
  for (let price = 99_000; price > 80_000 && scene.status(1) !== LIQUIDATED; price -= 900) {
    scene.index(price);
    scene.seconds(10);
    assert.ok(scene.equity(1) >= 0n && scene.equity(2) >= 0n, `${price}`);
  }
  assert.equal(scene.status(1), LIQUIDATED);
  assert.equal(scene.sizeOf(scene.fundAccount()), 999 * CONTRACT, 'from here on it is the fund’s risk as much as the winner’s');
  assert.ok(scene.fund() >= SEED);
  assert.ok(scene.wealth(1, 2) <= 2n * BALANCE, 'nothing is won');
  balance(scene.state);
});

test('attack: a pair whose winner hands its position on; the cost is the jump beyond initial margin', () => {
  const scene = pair();
  scene.index(88_000);
  scene.deal(2, 3, 88_000, 999);
  assert.equal(scene.size(2), 0);
  scene.seconds(5);
  assert.equal(scene.status(1), LIQUIDATED);
  const beyond = 999n * 12_000n * DOLLAR - BALANCE;
  assert.ok(beyond > SEED, 'more than a fifth of the fund');
  assert.equal(scene.wealth(1, 2, 3) - 3n * BALANCE, beyond);
  assert.equal(scene.fund(), SEED - beyond);
  balance(scene.state);
});

test('attack: leave an order in the book while the index moves; it fills only what the wallet can carry', () => {
  const scene = new AttackedVenue().enter(1, 2, 3);
  const crew = [1, 2, 3];
  assert.equal(scene.buy(1, 100_000, 999, { slot: scene.perp }), C.OK);
  for (const price of [96_000, 92_000, 88_000, 84_000, 80_000]) {
    scene.index(price);
    scene.seconds(100);
  }
  assert.equal(scene.status(1), HEALTHY);
  scene.sell(2, 100_000, 999, { slot: scene.perp });
  const after = scene.equity(1) / DOLLAR;
  if (scene.size(2) !== 0) scene.deal(2, 3, 80_000, 999);
  scene.seconds(10);
  balance(scene.state);
  const gain = (scene.wealth(...crew) - 3n * BALANCE) / DOLLAR;
  assert.ok(after >= 0n, `equity ${after} the moment it was filled`);
  assert.ok(gain <= 0n, `the crew has ${gain} USDC more, the fund ${scene.fund() / DOLLAR}`);
});

test('attack: open endless new wallets; 20 an hour per source, with no bound only for loopback', () => {
  const scene = new AttackedVenue();
  const come = (wallet: number, source: number): number => (
    scene.send(scene.write.place({
      ...scene.contract(scene.perp), wallet, nonce: scene.next(), side: BUY, price: USDC, size: CONTRACT, source,
    }))
  );
  const codes = Array.from({ length: 21 }, (_, i) => come(100 + i, 7));
  assert.ok(codes.slice(0, 20).every((code) => code === C.OK));
  assert.equal(codes[20], C.NEW_WALLET_LIMIT);
  assert.equal(come(120, 8), C.OK, 'another source');
  for (let i = 0; i < 40; i++) assert.equal(come(200 + i, 0), C.OK);
  scene.advance(HOUR);
  assert.equal(come(121, 7), C.OK);
  assert.equal(accountTotal(scene.state), 20 + 1 + 40 + 1);
  balance(scene.state);
});

test('attack: repeat a signed order; a used nonce never acts twice, a refused one may', () => {
  const scene = new AttackedVenue().enter(1, 2);
  const order = { ...scene.contract(scene.perp), wallet: 1, nonce: 777_777, side: BUY, price: 100_000 * USDC, size: CONTRACT };
  assert.equal(scene.sell(2, 100_000, 1, { slot: scene.perp }), C.OK);
  assert.equal(scene.send(scene.write.place(order)), C.OK);
  assert.equal(scene.size(1), CONTRACT);
  assert.equal(scene.sell(2, 100_000, 1, { slot: scene.perp }), C.OK);
  assert.equal(scene.send(scene.write.place(order)), C.NONCE_USED);
  assert.equal(scene.send(scene.write.place({ ...order, size: 2 * CONTRACT })), C.NONCE_USED, 'nor with other terms');
  assert.equal(scene.size(1), CONTRACT);
});

test('attack: act as an expired or foreign agent; authority is checked at the command\'s own time', () => {
  const scene = new AttackedVenue().enter(1, 2, 3);
  const trade = (wallet: number, signer: number): number => scene.buy(wallet, 90_000, 0.001, { slot: scene.perp, signer });
  assert.equal(trade(1, 50), C.UNAUTHORIZED);
  assert.equal(scene.send(scene.write.agent('approve', 1, scene.next(), 50)), C.OK);
  assert.equal(trade(1, 50), C.OK);
  assert.equal(trade(2, 50), C.UNAUTHORIZED, 'not another’s');
  assert.equal(scene.cancel(2, scene.orders(1)[0]!.id), C.ORDER_NOT_FOUND, 'nor by another’s own key');
  assert.equal(scene.send(scene.write.agent('revoke', 1, scene.next(), 50)), C.OK);
  assert.equal(trade(1, 50), C.UNAUTHORIZED);
  assert.equal(scene.send(scene.write.agent('approve', 1, scene.next(), 51, scene.now + 1_000)), C.OK);
  assert.equal(trade(1, 51), C.OK);
  scene.advance(1_000);
  assert.equal(trade(1, 51), C.UNAUTHORIZED);
  scene.write.agent('approve', 1, scene.next(), 52);
  assert.equal(scene.send(scene.write.amend({ signer: 51 })), C.UNAUTHORIZED, 'agents appoint no agents');
});

test('attack: trigger one\'s own protection; orders are refused while frozen, and opting out needs full margin', () => {
  const scene = new AttackedVenue().enter(1, 2);
  assert.equal(scene.send(scene.write.mmp(1, scene.next(), 'BTC', { interval: 60_000, frozen: 0, quantity: CONTRACT / 10 })), C.OK);
  for (let i = 0; i < 20; i++) assert.equal(scene.buy(1, 99_000 + 10 * i, 1, { slot: scene.perp }), C.OK);
  const seen = kinds(scene);
  assert.equal(scene.sell(2, 99_190, 0.2, { slot: scene.perp, tif: 1 }), C.OK);
  assert.equal(seen.filter((kind) => kind === MMP_TRIGGERED).length, 1);
  assert.equal(scene.orders(1).length, 0, 'twenty cancels for one fill');
  assert.equal(scene.size(1), 0.2 * CONTRACT, 'which stands');
  assert.equal(scene.buy(1, 99_000, 1, { slot: scene.perp }), C.MMP_FROZEN);
  assert.equal(scene.buy(1, 99_000, 999, { slot: scene.perp, flags: FLAG_MMP_OPT_OUT }), C.OK);
  assert.equal(scene.buy(1, 99_000, 10, { slot: scene.perp, flags: FLAG_MMP_OPT_OUT }), C.POSITION_LIMIT);
  assert.equal(scene.buy(1, 1_000_000, 20, { flags: FLAG_MMP_OPT_OUT }), C.POSITION_LIMIT);
  assert.equal(scene.buy(1, 1_000_000, 0.5, { flags: FLAG_MMP_OPT_OUT }), C.INSUFFICIENT_MARGIN);
  scene.cancel(1, scene.orders(1)[0]!.id);
  assert.equal(scene.send(scene.write.endMmp(RESET_MMP, 1, scene.next(), 'BTC')), C.OK);
  assert.equal(scene.buy(1, 99_000, 1, { slot: scene.perp }), C.OK);
  assert.ok(scene.wealth(1, 2) === 2n * BALANCE && scene.fund() === SEED);
});
