// Invariants of the state between commands, checked on its raw arrays. After every step: money sums to zero to the unit, longs equal
// shorts, sums of open orders match the open orders, no book is crossed, the pool is consistent, a reduce-only order cannot flip a
// position, each underlying has its perp. Less often, because slow: rows, lists, shares of small tiers, closed accounts, and margin
// sums against brute force. Shares only layouts with the core; each check fails with its own message.

import assert from 'node:assert/strict';
import { BUY, CONTRACT } from '../../core/units.ts';
import { FLAG_REDUCE_ONLY, PERP } from '../../core/codec/commands.ts';
import type { State } from '../../core/engine/state.ts';
import { book, measureEach, type Position } from '../core/margin/oracle.ts';
import { accountTotal, freeSlots, instrumentTotal, listOf, liveRows, openOrders, waitingOf, type RawHolding,
  type RawOrder } from '../support/raw.ts';

/** Layouts of core/book/layout, core/orders and core/ledger/wide. */
const ROW = 8;
const LADDER = 0x7f_ffff;
const KEY = 0xf_ffff;
const HOLDING = 5;
const KINDS = 6;
const YOUNGER_REDUCE = 7;
const FREE = -1;
/** In no book. */
const OUT = -2;
const LIMB = 1n << 40n;
const ACTIVE = 1;
/** Status of an expired contract whose orders are cancelled in steps. */
const DELETED = 4;
/** The most that the rounding of trades may cost an account, in micros for each holding. */
const SLACK = 4;
/** Counter of open orders of default and tier1 wallets. */
const SMALL_TIER_OPEN = 4;

/** Called only for a fault: a call for each check would cost more than the checks themselves. */
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

  private money(state: State): void {
    const { cash, counters } = state.accounts;
    for (let account = 0; account < counters[0]!; account++) {
      if (!Number.isSafeInteger(cash[account])) fail('money: cash is a safe integer');
    }
    assert.equal(moneyInAll(state), 0n, 'money: the books sum to zero');
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
      // Positions of a contract in settlement are paid one by one.
      const isPaying = instruments.status[slot] === 2 && state.settlement.price[slot]! > 0;
      if (!isPaying && this.sums[slot] !== 0) fail(`positions: longs equal shorts in slot ${slot}`);
      if (this.longs[slot] !== instruments.openInterest[slot]) fail(`positions: open interest of slot ${slot}`);
    }
    for (let account = 0; account < counts.length; account++) {
      if (counts[account] !== accounts.positions[account]) fail('positions: counted per account');
    }
  }

  /** Each underlying has its perp from the start. */
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
    const waiting = new Int32Array(holdings.counters[0]!);
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
      if (books.links[slot * 2] === OUT) {
        waiting[row]!++;
        continue;
      }
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
      if (waiting[row] !== holdings.waiting[row]) fail('orders: waiting ones are counted');
    }
    for (let slot = 0; slot < total; slot++) {
      if (!(this.bestBid[slot]! < this.bestAsk[slot]!)) fail(`orders: the book of slot ${slot} is crossed`);
    }
    for (let account = 0; account < counts.length; account++) {
      if (counts[account] !== accounts.openOrders[account]) fail('orders: counted');
    }
    assert.equal(live, books.counters[2], 'orders: live ones in the pool');
    assert.equal(live, orders.counters[3], 'orders: open ones in all');
    assert.equal(waiting.reduce((sum, count) => sum + count, 0), orders.counters[6], 'orders: waiting ones in all');
    let free = 0;
    for (let slot = books.counters[0]!; slot !== 0 && free <= books.counters[1]!; slot = books.links[slot * 2 + 1]!) free++;
    assert.equal(free + live, books.counters[1], 'orders: free list and live ones are the pool');
  }
}

/** Cash of accounts and house, less the cost basis of perps. */
export function moneyInAll({ accounts, holdings, instruments, ledger }: State): bigint {
  let sum = 0n;
  for (let account = 0; account < accounts.counters[0]!; account++) sum += BigInt(accounts.cash[account]!);
  for (let row = 0; row < holdings.counters[0]!; row++) {
    if (holdings.account[row]! >= 0 && instruments.kind[holdings.instrument[row]!] === PERP) sum -= BigInt(holdings.cost[row]!);
  }
  for (let i = 0; i < ledger.house.length; i += 2) sum += BigInt(ledger.house[i]!) * LIMB + BigInt(ledger.house[i + 1]!);
  return sum;
}

/** All checks, the slow ones included. */
export function audit(state: State): void {
  new Auditor().check(state);
  const rows = liveRows(state);
  const orders = openOrders(state);
  auditHoldings(state, rows);
  auditLists(state, rows, orders);
  auditSmallTiers(state, rows, orders);
  auditClosed(state);
  auditPool(state, orders);
  auditSums(state, rows, orders);
}

function auditHoldings(state: State, rows: readonly RawHolding[]): void {
  const seen = new Set<number>();
  for (const row of rows) {
    if (!(row.instrument >= 0 && row.instrument < instrumentTotal(state))) fail('holdings: of no instrument');
    if (!Number.isSafeInteger(row.cost)) fail('holdings: cost is a safe integer');
    const isEmpty = row.position === 0 && row.bidSize === 0 && row.askSize === 0 && state.holdings.waiting[row.row] === 0;
    if (isEmpty) fail('holdings: an empty row lives');
    if (row.position === 0 && row.realized !== 0) fail('holdings: profit without a position');
    const key = row.account * instrumentTotal(state) + row.instrument;
    if (seen.has(key)) fail('holdings: two rows of one account and instrument');
    seen.add(key);
  }
}

/** The lists: holdings of an account, orders of a holding oldest first. */
function auditLists(state: State, rows: readonly RawHolding[], orders: readonly RawOrder[]): void {
  const { holdings, accounts } = state;
  let held = 0;
  for (let account = 0; account < accountTotal(state); account++) {
    for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
      if (holdings.account[link - 1] !== account) fail('lists: a holding of another account');
      if (++held > rows.length) fail('lists: holdings in a circle');
    }
  }
  if (held !== rows.length) fail('lists: a holding in no list');
  const ids = new Map(orders.map((order) => [order.slot, order]));
  let listed = 0;
  for (const row of rows) {
    let last = 0;
    for (const slot of listOf(state, row.row)) {
      const order = ids.get(slot);
      if (!(order !== undefined && order.account === row.account && order.instrument === row.instrument)) fail('lists: a foreign order');
      if (!(order.entry > last)) fail('lists: orders out of age');
      last = order.entry;
      if (++listed > orders.length) fail('lists: orders in a circle');
    }
    for (const slot of waitingOf(state, row.row)) {
      const order = ids.get(slot);
      if (!(order !== undefined && order.holding === row.row && order.entry === 0)) fail('lists: a foreign order waits');
      if (++listed > orders.length) fail('lists: waiting orders in a circle');
    }
  }
  if (listed !== orders.length) fail('lists: an order in no list');
}

/** Rows of holdings, agents and orders used by default and tier1 wallets together, and all rows of agents. */
function auditSmallTiers(state: State, rows: readonly RawHolding[], orders: readonly RawOrder[]): void {
  const { accounts } = state;
  const isSmall = (account: number): boolean => accounts.tier[account]! <= 1;
  let [agents, agentsOfSmall] = [0, 0];
  for (let account = 0; account < accountTotal(state); account++) {
    for (let link = accounts.agentHead[account]!; link !== 0; link = state.agents.next[link - 1]!) {
      if (++agents > state.agents.capacity) fail('small tiers: agents in a circle');
      if (isSmall(account)) agentsOfSmall++;
    }
  }
  assert.deepEqual([...state.agents.rows], [agents, agentsOfSmall], 'small tiers: rows of agents');
  assert.equal(state.holdings.ofSmallTiers[0], rows.filter(({ account }) => isSmall(account)).length, 'small tiers: holdings');
  assert.equal(state.orders.counters[SMALL_TIER_OPEN], orders.filter(({ account }) => isSmall(account)).length, 'small tiers: open orders');
}

/** Rows of closed accounts are empty and in one list; a wallet whose account was closed has one row in the table of closed accounts. */
function auditClosed({ accounts, closed }: State): void {
  const { address, cash, counters, free } = accounts;
  const open = new Set<string>();
  let freed = 0;
  for (let account = 0; account < counters[0]!; account++) {
    const wallet = address.subarray(account * 5, account * 5 + 5).join();
    if (free[account] === 0) open.add(wallet);
    else {
      freed++;
      if (wallet !== '0,0,0,0,0' || cash[account] !== 0 || accounts.agentHead[account] !== 0) fail('accounts: a free row is not empty');
    }
  }
  let listed = 0;
  for (let link = counters[1]!; link > 0 && listed <= freed; link = free[link - 1]!) listed++;
  if (freed !== counters[2] || listed !== freed) fail('accounts: free rows are in their list');
  if (open.size !== counters[0]! - freed) fail('accounts: a wallet has two rows');
  let known = 0;
  for (let row = 0; row < closed.counters[0]!; row++) {
    if (closed.words[row * 8 + 7] === 0) continue;
    known++;
    if (open.has(closed.words.subarray(row * 8, row * 8 + 5).join())) fail('accounts: a wallet is open and closed');
  }
  if (known !== closed.counters[2]) fail('accounts: rows of closed ones');
}

function auditPool(state: State, orders: readonly RawOrder[]): void {
  const { counters } = state.books;
  if (new Set([...freeSlots(state), ...orders.map((order) => order.slot)]).size !== counters[1]) fail('pool: a slot twice');
  for (const order of orders) if (!(order.id <= state.orders.counters[0]!)) fail('pool: an id never given');
}

/** Cached sums of every account whose sums are of this vintage, against brute force. */
function auditSums(state: State, rows: readonly RawHolding[], orders: readonly RawOrder[]): void {
  const { cache } = state;
  const vintage = state.valuation.counters[0]! + 1;
  const rowsOf = Map.groupBy(rows, (row) => row.account);
  const standing = orders.filter((order) => order.entry !== 0).sort((a, b) => a.entry - b.entry);
  const ordersOf = Map.groupBy(standing, (order) => order.account);
  for (let account = 0; account < accountTotal(state); account++) {
    if (cache.filledAt[account] !== vintage) continue;
    const held = book(state, account, rowsOf.get(account) ?? [], ordersOf.get(account) ?? []);
    const sums = measureEach(state, account, held);
    const row = [4, 5, 6, 2, 3].map((i) => BigInt(cache.sums[account * 8 + i]!));
    const wanted = [sums.longs, sums.shorts, sums.uncounted, sums.initial, sums.reserved];
    const isInexact = held.some(({ instrument, orders: own }) => own.some(({ size }) => isBeyond(state, instrument, size)));
    if (row.some((sum, at) => sum !== wanted[at]) && !isInexact) assert.deepEqual(row, wanted, 'margin: running sums');
    if (sums.initial < 0n || sums.reserved < 0n) fail('margin: a requirement below zero');
    auditExposure(state, account, held);
  }
}

/** For a notional above 2^53 micros the core computes the fee from the premium, which may be higher (core/margin/fees). */
export function isBeyond({ instruments, valuation }: State, instrument: number, size: number | bigint): boolean {
  const spot = BigInt(valuation.markIndex[instruments.underlying[instrument]!]!);
  return spot * BigInt(size) / BigInt(CONTRACT) > BigInt(Number.MAX_SAFE_INTEGER);
}

function auditExposure(state: State, account: number, held: readonly Position[]): void {
  const { cache, instruments } = state;
  const sums = new Array<number>(cache.underlyings).fill(0);
  for (const one of held) {
    const total = (side: number): number => Number(one.orders.reduce((sum, order) => (order.side === side ? sum + order.size : sum), 0n));
    const position = Number(one.position);
    sums[instruments.underlying[one.instrument]!]! += Math.max(
      Math.abs(position), Math.abs(position + total(BUY)), Math.abs(position - total(1 - BUY)),
    );
  }
  assert.deepEqual([...cache.exposure.subarray(account * cache.underlyings, (account + 1) * cache.underlyings)], sums, 'margin: exposure');
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
