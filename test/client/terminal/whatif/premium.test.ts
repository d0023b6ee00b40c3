// Price, volatility and premium of an order, each from the other, as the ticket turns them: the same as the venue says.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { PERP } from '../../../../core/codec/commands.ts';
import { parsePrice } from '../../../../core/codec/decimal.ts';
import { OUTSIDE_BAND } from '../../../../core/errors.ts';
import { defaultSettings, PRICE_BAND } from '../../../../core/settings.ts';
import { BUY, SELL } from '../../../../core/units.ts';
import { nextPrice, nextSize } from '../../../../client/terminal/whatif/steps.ts';
import { WhatIf } from '../../../../client/terminal/whatif/what-if.ts';
import type { RiskInputs } from '../../../../client/src/main.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, walletText } from '../../../shell/reader/support.ts';

const SIDES = ['Buy', 'Sell'] as const;

function whatIfOf(t: TestContext, band = 0): { readonly bench: Bench; readonly whatIf: WhatIf } {
  const bench = new Bench(t);
  const settings = defaultSettings();
  settings[PRICE_BAND] = band;
  bench.venue.venue(bench.venue.write.configure(settings));
  bench.venue.advance(60_000);
  bench.feed();
  const symbols = [CALL_100_SYMBOL, 'BTC-PERP'];
  return { bench, whatIf: new WhatIf(bench.body<{ data: RiskInputs }>('riskInputs', { wallet: walletText(1), symbols }).data) };
}

test('given a volatility, then its price is what the venue answers for either side, and a perp has none', (t) => {
  const { bench, whatIf } = whatIfOf(t);
  fc.assert(fc.property(fc.integer({ min: 1, max: 40_000 }), fc.constantFrom(...SIDES), (points, side) => {
    const iv = points / 10_000;
    const { data } = bench.body<{ data: { limit_price: string } }>('limitIv', { symbol: CALL_100_SYMBOL, iv, side });
    assert.equal(whatIf.priceAtVolatility(CALL_100_SYMBOL, iv, side), data.limit_price);
  }));
  assert.deepEqual([whatIf.priceAtVolatility('BTC-PERP', 0.5, 'Buy'), whatIf.volatilityAt('BTC-PERP', '100000')], [null, null]);
});

test('given a price that a volatility was turned into, then turning it back gives a volatility that is no better for the side', (t) => {
  const { whatIf } = whatIfOf(t);
  fc.assert(fc.property(fc.integer({ min: 2_000, max: 20_000 }), fc.constantFrom(...SIDES), (points, side) => {
    const iv = points / 10_000;
    const back = whatIf.volatilityAt(CALL_100_SYMBOL, whatIf.priceAtVolatility(CALL_100_SYMBOL, iv, side)!)!;
    assert.ok(Math.abs(back - iv) < 0.001);
    assert.ok(side === 'Buy' ? back <= iv + 1e-6 : back >= iv - 1e-6);
  }));
});

test('given a premium, then the order at its price costs no more, or brings no less, and one step further does not', (t) => {
  const { whatIf } = whatIfOf(t);
  const [premiums, sizes] = [fc.integer({ min: 1_000, max: 9e7 }), fc.integer({ min: 1, max: 1e6 })];
  fc.assert(fc.property(premiums, sizes, fc.constantFrom(...SIDES), (premium, size, side) => {
    const [dollars, contracts] = [(premium / 100).toFixed(2), (size / 1_000).toFixed(3)];
    const price = whatIf.priceOfPremium(dollars, contracts, side);
    assert.ok(price !== null);
    const sign = side === 'Buy' ? 1 : -1;
    // Half a unit of the last decimal is the rounding of the premium itself.
    assert.ok(sign * (Number(whatIf.premiumOf(price, contracts)) - Number(dollars)) <= 1e-6);
    const further = Number(whatIf.premiumOf(nextPrice(price, sign as 1 | -1), contracts));
    assert.ok(sign * (further - Number(dollars)) >= -1e-6);
  }));
  assert.deepEqual([whatIf.priceOfPremium('5', '0', 'Buy'), whatIf.priceOfPremium('0', '1', 'Buy')], [null, null]);
});

test('given a price band, then its ends are the last prices that the venue takes of a bid and of an ask', (t) => {
  const { bench, whatIf } = whatIfOf(t, 300_000);
  for (const [symbol, kind] of [[CALL_100_SYMBOL, CALL_100.kind], ['BTC-PERP', PERP]] as const) {
    const { max, min } = whatIf.priceBand(symbol)!;
    const terms = kind === PERP ? { kind, expiry: 0, strike: 0 } : {};
    const placed = (side: number, price: string): number => (
      bench.place({ ...terms, wallet: side, side, price: parsePrice(price), size: 1_000 })
    );
    assert.deepEqual([placed(BUY, max), placed(BUY, nextPrice(max, 1))], [0, OUTSIDE_BAND]);
    assert.deepEqual([placed(SELL, min), placed(SELL, nextPrice(min, -1))], [0, OUTSIDE_BAND]);
  }
  assert.equal(whatIfOf(t).whatIf.priceBand(CALL_100_SYMBOL), null);
});

test('given a size with more decimals than the venue keeps, then it counts as the venue cuts it', (t) => {
  const { whatIf } = whatIfOf(t);
  assert.equal(whatIf.premiumOf('100', '0.1234569'), '12.3456');
});

test('given a price, then a step up and a step down lead back to it, and each is a price that the venue takes', () => {
  fc.assert(fc.property(fc.integer({ min: 2, max: 99_999 }), fc.integer({ min: -6, max: 3 }), (figures, exponent) => {
    const price = (figures * 10 ** exponent).toFixed(Math.max(0, -exponent)).replace(/\.?0+$/, '');
    fc.pre(parsePrice(price) > 1);
    const up = nextPrice(price, 1);
    assert.ok(parsePrice(up) > parsePrice(price));
    assert.equal(parsePrice(nextPrice(up, -1)), parsePrice(price));
  }));
  assert.deepEqual([nextPrice('99999', 1), nextPrice('x', 1), nextPrice('0.000001', -1)], ['100000', 'x', '0.000001']);
});

test('given a size, then steps are exact, and it never falls below one step', () => {
  assert.deepEqual([nextSize('0.1', '0.1', 1), nextSize('0.3', '0.1', -1), nextSize('0.1', '0.1', -1), nextSize('', '0.01', 1)],
    ['0.2', '0.2', '0.1', '0.01']);
});
