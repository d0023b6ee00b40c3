// Prices of quotes around marks: on the grid, around the mark, never narrower with a larger width, and those of POST /limit_iv for the
// volatilities of their sides where the mark is the theoretical value.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { FLAG_SURFACE_AGELESS, PUT } from '../../../../core/codec/commands.ts';
import { parsePrice } from '../../../../core/codec/decimal.ts';
import { priceKeyOf } from '../../../../core/book/price-key.ts';
import { quotePrices } from '../../../../client/terminal/whatif/quote-prices.ts';
import type { RiskInputs } from '../../../../client/src/main.ts';
import { Bench, CALL_100, EXPIRY, walletText } from '../../../shell/reader/support.ts';

const CONTRACTS = [CALL_100, { ...CALL_100, strike: 90_000e6, kind: PUT }, { ...CALL_100, expiry: EXPIRY + 86_400_000, strike: 104_000e6 }];
const SYMBOLS = ['BTC-20260106-100000-C', 'BTC-20260106-90000-P', 'BTC-20260107-104000-C', 'BTC-PERP'];
const points = fc.integer({ min: 0, max: 400 }).map((tenths) => tenths / 10);

function inputs(t: TestContext): { readonly bench: Bench; readonly data: RiskInputs } {
  const bench = new Bench(t);
  bench.venue.venue(bench.venue.write.surface(0, 0, 550_000, -200_000, 400_000, FLAG_SURFACE_AGELESS));
  bench.venue.advance(60_000);
  bench.feed();
  for (const one of CONTRACTS) bench.place({ ...one, wallet: 1, side: 0, price: 1, size: 1_000_000 });
  return { bench, data: bench.body<{ data: RiskInputs }>('riskInputs', { wallet: walletText(1), symbols: SYMBOLS }).data };
}

test('any width and skew give prices of the grid, a bid below its ask, and no narrower quotes for a larger width; perps have none', (t) => {
  const { data } = inputs(t);
  fc.assert(fc.property(points, points, fc.integer({ min: -200, max: 200 }), (one, other, tenths) => {
    const skew = tenths / 10;
    const [narrow, wide] = [Math.min(one, other), Math.max(one, other)].map((width) => quotePrices(data, { width, skew }));
    assert.deepEqual(narrow!.map(({ symbol }) => symbol), SYMBOLS.slice(0, 3));
    narrow!.forEach(({ ask, bid }, at) => {
      for (const text of [bid, ask]) assert.ok(text === null || priceKeyOf(parsePrice(text)) > 0);
      assert.ok(Number(bid) < Number(ask));
      assert.ok(Number(wide![at]!.bid) <= Number(bid) && Number(wide![at]!.ask) >= Number(ask));
    });
  }));
});

test('a width of nothing is the grid around the mark, and a skew moves both sides', (t) => {
  const { data } = inputs(t);
  const marks = new Map(data.contracts.map(({ mark_price: mark, symbol }) => [symbol, Number(mark)]));
  for (const { ask, bid, symbol } of quotePrices(data, { width: 0, skew: 0 })) {
    assert.ok(Number(bid) <= marks.get(symbol)! && marks.get(symbol)! <= Number(ask), symbol);
  }
  const [flat] = quotePrices(data, { width: 4, skew: 0 });
  const [up] = quotePrices(data, { width: 4, skew: 3 });
  assert.ok(Number(up!.bid) > Number(flat!.bid) && Number(up!.ask) > Number(flat!.ask));
});

test('where marks are theoretical values, each side is the venue’s own price for its volatility', (t) => {
  const { bench, data } = inputs(t);
  for (const { ask, bid, symbol } of quotePrices(data, { width: 5, skew: 1 })) {
    const contract = data.contracts.find((one) => one.symbol === symbol)!;
    assert.equal(contract.mark_price, contract.theo_price);
    for (const [side, shift, own] of [['Buy', -0.015, bid], ['Sell', 0.035, ask]] as const) {
      const question = { symbol, iv: Number(contract.volatility) + shift, side };
      const { data: told } = bench.body<{ data: { limit_price: string } }>('limitIv', question);
      assert.equal(own, told.limit_price, `${symbol} ${side}`);
    }
  }
});
