// The takeover (MARGIN.md, "Liquidation"): open orders are cancelled, the fund pays its part of a deficit, and opposite holders cover the
// rest (deleverage.ts). Then the fund gets all positions at theo and all cash. The takeover keeps the vintage it began with.

import { assert } from '../assert.ts';
import { DONE_LIQUIDATION } from '../errors.ts';
import { SELL } from '../units.ts';
import { ACCOUNT, emit, OVER_AMOUNT, OVER_CASH, OVER_FILL_ID, OVER_FUND, OVER_FUND_AMOUNT, OVER_FUND_CASH, OVER_FUND_FILL_ID,
  OVER_FUND_POSITION, OVER_FUND_REALIZED, OVER_INSTRUMENT, OVER_POSITION, OVER_PRICE, OVER_REALIZED, OVER_SLOTS, POSTED_COVER,
  POSTED_TAKEOVER, TAKEN_OVER } from '../codec/events.ts';
import { isSafe } from '../math/exact.ts';
import { touchPosition } from '../account-streams.ts';
import { LIQUIDATED } from '../accounts/accounts.ts';
import { orderSide } from '../book/pool.ts';
import { FILL_IDS, olderOrder } from '../orders/orders.ts';
import { isReduceOnlyTrigger, stillOlder } from '../orders/untriggered.ts';
import { findHolding } from '../positions/holdings.ts';
import { valueAtTheo } from '../margin/standard.ts';
import { equityAtTheo, freshen } from '../margin/account-margin.ts';
import { removeOpenOrder } from '../trading/remove-order.ts';
import type { Lifecycle } from './lifecycle.ts';
import { maxFundPayment, openFund, postToFund } from './insurance-fund.ts';
import { startPass } from './liquidation-state.ts';
import { changeStatus } from './sweep.ts';
import { canMove, cashOfMove, moveRow, rowFor } from './transfer.ts';
import { ORDERS_A_STEP } from './work-queue.ts';

const POSITIONS_A_STEP = 64;

/** Cancels the youngest orders until the rest only closes `keep` of the position. */
export function trimRow(lifecycle: Lifecycle, row: number, keep: number, most: number): number {
  const { books, holdings, orders } = lifecycle;
  const position = holdings.position[row];
  let count = 0;
  for (let slot = holdings.orderTail[row]; slot !== 0 && count < most;) {
    const older = olderOrder(orders, slot);
    const sells = orderSide(books, slot) === SELL;
    const closing = sells ? holdings.askSize[row] : holdings.bidSize[row];
    if (position === 0 || sells !== position > 0 || closing > keep) {
      removeOpenOrder(lifecycle, slot, DONE_LIQUIDATION);
      count++;
    }
    slot = older;
  }
  return count;
}

function trimTriggers(lifecycle: Lifecycle, row: number, isAll: boolean, most: number): number {
  const { holdings, orders } = lifecycle;
  let count = 0;
  for (let slot = holdings.triggers[row]; slot !== 0 && count < most;) {
    const older = olderOrder(orders, slot);
    if (isAll || !isReduceOnlyTrigger(orders, slot)) {
      removeOpenOrder(lifecycle, slot, DONE_LIQUIDATION);
      count++;
    }
    slot = stillOlder(orders, holdings, row, older);
  }
  return count;
}

/**
 * Cancels some orders that could do more than close. `part`: 0 keeps none, 1 keeps orders up to the whole position. True when no more are
 * to be cancelled.
 */
export function trimOrders(lifecycle: Lifecycle, account: number, part: number): boolean {
  const { accounts, holdings } = lifecycle;
  let count = 0;
  for (let link = accounts.holdingHead[account]; link !== 0 && count < ORDERS_A_STEP;) {
    const next = holdings.next[link - 1];
    const row = link - 1;
    // First, because a row that holds no more is freed.
    if (holdings.triggers[row] !== 0) count += trimTriggers(lifecycle, row, part === 0, ORDERS_A_STEP - count);
    if (holdings.account[row] === account) count += trimRow(lifecycle, row, part * Math.abs(holdings.position[row]), ORDERS_A_STEP - count);
    link = next;
  }
  return count < ORDERS_A_STEP;
}

export function coverStep(lifecycle: Lifecycle, account: number, fund: number): boolean {
  if (!trimOrders(lifecycle, account, 0)) return false;
  freshen(lifecycle, account);
  const equity = equityAtTheo(lifecycle, account);
  if (equity < 0 && hasRoom(lifecycle, account, fund)) {
    const amount = Math.min(-equity, maxFundPayment(lifecycle, fund));
    if (amount > 0) postToFund(lifecycle, account, fund, { why: POSTED_COVER, amount: -amount, instrument: -1, order: 0 });
  }
  startPass(lifecycle.risk);
  return true;
}

/** A failed takeover is retried each second and must not be paid for each time. */
function hasRoom(lifecycle: Lifecycle, account: number, fund: number): boolean {
  const { accounts, holdings } = lifecycle;
  let total = Math.abs(accounts.cash[account]) + Math.abs(accounts.cash[fund]);
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    const instrument = holdings.instrument[link - 1];
    const position = holdings.position[link - 1];
    const value = valueAtTheo(lifecycle, instrument, position);
    total += Math.abs(value) + Math.abs(holdings.cost[link - 1]);
    if (!canMove(lifecycle, fund, findHolding(holdings, fund, instrument), instrument, position, value)) return false;
  }
  return isSafe(total);
}

/** Positions first, then cash. True when done, or when the account cannot be taken over now. */
export function takeStep(lifecycle: Lifecycle, account: number, time: number): boolean {
  const { accounts, holdings } = lifecycle;
  const fund = openFund(lifecycle, time);
  assert(fund >= 0 && fund !== account, 'takeover: there is a fund, and it is not the account');
  let taken = 0;
  for (let link = accounts.holdingHead[account]; link !== 0 && taken < POSITIONS_A_STEP;) {
    const row = link - 1;
    link = holdings.next[row];
    taken++;
    if (holdings.orderHead[row] !== 0 && trimRow(lifecycle, row, 0, ORDERS_A_STEP) === ORDERS_A_STEP) return false;
    if (holdings.triggers[row] !== 0 && trimTriggers(lifecycle, row, true, ORDERS_A_STEP) === ORDERS_A_STEP) return false;
    if (holdings.account[row] === account && !takePosition(lifecycle, row, fund, time)) return true;
  }
  if (accounts.holdingHead[account] !== 0) return false;
  const all = { why: POSTED_TAKEOVER, amount: accounts.cash[account], instrument: -1, order: 0 };
  if (postToFund(lifecycle, account, fund, all)) changeStatus(lifecycle, account, LIQUIDATED);
  return true;
}

function takePosition(lifecycle: Lifecycle, row: number, fund: number, time: number): boolean {
  const { accounts, events, holdings, orders, streams, valuation } = lifecycle;
  const account = holdings.account[row];
  const instrument = holdings.instrument[row];
  const position = holdings.position[row];
  const value = valueAtTheo(lifecycle, instrument, position);
  if (!canMove(lifecycle, account, row, instrument, -position, -value)) return false;
  if (!canMove(lifecycle, fund, findHolding(holdings, fund, instrument), instrument, position, value)) return false;
  const realized = moveRow(lifecycle, row, -position, -value, time);
  const to = rowFor(lifecycle, fund, instrument);
  const after = holdings.position[to] + position;
  assert(isSafe(after), 'takeover: the position of the fund is an exact size');
  const fundRealized = moveRow(lifecycle, to, position, value, time);
  const f = events.slots;
  f[ACCOUNT] = account;
  f[OVER_INSTRUMENT] = instrument;
  f[OVER_POSITION] = position;
  f[OVER_PRICE] = valuation.theo[instrument];
  f[OVER_CASH] = accounts.cash[account];
  f[OVER_FUND_POSITION] = after;
  f[OVER_FILL_ID] = ++orders.counters[FILL_IDS];
  f[OVER_FUND_FILL_ID] = ++orders.counters[FILL_IDS];
  f[OVER_REALIZED] = realized;
  f[OVER_FUND_REALIZED] = fundRealized;
  f[OVER_AMOUNT] = cashOfMove(lifecycle, instrument, -value, realized);
  f[OVER_FUND] = fund;
  f[OVER_FUND_AMOUNT] = cashOfMove(lifecycle, instrument, value, fundRealized);
  f[OVER_FUND_CASH] = accounts.cash[fund];
  touchPosition(streams.accounts, account, instrument, accounts.positions[account]);
  touchPosition(streams.accounts, fund, instrument, accounts.positions[fund]);
  emit(events, TAKEN_OVER, OVER_SLOTS);
  return true;
}
