// What must be true of the state after every step, from its raw arrays: money sums to zero to the unit, longs equal
// shorts, sums of open orders are the open orders, no book is crossed, the pool is whole, a reduce-only order cannot turn
// a position, each underlying has its perp. Shares no code with the core but layouts; slow where it must be exact (BigInt), plain
// loops where it may be quick.

import assert from 'node:assert/strict';
import { BUY } from '../../../core/units.ts';
import { FLAG_REDUCE_ONLY, PERP } from '../../../core/codec/commands.ts';
import type { State } from '../../../core/engine/state.ts';

/** Layouts as core/book/layout, core/orders and the head comment of core/ledger/wide give them. */
const ROW = 8;
const LADDER = 0x7f_ffff;
const KEY = 0xf_ffff;
const HOLDING = 5;
const KINDS = 6;
const YOUNGER_REDUCE = 7;
const FREE = -1;
const LIMB = 1n << 40n;
const ACTIVE = 1;
/** Its orders go in steps. */
const DELETED = 4;
/** What a trade's rounding may cost an account, micros a holding. */
const SLACK = 4;

/** Said only where something is wrong: in the loops a call per check would cost more than the checks. */
function fail(what: string): never {
  assert.fail(what);
}

export class Auditor {
  private sums = new Float64Array(0);
  private longs = new Float64Array(0);
  private bestBid = new Float64Array(0);
  private bestAsk = new Float64Array(0);
  private bids = new Float64Array(0);
  private asks = new Float64Array(0);
  private reduceOnly = new Int32Array(0);

  check(state: State): void {
    this.reserve(state);
    this.money(state);
    this.positions(state);
    this.orders(state);
    this.perps(state);
  }

  private reserve(state: State): void {
    if (this.sums.length >= state.instruments.capacity && this.bids.length >= state.holdings.capacity) return;
    const { capacity } = state.instruments;
    this.sums = new Float64Array(capacity);
    this.longs = new Float64Array(capacity);
    this.bestBid = new Float64Array(capacity);
    this.bestAsk = new Float64Array(capacity);
    this.bids = new Float64Array(state.holdings.capacity);
    this.asks = new Float64Array(state.holdings.capacity);
    this.reduceOnly = new Int32Array(state.holdings.capacity);
  }

  /** Cash of accounts and house, less what perps have cost, is zero. */
  private money(state: State): void {
    const { accounts, holdings, instruments, ledger } = state;
    let sum = 0n;
    for (let account = 0; account < accounts.counters[0]!; account++) {
      if (!Number.isSafeInteger(accounts.cash[account])) fail('money: cash is a safe integer');
      sum += BigInt(accounts.cash[account]!);
    }
    for (let row = 0; row < holdings.counters[0]!; row++) {
      if (holdings.account[row]! >= 0 && instruments.kind[holdings.instrument[row]!] === PERP) sum -= BigInt(holdings.cost[row]!);
    }
    for (let i = 0; i < ledger.house.length; i += 2) sum += BigInt(ledger.house[i]!) * LIMB + BigInt(ledger.house[i + 1]!);
    assert.equal(sum, 0n, 'money: the books sum to zero');
  }

  private positions(state: State): void {
    const { accounts, holdings, instruments } = state;
    const total = instruments.counters[0]!;
    this.sums.fill(0, 0, total);
    this.longs.fill(0, 0, total);
    const counts = new Int32Array(accounts.counters[0]!);
    let live = 0;
    for (let row = 0; row < holdings.counters[0]!; row++) {
      const account = holdings.account[row]!;
      if (account < 0) continue;
      live++;
      const [slot, position] = [holdings.instrument[row]!, holdings.position[row]!];
      if (!Number.isSafeInteger(position)) fail('positions: a safe integer');
      this.sums[slot]! += position;
      if (position > 0) this.longs[slot]! += position;
      if (position !== 0) counts[account]!++;
      else if (holdings.cost[row] !== 0) fail('positions: none costs nothing');
    }
    assert.equal(live, holdings.counters[2], 'positions: rows in use');
    for (let slot = 0; slot < total; slot++) {
      // Positions of a contract that is being settled go one by one.
      const isPaying = instruments.status[slot] === 2 && state.settlement.price[slot]! > 0;
      if (!isPaying && this.sums[slot] !== 0) fail(`positions: longs equal shorts in slot ${slot}`);
      if (this.longs[slot] !== instruments.openInterest[slot]) fail(`positions: open interest of slot ${slot}`);
    }
    for (let account = 0; account < counts.length; account++) {
      if (counts[account] !== accounts.positions[account]) fail('positions: counted per account');
    }
  }

  /** Each underlying has its perp, from its first moment on. */
  private perps({ instruments, underlyings }: State): void {
    for (let underlying = 0; underlying < underlyings.counters[0]!; underlying++) {
      const slot = instruments.perpOf[underlying]!;
      const isThere = slot >= 0 && instruments.kind[slot] === PERP && instruments.underlying[slot] === underlying;
      if (!isThere || instruments.status[slot] !== ACTIVE) fail(`markets: underlying ${underlying} has no perp`);
    }
  }

  private orders(state: State): void {
    const { books, holdings, instruments, orders, accounts } = state;
    const total = instruments.counters[0]!;
    this.bestBid.fill(-1, 0, total);
    this.bestAsk.fill(Infinity, 0, total);
    this.bids.fill(0, 0, holdings.counters[0]!);
    this.asks.fill(0, 0, holdings.counters[0]!);
    this.reduceOnly.fill(0, 0, holdings.counters[0]!);
    const counts = new Int32Array(accounts.counters[0]!);
    let live = 0;
    for (let slot = 1; slot <= books.counters[1]!; slot++) {
      const at = slot * ROW;
      if (books.links[slot * 2] === FREE) continue;
      live++;
      const instrument = (books.orders[at + 3]! & LADDER) >> 1;
      const isBid = (books.orders[at + 3]! & 1) === BUY;
      const key = books.orders[at + 4]! & KEY;
      const row = books.orders[at + HOLDING]! - 1;
      const remaining = books.sizes[slot * 4 + 3]!;
      if (!(remaining > 0 && remaining <= orders.amounts[slot * 4]!)) fail('orders: what is left of an open order');
      const isTheirs = holdings.account[row] === books.orders[at + 2] && holdings.instrument[row] === instrument;
      if (!isTheirs) fail('orders: the holding they stand in');
      const status = instruments.status[instrument]!;
      if (status !== ACTIVE && (status !== DELETED || state.work.counters[1] === 0)) fail('orders: only in an active instrument');
      counts[holdings.account[row]!]!++;
      if (isBid) {
        this.bids[row]! += remaining;
        this.bestBid[instrument] = Math.max(this.bestBid[instrument]!, key);
      } else {
        this.asks[row]! += remaining;
        this.bestAsk[instrument] = Math.min(this.bestAsk[instrument]!, key);
      }
      if ((orders.details[at + KINDS]! >>> 8 & FLAG_REDUCE_ONLY) === 0) continue;
      this.reduceOnly[row]!++;
      const reducible = isBid ? -holdings.position[row]! : holdings.position[row]!;
      if (!(remaining <= reducible)) fail('orders: a reduce-only order is at most the position it reduces');
    }
    for (let row = 0; row < holdings.counters[0]!; row++) {
      if (holdings.account[row]! < 0) continue;
      if (this.bids[row] !== holdings.bidSize[row] || this.asks[row] !== holdings.askSize[row]) fail('orders: sums of open sizes');
      let listed = 0;
      let slot = holdings.reduceOnly[row]!;
      for (; slot !== 0 && listed <= live; slot = orders.details[slot * ROW + YOUNGER_REDUCE]!) listed++;
      if (listed !== this.reduceOnly[row]) fail('orders: reduce-only ones are in their list');
    }
    for (let slot = 0; slot < total; slot++) {
      if (!(this.bestBid[slot]! < this.bestAsk[slot]!)) fail(`orders: the book of slot ${slot} is crossed`);
    }
    for (let account = 0; account < counts.length; account++) {
      if (counts[account] !== accounts.openOrders[account]) fail('orders: counted');
    }
    assert.equal(live, books.counters[2], 'orders: live ones in the pool');
    assert.equal(live, orders.counters[3], 'orders: open ones in all');
    let free = 0;
    for (let slot = books.counters[0]!; slot !== 0 && free <= books.counters[1]!; slot = books.links[slot * 2 + 1]!) free++;
    assert.equal(free + live, books.counters[1], 'orders: free list and live ones are the pool');
  }
}

/** Equity of every account at these prices of the slots, in micros; doubles, exact to far less than what a rounding costs. */
export function equities(state: State, prices: Float64Array, out: Float64Array): Float64Array {
  const { accounts, funding, holdings, instruments } = state;
  for (let account = 0; account < accounts.counters[0]!; account++) out[account] = accounts.cash[account]! + SLACK;
  for (let row = 0; row < holdings.counters[0]!; row++) {
    const account = holdings.account[row]!;
    if (account < 0 || holdings.position[row] === 0) continue;
    const slot = holdings.instrument[row]!;
    const position = holdings.position[row]!;
    out[account]! += position / 1e6 * prices[slot]! + SLACK;
    if (instruments.kind[slot] !== PERP) continue;
    out[account]! -= holdings.cost[row]! + (funding.cumulative[slot]! - holdings.funding[row]!) * position / 1e9;
  }
  return out;
}
