// An order that is pending cancel moves no mark: after a cancel-all, a trigger of market-maker protection, a deadline of its wallet or the
// expiry of its contract. Live orders behind it do move the mark.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, IOC, SECOND, SELL, USDC } from '../../../core/units.ts';
import { FLAG_INDEX_AGELESS, PUT } from '../../../core/codec/commands.ts';
import { createBooks, restOrder } from '../../../core/book/books.ts';
import { priceKeyOf } from '../../../core/book/price-key.ts';
import { impactPrice } from '../../../core/lifecycle/funding-rate.ts';
import { pendingCancelTest } from '../../../core/trading/cancel-all.ts';
import { valueSlot } from '../../../core/valuation/marks.ts';
import { believedMid } from '../../../core/valuation/quotes.ts';
import { TradingScene } from '../trading/support.ts';
import { FREE } from '../../support/venue.ts';

const AGE = 5 * SECOND;

class Desk extends TradingScene {
  constructor() {
    super({ rules: FREE });
  }

  /** The accepted middle of the contract at the money at `at`, when all quotes are old enough, for a theo of 1,000; 0 without one. */
  mid(at = this.now + AGE): number {
    const { orders, settings } = this.state;
    const whose = { tiered: null, isPendingCancel: pendingCancelTest(this.state, at) };
    return believedMid(orders, settings, whose, 0, this.atm, 1_000 * USDC, at) / USDC;
  }
}

/** Wallet 1 has more orders than one step cancels, in contracts listed before the one at the money, and the best bid there. */
function crowded(): Desk {
  const desk = new Desk();
  const before = desk.slots((one) => one.underlying === 'BTC' && one.kind === PUT)[0]!;
  assert.ok(before < desk.atm);
  for (let i = 0; i < 40; i++) assert.equal(desk.buy(1, 10 + i / 100, 0.001, { slot: before }), C.OK);
  assert.equal(desk.buy(1, 990, 1), C.OK);
  assert.equal(desk.sell(2, 1_010, 1), C.OK);
  return desk;
}

test('cancel-all: a bid that is pending cancel is not a quote', () => {
  const desk = crowded();
  assert.equal(desk.mid(), 1_000);
  assert.equal(desk.send(desk.write.cancelAll(1, desk.next(), {})), C.OK);
  assert.equal(desk.orders(1).some(({ instrument }) => instrument === desk.atm), true, 'it is in the book still');
  assert.equal(desk.mid(), 0);
});

test('cancel-all: the live bid behind a pending-cancel bid is the quote, at its own price and with its own size', () => {
  const desk = crowded();
  assert.equal(desk.buy(3, 980, 0.1), C.OK);
  assert.equal(desk.mid(), 1_000);
  desk.send(desk.write.cancelAll(1, desk.next(), {}));
  assert.equal(desk.mid(), 995);
  const thin = crowded();
  assert.equal(thin.buy(3, 990, 0.099), C.OK);
  thin.send(thin.write.cancelAll(1, thin.next(), {}));
  assert.equal(thin.mid(), 0, 'too small without the pending-cancel bid');
});

test('cancel-all: a pending-cancel order adds no size to a live order at the same price', () => {
  const desk = new Desk();
  const before = desk.slots((one) => one.underlying === 'BTC' && one.kind === PUT)[0]!;
  assert.equal(desk.buy(3, 990, 0.06), C.OK);
  assert.equal(desk.sell(2, 1_010, 1), C.OK);
  for (let i = 0; i < 40; i++) assert.equal(desk.buy(1, 10 + i / 100, 0.001, { slot: before }), C.OK);
  assert.equal(desk.buy(1, 990, 0.06), C.OK);
  assert.equal(desk.mid(), 1_000);
  desk.send(desk.write.cancelAll(1, desk.next(), {}));
  assert.equal(desk.mid(), 0);
});

test('protection: bids that are pending cancel after a trigger are not quotes', () => {
  const desk = new Desk();
  desk.protect(1, { quantity: 0.5 });
  for (let i = 0; i < 300; i++) assert.equal(desk.buy(1, 100 + i, 0.001), C.OK);
  assert.equal(desk.buy(1, 990, 1), C.OK);
  assert.equal(desk.sell(2, 1_010, 1), C.OK);
  assert.equal(desk.sell(1, 95_000, 1, { slot: desk.perp }), C.OK);
  assert.equal(desk.mid(), 1_000);
  assert.equal(desk.buy(3, 95_000, 0.6, { slot: desk.perp, tif: IOC }), C.OK);
  assert.equal(desk.orders(1).at(-1)!.price, 990 * USDC, 'it is in the book still');
  assert.equal(desk.mid(), 0);
});

test('deadline: once a wallet’s dead man’s switch is due, its quotes move no mark, even before a tick cancels them', () => {
  for (const [timeout, isMoved] of [[AGE, false], [AGE + 1, true]] as const) {
    const desk = new Desk();
    const theo = desk.state.valuation.theo[desk.atm]!;
    const near = (times: number): number => Number((theo / USDC * times).toPrecision(5));
    assert.equal(desk.send(desk.write.cancelAfter(1, desk.next(), timeout)), C.OK);
    assert.equal(desk.buy(1, near(1.005), 1), C.OK);
    assert.equal(desk.sell(2, near(1.015), 1), C.OK);
    desk.now += AGE;
    // The index and its marks come before the tick that acts on the deadline.
    desk.venue(desk.write.index(0, 100_000 * USDC, FLAG_INDEX_AGELESS));
    desk.settle();
    assert.equal(desk.mark(desk.atm) > desk.state.valuation.theo[desk.atm]!, isMoved);
  }
});

test('deadline: a bid is a quote until its wallet’s deadline, and not from then on', () => {
  const desk = new Desk();
  desk.send(desk.write.cancelAfter(1, desk.next(), 2 * AGE));
  assert.equal(desk.buy(1, 990, 1), C.OK);
  assert.equal(desk.sell(2, 1_010, 1), C.OK);
  assert.deepEqual([desk.mid(desk.now + 2 * AGE - 1), desk.mid(desk.now + 2 * AGE)], [1_000, 0]);
});

test('from its expiry on, a contract’s quotes no longer move its mark', () => {
  const desk = new Desk();
  const { orders, settings, valuation } = desk.state;
  const { expiry } = desk.contract(desk.atm);
  const theo = valuation.theo[desk.atm]! / USDC;
  assert.equal(desk.place(1, BUY, Number((theo * 1.005).toPrecision(5)), 1), C.OK);
  assert.equal(desk.place(2, SELL, Number((theo * 1.015).toPrecision(5)), 1), C.OK);
  const moved = (time: number, price: number): boolean => {
    valuation.nextTime[0] = time;
    valuation.nextIndex[0] = price * USDC;
    valuation.nextAverage[0] = 0;
    valueSlot(valuation, orders, settings, { tiered: null, isPendingCancel: null }, desk.atm, -1);
    return valuation.nextMark[desk.atm] !== valuation.nextTheo[desk.atm];
  };
  const intrinsic = desk.contract(desk.atm).strike / USDC + Math.round(theo * 1.01);
  assert.deepEqual([moved(desk.now + AGE, 100_000), moved(expiry - 1, intrinsic - 5), moved(expiry, intrinsic - 5)], [true, true, false]);
});

test('impact price: orders that are pending cancel do not count', () => {
  const books = createBooks({ orders: 64, instruments: 2, levelPages: 64 });
  const slots = [[100_000, 0.2], [99_000, 0.1], [98_000, 0.1], [97_000, 1]].map(([price, size], i) => (
    restOrder(books, 1, BUY, priceKeyOf(price! * USDC), 0, i + 1, size! * CONTRACT)
  ));
  const impact = (...gone: number[]): number => (
    impactPrice(books, 1, BUY, 20_000 * USDC, (order) => gone.some((at) => slots[at] === order)) / USDC
  );
  assert.equal(impactPrice(books, 1, BUY, 20_000 * USDC, null), 100_000 * USDC);
  assert.equal(impact(), 100_000);
  // 9,900 for a tenth, 9,800 for another, and 300 at 97,000.
  assert.ok(Math.abs(impact(0) - 20_000 / (0.2 + 300 / 97_000)) < 1e-6);
  assert.equal(impact(0, 1, 2), 97_000);
  assert.equal(impact(0, 1, 2, 3), 0);
});
