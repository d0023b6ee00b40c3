// Margin by brute force: one account from its raw holdings and open orders, in BigInt, formula by formula from
// MARGIN.md ("One view of an account", "Standard mode", "Portfolio mode") and decisions 4.2, 4.4. Money and prices 1e-6 USDC, sizes
// 1e-6 contracts. Requirements and reserves round up, credits down, values to the nearest (a half away from zero).
// Shares no code with the core but its units and record layouts; slow on purpose; must never be optimised.

import { BUY, CONTRACT } from '../../../core/units.ts';
import { CALL, PERP } from '../../../core/codec/commands.ts';
import type { State } from '../../../core/engine/state.ts';
import { liveRows, openOrders, type RawHolding, type RawOrder } from '../../support/raw.ts';
import { nearest, portfolioRequirement } from './scenario-oracle.ts';

export type Order = { account: number; instrument: number; side: number; price: number; size: number };
/** `cost` and `owed` (pending funding) count for perps only. */
export type Position = {
  instrument: number; position: bigint; orders: { side: number; price: bigint; size: bigint }[]; cost?: bigint; owed?: bigint;
};
/** `longs`, `shorts`: gains and losses against cash; `uncounted`: the part of gains that is no collateral. */
export type Measure = { cash: bigint; longs: bigint; shorts: bigint; uncounted: bigint; initial: bigint; reserved: bigint };

const UNIT = BigInt(CONTRACT);
const PPM = 1_000_000n;
/** Settings by number, as core/settings documents them. */
const MAX_POSITION = 1;
const INITIAL = 3;
const FLOOR = 4;
const MAINTENANCE = 5;
const CLOSING_MARK = 6;
const CLOSING_INDEX = 7;
const CLOSING_PERP = 9;
const PERP_INITIAL = 10;
const PERP_MAINTENANCE = 11;
const TAKER_FEE = 13;
const FEE_PREMIUM = 15;
const MAINTENANCE_PART = 21;
const STALE_LONG = 24;
const NANO = 1_000_000_000n;

const up = (a: bigint, b: bigint, by: bigint): bigint => (a * b + by - 1n) / by;
const most = (a: bigint, b: bigint, c = b): bigint => (a > b ? (a > c ? a : c) : b > c ? b : c);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const magnitude = (a: bigint): bigint => (a < 0n ? -a : a);

/** The account's positions and open orders by instrument. */
export function book(
  state: State, account: number, holdings: readonly RawHolding[] = liveRows(state), orders: readonly RawOrder[] = openOrders(state),
): Position[] {
  const rows = holdings.filter((row) => row.account === account);
  // One that waits for a trigger binds nothing.
  const open = orders.filter((order) => order.account === account && order.entry !== 0);
  return rows.map((row) => ({
    instrument: row.instrument, position: BigInt(row.position), cost: BigInt(row.cost), owed: owedBy(state, row),
    orders: open.filter((order) => order.instrument === row.instrument)
      .map((order) => ({ side: order.side, price: BigInt(order.price), size: BigInt(order.remaining) })),
  }));
}

/** Pending funding of the row: an amount to pay rounds up, an amount to receive rounds down. */
function owedBy(state: State, row: RawHolding): bigint {
  const since = BigInt(state.funding.cumulative[row.instrument]!) - BigInt(state.holdings.funding[row.row]!);
  const product = since * BigInt(row.position);
  return product > 0n ? (product + NANO - 1n) / NANO : product / NANO;
}

function isPerp(state: State, instrument: number): boolean {
  return state.instruments.kind[instrument] === PERP;
}

function spotOf(state: State, instrument: number): bigint {
  return BigInt(state.valuation.markIndex[state.instruments.underlying[instrument]!]!);
}

/** Initial margin of one contract (a perp or a short option) in standard mode. */
function contractInitial(state: State, instrument: number): bigint {
  const set = (n: number): bigint => BigInt(state.settings.values[n]!);
  const spot = spotOf(state, instrument);
  const mark = BigInt(state.valuation.mark[instrument]!);
  if (isPerp(state, instrument)) return up(mark, set(PERP_INITIAL), PPM);
  const strike = BigInt(state.instruments.strike[instrument]!);
  const isCall = state.instruments.kind[instrument] === CALL;
  const outside = most(0n, isCall ? strike - spot : spot - strike);
  const initial = most(up(spot, set(INITIAL), PPM) - outside, up(spot, set(FLOOR), PPM));
  return isCall ? initial : most(initial, up(most(spot, mark), set(MAINTENANCE), PPM));
}

function feeOf(state: State, instrument: number, price: bigint, size: bigint): bigint {
  const set = (n: number): bigint => BigInt(state.settings.values[n]!);
  const fee = up(spotOf(state, instrument) * size, set(TAKER_FEE), UNIT * PPM);
  return isPerp(state, instrument) ? fee : least(fee, up(price * size, set(FEE_PREMIUM), UNIT * PPM));
}

function sizes(held: Position, side: number): bigint {
  return held.orders.reduce((sum, order) => (order.side === side ? sum + order.size : sum), 0n);
}

/** The largest position that fills of the open orders can make. */
function reach(held: Position): bigint {
  return most(magnitude(held.position), magnitude(held.position + sizes(held, BUY)), magnitude(held.position - sizes(held, 1 - BUY)));
}

/** One instrument's share of the account's sums; in portfolio mode without initial margin, which is not a sum over instruments. */
export function measureOne(state: State, held: Position, mode = 0): Measure {
  const mark = BigInt(state.valuation.mark[held.instrument]!);
  const perp = isPerp(state, held.instrument);
  const { position } = held;
  let reserved = 0n;
  let closable = perp ? 0n : most(0n, -position);
  for (const { side, price, size } of held.orders) {
    const fee = feeOf(state, held.instrument, price, size);
    if (side === BUY && !perp && mode === 0) {
      const closing = least(size, closable);
      closable -= closing;
      reserved += most(0n, up(price, size, UNIT) + fee - mark * closing / UNIT);
    } else reserved += up(most(0n, side === BUY ? price - mark : mark - price), size, UNIT) + fee;
  }
  const needed = perp ? reach(held) : most(0n, sizes(held, 1 - BUY) - most(0n, position)) + most(0n, -position);
  const worth = nearest(position, mark, UNIT);
  const value = worth - (perp ? (held.cost ?? 0n) + (held.owed ?? 0n) : 0n);
  return {
    cash: 0n, longs: most(0n, value), shorts: least(0n, value), uncounted: worth - counted(state, held, worth, mode),
    initial: mode === 0 ? up(contractInitial(state, held.instrument), needed, UNIT) : 0n, reserved,
  };
}

/** The collateral value of a position: in portfolio mode at the worse of mark and theo for its owner; the theo of a perp is the index. */
function counted(state: State, { instrument, position }: Position, value: bigint, mode: number): bigint {
  const perp = isPerp(state, instrument);
  if (mode === 0) return perp ? value : least(0n, value);
  const theoretical = nearest(position, BigInt(state.valuation.theo[instrument]!), UNIT);
  const worse = least(value, theoretical);
  return perp || worse <= 0n || state.valuation.stale[instrument] === 0 ? worse : worse * BigInt(state.settings.values[STALE_LONG]!) / PPM;
}

/** The sums of the account from scratch, in its own mode. */
export function measure(
  state: State, account: number, held = book(state, account), cash = BigInt(state.accounts.cash[account]!),
): Measure {
  const sums = measureEach(state, account, held, cash);
  return state.accounts.mode[account] ? { ...sums, initial: portfolioInitial(state, held).high } : sums;
}

/** The same without the initial margin of a portfolio, which is no sum over instruments. */
export function measureEach(
  state: State, account: number, held: readonly Position[], cash = BigInt(state.accounts.cash[account]!),
): Measure {
  const sums: Measure = { cash, longs: 0n, shorts: 0n, uncounted: 0n, initial: 0n, reserved: 0n };
  const mode = state.accounts.mode[account] ?? 0;
  for (const position of held) {
    const one = measureOne(state, position, mode);
    sums.longs += one.longs;
    sums.shorts += one.shorts;
    sums.uncounted += one.uncounted;
    sums.initial += one.initial;
    sums.reserved += one.reserved;
  }
  return sums;
}

/** Initial margin of a portfolio with its open orders: lowest and highest value within float error. */
export function portfolioInitial(state: State, held: readonly Position[]): { low: bigint; high: bigint } {
  return portfolioRequirement(state, held.map((one) => (
    { instrument: one.instrument, position: one.position, bids: sizes(one, BUY), asks: sizes(one, 1 - BUY) }
  ))).initial;
}

/** Maintenance margin of the positions, without their orders: lowest and highest value within float error. */
export function maintenance(state: State, account: number, held = book(state, account)): { low: bigint; high: bigint } {
  const set = (n: number): bigint => BigInt(state.settings.values[n]!);
  if (state.accounts.mode[account] !== 0) {
    const { low, high } = portfolioInitial(state, held.map((one) => ({ ...one, orders: [] })));
    return { low: up(low, set(MAINTENANCE_PART), PPM), high: up(high, set(MAINTENANCE_PART), PPM) };
  }
  let total = 0n;
  for (const { instrument, position } of held) {
    const mark = BigInt(state.valuation.mark[instrument]!);
    const perp = isPerp(state, instrument);
    const spot = spotOf(state, instrument);
    const base = perp ? mark : state.instruments.kind[instrument] === CALL ? spot : most(spot, mark);
    const rate = up(base, set(perp ? PERP_MAINTENANCE : MAINTENANCE), PPM);
    total += up(rate, perp ? magnitude(position) : most(0n, -position), UNIT);
  }
  return { low: total, high: total };
}

/** Cash plus positions at theo; the theo of a perp is the index. */
export function equityAtTheo(state: State, account: number, held = book(state, account)): bigint {
  let sum = BigInt(state.accounts.cash[account]!);
  for (const { instrument, position, cost = 0n, owed = 0n } of held) {
    sum += nearest(position, BigInt(state.valuation.theo[instrument]!), UNIT) - (isPerp(state, instrument) ? cost + owed : 0n);
  }
  return sum;
}

export function requirement(sums: Measure): bigint {
  return sums.initial + sums.reserved;
}

export function collateral(sums: Measure): bigint {
  return sums.cash + sums.longs + sums.shorts - sums.uncounted;
}

export function equity(sums: Measure): bigint {
  return sums.cash + sums.longs + sums.shorts;
}

/** The same positions with one more order, the youngest. */
export function withOrder(held: readonly Position[], order: Order): Position[] {
  const added = { side: order.side, price: BigInt(order.price), size: BigInt(order.size) };
  const found = held.some((one) => one.instrument === order.instrument);
  const rows = found ? [...held] : [...held, { instrument: order.instrument, position: 0n, orders: [] }];
  return rows.map((one) => (one.instrument === order.instrument ? { ...one, orders: [...one.orders, added] } : one));
}

/** True if the order only closes, near the mark, and its full fill and fee neither lower free collateral nor leave a debt. */
export function isExempt(state: State, held: readonly Position[], order: Order): boolean {
  const one = held.find((row) => row.instrument === order.instrument);
  if (one === undefined) return false;
  const mode = state.accounts.mode[order.account] ?? 0;
  const side = order.side === BUY ? 1n : -1n;
  const amount = BigInt(order.size);
  if (amount + sizes(one, order.side) > -side * one.position) return false;
  const mark = BigInt(state.valuation.mark[order.instrument]!);
  const spot = spotOf(state, order.instrument);
  const set = (n: number): bigint => BigInt(state.settings.values[n]!);
  const distance = isPerp(state, order.instrument) ? spot * set(CLOSING_PERP) / PPM
    : most(mark * set(CLOSING_MARK) / PPM, spot * set(CLOSING_INDEX) / PPM);
  if (side * (BigInt(order.price) - mark) > distance) return false;
  const loss = nearest(side * (BigInt(order.price) - mark), amount, UNIT) + feeOf(state, order.instrument, BigInt(order.price), amount);
  if (loss > 0n && loss > equity(measure(state, order.account, [...held]))) return false;
  const paid = side * nearest(BigInt(order.price), amount, UNIT);
  // A closed perp takes its cost with it, so the fill gains the difference between its price and the mark.
  const filled = { ...one, position: one.position + side * amount, cost: (one.cost ?? 0n) + (isPerp(state, order.instrument) ? paid : 0n) };
  const cash = isPerp(state, order.instrument) ? 0n : -paid;
  const standing = (row: Position): bigint => {
    const sums = measureOne(state, row, mode);
    const initial = mode === 0 ? sums.initial : portfolioInitial(state, held.map((other) => (other === one ? row : other))).high;
    return collateral(sums) - initial - sums.reserved;
  };
  return standing(filled) + cash - feeOf(state, order.instrument, BigInt(order.price), amount) >= standing(one);
}

/** True if the order raises the notional in its underlying above the cap. */
export function isBeyondLimit(state: State, held: readonly Position[], order: Order): boolean {
  const underlying = state.instruments.underlying[order.instrument]!;
  const total = (rows: readonly Position[]): bigint => rows
    .filter((one) => state.instruments.underlying[one.instrument] === underlying).reduce((sum, one) => sum + reach(one), 0n);
  const before = total(held);
  const after = total(withOrder(held, order));
  return after > before && up(BigInt(state.valuation.markIndex[underlying]!), after, UNIT) > BigInt(state.settings.values[MAX_POSITION]!);
}
