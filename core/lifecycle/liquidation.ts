// Liquidation of one account, a step at a time: while it waits only orders that could open anything are cancelled; then,
// once a second and instrument by instrument in the order of the requirement that is freed, an ioc of at most a part of
// the position goes into the book, no worse than mark by the closing distance, nor at a loss beyond the equity that is left;
// without progress, or with hardly any equity left, the fund takes over. None of this while equity is at or above maintenance; a
// takeover that has begun is carried through. The fund closes what it took in the same way, but no
// worse than mark and theo, and is never liquidated.
// A position that frees nothing by itself, the leg of a hedge, comes last, and only while the parts of all that the book can take
// free something together; else closing it would bring nothing nearer. No order is sent into a book that has nothing for it, or
// while its index is stale; no takeover while any index that the account holds is. Equity is that at theo.
// Money micros, sizes 1e-6 contracts, prices 1e-6 USDC. Source: MARGIN.md, "Liquidation".

import { assert } from '../assert.ts';
import { BUY, CONTRACT, SELL } from '../units.ts';
import { MAX_PRICE } from '../limits.ts';
import { LIQUIDATION_FEE, LIQUIDATION_LOT, LIQUIDATION_NO_WAIT, LIQUIDATION_PART, PPM, TAKEOVER_AFTER,
  TAKEOVER_PART } from '../settings.ts';
import { clampSafe, mulDivCeil, mulDivFloor, mulDivHalfUp, weighUp } from '../math/exact.ts';
import { POSTED_FEE } from '../codec/events.ts';
import { IN_LIQUIDATION, isOpen, PORTFOLIO, PRE_LIQUIDATION } from '../accounts/accounts.ts';
import { ACTIVE, hasExpired } from '../instruments/instruments.ts';
import { bestAsk, bestBid } from '../book/books.ts';
import { limitKeyOf } from '../book/price-key.ts';
import { isIndexStale } from '../valuation/valuation.ts';
import { equityAtTheo, freshen, maintenanceOf, positionInitialOf } from '../margin/account-margin.ts';
import { freedBy, freedTogether } from '../margin/freed.ts';
import { closingDistance } from '../margin/order-check.ts';
import { orderFee } from '../margin/standard.ts';
import { forceTrade } from '../trading/forced-trade.ts';
import { deleverageStep } from './deleverage.ts';
import type { Lifecycle } from './context.ts';
import { fundOf, openFund, postToFund } from './fund.ts';
import { PASS } from './risk.ts';
import { changeStatus, hasMaintenance, hasStaleIndex, isUnpriced, recover } from './sweep.ts';
import { coverStep, takeStep, trimOrders, trimRow } from './takeover.ts';
import { currentItem, FIRST, KIND, LIQUIDATE, ORDERS_A_STEP, popWork, SECOND } from './work.ts';

/**
 * Progress: orders since the last have freed one part in so many of the account's initial margin, a tenth of what an order for a
 * quarter of its only position would.
 */
const PROGRESS = 40;
/** Numbers of the work item: whose, and which part is next, closing its positions or one of a takeover. */
const ACCOUNT = FIRST;
const PART = SECOND;
const CLOSE = 0;
const COVER = 1;
const DELEVERAGE = 2;
const TAKE = 3;

/** True when the item in hand is a takeover that has begun. */
export function isTakingOver({ work }: Lifecycle): boolean {
  const item = currentItem(work);
  return work.items[item + KIND] === LIQUIDATE && work.items[item + PART] !== CLOSE;
}

/** One bounded step of the account in hand. */
export function liquidationStep(lifecycle: Lifecycle, time: number): void {
  const { risk, work } = lifecycle;
  const { items } = work;
  const item = currentItem(work);
  const account = items[item + ACCOUNT];
  assert(isOpen(lifecycle.accounts, account), 'liquidation: the account is open');
  switch (items[item + PART]) {
    case CLOSE:
      if (account === fundOf(lifecycle)) {
        if (!closeNext(lifecycle, account, time)) popWork(work);
      } else items[item + PART] = closeStep(lifecycle, account, time);
      return;
    case COVER: {
      const fund = openFund(lifecycle, time);
      if (fund < 0) popWork(work);
      else if (coverStep(lifecycle, account, fund)) {
        risk.deal.fill(0);
        items[item + PART] = DELEVERAGE;
      }
      return;
    }
    case DELEVERAGE:
      if (deleverageStep(lifecycle, account, time)) items[item + PART] = TAKE;
      return;
    default:
      if (takeStep(lifecycle, account, time)) popWork(work);
  }
}

/** Judges the account anew and does the next thing; answers the part that follows, and drops the item when nothing does. */
function closeStep(lifecycle: Lifecycle, account: number, time: number): number {
  const { accounts, risk, work } = lifecycle;
  const { values } = lifecycle.settings;
  if (isUnpriced(lifecycle, account, time) || recover(lifecycle, account, time)) {
    popWork(work);
    return CLOSE;
  }
  if (!trimOrders(lifecycle, account, 1)) return CLOSE;
  freshen(lifecycle, account);
  if (hasMaintenance(lifecycle, account)) {
    popWork(work);
    return CLOSE;
  }
  const equity = equityAtTheo(lifecycle, account);
  const maintenance = maintenanceOf(lifecycle, account);
  if (accounts.status[account] === PRE_LIQUIDATION) {
    if (time < risk.waitEnd[account] && equity >= weighUp(maintenance, values[LIQUIDATION_NO_WAIT], PPM)) {
      popWork(work);
      return CLOSE;
    }
    risk.stalled[account] = risk.freed[account] = 0;
    changeStatus(lifecycle, account, IN_LIQUIDATION);
  }
  const isLost = equity < weighUp(maintenance, values[TAKEOVER_PART], PPM) || risk.stalled[account] >= values[TAKEOVER_AFTER];
  if (isLost && !hasStaleIndex(lifecycle, account, time)) return COVER;
  if (!closeNext(lifecycle, account, time)) popWork(work);
  return CLOSE;
}

/** Sends the order for the next position of this second; false when none is left. */
function closeNext(lifecycle: Lifecycle, account: number, time: number): boolean {
  const { holdings, risk } = lifecycle;
  freshen(lifecycle, account);
  const row = nextToClose(lifecycle, account, time);
  if (row < 0) return false;
  const instrument = holdings.instrument[row];
  const held = Math.abs(holdings.position[row]);
  const size = sizeToClose(lifecycle, row);
  // What rests of the wallet's own may only close what this order leaves.
  if (trimRow(lifecycle, row, held - size, ORDERS_A_STEP) === ORDERS_A_STEP) return true;
  assert(size > 0 && size <= held, 'liquidation: an order closes a part of the position');
  risk.tried[row] = risk.counters[PASS];
  const side = holdings.position[row] > 0 ? SELL : BUY;
  const before = positionInitialOf(lifecycle, account);
  forceTrade(lifecycle, account, { instrument, side, price: worstPrice(lifecycle, row, size), size }, time, (closed) => {
    if (account === fundOf(lifecycle)) return;
    noteProgress(lifecycle, account, before);
    takeFee(lifecycle, account, instrument, closed, time);
  });
  return true;
}

/**
 * Counts what an order has freed, the initial margin having been `before`. Whoever buys dust of one position now and then for a few
 * cents must not keep the fund away from the others.
 */
function noteProgress(lifecycle: Lifecycle, account: number, before: number): void {
  const { risk } = lifecycle;
  freshen(lifecycle, account);
  const after = positionInitialOf(lifecycle, account);
  // Requirements beyond a double's range free nothing that could be told.
  if (Number.isFinite(before - after)) risk.freed[account] += before - after;
  if (risk.freed[account] * PROGRESS < after + risk.freed[account]) return;
  risk.stalled[account] = risk.freed[account] = 0;
}

/** What the next order for the row's position is for: a part of it, but no less than a lot. */
function sizeToClose({ holdings, settings }: Lifecycle, row: number): number {
  const { values } = settings;
  const held = Math.abs(holdings.position[row]);
  return Math.min(held, Math.max(values[LIQUIDATION_LOT], mulDivFloor(held, values[LIQUIDATION_PART], PPM)));
}

/** The row whose next order frees most of those that can be closed; ties: the contract listed first. -1: none should be. */
function nextToClose(lifecycle: Lifecycle, account: number, time: number): number {
  const { accounts, holdings } = lifecycle;
  let best = -1;
  let most = 0;
  for (let link = accounts.holdingHead[account]; link !== 0; link = holdings.next[link - 1]) {
    const row = link - 1;
    if (!canClose(lifecycle, row, time)) continue;
    const freed = freedBy(lifecycle, account, row, leftOf(lifecycle, row));
    if (best >= 0 && (freed < most || (freed === most && holdings.instrument[row] > holdings.instrument[best]))) continue;
    best = row;
    most = freed;
  }
  if (best < 0 || most > 0 || account === fundOf(lifecycle)) return best;
  // Each leg of a hedge may hold the others' requirement down: together their parts free what one of them alone would add.
  if (accounts.mode[account] !== PORTFOLIO) return -1;
  const left = (row: number): number => canClose(lifecycle, row, time) ? leftOf(lifecycle, row) : holdings.position[row];
  return freedTogether(lifecycle, account, left) > 0 ? best : -1;
}

/** The row's position after its next order. */
function leftOf(lifecycle: Lifecycle, row: number): number {
  const position = lifecycle.holdings.position[row];
  const size = sizeToClose(lifecycle, row);
  return position > 0 ? position - size : position + size;
}

/** True for a position that was not tried in this second and that the book can take some of. */
function canClose(lifecycle: Lifecycle, row: number, time: number): boolean {
  const { holdings, instruments, risk, settings, valuation } = lifecycle;
  const instrument = holdings.instrument[row];
  if (holdings.position[row] === 0 || risk.tried[row] === risk.counters[PASS]) return false;
  if (instruments.status[instrument] !== ACTIVE || hasExpired(instruments, instrument, time)) return false;
  if (isIndexStale(valuation, settings, instruments.underlying[instrument], time)) return false;
  return hasTaker(lifecycle, row);
}

/** True when an order in the book would take some of the row's position at a price it may be sold at. */
function hasTaker(lifecycle: Lifecycle, row: number): boolean {
  const { books, holdings } = lifecycle;
  const instrument = holdings.instrument[row];
  const side = holdings.position[row] > 0 ? SELL : BUY;
  const best = side === SELL ? bestBid(books, instrument) : bestAsk(books, instrument);
  if (best < 0) return false;
  const worst = limitKeyOf(worstPrice(lifecycle, row, sizeToClose(lifecycle, row)), side);
  return side === SELL ? best >= worst : best <= worst;
}

/**
 * For closing so much of the row's position: mark less (or plus) the closing distance, but no further from theo than the equity there
 * is pays for, taker fee included. The fund closes at mark or at theo, whichever is better for it: it is under no pressure, and a
 * discount would be a gift.
 */
function worstPrice(lifecycle: Lifecycle, row: number, size: number): number {
  const { holdings, valuation } = lifecycle;
  const account = holdings.account[row];
  const instrument = holdings.instrument[row];
  const isSale = holdings.position[row] > 0;
  const mark = valuation.mark[instrument];
  const theo = valuation.theo[instrument];
  const isFund = account === fundOf(lifecycle);
  const distance = isFund ? 0 : closingDistance(lifecycle, instrument);
  const left = equityAtTheo(lifecycle, account) - orderFee(lifecycle, instrument, mark + distance, size);
  const most = !isFund && left > 0 ? mulDivFloor(clampSafe(left), CONTRACT, size) : 0;
  const worst = isSale ? Math.max(mark - distance, theo - most) : Math.min(mark + distance, theo + most);
  return Math.max(1, Math.min(MAX_PRICE, worst));
}

/** A part of what was closed, at mark: the notional of a perp, the premium of an option; at most what equity is left. */
function takeFee(lifecycle: Lifecycle, account: number, instrument: number, closed: number, time: number): void {
  const { settings, valuation } = lifecycle;
  freshen(lifecycle, account);
  const value = mulDivHalfUp(valuation.mark[instrument], closed, CONTRACT);
  const fee = Math.min(mulDivCeil(value, settings.values[LIQUIDATION_FEE], PPM), Math.max(0, equityAtTheo(lifecycle, account)));
  const fund = fee > 0 ? openFund(lifecycle, time) : -1;
  if (fund >= 0) postToFund(lifecycle, account, fund, instrument, POSTED_FEE, fee);
}
