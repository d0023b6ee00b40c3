// One row per account and instrument with a position or an open order. `cost` is signed as the position. `realized` is the profit of closed
// parts, 0 for a new position and after a flip. Default and tier1 wallets share a bounded part of the rows (decision 5.4).

import { assert } from '../assert.ts';
import { fixedSection, float64, int32, type Section } from '../columns.ts';
import { SMALL_TIER_POOL_PERCENT } from '../limits.ts';
import { clearHashIndex, createHashIndex, addToHashIndex, firstInChain, removeFromHashIndex, type HashIndex } from '../math/hash-index.ts';
import { hashTwo } from '../math/hash.ts';
import { isSafe, mulDivFloor } from '../math/exact.ts';
import { isSmallTier } from '../tiers.ts';
import type { Accounts } from '../accounts/accounts.ts';

const HIGH_WATER = 0;
const FREE = 1;
const LIVE = 2;

export type Holdings = {
  readonly capacity: number;
  /** High-water mark, free list plus one, rows in use. */
  readonly counters: Float64Array;
  /** Account -1: a free row. */
  readonly account: Int32Array;
  readonly instrument: Int32Array;
  readonly position: Float64Array;
  readonly cost: Float64Array;
  readonly realized: Float64Array;
  readonly updatedAt: Float64Array;
  /** Remaining sizes of open bids and asks. */
  readonly bidSize: Float64Array;
  readonly askSize: Float64Array;
  readonly funding: Float64Array;
  /** When last paid: the instrument's hours charged, the sum of their rates, the end of the last one. */
  readonly fundedHours: Int32Array;
  readonly fundedRates: Float64Array;
  readonly fundedUntil: Float64Array;
  /** Oldest order (pool slot), 0 if none. */
  readonly reduceOnly: Int32Array;
  /** Oldest and youngest open order (pool slots), 0 if none. */
  readonly orderHead: Int32Array;
  readonly orderTail: Int32Array;
  readonly waiting: Int32Array;
  /** Youngest order that waits for its trigger (pool slot), 0 if none. */
  readonly triggers: Int32Array;
  /** Neighbours in the account's list, or next free row, plus one. */
  readonly prev: Int32Array;
  readonly next: Int32Array;
  /** Indexes: rows of default and tier1 wallets (one cell); the row of (account, instrument). */
  readonly ofSmallTiers: Int32Array;
  readonly chains: HashIndex;
};

export function createHoldings(capacity: number): Holdings {
  const account = int32(capacity);
  const instrument = int32(capacity);
  return {
    capacity, counters: float64(3), account, instrument, position: float64(capacity),
    cost: float64(capacity), realized: float64(capacity), updatedAt: float64(capacity),
    bidSize: float64(capacity), askSize: float64(capacity), funding: float64(capacity),
    fundedHours: int32(capacity), fundedRates: float64(capacity), fundedUntil: float64(capacity),
    reduceOnly: int32(capacity), orderHead: int32(capacity), orderTail: int32(capacity), waiting: int32(capacity),
    triggers: int32(capacity),
    prev: int32(capacity), next: int32(capacity), ofSmallTiers: int32(1),
    chains: createHashIndex(capacity, (row) => placeOf(account[row], instrument[row])),
  };
}

/** Neighbouring instruments get neighbouring chains: fewer cache lines per account. */
function placeOf(account: number, instrument: number): number {
  return (hashTwo(account, instrument >>> 4) << 4) | (instrument & 15);
}

export function holdingRows(holdings: Holdings): number {
  return holdings.counters[HIGH_WATER];
}

export function liveHoldings(holdings: Holdings): number {
  return holdings.counters[LIVE];
}

export function hasHoldingRoom(holdings: Holdings): boolean {
  return holdings.counters[FREE] !== 0 || holdings.counters[HIGH_WATER] < holdings.capacity;
}

/** Asked for orders. A takeover needs only a free row. */
export function mayOpenHolding(holdings: Holdings, tier: number): boolean {
  const share = Math.floor(holdings.capacity * SMALL_TIER_POOL_PERCENT / 100);
  return hasHoldingRoom(holdings) && (!isSmallTier(tier) || holdings.ofSmallTiers[0] < share);
}

export function mayOpenHoldings(holdings: Holdings, tier: number, count: number): boolean {
  const share = Math.floor(holdings.capacity * SMALL_TIER_POOL_PERCENT / 100);
  return holdings.counters[LIVE] + count <= holdings.capacity && (!isSmallTier(tier) || holdings.ofSmallTiers[0] + count <= share);
}

export function moveHoldingRows(holdings: Holdings, accounts: Accounts, account: number, before: number): void {
  const change = Number(isSmallTier(accounts.tier[account])) - Number(isSmallTier(before));
  if (change === 0) return;
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) holdings.ofSmallTiers[0] += change;
}

export function findHolding(holdings: Holdings, account: number, instrument: number): number {
  const { next } = holdings.chains;
  let link = firstInChain(holdings.chains, placeOf(account, instrument));
  while (link !== 0 && (holdings.account[link - 1] !== account || holdings.instrument[link - 1] !== instrument)) link = next[link - 1];
  return link - 1;
}

export function openHolding(holdings: Holdings, accounts: Accounts, account: number, instrument: number): number {
  const found = findHolding(holdings, account, instrument);
  if (found >= 0) return found;
  const { counters, next, prev } = holdings;
  let row = counters[FREE] - 1;
  if (row >= 0) {
    assert(holdings.account[row] < 0, 'holdings: the free list holds free rows');
    counters[FREE] = next[row];
  } else row = counters[HIGH_WATER]++;
  assert(row < holdings.capacity, 'holdings: room was checked');
  assert(holdings.position[row] === 0 && holdings.cost[row] === 0 && holdings.orderHead[row] === 0, 'holdings: a new row is empty');
  counters[LIVE]++;
  if (isSmallTier(accounts.tier[account])) holdings.ofSmallTiers[0]++;
  holdings.account[row] = account;
  holdings.instrument[row] = instrument;
  next[row] = 0;
  prev[row] = accounts.holdingTail[account];
  if (prev[row] === 0) {
    assert(accounts.holdingHead[account] === 0, 'holdings: a list without a last row is empty');
    accounts.holdingHead[account] = row + 1;
  } else {
    assert(next[prev[row] - 1] === 0, 'holdings: the last row of an account has no next');
    next[prev[row] - 1] = row + 1;
  }
  accounts.holdingTail[account] = row + 1;
  addToHashIndex(holdings.chains, row);
  return row;
}

export function closeIfEmpty(holdings: Holdings, accounts: Accounts, row: number): boolean {
  if (holdings.position[row] !== 0 || holdings.orderHead[row] !== 0 || holdings.waiting[row] !== 0) return false;
  const { counters, next, prev } = holdings;
  const account = holdings.account[row];
  assert(account >= 0, 'holdings: a row is freed once');
  assert(holdings.cost[row] === 0, 'holdings: without a position there is no cost');
  assert(holdings.bidSize[row] === 0 && holdings.askSize[row] === 0, 'holdings: open sizes are 0 without orders');
  assert(holdings.reduceOnly[row] === 0 && holdings.orderTail[row] === 0, 'holdings: lists of orders are empty together');
  assert((prev[row] === 0 ? accounts.holdingHead[account] : next[prev[row] - 1]) === row + 1,
    'holdings: the previous row links to this one');
  assert((next[row] === 0 ? accounts.holdingTail[account] : prev[next[row] - 1]) === row + 1, 'holdings: the next row links to this one');
  removeFromHashIndex(holdings.chains, row);
  if (prev[row] === 0) accounts.holdingHead[account] = next[row];
  else next[prev[row] - 1] = next[row];
  if (next[row] === 0) accounts.holdingTail[account] = prev[row];
  else prev[next[row] - 1] = prev[row];
  counters[LIVE]--;
  assert(counters[LIVE] >= 0, 'holdings: no more rows are freed than opened');
  if (isSmallTier(accounts.tier[account])) holdings.ofSmallTiers[0]--;
  holdings.account[row] = -1;
  holdings.instrument[row] = 0;
  holdings.cost[row] = 0;
  holdings.realized[row] = 0;
  holdings.updatedAt[row] = 0;
  holdings.funding[row] = 0;
  holdings.fundedHours[row] = 0;
  holdings.fundedRates[row] = 0;
  holdings.fundedUntil[row] = 0;
  prev[row] = 0;
  next[row] = counters[FREE];
  counters[FREE] = row + 1;
  return true;
}

/** True if the row's numbers stay exact (see `applyFill`). */
export function canHold(holdings: Holdings, row: number, delta: number, amount: number): boolean {
  const before = holdings.position[row];
  const cost = holdings.cost[row];
  const realized = holdings.realized[row];
  if (Math.abs(before + delta) > Number.MAX_SAFE_INTEGER) return false;
  if (Math.abs(cost) + Math.abs(realized) + Math.abs(amount) <= Number.MAX_SAFE_INTEGER) return true;
  if (before === 0 || (before > 0) === (delta > 0)) return Math.abs(cost + amount) <= Number.MAX_SAFE_INTEGER;
  // A flip's new cost is at most `amount`, so only the profit can leave the range.
  const kept = Math.abs(delta) < Math.abs(before) ? realized : 0;
  return Math.abs(kept + profitOf(holdings, row, delta, amount)) <= Number.MAX_SAFE_INTEGER;
}

/** May be beyond the exact range. */
export function profitOf(holdings: Holdings, row: number, delta: number, amount: number): number {
  const before = holdings.position[row];
  if (before === 0 || (before > 0) === (delta > 0)) return 0;
  const size = Math.abs(delta);
  const closed = Math.min(size, Math.abs(before));
  // Opposite signs: the sum is exact.
  return 0 - (towardsZero(amount, closed, size) + towardsZero(holdings.cost[row], closed, Math.abs(before)));
}

/**
 * `delta` contracts for `amount` micros, both signed (buy positive). A closed part takes cost * closed / position, rounded towards zero.
 * Returns the realised micros.
 */
export function applyFill(holdings: Holdings, accounts: Accounts, row: number, delta: number, amount: number, time: number): number {
  const { cost, position } = holdings;
  const before = position[row];
  const after = before + delta;
  const costBefore = cost[row];
  assert(holdings.account[row] >= 0, 'holdings: a fill changes a row in use');
  assert(delta !== 0 && isSafe(delta) && isSafe(amount), 'holdings: a fill has a size and an exact amount');
  assert(delta > 0 ? amount >= 0 : amount <= 0, 'holdings: a buy costs money, a sale brings money');
  let profit = 0;
  if (before === 0 || (before > 0) === (delta > 0)) {
    cost[row] += amount;
  } else {
    const size = Math.abs(delta);
    const closed = Math.min(size, Math.abs(before));
    const closedAmount = closed === size ? amount : towardsZero(amount, closed, size);
    const closedCost = towardsZero(costBefore, closed, Math.abs(before));
    // Opposite signs: the sum is exact.
    profit = 0 - (closedAmount + closedCost);
    holdings.realized[row] = size < Math.abs(before) ? holdings.realized[row] + profit : 0;
    cost[row] = costBefore - closedCost + (amount - closedAmount) + 0;
  }
  position[row] = after + 0;
  holdings.updatedAt[row] = time;
  assert(isSafe(after) && after - before === delta, 'holdings: the position changes by the fill');
  assert(isSafe(cost[row]) && cost[row] - costBefore === amount + profit, 'holdings: the cost changes by the amount and what is realised');
  assert(after > 0 ? cost[row] >= 0 : after < 0 ? cost[row] <= 0 : cost[row] === 0, 'holdings: the cost has the sign of the position');
  if (before === 0) accounts.positions[holdings.account[row]]++;
  if (after === 0) accounts.positions[holdings.account[row]]--;
  assert(accounts.positions[holdings.account[row]] >= 0, 'holdings: the number of positions is not negative');
  return profit;
}

function towardsZero(value: number, part: number, whole: number): number {
  if (part === whole) return value;
  return value < 0 ? -mulDivFloor(-value, part, whole) : mulDivFloor(value, part, whole);
}

export function holdingSections(holdings: Holdings): readonly Section[] {
  const rows = () => holdings.counters[HIGH_WATER];
  const per = (name: string, column: Section['column']): Section => ({ name: `holdings.${name}`, column, used: rows });
  return [
    fixedSection('holdings.counters', holdings.counters),
    per('account', holdings.account), per('instrument', holdings.instrument), per('position', holdings.position),
    per('cost', holdings.cost), per('realized', holdings.realized), per('updatedAt', holdings.updatedAt),
    per('bidSize', holdings.bidSize), per('askSize', holdings.askSize), per('funding', holdings.funding),
    per('fundedHours', holdings.fundedHours), per('fundedRates', holdings.fundedRates), per('fundedUntil', holdings.fundedUntil),
    per('reduceOnly', holdings.reduceOnly), per('orderHead', holdings.orderHead), per('orderTail', holdings.orderTail),
    per('waiting', holdings.waiting), per('triggers', holdings.triggers),
    per('prev', holdings.prev), per('next', holdings.next),
  ];
}

export function rebuildHoldings(holdings: Holdings, accounts: Accounts): void {
  clearHashIndex(holdings.chains);
  holdings.ofSmallTiers[0] = 0;
  for (let row = 0; row < holdings.counters[HIGH_WATER]; row++) {
    if (holdings.account[row] < 0) continue;
    addToHashIndex(holdings.chains, row);
    if (isSmallTier(accounts.tier[holdings.account[row]])) holdings.ofSmallTiers[0]++;
  }
}
