// Trading modes of venue, underlying and contract, modes of wallets, and the operator's cancel: what they refuse and in which order, what
// they end, and that all of it is state.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BLOCKED, CLOSE_ONLY, WALLET_OPEN } from '../../../core/accounts/accounts.ts';
import { CALL, FLAG_REDUCE_ONLY, PERP, PUT } from '../../../core/codec/commands.ts';
import {
  FILL, MODE_CONTRACT, MODE_SET, MODE_UNDERLYING, ORDER_DONE, ORDER_REASON, TRADING_MODE_CHANGED,
} from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { CANCEL_ONLY, HALTED, MARKET_OPEN, tradingMode } from '../../../core/instruments/trading-mode.ts';
import { SMALL, UNUSED_TIME } from '../../../core/limits.ts';
import { isUnused } from '../../../core/lifecycle/account-closing.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { MARKET_UPDATES } from '../../../core/streams.ts';
import { CANCEL_JOBS } from '../../../core/trading/cancel-jobs.ts';
import { FOK, IOC, USDC } from '../../../core/units.ts';
import { audit } from '../../sim/auditor.ts';
import { Scene } from '../../support/scene.ts';
import { FREE, hashOf } from '../../support/venue.ts';

const REFUSALS = [C.OK, C.MARKET_CANCEL_ONLY, C.MARKET_HALTED];

class Hall extends Scene {
  constructor() {
    super({ rules: FREE });
  }

  /** Of the venue, of BTC, or of a contract. */
  halt(mode: number, underlying = -1, slot = -1): number {
    this.venue(this.write.tradingMode(mode, underlying, slot < 0 ? null : this.contract(slot)));
    return this.state.result.code;
  }

  block(wallet: number, mode: number): number {
    this.venue(this.write.walletMode(wallet, mode));
    return this.state.result.code;
  }

  cancelWallet(wallet: number): number {
    this.venue(this.write.cancelWallet(wallet));
    return this.state.result.code;
  }

  reasons(): number[] {
    return this.emitted(ORDER_DONE, ORDER_REASON);
  }
}

test('modes: no order of any kind enters a market that is not open, and every cancel passes', () => {
  for (const mode of [CANCEL_ONLY, HALTED]) {
    const hall = new Hall();
    assert.equal(hall.sell(1, 1_000, 1), C.OK);
    const id = hall.number(0);
    assert.equal(hall.sell(1, 1_100, 1, { clientId: 'mine' }), C.OK);
    assert.equal(hall.halt(mode, 0, hall.atm), C.OK);
    const refusal = REFUSALS[mode]!;
    assert.equal(hall.buy(2, 1_000, 1), refusal);
    assert.equal(hall.buy(2, 1_000, 1, { tif: IOC }), refusal);
    assert.equal(hall.buy(2, 1_000, 1, { tif: FOK }), refusal);
    assert.equal(hall.sell(2, 2_000, 1), refusal);
    assert.equal(hall.send(hall.write.replace({
      ...hall.contract(hall.atm), wallet: 1, nonce: hall.next(), side: 1, price: 1_200 * USDC, size: 1_000,
    }, id)), refusal);
    assert.deepEqual(hall.orders(1).map((order) => order.id), [id, id + 1], 'the refused replace left its order');
    assert.equal(hall.cancel(1, id), C.OK);
    assert.equal(hall.send(hall.write.cancelByClientId(1, hall.next(), 'mine')), C.OK);
    audit(hall.state);
  }
});

test('modes: the strictest of venue, underlying and contract counts, and others trade on', () => {
  const hall = new Hall();
  const other = hall.nearest(PUT);
  const perp = hall.slots((one) => one.kind === PERP && one.underlying === 'BTC')[0]!;
  const eth = hall.nearest(CALL, 'ETH');
  hall.halt(HALTED, 0, hall.atm);
  assert.deepEqual([hall.buy(1, 10, 1), hall.buy(1, 10, 1, { slot: other })], [C.MARKET_HALTED, C.OK]);
  hall.halt(CANCEL_ONLY, 0);
  assert.equal(hall.buy(1, 10, 1), C.MARKET_HALTED);
  assert.equal(hall.buy(1, 10, 1, { slot: other }), C.MARKET_CANCEL_ONLY);
  assert.equal(hall.buy(1, 90_000, 1, { slot: perp }), C.MARKET_CANCEL_ONLY);
  assert.equal(hall.buy(1, 10, 1, { slot: eth }), C.OK);
  hall.halt(HALTED);
  assert.equal(hall.buy(1, 10, 1, { slot: eth }), C.MARKET_HALTED);
  hall.halt(MARKET_OPEN);
  assert.equal(hall.buy(1, 10, 1, { slot: eth }), C.OK);
  assert.equal(hall.buy(1, 10, 1, { slot: other }), C.MARKET_CANCEL_ONLY, 'opening the venue opens no underlying');
});

test('must hold: the mode of a contract is the strictest of the three last set, also after a replay and a snapshot', () => {
  const scope = fc.constantFrom<[number, number]>([-1, -1], [0, -1], [1, -1], [0, 0], [0, 1], [1, 2]);
  fc.assert(fc.property(fc.array(fc.tuple(scope, fc.integer({ min: 0, max: 2 })), { maxLength: 12 }), (steps) => {
    const hall = new Hall();
    const slots = [hall.atm, hall.nearest(PUT), hall.nearest(CALL, 'ETH')];
    const set = new Map<string, number>();
    for (const [[underlying, one], mode] of steps) {
      hall.halt(mode, underlying, one < 0 ? -1 : slots[one]!);
      set.set(`${underlying} ${one}`, mode);
    }
    const modeOf = (scope: string): number => set.get(scope) ?? 0;
    slots.forEach((slot, one) => {
      const underlying = one === 2 ? 1 : 0;
      const strictest = Math.max(modeOf('-1 -1'), modeOf(`${underlying} -1`), modeOf(`${underlying} ${one}`));
      assert.equal(tradingMode(hall.state.instruments, slot), strictest);
      assert.equal(hall.buy(5 + one, 10, 1, { slot }), REFUSALS[strictest]);
    });
    const loaded = createState(SMALL);
    restoreState(loaded, copyOf(hall.state));
    assert.equal(hashOf(loaded), hall.hash());
    for (const slot of slots) assert.equal(tradingMode(loaded.instruments, slot), tradingMode(hall.state.instruments, slot));
    assert.equal(hashOf(hall.replay(createState(SMALL))), hall.hash());
  }), { numRuns: 25 });
});

test('modes: a scope that is not there is refused and changes nothing; each change is told and counted', () => {
  const hall = new Hall();
  const before = hall.state.streams.venue[MARKET_UPDATES]!;
  assert.equal(hall.halt(HALTED, 7), C.UNKNOWN_UNDERLYING);
  hall.venue(hall.write.tradingMode(HALTED, 0, { ...hall.contract(hall.atm), strike: 1 }));
  assert.equal(hall.state.result.code, C.MARKET_NOT_LISTED);
  assert.equal(hall.state.streams.venue[MARKET_UPDATES], before);
  hall.halt(HALTED, 0, hall.atm);
  assert.deepEqual(
    [MODE_UNDERLYING, MODE_CONTRACT, MODE_SET].map((slot) => hall.emitted(TRADING_MODE_CHANGED, slot)[0]), [0, hall.atm, HALTED],
  );
  assert.equal(hall.state.streams.venue[MARKET_UPDATES], before + 1);
});

test('modes: market mode, then wallet mode, come after expiry and symbol, and before client id, reduce-only and funds', () => {
  const hall = new Hall();
  hall.sell(1, 1_000, 1, { clientId: 'a' });
  hall.block(1, BLOCKED);
  hall.settle();
  hall.block(1, WALLET_OPEN);
  hall.sell(1, 1_000, 1, { clientId: 'a' });
  hall.halt(HALTED);
  hall.block(1, CLOSE_ONLY);
  assert.equal(hall.buy(1, 10, 1, { strike: 1 }), C.NOT_LISTED);
  assert.equal(hall.buy(1, 10, 1, { expiry: hall.now }), C.EXPIRED);
  assert.equal(hall.buy(1, 10, 1, { clientId: 'a' }), C.MARKET_HALTED);
  hall.halt(MARKET_OPEN);
  assert.equal(hall.buy(1, 10, 1, { clientId: 'a' }), C.WALLET_CLOSE_ONLY);
  assert.equal(hall.buy(1, 10, 1, { flags: FLAG_REDUCE_ONLY }), C.WALLET_CLOSE_ONLY);
  hall.state.accounts.cash[hall.account(1)] = 0;
  assert.equal(hall.buy(1, 10, 1), C.WALLET_CLOSE_ONLY);
});

test('close_only: only orders that close pass, the open orders on their side counted', () => {
  const hall = new Hall();
  hall.sell(2, 1_000, 2);
  hall.buy(1, 1_000, 2);
  assert.equal(hall.block(1, CLOSE_ONLY), C.OK);
  assert.equal(hall.buy(1, 900, 1), C.WALLET_CLOSE_ONLY);
  assert.equal(hall.sell(1, 1_100, 2.1), C.WALLET_CLOSE_ONLY);
  assert.equal(hall.sell(1, 1_100, 1.5), C.OK);
  assert.equal(hall.sell(1, 1_100, 1), C.WALLET_CLOSE_ONLY);
  assert.equal(hall.sell(1, 1_100, 0.5), C.OK);
  assert.equal(hall.buy(1, 10, 1, { slot: hall.nearest(PUT) }), C.WALLET_CLOSE_ONLY, 'nothing to close there');
  assert.equal(hall.buy(2, 900, 1), C.OK, 'another wallet trades on');
});

test('blocked: its orders end in steps and trade no more from the command on; cancels pass, nothing else trades', () => {
  const hall = new Hall();
  for (let i = 0; i < 50; i++) hall.sell(1, 1_000 + i, 1);
  const id = hall.number(0);
  assert.equal(hall.block(1, BLOCKED), C.OK);
  assert.equal(hall.number(0), 50);
  assert.equal(hall.orders(1).length, 50);
  assert.equal(hall.cancel(1, id), C.OK);
  assert.equal(hall.buy(2, 2_000, 5, { tif: IOC }), C.OK);
  assert.deepEqual(hall.emitted(FILL, 1), []);
  assert.ok(hall.reasons().includes(C.DONE_BLOCKED));
  hall.settle();
  assert.deepEqual(hall.orders(1), []);
  assert.equal(hall.sell(1, 1_000, 1), C.WALLET_BLOCKED);
  assert.equal(hall.block(1, WALLET_OPEN), C.OK);
  assert.equal(hall.sell(1, 1_000, 1), C.OK);
  audit(hall.state);
  assert.equal(hashOf(hall.replay(createState(SMALL))), hall.hash());
});

test('blocked: not even an order that closes is taken', () => {
  const hall = new Hall();
  hall.sell(2, 1_000, 1);
  hall.buy(1, 1_000, 1);
  hall.block(1, BLOCKED);
  assert.equal(hall.sell(1, 900, 1, { flags: FLAG_REDUCE_ONLY }), C.WALLET_BLOCKED);
});

test('the operator cancels all orders of a wallet, which may place new ones at once', () => {
  const hall = new Hall();
  for (let i = 0; i < 40; i++) hall.sell(1, 1_000 + i, 1);
  assert.equal(hall.cancelWallet(1), C.OK);
  assert.equal(hall.number(0), 40);
  assert.equal(hall.sell(1, 5_000, 1), C.OK);
  const id = hall.number(0);
  hall.settle();
  assert.deepEqual(hall.orders(1).map((order) => order.id), [id]);
  assert.deepEqual([hall.cancelWallet(9), hall.block(9, BLOCKED)], [C.UNKNOWN_WALLET, C.UNKNOWN_WALLET]);
});

test('without room to end its orders, a wallet is not blocked and nothing is cancelled', () => {
  const hall = new Hall();
  for (let i = 0; i <= CANCEL_JOBS; i++) hall.sell(1 + i, 1_000 + i, 1);
  for (let i = 0; i < CANCEL_JOBS; i++) assert.equal(hall.cancelWallet(2 + i), C.OK);
  assert.deepEqual([hall.block(1, BLOCKED), hall.cancelWallet(1)], [C.ENGINE_BUSY, C.ENGINE_BUSY]);
  assert.equal(hall.state.accounts.walletMode[hall.account(1)], WALLET_OPEN);
  hall.settle();
  assert.deepEqual(hall.orders().map((order) => order.account), [hall.account(1)]);
});

test('a wallet that is not open keeps its row', () => {
  const hall = new Hall();
  hall.sell(1, 1_000, 1);
  hall.cancel(1, hall.number(0));
  const account = hall.account(1);
  const later = hall.now + 2 * UNUSED_TIME;
  assert.equal(isUnused(hall.state, account, later), true);
  for (const mode of [CLOSE_ONLY, BLOCKED]) {
    hall.block(1, mode);
    assert.equal(isUnused(hall.state, account, later), false);
  }
});

test('a tier opens the account of its wallet, with the tier in force for the first order', () => {
  const hall = new Hall();
  assert.equal(hall.send(hall.write.tier(1, 1)), C.OK);
  assert.equal(hall.state.accounts.tier[hall.account(1)], 1);
  assert.equal(hall.sell(1, 1_000, 1), C.TIER1_SHORT);
  assert.equal(hall.buy(1, 1_000, 1), C.OK);
  audit(hall.state);
});
