// Liquidates one account step by step (MARGIN.md, "Liquidation"): cancels opening orders, waits, closes parts of positions, once a second
// per instrument, and at last lets the fund take over. Nothing is forced while equity at theo covers maintenance. No order goes into an
// empty book or a halted market, or on a stale index. No takeover begins while any index of the account is stale or any of its markets not
// open.

import { assert } from '../assert.ts';
import { BUY, CONTRACT, SELL } from '../units.ts';
import { MAX_PRICE } from '../limits.ts';
import { LIQUIDATION_FEE, LIQUIDATION_LOT, LIQUIDATION_NO_WAIT, LIQUIDATION_PART, PPM, TAKEOVER_AFTER,
  TAKEOVER_PART } from '../settings.ts';
import { clampSafe, mulDivCeil, mulDivFloor, mulDivHalfUp, mulDivCeilWide } from '../math/exact.ts';
import { POSTED_FEE } from '../codec/events.ts';
import { IN_LIQUIDATION, isOpen, PORTFOLIO, PRE_LIQUIDATION } from '../accounts/accounts.ts';
import { ACTIVE, hasExpired } from '../instruments/instruments.ts';
import { HALTED, tradingMode } from '../instruments/trading-mode.ts';
import { bestAsk, bestBid } from '../book/books.ts';
import { limitKeyOf } from '../book/price-key.ts';
import { isIndexStale } from '../valuation/valuation.ts';
import { equityAtTheo, freshen, maintenanceOf, positionInitialOf } from '../margin/account-margin.ts';
import { freedBy, freedTogether } from '../margin/freed.ts';
import { closingDistance } from '../margin/order-check.ts';
import { orderFee } from '../margin/standard.ts';
import { ORDER_IDS } from '../orders/orders.ts';
import { forceTrade } from '../trading/forced-trade.ts';
import { deleverageStep } from './deleverage.ts';
import type { Lifecycle } from './lifecycle.ts';
import { fundOf, openFund, postToFund } from './insurance-fund.ts';
import { PASS } from './liquidation-state.ts';
import { cannotBeTakenOver, changeStatus, hasClosedMarket, hasMaintenance, isUnpriced, recover } from './sweep.ts';
import { coverStep, takeStep, trimOrders, trimRow } from './takeover.ts';
import { currentItem, FIRST, KIND, LIQUIDATE, ORDERS_A_STEP, popWork, SECOND } from './work-queue.ts';

/** Progress frees 1/40 of initial margin: a tenth of what an order for a quarter of the only position frees. */
const PROGRESS_DIVISOR = 40;
const ACCOUNT = FIRST;
const PART = SECOND;
const CLOSE = 0;
const COVER = 1;
const DELEVERAGE = 2;
const TAKE = 3;

export function isTakingOver({ work }: Lifecycle): boolean {
  const item = currentItem(work);
  return work.items[item + KIND] === LIQUIDATE && work.items[item + PART] !== CLOSE;
}

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
    const isWaiting = time < risk.waitEnd[account] || hasClosedMarket(lifecycle, account);
    if (isWaiting && equity >= mulDivCeilWide(maintenance, values[LIQUIDATION_NO_WAIT], PPM)) {
      popWork(work);
      return CLOSE;
    }
    risk.stalled[account] = risk.freed[account] = 0;
    changeStatus(lifecycle, account, IN_LIQUIDATION);
  }
  const isLost = equity < mulDivCeilWide(maintenance, values[TAKEOVER_PART], PPM) || risk.stalled[account] >= values[TAKEOVER_AFTER];
  if (isLost && !cannotBeTakenOver(lifecycle, account, time)) return COVER;
  if (!closeNext(lifecycle, account, time)) popWork(work);
  return CLOSE;
}

function closeNext(lifecycle: Lifecycle, account: number, time: number): boolean {
  const { holdings, risk } = lifecycle;
  freshen(lifecycle, account);
  const row = nextToClose(lifecycle, account, time);
  if (row < 0) return false;
  const instrument = holdings.instrument[row];
  const held = Math.abs(holdings.position[row]);
  const size = sizeToClose(lifecycle, row);
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

/** Tiny trades are not progress, or they could delay the takeover. */
function noteProgress(lifecycle: Lifecycle, account: number, before: number): void {
  const { risk } = lifecycle;
  freshen(lifecycle, account);
  const after = positionInitialOf(lifecycle, account);
  // Requirements may be infinite.
  if (Number.isFinite(before - after)) risk.freed[account] += before - after;
  if (risk.freed[account] * PROGRESS_DIVISOR < after + risk.freed[account]) return;
  risk.stalled[account] = risk.freed[account] = 0;
}

function sizeToClose({ holdings, settings }: Lifecycle, row: number): number {
  const { values } = settings;
  const held = Math.abs(holdings.position[row]);
  return Math.min(held, Math.max(values[LIQUIDATION_LOT], mulDivFloor(held, values[LIQUIDATION_PART], PPM)));
}

/** The row that frees most; ties go to the contract listed first. -1: none. */
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
  // Legs of a hedge hold each other's requirement down: only together may they free something.
  if (accounts.mode[account] !== PORTFOLIO) return -1;
  const left = (row: number): number => canClose(lifecycle, row, time) ? leftOf(lifecycle, row) : holdings.position[row];
  return freedTogether(lifecycle, account, left) > 0 ? best : -1;
}

function leftOf(lifecycle: Lifecycle, row: number): number {
  const position = lifecycle.holdings.position[row];
  const size = sizeToClose(lifecycle, row);
  return position > 0 ? position - size : position + size;
}

function canClose(lifecycle: Lifecycle, row: number, time: number): boolean {
  const { holdings, instruments, risk, settings, valuation } = lifecycle;
  const instrument = holdings.instrument[row];
  if (holdings.position[row] === 0 || risk.tried[row] === risk.counters[PASS]) return false;
  if (instruments.status[instrument] !== ACTIVE || hasExpired(instruments, instrument, time)) return false;
  if (tradingMode(instruments, instrument) === HALTED) return false;
  if (isIndexStale(valuation, settings, instruments.underlying[instrument], time)) return false;
  return hasTaker(lifecycle, row);
}

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
 * The mark less (or plus) the closing distance, but no further from theo than equity pays for, fee included. The fund closes at the better
 * of mark and theo.
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

function takeFee(lifecycle: Lifecycle, account: number, instrument: number, closed: number, time: number): void {
  const { settings, valuation } = lifecycle;
  freshen(lifecycle, account);
  const value = mulDivHalfUp(valuation.mark[instrument], closed, CONTRACT);
  const fee = Math.min(mulDivCeil(value, settings.values[LIQUIDATION_FEE], PPM), Math.max(0, equityAtTheo(lifecycle, account)));
  const fund = fee > 0 ? openFund(lifecycle, time) : -1;
  const order = lifecycle.orders.counters[ORDER_IDS];
  if (fund >= 0) postToFund(lifecycle, account, fund, { why: POSTED_FEE, amount: fee, instrument, order });
}
