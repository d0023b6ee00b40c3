// GET /portfolio in portfolio mode: the parts of the requirement and their sum, one position as if it stood alone, and the index at which
// equity meets maintenance, checked by moving there.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PERP } from '../../../core/codec/commands.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { freshen } from '../../../core/margin/account-margin.ts';
import { standaloneInitial } from '../../../core/margin/freed.ts';
import { MAINTENANCE_PART, OPTION_FLOOR } from '../../../core/settings.ts';
import { PortfolioBodies } from '../../../shell/reader/account/portfolio.ts';
import { Names } from '../../../shell/reader/text.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const PERP_BTC = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP };

type Portfolio = {
  positions: Record<string, string | null>[]; span_margin: Record<string, string>; margin_summary: Record<string, string>;
  margin_mode: string; total_margin_used: string; available_balance: string;
};

function open(bench: Bench): void {
  const { venue } = bench;
  // Away from the full hour, at which perps are funded.
  venue.advance(60_000);
  assert.equal(venue.send(venue.write.marginMode(1, 1_000, PORTFOLIO)), 0);
  bench.feed();
}

/** The sum of decimal texts, in micros. */
function micros(...texts: (string | null | undefined)[]): number {
  return texts.reduce((sum, text) => sum + Math.round(Number(text) * 1e6), 0);
}

test('the parts of the requirement add up to it, and used and available margin to the equity', (t) => {
  const bench = new Bench(t);
  open(bench);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 20 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 20 * ONE });
  bench.place({ ...PERP_BTC, wallet: 2, side: SELL, price: 100_000 * USDC, size: 8 * ONE });
  bench.place({ ...PERP_BTC, wallet: 1, side: BUY, price: 100_000 * USDC, size: 8 * ONE });
  bench.place({ wallet: 1, side: SELL, price: 2_500 * USDC, size: 3 * ONE });
  bench.place({ ...PERP_BTC, wallet: 1, side: BUY, price: 101_000 * USDC, size: ONE });
  const portfolio = bench.body<Portfolio>('portfolio', { wallet: walletText(1) });
  const { margin_summary: summary, span_margin: span, positions } = portfolio;
  assert.deepEqual(Object.keys(portfolio), ['wallet_address', 'positions', 'total_margin_used', 'available_balance',
    'portfolio_snapshot_timestamp_ms', 'span_margin', 'margin_mode', 'margin_summary']);
  assert.deepEqual(Object.keys(span), ['equity', 'initial_margin_required', 'maintenance_margin_required', 'open_orders_initial_margin',
    'option_margin_required', 'scanning_risk', 'option_floor', 'gamma_overlay', 'hypercore_margin_required']);
  assert.equal(portfolio.margin_mode, 'portfolio');
  assert.equal(summary['mode'], 'portfolio');
  assert.equal('open_orders_premium_reserved' in summary, false);
  const required = micros(span['initial_margin_required']);
  assert.equal(required, Math.max(micros(span['scanning_risk']), micros(span['option_floor'])) + micros(span['gamma_overlay']));
  assert.equal(required, micros(summary['position_im'], summary['open_orders_im']));
  assert.equal(span['open_orders_initial_margin'], summary['open_orders_im']);
  assert.equal(micros(span['maintenance_margin_required']), Math.ceil(0.8 * micros(summary['position_im'])));
  assert.equal(micros(summary['initial_margin']), micros(summary['equity']) - required);
  assert.equal(micros(summary['maintenance_margin']), micros(summary['equity']) - micros(span['maintenance_margin_required']));
  assert.ok(micros(summary['open_orders_im']) > 0);
  // One perp more, 1,000 above mark, is what the orders lose; the ask is above its mark.
  assert.equal(micros(portfolio.total_margin_used), required + 1_000 * USDC);
  assert.equal(micros(portfolio.available_balance), micros(summary['equity']) - required - 1_000 * USDC);
  assert.equal(micros(span['hypercore_margin_required']), 9 * 16_000 * USDC);
  assert.ok(micros(span['option_margin_required']) > 0);
  const { state } = bench.reader;
  freshen(state, 0);
  assert.deepEqual(positions.map((row) => row['symbol']), [CALL_100_SYMBOL, 'BTC-PERP']);
  assert.deepEqual(positions.map((row) => row['instrument_type']), ['option', 'perp']);
  const call = positions[0]!;
  const { expiry, kind, strike } = CALL_100;
  const slot = bench.venue.slots((one) => one.kind === kind && one.strike === strike && one.expiry === expiry)[0]!;
  assert.equal(micros(call['margin_posted']), standaloneInitial(state, 0, slot, -20 * ONE));
  assert.equal(micros(call['maintenance_margin']), Math.ceil(0.8 * micros(call['margin_posted'])));
  assert.equal(positions[1]!['margin_posted'], '128000');
  assert.equal(positions[1]!['unrealized_pnl'], '0');
});

test('at a portfolio\'s liquidation price its equity meets its maintenance margin', (t) => {
  const bench = new Bench(t);
  open(bench);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 300 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 300 * ONE });
  bench.place({ ...PERP_BTC, wallet: 2, side: SELL, price: 100_000 * USDC, size: 60 * ONE });
  bench.place({ ...PERP_BTC, wallet: 1, side: BUY, price: 100_000 * USDC, size: 60 * ONE });
  const before = bench.body<Portfolio>('portfolio', { wallet: walletText(1) });
  assert.ok(Number(before.margin_summary['maintenance_margin']) > 0);
  const price = before.positions[0]!['liquidation_price']!;
  assert.equal(before.positions[1]!['liquidation_price'], price);
  const { venue } = bench;
  venue.venue(venue.write.index(0, Math.round(Number(price) * 1e6), 1));
  venue.settle();
  bench.feed();
  const { margin_summary: summary } = bench.body<Portfolio>('portfolio', { wallet: walletText(1) });
  assert.ok(Math.abs(Number(summary['maintenance_margin'])) < 1, `excess ${summary['maintenance_margin']} at ${price}`);
});

test('cached positions equal fresh ones, whatever has moved', (t) => {
  const bench = new Bench(t);
  open(bench);
  const { venue, reader: { state } } = bench;
  const trade = (size: number): void => {
    bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size });
    bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size });
  };
  const settings = state.settings.values.slice();
  settings[MAINTENANCE_PART] = 700_000;
  settings[OPTION_FLOOR] = 400_000;
  const steps: (() => void)[] = [
    () => trade(ONE), () => undefined, () => trade(2 * ONE),
    () => { bench.place({ ...PERP_BTC, wallet: 2, side: SELL, price: 100_000 * USDC, size: ONE }); },
    () => { bench.place({ ...PERP_BTC, wallet: 1, side: BUY, price: 100_000 * USDC, size: ONE }); },
    () => { bench.place({ ...PERP_BTC, wallet: 1, side: SELL, price: 120_000 * USDC, size: ONE }); },
    () => venue.venue(venue.write.index(0, 101_000e6, 1)), () => venue.advance(2_000), () => venue.advance(3_600_000),
    () => venue.venue(venue.write.configure(settings)), () => venue.advance(40 * 3_600_000),
  ];
  const texts = new Set<string>();
  for (const step of steps) {
    step();
    venue.settle();
    bench.feed();
    const fresh = new PortfolioBodies(state, new Names(state)).body(walletText(1), venue.now).toString();
    assert.equal(bench.answer('portfolio', { wallet: walletText(1) }).body, fresh);
    texts.add(fresh.slice(0, fresh.indexOf('"total_margin_used"')));
  }
  assert.equal(texts.size, steps.length - 3, 'all but the second step and the two resting orders change a position');
});
