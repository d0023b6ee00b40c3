// The page's what-if against the venue: for accounts of both margin modes with positions in options and perps, several expiries and open
// orders, what the page computes from GET /risk/inputs equals the venue's own answers to the last digit.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { CALL, FLAG_REDUCE_ONLY, FLAG_SURFACE_AGELESS, PERP, PUT } from '../../../../core/codec/commands.ts';
import { PORTFOLIO } from '../../../../core/accounts/accounts.ts';
import { addFunding } from '../../../../core/positions/funding.ts';
import { defaultSettings, MAKER_FEE, PRESET, TAKER_FEE, VENUE17 } from '../../../../core/settings.ts';
import { BUY, IOC, SELL } from '../../../../core/units.ts';
import { raiseVintage } from '../../../../core/valuation/valuation.ts';
import { WhatIf, type AccountView } from '../../../../client/terminal/whatif/what-if.ts';
import type { RiskGrid, RiskInputs } from '../../../../client/src/main.ts';
import { micro, slotOfSymbol } from '../../../../shell/reader/text.ts';
import type { Contract } from '../../../support/records.ts';
import { Bench, CALL_100, EXPIRY, ROOMY, walletText } from '../../../shell/reader/support.ts';

const ONE = 1_000_000;
const DAY = 86_400_000;
const WALLET = walletText(1);
const CONTRACTS = new Map<string, Contract>([
  ['BTC-20260106-100000-C', CALL_100],
  ['BTC-20260106-90000-P', { ...CALL_100, strike: 90_000e6, kind: PUT }],
  ['BTC-20260107-104000-C', { ...CALL_100, expiry: EXPIRY + DAY, strike: 104_000e6 }],
  ['ETH-20260106-3000-P', { ...CALL_100, underlying: 'ETH', strike: 3_000e6, kind: PUT }],
  ['BTC-PERP', { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP }],
  ['ETH-PERP', { underlying: 'ETH', expiry: 0, strike: 0, kind: PERP }],
]);
const SYMBOLS = [...CONTRACTS.keys()];

/** A wish as fast-check makes it: an eighth of a contract is the unit of sizes, a percent of the mark that of prices. */
type Scene = {
  readonly mode: 'standard' | 'portfolio'; readonly preset: number; readonly trades: readonly Wish[];
  readonly resting: readonly { readonly of: Wish; readonly reduces: boolean }[];
};
type Wish = { readonly at: number; readonly side: number; readonly eighths: number; readonly away: number };
const wish = fc.record({
  at: fc.nat(SYMBOLS.length - 1), side: fc.constantFrom<number>(BUY, SELL), eighths: fc.integer({ min: 1, max: 1_500 }),
  away: fc.integer({ min: -30, max: 30 }),
});
const scene = fc.record({
  mode: fc.constantFrom('standard' as const, 'portfolio' as const), preset: fc.constantFrom(0, VENUE17),
  trades: fc.array(wish, { maxLength: 6 }), resting: fc.array(fc.record({ of: wish, reduces: fc.boolean() }), { maxLength: 6 }),
  asked: fc.array(wish, { minLength: 1, maxLength: 5 }),
});

function markOf(bench: Bench, symbol: string): number {
  return bench.reader.state.valuation.mark[slotOfSymbol(bench.reader.state, symbol)]!;
}

function priceOf(bench: Bench, { at, away }: Wish): number {
  return Math.max(1, Number((markOf(bench, SYMBOLS[at]!) * (1 + away / 100)).toPrecision(5)));
}

function sizeOf({ eighths }: Wish): number {
  return eighths * ONE / 8;
}

/** A venue where wallet 1 has dealt with wallet 2; orders that the venue refuses are left out by it. */
function deal(t: TestContext, { mode, preset, resting, trades }: Scene): Bench {
  const bench = new Bench(t, { limits: ROOMY });
  const { venue } = bench;
  const settings = defaultSettings();
  settings[MAKER_FEE] = 200;
  settings[TAKER_FEE] = 500;
  settings[PRESET] = preset;
  venue.venue(venue.write.configure(settings));
  venue.venue(venue.write.surface(0, 0, 550_000, -200_000, 400_000, FLAG_SURFACE_AGELESS));
  venue.advance(60_000);
  if (mode === 'portfolio') assert.equal(venue.send(venue.write.marginMode(1, 900_000, PORTFOLIO)), 0);
  bench.feed();
  for (const one of trades) {
    const fields = { ...CONTRACTS.get(SYMBOLS[one.at]!)!, price: priceOf(bench, { ...one, away: one.away / 10 }), size: sizeOf(one) };
    bench.place({ ...fields, wallet: 2, side: 1 - one.side });
    bench.place({ ...fields, wallet: 1, side: one.side, tif: IOC });
  }
  for (const { of, reduces } of resting) {
    const away = (1 + Math.abs(of.away)) * (of.side === BUY ? -1 : 1);
    bench.place({
      ...CONTRACTS.get(SYMBOLS[of.at]!)!, wallet: 1, side: of.side, price: priceOf(bench, { ...of, away }), size: sizeOf(of),
      flags: reduces ? FLAG_REDUCE_ONLY : 0,
    });
  }
  return bench;
}

/** Funding that a sweep has not come to yet: it is owed when the perps are touched. */
function chargeFunding({ reader, venue }: Bench): void {
  for (const { funding, instruments, valuation } of [venue.state, reader.state]) {
    addFunding(funding, instruments.perpOf[0]!, 40_000_000_007);
    addFunding(funding, instruments.perpOf[1]!, -7_000_000_001);
    raiseVintage(valuation);
  }
}

function inputsOf(bench: Bench, symbols: readonly string[], wallet = WALLET): RiskInputs {
  return bench.body<{ data: RiskInputs }>('riskInputs', { wallet, symbols }).data;
}

type Greeks = { readonly delta: number; readonly gamma: number; readonly vega: number; readonly theta: number };

type Leg = { readonly symbol: string; readonly side: 'Buy' | 'Sell'; readonly size: number };

function greeksOf(bench: Bench, orders: readonly Leg[]): Greeks {
  const { data } = bench.body<{ data: { aggregate?: Greeks & { iv: unknown } } }>('portfolioGreeks', { wallet: WALLET, orders });
  const { delta, gamma, theta, vega } = data.aggregate ?? { delta: 0, gamma: 0, theta: 0, vega: 0 };
  return { delta, gamma, theta, vega };
}

/** As GET /portfolio shows them, by underlying. */
function liquidations(positions: readonly { readonly symbol: string; readonly liquidation_price: string | null }[]) {
  return Object.fromEntries(positions.map(({ symbol, liquidation_price: price }) => [symbol.slice(0, symbol.indexOf('-')), price]));
}

type Portfolio = {
  readonly positions: readonly { readonly symbol: string; readonly liquidation_price: string | null }[]; readonly available_balance: string;
  readonly margin_summary: { readonly equity: string };
};

function assertShown(view: AccountView, grid: RiskGrid, shown: Portfolio, greeks: Greeks): void {
  assert.deepEqual(view.grid, grid);
  assert.deepEqual(view.greeks, greeks);
  assert.deepEqual(view.liquidation_prices, liquidations(shown.positions));
  assert.equal(view.free_collateral, shown.available_balance);
  assert.equal(view.equity, shown.margin_summary.equity);
  assert.deepEqual([view.initial_margin, view.maintenance_margin], [grid.total_initial_margin, grid.position_maintenance_margin]);
}

test('what orders do to an account, computed in the page, equals the venue’s simulation and portfolio to the last digit', (t) => {
  const seen = { standard: 0, portfolio: 0, positions: 0, orders: 0, liquidations: 0 };
  fc.assert(fc.property(scene, ({ asked, ...setting }) => {
    const bench = deal(t, setting);
    chargeFunding(bench);
    const orders = asked.map((one) => ({
      symbol: SYMBOLS[one.at]!, side: one.side === BUY ? 'Buy' as const : 'Sell' as const, size: sizeOf(one), price: priceOf(bench, one),
    }));
    const inputs = inputsOf(bench, orders.map(({ symbol }) => symbol));
    const whatIf = new WhatIf(inputs);
    const typed = orders.map((one) => ({ ...one, size: micro(one.size), price: micro(one.price) }));
    const answer = whatIf.orders(typed);
    type Simulated = { readonly before: RiskGrid; readonly after: RiskGrid; readonly filled: RiskGrid };
    const simulated = bench.body<{ data: Simulated }>('simulateOrders', { wallet: WALLET, orders });
    const shown = bench.body<Portfolio>('portfolio', { wallet: WALLET });
    assertShown(answer.before, simulated.data.before, shown, greeksOf(bench, []));
    assert.deepEqual(answer.resting.grid, simulated.data.after);
    assert.deepEqual(answer.filled.grid, simulated.data.filled);
    assert.deepEqual(answer.filled.greeks, greeksOf(bench, orders));
    assert.deepEqual(whatIf.orders(typed), answer, 'asked again');
    assert.deepEqual(whatIf.account().grid.equity, simulated.data.before.equity);
    seen[setting.mode]++;
    seen.positions += shown.positions.length;
    seen.orders += inputs.holdings.reduce((count, one) => count + one.orders.length, 0);
    seen.liquidations += shown.positions.filter(({ liquidation_price: price }) => price !== null).length;
  }), { numRuns: 40, seed: 11 });
  assert.ok(Object.values(seen).every((count) => count >= 10), JSON.stringify(seen));
});

test('the account after a fill, as the page foretells it, is the one that the venue shows after the fill', (t) => {
  for (const mode of ['standard', 'portfolio'] as const) {
    const trades = [{ at: 0, side: SELL, eighths: 64, away: 0 }, { at: 4, side: BUY, eighths: 32, away: 0 }];
    const bench = deal(t, { mode, preset: 0, trades, resting: [] });
    const order = { at: 2, side: SELL, eighths: 24, away: 0 };
    const symbol = SYMBOLS[order.at]!;
    const price = priceOf(bench, order);
    const inputs = inputsOf(bench, [symbol]);
    const { fee, filled } = new WhatIf(inputs).orders([{ symbol, side: 'Sell', size: micro(sizeOf(order)), price: micro(price) }]);
    const fields = { ...CONTRACTS.get(symbol)!, price, size: sizeOf(order) };
    assert.equal(bench.place({ ...fields, wallet: 2, side: BUY }), 0);
    assert.equal(bench.place({ ...fields, wallet: 1, side: SELL, tif: IOC }), 0);
    const { data: grid } = bench.body<{ data: RiskGrid }>('riskGrid', { wallet: WALLET });
    assertShown(filled, grid, bench.body<Portfolio>('portfolio', { wallet: WALLET }), greeksOf(bench, []));
    const { data: fills } = bench.body<{ data: readonly { readonly fee: string }[] }>('fills', { wallet: WALLET, limit: 1, offset: 0 });
    assert.equal(fee, fills[0]!.fee);
  }
});

test('a wallet without an account counts as one that has just opened', (t) => {
  const bench = deal(t, { mode: 'standard', preset: 0, trades: [], resting: [] });
  const wallet = walletText(77);
  const inputs = inputsOf(bench, ['BTC-PERP'], wallet);
  const orders = [{ symbol: 'BTC-PERP', side: 'Buy' as const, size: ONE, price: 100_000 * ONE }];
  const { data } = bench.body<{ data: { before: RiskGrid; filled: RiskGrid } }>('simulateOrders', { wallet, orders });
  const answer = new WhatIf(inputs).orders([{ symbol: 'BTC-PERP', side: 'Buy', size: '1', price: '100000' }]);
  assert.deepEqual([answer.before.grid, answer.filled.grid], [data.before, data.filled]);
  assert.equal(answer.before.free_collateral, '10000000');
});

test('without a price an order counts at the mark, as in the venue’s simulation', (t) => {
  const bench = deal(t, { mode: 'portfolio', preset: 0, trades: [], resting: [] });
  const order = { symbol: SYMBOLS[0]!, side: 'Sell' as const, size: 3 * ONE };
  const { data } = bench.body<{ data: { filled: RiskGrid } }>('simulateOrders', { wallet: WALLET, orders: [order] });
  const { filled } = new WhatIf(inputsOf(bench, [order.symbol])).orders([{ ...order, size: '3' }]);
  assert.deepEqual(filled.grid, data.filled);
});

test('a contract that was not asked for, and an expired one, are refused by name', (t) => {
  const bench = deal(t, { mode: 'standard', preset: 0, trades: [], resting: [] });
  const inputs = inputsOf(bench, ['BTC-20260106-100000-C']);
  const order = { side: 'Buy' as const, size: '1', price: '100' };
  assert.throws(() => new WhatIf(inputs).orders([{ ...order, symbol: 'BTC-PERP' }]), /BTC-PERP is not among the contracts/);
  const later = { ...inputs, time_ms: EXPIRY };
  assert.throws(() => new WhatIf(later).orders([{ ...order, symbol: 'BTC-20260106-100000-C' }]), /has expired/);
});

test('the venue refuses inputs for a symbol that it does not have', (t) => {
  const bench = deal(t, { mode: 'standard', preset: 0, trades: [], resting: [] });
  assert.throws(() => inputsOf(bench, ['BTC-PERP', 'BTC-20260106-123456-C']), /400: .*Invalid symbol: BTC-20260106-123456-C/);
});

test('inputs name each contract once, with open orders oldest first and the constants in force', (t) => {
  const resting = [5, 9, 2].map((away) => ({ of: { at: 0, side: SELL, eighths: 8, away }, reduces: false }));
  const bench = deal(t, { mode: 'standard', preset: 0, trades: [], resting });
  const { contracts, holdings, settings } = inputsOf(bench, ['BTC-20260106-100000-C', 'BTC-6JAN26-100000-C']);
  assert.deepEqual(contracts.map(({ symbol }) => symbol), ['BTC-20260106-100000-C']);
  const mark = markOf(bench, 'BTC-20260106-100000-C');
  const prices = [6, 10, 3].map((percent) => micro(Number((mark * (1 + percent / 100)).toPrecision(5))));
  assert.deepEqual(holdings[0]!.orders.map(({ price }) => price), prices);
  assert.equal(settings['taker_fee'], 500);
  assert.equal(contracts[0]!.mark_price, micro(mark));
  assert.equal(CONTRACTS.get('BTC-20260106-100000-C')!.kind, CALL);
});
