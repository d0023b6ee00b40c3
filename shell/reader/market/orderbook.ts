// An order book as the body of GET /orderbook (wire.md 1.11, numbers) and as the OrderbookUpdate message (4.4, decimals
// as text). Joined by hand for speed; nothing in it needs escaping.

import { PERP } from '../../../core/codec/commands.ts';
import { bestAsk, bestBid, levelSize, nextLevel } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { ACTIVE, hasExpired, SETTLED } from '../../../core/instruments/instruments.ts';
import { tradingMode } from '../../../core/instruments/trading-mode.ts';
import { SETTLEMENT_WINDOW } from '../../../core/pricing/averaged.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import { MARK_IV, sigmaText, type GreeksCache } from './greeks-cache.ts';
import { micro, tradingModeText, type Names } from '../text.ts';
import type { DayStatistics } from './statistics.ts';

const MESSAGE_LEVELS = 20;

export function number(value: number): string {
  return `${value / 1e6}`;
}

export function numberOrNull(value: number | null): string {
  return value === null ? 'null' : number(value);
}

function levels(state: State, slot: number, side: number, depth: number, text: (value: number) => string, quote: string): string {
  const { books } = state;
  let key = side === BUY ? bestBid(books, slot) : bestAsk(books, slot);
  let out = '[';
  for (let i = 0; i < depth && key > 0; i++) {
    const pair = `[${quote}${text(priceOfKey(key))}${quote},${quote}${text(levelSize(books, slot, side, key))}${quote}]`;
    out += i === 0 ? pair : `,${pair}`;
    key = nextLevel(books, slot, side, key);
  }
  return `${out}]`;
}

export function isBookEmpty(state: State, slot: number): boolean {
  return bestBid(state.books, slot) < 0 && bestAsk(state.books, slot) < 0;
}

/**
 * True if new subscribers to all books get a snapshot of this one: it is not empty, or its contract is active and it
 * has changed before.
 */
export function hasBookSnapshot(state: State, slot: number): boolean {
  return !isBookEmpty(state, slot) || (state.instruments.status[slot] === ACTIVE && state.streams.books[slot]! > 0);
}

export function orderbookMessage(state: State, names: Names, slot: number, time: number): string {
  const bids = levels(state, slot, BUY, MESSAGE_LEVELS, micro, '"');
  const asks = levels(state, slot, SELL, MESSAGE_LEVELS, micro, '"');
  return `{"type":"OrderbookUpdate","symbol":"${names.symbol(slot)}","option_token_address":null,"bids":${bids},"asks":${asks},`
    + `"timestamp":${time},"seq":${state.streams.books[slot]!}}`;
}

export function orderbookBody(
  state: State, names: Names, greeksCache: GreeksCache, slot: number, depth: number, day: DayStatistics, time: number,
): string {
  const { instruments, streams, valuation } = state;
  const underlying = instruments.underlying[slot]!;
  const index = number(valuation.index[underlying]!);
  const status = instruments.status[slot]!;
  const isOpen = status === ACTIVE && !hasExpired(instruments, slot, time);
  const bid = bestBid(state.books, slot);
  const ask = bestAsk(state.books, slot);
  const greeks = greeksCache.hasMarks(slot) ? `"greeks":${greeksCache.greeksText(slot)},` : '';
  const iv = instruments.kind[slot] === PERP || greeks === '' ? '' : ivPart(greeksCache, slot, bid, ask);
  return `{"timestamp":${time},"state":"${isOpen ? 'open' : status === SETTLED ? 'settled' : 'closed'}",`
    + `"trading_mode":"${tradingModeText(tradingMode(instruments, slot))}",`
    + `"stats":{"high":${numberOrNull(day.high)},"low":${numberOrNull(day.low)},"price_change":${changeText(day)},`
    + `"volume":${number(day.volume)},"volume_usd":${day.turnover}},${greeks}`
    + `"change_id":${streams.books[slot]!},"index_price":${index},"instrument_name":"${names.symbol(slot)}","option_token_address":null,`
    + `"bids":${levels(state, slot, BUY, depth, number, '')},"asks":${levels(state, slot, SELL, depth, number, '')},`
    + `"last_price":${numberOrNull(day.last)},"settlement_price":${number(settlementPrice(state, slot))},"min_price":0,"max_price":0,`
    + `"open_interest":${number(instruments.openInterest[slot]!)},"mark_price":${number(valuation.mark[slot]!)},`
    + `"theoretical_price":${number(valuation.theo[slot]!)},${bestPart(state, slot, bid, ask)}`
    + `${iv}"underlying_price":${index},"underlying_index":"${indexName(names.underlying(underlying))}",`
    + `"interest_rate":0,"estimated_delivery_price":${number(deliveryPrice(state, slot, time))},"seq":${streams.books[slot]!}}`;
}

export function changeText({ first, last }: DayStatistics): string {
  return first === null || last === null ? 'null' : `${((last - first) / first) * 100}`;
}

function settlementPrice({ instruments, settlement }: State, slot: number): number {
  return instruments.status[slot] === ACTIVE ? 0 : settlement.price[slot]!;
}

/** The settlement price if the index stays: in the last half hour part of the mean is already fixed. */
export function deliveryPrice(state: State, slot: number, time: number): number {
  const { instruments, valuation } = state;
  const underlying = instruments.underlying[slot]!;
  const index = valuation.index[underlying]!;
  const average = valuation.windowAverage[underlying]!;
  const left = instruments.expiry[slot]! - time;
  const settled = settlementPrice(state, slot);
  if (settled > 0) return settled;
  if (average === 0 || left <= 0 || left >= SETTLEMENT_WINDOW) return index;
  return Math.round(average + (index - average) * left / SETTLEMENT_WINDOW);
}

export function indexName(underlying: string): string {
  return `${underlying.toLowerCase()}_usd`;
}

function ivPart(greeksCache: GreeksCache, slot: number, bid: number, ask: number): string {
  const mark = greeksCache.values[greeksCache.at(slot) + MARK_IV]!;
  return `"mark_iv":${sigmaText(mark)},"ask_iv":${ask < 0 ? 'null' : sigmaText(greeksCache.quoted(slot, SELL, priceOfKey(ask)))},`
    + `"bid_iv":${bid < 0 ? 'null' : sigmaText(greeksCache.quoted(slot, BUY, priceOfKey(bid)))},`;
}

function bestPart({ books }: State, slot: number, bid: number, ask: number): string {
  return `"best_bid_price":${bid < 0 ? 0 : number(priceOfKey(bid))},"best_ask_price":${ask < 0 ? 0 : number(priceOfKey(ask))},`
    + `"best_bid_amount":${bid < 0 ? 0 : number(levelSize(books, slot, BUY, bid))},`
    + `"best_ask_amount":${ask < 0 ? 0 : number(levelSize(books, slot, SELL, ask))},`;
}
