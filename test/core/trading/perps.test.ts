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
import { Floor, check, house, balanceOfBooks } from './support.ts';

const BALANCE = 10_000_000 * USDC;
const ROUNDING = 2;

test('perps: an opening trade changes the cost basis but not cash; closing a part adds its profit to cash', () => {
  const floor = new Floor();
  const { perp } = floor;
  floor.trade(1, 2, 100_000, 3);
  assert.deepEqual([floor.cash(1), floor.cash(2)], [BALANCE, BALANCE]);
  assert.deepEqual([floor.held(1, perp)!.cost, floor.held(2, perp)!.cost], [300_000 * USDC, -300_000 * USDC]);
  check(floor.state);
  floor.trade(3, 1, 101_000, 1);
  assert.equal(floor.cash(1), BALANCE + 1_000 * USDC);
  assert.deepEqual([floor.held(1, perp)!.position, floor.held(1, perp)!.cost], [2 * CONTRACT, 200_000 * USDC]);
  assert.deepEqual(floor.told(FILL, FILL_MAKER_REALIZED), [1_000 * USDC]);
  assert.deepEqual(floor.told(FILL, FILL_TAKER_REALIZED), [0]);
  assert.deepEqual(floor.told(FILL, FILL_TAKER_CASH), [BALANCE]);
  check(floor.state);
});

test('perps: a flip closes the position with its share of the amount and opens the new one with the rest', () => {
  const floor = new Floor();
  const { perp } = floor;
  floor.trade(1, 2, 100_000, 1);
  floor.trade(1, 2, 99_000, -2.5);
  assert.equal(floor.cash(1), BALANCE - 1_000 * USDC);
  assert.equal(floor.cash(2), BALANCE + 1_000 * USDC);
  assert.deepEqual([floor.held(1, perp)!.position, floor.held(1, perp)!.cost], [-1.5 * CONTRACT, -148_500 * USDC]);
  check(floor.state);
  floor.trade(1, 2, 99_000, 1.5);
  assert.equal(floor.held(1, perp), undefined);
  assert.equal(floor.cash(1) + floor.cash(2), 2 * BALANCE);
  check(floor.state);
});

test('perps: closing a part removes cost * closed / size, rounded towards zero, and the books balance to the micro', () => {
  const floor = new Floor();
  const { perp } = floor;
  floor.trade(1, 2, 99_999, 0.000003);
  assert.equal(floor.held(1, perp)!.cost, 299_997);
  floor.trade(1, 2, 99_997, -0.000001);
  assert.deepEqual([floor.held(1, perp)!.cost, floor.cash(1)], [199_998, BALANCE - 2]);
  assert.deepEqual([floor.held(2, perp)!.cost, floor.cash(2)], [-199_998, BALANCE + 2]);
  floor.trade(3, 2, 99_998, 0.000001);
  assert.deepEqual([floor.held(2, perp)!.cost, floor.held(3, perp)!.cost], [-299_996, 99_998]);
  floor.trade(2, 3, 99_990, 0.000001);
  // 299,996 / 3 = 99,998.67: 99,998 leaves the basis.
  assert.deepEqual([floor.held(2, perp)!.cost, floor.cash(2)], [-199_998, BALANCE + 2 + 8]);
  assert.deepEqual([floor.held(3, perp), floor.cash(3)], [undefined, BALANCE - 8]);
  check(floor.state);
});

test('perps: pending funding is posted before a position changes; payments are rounded up, the difference is the house’s', () => {
  const floor = new Floor();
  const { perp, state } = floor;
  floor.trade(1, 2, 100_000, 0.000003);
  addFunding(state.funding, perp, 7_500_000_001);
  assert.equal(floor.sell(3, 100_000, 0.000001, { slot: perp }), C.OK);
  assert.deepEqual(floor.told(FUNDING_PAID, PAID_AMOUNT), [], 'an account without a position owes nothing');
  assert.equal(floor.buy(4, 100_000, 0.000001, { slot: perp }), C.OK);
  // 3e-6 contracts times 7.500000001 USDC: 22.5 micros.
  assert.equal(floor.buy(2, 100_000, 0.000001, { slot: perp }), C.OK);
  assert.deepEqual(floor.told(FUNDING_PAID, PAID_AMOUNT), [-22], 'the command of the account posts what it gets');
  assert.equal(floor.sell(5, 100_000, 0.000001, { slot: perp, tif: IOC }), C.OK);
  assert.equal(floor.sell(1, 50_000, 0.000001, { slot: perp, tif: IOC }), C.OK);
  assert.deepEqual(floor.told(FUNDING_PAID, PAID_AMOUNT), [23]);
  assert.deepEqual([floor.cash(1), floor.cash(2), house(state, ROUNDING)], [BALANCE - 23, BALANCE + 22, 1]);
  check(state);
  assert.equal(floor.cancel(1, 99_999), C.ORDER_NOT_FOUND);
  assert.equal(floor.told(FUNDING_PAID, PAID_AMOUNT).length, 0, 'once');
});

test('perps: a maker’s funding is posted when it is filled, before its position changes', () => {
  const floor = new Floor();
  const { perp, state } = floor;
  floor.trade(1, 2, 100_000, 2);
  assert.equal(floor.sell(1, 100_000, 2, { slot: perp }), C.OK);
  addFunding(state.funding, perp, 1_000_000_000);
  assert.equal(floor.buy(3, 100_000, 2, { slot: perp }), C.OK);
  assert.deepEqual(floor.told(FUNDING_PAID, PAID_AMOUNT), [2 * USDC]);
  assert.equal(floor.cash(1), BALANCE - 2 * USDC);
  assert.equal(floor.held(1, perp), undefined);
  addFunding(state.funding, perp, -500_000_000);
  assert.equal(floor.cancel(3, 99_999), C.ORDER_NOT_FOUND);
  assert.equal(floor.cash(3), BALANCE + USDC, 'counted from the opening of its position');
  check(state);
});

test('perps: an order for a perp without its underlying is refused by the engine before the other checks', () => {
  const floor = new Floor();
  const missing = { slot: floor.perp, code: C.PERP_WITHOUT_UNDERLYING };
  const seq = floor.seq();
  assert.equal(floor.buy(1, 1, 1, { ...missing, nonce: 900, flags: FLAG_RFQ_ONLY }), C.PERP_WITHOUT_UNDERLYING);
  assert.equal(floor.seq(), seq + 1);
  assert.deepEqual(floor.told(REFUSED, REFUSED_CODE), [C.PERP_WITHOUT_UNDERLYING]);
  assert.equal(floor.told(ACCOUNT_OPENED, ACCOUNT).length, 1, 'it opens the account, as every rejection does');
  assert.equal(floor.buy(1, 90_000, 1, { slot: floor.perp, nonce: 900 }), C.OK, 'and leaves its nonce unused');
  assert.equal(floor.buy(1, 90_000, 1e9, missing), C.POSITION_LIMIT, 'the caps come first');
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
      const floor = new Floor({ settings });
      const bid = (price: number, size: number): number => floor.buy(1, price, size, { slot: floor.perp });
      if (mode === PORTFOLIO) assert.equal(floor.send(floor.write.marginMode(1, floor.next(), mode)), C.OK);
      const first = mode === PORTFOLIO ? 0.8 : 1.2;
      assert.deepEqual([bid(100_000, first), bid(99_990, 0.05), bid(99_980, 0.05)], [C.OK, C.OK, C.OK]);
      floor.venue(floor.write.index(0, (mode === PORTFOLIO ? 94_000 : 97_000) * USDC, 1));
      floor.settle();
      for (const taker of tif === FOK ? [2, 3] : []) {
        assert.equal(floor.sell(taker, 100_000, 0.05, { slot: floor.perp, tif }), C.OK);
        assert.equal(floor.orders(1).length, 3, 'a killed fok changes nothing, nor does a second one');
      }
      for (const taker of [2, 3]) assert.equal(floor.sell(taker, 99_990, 0.05, { slot: floor.perp, tif }), C.OK);
      assert.deepEqual([floor.held(2, floor.perp)?.position, floor.held(3, floor.perp)], [-0.05 * CONTRACT, undefined], `${mode} ${tif}`);
      assert.deepEqual(floor.orders(1).map(({ id }) => id), [3], 'the first ended for lack of margin, the second was filled');
      check(floor.state);
    }
  }
});

test('perps: a fok order is killed whole when rounding would leave a maker without margin', () => {
  const floor = new Floor({}, 1.5);
  const bid = (units: number): number => floor.buy(1, 1.5, 1, { slot: floor.perp, size: units });
  // The whole balance is reserved to the micro; each of the first two bids pays 2 micros for a value of 1.5.
  assert.deepEqual([bid(1), bid(1), bid(66_666_666_666_664)], [C.OK, C.OK, C.OK]);
  assert.equal(floor.sell(2, 1.5, 100, { slot: floor.perp, tif: FOK }), C.OK);
  assert.deepEqual([floor.told(FILL, FILL_SIZE), floor.told(ORDER_DONE, ORDER_REASON)], [[], [C.DONE_FOK_KILLED]]);
  assert.equal(floor.orders(1).length, 3);
});

test('perps: after every command of a random sequence the books balance to the micro', () => {
  fc.assert(fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
    const floor = new Floor();
    const { perp, state } = floor;
    for (const one of steps) {
      if (one.funding !== 0) addFunding(state.funding, perp, one.funding);
      const price = 99_950 + one.tick;
      const code = floor.place(one.wallet, one.sells ? SELL : BUY, price, 1, { slot: perp, size: one.size, tif: one.takes ? IOC : 0 });
      assert.ok([C.OK, C.INSUFFICIENT_MARGIN].includes(code), `${code}`);
      assert.equal(balanceOfBooks(state), 0n);
    }
    check(state);
  }), { numRuns: 60 });
});
