// What must be true after every command, asked of the raw state in BigInt: money, positions, holdings, orders, pool,
// books, margin sums. Each check throws with its own name. Shares no code with the core but units and record layouts.

import assert from 'node:assert/strict';
import { BUY } from '../../core/units.ts';
import type { State } from '../../core/engine/state.ts';
import { book, measure, type Position } from '../margin/oracle.ts';
import { accountTotal, freeSlots, instrumentTotal, listOf, liveRows, openOrders, type RawHolding, type RawOrder } from '../support/raw.ts';

/** Weight of the high limb of a house account (core/ledger/wide, head comment). */
const LIMB = 1n << 40n;
/** Counters of the orders: open ones, those of default and tier1 wallets. */
const OPEN = 3;
const SMALL_TIER_OPEN = 4;

export function audit(state: State): void {
  const rows = liveRows(state);
  const orders = openOrders(state);
  auditMoney(state);
  auditPositions(state, rows);
  auditHoldings(state, rows, orders);
  auditLists(state, rows, orders);
  auditAccounts(state, rows, orders);
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
  assert.equal(moneyInAll(state), 0n, 'money: the books do not sum to zero');
  for (let account = 0; account < accountTotal(state); account++) {
    assert.ok(Number.isSafeInteger(state.accounts.cash[account]), 'money: a balance is no safe integer');
  }
}

function auditPositions(state: State, rows: readonly RawHolding[]): void {
  const { openInterest, status } = state.instruments;
  const held = new Map<number, { net: bigint; long: bigint }>();
  for (const row of rows) {
    assert.ok(Number.isSafeInteger(row.position) && Number.isSafeInteger(row.cost), 'positions: not exact');
    const sum = held.get(row.instrument) ?? { net: 0n, long: 0n };
    sum.net += BigInt(row.position);
    if (row.position > 0) sum.long += BigInt(row.position);
    held.set(row.instrument, sum);
  }
  for (const [slot, { net, long }] of held) {
    assert.ok(slot >= 0 && slot < instrumentTotal(state), 'positions: of no instrument');
    // Positions of a contract that is being paid go one by one.
    const isPaying = status[slot] === 2 && state.settlement.price[slot]! > 0;
    assert.ok(isPaying || net === 0n, 'positions: longs and shorts differ');
    assert.equal(BigInt(openInterest[slot]!), long, 'positions: open interest');
  }
  for (let slot = 0; slot < instrumentTotal(state); slot++) {
    if (openInterest[slot] !== 0 && !held.has(slot)) assert.fail('positions: open interest that nobody holds');
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
    assert.equal(BigInt(row.bidSize), sum.bid, 'holdings: open bids');
    assert.equal(BigInt(row.askSize), sum.ask, 'holdings: open asks');
    assert.ok(row.position !== 0 || sum.bid + sum.ask > 0n, 'holdings: an empty row lives');
    assert.ok(row.position !== 0 || row.cost === 0, 'holdings: cost without a position');
    assert.ok(row.position !== 0 || row.realized === 0, 'holdings: profit without a position');
    const key = row.account * instrumentTotal(state) + row.instrument;
    assert.ok(!seen.has(key), 'holdings: two rows of one account and instrument');
    seen.add(key);
  }
  assert.equal(state.holdings.counters[2], rows.length, 'holdings: rows in use');
}

/** The lists: holdings of an account, orders of a holding oldest first. */
function auditLists(state: State, rows: readonly RawHolding[], orders: readonly RawOrder[]): void {
  const { holdings, accounts } = state;
  let held = 0;
  for (let account = 0; account < accountTotal(state); account++) {
    for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
      assert.equal(holdings.account[link - 1], account, 'lists: a holding of another account');
      assert.ok(++held <= rows.length, 'lists: holdings in a circle');
    }
  }
  assert.equal(held, rows.length, 'lists: a holding in no list');
  const ids = new Map(orders.map((order) => [order.slot, order]));
  let listed = 0;
  for (const row of rows) {
    let last = 0;
    for (const slot of listOf(state, row.row)) {
      const order = ids.get(slot);
      assert.ok(order !== undefined && order.account === row.account && order.instrument === row.instrument, 'lists: a foreign order');
      assert.ok(order.id > last, 'lists: orders out of age');
      last = order.id;
      assert.ok(++listed <= orders.length, 'lists: orders in a circle');
    }
  }
  assert.equal(listed, orders.length, 'lists: an order in no list');
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
    assert.equal(accounts.openOrders[account], open[account], 'accounts: open orders');
    assert.equal(accounts.positions[account], held[account], 'accounts: positions');
    if (accounts.tier[account]! <= 1) small += open[account]!;
    for (let link = accounts.agentHead[account]!; link !== 0; link = state.agents.next[link - 1]!) {
      assert.ok(++agents <= state.agents.capacity, 'accounts: agents in a circle');
      if (accounts.tier[account]! <= 1) agentsOfSmall++;
    }
  }
  assert.equal(state.holdings.ofSmallTiers[0], rowsOfSmall, 'accounts: holdings of small tiers');
  assert.deepEqual([...state.agents.rows], [agents, agentsOfSmall], 'accounts: rows of agents');
  assert.equal(state.orders.counters[OPEN], orders.length, 'accounts: open orders in all');
  assert.equal(state.orders.counters[SMALL_TIER_OPEN], small, 'accounts: open orders of small tiers');
}

function auditPool(state: State, orders: readonly RawOrder[]): void {
  const free = freeSlots(state);
  const { counters } = state.books;
  assert.equal(counters[2], orders.length, 'pool: live orders');
  assert.equal(free.length + orders.length, counters[1], 'pool: free and live slots');
  assert.equal(new Set([...free, ...orders.map((order) => order.slot)]).size, counters[1], 'pool: a slot twice');
  for (const order of orders) {
    assert.ok(order.remaining > 0 && order.remaining <= order.size, 'pool: remaining size');
    assert.ok(order.id <= state.orders.counters[0]!, 'pool: an id never given');
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
  for (const top of best.values()) assert.ok(top.bid < top.ask, 'books: crossed');
}

/** Running sums of every account whose sums are of this vintage, against brute force. */
function auditSums(state: State, rows: readonly RawHolding[], orders: readonly RawOrder[]): void {
  const { cache } = state;
  const vintage = state.valuation.counters[0]! + 1;
  for (let account = 0; account < accountTotal(state); account++) {
    if (cache.filledAt[account] !== vintage) continue;
    const held = book(state, account, rows, orders);
    const sums = measure(state, account, held);
    const row = [4, 5, 6, 2, 3].map((i) => BigInt(cache.sums[account * 8 + i]!));
    // The initial margin of a portfolio is no sum over instruments (test/margin).
    const initial = state.accounts.mode[account] === 0 ? sums.initial : 0n;
    assert.deepEqual(row, [sums.longs, sums.shorts, sums.uncounted, initial, sums.reserved], 'margin: running sums');
    assert.ok(sums.initial >= 0n && sums.reserved >= 0n, 'margin: a requirement below zero');
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
