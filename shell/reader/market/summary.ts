// The body of GET /options-summary (wire.md 1.12): prices in USDC and sizes in contracts as JSON numbers. A listing has
// thousands of rows; their greeks and volatilities come from the cache of greeks.

import { PERP } from '../../../core/codec/commands.ts';
import { bestAsk, bestBid, levelSize } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { ACTIVE, hasExpired, instrumentCount } from '../../../core/instruments/instruments.ts';
import { tradingMode } from '../../../core/instruments/trading-mode.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import { MARK_IV, sigmaText, type GreeksCache } from './greeks-cache.ts';
import { changeText, deliveryPrice, indexName, number, numberOrNull } from './orderbook.ts';
import type { Statistics } from './statistics.ts';
import { TRADING_MODES } from '../../ipc/enum-names.ts';
import type { Names } from '../text.ts';

const MODE_PARTS = TRADING_MODES.map((mode) => `"trading_mode":"${mode}",`);

export class Summaries {
  readonly #state: State;
  readonly #names: Names;
  readonly #statistics: Statistics;
  readonly #greeksCache: GreeksCache;

  constructor(state: State, names: Names, statistics: Statistics, greeksCache: GreeksCache) {
    this.#state = state;
    this.#names = names;
    this.#statistics = statistics;
    this.#greeksCache = greeksCache;
  }

  body(currencies: readonly string[] | null, expiry: number | undefined, time: number): string {
    const { instruments } = this.#state;
    const rows = instrumentCount(instruments);
    const parts: string[] = [];
    const tails = new Map<number, string>();
    for (let slot = 0; slot < rows; slot++) {
      if (instruments.status[slot] !== ACTIVE || instruments.kind[slot] === PERP || hasExpired(instruments, slot, time)) continue;
      if (expiry !== undefined && instruments.expiry[slot] !== expiry) continue;
      if (currencies !== null && !currencies.includes(this.#names.underlyingOf(slot))) continue;
      const market = instruments.underlying[slot]! * 1e14 + instruments.expiry[slot]!;
      let tail = tails.get(market);
      if (tail === undefined) {
        const index = this.#state.valuation.index[instruments.underlying[slot]!]!;
        tail = `"underlying_price":${number(index)},"estimated_delivery_price":${number(deliveryPrice(this.#state, slot, time))}}`;
        tails.set(market, tail);
      }
      parts.push(parts.length === 0 ? '[' : ',', this.#row(slot, time), MODE_PARTS[tradingMode(instruments, slot)]!, tail);
    }
    return parts.length === 0 ? '[]' : `${parts.join('')}]`;
  }

  #row(slot: number, time: number): string {
    const { books, instruments, valuation } = this.#state;
    const greeksCache = this.#greeksCache;
    const symbol = this.#names.symbol(slot);
    const underlying = this.#names.underlyingOf(slot);
    const bidKey = bestBid(books, slot);
    const askKey = bestAsk(books, slot);
    const bid = bidKey < 0 ? 0 : priceOfKey(bidKey);
    const ask = askKey < 0 ? 0 : priceOfKey(askKey);
    const day = this.#statistics.of(symbol, time);
    const mark = greeksCache.values[greeksCache.at(slot) + MARK_IV]!;
    const greeks = greeksCache.hasMarks(slot) ? `"greeks":${greeksCache.greeksText(slot)},` : '';
    return `{"instrument_id":${instruments.id[slot]!},"instrument_name":"${symbol}","option_token_address":null,`
      + `"expiration_timestamp":${instruments.expiry[slot]!},"bid_price":${number(bid)},"ask_price":${number(ask)},`
      + `"mark_price":${number(valuation.mark[slot]!)},"theoretical_price":${number(valuation.theo[slot]!)},"mark_iv":${sigmaText(mark)},`
      + `"ask_iv":${ask === 0 ? 'null' : sigmaText(greeksCache.quoted(slot, SELL, ask))},`
      + `"bid_iv":${bid === 0 ? 'null' : sigmaText(greeksCache.quoted(slot, BUY, bid))},`
      + `"underlying_index":"${indexName(underlying)}","open_interest":${number(instruments.openInterest[slot]!)},`
      + `"volume":${number(day.volume)},"volume_usd":${day.turnover},"high":${numberOrNull(day.high)},"low":${numberOrNull(day.low)},`
      + `"last":${numberOrNull(day.last)},"price_change":${changeText(day)},"interest_rate":0,`
      + `"creation_timestamp":${instruments.listedAt[slot]!},"base_currency":"${underlying}","quote_currency":"USDC",`
      + `"mid_price":${bid === 0 || ask === 0 ? 0 : (bid + ask) / 2e6},`
      + `"best_bid_size":${bid === 0 ? 'null' : number(levelSize(books, slot, BUY, bidKey))},`
      + `"best_ask_size":${ask === 0 ? 'null' : number(levelSize(books, slot, SELL, askKey))},${greeks}`;
  }
}
