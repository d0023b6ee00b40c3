// One order book as it is shown: the body of GET /orderbook (wire.md 1.11, numbers) and the OrderbookUpdate message (4.4,
// decimals as text). Text is joined by hand, for these are the venue's most frequent answers; every part is a number, a
// fixed word or a symbol, so nothing needs escaping. A message carries the best 20 levels of each side as they stand.

import { CALL, PERP } from '../../core/codec/commands.ts';
import { bestAsk, bestBid, levelSize, nextLevel } from '../../core/book/books.ts';
import { priceOfKey } from '../../core/book/price-key.ts';
import { ACTIVE, hasExpired, SETTLED } from '../../core/instruments/instruments.ts';
import { valueGreeks } from '../../core/pricing/averaged.ts';
import { DELTA, GAMMA, GREEKS_LENGTH, RHO, THETA, VEGA } from '../../core/pricing/black76.ts';
import { PPM } from '../../core/settings.ts';
import { BUY, SELL } from '../../core/units.ts';
import type { State } from '../../core/engine/state.ts';
import type { Names } from './text.ts';
import { micro } from './text.ts';
import type { DayStatistics } from './statistics.ts';

const MESSAGE_LEVELS = 20;

/** JSON number of an integer of 1e-6: the nearest double's shortest text. */
function number(value: number): string {
  return `${value / 1e6}`;
}

function numberOrNull(value: number | null): string {
  return value === null ? 'null' : number(value);
}

/** `[[price, size], ...]`, best first; each number through `text`. */
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

/** Whether anything rests in the book. */
export function isBookEmpty(state: State, slot: number): boolean {
  return bestBid(state.books, slot) < 0 && bestAsk(state.books, slot) < 0;
}

/** The OrderbookUpdate message of an instrument as its book stands, at the seq of its stream. */
export function orderbookMessage(state: State, names: Names, slot: number, time: number): string {
  const bids = levels(state, slot, BUY, MESSAGE_LEVELS, micro, '"');
  const asks = levels(state, slot, SELL, MESSAGE_LEVELS, micro, '"');
  return `{"type":"OrderbookUpdate","symbol":"${names.symbol(slot)}","option_token_address":null,"bids":${bids},"asks":${asks},`
    + `"timestamp":${time},"seq":${state.streams.books[slot]!}}`;
}

/** The body of GET /orderbook with `depth` levels of each side. */
export function orderbookBody(state: State, names: Names, slot: number, depth: number, day: DayStatistics, time: number): string {
  const { instruments, streams, valuation } = state;
  const underlying = instruments.underlying[slot]!;
  const index = number(valuation.index[underlying]!);
  const mark = number(valuation.mark[slot]!);
  const change = day.first === null || day.last === null ? 'null' : `${((day.last - day.first) / day.first) * 100}`;
  const status = instruments.status[slot]!;
  const isOpen = status === ACTIVE && !hasExpired(instruments, slot, time);
  const iv = instruments.kind[slot] === PERP ? '' : `"mark_iv":${valuation.sigma[slot]! / PPM},`;
  const name = names.underlying(underlying);
  return `{"timestamp":${time},"state":"${isOpen ? 'open' : status === SETTLED ? 'settled' : 'closed'}",`
    + `"stats":{"high":${numberOrNull(day.high)},"low":${numberOrNull(day.low)},"price_change":${change},`
    + `"volume":${number(day.volume)},"volume_usd":${day.turnover}},${greeksPart(state, slot, time)}`
    + `"change_id":${streams.books[slot]!},"index_price":${index},"instrument_name":"${names.symbol(slot)}","option_token_address":null,`
    + `"bids":${levels(state, slot, BUY, depth, number, '')},"asks":${levels(state, slot, SELL, depth, number, '')},`
    + `"last_price":${numberOrNull(day.last)},"settlement_price":0,"min_price":0,"max_price":0,`
    + `"open_interest":${number(instruments.openInterest[slot]!)},"mark_price":${mark},`
    + `"theoretical_price":${number(valuation.theo[slot]!)},${bestPart(state, slot)}`
    + `${iv}"underlying_price":${index},"underlying_index":"${indexName(name)}",`
    + `"interest_rate":0,"estimated_delivery_price":${index}}`;
}

/** Name of the index of an underlying. */
export function indexName(underlying: string): string {
  return `${underlying.toLowerCase()}_usd`;
}

function bestPart(state: State, slot: number): string {
  const { books } = state;
  const bid = bestBid(books, slot);
  const ask = bestAsk(books, slot);
  return `"best_bid_price":${bid < 0 ? 0 : number(priceOfKey(bid))},"best_ask_price":${ask < 0 ? 0 : number(priceOfKey(ask))},`
    + `"best_bid_amount":${bid < 0 ? 0 : number(levelSize(books, slot, BUY, bid))},`
    + `"best_ask_amount":${ask < 0 ? 0 : number(levelSize(books, slot, SELL, ask))},`;
}

const greeks = new Float64Array(GREEKS_LENGTH);
/** One contract of a perp moves as its underlying does (decision 6.8). */
const PERP_GREEKS = '"greeks":{"delta":1,"gamma":0,"vega":0,"theta":0,"rho":0},';

/** At the index of now and the volatility of the mark; left out while the underlying never had an index. */
function greeksPart(state: State, slot: number, time: number): string {
  const { instruments, valuation } = state;
  const underlying = instruments.underlying[slot]!;
  const spot = valuation.index[underlying]! / 1e6;
  if (spot === 0) return '';
  if (instruments.kind[slot] === PERP) return PERP_GREEKS;
  const isCall = instruments.kind[slot] === CALL;
  const [strike, average, sigma] = [instruments.strike[slot]! / 1e6, valuation.average[underlying]! / 1e6, valuation.sigma[slot]! / PPM];
  valueGreeks(greeks, isCall, spot, strike, instruments.expiry[slot]!, time, average, sigma);
  return `"greeks":{"delta":${greeks[DELTA]! + 0},"gamma":${greeks[GAMMA]! + 0},"vega":${greeks[VEGA]! + 0},`
    + `"theta":${greeks[THETA]! + 0},"rho":${greeks[RHO]! + 0}},`;
}
