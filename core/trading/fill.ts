// The only place where a trade moves money. An option's buyer pays price * size / 1e6 micros, rounded half up. A perp's trade moves cost
// basis; cash changes by realised profit and pending funding (decision 2.4). Fees are not part of realised profit (2.7). Both sides are
// checked before anything moves.

import { assert } from '../assert.ts';
import { BUY, CONTRACT, SELL } from '../units.ts';
import { DONE_MMP_SELF } from '../errors.ts';
import { FLAG_MMP_TRIGGERED } from '../codec/reply.ts';
import { emit, FILL, FILL_INSTRUMENT, FILL_MAKER, FILL_MAKER_CASH, FILL_MAKER_FEE, FILL_MAKER_FILL_ID, FILL_MAKER_ORDER,
  FILL_MAKER_POSITION, FILL_MAKER_REALIZED, FILL_MAKER_REST, FILL_MAKER_SLOT, FILL_PRICE, FILL_SIDE, FILL_SIZE, FILL_SLOTS, FILL_TAKER,
  FILL_TAKER_CASH, FILL_TAKER_FEE, FILL_TAKER_FILL_ID, FILL_TAKER_ORDER, FILL_TAKER_POSITION, FILL_TAKER_REALIZED, FILL_TAKER_REST,
  FILL_TRADE_ID } from '../codec/events.ts';
import { MAKER_FEE, TAKER_FEE } from '../settings.ts';
import { TIER1 } from '../tiers.ts';
import { isSafe, mulDivHalfUp } from '../math/exact.ts';
import { FEES, moveCash, payHouse, realize } from '../ledger/ledger.ts';
import { countFill, countOrderUpdate, touchPosition } from '../account-streams.ts';
import { touchBook } from '../streams.ts';
import { pendingFunding } from '../positions/funding.ts';
import { applyFill, canHold, closeIfEmpty, profitOf } from '../positions/holdings.ts';
import { notePosition } from '../positions/perp-accounts.ts';
import { takerRemaining } from '../book/matching.ts';
import { orderAccount, orderId, orderKey, orderRemaining } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import { linkLength, linkOf } from '../orders/extended.ts';
import { addOpenSize, FILL_IDS, holdingOf, isExtended, markUpdated, orderFlags, TRADE_IDS } from '../orders/orders.ts';
import { UNTRIGGERED } from '../orders/untriggered.ts';
import { isCovered, moveReserve, updateHolding } from '../margin/account-margin.ts';
import { canLose } from '../margin/order-check.ts';
import { feeOf } from '../margin/standard.ts';
import { payHolding } from './funding.ts';
import { fillEntry } from './groups.ts';
import { fillLink } from './links.ts';
import { recordProtected, takesPartInMmp } from './protection.ts';
import { fitReduceOnly, fitTriggers, reducible } from './reduce-only.ts';
import { finishMaker } from './remove-order.ts';
import type { Taker, Trading } from './context.ts';

const scratch = { link: { account: 0, instrument: 0, words: new Uint32Array(0), at: 0, length: 0 } };

/** The current fill becomes a trade of at most `most` with the maker. */
export function quoteFill(trading: Trading, taker: Taker, slot: number, most: number): void {
  taker.price = priceOfKey(orderKey(trading.books, slot));
  taker.size = Math.min(most, orderRemaining(trading.books, slot));
  taker.amount = mulDivHalfUp(taker.price, taker.size, CONTRACT);
  assert(taker.price > 0 && taker.size > 0, 'fill: a trade has a price and a size');
  assert(isSafe(taker.amount), 'fill: an amount is an exact number of micros');
  if (!taker.isCharged) return;
  const { settings } = trading;
  const spot = trading.valuation.markIndex[taker.underlying];
  taker.fee = feeOf(settings, TAKER_FEE, taker.kind, spot, taker.price, taker.size);
  taker.makerFee = feeOf(settings, MAKER_FEE, taker.kind, spot, taker.price, taker.size);
  assert(taker.fee >= 0 && taker.makerFee >= 0, 'fill: fees are not negative');
}

export function takerCanFill(trading: Trading, taker: Taker): boolean {
  return canBookSide(trading, taker, taker.account, taker.holding, taker.side === BUY, taker.fee);
}

export function makerCanFill(trading: Trading, taker: Taker, slot: number): boolean {
  const account = orderAccount(trading.books, slot);
  return canBookSide(trading, taker, account, holdingOf(trading.orders, slot), taker.side !== BUY, taker.makerFee);
}

/** False if the maker lacks margin for all its open orders. But a closing fill may trade if it leaves no debt. */
export function makerMayFill(trading: Trading, { instrument, price, side, size }: Taker, slot: number): boolean {
  const maker = orderAccount(trading.books, slot);
  const position = trading.holdings.position[holdingOf(trading.orders, slot)];
  if (isUncovered(trading, maker, 1 - side, position, size)) return false;
  if (isCovered(trading, maker, 0)) return true;
  return size <= reducible(position, 1 - side) && canLose(trading, maker, MAKER_FEE, { instrument, side: 1 - side, price, size });
}

/** True if a tier1 (long-only) wallet would sell more than it holds. */
export function isUncovered({ accounts }: Trading, account: number, side: number, position: number, size: number): boolean {
  return accounts.tier[account] === TIER1 && side === SELL && size > reducible(position, SELL);
}

function canBookSide(trading: Trading, taker: Taker, account: number, holding: number, buys: boolean, fee: number): boolean {
  const { amount, isPerp, size } = taker;
  return canBook(trading, account, holding, isPerp, buys ? size : -size, buys ? amount : -amount, fee);
}

/** False if a balance would not stay exact. `amount` in micros is signed as `delta`. Holding -1: no position yet. */
export function canBook(
  trading: Trading, account: number, holding: number, isPerp: boolean, delta: number, amount: number, fee: number,
): boolean {
  const { holdings } = trading;
  let cash = trading.accounts.cash[account];
  if (!isPerp) cash -= amount;
  else if (holding >= 0) {
    cash -= pendingFunding(trading.funding, holdings, holding);
    if (!isSafe(cash)) return false;
    cash += profitOf(holdings, holding, delta, amount);
  }
  return isSafe(cash) && (fee === 0 || isSafe(cash - fee)) && (holding < 0 || canHold(holdings, holding, delta, amount));
}

export function bookFill(trading: Trading, taker: Taker, slot: number): void {
  const { accounts, books, holdings, orders } = trading;
  const { price, size } = taker;
  const maker = orderAccount(books, slot);
  const makerHolding = holdingOf(orders, slot);
  const makerFlags = orderFlags(orders, slot);
  assert(maker !== taker.account && makerHolding !== taker.holding, 'fill: taker and maker are different accounts');
  assert(makerHolding >= 0 && holdings.account[makerHolding] === maker, 'fill: the order and its holding belong to the maker');
  assert(holdings.account[taker.holding] === taker.account, 'fill: the taker has its holding');
  assert(holdings.instrument[makerHolding] === taker.instrument && holdings.instrument[taker.holding] === taker.instrument,
    'fill: both sides trade one contract');
  movePositions(trading, taker, maker, makerHolding);
  taker.paid += taker.amount;
  addOpenSize(orders, holdings, slot, -size);
  const left = orderRemaining(books, slot);
  markUpdated(orders, slot, taker.time);
  moveReserve(trading, makerHolding, 1 - taker.side, price, left + size, left);
  writeFill(trading, taker, slot);
  if (isExtended(orders, slot)) {
    fillEntry(trading, slot);
    if (linkLength(orders.extended, slot) !== 0) {
      fillLink(trading, linkOf(orders.extended, books, slot, scratch.link), slot, size, taker.time);
    }
  }
  if (taker.slot !== 0 && isExtended(orders, taker.slot)) fillEntry(trading, taker.slot);
  if (taker.link.length !== 0) fillLink(trading, taker.link, taker.slot, size, taker.time);
  if (left === 0) finishMaker(trading, slot);
  const bought = taker.side === BUY ? size : -size;
  if (takesPartInMmp(trading, maker, taker.underlying, makerFlags)) {
    recordProtected(trading, maker, taker.instrument, -bought, taker.time, makerHolding, left === 0 ? 0 : slot);
  }
  if (holdings.reduceOnly[makerHolding] !== 0) fitReduceOnly(trading, makerHolding);
  const hasTriggers = orders.counters[UNTRIGGERED] !== 0;
  if (hasTriggers && holdings.triggers[makerHolding] !== 0) fitTriggers(trading, makerHolding, holdings.position[makerHolding] + bought);
  updateHolding(trading, maker, makerHolding);
  closeIfEmpty(holdings, accounts, makerHolding);
  if (holdings.reduceOnly[taker.holding] !== 0) fitReduceOnly(trading, taker.holding);
  if (hasTriggers && holdings.triggers[taker.holding] !== 0) fitTriggers(trading, taker.holding, holdings.position[taker.holding] - bought);
  if (taker.isProtected && recordProtected(trading, taker.account, taker.instrument, bought, taker.time, taker.holding, 0)) {
    taker.stopped = DONE_MMP_SELF;
    trading.result.flags |= FLAG_MMP_TRIGGERED;
  }
}

function movePositions(trading: Trading, taker: Taker, maker: number, makerHolding: number): void {
  const { accounts, holdings, ledger } = trading;
  const { account, amount, fee, holding, isPerp, makerFee, size, time } = taker;
  const buys = taker.side === BUY;
  const takerBefore = holdings.position[holding];
  const makerBefore = holdings.position[makerHolding];
  const delta = buys ? size : -size;
  const cost = buys ? amount : -amount;
  if (isPerp) {
    payHolding(trading, holding);
    payHolding(trading, makerHolding);
  } else moveCash(accounts, buys ? account : maker, buys ? maker : account, amount);
  taker.realized = applyFill(holdings, accounts, holding, delta, cost, time);
  taker.makerRealized = applyFill(holdings, accounts, makerHolding, -delta, -cost, time);
  assert(holdings.position[holding] - takerBefore === makerBefore - holdings.position[makerHolding],
    'fill: the positions change by opposite amounts');
  if (isPerp) {
    realize(accounts, account, taker.realized);
    realize(accounts, maker, taker.makerRealized);
    notePosition(trading.perpAccounts, account, taker.underlying, takerBefore, holdings.position[holding]);
    notePosition(trading.perpAccounts, maker, taker.underlying, makerBefore, holdings.position[makerHolding]);
  }
  if (fee !== 0) payHouse(ledger, accounts, account, FEES, fee);
  if (makerFee !== 0) payHouse(ledger, accounts, maker, FEES, makerFee);
  trading.instruments.openInterest[taker.instrument] += longChange(takerBefore, holdings.position[holding])
    + longChange(makerBefore, holdings.position[makerHolding]);
}

/** A filled maker's order update is counted with its ORDER_DONE. */
function countBoth({ accounts, streams }: Trading, taker: Taker, maker: number, makerRest: number): void {
  countFill(streams.accounts, taker.account);
  countFill(streams.accounts, maker);
  streams.trades[taker.instrument]++;
  if (makerRest > 0) countOrderUpdate(streams.accounts, maker);
  touchPosition(streams.accounts, taker.account, taker.instrument, accounts.positions[taker.account]);
  touchPosition(streams.accounts, maker, taker.instrument, accounts.positions[maker]);
  touchBook(streams, taker.instrument);
}

function longChange(before: number, after: number): number {
  return Math.max(0, after) - Math.max(0, before);
}

function writeFill(trading: Trading, taker: Taker, slot: number): void {
  const { accounts, books, events, holdings, orders } = trading;
  const maker = orderAccount(books, slot);
  const makerHolding = holdingOf(orders, slot);
  const f = events.slots;
  f[FILL_TAKER] = taker.account;
  f[FILL_TAKER_ORDER] = taker.orderId;
  f[FILL_MAKER] = maker;
  f[FILL_MAKER_ORDER] = orderId(books, slot);
  f[FILL_INSTRUMENT] = taker.instrument;
  f[FILL_SIDE] = taker.side;
  f[FILL_PRICE] = taker.price;
  f[FILL_SIZE] = taker.size;
  f[FILL_TRADE_ID] = ++orders.counters[TRADE_IDS];
  f[FILL_TAKER_FILL_ID] = ++orders.counters[FILL_IDS];
  f[FILL_MAKER_FILL_ID] = ++orders.counters[FILL_IDS];
  f[FILL_TAKER_FEE] = taker.fee;
  f[FILL_MAKER_FEE] = taker.makerFee;
  f[FILL_TAKER_CASH] = accounts.cash[taker.account];
  f[FILL_MAKER_CASH] = accounts.cash[maker];
  f[FILL_TAKER_POSITION] = holdings.position[taker.holding];
  f[FILL_MAKER_POSITION] = holdings.position[makerHolding];
  f[FILL_TAKER_REALIZED] = taker.realized;
  f[FILL_MAKER_REALIZED] = taker.makerRealized;
  f[FILL_MAKER_REST] = orderRemaining(books, slot);
  f[FILL_MAKER_SLOT] = slot;
  f[FILL_TAKER_REST] = takerRemaining(books);
  countBoth(trading, taker, maker, f[FILL_MAKER_REST]);
  emit(events, FILL, FILL_SLOTS);
}
