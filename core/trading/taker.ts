// Matches a taker against the book until it is filled, finds no match or must stop. Each step starts from the best order, because any order
// may leave the book in between.

import { DONE_BALANCE_RANGE, DONE_MARGIN, DONE_SELF_TRADE } from '../errors.ts';
import { BYTE_ORDER_CLIENT_ID, BYTE_ORDER_FLAGS, BYTE_TIF, FLAG_ENTRY, PERP, STP_CANCEL_MAKER, STP_CANCEL_TAKER } from
  '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { ACCOUNT, emit, ORDER_DONE, ORDER_ACCEPTED, ORDER_FILLED, ORDER_ID, ORDER_INSTRUMENT, ORDER_PRICE, ORDER_REASON, ORDER_RESTED,
  ORDER_SIDE, ORDER_SIZE, ORDER_SLOT, ORDER_SLOTS, ORDER_TIF, ORDER_UNTRIGGERED } from '../codec/events.ts';
import { MAKER_FEE, TAKER_FEE } from '../settings.ts';
import { countOrderUpdate, touchOrders } from '../account-streams.ts';
import { touchBook } from '../streams.ts';
import { openHolding } from '../positions/holdings.ts';
import { nextMaker, startTaking, takeMaker, takerRemaining } from '../book/matching.ts';
import { orderAccount } from '../book/pool.ts';
import { linkOf, stpOf } from '../orders/extended.ts';
import { enterEmptyHolding } from '../margin/account-margin.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { bookFill, makerCanFill, makerMayFill, quoteFill, takerCanFill } from './fill.ts';
import { takesPartInMmp } from './protection.ts';
import { removeOpenOrder, withdrawOrder } from './remove-order.ts';
import type { Taker, Trading } from './context.ts';

/** The caller updates the margin sums and closes the holding if it is empty. The book's `takerRemaining` is the rest. */
export function takeFromBook(trading: Trading, id: number, flags: number, key: number, time: number): Taker {
  const { candidate, instruments, settings, taker } = trading;
  taker.account = candidate.account;
  taker.holding = takeHolding(trading, candidate.account, candidate.instrument);
  taker.orderId = id;
  taker.instrument = candidate.instrument;
  taker.underlying = instruments.underlying[candidate.instrument];
  taker.kind = instruments.kind[candidate.instrument];
  taker.side = candidate.side;
  taker.time = time;
  taker.isPerp = taker.kind === PERP;
  taker.isProtected = takesPartInMmp(trading, candidate.account, taker.underlying, flags);
  taker.isCharged = settings.values[TAKER_FEE] !== 0 || settings.values[MAKER_FEE] !== 0;
  taker.stopped = 0;
  taker.paid = 0;
  taker.fee = 0;
  taker.makerFee = 0;
  match(trading, taker, key, candidate.size);
  return taker;
}

export function takeHolding(trading: Trading, account: number, instrument: number): number {
  const found = trading.candidate.row;
  if (found >= 0) return found;
  const row = openHolding(trading.holdings, trading.accounts, account, instrument);
  enterEmptyHolding(trading, row);
  return row;
}

/**
 * A taker stops, a maker is cancelled, if its balances would leave their exact range. A maker that would open risk without margin is
 * cancelled too.
 */
function match(trading: Trading, taker: Taker, key: number, size: number): void {
  const { books } = trading;
  const { account, instrument, side } = taker;
  startTaking(books, instrument, side, key, size);
  let maker = nextMaker(books);
  taker.hasMet = maker !== 0;
  for (; maker !== 0 && taker.stopped === 0; maker = nextMaker(books)) {
    const ending = pendingCancelReason(trading, maker, taker.time);
    if (orderAccount(books, maker) === account) {
      if (ending === 0 && taker.stp !== STP_CANCEL_MAKER) taker.stopped = DONE_SELF_TRADE;
      if (ending !== 0 || taker.stp !== STP_CANCEL_TAKER) withdrawOrder(trading, maker, ending !== 0 ? ending : DONE_SELF_TRADE);
      continue;
    }
    if (ending !== 0) {
      removeOpenOrder(trading, maker, ending);
      continue;
    }
    quoteFill(trading, taker, maker, takerRemaining(books));
    if (!takerCanFill(trading, taker)) taker.stopped = DONE_BALANCE_RANGE;
    else if (!makerMayFill(trading, taker, maker)) removeOpenOrder(trading, maker, DONE_MARGIN);
    else if (makerCanFill(trading, taker, maker)) {
      takeMaker(books, maker);
      bookFill(trading, taker, maker);
    } else removeOpenOrder(trading, maker, DONE_BALANCE_RANGE);
  }
}

export function readTermsOf({ books, orders, taker }: Trading, slot: number): void {
  taker.slot = slot;
  taker.stp = stpOf(orders.extended, slot);
  linkOf(orders.extended, books, slot, taker.link);
}

export function fillRest({ candidate, rest }: Trading, views: Views, at: number, holding: number, time: number): void {
  rest.holding = holding;
  rest.size = candidate.size;
  rest.tif = views.u8[at + BYTE_TIF];
  rest.flags = views.u8[at + BYTE_ORDER_FLAGS] & ~FLAG_ENTRY;
  rest.time = time;
  rest.words = views.u32;
  rest.at = (at + BYTE_ORDER_CLIENT_ID + 4) >>> 2;
  rest.length = views.u8[at + BYTE_ORDER_CLIENT_ID];
}

/** `last`: flags of ORDER_ACCEPTED, remaining size of ORDER_RESTED, reason of ORDER_DONE. */
export function writeOrder(
  trading: Trading, kind: typeof ORDER_ACCEPTED | typeof ORDER_RESTED | typeof ORDER_UNTRIGGERED | typeof ORDER_DONE, id: number,
  slot: number, tif: number, filled: number, last: number,
): void {
  const { candidate, events, streams } = trading;
  const f = events.slots;
  f[ACCOUNT] = candidate.account;
  f[ORDER_ID] = id;
  f[ORDER_SLOT] = slot;
  f[ORDER_INSTRUMENT] = candidate.instrument;
  f[ORDER_SIDE] = candidate.side;
  f[ORDER_PRICE] = candidate.price;
  f[ORDER_SIZE] = candidate.size;
  f[ORDER_TIF] = tif;
  f[ORDER_FILLED] = filled;
  f[ORDER_REASON] = last;
  countOrderUpdate(streams.accounts, candidate.account);
  if (kind === ORDER_RESTED) {
    touchBook(streams, candidate.instrument);
    touchOrders(streams.accounts, candidate.account);
  }
  emit(events, kind, ORDER_SLOTS);
}
