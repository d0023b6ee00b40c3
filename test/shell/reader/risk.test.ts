// The risk grid against brute force over the raw state, and simulations against what really happens then: orders placed, orders filled, a
// portfolio traded. No simulation changes a bit of the state.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { CALL, FLAG_REDUCE_ONLY, FLAG_SURFACE_AGELESS, PERP, PUT } from '../../../core/codec/commands.ts';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { stateSections } from '../../../core/engine/state.ts';
import { defaultSettings, TAKER_FEE, MAKER_FEE, PRESET } from '../../../core/settings.ts';
import { addFunding } from '../../../core/positions/funding.ts';
import { raiseVintage } from '../../../core/valuation/valuation.ts';
import { hashSections } from '../../../core/snapshot/hash.ts';
import { BUY, IOC, SELL } from '../../../core/units.ts';
import { riskGrid } from '../../../shell/reader/account/risk.ts';
import { accountOfWallet, Names, slotOfSymbol } from '../../../shell/reader/text.ts';
import { SimulatedAccount } from '../../../shell/reader/account/simulated-account.ts';
import { book, collateral, equity, measure } from '../../core/margin/oracle.ts';
import { contractRows, nearest, portfolioRequirement, type Exposure } from '../../core/margin/scenario-oracle.ts';
import { Random } from '../../sim/random.ts';
import type { Contract } from '../../support/records.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const PUT_90: Contract = { ...CALL_100, strike: 90_000e6, kind: PUT };
const CALL_104: Contract = { ...CALL_100, strike: 104_000e6, kind: CALL };
const PERP_BTC: Contract = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP };
const PERP_ETH: Contract = { underlying: 'ETH', expiry: 0, strike: 0, kind: PERP };
const SYMBOLS = new Map([
  [CALL_100, CALL_100_SYMBOL], [PUT_90, 'BTC-20260106-90000-P'], [CALL_104, 'BTC-20260106-104000-C'], [PERP_BTC, 'BTC-PERP'],
  [PERP_ETH, 'ETH-PERP'],
]);
const CONTRACTS = [...SYMBOLS.keys()];
const WALLET = walletText(1);

type Row = Record<string, any>;

function micros(text: string): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole!) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return text.startsWith('-') ? -value : value;
}

function desk(t: TestContext, mode: 'standard' | 'portfolio'): Bench {
  const bench = new Bench(t);
  const { venue } = bench;
  const settings = defaultSettings();
  settings[MAKER_FEE] = 200;
  settings[TAKER_FEE] = 500;
  venue.venue(venue.write.configure(settings));
  venue.venue(venue.write.surface(0, 0, 550_000, -200_000, 400_000, FLAG_SURFACE_AGELESS));
  // Away from the full hour, at which perps are funded.
  venue.advance(60_000);
  if (mode === 'portfolio') assert.equal(venue.send(venue.write.marginMode(1, 900_000, PORTFOLIO)), 0);
  bench.feed();
  return bench;
}

function hash(bench: Bench): string {
  return Buffer.from(hashSections(stateSections(bench.reader.state)).buffer).toString('hex');
}

function markOf(bench: Bench, contract: Contract): number {
  return bench.reader.state.valuation.mark[slotOfSymbol(bench.reader.state, SYMBOLS.get(contract)!)]!;
}

/** A price of 5 figures about so far from the mark, by the part `away`. */
function priceNear(bench: Bench, contract: Contract, away: number): number {
  return Math.max(1, Number((markOf(bench, contract) * (1 + away)).toPrecision(5)));
}

/** Wallet 1 trades with wallet 2 at the price: it buys, or with a size below 0 sells. */
function trade(bench: Bench, contract: Contract, size: number, price: number): void {
  const side = size > 0 ? BUY : SELL;
  assert.equal(bench.place({ ...contract, wallet: 2, side: side === BUY ? SELL : BUY, price, size: Math.abs(size) }), 0);
  assert.equal(bench.place({ ...contract, wallet: 1, side, price, size: Math.abs(size), tif: IOC }), 0);
}

/** Positions in everything, and open orders away from the marks. */
function mixed(bench: Bench): void {
  trade(bench, CALL_100, -8 * ONE, priceNear(bench, CALL_100, 0));
  trade(bench, CALL_104, 3 * ONE, priceNear(bench, CALL_104, 0.1));
  trade(bench, PUT_90, -5.5 * ONE, priceNear(bench, PUT_90, 0));
  trade(bench, PERP_BTC, 4 * ONE, 100_500 * USDC);
  trade(bench, PERP_ETH, -20 * ONE, 2_990 * USDC);
  bench.place({ ...CALL_100, wallet: 1, side: BUY, price: priceNear(bench, CALL_100, -0.2), size: 3 * ONE });
  bench.place({ ...CALL_104, wallet: 1, side: SELL, price: priceNear(bench, CALL_104, 0.3), size: 6 * ONE });
  bench.place({ ...PERP_BTC, wallet: 1, side: SELL, price: 103_000 * USDC, size: 9 * ONE });
}

function grid(bench: Bench): Row {
  return bench.body<{ success: boolean; data: Row; error: null }>('riskGrid', { wallet: WALLET }).data;
}

function exposures(bench: Bench): Exposure[] {
  const { state } = bench.reader;
  return book(state, accountOfWallet(state, WALLET)).map(({ instrument, position, orders }) => {
    const sum = (of: number): bigint => orders.reduce((total, { side, size }) => (side === of ? total + size : total), 0n);
    return { instrument, position, bids: sum(BUY), asks: sum(SELL) };
  });
}

for (const mode of ['standard', 'portfolio'] as const) {
  test(`the risk grid of an account in ${mode} mode equals brute force`, (t) => {
    const bench = desk(t, mode);
    mixed(bench);
    const { state } = bench.reader;
    const data = grid(bench);
    assert.deepEqual(Object.keys(data), ['margin_mode', 'equity', 'collateral', 'position_initial_margin', 'position_maintenance_margin',
      'open_orders_initial_margin', 'open_orders_reserved', 'total_initial_margin', 'scanning_risk', 'option_floor', 'gamma_overlay',
      'underlyings']);
    assert.equal(data.margin_mode, mode);
    const account = accountOfWallet(state, WALLET);
    const sums = measure(state, account);
    assert.deepEqual([micros(data.equity), micros(data.collateral)], [equity(sums), collateral(sums)]);
    const held = exposures(bench);
    const whole = portfolioRequirement(state, held);
    const alone = portfolioRequirement(state, held.map((one) => ({ ...one, bids: 0n, asks: 0n })));
    const within = (value: bigint, { low, high }: { low: bigint; high: bigint }): void => assert.ok(value >= low && value <= high);
    within(micros(data.scanning_risk), whole.scanning);
    assert.deepEqual([micros(data.option_floor), micros(data.gamma_overlay)], [whole.floor, whole.overlay]);
    assert.equal(micros(data.open_orders_reserved), sums.reserved);
    assert.equal(micros(data.total_initial_margin), micros(data.position_initial_margin) + micros(data.open_orders_initial_margin));
    if (mode === 'portfolio') {
      within(micros(data.total_initial_margin), whole.initial);
      within(micros(data.position_initial_margin), alone.initial);
      const law = [micros(data.scanning_risk), micros(data.option_floor)].reduce((a, b) => (a > b ? a : b)) + micros(data.gamma_overlay);
      assert.equal(micros(data.total_initial_margin), law);
      assert.equal(micros(data.position_maintenance_margin), (micros(data.position_initial_margin) * 8n + 9n) / 10n);
    } else {
      assert.equal(micros(data.total_initial_margin), sums.initial);
      const positions = book(state, account).map((one) => ({ ...one, orders: [] }));
      assert.equal(micros(data.position_initial_margin), measure(state, account, positions).initial);
    }
    checkRows(bench, data, held);
  });
}

/** Every row of every matrix, and that the rows reproduce scanning_risk. */
function checkRows(bench: Bench, data: Row, held: readonly Exposure[]): void {
  const { state } = bench.reader;
  let scanning = 0n;
  let cash = micros(data.equity);
  assert.deepEqual(data.underlyings.map(({ underlying }: Row) => underlying), ['BTC', 'ETH']);
  for (const { underlying, scenarios, extended_risk_matrix: matrix, vintage, marked_at: markedAt } of data.underlyings as Row[]) {
    const number = underlying === 'BTC' ? 0 : 1;
    assert.deepEqual([vintage, markedAt], [state.valuation.vintage[number], state.valuation.markedAt[number]]);
    const totals: bigint[] = scenarios.map(() => 0n);
    for (const row of matrix.instruments as Row[]) {
      const slot = slotOfSymbol(state, row.symbol);
      const one = held.find(({ instrument }) => instrument === slot)!;
      assert.deepEqual([micros(row.amount), row.underlying, row.base_amount], [one.position, underlying, row.amount]);
      cash -= micros(row.current_value);
      contractRows(state, slot).forEach(([low, high], at) => {
        const gain = (change: bigint): bigint => nearest(one.position, change, 1_000_000n)
          + nearest(one.bids, change < 0n ? change : 0n, 1_000_000n) + nearest(one.asks, change > 0n ? -change : 0n, 1_000_000n);
        const shown = micros(row.scenario_pnls[at]);
        assert.ok(shown === gain(low) || shown === gain(high), `${row.symbol} in row ${at}: ${shown}`);
        totals[at]! += shown;
      });
    }
    assert.deepEqual(matrix.total_pnls.map(micros), totals);
    assert.deepEqual(scenarios.map((row: Row) => micros(row.total_pnl)), totals);
    const worst = totals.reduce((a, b) => (b < a ? b : a));
    assert.deepEqual([matrix.worst_scenario_index, micros(matrix.worst_scenario_pnl)], [totals.indexOf(worst), worst]);
    if (worst < 0n) scanning -= worst;
    assert.deepEqual(matrix.scenarios, scenarios.map(({ total_pnl: _, ...rest }: Row) => rest));
  }
  assert.equal(micros(data.scanning_risk), scanning);
  assert.equal(cash, BigInt(state.accounts.cash[accountOfWallet(state, WALLET)]!), 'current values and cash are the equity');
}

test('scenarios of both presets have their ids, shocks, weights and tails', (t) => {
  const bench = desk(t, 'portfolio');
  mixed(bench);
  const dense = grid(bench).underlyings[0].scenarios as Row[];
  assert.equal(dense.length, 35);
  assert.deepEqual(dense.map(({ id }) => id), dense.map((_, at) => `S${at + 1}`));
  const { total_pnl: _, ...first } = dense[0]!;
  assert.deepEqual(first, { id: 'S1', spot_shock_pct: '-0.16', vol_shock_pct: '-0.25', pnl_weight: '1', is_tail: false });
  const { total_pnl: __, ...last } = dense[34]!;
  assert.deepEqual(last, { id: 'S35', spot_shock_pct: '5', vol_shock_pct: '0.45', pnl_weight: '0.032', is_tail: true });
  assert.deepEqual(dense.map(({ is_tail: tail }) => tail), dense.map((row) => Number(row.pnl_weight) < 1));
  const settings = bench.reader.state.settings.values.slice();
  settings[PRESET] = 1;
  bench.venue.venue(bench.venue.write.configure(settings));
  bench.feed();
  const venue17 = grid(bench);
  assert.deepEqual(venue17.underlyings.map(({ scenarios }: Row) => scenarios.length), [17, 35], 'the preset is of the underlying');
  checkRows(bench, venue17, exposures(bench));
});

test('the risk grid of an unknown wallet is that of a new one', (t) => {
  const bench = desk(t, 'standard');
  const before = hash(bench);
  const { data } = bench.body<{ data: Row }>('riskGrid', { wallet: walletText(77) });
  assert.deepEqual([data.margin_mode, data.equity, data.total_initial_margin, data.underlyings], ['standard', '10000000', '0', []]);
  assert.equal(hash(bench), before);
});

/** Orders that neither fill at once nor are refused. */
function randomOrders(random: Random, bench: Bench): { contract: Contract; side: number; size: number; price: number }[] {
  return Array.from({ length: random.between(1, 5) }, () => {
    const contract = random.pick(CONTRACTS);
    const side = random.pick([BUY, SELL]);
    const away = random.between(2, 30) / 100 * (side === BUY ? -1 : 1);
    return { contract, side, size: random.between(1, 40) * ONE / 8, price: priceNear(bench, contract, away) };
  });
}

for (const mode of ['standard', 'portfolio'] as const) {
  test(`simulated orders in ${mode} mode: the state after them equals that after placing them`, (t) => {
    const random = new Random(mode === 'standard' ? 11 : 12);
    for (let round = 0; round < 4; round++) {
      const bench = desk(t, mode);
      mixed(bench);
      const standing = hash(bench);
      const before = grid(bench);
      const orders = randomOrders(random, bench);
      const asked = orders.map(({ contract, side, size, price }) => (
        { symbol: SYMBOLS.get(contract)!, side: side === BUY ? 'Buy' as const : 'Sell' as const, size, price }
      ));
      const { data } = bench.body<{ data: Row }>('simulateOrders', { wallet: WALLET, orders: asked });
      assert.deepEqual(Object.keys(data), ['before', 'after', 'filled']);
      assert.deepEqual(data.before, before);
      assert.deepEqual(bench.body<{ data: Row }>('simulateOrders', { wallet: WALLET, orders: asked }).data, data, 'asked again');
      assert.equal(hash(bench), standing, 'the state is as it was');
      for (const { contract, side, size, price } of orders) assert.equal(bench.place({ ...contract, wallet: 1, side, price, size }), 0);
      assert.deepEqual(rowsByName(grid(bench)), rowsByName(data.after));
    }
  });
}

/** Holdings are listed in the order of their opening, which a simulation need not share. */
function rowsByName(one: Row): Row {
  const copy = structuredClone(one);
  for (const { extended_risk_matrix: { instruments } } of copy.underlyings) {
    instruments.sort((a: Row, b: Row) => (a.symbol < b.symbol ? -1 : 1));
  }
  return copy;
}

for (const mode of ['standard', 'portfolio'] as const) {
  test(`simulated orders in ${mode} mode: the state if filled equals that after filling them`, (t) => {
    const bench = desk(t, mode);
    trade(bench, CALL_100, -8 * ONE, priceNear(bench, CALL_100, 0));
    trade(bench, PERP_BTC, 4 * ONE, 100_500 * USDC);
    trade(bench, PERP_ETH, -20 * ONE, 2_990 * USDC);
    // Funding that a sweep has not come to yet: it is owed when the perps are touched.
    for (const { funding, instruments, valuation } of [bench.venue.state, bench.reader.state]) {
      addFunding(funding, instruments.perpOf[0]!, 40_000_000_007);
      addFunding(funding, instruments.perpOf[1]!, -7_000_000_001);
      raiseVintage(valuation);
    }
    const orders = [
      { contract: CALL_100, side: BUY, size: 3 * ONE }, { contract: PERP_BTC, side: SELL, size: 6 * ONE },
      { contract: PERP_ETH, side: SELL, size: ONE }, { contract: CALL_104, side: BUY, size: 2.5 * ONE },
    ].map((one) => ({ ...one, price: priceNear(bench, one.contract, 0.001) }));
    const asked = orders.map(({ contract, side, size, price }) => (
      { symbol: SYMBOLS.get(contract)!, side: side === BUY ? 'Buy' as const : 'Sell' as const, size, price }
    ));
    const { data } = bench.body<{ data: Row }>('simulateOrders', { wallet: WALLET, orders: asked });
    for (const { contract, side, size, price } of orders) trade(bench, contract, side === BUY ? size : -size, price);
    assert.deepEqual(rowsByName(grid(bench)), rowsByName(data.filled));
  });
}

for (const mode of ['standard', 'portfolio'] as const) {
  test(`simulated orders in ${mode} mode: resting reduce-only orders shrink and end with the position`, (t) => {
    // Closed in part, closed, turned round, and all that one after the other: of a perp and of an option, held long and short.
    for (const sizes of [[4], [6], [10], [4, 1, 5], [2, -3, 5]]) {
      for (const contract of [PERP_BTC, CALL_100]) {
        for (const sign of [1, -1]) {
          const bench = desk(t, mode);
          const price = priceNear(bench, contract, 0);
          trade(bench, contract, 6 * sign * ONE, price);
          const side = sign > 0 ? SELL : BUY;
          // Far from where the fills are: orders beside those that shrink, older and younger.
          const resting = [[1, 0], [6, FLAG_REDUCE_ONLY], [2.5, FLAG_REDUCE_ONLY], [2, 0]] as const;
          for (const [at, [size, flags]] of resting.entries()) {
            const away = priceNear(bench, contract, sign * (0.1 + at / 100));
            assert.equal(bench.place({ ...contract, wallet: 1, side, price: away, size: size * ONE, flags }), 0);
          }
          const standing = hash(bench);
          const asked = sizes.map((size) => ({
            symbol: SYMBOLS.get(contract)!, side: (size > 0) === (sign > 0) ? 'Sell' as const : 'Buy' as const, size: Math.abs(size) * ONE,
            price,
          }));
          const { data } = bench.body<{ data: Row }>('simulateOrders', { wallet: WALLET, orders: asked });
          assert.equal(hash(bench), standing, 'the state is as it was');
          assert.deepEqual(bench.body<{ data: Row }>('simulateOrders', { wallet: WALLET, orders: asked }).data, data, 'asked again');
          for (const size of sizes) trade(bench, contract, -size * sign * ONE, price);
          assert.deepEqual(rowsByName(grid(bench)), rowsByName(data.filled), `${contract.kind} ${sign} ${sizes}`);
        }
      }
    }
  });
}

test('the shortfall of a refused order is the one that the simulation shows', (t) => {
  const bench = desk(t, 'portfolio');
  trade(bench, CALL_100, -8 * ONE, priceNear(bench, CALL_100, 0));
  const order = { symbol: 'BTC-PERP', side: 'Buy' as const, size: 900 * ONE, price: 100_000 * USDC };
  const { data } = bench.body<{ data: Row }>('simulateOrders', { wallet: WALLET, orders: [order] });
  assert.notEqual(bench.place({ ...PERP_BTC, wallet: 1, side: BUY, price: order.price, size: order.size }), 0);
  const { after } = data;
  const required = micros(after.total_initial_margin) + micros(after.open_orders_reserved);
  assert.deepEqual([BigInt(bench.venue.number(0)), BigInt(bench.venue.number(1))], [required, micros(after.collateral)]);
});

test('a simulated portfolio equals an account that trades it', (t) => {
  for (const mode of ['standard', 'portfolio'] as const) {
    const bench = desk(t, mode);
    trade(bench, CALL_100, -8 * ONE, priceNear(bench, CALL_100, 0));
    trade(bench, PUT_90, 2.25 * ONE, priceNear(bench, PUT_90, 0));
    trade(bench, PERP_BTC, 4 * ONE, 100_500 * USDC);
    const positions = [
      { symbol: CALL_100_SYMBOL, amount: -8 * ONE }, { symbol: 'BTC-20260106-90000-P', amount: ONE },
      { symbol: 'BTC-PERP', amount: 4 * ONE, entry_price: 100_500 * USDC }, { symbol: 'BTC-20260106-90000-P', amount: 1.25 * ONE },
    ];
    const before = hash(bench);
    const own = bench.body<{ data: Row }>('simulatePortfolio', { wallet: WALLET, positions }).data;
    assert.deepEqual(rowsByName(own), rowsByName(grid(bench)), mode);
    assert.equal(hash(bench), before);
    const other = bench.body<{ data: Row }>('simulatePortfolio', { positions, balance: 5 * USDC, margin_mode: mode }).data;
    assert.deepEqual(other.underlyings, own.underlyings);
    assert.deepEqual([other.total_initial_margin, other.margin_mode], [own.total_initial_margin, mode]);
    const cash = BigInt(bench.reader.state.accounts.cash[accountOfWallet(bench.reader.state, WALLET)]!);
    assert.equal(micros(own.equity) - micros(other.equity), cash - BigInt(5 * USDC));
    const fresh = bench.body<{ data: Row }>('simulatePortfolio', { positions: [] as never }).data;
    assert.deepEqual([fresh.margin_mode, fresh.equity, fresh.underlyings], ['portfolio', '10000000', []]);
  }
});

test('an invalid simulation is refused with its reason, and leaves nothing behind', (t) => {
  const bench = desk(t, 'portfolio');
  mixed(bench);
  const standing = hash(bench);
  const before = grid(bench);
  const order = { symbol: CALL_100_SYMBOL, side: 'Buy' as const, size: ONE };
  const refusal = (answer: { status: number; body: string }) => {
    const { success, data, error, message } = JSON.parse(answer.body) as Row;
    assert.deepEqual([success, data], [false, null]);
    return [answer.status, error, message];
  };
  const orders = (...all: object[]) => refusal(bench.answer('simulateOrders', { wallet: WALLET, orders: all as never }));
  assert.deepEqual(orders(order, { ...order, symbol: 'BTC-20260106-1-C' }), [400, 'invalid_parameter', 'Invalid symbol: BTC-20260106-1-C']);
  const large = [400, 'invalid_parameter', 'The portfolio is too large to be computed exactly'];
  assert.deepEqual(orders(...Array.from({ length: 100 }, () => ({ ...order, size: 1e15 }))), large);
  const positions = Array.from({ length: 100 }, () => ({ symbol: 'BTC-PERP', amount: 1e15 }));
  assert.deepEqual(refusal(bench.answer('simulatePortfolio', { positions })), large);
  assert.deepEqual(grid(bench), before);
  bench.venue.now = EXPIRY;
  assert.deepEqual(orders(order), [400, 'invalid_parameter', 'Instrument has expired']);
  assert.equal(hash(bench), standing);
});

test('a slot that another contract has taken is valued afresh', (t) => {
  const bench = desk(t, 'portfolio');
  const { state } = bench.reader;
  const { instruments, valuation } = state;
  const slot = slotOfSymbol(state, CALL_100_SYMBOL);
  const names = new Names(state);
  const gridOf = (simulated: SimulatedAccount): object | null => {
    simulated.open(0, PORTFOLIO);
    simulated.addPosition(slot, -ONE, 0);
    return riskGrid(simulated, names, [], PORTFOLIO);
  };
  const simulated = new SimulatedAccount(state);
  const before = gridOf(simulated);
  // The same volatility, and marks of the same time: nothing but its id says that it is another contract.
  instruments.id[slot] = instruments.counters[1]! + 1;
  instruments.strike[slot] = 101_000e6;
  valuation.mark[slot]! -= 100 * USDC;
  const after = gridOf(simulated);
  assert.deepEqual(after, gridOf(new SimulatedAccount(state)));
  assert.notDeepEqual(after, before);
});
