// The line of the volatility index: closes of its candles, and the newest value in its interval.

import type { Candle } from '../../../src/main.ts';

export type IndexNow = { readonly vol_index: number | null; readonly timestamp: number };

export function lineOf(candles: readonly Candle[], now: IndexNow | null, intervalMs: number): [number[], number[]] {
  const starts = candles.map(({ start_time_ms: start }) => start / 1_000);
  const values = candles.map(({ close }) => close);
  if (now === null || now.vol_index === null) return [starts, values];
  const start = Math.floor(now.timestamp / intervalMs) * intervalMs / 1_000;
  const last = starts.at(-1);
  if (last !== undefined && start < last) return [starts, values];
  const kept = last === start ? values.length - 1 : values.length;
  return [[...starts.slice(0, kept), start], [...values.slice(0, kept), now.vol_index]];
}
