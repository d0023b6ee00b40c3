// Bodies of GET /funding and GET /perps, the `perp` of GET /markets, and messages of the channels funding and
// perp_ticker.

import { bestAsk, bestBid } from '../../../core/book/books.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { PERP } from '../../../core/codec/commands.ts';
import type { State } from '../../../core/engine/state.ts';
import { tradingMode } from '../../../core/instruments/trading-mode.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import { predictedRate } from '../../../core/lifecycle/funding-rate.ts';
import { CONTRACT, HOUR, USDC } from '../../../core/units.ts';
import type { FundingData, PerpData } from '../../http/shapes/perps.ts';
import { slotOfSymbol, tradingModeText, type Names } from '../text.ts';
import type { Statistics } from './statistics.ts';

export const RATE_UNIT = 1e9;
const FIGURES = 5;

/** -1: no listed perp. */
export function perpOfSymbol(state: State, symbol: string): number {
  const slot = slotOfSymbol(state, symbol);
  return slot >= 0 && state.instruments.kind[slot] === PERP ? slot : -1;
}

export function perpSlots({ instruments, underlyings }: State): number[] {
  return Array.from(instruments.perpOf.subarray(0, underlyingCount(underlyings))).filter((slot) => slot >= 0);
}

export function fundingOf(state: State, names: Names, slot: number, time: number): FundingData {
  const { funding, instruments, perps, valuation } = state;
  const underlying = instruments.underlying[slot]!;
  const predicted = predictedRate(state, underlying);
  return {
    symbol: names.symbol(slot), funding_rate: funding.hours[slot] === 0 ? null : perps.rate[underlying]! / RATE_UNIT,
    predicted_rate: Number.isNaN(predicted) ? null : predicted / RATE_UNIT,
    premium: perps.sampledAt[underlying] === 0 ? null : perps.sample[underlying]! / RATE_UNIT,
    index_price: valuation.index[underlying]! / USDC, mark_price: valuation.mark[slot]! / USDC,
    next_funding_time: (Math.floor(time / HOUR) + 1) * HOUR, interval_hours: 1,
  };
}

export function perpOf(state: State, names: Names, statistics: Statistics, slot: number, time: number): PerpData {
  const { books, instruments } = state;
  const { symbol, ...rates } = fundingOf(state, names, slot, time);
  const { volume, turnover, last } = statistics.of(symbol, time);
  return {
    symbol, underlying: names.underlyingOf(slot), asset: instruments.underlying[slot]!, ...rates,
    best_bid_price: priceOrNull(bestBid(books, slot)), best_ask_price: priceOrNull(bestAsk(books, slot)),
    last_price: last === null ? null : last / USDC, open_interest: instruments.openInterest[slot]! / CONTRACT,
    volume_24h: volume / CONTRACT, turnover_24h: turnover, tick_size: tickAt(state.valuation.mark[slot]!),
    trading_mode: tradingModeText(tradingMode(instruments, slot)),
  };
}

function priceOrNull(key: number): number | null {
  return key < 0 ? null : priceOfKey(key) / USDC;
}

function tickAt(price: number): number {
  return Number(`1e${Math.max(0, String(Math.floor(price)).length - FIGURES) - 6}`);
}
