// What must be true after every command, asked of the raw state in BigInt: money, positions, holdings, orders, pool,
// books, margin sums. Each check throws with its own name. Shares no code with the core but units and record layouts.

import assert from 'node:assert/strict';
import { BUY } from '../../core/units.ts';
import type { State } from '../../core/engine/state.ts';
import { book, measure, type Position } from '../core/margin/oracle.ts';
import { accountTotal, freeSlots, instrumentTotal, listOf, liveRows, openOrders, type RawHolding, type RawOrder } from '../support/raw.ts';

/** Weight of the high limb of a house account (core/ledger/wide, head comment). */
const LIMB = 1n << 40n;
/** Counters of the orders: open ones, those of default and tier1 wallets. */
const OPEN = 3;
const SMALL_TIER_OPEN = 4;

/** Said only where something is wrong: in the loops a call for each check would cost more than the checks. */
function fail(what: string): never {
  assert.fail(what);
}

export function audit(state: State): void {
  const rows = liveRows(state);
  const orders = openOrders(state);
  auditMoney(state);
  auditPositions(state, rows);
  auditHoldings(state, rows, orders);
  auditLists(state, rows, orders);
  auditAccounts(state, rows, orders);
  auditClosed(state);
  auditPool(state, orders);
  auditBooks(orders);
  auditSums(state, rows, orders);
}

/** Sum of all cash of accounts and house. */
export function moneyInAll(state: State): bigint {
  let sum = 0n;
  for (let account = 0; account < accountTotal(state); account++) sum += BigInt(state.accounts.cash[account]!);
  const { house } = state.ledger;
  for (let i = 0; i < house.length; i += 2) sum += BigInt(house[i]!) * LIMB + BigInt(house[i + 1]!);
  return sum;
}

function auditMoney(state: State): void {
  if (moneyInAll(state) !== 0n) fail('money: the books do not sum to zero');
  for (let account = 0; account < accountTotal(state); account++) {
    if (!Number.isSafeInteger(state.accounts.cash[account])) fail('money: a balance is no safe integer');
  }
}

function auditPositions(state: State, rows: readonly RawHolding[]): void {
  const { openInterest, status } = state.instruments;
  const held = new Map<number, { net: bigint; long: bigint }>();
  for (const row of rows) {
    if (!(Number.isSafeInteger(row.position) && Number.isSafeInteger(row.cost))) fail('positions: not exact');
    const sum = held.get(row.instrument) ?? { net: 0n, long: 0n };
    sum.net += BigInt(row.position);
    if (row.position > 0) sum.long += BigInt(row.position);
    held.set(row.instrument, sum);
  }
  for (const [slot, { net, long }] of held) {
    if (!(slot >= 0 && slot < instrumentTotal(state))) fail('positions: of no instrument');
    // Positions of a contract that is being paid go one by one.
    const isPaying = status[slot] === 2 && state.settlement.price[slot]! > 0;
    if (!(isPaying || net === 0n)) fail('positions: longs and shorts differ');
    if (BigInt(openInterest[slot]!) !== long) fail('positions: open interest');
  }
  for (let slot = 0; slot < instrumentTotal(state); slot++) {
    if (openInterest[slot] !== 0 && !held.has(slot)) fail('positions: open interest that nobody holds');
  }
}

function auditHoldings(state: State, rows: readonly RawHolding[], orders: readonly RawOrder[]): void {
  const sums = new Map<number, { bid: bigint; ask: bigint }>();
  for (const order of orders) {
    const sum = sums.get(order.holding) ?? { bid: 0n, ask: 0n };
    if (order.side === BUY) sum.bid += BigInt(order.remaining);
    else sum.ask += BigInt(order.remaining);
    sums.set(order.holding, sum);
  }
  const seen = new Set<number>();
  for (const row of rows) {
    const sum = sums.get(row.row) ?? { bid: 0n, ask: 0n };
    if (BigInt(row.bidSize) !== sum.bid) fail('holdings: open bids');
    if (BigInt(row.askSize) !== sum.ask) fail('holdings: open asks');
    if (!(row.position !== 0 || sum.bid + sum.ask > 0n)) fail('holdings: an empty row lives');
    if (!(row.position !== 0 || row.cost === 0)) fail('holdings: cost without a position');
    if (!(row.position !== 0 || row.realized === 0)) fail('holdings: profit without a position');
    const key = row.account * instrumentTotal(state) + row.instrument;
    if (seen.has(key)) fail('holdings: two rows of one account and instrument');
    seen.add(key);
  }
  if (state.holdings.counters[2] !== rows.length) fail('holdings: rows in use');
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
      if (!(order.id > last)) fail('lists: orders out of age');
      last = order.id;
      if (++listed > orders.length) fail('lists: orders in a circle');
    }
  }
  if (listed !== orders.length) fail('lists: an order in no list');
}

function auditAccounts(state: State, rows: readonly RawHolding[], orders: readonly RawOrder[]): void {
  const { accounts } = state;
  const open = new Array<number>(accountTotal(state)).fill(0);
  const held = new Array<number>(accountTotal(state)).fill(0);
  for (const order of orders) open[order.account]!++;
  for (const row of rows) if (row.position !== 0) held[row.account]!++;
  let [small, agents, agentsOfSmall, rowsOfSmall] = [0, 0, 0, 0];
  for (const row of rows) if (accounts.tier[row.account]! <= 1) rowsOfSmall++;
  for (let account = 0; account < accountTotal(state); account++) {
    if (accounts.openOrders[account] !== open[account]) fail('accounts: open orders');
    if (accounts.positions[account] !== held[account]) fail('accounts: positions');
    if (accounts.tier[account]! <= 1) small += open[account]!;
    for (let link = accounts.agentHead[account]!; link !== 0; link = state.agents.next[link - 1]!) {
      if (++agents > state.agents.capacity) fail('accounts: agents in a circle');
      if (accounts.tier[account]! <= 1) agentsOfSmall++;
    }
  }
  assert.equal(state.holdings.ofSmallTiers[0], rowsOfSmall, 'accounts: holdings of small tiers');
  assert.deepEqual([...state.agents.rows], [agents, agentsOfSmall], 'accounts: rows of agents');
  if (state.orders.counters[OPEN] !== orders.length) fail('accounts: open orders in all');
  if (state.orders.counters[SMALL_TIER_OPEN] !== small) fail('accounts: open orders of small tiers');
}

/** Rows that accounts gave back are empty and in one list; a wallet without its account has one row of what is known of it. */
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
  const free = freeSlots(state);
  const { counters } = state.books;
  if (counters[2] !== orders.length) fail('pool: live orders');
  if (free.length + orders.length !== counters[1]) fail('pool: free and live slots');
  if (new Set([...free, ...orders.map((order) => order.slot)]).size !== counters[1]) fail('pool: a slot twice');
  for (const order of orders) {
    if (!(order.remaining > 0 && order.remaining <= order.size)) fail('pool: remaining size');
    if (!(order.id <= state.orders.counters[0]!)) fail('pool: an id never given');
  }
}

function auditBooks(orders: readonly RawOrder[]): void {
  const best = new Map<number, { bid: number; ask: number }>();
  for (const order of orders) {
    const top = best.get(order.instrument) ?? { bid: 0, ask: Infinity };
    if (order.side === BUY) top.bid = Math.max(top.bid, order.price);
    else top.ask = Math.min(top.ask, order.price);
    best.set(order.instrument, top);
  }
  for (const top of best.values()) if (!(top.bid < top.ask)) fail('books: crossed');
}

/** Running sums of every account whose sums are of this vintage, against brute force. */
function auditSums(state: State, rows: readonly RawHolding[], orders: readonly RawOrder[]): void {
  const { cache } = state;
  const vintage = state.valuation.counters[0]! + 1;
  const rowsOf = Map.groupBy(rows, (row) => row.account);
  const ordersOf = Map.groupBy(orders, (order) => order.account);
  for (let account = 0; account < accountTotal(state); account++) {
    if (cache.filledAt[account] !== vintage) continue;
    const held = book(state, account, rowsOf.get(account) ?? [], ordersOf.get(account) ?? []);
    const sums = measure(state, account, held);
    const row = [4, 5, 6, 2, 3].map((i) => BigInt(cache.sums[account * 8 + i]!));
    // The initial margin of a portfolio is no sum over instruments (test/core/margin).
    const initial = state.accounts.mode[account] === 0 ? sums.initial : 0n;
    const wanted = [sums.longs, sums.shorts, sums.uncounted, initial, sums.reserved];
    if (row.some((sum, at) => sum !== wanted[at])) assert.deepEqual(row, wanted, 'margin: running sums');
    if (sums.initial < 0n || sums.reserved < 0n) fail('margin: a requirement below zero');
    auditExposure(state, account, held);
  }
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
