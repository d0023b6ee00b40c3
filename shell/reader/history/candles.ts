// Candles of an index, a volatility index, or the marks or trades of a contract, merged with what the history lacks. Prices and sizes in
// 1e-6, JSON numbers in bodies; times ms.

import { USDC } from '../../../core/units.ts';
import type { State } from '../../../core/engine/state.ts';
import type { CandleKind, CandleRow, Rows, TickRow, TradeRow } from '../../storage/history/protocol.ts';
import type { CandleParts } from './candle-parts.ts';
import type { HistoryLink } from './link.ts';
import { RESOLUTIONS, type CandlePrice, type Resolution } from '../../ipc/enum-names.ts';
import type { Candle, InstrumentCandle } from '../../http/shapes/markets.ts';
import { slotOfSymbol } from '../text.ts';

type CandleSources = { readonly state: State; readonly rows: Rows; readonly history: HistoryLink; readonly candleParts: CandleParts };
type CandleSpan = {
  readonly kind: CandleKind; readonly of: string; readonly resolution: Resolution; readonly start: number; readonly end: number;
};

/** Candles that begin in [start, end). */
export function askCandles(
  sources: CandleSources, { kind, of, resolution, start, end }: CandleSpan, take: (candles: readonly CandleRow[]) => void,
): boolean {
  const length = RESOLUTIONS[resolution];
  return sources.history.ask({ name: 'candles', kind, of, resolution: length, from: start, to: end }, (stored, appliedSeq) => {
    const candles = [...stored as CandleRow[]];
    for (const part of newParts(sources, kind, of, appliedSeq)) {
      const time = startOf(part.time, length);
      if (time < start || time >= end) continue;
      candles.push(withPart(candles.at(-1)?.time === time ? candles.pop()! : null, part, length));
    }
    take(candles);
  });
}

function newParts({ state, rows, candleParts }: CandleSources, kind: CandleKind, of: string, appliedSeq: number): CandleRow[] {
  switch (kind) {
    case 'index': return rows.ticks.filter(({ seq, underlying }) => seq > appliedSeq && underlying === of).map(partOfTick);
    case 'trade': return rows.trades.filter(({ seq, symbol }) => seq > appliedSeq && symbol === of).map(partOfTrade);
    case 'vol_index': case 'mark': {
      const parts = rows.candleParts.filter((part) => part.seq > appliedSeq && part.kind === kind && part.name === of);
      const slot = kind === 'mark' ? slotOfSymbol(state, of) : -1;
      const gathered = slot < 0 ? null : candleParts.marks.of(slot, Infinity);
      return [...parts, ...gathered === null ? [] : [gathered]].map((part) => ({ ...part, volume: 0, trades: 0 }));
    }
  }
}

export function partOfTick({ seq, time, price }: Omit<TickRow, 'underlying'>): CandleRow {
  return { seq, time, open: price, high: price, low: price, close: price, volume: 0, trades: 0 };
}

export function partOfTrade({ seq, time, price, size }: Pick<TradeRow, 'seq' | 'time' | 'price' | 'size'>): CandleRow {
  return { seq, time, open: price, high: price, low: price, close: price, volume: size, trades: 1 };
}

export function withPart(before: CandleRow | null, part: CandleRow, length: number): CandleRow {
  const { seq, open, high, low, close, volume, trades } = part;
  const time = startOf(part.time, length);
  if (before?.time !== time) return { seq, time, open, high, low, close, volume, trades };
  return {
    ...before, seq, high: Math.max(before.high, high), low: Math.min(before.low, low), close, volume: before.volume + volume,
    trades: before.trades + trades,
  };
}

export function candleRecord(underlying: string, resolution: Resolution, { time, open, high, low, close }: CandleRow): Candle {
  return {
    underlying, resolution, start_time_ms: time, end_time_ms: time + RESOLUTIONS[resolution], open: open / USDC, high: high / USDC,
    low: low / USDC, close: close / USDC, volume: 0,
  };
}

type OfContract = {
  readonly underlying: string; readonly symbol: string; readonly price: CandlePrice; readonly resolution: Resolution;
};

export function instrumentCandle({ underlying, symbol, price, resolution }: OfContract, candle: CandleRow): InstrumentCandle {
  const { trades, volume } = candle;
  return { ...candleRecord(underlying, resolution, candle), volume: volume / USDC, trades, instrument_name: symbol, price };
}

export function startOf(time: number, length: number): number {
  return Math.floor(time / length) * length;
}
