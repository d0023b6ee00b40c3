// What the volatility panel draws: points of the smile, own orders beside them, and the line of the index.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOf } from '../../../../client/terminal/panels/smile/index-line.ts';
import { columnsOf, smilePoints, symbolsNear } from '../../../../client/terminal/panels/smile/points.ts';
import type { Candle, ChainLeg } from '../../../../client/src/main.ts';

const MINUTE = 60_000;

function legOf(symbol: string, bid: number | null, ask: number | null): ChainLeg {
  return {
    symbol, option_token_address: null, bid_price_usd: null, bid_iv: bid, bid_size_contracts: null, bid_size_usd_notional: null,
    ask_price_usd: null, ask_iv: ask, ask_size_contracts: null, ask_size_usd_notional: null, greeks_abs: null, greeks_cash: null,
  };
}

function rowOf(strike: number) {
  return { strike, call: legOf(`C${strike}`, 0.5, 0.6), put: legOf(`P${strike}`, 0.4, null), callSummary: null, putSummary: null };
}

function candleOf(start: number, close: number): Candle {
  return {
    underlying: 'BTC', resolution: '1m', start_time_ms: start, end_time_ms: start + MINUTE, open: close, high: close, low: close, close,
    volume: 0,
  };
}

test('out of the money, a strike below the index shows its put, and one at or above it shows its call', () => {
  const rows = [90, 100, 110].map(rowOf);
  assert.deepEqual(smilePoints(rows, 100, 'outside').map(({ symbol }) => symbol), ['P90', 'C100', 'C110']);
  assert.deepEqual(smilePoints(rows, 100, 'puts').map(({ symbol }) => symbol), ['P90', 'P100', 'P110']);
  assert.deepEqual(smilePoints([{ ...rowOf(90), put: null }], 100, 'outside'), []);
});

test('each own order has a place of its own at its strike, and does not cut the line of the surface', () => {
  const points = [
    { strike: 90, symbol: 'P90', mark: 0.5, bid: null, ask: 0.75 }, { strike: 100, symbol: 'C100', mark: 0.25, bid: 0.125, ask: null },
  ];
  const own = [
    { strike: 90, symbol: 'P90', side: 'Sell', volatility: 1 }, { strike: 90, symbol: 'P90', side: 'Buy', volatility: 2 },
  ] as const;
  assert.deepEqual(columnsOf(points, own, new Map([['P90', 0.625]])), [
    [90, 90, 90, 100], [62.5, null, null, null], [50, null, null, 25], [null, null, null, 12.5], [75, null, null, null],
    [null, null, 200, null], [null, 100, null, null],
  ]);
});

test('the surface is asked for at the strikes around the index, as many as the venue takes at once', () => {
  const points = smilePoints([80, 90, 100, 110, 120].map(rowOf), 100, 'calls');
  const near = (index: number, most: number) => symbolsNear(points, index, most).join();
  assert.deepEqual([near(100, 2), near(0, 2), near(999, 2)], ['C90,C100', 'C80,C90', 'C110,C120']);
  assert.equal(near(100, 100), near(100, 5));
  assert.equal(near(Number.NaN, 2), 'C110,C120');
});

test('the newest value replaces the close of its interval, begins the next one, and never changes an older one', () => {
  const candles = [candleOf(0, 60), candleOf(MINUTE, 61)];
  assert.deepEqual(lineOf(candles, { vol_index: 62, timestamp: MINUTE + 1 }, MINUTE), [[0, 60], [60, 62]]);
  assert.deepEqual(lineOf(candles, { vol_index: 63, timestamp: 2 * MINUTE }, MINUTE), [[0, 60, 120], [60, 61, 63]]);
  assert.deepEqual(lineOf(candles, { vol_index: 64, timestamp: 1 }, MINUTE), [[0, 60], [60, 61]]);
  assert.deepEqual(lineOf(candles, { vol_index: null, timestamp: 2 * MINUTE }, MINUTE), [[0, 60], [60, 61]]);
  assert.deepEqual(lineOf([], { vol_index: 65, timestamp: 5 }, MINUTE), [[0], [65]]);
});
