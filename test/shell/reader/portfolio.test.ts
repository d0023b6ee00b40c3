// GET /portfolio against the formulas of MARGIN.md written out again here in plain numbers: every field of a small book with a short
// call, a long put and open orders on both sides; a wallet without an account; an underlying without an index.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PERP, PUT } from '../../../core/codec/commands.ts';
import { BUY, HOUR, MINUTE, SELL } from '../../../core/units.ts';
import { optionPrice } from '../../../core/pricing/black76.ts';
import { accountOfWallet } from '../../../shell/reader/text.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const SPOT = 100_000;
const PUT_90 = { ...CALL_100, strike: 90_000e6, kind: PUT };
const YEAR = 365 * 86_400_000;

type Row = Record<string, string | null>;
type Portfolio = { positions: Row[]; margin_summary: Record<string, string>; [key: string]: unknown };

function close(actual: string | null | undefined, expected: number, within = 0.00001): void {
  assert.ok(Math.abs(Number(actual) - expected) <= within, `${actual} is not ${expected}`);
}

test('a wallet without an account is shown as just opened, and nothing is stored', (t) => {
  const bench = new Bench(t);
  const wallet = walletText(5);
  assert.deepEqual(bench.body('portfolio', { wallet }), {
    wallet_address: wallet, positions: [], total_margin_used: '0', available_balance: '10000000',
    portfolio_snapshot_timestamp_ms: bench.venue.now, margin_mode: 'standard',
    margin_summary: {
      mode: 'standard', equity: '10000000', position_im: '0', open_orders_im: '0', initial_margin: '10000000',
      maintenance_margin: '10000000', open_orders_premium_reserved: '0',
    },
  });
  assert.equal(bench.reader.state.accounts.counters[0], 0);
});

test('a position that closed and opened again has no realised profit, even with orders open in between', (t) => {
  const bench = new Bench(t);
  const trade = (side: typeof BUY | typeof SELL, price: number, size = ONE): void => {
    bench.place({ wallet: 2, side: 1 - side, price: price * USDC, size });
    bench.place({ wallet: 1, side, price: price * USDC, size });
  };
  const realized = (): (string | null | undefined)[] => bench.body<Portfolio>('portfolio', { wallet: walletText(1) }).positions
    .map((row) => row['realized_pnl']);
  // A bid far below the market: without it the holding would go with its position.
  bench.place({ wallet: 1, side: BUY, price: 10 * USDC, size: ONE });
  trade(BUY, 1_000, 2 * ONE);
  trade(SELL, 1_200);
  assert.deepEqual(realized(), ['200']);
  trade(SELL, 1_300);
  assert.deepEqual(realized(), []);
  trade(BUY, 1_000);
  assert.deepEqual(realized(), ['0']);
  trade(SELL, 900, 2 * ONE);
  assert.deepEqual(realized(), ['0'], 'a flip opens another position');
  const { data } = bench.body<{ data: { realized_pnl: string }[] }>('fills', { wallet: walletText(1), limit: 10, offset: 0 });
  assert.deepEqual(data.map((one) => one.realized_pnl), ['-100', '0', '300', '200', '0'], 'each fill tells its own');
});

test('funding counts as realised from the hour in which it falls due, whenever it is paid', (t) => {
  const bench = new Bench(t);
  const perp = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP };
  bench.venue.advance(MINUTE);
  bench.place({ ...perp, wallet: 2, side: SELL, price: SPOT * USDC, size: ONE });
  bench.place({ ...perp, wallet: 1, side: BUY, price: SPOT * USDC, size: ONE });
  bench.venue.advance(HOUR - MINUTE);
  bench.feed();
  type Profile = { data: { pnl: { unrealized: string; lifetime_realized: string } } };
  const shown = (): (string | null | undefined)[] => {
    const { positions, margin_summary: summary } = bench.body<Portfolio>('portfolio', { wallet: walletText(1) });
    const { unrealized, lifetime_realized: realized } = bench.body<Profile>('profile', { wallet: walletText(1) }).data.pnl;
    return [positions[0]!['unrealized_pnl'], summary['equity'], unrealized, realized];
  };
  const due = shown();
  const [unrealized, equity, ofProfile, realized] = due;
  assert.deepEqual([unrealized, ofProfile], ['0', '0'], 'the mark is the price');
  assert.ok(Number(realized) < 0, 'the hour asked for a rate');
  close(realized, Number(equity) - 10_000_000);
  bench.place({ ...perp, wallet: 1, side: BUY, price: SPOT / 2 * USDC, size: ONE });
  assert.equal(bench.reader.state.accounts.cash[accountOfWallet(bench.reader.state, walletText(1))], Math.round(Number(equity) * 1e6));
  assert.deepEqual(shown(), due, 'and once it is paid');
});

test('every field of a small book equals the written-out formulas', (t) => {
  const bench = new Bench(t);
  // Wallet 1 sells 2 calls at 2,000 and buys 3 puts at 150; then bids 1 call at 1,500 and asks 1 call at 2,500.
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ ...PUT_90, wallet: 2, side: SELL, price: 150 * USDC, size: 3 * ONE });
  bench.place({ ...PUT_90, wallet: 1, side: BUY, price: 150 * USDC, size: 3 * ONE });
  bench.place({ wallet: 1, side: BUY, price: 1_500 * USDC, size: ONE });
  bench.place({ wallet: 1, side: SELL, price: 2_500 * USDC, size: ONE });
  const years = (EXPIRY - bench.venue.now) / YEAR;
  const mark = (isCall: boolean, strike: number, index = SPOT): number => (
    Math.round(optionPrice(isCall, index, strike, years, 0.6, 1) * 1e6) / 1e6
  );
  const callMark = mark(true, 100_000);
  const putMark = mark(false, 90_000);
  const cash = 10_000_000 + 4_000 - 450;
  const equity = cash - 2 * callMark + 3 * putMark;
  const shortIm = 0.15 * SPOT;
  const maintenance = 2 * 0.075 * SPOT;
  const reserve = Math.max(0, 1_500 - callMark) + Math.max(0, callMark - 2_500);
  const portfolio = bench.body<Portfolio>('portfolio', { wallet: walletText(1) });
  const { margin_summary: summary, positions } = portfolio;
  close(summary.equity, equity);
  close(summary.position_im, 2 * shortIm);
  close(summary.open_orders_im, shortIm);
  close(summary.initial_margin, equity - 3 * putMark - 3 * shortIm);
  close(summary.maintenance_margin, equity - maintenance);
  close(summary.open_orders_premium_reserved, reserve);
  close(portfolio.total_margin_used as string, 3 * shortIm + reserve);
  close(portfolio.available_balance as string, equity - 3 * putMark - 3 * shortIm - reserve);
  assert.deepEqual(positions.map((row) => [row.symbol, row.amount]), [[CALL_100_SYMBOL, '-2'], ['BTC-20260106-90000-P', '3']]);
  const [call, put] = positions as [Row, Row];
  assert.deepEqual(Object.keys(call), ['wallet_address', 'symbol', 'amount', 'entry_price', 'margin_posted', 'realized_pnl',
    'unrealized_pnl', 'updated_at', 'instrument_type', 'notional_value', 'maintenance_margin', 'liquidation_price', 'margin_ratio']);
  close(call.entry_price, 2_000);
  close(call.margin_posted, 2 * shortIm);
  close(call.unrealized_pnl, 4_000 - 2 * callMark);
  close(call.notional_value, 2 * SPOT);
  close(call.maintenance_margin, maintenance);
  close(call.margin_ratio, maintenance / equity);
  close(put.entry_price, 150);
  close(put.margin_posted, 0);
  close(put.unrealized_pnl, 3 * putMark - 450);
  close(put.maintenance_margin, 0);
  assert.equal(call.liquidation_price, null, 'two calls cannot use up ten million within ten times the index');
});

test('the liquidation price is the nearest index at which equity meets maintenance', (t) => {
  const bench = new Bench(t);
  for (let i = 0; i < 2; i++) {
    bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 200 * ONE });
    bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 200 * ONE });
    bench.place({ ...PUT_90, wallet: 1, side: SELL, price: 100 * USDC, size: 20 * ONE });
    bench.place({ ...PUT_90, wallet: 3 + i, side: BUY, price: 100 * USDC, size: 20 * ONE });
  }
  const years = (EXPIRY - bench.venue.now) / YEAR;
  const { positions } = bench.body<Portfolio>('portfolio', { wallet: walletText(1) });
  const price = Number(positions[0]!.liquidation_price);
  assert.equal(positions[1]!.liquidation_price, positions[0]!.liquidation_price);
  const cash = 10_000_000 + 400 * 2_000 + 40 * 100;
  const excess = (index: number): number => {
    const call = optionPrice(true, index, 100_000, years, 0.6, 1);
    const put = optionPrice(false, index, 90_000, years, 0.6, 1);
    return cash - 400 * (call + 0.075 * index) - 40 * (put + 0.075 * Math.max(index, put));
  };
  assert.ok(price > SPOT);
  assert.ok(Math.abs(excess(price)) < 0.01, `excess ${excess(price)} at ${price}`);
  for (let index = SPOT; index < price - 1; index += 25) assert.ok(excess(index) > 0);
});

test('a long position has no liquidation price; a short below maintenance has the index where it recovers', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 400 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 400 * ONE });
  assert.equal(bench.body<Portfolio>('portfolio', { wallet: walletText(2) }).positions[0]!.liquidation_price, null);
  const { venue } = bench;
  venue.venue(venue.write.index(0, 140_000 * USDC, 1));
  venue.settle();
  bench.feed();
  const { positions, margin_summary: summary } = bench.body<Portfolio>('portfolio', { wallet: walletText(1) });
  assert.ok(Number(summary.maintenance_margin) < 0);
  const price = Number(positions[0]!.liquidation_price);
  const years = (EXPIRY - bench.reader.state.valuation.markedAt[0]!) / YEAR;
  const excess = (index: number): number => (
    10_000_000 + 400 * 2_000 - 400 * (optionPrice(true, index, 100_000, years, 0.6, 1) + 0.075 * index)
  );
  assert.ok(price > 100_000 && price < 140_000);
  assert.ok(Math.abs(excess(price)) < 0.01, `excess ${excess(price)} at ${price}`);
  for (let index = price + 1; index < 140_000; index += 100) assert.ok(excess(index) < 0);
  assert.equal(Number(summary.equity) > 0 ? 'ratio' : positions[0]!.margin_ratio, null);
});

test('with an underlying that never had an index /portfolio is 503 in the envelope', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE });
  bench.reader.state.valuation.index[0] = 0;
  const { status, body } = bench.answer('portfolio', { wallet: walletText(1) });
  assert.equal(status, 503);
  const { success, data, error } = JSON.parse(body) as Record<string, unknown>;
  assert.deepEqual([success, data, error], [false, null, 'margin_unavailable']);
});
