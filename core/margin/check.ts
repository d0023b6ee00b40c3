// May this order be accepted? Caps that admission asks (decision 4.4), tier1's long-only rule, and the margin check of
// an order at its own price with every open order counted. Money micros, sizes 1e-6 contracts, prices 1e-6 USDC.
// Source: margin.md, "One account view for both modes"; texts and their order: the law and decision 3.12.
// Never changes anything: numbers of a refusal are left in `numbers` for the reply.

import { BUY, CONTRACT } from '../units.ts';
import { INSUFFICIENT_MARGIN, NO_FUNDS, NO_SPOT_PRICE, OK, POSITION_LIMIT, TIER1_SHORT } from '../errors.ts';
import { CLOSING_INDEX_PART, CLOSING_MARK_PART, MAX_POSITION, PPM } from '../settings.ts';
import { mulDivCeil, mulDivFloor, mulDivHalfUp } from '../math/exact.ts';
import { TIER1 } from '../tiers.ts';
import { isIndexStale } from '../valuation/valuation.ts';
import { holdingReserve, orderReserve, positionValue } from './standard.ts';
import { collateral, exposureOf, freshen, INITIAL, initialOf, largestPosition, partOf, RESERVED, sumOf, type Margin } from './account.ts';

/** An order to be judged: `price` in price units, `size` > 0; `row` is its holding, -1 for none, found by whoever asks. */
export type Candidate = { account: number; instrument: number; row: number; side: number; price: number; size: number };

/** OK or POSITION_LIMIT: the notional per wallet and underlying, open orders included, unless the order cannot raise it. */
export function checkPositionLimit(margin: Margin, order: Candidate): number {
  const { holdings, cache, valuation } = margin;
  freshen(margin, order.account);
  const { row } = order;
  const bid = (row < 0 ? 0 : holdings.bidSize[row]) + (order.side === BUY ? order.size : 0);
  const ask = (row < 0 ? 0 : holdings.askSize[row]) + (order.side === BUY ? 0 : order.size);
  if (bid > Number.MAX_SAFE_INTEGER || ask > Number.MAX_SAFE_INTEGER) return POSITION_LIMIT;
  const before = row < 0 ? 0 : exposureOf(margin, row);
  const after = largestPosition(row < 0 ? 0 : holdings.position[row], bid, ask);
  if (after <= before) return OK;
  const underlying = margin.instruments.underlying[order.instrument];
  const exposure = cache.exposure[order.account * cache.underlyings + underlying] - before + after;
  if (exposure > Number.MAX_SAFE_INTEGER) return POSITION_LIMIT;
  const notional = mulDivCeil(valuation.markIndex[underlying], exposure, CONTRACT);
  return notional > margin.settings.values[MAX_POSITION] ? POSITION_LIMIT : OK;
}

/** OK or the first engine rejection of: funds, tier1, spot price, margin; `numbers` holds what its text needs. */
export function checkOrder(margin: Margin, order: Candidate, time: number, numbers: Float64Array): number {
  const { account, instrument, row, side, size } = order;
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
  if (isIndexStale(margin.valuation, margin.settings, margin.instruments.underlying[instrument], time)) {
    return isExempt(margin, order) ? OK : NO_SPOT_PRICE;
  }
  const required = requirementWith(margin, order);
  const available = collateral(margin, account);
  if (available >= required || isExempt(margin, order)) return OK;
  // Sums may be infinite, and their difference no number; what is shown is the end of the exact range.
  numbers[0] = required <= Number.MAX_SAFE_INTEGER ? required : Number.MAX_SAFE_INTEGER;
  numbers[1] = Math.max(available, -Number.MAX_SAFE_INTEGER);
  numbers[2] = Math.min(numbers[0] - numbers[1], Number.MAX_SAFE_INTEGER);
  return INSUFFICIENT_MARGIN;
}

/** Requirement and reserves of the account with the order among its open ones. */
function requirementWith(margin: Margin, order: Candidate): number {
  const { holdings, valuation } = margin;
  const { row } = order;
  const position = row < 0 ? 0 : holdings.position[row];
  const ask = (row < 0 ? 0 : holdings.askSize[row]) + (order.side === BUY ? 0 : order.size);
  const bid = row < 0 ? 0 : holdings.bidSize[row];
  const closing = order.side === BUY ? Math.min(order.size, Math.max(0, -position - bid)) : 0;
  const initialBefore = row < 0 ? 0 : partOf(margin, row, INITIAL);
  const initialAfter = order.side === BUY ? initialBefore : initialOf(margin, order.instrument, position, ask);
  const reserve = orderReserve(valuation.mark[order.instrument], order.side, order.price, order.size, closing);
  return sumOf(margin, order.account, INITIAL) - initialBefore + initialAfter + sumOf(margin, order.account, RESERVED) + reserve;
}

/**
 * An order that only closes, priced no worse than mark by more than the closing distance, after whose full fill at its
 * limit the account stands no lower than before, may pass whatever the funds, the spot price and the margin say.
 */
function isExempt(margin: Margin, order: Candidate): boolean {
  const { holdings, valuation, settings } = margin;
  const { instrument, row, side, price, size } = order;
  if (row < 0) return false;
  const position = holdings.position[row];
  const open = side === BUY ? holdings.bidSize[row] : holdings.askSize[row];
  if (side === BUY ? size + open > -position : size + open > position) return false;
  const mark = valuation.mark[instrument];
  const spot = valuation.markIndex[margin.instruments.underlying[instrument]];
  const distance = Math.max(
    mulDivFloor(mark, settings.values[CLOSING_MARK_PART], PPM), mulDivFloor(spot, settings.values[CLOSING_INDEX_PART], PPM),
  );
  if (side === BUY ? price > mark + distance : price < mark - distance) return false;
  const delta = side === BUY ? size : -size;
  const amount = mulDivHalfUp(price, size, CONTRACT);
  const after = position + delta;
  const valueBefore = Math.min(0, positionValue(margin, instrument, position));
  const valueAfter = Math.min(0, positionValue(margin, instrument, after));
  const initialAfter = initialOf(margin, instrument, after, holdings.askSize[row]);
  const reserveAfter = holdingReserve(margin, row, after);
  const gain = (side === BUY ? -amount : amount) + valueAfter - valueBefore
    + partOf(margin, row, INITIAL) - initialAfter + partOf(margin, row, RESERVED) - reserveAfter;
  return gain >= 0;
}

/** True when the account would stand in `mode` with the orders it has open. */
export function fitsMode(margin: Margin, account: number, _mode: number): boolean {
  freshen(margin, account);
  return collateral(margin, account) >= sumOf(margin, account, INITIAL) + sumOf(margin, account, RESERVED);
}
