// Places an order: the engine's checks in the law's order, then matching, then resting. The api thread's refusals are not repeated, except
// PERP_WITHOUT_UNDERLYING, for which a record has no field.

import { assert } from '../assert.ts';
import { FOK, GTC } from '../units.ts';
import { DONE_FILLED, DONE_FOK_KILLED, DONE_IOC_REST, DUPLICATE_CLIENT_ID, EXPIRED, NOT_LISTED, OK,
  PERP_WITHOUT_UNDERLYING, REDUCE_ONLY_INCREASES, RFQ_NOT_AVAILABLE, TOO_MANY_LINKED } from '../errors.ts';
import { BYTE_CONTRACT_KIND, BYTE_LINK_ID, BYTE_ORDER_CLIENT_ID, BYTE_ORDER_FLAGS, BYTE_POST_ONLY, BYTE_SIDE, BYTE_STP, BYTE_TIF,
  DOUBLE_EXPIRY, DOUBLE_PRICE, DOUBLE_SIZE, DOUBLE_STRIKE, FLAG_ENTRY, FLAG_REDUCE_ONLY, FLAG_RFQ_ONLY, PERP, POST_ONLY_SLIDE,
  WORD_ORDER_UNDERLYING } from '../codec/commands.ts';
import { ORDER_ACCEPTED, ORDER_DONE, ORDER_RESTED } from '../codec/events.ts';
import { recordCode, type Views } from '../codec/record.ts';
import { ACTIVE, DELETED, findInstrument } from '../instruments/instruments.ts';
import { findUnderlying } from '../instruments/underlyings.ts';
import { closeIfEmpty, findHolding } from '../positions/holdings.ts';
import { isCrossed, restOrder } from '../book/books.ts';
import { takerRemaining } from '../book/matching.ts';
import { priceKeyOf } from '../book/price-key.ts';
import { endEntry, isEntryRecord } from '../orders/extended.ts';
import { findByClientId } from '../orders/names.ts';
import { enterOrder, extendOrder, ORDER_IDS, type Orders } from '../orders/orders.ts';
import { addReserve, moveReserve, updateHolding } from '../margin/account-margin.ts';
import { hasEnded, pendingCancelReason } from './cancel-all.ts';
import { clearTheWay, refuseLate } from './extended.ts';
import { judgeCandidate } from './judge.ts';
import { freeLink, isLinkFull, linkOfRecord } from './links.ts';
import { refuseByMode } from './modes.ts';
import { reducible, refuseManyReduceOnly } from './reduce-only.ts';
import { wouldFill } from './dry-run.ts';
import { removeOpenOrder } from './remove-order.ts';
import { fillRest, takeFromBook, writeOrder } from './taker.ts';
import { holdTrigger, isTriggerOrder, judgeTrigger } from './trigger-orders.ts';
import type { Trading } from './context.ts';

export function instrumentOf({ underlyings, instruments }: Trading, views: Views, at: number): number {
  const word = (at >>> 2) + WORD_ORDER_UNDERLYING;
  const underlying = findUnderlying(underlyings, views.u32[word], views.u32[word + 1]);
  if (underlying < 0) return -1;
  const double = at >>> 3;
  return findInstrument(
    instruments, underlying, views.f64[double + DOUBLE_EXPIRY], views.f64[double + DOUBLE_STRIKE], views.u8[at + BYTE_CONTRACT_KIND],
  );
}

/** A reduce-only order is cut to its position. */
export function readCandidate(trading: Trading, views: Views, at: number, account: number, instrument: number): void {
  const { candidate, holdings } = trading;
  const double = at >>> 3;
  const row = findHolding(holdings, account, instrument);
  const size = views.f64[double + DOUBLE_SIZE];
  candidate.account = account;
  candidate.instrument = instrument;
  candidate.row = row;
  candidate.side = views.u8[at + BYTE_SIDE];
  candidate.price = views.f64[double + DOUBLE_PRICE];
  candidate.size = (views.u8[at + BYTE_ORDER_FLAGS] & FLAG_REDUCE_ONLY) === 0 ? size
    : Math.min(size, row < 0 ? 0 : reducible(holdings.position[row], candidate.side));
}

/**
 * OK or the first refusal, with its numbers in the result. Fills the candidate. `replaced`: the order it replaces, already out of the sums,
 * or 0.
 */
export function judgeOrder(trading: Trading, views: Views, at: number, account: number, time: number, replaced: number): number {
  const { orders } = trading;
  const kind = views.u8[at + BYTE_CONTRACT_KIND];
  const flags = views.u8[at + BYTE_ORDER_FLAGS];
  if (recordCode(views, at) === PERP_WITHOUT_UNDERLYING) return PERP_WITHOUT_UNDERLYING;
  if ((flags & FLAG_RFQ_ONLY) !== 0) return RFQ_NOT_AVAILABLE;
  const late = refuseLate(views, at, time);
  if (late !== OK) return late;
  if (kind !== PERP && views.f64[(at >>> 3) + DOUBLE_EXPIRY] <= time) return EXPIRED;
  const instrument = instrumentOf(trading, views, at);
  if (instrument < 0 || trading.instruments.status[instrument] === DELETED) return NOT_LISTED;
  if (trading.instruments.status[instrument] !== ACTIVE) return EXPIRED;
  readCandidate(trading, views, at, account, instrument);
  const closed = refuseByMode(trading);
  if (closed !== OK) return closed;
  const same = findSameClientId(orders, views, at, account);
  if (same >= 0 && same !== replaced) return DUPLICATE_CLIENT_ID;
  const tif = views.u8[at + BYTE_TIF];
  const waits = isTriggerOrder(views, at);
  if ((tif === GTC || waits) && isLinkFull(trading, views, at, account, instrument, replaced)) return TOO_MANY_LINKED;
  if (waits) return judgeTrigger(trading, views, at, replaced);
  if ((flags & FLAG_REDUCE_ONLY) !== 0) {
    const refused = refuseReduceOnly(trading, tif, replaced);
    if (refused !== OK) return refused;
  }
  return judgeCandidate(trading, flags, views.u8[at + BYTE_POST_ONLY], replaced, time);
}

function refuseReduceOnly(trading: Trading, tif: number, replaced: number): number {
  if (trading.candidate.size === 0) return REDUCE_ONLY_INCREASES;
  if (tif !== GTC) return OK;
  return refuseManyReduceOnly(trading, replaced);
}

/** Result: OK with order id, filled size, resting size (of a sliding order its price) and a DONE_ code (0: it rests), or a refusal. */
export function placeOrder(trading: Trading, views: Views, at: number, account: number, time: number): void {
  removeEnded(trading, views, at, account, time, 0);
  trading.result.code = judgeOrder(trading, views, at, account, time, 0);
  if (trading.result.code === OK) executeOrder(trading, views, at, time);
}

/** Removes orders that wait to be cancelled where the new order meets them: by client id, by link, and for post-only at its price. */
export function removeEnded(trading: Trading, views: Views, at: number, account: number, time: number, replaced: number): void {
  freeNames(trading, views, at, account, time);
  if (views.u8[at + BYTE_POST_ONLY] === 0) return;
  const instrument = instrumentOf(trading, views, at);
  if (instrument < 0 || trading.instruments.status[instrument] !== ACTIVE) return;
  readCandidate(trading, views, at, account, instrument);
  clearTheWay(trading, replaced, time);
}

function freeNames(trading: Trading, views: Views, at: number, account: number, time: number): void {
  if (!hasEnded(trading, time)) return;
  const same = findSameClientId(trading.orders, views, at, account);
  const ending = same < 0 ? 0 : pendingCancelReason(trading, same, time);
  if (ending !== 0) removeOpenOrder(trading, same, ending);
  if (views.u8[at + BYTE_LINK_ID] !== 0) freeLink(trading, views, at, account, instrumentOf(trading, views, at), time);
}

function findSameClientId(orders: Orders, views: Views, at: number, account: number): number {
  const length = views.u8[at + BYTE_ORDER_CLIENT_ID];
  return length === 0 ? -1 : findByClientId(orders, account, views.u32, (at + BYTE_ORDER_CLIENT_ID + 4) >>> 2, length);
}

export function executeOrder(trading: Trading, views: Views, at: number, time: number): void {
  const { result, candidate, books } = trading;
  const { account, price, size } = candidate;
  const tif = views.u8[at + BYTE_TIF];
  const flags = views.u8[at + BYTE_ORDER_FLAGS] & ~FLAG_ENTRY;
  const id = ++trading.orders.counters[ORDER_IDS];
  assert(size > 0 && account >= 0, 'place: an order has an account and a size');
  writeOrder(trading, ORDER_ACCEPTED, id, -1, tif, 0, flags);
  result.numbers[0] = id;
  if (isTriggerOrder(views, at)) {
    holdTrigger(trading, views, at, id, time);
    result.numbers[2] = views.u8[at + BYTE_POST_ONLY] === POST_ONLY_SLIDE ? price : 0;
    return;
  }
  readTakerTerms(trading, views, at);
  const key = priceKeyOf(price);
  let filled = 0;
  let resting = 0;
  let ended = 0;
  if (tif === FOK && !wouldFill(trading, key, time)) {
    ended = DONE_FOK_KILLED;
    writeOrder(trading, ORDER_DONE, id, -1, tif, 0, ended);
    if (candidate.row >= 0) closeIfEmpty(trading.holdings, trading.accounts, candidate.row);
  } else {
    const { hasMet, holding, stopped } = takeFromBook(trading, id, flags, key, time);
    const left = takerRemaining(books);
    filled = size - left;
    assert(filled >= 0 && left >= 0, 'place: filled and remaining size are not negative');
    if (left > 0 && tif === GTC && stopped === 0) {
      restRemainder(trading, views, at, id, key, holding, left, time);
      resting = left;
    } else {
      ended = left === 0 ? DONE_FILLED : stopped !== 0 ? stopped : tif === FOK ? DONE_FOK_KILLED : DONE_IOC_REST;
      writeOrder(trading, ORDER_DONE, id, -1, tif, filled, ended);
    }
    bindRest(trading, holding, hasMet, resting);
  }
  result.numbers[1] = filled;
  result.numbers[2] = views.u8[at + BYTE_POST_ONLY] === POST_ONLY_SLIDE ? price : resting;
  result.numbers[3] = ended;
}

/** Updates the margin sums after a match that leaves `resting` in the book. */
export function bindRest(trading: Trading, holding: number, hasMet: boolean, resting: number): void {
  const { accounts, candidate, holdings } = trading;
  const { account, price, side } = candidate;
  if (resting > 0 && !hasMet) {
    addReserve(trading, account, holding, side, price, resting);
    return;
  }
  if (resting > 0) moveReserve(trading, holding, side, price, 0, resting);
  updateHolding(trading, account, holding);
  closeIfEmpty(holdings, accounts, holding);
}

function readTakerTerms({ candidate, taker }: Trading, views: Views, at: number): void {
  taker.slot = 0;
  taker.stp = views.u8[at + BYTE_STP];
  linkOfRecord(views, at, candidate.account, candidate.instrument, taker.link);
}

function restRemainder(
  trading: Trading, views: Views, at: number, id: number, key: number, holding: number, left: number, time: number,
): void {
  const { books, candidate, rest: scratch } = trading;
  const { account, instrument, side, size } = candidate;
  const slot = restOrder(books, instrument, side, key, account, id, left);
  assert(!isCrossed(books, instrument), 'place: the book is not crossed after an order rests');
  fillRest(trading, views, at, holding, time);
  enterOrder(trading.orders, trading.holdings, trading.accounts, slot, scratch);
  extendOrder(trading.orders, slot, views, at);
  if (left < size && isEntryRecord(views, at)) endEntry(trading.orders.extended, slot);
  writeOrder(trading, ORDER_RESTED, id, slot, scratch.tif, size - left, left);
}
