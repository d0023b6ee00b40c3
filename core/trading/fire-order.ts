// Fires an order whose trigger is due (spec, extensions 2). Funding and the wallet's deadlines come first, then all checks of an arriving
// order. If refused, the order ends with that code as its reason.

import { assert } from '../assert.ts';
import { FOK, GTC } from '../units.ts';
import { DONE_FILLED, DONE_FOK_KILLED, DONE_IOC_REST, DONE_LIQUIDATION, MAX_POSITIONS, OK,
  REDUCE_ONLY_INCREASES } from '../errors.ts';
import { FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { ORDER_DONE, ORDER_RESTED, ORDER_TRIGGERED } from '../codec/events.ts';
import { IN_LIQUIDATION, PRE_LIQUIDATION } from '../accounts/accounts.ts';
import { enterBook, isCrossed, repriceOrder } from '../book/books.ts';
import { takerRemaining } from '../book/matching.ts';
import { orderAccount, orderId, orderInstrument, orderKey, orderRemaining, orderSide, setRemaining } from '../book/pool.ts';
import { priceKeyOf, priceOfKey } from '../book/price-key.ts';
import { postOnlyOf } from '../orders/extended.ts';
import { endWait, holdingOf, orderFlags, orderTif, setOriginal, standOrder } from '../orders/orders.ts';
import { checkPositionLimit } from '../margin/order-check.ts';
import { isOverdue } from '../safety/safety.ts';
import { hasCancelJobOf } from './cancel-jobs.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { wouldFill } from './dry-run.ts';
import { clearTheWay } from './extended.ts';
import { payFunding } from './funding.ts';
import { judgeMargin, judgePrice } from './judge.ts';
import { refuseByMode } from './modes.ts';
import { dropLifted } from './move-order.ts';
import { bindRest } from './place.ts';
import { cutToBand } from './price-band.ts';
import { reducible } from './reduce-only.ts';
import { removeOpenOrder, writeOpenOrder } from './remove-order.ts';
import { readTermsOf, takeFromBook, writeOrder } from './taker.ts';
import { fireOwnDeadlines } from './timers.ts';
import type { Trading } from './context.ts';

/** False if the order waits on, because cancels of its wallet are queued. */
export function fireOrder(trading: Trading, slot: number, time: number): boolean {
  const { accounts, books, cancelJobs, orders, result, safety } = trading;
  const account = orderAccount(books, slot);
  const isReduceOnly = (orderFlags(orders, slot) & FLAG_REDUCE_ONLY) !== 0;
  payFunding(trading, account);
  fireOwnDeadlines(trading, account, time);
  let ending = pendingCancelReason(trading, slot, time);
  if (ending === 0 && (isOverdue(safety, account, time) || hasCancelJobOf(cancelJobs, account))) return false;
  const status = accounts.status[account];
  if (ending === 0 && !isReduceOnly && (status === PRE_LIQUIDATION || status === IN_LIQUIDATION)) ending = DONE_LIQUIDATION;
  if (ending === 0) ending = judgeFired(trading, slot, time);
  result.numbers.fill(0);
  if (ending !== 0) removeOpenOrder(trading, slot, ending);
  else execute(trading, slot, time);
  return true;
}

function judgeFired(trading: Trading, slot: number, time: number): number {
  const { books, candidate, holdings, orders } = trading;
  const row = holdingOf(orders, slot);
  const flags = orderFlags(orders, slot);
  const postOnly = postOnlyOf(orders.extended, slot);
  candidate.account = orderAccount(books, slot);
  candidate.instrument = orderInstrument(books, slot);
  candidate.row = row;
  candidate.side = orderSide(books, slot);
  candidate.price = priceOfKey(orderKey(books, slot));
  candidate.size = orderRemaining(books, slot);
  if ((flags & FLAG_REDUCE_ONLY) !== 0) {
    candidate.size = Math.min(candidate.size, reducible(holdings.position[row], candidate.side));
  }
  const closed = refuseByMode(trading);
  if (closed !== OK) return closed;
  if (candidate.size === 0) return REDUCE_ONLY_INCREASES;
  cutToBand(trading);
  if (postOnly !== 0) clearTheWay(trading, 0, time);
  const refused = judgeMargin(trading, flags, postOnly, 0, time);
  if (refused !== OK) return refused;
  if (exceedsPositions(trading, slot, flags)) return MAX_POSITIONS;
  const limited = checkPositionLimit(trading, candidate, 0);
  return limited !== OK ? limited : judgePrice(trading, postOnly, 0);
}

/** The cap is that of the wallet's tier when the order was placed. */
function exceedsPositions({ accounts, candidate, holdings, orders }: Trading, slot: number, flags: number): boolean {
  const most = orders.extended.mostPositions[slot];
  const opensOne = holdings.position[candidate.row] === 0 && (flags & FLAG_REDUCE_ONLY) === 0;
  return most !== 0 && opensOne && accounts.positions[candidate.account] + 1 > most - 1;
}

function execute(trading: Trading, slot: number, time: number): void {
  const { accounts, books, candidate, holdings, orders } = trading;
  const { price, size } = candidate;
  const id = orderId(books, slot);
  const tif = orderTif(orders, slot);
  const key = priceKeyOf(price);
  repriceOrder(books, slot, key, size);
  setOriginal(orders, slot, size, time);
  endWait(orders, holdings, accounts, slot);
  writeOpenOrder(trading, ORDER_TRIGGERED, slot, size);
  readTermsOf(trading, slot);
  const holding = holdingOf(orders, slot);
  if (tif === FOK && !wouldFill(trading, key, time)) {
    finish(trading, slot, size, DONE_FOK_KILLED);
    bindRest(trading, holding, true, 0);
    return;
  }
  const { hasMet, stopped } = takeFromBook(trading, id, orderFlags(orders, slot), key, time);
  const left = takerRemaining(books);
  const rests = left > 0 && tif === GTC && stopped === 0;
  assert(holdingOf(orders, slot) === holding, 'fire: a match leaves the order in its holding');
  if (rests) rest(trading, slot, left, time);
  else finish(trading, slot, left, left === 0 ? DONE_FILLED : stopped !== 0 ? stopped : tif === FOK ? DONE_FOK_KILLED : DONE_IOC_REST);
  bindRest(trading, holding, hasMet, rests ? left : 0);
}

function rest(trading: Trading, slot: number, left: number, time: number): void {
  const { books, candidate, holdings, orders } = trading;
  setRemaining(books, slot, left);
  enterBook(books, slot);
  assert(!isCrossed(books, candidate.instrument), 'fire: the book is not crossed after an order rests');
  standOrder(orders, holdings, slot, time);
  writeOrder(trading, ORDER_RESTED, orderId(books, slot), slot, GTC, candidate.size - left, left);
}

function finish(trading: Trading, slot: number, left: number, reason: number): void {
  const { books, candidate, orders } = trading;
  setRemaining(books, slot, left);
  writeOrder(trading, ORDER_DONE, orderId(books, slot), slot, orderTif(orders, slot), candidate.size - left, reason);
  dropLifted(trading, slot);
}
