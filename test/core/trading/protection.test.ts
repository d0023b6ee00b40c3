// Market-maker protection in trading (decision 5.8): its commands, which fills count, what a trigger cancels and with which
// reasons, the freeze, and cancels that take more than one step.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, GTC, IOC, SECOND, SELL, USDC } from '../../../core/units.ts';
import {
  CALL, DELETE_MMP, FLAG_INDEX_AGELESS, FLAG_MMP_OPT_OUT, FLAG_SURFACE_AGELESS, LIST_MARKET, PUT, RESET_MMP, SET_MMP,
} from '../../../core/codec/commands.ts';
import { FLAG_MMP_TRIGGERED } from '../../../core/codec/reply.ts';
import { FILL, FILL_MAKER, FILL_SIZE, MMP_CHANGED, MMP_COMMAND, MMP_TRIGGERED, MMP_UNTIL, ORDER_DONE, ORDER_FILLED, ORDER_ID,
  ORDER_REASON } from '../../../core/codec/events.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION } from '../../../core/settings.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { hasMmpRoom } from '../../../core/mmp/mmp.ts';
import { DEFAULT_TIER } from '../../../core/tiers.ts';
import { deltaOf, vegaOf } from '../../../core/valuation/valuation.ts';
import { FREE, hashOf, WIDE } from '../../support/venue.ts';
import { TradingScene, check, OPT_OUT } from './support.ts';

test('protection: set, reset and delete return their codes, and emit an event only if they changed something', () => {
  const scene = new TradingScene({ limits: checked({ ...SMALL, mmpConfigs: 1 }) });
  const end = (kind: number, underlying = 'BTC'): number => scene.send(scene.write.endMmp(kind, 1, scene.next(), underlying));
  for (const kind of [RESET_MMP, DELETE_MMP]) assert.equal(end(kind), C.OK, 'there is nothing to end');
  assert.deepEqual([scene.emitted(MMP_CHANGED, MMP_COMMAND), hasMmpRoom(scene.state.mmp, DEFAULT_TIER)], [[], true]);
  assert.equal(scene.protect(1, { quantity: 1 }), C.OK);
  assert.deepEqual(scene.emitted(MMP_CHANGED, MMP_COMMAND), [SET_MMP]);
  assert.equal(end(RESET_MMP), C.OK);
  assert.equal(end(DELETE_MMP), C.OK);
  assert.deepEqual(scene.emitted(MMP_CHANGED, MMP_COMMAND), [DELETE_MMP]);
  for (const kind of [DELETE_MMP, RESET_MMP]) assert.equal(end(kind), C.OK, 'of a deleted one');
  assert.equal(end(RESET_MMP, 'SOL'), C.UNKNOWN_UNDERLYING);
  assert.equal(scene.send(scene.write.mmp(1, scene.next(), 'SOL', { interval: 1, frozen: 1 })), C.UNKNOWN_UNDERLYING);
  assert.equal(scene.protect(2, { quantity: 1 }), C.TOO_MANY_MMP_CONFIGS);
  assert.equal(scene.protect(1, { quantity: 2 }), C.OK, 'the same row again');
});

test('protection: when a maker’s fill triggers, the rest of its order and its other protected orders are cancelled', () => {
  const scene = new TradingScene();
  const eth = scene.nearest(1, 'ETH');
  scene.protect(1, { quantity: 1.5 });
  scene.sell(1, 1_000, 1);
  scene.sell(1, 1_010, 1);
  scene.sell(1, 95_000, 1, { slot: scene.perp });
  scene.buy(1, 900, 1, OPT_OUT);
  scene.buy(1, 10, 1, { slot: eth });
  scene.sell(2, 1_020, 5);
  scene.buy(3, 1_010, 1.4);
  assert.deepEqual(scene.emitted(MMP_TRIGGERED, MMP_UNTIL), []);
  scene.buy(3, 1_020, 0.3);
  assert.deepEqual(scene.emitted(MMP_TRIGGERED, MMP_UNTIL), [scene.now + 60_000]);
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [0.3 * CONTRACT], 'the fill that goes too far stands');
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_MMP_SELF, C.DONE_MMP, C.DONE_FILLED]);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_FILLED), [0.7 * CONTRACT, 0, 0.3 * CONTRACT]);
  assert.deepEqual(scene.orders(1).map((order) => order.price / 1e6), [900, 10], 'an order that opted out, and one of another underlying');
  check(scene.state);
});

test('protection: when a trigger comes within a sweep, the maker’s next order is cancelled and the sweep continues', () => {
  const scene = new TradingScene();
  scene.protect(1, { quantity: 1 });
  for (const price of [1_000, 1_010, 1_020]) scene.sell(1, price, 1);
  scene.sell(2, 1_030, 5);
  assert.equal(scene.buy(3, 1_030, 4), C.OK);
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [1, 1, 2].map((size) => size * CONTRACT));
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED, C.DONE_FILLED, C.DONE_MMP, C.DONE_FILLED]);
  check(scene.state);
});

test('protection: a taker that triggers its own protection keeps its fills, stops, and the reply has the flag', () => {
  const scene = new TradingScene();
  scene.protect(1, { quantity: 1 });
  scene.buy(1, 900, 1);
  scene.buy(1, 80_000, 1, { slot: scene.perp });
  for (const price of [1_000, 1_010, 1_020]) scene.sell(2, price, 1);
  const order = scene.write.place({
    ...scene.contract(scene.atm), wallet: 1, nonce: scene.next(), side: BUY, price: 1_020e6, size: 3 * CONTRACT,
  });
  assert.equal(scene.flagsOf(order), FLAG_MMP_TRIGGERED);
  assert.deepEqual([scene.number(1), scene.number(2)], [2 * CONTRACT, 0]);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED, C.DONE_FILLED, C.DONE_MMP, C.DONE_MMP, C.DONE_MMP_SELF]);
  assert.equal(scene.orders(1).length, 0);
  check(scene.state);
  const cancel = scene.write.cancel(2, scene.next(), scene.orders(2)[0]!.id);
  assert.equal(scene.flagsOf(cancel) & FLAG_MMP_TRIGGERED, 0, 'the next reply does not');
});

test('protection: a maker’s trigger does not set the flag in the taker’s reply', () => {
  const scene = new TradingScene();
  scene.protect(1, { quantity: 0.5 });
  scene.sell(1, 1_000, 1);
  const order = scene.write.place({
    ...scene.contract(scene.atm), wallet: 2, nonce: scene.next(), side: BUY, price: 1_000e6, size: CONTRACT,
  });
  assert.equal(scene.flagsOf(order), 0);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED, C.DONE_FILLED], 'no protected order was left to cancel');
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 1);
});

test('protection: while frozen, protected orders are refused after the check of funds and before margin; a reset ends it', () => {
  const scene = new TradingScene();
  scene.protect(1, { quantity: 1, frozen: 0 });
  scene.trade(2, 1, 1_000, 2, scene.atm);
  assert.deepEqual(scene.emitted(MMP_TRIGGERED, MMP_UNTIL), [0]);
  assert.equal(scene.sell(1, 1_000, 1), C.MMP_FROZEN);
  assert.equal(scene.sell(1, 1_000, 900), C.MMP_FROZEN, 'before margin');
  assert.deepEqual([0, 1, 2].map((i) => scene.number(i)), [0, 0, 0]);
  assert.equal(scene.sell(1, 1_000, 1, OPT_OUT), C.OK);
  assert.equal(scene.sell(1, 1_000, 1, { slot: scene.nearest(1, 'ETH') }), C.OK);
  assert.equal(scene.replace(1, scene.orders(1)[0]!.id, SELL, 1_100, 1), C.MMP_FROZEN);
  scene.state.accounts.cash[scene.account(1)] = 0;
  assert.equal(scene.sell(1, 1_000, 1), C.NO_FUNDS);
  scene.state.accounts.cash[scene.account(1)] = 1e13;
  scene.advance(3_600 * SECOND);
  assert.equal(scene.sell(1, 1_000, 1), C.MMP_FROZEN, 'frozen time 0: until a reset');
  assert.equal(scene.send(scene.write.endMmp(RESET_MMP, 1, scene.next(), 'BTC')), C.OK);
  assert.equal(scene.sell(1, 1_000, 1), C.OK);
});

test('protection: a freeze ends at its time, to the millisecond', () => {
  const scene = new TradingScene();
  scene.protect(1, { quantity: 1, frozen: 5_000 });
  scene.trade(2, 1, 1_000, 2, scene.atm);
  scene.now += 4_999;
  assert.equal(scene.sell(1, 1_000, 1), C.MMP_FROZEN);
  scene.now += 1;
  assert.equal(scene.sell(1, 1_000, 1), C.OK);
});

test('protection: after a freeze that is shorter than the interval, the fills that caused it still count', () => {
  const scene = new TradingScene();
  scene.protect(1, { quantity: 1, interval: 5_000, frozen: 1_000 });
  scene.trade(2, 1, 1_000, 2, scene.atm);
  scene.now += 1_000;
  for (let i = 0; i < 2; i++) assert.equal(scene.sell(1, 1_000, 0.5), C.OK);
  assert.equal(scene.buy(2, 1_000, 1, { tif: FOK }), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FOK_KILLED], 'the first triggers, so the second is no liquidity');
  scene.buy(2, 1_000, 1, { tif: IOC });
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [0.5 * CONTRACT]);
  assert.deepEqual(scene.emitted(MMP_TRIGGERED, 1), [scene.account(1)]);
  assert.deepEqual(scene.orders(1), []);
  scene.now += 4_000;
  for (let i = 0; i < 2; i++) assert.equal(scene.sell(1, 1_000, 0.25), C.OK);
  assert.equal(scene.buy(2, 1_000, 0.5, { tif: FOK }), C.OK);
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [0.25 * CONTRACT, 0.25 * CONTRACT], 'the 2 are out of the window, the 0.5 in it');
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 0, 'at the limit');
  assert.equal(hashOf(scene.replay()), hashOf(scene.state));
});

test('protection: delta and vega are net sums, in which buys and sells offset', () => {
  const scene = new TradingScene();
  const { valuation } = scene.state;
  const delta = deltaOf(valuation, scene.atm);
  const vega = vegaOf(valuation, scene.atm);
  assert.ok(delta > 400_000 && delta < 600_000 && vega > 0);
  scene.protect(1, { delta: delta * 2 });
  scene.trade(2, 1, 1_000, 2, scene.atm);
  scene.trade(2, 1, 1_000, -1.5, scene.atm);
  scene.trade(2, 1, 1_000, 1, scene.atm);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 0, '2 - 1.5 + 1 contracts');
  // A perp has a delta of 1 whatever its price, and no vega.
  scene.trade(2, 1, 90_000, 0.2, scene.perp);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 0);
  scene.trade(2, 1, 90_000, 0.2, scene.perp);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 1);
  scene.protect(3, { vega });
  scene.trade(4, 3, 90_000, 5, scene.perp);
  scene.trade(4, 3, 1_000, 1, scene.atm);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 0, 'equal is not more');
  scene.trade(4, 3, 1_000, 0.001, scene.atm);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 1);
});

test('protection: a wallet’s fills as maker and as taker add up in quantity and offset in delta', () => {
  const scene = new TradingScene();
  const delta = deltaOf(scene.state.valuation, scene.atm);
  scene.protect(1, { delta: Math.floor(delta * 1.5) });
  scene.protect(3, { quantity: 1.5 });
  for (const [buyer, seller] of [[2, 1], [1, 2], [2, 1], [1, 2], [1, 2]] as const) {
    scene.trade(buyer, seller, 1_000, 1, scene.atm);
    assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 0);
  }
  scene.trade(1, 2, 1_000, 1, scene.atm);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 1);
  scene.trade(2, 3, 1_000, 1, scene.atm);
  scene.trade(2, 3, 1_000, -0.5, scene.atm);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 0);
  scene.trade(2, 3, 1_000, -0.001, scene.atm);
  assert.equal(scene.emitted(MMP_TRIGGERED, 1).length, 1);
});

test('protection: after a trigger, orders beyond one step are cancelled in later steps; a taker that meets one does not fill it', () => {
  const scene = new TradingScene({ rules: FREE });
  scene.protect(1, { quantity: 1, interval: 10, frozen: 10 });
  for (let i = 0; i < 600; i++) assert.equal(scene.sell(1, 2_000 + i, 0.001), C.OK);
  scene.buy(1, 900, 2);
  scene.sell(2, 900, 1.5);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON).filter((reason) => reason === C.DONE_MMP).length, 256);
  assert.equal(scene.orders(1).length, 344);
  assert.equal(nextDue(scene.state), 0, 'at once');
  const [ended] = scene.orders(1).slice(-1);
  assert.equal(scene.replace(1, ended!.id, SELL, 2_700, 0.001, OPT_OUT), C.NOT_OPEN, 'otherwise it would survive in the new order');
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_MMP]);
  // The freeze and the window are 10 ms only: a new order is not among those to cancel.
  scene.now += 10;
  assert.equal(scene.sell(1, 1_990, 0.001), C.OK);
  assert.equal(scene.buy(3, 2_300, 0.002, { tif: FOK }), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FOK_KILLED], 'an order that waits to be cancelled does not count');
  assert.equal(scene.buy(3, 2_300, 5, { tif: IOC }), C.OK);
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [1_000]);
  const left = scene.orders(1).length;
  assert.ok(left < 343 && scene.orders(1).every((order) => order.price > 2_300e6));
  check(scene.state);
  assert.ok(scene.sell(1, 3_000, 0.001) === C.OK);
  let steps = 0;
  while (scene.state.mmpCancels.counters[0] !== 0 && runDue(scene.sequencer, scene.now)) steps++;
  assert.equal(steps, Math.floor(left / 256) + 1);
  assert.deepEqual(scene.orders(1).map((order) => order.price / 1e6), [3_000]);
  check(scene.state);
  assert.equal(hashOf(scene.replay()), hashOf(scene.state));
});

test('protection: when several wallets have triggered, their orders are cancelled in steps, in the order of the triggers', () => {
  const scene = new TradingScene({ rules: FREE });
  const put = scene.nearest(PUT);
  for (const wallet of [1, 2, 3]) {
    scene.protect(wallet, { quantity: 1 });
    // In two contracts, because the bound of a step covers all contracts.
    for (let i = 0; i < 150; i++) {
      assert.equal(scene.sell(wallet, 2_000 + i, 0.001), C.OK);
      assert.equal(scene.sell(wallet, 2_000 + i, 0.001, { slot: put }), C.OK);
    }
    scene.buy(wallet, 900, 2);
  }
  scene.sell(4, 900, 6);
  assert.deepEqual([1, 2, 3].map((wallet) => scene.orders(wallet).length), [44, 44, 44]);
  for (const left of [[0, 44, 44], [0, 0, 44], [0, 0, 0]]) {
    assert.ok(runDue(scene.sequencer, scene.now));
    assert.deepEqual([1, 2, 3].map((wallet) => scene.orders(wallet).length), left);
  }
  check(scene.state);
  assert.equal(hashOf(scene.replay()), hashOf(scene.state));
});

test('protection: a delete or a reset does not stop cancels that a trigger has started', () => {
  for (const kind of [DELETE_MMP, RESET_MMP]) {
    const scene = new TradingScene({ rules: FREE });
    scene.protect(1, { quantity: 1 });
    for (let i = 0; i < 300; i++) scene.sell(1, 2_000 + i, 0.001);
    scene.buy(1, 900, 2);
    scene.sell(2, 900, 1.5);
    assert.equal(scene.orders(1).length, 44);
    assert.equal(scene.send(scene.write.endMmp(kind, 1, scene.next(), 'BTC')), C.OK);
    scene.buy(3, 2_256, 1, { tif: IOC });
    assert.equal(scene.emitted(FILL, FILL_SIZE).length, 0);
    scene.settle();
    assert.equal(scene.orders(1).length, 0);
  }
});

test('protection: a fok order counts only what the maker’s protection lets it sell', () => {
  const scene = new TradingScene();
  scene.protect(1, { quantity: 1.5 });
  for (const price of [1_000, 1_010, 1_020]) scene.sell(1, price, 1);
  scene.sell(2, 1_030, 1);
  assert.equal(scene.buy(3, 1_030, 3.5, { tif: FOK }), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FOK_KILLED]);
  assert.equal(scene.orders(1).length, 3);
  assert.equal(scene.buy(3, 1_030, 3, { tif: FOK }), C.OK);
  assert.equal(scene.number(1), 3 * CONTRACT);
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [CONTRACT, CONTRACT, CONTRACT]);
  check(scene.state);
});

test('protection: a fok order counts fills that reduce a maker’s net delta as possible', () => {
  for (const side of [BUY, SELL]) {
    const scene = new TradingScene();
    const { perp } = scene;
    scene.protect(1, { delta: Math.floor(deltaOf(scene.state.valuation, perp) * 1.5) });
    // Wallet 1 has traded one contract this way; two more the other way leave it at one.
    scene.place(1, side, 100_000, 1, { slot: perp });
    scene.place(2, 1 - side, 100_000, 1, { slot: perp });
    for (let i = 0; i < 2; i++) scene.place(1, 1 - side, 100_000, 1, { slot: perp });
    scene.place(3, side, 100_000, 2, { slot: perp, tif: FOK });
    assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [CONTRACT, CONTRACT]);
    check(scene.state);
  }
});

test('protection: the dry run of a fok order leaves nothing behind that the next one sees, also after 1,024 of them', () => {
  const scene = new TradingScene({ limits: checked({ ...SMALL, holdings: 1_024 }), rules: FREE });
  scene.protect(1, { quantity: 0.5 });
  for (const price of [1_000, 1_010]) scene.sell(1, price, 0.6);
  for (let i = 0; i < 1_024; i++) scene.buy(2, 1_010, 1.2, { tif: FOK });
  scene.protect(3, { quantity: 1.5 });
  for (const price of [900, 910]) scene.sell(3, price, 1);
  scene.buy(2, 1_010, 3.2, { tif: FOK });
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FOK_KILLED]);
  scene.buy(2, 910, 2, { tif: FOK });
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [CONTRACT, CONTRACT]);
  check(scene.state);
});

type Step = { wallet: number; sells: boolean; size: number; tick: number; tif: number; out: boolean; wait: number; perp: boolean };
const step: fc.Arbitrary<Step> = fc.record({
  wallet: fc.nat(3), sells: fc.boolean(), size: fc.integer({ min: 1, max: 6 }), tick: fc.nat(6),
  tif: fc.constantFrom(GTC, GTC, GTC, IOC, FOK), out: fc.boolean(), wait: fc.nat(1_500), perp: fc.boolean(),
});

test('protection: after any sequence, a trigger leaves no protected order, fok fills whole or not at all, and a replay agrees', () => {
  fc.assert(fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
    const scene = new TradingScene();
    scene.protect(0, { quantity: 7, interval: 2_000, frozen: 1_000 });
    scene.protect(1, { delta: 5_000_000, interval: 3_000, frozen: 2_000 });
    for (const one of steps) {
      scene.now += one.wait;
      const slot = one.perp ? scene.perp : scene.atm;
      const price = (one.perp ? 95_000 : 2_000) + one.tick * 10;
      const code = scene.place(one.wallet, one.sells ? SELL : BUY, price, one.size, {
        slot, tif: one.tif, flags: one.out ? FLAG_MMP_OPT_OUT : 0,
      });
      check(scene.state);
      if (code !== C.OK) {
        assert.ok([C.MMP_FROZEN, C.INSUFFICIENT_MARGIN, C.NO_SPOT_PRICE].includes(code), `${code}`);
        continue;
      }
      for (const account of scene.emitted(MMP_TRIGGERED, 1)) {
        const left = scene.orders().filter((order) => order.account === account && (order.flags & FLAG_MMP_OPT_OUT) === 0);
        assert.deepEqual(left, []);
      }
      const own = scene.account(one.wallet);
      const done = scene.events.find((event) => event.kind === ORDER_DONE && event.slots[ORDER_ID] === scene.number(0));
      const mine = scene.emitted(MMP_TRIGGERED, 1).includes(own);
      if (one.tif === FOK && scene.number(1) > 0 && !mine) assert.equal(done!.slots[ORDER_REASON], C.DONE_FILLED);
      assert.ok(scene.emitted(FILL, FILL_MAKER).every((maker) => maker !== own));
    }
    assert.equal(hashOf(scene.replay()), hashOf(scene.state));
  }), { numRuns: 60 });
});

test('protection: a fill with a vega beyond 2^53 triggers any vega limit, and later fills are counted correctly', () => {
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 1_000_000_000 * USDC;
  settings[MAX_POSITION] = 9_000_000_000 * USDC;
  const scene = new TradingScene({ settings, limits: WIDE }, 1);
  // The last expiry, at a strike far from an index of 1.
  const expiry = Math.max(...scene.slots(({ kind }) => kind === CALL).map((slot) => scene.contract(slot).expiry));
  scene.venue(scene.write.market(LIST_MARKET, 0, expiry, 20_000 * USDC, CALL));
  scene.venue(scene.write.surface(0, 0, 50_000, 0, 0, FLAG_SURFACE_AGELESS));
  scene.settle();
  const slot = scene.slots(({ strike }) => strike === 20_000 * USDC)[0]!;
  const all = 1e9;
  assert.equal(scene.sell(2, 1e-6, all, { slot }), C.OK);
  assert.equal(scene.buy(1, 1e-6, all, { slot }), C.OK);
  assert.equal(scene.protect(3, { frozen: SECOND, vega: 1_000 * USDC }), C.OK);
  assert.equal(scene.buy(3, 0.9, all, { slot }), C.OK);
  scene.venue(scene.write.index(0, 18_100 * USDC, FLAG_INDEX_AGELESS));
  scene.settle();
  assert.ok(vegaOf(scene.state.valuation, slot) * all > Number.MAX_SAFE_INTEGER);
  assert.equal(scene.sell(1, 0.9, all, { slot, tif: IOC }), C.OK);
  assert.deepEqual(scene.emitted(MMP_TRIGGERED, MMP_UNTIL), [scene.now + SECOND]);
  // A minute later it has left the window.
  scene.advance(60 * SECOND);
  for (const size of [1, 1_000]) {
    assert.equal(scene.sell(3, 10, size, { slot }), C.OK);
    assert.equal(scene.buy(1, 10, size, { slot, tif: IOC }), C.OK);
    assert.equal(scene.emitted(MMP_TRIGGERED, MMP_UNTIL).length, size === 1 ? 0 : 1, `a fill of ${size}`);
  }
});
