// Standard margin by brute force: one account from its raw holdings and open orders, in BigInt, formula by formula from
// margin.md ("One account view", "Standard mode") and decisions 4.2, 4.4. Money and prices 1e-6 USDC, sizes 1e-6
// contracts. Requirements and reserves round up, credits down, values to the nearest (a half away from zero).
// Shares no code with the core but its units and record layouts; slow on purpose; must never be optimised.

import { BUY, CONTRACT } from '../../core/units.ts';
import { CALL } from '../../core/codec/commands.ts';
import type { State } from '../../core/engine/state.ts';
import { liveRows, openOrders, type RawHolding, type RawOrder } from '../support/raw.ts';

export type Order = { account: number; instrument: number; side: number; price: number; size: number };
export type Position = { instrument: number; position: bigint; orders: { side: number; price: bigint; size: bigint }[] };
export type Measure = { cash: bigint; longs: bigint; shorts: bigint; initial: bigint; reserved: bigint };

const UNIT = BigInt(CONTRACT);
const PPM = 1_000_000n;
/** Settings by number, as core/settings documents them. */
const MAX_POSITION = 1;
const INITIAL = 3;
const FLOOR = 4;
const MAINTENANCE = 5;
const CLOSING_MARK = 6;
const CLOSING_INDEX = 7;

const up = (a: bigint, b: bigint, by: bigint): bigint => (a * b + by - 1n) / by;
const nearest = (a: bigint, b: bigint, by: bigint): bigint => {
  const product = a * b < 0n ? -a * b : a * b;
  const rounded = (product * 2n + by) / (by * 2n);
  return a * b < 0n ? -rounded : rounded;
};
const most = (...values: bigint[]): bigint => values.reduce((a, b) => (a > b ? a : b));
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const magnitude = (a: bigint): bigint => (a < 0n ? -a : a);

/** What the account holds and has open, instrument by instrument. */
export function book(
  state: State, account: number, holdings: readonly RawHolding[] = liveRows(state), orders: readonly RawOrder[] = openOrders(state),
): Position[] {
  const rows = holdings.filter((row) => row.account === account);
  const open = orders.filter((order) => order.account === account);
  return rows.map((row) => ({
    instrument: row.instrument, position: BigInt(row.position),
    orders: open.filter((order) => order.instrument === row.instrument)
      .map((order) => ({ side: order.side, price: BigInt(order.price), size: BigInt(order.remaining) })),
  }));
}

/** Initial margin of one short contract. */
export function shortInitial(state: State, instrument: number): bigint {
  const set = (n: number): bigint => BigInt(state.settings.values[n]!);
  const spot = BigInt(state.valuation.markIndex[state.instruments.underlying[instrument]!]!);
  const mark = BigInt(state.valuation.mark[instrument]!);
  const strike = BigInt(state.instruments.strike[instrument]!);
  const isCall = state.instruments.kind[instrument] === CALL;
  const outside = most(0n, isCall ? strike - spot : spot - strike);
  const initial = most(up(spot, set(INITIAL), PPM) - outside, up(spot, set(FLOOR), PPM));
  return isCall ? initial : most(initial, up(most(spot, mark), set(MAINTENANCE), PPM));
}

/** One instrument's share of the account's sums. */
export function measureOne(state: State, held: Position): Measure {
  const mark = BigInt(state.valuation.mark[held.instrument]!);
  const { position } = held;
  let asks = 0n;
  let reserved = 0n;
  let closable = most(0n, -position);
  for (const order of held.orders) {
    if (order.side === BUY) {
      const closing = least(order.size, closable);
      closable -= closing;
      reserved += most(0n, up(order.price, order.size, UNIT) - mark * closing / UNIT);
    } else {
      asks += order.size;
      reserved += up(most(0n, mark - order.price), order.size, UNIT);
    }
  }
  const short = most(0n, asks - most(0n, position)) + most(0n, -position);
  const value = nearest(position, mark, UNIT);
  return {
    cash: 0n, longs: most(0n, value), shorts: least(0n, value), initial: up(shortInitial(state, held.instrument), short, UNIT), reserved,
  };
}

/** The sums of the account from scratch. */
export function measure(
  state: State, account: number, held = book(state, account), cash = BigInt(state.accounts.cash[account]!),
): Measure {
  const sums: Measure = { cash, longs: 0n, shorts: 0n, initial: 0n, reserved: 0n };
  for (const position of held) {
    const one = measureOne(state, position);
    sums.longs += one.longs;
    sums.shorts += one.shorts;
    sums.initial += one.initial;
    sums.reserved += one.reserved;
  }
  return sums;
}

export function requirement(sums: Measure): bigint {
  return sums.initial + sums.reserved;
}

export function collateral(sums: Measure): bigint {
  return sums.cash + sums.shorts;
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

/** True when the order only closes, near the mark, and leaves the account no lower after its full fill. */
export function isExempt(state: State, held: readonly Position[], order: Order): boolean {
  const one = held.find((row) => row.instrument === order.instrument);
  if (one === undefined) return false;
  const side = order.side === BUY ? 1n : -1n;
  const amount = BigInt(order.size);
  const open = one.orders.reduce((sum, other) => (other.side === order.side ? sum + other.size : sum), 0n);
  if (amount + open > -side * one.position) return false;
  const mark = BigInt(state.valuation.mark[order.instrument]!);
  const spot = BigInt(state.valuation.markIndex[state.instruments.underlying[order.instrument]!]!);
  const set = (n: number): bigint => BigInt(state.settings.values[n]!);
  const distance = most(mark * set(CLOSING_MARK) / PPM, spot * set(CLOSING_INDEX) / PPM);
  if (side * (BigInt(order.price) - mark) > distance) return false;
  const before = measureOne(state, one);
  const after = measureOne(state, { ...one, position: one.position + side * amount });
  const paid = side * nearest(BigInt(order.price), amount, UNIT);
  return after.shorts - paid - requirement(after) >= before.shorts - requirement(before);
}

/** True when the notional in the order's underlying would pass the cap, and the order raises it. */
export function isBeyondLimit(state: State, held: readonly Position[], order: Order): boolean {
  const underlying = state.instruments.underlying[order.instrument]!;
  const reach = (one: Position): bigint => {
    const sum = (side: number): bigint => one.orders.reduce((total, other) => (other.side === side ? total + other.size : total), 0n);
    return most(magnitude(one.position), magnitude(one.position + sum(BUY)), magnitude(one.position - sum(1 - BUY)));
  };
  const total = (rows: readonly Position[]): bigint => rows
    .filter((one) => state.instruments.underlying[one.instrument] === underlying).reduce((sum, one) => sum + reach(one), 0n);
  const before = total(held);
  const after = total(withOrder(held, order));
  return after > before && up(BigInt(state.valuation.markIndex[underlying]!), after, UNIT) > BigInt(state.settings.values[MAX_POSITION]!);
}
