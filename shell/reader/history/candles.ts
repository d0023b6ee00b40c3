// Candles of an index, with newer ticks in memory merged in. Intervals without a price have no candle; the volume is
// 0. Prices in 1e-6 internally, JSON numbers in bodies; times ms.

import { USDC } from '../../../core/units.ts';
import type { CandleRow, Rows, TickRow } from '../../storage/history/protocol.ts';
import type { HistoryLink } from './link.ts';
import { RESOLUTIONS, type Resolution } from '../../ipc/enum-names.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import type { Candle } from '../../http/shapes/markets.ts';

/** Candles that begin in [start, end). False if too many history queries are open; otherwise `take` is called later. */
export function askCandles(
  rows: Rows, history: HistoryLink, { underlying, resolution, start, end }: QueryParameters['candles'],
  take: (candles: readonly CandleRow[]) => void,
): boolean {
  const length = RESOLUTIONS[resolution];
  return history.ask({ name: 'candles', underlying, resolution: length, from: start, to: end }, (stored, appliedSeq) => {
    const candles = [...stored as CandleRow[]];
    for (const tick of rows.ticks) {
      const time = startOf(tick.time, length);
      if (tick.underlying !== underlying || tick.seq <= appliedSeq || time < start || time >= end) continue;
      candles.push(withTick(candles.at(-1)?.time === time ? candles.pop()! : null, tick, length));
    }
    take(candles);
  });
}

/** `before` is the candle of the tick's interval so far, or an older one. */
export function withTick(before: CandleRow | null, { seq, time: at, price }: Omit<TickRow, 'underlying'>, length: number): CandleRow {
  const time = startOf(at, length);
  if (before?.time !== time) return { seq, time, open: price, high: price, low: price, close: price };
  return { ...before, seq, high: Math.max(before.high, price), low: Math.min(before.low, price), close: price };
}

export function candleRecord(underlying: string, resolution: Resolution, { time, open, high, low, close }: CandleRow): Candle {
  return {
    underlying, resolution, start_time_ms: time, end_time_ms: time + RESOLUTIONS[resolution], open: open / USDC, high: high / USDC,
    low: low / USDC, close: close / USDC, volume: 0,
  };
}

export function startOf(time: number, length: number): number {
  return Math.floor(time / length) * length;
}
