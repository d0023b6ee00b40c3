// Placing an order: the engine's checks in the law's order, then matching, then resting. Everything is checked before
// anything moves; room was checked by admission. The price is a valid key and the sizes are in bounds: the api thread
// refused what is not, and main refuses records that carry such a code.

import { FOK, GTC, IOC } from '../units.ts';
import { DONE_BALANCE_RANGE, DONE_CANCELLED, DONE_FILLED, DONE_FOK_KILLED, DONE_IOC_REST, DONE_SELF_TRADE, DUPLICATE_CLIENT_ID, EXPIRED,
  NOT_LISTED, OK, RFQ_NOT_AVAILABLE } from '../errors.ts';
import { BYTE_OPTION_KIND, BYTE_ORDER_CLIENT_ID, BYTE_ORDER_FLAGS, BYTE_SIDE, BYTE_TIF, DOUBLE_EXPIRY, DOUBLE_PRICE, DOUBLE_SIZE,
  DOUBLE_STRIKE, FLAG_RFQ_ONLY, PERP, WORD_NONCE, WORD_ORDER_UNDERLYING } from '../codec/commands.ts';
import { ACCOUNT, emit, ORDER_ACCEPTED, ORDER_DONE, ORDER_FILLED, ORDER_ID, ORDER_INSTRUMENT, ORDER_PRICE, ORDER_REASON, ORDER_RESTED,
  ORDER_SIDE, ORDER_SIZE, ORDER_SLOT, ORDER_SLOTS, ORDER_TIF } from '../codec/events.ts';
import { HIGH, type Views } from '../codec/record.ts';
import { isSmallTier } from '../tiers.ts';
import { ACTIVE, findInstrument } from '../instruments/instruments.ts';
import { findUnderlying } from '../instruments/underlyings.ts';
import { touchBook } from '../streams.ts';
import { closeIfEmpty, findHolding, openHolding } from '../positions/holdings.ts';
import { restOrder } from '../book/books.ts';
import { canFill, nextMaker, startTaking, takeMaker, takerRemaining } from '../book/matching.ts';
import { orderAccount } from '../book/pool.ts';
import { priceKeyOf } from '../book/price-key.ts';
import { enterOrder, findByClientId, ORDER_IDS } from '../orders/orders.ts';
import { enterEmptyHolding, moveReserve, updateHolding } from '../margin/account.ts';
import { checkOrder } from '../margin/check.ts';
import { bookFill, makerCanFill, quoteFill, takerCanFill, type Taker } from './fill.ts';
import { removeOpenOrder, withdrawOrder } from './remove.ts';
import type { Trading } from './context.ts';

/** Finds the contract an order record names: its slot, or -1. */
export function instrumentOf(trading: Trading, views: Views, at: number): number {
  const word = (at >>> 2) + WORD_ORDER_UNDERLYING;
  const underlying = findUnderlying(trading.underlyings, views.u32[word], views.u32[word + 1]);
  if (underlying < 0) return -1;
  const double = at >>> 3;
  return findInstrument(
    trading.instruments, underlying, views.f64[double + DOUBLE_EXPIRY], views.f64[double + DOUBLE_STRIKE], views.u8[at + BYTE_OPTION_KIND],
  );
}

/** OK or the code of the first engine rejection; `trading.candidate` is the order afterwards. */
function refusal(trading: Trading, views: Views, at: number, account: number, time: number): number {
  const double = at >>> 3;
  if ((views.u8[at + BYTE_ORDER_FLAGS] & FLAG_RFQ_ONLY) !== 0) return RFQ_NOT_AVAILABLE;
  if (views.f64[double + DOUBLE_EXPIRY] <= time && views.u8[at + BYTE_OPTION_KIND] !== PERP) return EXPIRED;
  const instrument = instrumentOf(trading, views, at);
  if (instrument < 0) return NOT_LISTED;
  if (trading.instruments.status[instrument] !== ACTIVE) return EXPIRED;
  const length = views.u8[at + BYTE_ORDER_CLIENT_ID];
  const text = (at + BYTE_ORDER_CLIENT_ID + 4) >>> 2;
  if (length > 0 && findByClientId(trading.orders, account, views.u32, text, length) >= 0) return DUPLICATE_CLIENT_ID;
  const { candidate } = trading;
  candidate.account = account;
  candidate.instrument = instrument;
  candidate.row = findHolding(trading.holdings, account, instrument);
  candidate.side = views.u8[at + BYTE_SIDE];
  candidate.price = views.f64[double + DOUBLE_PRICE];
  candidate.size = views.f64[double + DOUBLE_SIZE];
  return checkOrder(trading, candidate, time, trading.outcome.numbers);
}

/**
 * Places the order of the record for `account`. Outcome: OK with numbers order id, filled size and remaining size
 * still open; or an engine rejection with the numbers of its text.
 */
export function placeOrder(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { outcome, candidate, books } = trading;
  outcome.code = refusal(trading, views, at, account, time);
  if (outcome.code !== OK) return;
  const { instrument, side, price, size } = candidate;
  const tif = views.u8[at + BYTE_TIF];
  const id = ++trading.orders.counters[ORDER_IDS];
  writeOrder(trading, ORDER_ACCEPTED, account, id, -1, tif, 0, views.u8[at + BYTE_ORDER_FLAGS]);

  const key = priceKeyOf(price);
  let filled = 0;
  let resting = 0;
  if (tif === FOK && !canFill(books, instrument, side, key, size, account)) {
    writeOrder(trading, ORDER_DONE, account, id, -1, tif, 0, DONE_FOK_KILLED);
  } else {
    const holding = takeHolding(trading, account, instrument);
    taker.account = account;
    taker.holding = holding;
    taker.orderId = id;
    taker.instrument = instrument;
    taker.side = side;
    taker.time = time;
    const stopped = match(trading, key, size);
    const left = takerRemaining(books);
    filled = size - left;
    if (left > 0 && tif === GTC && !stopped) {
      rest(trading, views, at, id, key, holding, left, time);
      resting = left;
    } else {
      const reason = left === 0 ? DONE_FILLED : stopped ? DONE_BALANCE_RANGE : tif === IOC ? DONE_IOC_REST : DONE_CANCELLED;
      writeOrder(trading, ORDER_DONE, account, id, -1, tif, filled, reason);
    }
    updateHolding(trading, account, holding);
    closeIfEmpty(trading.holdings, trading.accounts, holding);
  }
  outcome.numbers[0] = id;
  outcome.numbers[1] = filled;
  outcome.numbers[2] = resting;
}

const taker: Taker = { account: 0, holding: 0, orderId: 0, instrument: 0, side: 0, time: 0, price: 0, size: 0, amount: 0 };

/** The holding of the taker; a new row enters the margin sums empty. */
function takeHolding(trading: Trading, account: number, instrument: number): number {
  const found = trading.candidate.row;
  if (found >= 0) return found;
  const row = openHolding(trading.holdings, trading.accounts, account, instrument);
  enterEmptyHolding(trading, row);
  return row;
}

/**
 * Trades the taker against the book up to `key`; true when its own balances reached the end of their exact range. A maker
 * whose balances would is cancelled.
 */
function match(trading: Trading, key: number, size: number): boolean {
  const { books } = trading;
  const { account, instrument, side } = taker;
  startTaking(books, instrument, side, key, size, account);
  for (let maker = nextMaker(books); maker !== 0; maker = nextMaker(books)) {
    if (orderAccount(books, maker) === account) {
      // Self-trade prevention: the resting order goes; its holding is the taker's.
      withdrawOrder(trading, maker, DONE_SELF_TRADE);
      continue;
    }
    quoteFill(trading, taker, maker, takerRemaining(books));
    if (!takerCanFill(trading, taker)) return true;
    if (makerCanFill(trading, taker, maker)) {
      takeMaker(books, maker);
      bookFill(trading, taker, maker);
    } else removeOpenOrder(trading, maker, DONE_BALANCE_RANGE);
  }
  return false;
}

function rest(trading: Trading, views: Views, at: number, id: number, key: number, holding: number, left: number, time: number): void {
  const { books, candidate, rest: scratch } = trading;
  const { account, instrument, side, size } = candidate;
  const slot = restOrder(books, instrument, side, key, account, id >>> 0, Math.floor(id / HIGH), size, left);
  scratch.holding = holding;
  scratch.tif = views.u8[at + BYTE_TIF];
  scratch.flags = views.u8[at + BYTE_ORDER_FLAGS];
  scratch.time = time;
  scratch.words = views.u32;
  scratch.nonceAt = (at >>> 2) + WORD_NONCE;
  scratch.at = (at + BYTE_ORDER_CLIENT_ID + 4) >>> 2;
  scratch.length = views.u8[at + BYTE_ORDER_CLIENT_ID];
  enterOrder(trading.orders, trading.holdings, trading.accounts, slot, scratch, isSmallTier(trading.accounts.tier[account]));
  moveReserve(trading, holding, side, candidate.price, 0, left);
  writeOrder(trading, ORDER_RESTED, account, id, slot, scratch.tif, size - left, left);
}

function writeOrder(
  trading: Trading, kind: number, account: number, id: number, slot: number, tif: number, filled: number, last: number,
): void {
  const { candidate, events } = trading;
  const f = events.slots;
  f[ACCOUNT] = account;
  f[ORDER_ID] = id;
  f[ORDER_SLOT] = slot;
  f[ORDER_INSTRUMENT] = candidate.instrument;
  f[ORDER_SIDE] = candidate.side;
  f[ORDER_PRICE] = candidate.price;
  f[ORDER_SIZE] = candidate.size;
  f[ORDER_TIF] = tif;
  f[ORDER_FILLED] = filled;
  f[ORDER_REASON] = last;
  trading.streams.orderUpdates[account]++;
  if (kind === ORDER_RESTED) touchBook(trading.streams, candidate.instrument);
  emit(events, kind, ORDER_SLOTS);
}
