// Trades of the liquidation engine: immediate-or-cancel orders without a record, nonce, check of funds or margin, or market-maker
// protection.

import { assert } from '../assert.ts';
import { DONE_FILLED, DONE_LIQUIDATION } from '../errors.ts';
import { IOC } from '../units.ts';
import { FLAG_MMP_OPT_OUT, STP_CANCEL_MAKER } from '../codec/commands.ts';
import { FORCED, ORDER_ACCEPTED, ORDER_DONE } from '../codec/events.ts';
import { closeIfEmpty, findHolding, hasHoldingRoom } from '../positions/holdings.ts';
import { takerRemaining } from '../book/matching.ts';
import { limitKeyOf, priceOfKey } from '../book/price-key.ts';
import { ORDER_IDS } from '../orders/orders.ts';
import { updateHolding } from '../margin/account-margin.ts';
import type { PlannedTrade } from '../margin/standard.ts';
import { takeFromBook, writeOrder } from './taker.ts';
import type { Trading } from './context.ts';

/**
 * Trades at `price` (price units, at least 1; rounded to five figures) or better. Returns the filled size, which `charge` gets before the
 * order ends. Does nothing if no holding row is free.
 */
export function forceTrade(
  trading: Trading, account: number, { instrument, side, price, size }: PlannedTrade, time: number, charge: (filled: number) => void,
): number {
  const { candidate, holdings, taker } = trading;
  assert(size > 0 && price >= 1, 'forced trade: an order has a size and a price');
  candidate.account = account;
  candidate.instrument = instrument;
  candidate.row = findHolding(holdings, account, instrument);
  if (candidate.row < 0 && !hasHoldingRoom(holdings)) return 0;
  const key = limitKeyOf(price, side);
  candidate.side = side;
  candidate.price = priceOfKey(key);
  candidate.size = size;
  const id = ++trading.orders.counters[ORDER_IDS];
  writeOrder(trading, ORDER_ACCEPTED, id, FORCED, IOC, 0, FLAG_MMP_OPT_OUT);
  taker.stp = STP_CANCEL_MAKER;
  taker.link.length = 0;
  taker.slot = 0;
  const { holding, stopped } = takeFromBook(trading, id, FLAG_MMP_OPT_OUT, key, time);
  const filled = size - takerRemaining(trading.books);
  assert(filled >= 0 && filled <= size, 'forced trade: the filled size is at most the wanted size');
  updateHolding(trading, account, holding);
  if (filled > 0) charge(filled);
  const reason = filled === size ? DONE_FILLED : stopped !== 0 ? stopped : DONE_LIQUIDATION;
  writeOrder(trading, ORDER_DONE, id, FORCED, IOC, filled, reason);
  closeIfEmpty(holdings, trading.accounts, holding);
  return filled;
}
