// Trades of perps: cash changes only by the profit that a closed part realises, the cost basis is exact to the micro, funding is
// posted before a position changes, and the books balance after every command.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, IOC, SELL, USDC } from '../../../core/units.ts';
import { FLAG_RFQ_ONLY } from '../../../core/codec/commands.ts';
import { ACCOUNT, ACCOUNT_OPENED, FUNDING_PAID, FILL, FILL_MAKER_REALIZED, FILL_SIZE, FILL_TAKER_CASH, FILL_TAKER_REALIZED, ORDER_DONE,
  ORDER_REASON, PAID_AMOUNT, REFUSED, REFUSED_CODE } from '../../../core/codec/events.ts';
import { PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { addFunding } from '../../../core/positions/funding.ts';
import { DEFAULT_BALANCE, defaultSettings } from '../../../core/settings.ts';
import { TradingScene, check, house, balanceOfBooks } from './support.ts';

const BALANCE = 10_000_000 * USDC;
const ROUNDING = 2;

test('perps: an opening trade changes the cost basis but not cash; closing a part adds its profit to cash', () => {
  const scene = new TradingScene();
  const { perp } = scene;
  scene.trade(1, 2, 100_000, 3);
  assert.deepEqual([scene.cash(1), scene.cash(2)], [BALANCE, BALANCE]);
  assert.deepEqual([scene.held(1, perp)!.cost, scene.held(2, perp)!.cost], [300_000 * USDC, -300_000 * USDC]);
  check(scene.state);
  scene.trade(3, 1, 101_000, 1);
  assert.equal(scene.cash(1), BALANCE + 1_000 * USDC);
  assert.deepEqual([scene.held(1, perp)!.position, scene.held(1, perp)!.cost], [2 * CONTRACT, 200_000 * USDC]);
  assert.deepEqual(scene.emitted(FILL, FILL_MAKER_REALIZED), [1_000 * USDC]);
  assert.deepEqual(scene.emitted(FILL, FILL_TAKER_REALIZED), [0]);
  assert.deepEqual(scene.emitted(FILL, FILL_TAKER_CASH), [BALANCE]);
  check(scene.state);
});

test('perps: a flip closes the position with its share of the amount and opens the new one with the rest', () => {
  const scene = new TradingScene();
  const { perp } = scene;
  scene.trade(1, 2, 100_000, 1);
  scene.trade(1, 2, 99_000, -2.5);
  assert.equal(scene.cash(1), BALANCE - 1_000 * USDC);
  assert.equal(scene.cash(2), BALANCE + 1_000 * USDC);
  assert.deepEqual([scene.held(1, perp)!.position, scene.held(1, perp)!.cost], [-1.5 * CONTRACT, -148_500 * USDC]);
  check(scene.state);
  scene.trade(1, 2, 99_000, 1.5);
  assert.equal(scene.held(1, perp), undefined);
  assert.equal(scene.cash(1) + scene.cash(2), 2 * BALANCE);
  check(scene.state);
});

test('perps: closing a part removes cost * closed / size, rounded towards zero, and the books balance to the micro', () => {
  const scene = new TradingScene();
  const { perp } = scene;
  scene.trade(1, 2, 99_999, 0.000003);
  assert.equal(scene.held(1, perp)!.cost, 299_997);
  scene.trade(1, 2, 99_997, -0.000001);
  assert.deepEqual([scene.held(1, perp)!.cost, scene.cash(1)], [199_998, BALANCE - 2]);
  assert.deepEqual([scene.held(2, perp)!.cost, scene.cash(2)], [-199_998, BALANCE + 2]);
  scene.trade(3, 2, 99_998, 0.000001);
  assert.deepEqual([scene.held(2, perp)!.cost, scene.held(3, perp)!.cost], [-299_996, 99_998]);
  scene.trade(2, 3, 99_990, 0.000001);
  // 299,996 / 3 = 99,998.67: 99,998 leaves the basis.
  assert.deepEqual([scene.held(2, perp)!.cost, scene.cash(2)], [-199_998, BALANCE + 2 + 8]);
  assert.deepEqual([scene.held(3, perp), scene.cash(3)], [undefined, BALANCE - 8]);
  check(scene.state);
});

test('perps: pending funding is posted before a position changes; payments are rounded up, the difference is the house’s', () => {
  const scene = new TradingScene();
  const { perp, state } = scene;
  scene.trade(1, 2, 100_000, 0.000003);
  addFunding(state.funding, perp, 7_500_000_001);
  assert.equal(scene.sell(3, 100_000, 0.000001, { slot: perp }), C.OK);
  assert.deepEqual(scene.emitted(FUNDING_PAID, PAID_AMOUNT), [], 'an account without a position owes nothing');
  assert.equal(scene.buy(4, 100_000, 0.000001, { slot: perp }), C.OK);
  // 3e-6 contracts times 7.500000001 USDC: 22.5 micros.
  assert.equal(scene.buy(2, 100_000, 0.000001, { slot: perp }), C.OK);
  assert.deepEqual(scene.emitted(FUNDING_PAID, PAID_AMOUNT), [-22], 'the command of the account posts what it gets');
  assert.equal(scene.sell(5, 100_000, 0.000001, { slot: perp, tif: IOC }), C.OK);
  assert.equal(scene.sell(1, 50_000, 0.000001, { slot: perp, tif: IOC }), C.OK);
  assert.deepEqual(scene.emitted(FUNDING_PAID, PAID_AMOUNT), [23]);
  assert.deepEqual([scene.cash(1), scene.cash(2), house(state, ROUNDING)], [BALANCE - 23, BALANCE + 22, 1]);
  check(state);
  assert.equal(scene.cancel(1, 99_999), C.ORDER_NOT_FOUND);
  assert.equal(scene.emitted(FUNDING_PAID, PAID_AMOUNT).length, 0, 'once');
});

test('perps: a maker’s funding is posted when it is filled, before its position changes', () => {
  const scene = new TradingScene();
  const { perp, state } = scene;
  scene.trade(1, 2, 100_000, 2);
  assert.equal(scene.sell(1, 100_000, 2, { slot: perp }), C.OK);
  addFunding(state.funding, perp, 1_000_000_000);
  assert.equal(scene.buy(3, 100_000, 2, { slot: perp }), C.OK);
  assert.deepEqual(scene.emitted(FUNDING_PAID, PAID_AMOUNT), [2 * USDC]);
  assert.equal(scene.cash(1), BALANCE - 2 * USDC);
  assert.equal(scene.held(1, perp), undefined);
  addFunding(state.funding, perp, -500_000_000);
  assert.equal(scene.cancel(3, 99_999), C.ORDER_NOT_FOUND);
  assert.equal(scene.cash(3), BALANCE + USDC, 'counted from the opening of its position');
  check(state);
});

test('perps: an order for a perp without its underlying is refused by the engine before the other checks', () => {
  const scene = new TradingScene();
  const missing = { slot: scene.perp, code: C.PERP_WITHOUT_UNDERLYING };
  const seq = scene.seq();
  assert.equal(scene.buy(1, 1, 1, { ...missing, nonce: 900, flags: FLAG_RFQ_ONLY }), C.PERP_WITHOUT_UNDERLYING);
  assert.equal(scene.seq(), seq + 1);
  assert.deepEqual(scene.emitted(REFUSED, REFUSED_CODE), [C.PERP_WITHOUT_UNDERLYING]);
  assert.equal(scene.emitted(ACCOUNT_OPENED, ACCOUNT).length, 1, 'it opens the account, as every rejection does');
  assert.equal(scene.buy(1, 90_000, 1, { slot: scene.perp, nonce: 900 }), C.OK, 'and leaves its nonce unused');
  assert.equal(scene.buy(1, 90_000, 1e9, missing), C.POSITION_LIMIT, 'the caps come first');
});

type Step = { wallet: number; sells: boolean; size: number; tick: number; takes: boolean; funding: number };
const step: fc.Arbitrary<Step> = fc.record({
  wallet: fc.nat(4), sells: fc.boolean(), size: fc.integer({ min: 1, max: 2_000_003 }), tick: fc.integer({ min: 0, max: 40 }),
  takes: fc.boolean(),
  funding: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: -3e9, max: 3e9 }) }),
});

test('perps: a fok or ioc order skips a maker’s order without margin and fills the next one', () => {
  for (const mode of [STANDARD, PORTFOLIO]) {
    for (const tif of [FOK, IOC]) {
      const settings = defaultSettings();
      settings[DEFAULT_BALANCE] = 15_000 * USDC;
      const scene = new TradingScene({ settings });
      const bid = (price: number, size: number): number => scene.buy(1, price, size, { slot: scene.perp });
      if (mode === PORTFOLIO) assert.equal(scene.send(scene.write.marginMode(1, scene.next(), mode)), C.OK);
      const first = mode === PORTFOLIO ? 0.8 : 1.2;
      assert.deepEqual([bid(100_000, first), bid(99_990, 0.05), bid(99_980, 0.05)], [C.OK, C.OK, C.OK]);
      scene.venue(scene.write.index(0, (mode === PORTFOLIO ? 94_000 : 97_000) * USDC, 1));
      scene.settle();
      for (const taker of tif === FOK ? [2, 3] : []) {
        assert.equal(scene.sell(taker, 100_000, 0.05, { slot: scene.perp, tif }), C.OK);
        assert.equal(scene.orders(1).length, 3, 'a killed fok changes nothing, nor does a second one');
      }
      for (const taker of [2, 3]) assert.equal(scene.sell(taker, 99_990, 0.05, { slot: scene.perp, tif }), C.OK);
      assert.deepEqual([scene.held(2, scene.perp)?.position, scene.held(3, scene.perp)], [-0.05 * CONTRACT, undefined], `${mode} ${tif}`);
      assert.deepEqual(scene.orders(1).map(({ id }) => id), [3], 'the first ended for lack of margin, the second was filled');
      check(scene.state);
    }
  }
});

test('perps: a fok order is killed whole when rounding would leave a maker without margin', () => {
  const scene = new TradingScene({}, 1.5);
  const bid = (units: number): number => scene.buy(1, 1.5, 1, { slot: scene.perp, size: units });
  // The whole balance is reserved to the micro; each of the first two bids pays 2 micros for a value of 1.5.
  assert.deepEqual([bid(1), bid(1), bid(66_666_666_666_664)], [C.OK, C.OK, C.OK]);
  assert.equal(scene.sell(2, 1.5, 100, { slot: scene.perp, tif: FOK }), C.OK);
  assert.deepEqual([scene.emitted(FILL, FILL_SIZE), scene.emitted(ORDER_DONE, ORDER_REASON)], [[], [C.DONE_FOK_KILLED]]);
  assert.equal(scene.orders(1).length, 3);
});

test('perps: after every command of a random sequence the books balance to the micro', () => {
  fc.assert(fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
    const scene = new TradingScene();
    const { perp, state } = scene;
    for (const one of steps) {
      if (one.funding !== 0) addFunding(state.funding, perp, one.funding);
      const price = 99_950 + one.tick;
      const code = scene.place(one.wallet, one.sells ? SELL : BUY, price, 1, { slot: perp, size: one.size, tif: one.takes ? IOC : 0 });
      assert.ok([C.OK, C.INSUFFICIENT_MARGIN].includes(code), `${code}`);
      assert.equal(balanceOfBooks(state), 0n);
    }
    check(state);
  }), { numRuns: 60 });
});
