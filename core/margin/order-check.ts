// Decides whether an order may be accepted: the position cap (decision 4.4), tier1's long-only rule, and margin at the order's own price.
// Order of checks: decision 3.12. Source: MARGIN.md, "One view of an account".

import { BUY, CONTRACT } from '../units.ts';
import { INSUFFICIENT_MARGIN, NO_FUNDS, NO_SPOT_PRICE, OK, POSITION_LIMIT, TIER1_SHORT } from '../errors.ts';
import { PERP } from '../codec/commands.ts';
import { CLOSING_INDEX_PART, CLOSING_MARK_PART, CLOSING_PERP_PART, MAX_POSITION, PPM, TAKER_FEE } from '../settings.ts';
import { clampSafe, isSafe, mulDivCeil, mulDivFloor, mulDivHalfUp } from '../math/exact.ts';
import { PORTFOLIO } from '../accounts/accounts.ts';
import { TIER1 } from '../tiers.ts';
import { orderRemaining, orderSide } from '../book/pool.ts';
import { holdingOf } from '../orders/orders.ts';
import { hasIndexMoved, isIndexStale } from '../valuation/valuation.ts';
import { closingLoss, holdingReserve, largestPosition, orderFee, orderLoss, orderReserve, positionValue, uncountedValue,
  type MarginInputs, type PlannedTrade } from './standard.ts';
import { COUNTED, exactValueChange, UNCOUNTED } from './exact-value.ts';
import { collateralIn, collateralOf, equityAtTheo, equityOf, exposureOf, fill, forgetAccount, freshen, initialIn, initialOf, initialPart,
  reservedOf, reservedPart, standardInitial, type Margin } from './account-margin.ts';
import { requirementIf, type Change } from './portfolio-requirement.ts';
import { ALL } from './portfolio-sums.ts';

/** `price` in price units, `size` > 0, `row`: the account's holding of the instrument, or -1. */
export type Candidate = { account: number; instrument: number; row: number; side: number; price: number; size: number };

/** Notional per underlying, open orders included. An order that cannot raise it passes. `replaced`: an own order to leave out (0: none). */
export function checkPositionLimit(margin: Margin, order: Candidate, replaced: number): number {
  const { holdings, cache, valuation } = margin;
  freshen(margin, order.account);
  const { row } = order;
  const underlying = margin.instruments.underlying[order.instrument];
  let exposure = cache.exposure[order.account * cache.underlyings + underlying];
  let before = row < 0 ? 0 : exposureOf(margin, row);
  let bid = (row < 0 ? 0 : holdings.bidSize[row]) + (order.side === BUY ? order.size : 0);
  let ask = (row < 0 ? 0 : holdings.askSize[row]) + (order.side === BUY ? 0 : order.size);
  if (replaced !== 0) {
    const gone = holdingOf(margin.orders, replaced);
    const goneBid = orderSide(margin.orders.books, replaced) === BUY ? orderRemaining(margin.orders.books, replaced) : 0;
    const goneAsk = orderRemaining(margin.orders.books, replaced) - goneBid;
    const rest = largestPosition(holdings.position[gone], holdings.bidSize[gone] - goneBid, holdings.askSize[gone] - goneAsk);
    if (margin.instruments.underlying[holdings.instrument[gone]] === underlying) exposure += rest - exposureOf(margin, gone);
    if (gone === row) {
      before = rest;
      bid -= goneBid;
      ask -= goneAsk;
    }
  }
  if (bid > Number.MAX_SAFE_INTEGER || ask > Number.MAX_SAFE_INTEGER) return POSITION_LIMIT;
  const after = largestPosition(row < 0 ? 0 : holdings.position[row], bid, ask);
  if (after <= before) return OK;
  exposure += after - before;
  if (exposure > Number.MAX_SAFE_INTEGER) return POSITION_LIMIT;
  const notional = mulDivCeil(valuation.markIndex[underlying], exposure, CONTRACT);
  return notional > margin.settings.values[MAX_POSITION] ? POSITION_LIMIT : OK;
}

/** OK or the first refusal: funds, tier1, spot price, margin. `numbers` gets the numbers for its text. */
export function checkOrder(margin: Margin, order: Candidate, time: number, numbers: Float64Array): number {
  const { account, row, side, size } = order;
  freshen(margin, account);
  if (margin.accounts.cash[account] <= 0 && !isExempt(margin, order)) return NO_FUNDS;
  if (margin.accounts.tier[account] === TIER1 && side !== BUY) {
    const long = row < 0 ? 0 : Math.max(0, margin.holdings.position[row]);
    const total = (row < 0 ? 0 : margin.holdings.askSize[row]) + size;
    if (total > long) {
      numbers[0] = long;
      numbers[1] = total;
      return TIER1_SHORT;
    }
  }
  if (!isPriced(margin, order, time)) return isExempt(margin, order) ? OK : NO_SPOT_PRICE;
  const required = requirementWith(margin, order);
  const available = collateralOf(margin, account);
  if (available >= required || isExempt(margin, order)) return OK;
  // An infinite fee is shown as the end of the exact range.
  numbers[0] = required < Number.MAX_SAFE_INTEGER ? clampSafe(required) : Number.MAX_SAFE_INTEGER;
  numbers[1] = clampSafe(available);
  numbers[2] = clampSafe(numbers[0] - numbers[1]);
  return INSUFFICIENT_MARGIN;
}

/** The index must be fresh and, in portfolio mode, near that of the marks. */
function isPriced({ accounts, instruments, settings, valuation }: Margin, order: Candidate, time: number): boolean {
  const underlying = instruments.underlying[order.instrument];
  if (isIndexStale(valuation, settings, underlying, time)) return false;
  return accounts.mode[order.account] !== PORTFOLIO || !hasIndexMoved(valuation, settings, underlying);
}

/** Decision 4.1. */
export function fitsMode(margin: Margin, account: number, mode: number): boolean {
  fill(margin, account, mode);
  const required = initialIn(margin, account, mode) + reservedOf(margin, account);
  const fits = collateralIn(margin, account, mode) >= required;
  forgetAccount(margin, account);
  return fits;
}

const scratch: { readonly change: Change } = { change: { holding: -1, slot: 0, position: 0, bid: 0, ask: 0 } };

function holdingWith({ holdings }: Margin, { row, instrument, side }: Candidate, position: number, size: number): void {
  const { change } = scratch;
  change.holding = row;
  change.slot = instrument;
  change.position = position;
  change.bid = (row < 0 ? 0 : holdings.bidSize[row]) + (side === BUY ? size : 0);
  change.ask = (row < 0 ? 0 : holdings.askSize[row]) + (side === BUY ? 0 : size);
}

function requirementWith(margin: Margin, order: Candidate): number {
  const { accounts, cache, holdings } = margin;
  const { account, instrument, row, side, price, size } = order;
  const { change } = scratch;
  const position = row < 0 ? 0 : holdings.position[row];
  holdingWith(margin, order, position, size);
  if (accounts.mode[account] === PORTFOLIO) {
    return requirementIf(margin, cache.portfolios, account, ALL, change) + reservedOf(margin, account)
      + orderLoss(margin, instrument, side, price, size);
  }
  const closing = side === BUY ? Math.min(size, Math.max(0, -position - change.bid + size)) : 0;
  const before = row < 0 ? 0 : initialPart(margin, row);
  return initialOf(margin, account) - before + standardInitial(margin, instrument, position, change.bid, change.ask)
    + reservedOf(margin, account) + orderReserve(margin, instrument, side, price, size, closing);
}

/**
 * An order that only closes, within the closing distance, and loses no more than the equity skips the checks of funds, spot price and
 * margin. After a full fill the account is no worse than before.
 */
function isExempt(margin: Margin, order: Candidate): boolean {
  const { accounts, holdings, valuation } = margin;
  const { account, instrument, row, side, price, size } = order;
  if (row < 0) return false;
  const position = holdings.position[row];
  const open = side === BUY ? holdings.bidSize[row] : holdings.askSize[row];
  if (side === BUY ? size + open > -position : size + open > position) return false;
  const mark = valuation.mark[instrument];
  const distance = closingDistance(margin, instrument);
  if (side === BUY ? price > mark + distance : price < mark - distance) return false;
  if (!canLose(margin, account, TAKER_FEE, order)) return false;
  const mode = accounts.mode[account];
  const amount = mulDivHalfUp(price, size, CONTRACT);
  const after = position + (side === BUY ? size : -size);
  const paid = (side === BUY ? amount : -amount) + orderFee(margin, instrument, price, size);
  const gain = countedGain(margin, mode, instrument, position, after) - paid;
  return gain + freedByFill(margin, order, after) >= 0;
}

export function canLose(margin: Margin, account: number, rate: number, trade: PlannedTrade): boolean {
  return losesAtMost(margin, equityOf(margin, account), equityAtTheo(margin, account), rate, trade);
}

export function losesAtMost(margin: MarginInputs, atMark: number, atTheo: number, rate: number, trade: PlannedTrade): boolean {
  const { mark, theo } = margin.valuation;
  return closingLoss(margin, mark[trade.instrument], rate, trade) <= Math.max(0, atMark)
    && closingLoss(margin, theo[trade.instrument], rate, trade) <= Math.max(0, atTheo);
}

function countedGain(margin: Margin, mode: number, instrument: number, before: number, after: number): number {
  const gain = countedValue(margin, mode, instrument, after) - countedValue(margin, mode, instrument, before);
  return isSafe(gain) ? gain : exactValueChange(margin, COUNTED, mode, instrument, before, after);
}

function countedValue(margin: Margin, mode: number, instrument: number, position: number): number {
  return positionValue(margin, instrument, position) - uncountedOf(margin, mode, instrument, position);
}

function uncountedOf(margin: Margin, mode: number, instrument: number, position: number): number {
  return uncountedValue(margin, mode, instrument, position, positionValue(margin, instrument, position));
}

/** What trades between two positions take from collateral beyond reserves, at prices no worse than the two. */
export function countedLoss(margin: Margin, account: number, instrument: number, before: number, after: number): number {
  if (margin.accounts.mode[account] !== PORTFOLIO || before === after) return 0;
  const loss = uncountedOf(margin, PORTFOLIO, instrument, after) - uncountedOf(margin, PORTFOLIO, instrument, before);
  return Math.max(0, isSafe(loss) ? loss : exactValueChange(margin, UNCOUNTED, PORTFOLIO, instrument, before, after));
}

/** A lower bound, whatever the order's place among those that close the same short. */
export function leastReserve(margin: Margin, account: number, holding: number, side: number, price: number, size: number): number {
  const { accounts, holdings } = margin;
  const instrument = holdings.instrument[holding];
  if (accounts.mode[account] === PORTFOLIO) return orderLoss(margin, instrument, side, price, size);
  const closing = side === BUY ? Math.min(size, Math.max(0, -holdings.position[holding])) : 0;
  return orderReserve(margin, instrument, side, price, size, closing);
}

export function freedByLeaving(margin: Margin, account: number, holding: number, side: number, size: number): number {
  const { accounts, cache, holdings } = margin;
  const { change } = scratch;
  freshen(margin, account);
  change.holding = holding;
  change.slot = holdings.instrument[holding];
  change.position = holdings.position[holding];
  change.bid = holdings.bidSize[holding] - (side === BUY ? size : 0);
  change.ask = holdings.askSize[holding] - (side === BUY ? 0 : size);
  if (accounts.mode[account] === PORTFOLIO) {
    return initialOf(margin, account) - requirementIf(margin, cache.portfolios, account, ALL, change);
  }
  return initialPart(margin, holding) - standardInitial(margin, change.slot, change.position, change.bid, change.ask);
}

function freedByFill(margin: Margin, order: Candidate, after: number): number {
  const { account, instrument, row } = order;
  const { change } = scratch;
  holdingWith(margin, order, after, 0);
  if (margin.accounts.mode[account] === PORTFOLIO) {
    return initialOf(margin, account) - requirementIf(margin, margin.cache.portfolios, account, ALL, change);
  }
  return initialPart(margin, row) - standardInitial(margin, instrument, after, change.bid, change.ask)
    + reservedPart(margin, row) - holdingReserve(margin, row, after);
}

/** Perp: a part of the index. Option: the larger part of mark or index. */
export function closingDistance({ instruments, settings, valuation }: MarginInputs, instrument: number): number {
  const { values } = settings;
  const spot = valuation.markIndex[instruments.underlying[instrument]];
  if (instruments.kind[instrument] === PERP) return mulDivFloor(spot, values[CLOSING_PERP_PART], PPM);
  return Math.max(
    mulDivFloor(valuation.mark[instrument], values[CLOSING_MARK_PART], PPM), mulDivFloor(spot, values[CLOSING_INDEX_PART], PPM),
  );
}
