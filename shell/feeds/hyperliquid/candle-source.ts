// Candles from Hyperliquid's info API (`candleSnapshot`). Times in ms, prices in USDC, volume in units of the underlying. The API grants
// a weight of 1,200 a minute; all api threads together spend half, because oracle prices come first. One bad candle invalidates an
// answer.

import type { Counter } from '../../ipc/counters.ts';
import { isObject } from '../../process/json-object.ts';
import { askUpstream, UpstreamFailure } from '../upstream.ts';
import type { Candle } from '../../http/shapes/markets.ts';
import type { Resolution } from '../../ipc/enum-names.ts';

export const TIMEOUT_MS = 5_000;
/** 5,000 candles: some 800 KiB. */
export const MAX_BYTES = 4_194_304;
export const MAX_IN_FLIGHT = 8;
/** A request weighs 20, plus 1 per 60 candles. */
export const WEIGHT_A_MINUTE = 600;
const MAX_SAVED_WEIGHT = WEIGHT_A_MINUTE / 2;
/** Time in which a weight of 1 returns. */
const WEIGHT_MS = 60_000 / (WEIGHT_A_MINUTE / 2);
const WEIGHT = 20;
const CANDLES_A_WEIGHT = 60;
const DECIMAL = /^[0-9]{1,15}(\.[0-9]{1,18})?$/;

/** Starts in [from, to). `step`: length of a candle. */
export type CandleRequest = {
  readonly underlying: string; readonly resolution: Resolution; readonly step: number; readonly from: number; readonly to: number;
};
type Figures = [open: number, high: number, low: number, close: number, volume: number];

type Source = {
  readonly url: string;
  /** Until when weight is spent, in units of WEIGHT_MS (27 years in a u32). */
  readonly spent: Counter;
  /** A clock that all threads share, ms. */
  readonly steady: () => number;
  readonly stop: AbortSignal;
};

export class CandleSource {
  readonly #source: Source;
  #inFlight = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Candles ascend. */
  async ask(request: CandleRequest): Promise<readonly Candle[]> {
    if (!this.#reserveWeight(request)) throw new UpstreamFailure('too many candles are asked for, try again later');
    const { url, stop } = this.#source;
    const { underlying, resolution, from, to } = request;
    // The API's range includes both ends.
    const req = { coin: underlying, interval: resolution, startTime: from, endTime: to - 1 };
    this.#inFlight++;
    try {
      return readCandles(
        await askUpstream({ url, body: { type: 'candleSnapshot', req }, withinMs: TIMEOUT_MS, maxBytes: MAX_BYTES, stop }), request,
      );
    } finally {
      this.#inFlight--;
    }
  }

  #reserveWeight({ step, from, to }: CandleRequest): boolean {
    if (this.#inFlight >= MAX_IN_FLIGHT) return false;
    const { spent, steady } = this.#source;
    const weight = WEIGHT + Math.ceil((to - from) / step / CANDLES_A_WEIGHT);
    for (;;) {
      const before = spent.load();
      const now = Math.floor(steady() / WEIGHT_MS);
      const owed = Math.max(0, (before - now) | 0) + weight;
      if (owed > MAX_SAVED_WEIGHT) return false;
      if (spent.replace(before, now + owed)) return true;
    }
  }
}

function readCandles(answer: unknown, request: CandleRequest): readonly Candle[] {
  if (!Array.isArray(answer)) throw new UpstreamFailure('the answer is not a list of candles');
  const candles = (answer as unknown[]).map((row) => readCandle(row, request)).sort((a, b) => a.start_time_ms - b.start_time_ms);
  if (candles.some(({ start_time_ms: start }, at) => start === candles[at - 1]?.start_time_ms)) {
    throw new UpstreamFailure('a candle occurs twice');
  }
  return candles.filter(({ start_time_ms: start }) => start >= request.from && start < request.to);
}

function readCandle(row: unknown, { underlying, resolution, step }: CandleRequest): Candle {
  if (!isObject(row) || row['s'] !== underlying || row['i'] !== resolution) {
    throw new UpstreamFailure('a candle was not asked for');
  }
  const start = typeof row['t'] === 'number' ? row['t'] : NaN;
  const [open, high, low, close, volume] = [row['o'], row['h'], row['l'], row['c'], row['v']].map(numberOf) as Figures;
  const isOrdered = low > 0 && low <= Math.min(open, close) && Math.max(open, close) <= high;
  if (!(start >= 0) || start % step !== 0 || !isOrdered || Number.isNaN(volume)) throw new UpstreamFailure('a candle is invalid');
  return { underlying, resolution, start_time_ms: start, end_time_ms: start + step, open, high, low, close, volume };
}

function numberOf(value: unknown): number {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : NaN;
}
