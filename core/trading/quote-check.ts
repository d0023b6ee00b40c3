// Judges one side of a mass quote as an order, in the order of the engine's checks (spec, extensions 0). Its old quote has left the book.
// The caps are those that admission applied.

import { CONTRACT } from '../units.ts';
import { IN_LIQUIDATION, MAX_OPEN_ORDERS, MAX_POSITIONS, MMP_FROZEN, NO_FUNDS, OK, WOULD_TAKE } from '../errors.ts';
import { FLAG_QUOTE, POST_ONLY_REJECT, POST_ONLY_SLIDE } from '../codec/commands.ts';
import { MAX_ORDER_AMOUNT } from '../limits.ts';
import { UNLIMITED } from '../tiers.ts';
import { mulDivCeil } from '../math/exact.ts';
import { IN_LIQUIDATION as LIQUIDATING, PRE_LIQUIDATION } from '../accounts/accounts.ts';
import { findHolding } from '../positions/holdings.ts';
import { makerAfter } from '../book/matching.ts';
import { priceKeyOf } from '../book/price-key.ts';
import { checkOrder, checkPositionLimit } from '../margin/order-check.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { firstInTheWay, slideCandidate } from './extended.ts';
import { onlyCloses, refuseByMode } from './modes.ts';
import { refuseOutsideBand } from './price-band.ts';
import { isFrozenOut } from './protection.ts';
import { removeOpenOrder } from './remove-order.ts';
import type { Trading } from './context.ts';

type QuoteRules = { readonly time: number; readonly crossing: number; readonly mostOpen: number; readonly mostPositions: number };

/** OK or the first refusal, with its numbers in the result. The candidate may slide. `open`: the wallet's orders that are in a book. */
export function judgeQuote(trading: Trading, { crossing, mostOpen, mostPositions, time }: QuoteRules, open: number): number {
  const { accounts, candidate, holdings, instruments, result: { numbers } } = trading;
  const { account, instrument, row } = candidate;
  if (mostOpen !== UNLIMITED && open + 1 > mostOpen) {
    numbers[0] = mostOpen;
    return MAX_OPEN_ORDERS;
  }
  const isNew = row < 0 || holdings.position[row] === 0;
  if (mostPositions !== UNLIMITED && isNew && accounts.positions[account] + 1 > mostPositions) {
    numbers[0] = mostPositions;
    return MAX_POSITIONS;
  }
  const closed = refuseByMode(trading);
  if (closed !== OK) return closed;
  const status = accounts.status[account];
  if ((status === PRE_LIQUIDATION || status === LIQUIDATING) && !onlyCloses(trading)) return IN_LIQUIDATION;
  if (crossing === POST_ONLY_SLIDE && !slideCandidate(trading, 0, time)) return WOULD_TAKE;
  const refused = checkOrder(trading, candidate, time, numbers);
  if (refused !== NO_FUNDS && isFrozenOut(trading, account, instruments.underlying[instrument], FLAG_QUOTE, time)) {
    numbers.fill(0);
    return MMP_FROZEN;
  }
  if (refused !== OK) return refused;
  const limited = checkPositionLimit(trading, candidate, 0);
  if (limited !== OK) return limited;
  const outside = refuseOutsideBand(trading);
  if (outside !== OK) return outside;
  return crossing === POST_ONLY_REJECT && firstInTheWay(trading, 0, time) !== 0 ? WOULD_TAKE : OK;
}

/** Removes the orders that the candidate would meet: all of them have ended. */
export function clearTheWay(trading: Trading, time: number): void {
  const { books, candidate, holdings } = trading;
  const { account, instrument, price, side } = candidate;
  const key = priceKeyOf(price);
  for (let slot = makerAfter(books, instrument, side, key, 0); slot !== 0; slot = makerAfter(books, instrument, side, key, 0)) {
    removeOpenOrder(trading, slot, pendingCancelReason(trading, slot, time));
    // The last order of the wallet there may have gone with it.
    candidate.row = findHolding(holdings, account, instrument);
  }
}

export function isAmountTooLarge(price: number, size: number): boolean {
  return mulDivCeil(price, size, CONTRACT) > MAX_ORDER_AMOUNT;
}
