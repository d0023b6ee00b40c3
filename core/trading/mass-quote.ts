// A mass quote (spec, extensions 4), as one command and one step. First every side that is removed or moves leaves its book and frees its
// margin. Then, by line and bid before ask, each is judged as an order and rests. No side takes liquidity, so the work is bounded. A
// refused side fails alone, and its old quote is gone.

import { assert } from '../assert.ts';
import { float64, int32, uint8 } from '../columns.ts';
import { BUY, GTC, SELL } from '../units.ts';
import { AMOUNT_TOO_LARGE, DONE_QUOTE_REMOVED, EXPIRED, NEWER_QUOTES, NO_QUOTE_TO_RESIZE, NOT_LISTED, OK, TOO_LATE } from '../errors.ts';
import { BYTE_QUOTE_SET, DOUBLE_MOST_OPEN, DOUBLE_MOST_POSITIONS, DOUBLE_QUOTES_UNTIL, FLAG_QUOTE, POST_ONLY_SLIDE, WORD_NONCE,
  WORD_QUOTE_CROSSING, WORD_QUOTE_LINES, WORD_QUOTED_UNDERLYING } from '../codec/commands.ts';
import { QUOTE_OPEN, QUOTE_REDUCED, QUOTE_REJECTED, QUOTE_REMOVED, QUOTE_UNCHANGED } from '../codec/events.ts';
import { ANSWER_CODE, ANSWER_NUMBERS, ANSWER_PRICED } from '../codec/quote-answers.ts';
import { isAmountTooLarge } from '../codec/decimal.ts';
import { ABSENT, LINE_BYTE_CODES, LINE_BYTE_KIND, LINE_EXPIRY, LINE_KEYS, LINE_SIZES, LINE_STRIKE, LINE_BYTES,
  linesAt } from '../codec/quote-lines.ts';
import type { Views } from '../codec/record.ts';
import { QUOTE_LINES } from '../limits.ts';
import { isBelowNewest, noteQuoteNonce } from '../accounts/quote-nonces.ts';
import { ACTIVE, DELETED, findInstrument } from '../instruments/instruments.ts';
import { findUnderlying } from '../instruments/underlyings.ts';
import { closeIfEmpty, findHolding, openHolding } from '../positions/holdings.ts';
import { isCrossed, restOrder } from '../book/books.ts';
import { orderId, orderKey, orderRemaining } from '../book/pool.ts';
import { priceKeyOf, priceOfKey } from '../book/price-key.ts';
import { findQuote } from '../orders/names.ts';
import { enterOrder, holdingOf, ORDER_IDS } from '../orders/orders.ts';
import { addReserve, enterEmptyHolding, updateHolding } from '../margin/account-margin.ts';
import { pendingCancelReason } from './cancel-all.ts';
import { clearTheWay } from './extended.ts';
import { dropLifted, enterAgain, liftFromBook, reduceInPlace } from './move-order.ts';
import { judgeQuote } from './quote-check.ts';
import { removeOpenOrder, withdrawOrder, writeQuote } from './remove-order.ts';
import type { Trading } from './context.ts';

const SIDES = 2;
const NOTHING = 5;
const PLACE = 6;

/**
 * Of the current page. `todo`: what to do or what was done. `counts`: sides by status. `lifted`: quotes out of their book and not decided.
 */
const scratch = {
  instruments: int32(QUOTE_LINES), todo: uint8(QUOTE_LINES * SIDES), slots: int32(QUOTE_LINES * SIDES), keys: int32(QUOTE_LINES * SIDES),
  codes: int32(QUOTE_LINES * SIDES), ids: float64(QUOTE_LINES * SIDES), counts: float64(4), lifted: 0,
};

/** `first`: byte offset of the lines. The set's name is `length` bytes at word `set`. */
type Page = {
  readonly views: Views; readonly account: number; readonly underlying: number; readonly time: number;
  readonly lines: number; readonly first: number; readonly set: number; readonly length: number; readonly crossing: number;
  readonly mostOpen: number; readonly mostPositions: number;
};

/** Result: OK with the answers and the numbers of sides unchanged, reduced, open, removed; or TOO_LATE, NEWER_QUOTES. */
export function massQuote(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { quoteNonces, result, underlyings } = trading;
  const { f64, u32, u8 } = views;
  const word = at >>> 2;
  const underlying = findUnderlying(underlyings, u32[word + WORD_QUOTED_UNDERLYING], u32[word + WORD_QUOTED_UNDERLYING + 1]);
  if (f64[(at >>> 3) + DOUBLE_QUOTES_UNTIL] <= time) result.code = TOO_LATE;
  else if (underlying >= 0 && isBelowNewest(quoteNonces, account, underlying, u32[word + WORD_NONCE], u32[word + WORD_NONCE + 1])) {
    result.code = NEWER_QUOTES;
  }
  if (result.code !== OK) return;
  if (underlying >= 0) noteQuoteNonce(quoteNonces, account, underlying, u32[word + WORD_NONCE], u32[word + WORD_NONCE + 1]);
  const lines = u32[word + WORD_QUOTE_LINES];
  assert(lines >= 1 && lines <= QUOTE_LINES, 'quotes: a page has a bounded number of lines');
  const page: Page = {
    views, account, underlying, time, lines, first: linesAt(u32, at, lines), set: (at + BYTE_QUOTE_SET + 4) >>> 2,
    length: u8[at + BYTE_QUOTE_SET], crossing: u32[word + WORD_QUOTE_CROSSING], mostOpen: f64[(at >>> 3) + DOUBLE_MOST_OPEN],
    mostPositions: f64[(at >>> 3) + DOUBLE_MOST_POSITIONS],
  };
  scratch.lifted = 0;
  for (let line = 0; line < lines; line++) clearLine(trading, page, line);
  placeAll(trading, page);
  assert(scratch.lifted === 0, 'quotes: every side that left its book was decided');
  for (let i = 0; i < scratch.counts.length; i++) result.numbers[i] = scratch.counts[i];
}

function placeAll(trading: Trading, page: Page): void {
  scratch.counts.fill(0);
  for (let line = 0; line < page.lines; line++) {
    for (let side = BUY; side <= SELL; side++) {
      const place = line * SIDES + side;
      if (scratch.todo[place] === NOTHING) continue;
      if (scratch.todo[place] === PLACE) placeSide(trading, page, line, side);
      answerSide(trading, page.crossing, place);
    }
  }
}

function clearLine(trading: Trading, page: Page, line: number): void {
  const { accounts, holdings, instruments } = trading;
  const { views, account, time } = page;
  const row = page.first + line * LINE_BYTES;
  const double = row >>> 3;
  const expiry = views.f64[double + LINE_EXPIRY];
  const found = page.underlying < 0 ? -1
    : findInstrument(instruments, page.underlying, expiry, views.f64[double + LINE_STRIKE], views.u8[row + LINE_BYTE_KIND]);
  const instrument = found >= 0 && instruments.status[found] === DELETED ? -1 : found;
  scratch.instruments[line] = instrument;
  const closed = instrument < 0 ? NOT_LISTED : instruments.status[instrument] !== ACTIVE || (expiry !== 0 && expiry <= time) ? EXPIRED : OK;
  let changed = 0;
  for (let side = BUY; side <= SELL; side++) {
    const place = line * SIDES + side;
    scratch.ids[place] = 0;
    scratch.slots[place] = 0;
    scratch.codes[place] = OK;
    if (views.f64[double + LINE_SIZES + side] === ABSENT) {
      scratch.todo[place] = NOTHING;
      continue;
    }
    const slot = instrument < 0 ? 0 : liveQuote(trading, page, instrument, side);
    scratch.slots[place] = slot;
    scratch.ids[place] = slot === 0 ? 0 : orderId(trading.books, slot);
    scratch.todo[place] = clearSide(trading, page, row, side, place, closed);
    if (slot !== 0 && scratch.todo[place] !== QUOTE_UNCHANGED) changed = 1;
  }
  if (changed === 0) return;
  const holding = findHolding(holdings, account, instrument);
  if (holding < 0) return;
  updateHolding(trading, account, holding);
  closeIfEmpty(holdings, accounts, holding);
}

/** 0 if there is none. A quote that only waits for its cancel is removed. */
function liveQuote(trading: Trading, { account, length, set, time, views }: Page, instrument: number, side: number): number {
  const slot = findQuote(trading.orders, account, (instrument << 1) | side, views.u32, set, length);
  const ending = slot === 0 ? 0 : pendingCancelReason(trading, slot, time);
  if (ending === 0) return slot;
  removeOpenOrder(trading, slot, ending);
  return 0;
}

/** Returns what was done, or PLACE. The caller calls `updateHolding`. */
function clearSide(trading: Trading, { time, views }: Page, row: number, side: number, place: number, closed: number): number {
  const { books } = trading;
  const slot = scratch.slots[place];
  const size = views.f64[(row >>> 3) + LINE_SIZES + side];
  const sent = views.u32[(row >>> 2) + LINE_KEYS + side];
  const code = views.u8[row + LINE_BYTE_CODES + side];
  if (code === OK && size === 0) return removeSide(trading, place, QUOTE_REMOVED, OK);
  if (code !== OK) return removeSide(trading, place, QUOTE_REJECTED, code);
  const key = sent !== 0 ? sent : slot === 0 ? 0 : orderKey(books, slot);
  if (key === 0) return removeSide(trading, place, QUOTE_REJECTED, closed !== OK ? closed : NO_QUOTE_TO_RESIZE);
  if (sent === 0 && isAmountTooLarge(priceOfKey(key), size)) return removeSide(trading, place, QUOTE_REJECTED, AMOUNT_TOO_LARGE);
  if (slot !== 0 && key === orderKey(books, slot) && size <= orderRemaining(books, slot)) {
    if (size === orderRemaining(books, slot)) return QUOTE_UNCHANGED;
    reduceInPlace(trading, slot, size, time);
    writeQuote(trading, slot, QUOTE_REDUCED);
    return QUOTE_REDUCED;
  }
  if (closed !== OK) return removeSide(trading, place, QUOTE_REJECTED, closed);
  scratch.keys[place] = key;
  if (slot !== 0) {
    liftFromBook(trading, slot);
    scratch.lifted++;
  }
  return PLACE;
}

function removeSide(trading: Trading, place: number, status: number, code: number): number {
  const slot = scratch.slots[place];
  scratch.codes[place] = code;
  if (slot !== 0) withdrawOrder(trading, slot, DONE_QUOTE_REMOVED);
  return status;
}

function placeSide(trading: Trading, page: Page, line: number, side: number): void {
  const { accounts, candidate, holdings, orders } = trading;
  const { account, time, views } = page;
  const place = line * SIDES + side;
  const slot = scratch.slots[place];
  candidate.account = account;
  candidate.instrument = scratch.instruments[line];
  candidate.side = side;
  candidate.price = priceOfKey(scratch.keys[place]);
  candidate.size = views.f64[((page.first + line * LINE_BYTES) >>> 3) + LINE_SIZES + side];
  clearTheWay(trading, 0, time);
  candidate.row = slot !== 0 ? holdingOf(orders, slot) : findHolding(holdings, account, candidate.instrument);
  const code = judgeQuote(trading, page, accounts.openOrders[account] - scratch.lifted);
  scratch.codes[place] = code;
  scratch.todo[place] = code === OK ? QUOTE_OPEN : QUOTE_REJECTED;
  if (slot !== 0) scratch.lifted--;
  if (code === OK) scratch.ids[place] = restSide(trading, page, slot);
  else if (slot !== 0) {
    writeQuote(trading, slot, QUOTE_REMOVED);
    dropLifted(trading, slot);
    updateHolding(trading, account, candidate.row);
    closeIfEmpty(holdings, accounts, candidate.row);
  }
}

/** As the lifted order in `slot`, or as a new one (0). Returns its id. */
function restSide(trading: Trading, { account, length, set, time, views }: Page, slot: number): number {
  const { accounts, books, candidate, holdings, orders, rest } = trading;
  const { instrument, price, side, size } = candidate;
  const key = priceKeyOf(price);
  if (slot !== 0) {
    enterAgain(trading, slot, key, size, time);
    writeQuote(trading, slot, QUOTE_OPEN);
    return orderId(books, slot);
  }
  const id = ++orders.counters[ORDER_IDS];
  let holding = candidate.row;
  if (holding < 0) {
    holding = openHolding(holdings, accounts, account, instrument);
    enterEmptyHolding(trading, holding);
  }
  const rested = restOrder(books, instrument, side, key, account, id, size);
  assert(!isCrossed(books, instrument), 'quotes: the book is not crossed after a quote rests');
  rest.holding = holding;
  rest.size = size;
  rest.tif = GTC;
  rest.flags = FLAG_QUOTE;
  rest.time = time;
  rest.words = views.u32;
  rest.at = set;
  rest.length = length;
  enterOrder(orders, holdings, accounts, rested, rest);
  addReserve(trading, account, holding, side, price, size);
  writeQuote(trading, rested, QUOTE_OPEN);
  return id;
}

/** The numbers of a refusal are in the result, or zeros. */
function answerSide({ candidate, result }: Trading, crossing: number, place: number): void {
  const { answers, numbers } = result;
  const status = scratch.todo[place];
  if (status === QUOTE_REJECTED) {
    answers[result.answered++] = status + scratch.codes[place] * ANSWER_CODE;
    for (let i = 0; i < ANSWER_NUMBERS; i++) answers[result.answered++] = numbers[i];
    numbers.fill(0);
    return;
  }
  const isPriced = status === QUOTE_OPEN && crossing === POST_ONLY_SLIDE;
  answers[result.answered++] = status + (isPriced ? ANSWER_PRICED : 0);
  answers[result.answered++] = scratch.ids[place];
  if (isPriced) answers[result.answered++] = candidate.price;
  scratch.counts[status]++;
}
