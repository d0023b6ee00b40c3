// Candles of Hyperliquid, asked of its info API (`candleSnapshot`) when a client wants some. Times ms; prices USDC, volume in
// units of the underlying. The API lets a source ask for a weight of 1,200 a minute; the oracle prices, on which the whole
// venue rests, come first: all api threads together spend at most half of it in any minute, and beyond that a client is refused.
// A question pays with time that is the same for all threads: weight comes back at half of that half a minute, and as much may be
// saved up, so that a minute never has more than both.
// Never hands on an answer that is wrong in part: one bad candle is a failure.

import type { Counter } from '../../ipc/counters.ts';
import { isObject } from '../../process/json-object.ts';
import { askUpstream, UpstreamFailure } from '../upstream.ts';

export const WITHIN_MS = 5_000;
/** 5,000 candles are some 800 KiB. */
export const MAX_BYTES = 4_194_304;
export const IN_FLIGHT = 8;
/** A question weighs 20, and one more for each 60 candles. */
export const WEIGHT_A_MINUTE = 600;
const SAVED = WEIGHT_A_MINUTE / 2;
/** In which a weight of one comes back. */
const WEIGHT_MS = 60_000 / (WEIGHT_A_MINUTE / 2);
const WEIGHT = 20;
const CANDLES_A_WEIGHT = 60;
const DECIMAL = /^[0-9]{1,15}(\.[0-9]{1,18})?$/;

/** Candles of an underlying that start in [from, to); `step` is the length of one, `resolution` its name. */
export type CandleRequest = {
  readonly underlying: string; readonly resolution: string; readonly step: number; readonly from: number; readonly to: number;
};
export type Candle = {
  readonly underlying: string; readonly resolution: string; readonly start_time_ms: number; readonly end_time_ms: number;
  readonly open: number; readonly high: number; readonly low: number; readonly close: number; readonly volume: number;
};

type Figures = [open: number, high: number, low: number, close: number, volume: number];

type Source = {
  readonly url: string;
  /** Until when the weight is spent, in units of WEIGHT_MS: 27 years to a u32. All threads have this one. */
  readonly spent: Counter;
  /** Reads the same in all threads. */
  readonly steady: () => number;
  readonly stop: AbortSignal;
};

export class CandleSource {
  readonly #source: Source;
  #inFlight = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Ascending. Rejects with UpstreamFailure. */
  async ask(question: CandleRequest): Promise<readonly Candle[]> {
    if (!this.#mayAsk(question)) throw new UpstreamFailure('too many candles are asked for, try again later');
    const { url, stop } = this.#source;
    const { underlying, resolution, from, to } = question;
    // Both ends of the question count there.
    const req = { coin: underlying, interval: resolution, startTime: from, endTime: to - 1 };
    this.#inFlight++;
    try {
      return readCandles(
        await askUpstream({ url, body: { type: 'candleSnapshot', req }, withinMs: WITHIN_MS, maxBytes: MAX_BYTES, stop }), question,
      );
    } finally {
      this.#inFlight--;
    }
  }

  #mayAsk({ step, from, to }: CandleRequest): boolean {
    if (this.#inFlight >= IN_FLIGHT) return false;
    const { spent, steady } = this.#source;
    const weight = WEIGHT + Math.ceil((to - from) / step / CANDLES_A_WEIGHT);
    for (;;) {
      const before = spent.load();
      const now = Math.floor(steady() / WEIGHT_MS);
      const owed = Math.max(0, (before - now) | 0) + weight;
      if (owed > SAVED) return false;
      if (spent.replace(before, now + owed)) return true;
    }
  }
}

function readCandles(answer: unknown, question: CandleRequest): readonly Candle[] {
  if (!Array.isArray(answer)) throw new UpstreamFailure('the answer is no list of candles');
  const candles = (answer as unknown[]).map((row) => readCandle(row, question)).sort((a, b) => a.start_time_ms - b.start_time_ms);
  if (candles.some(({ start_time_ms: start }, at) => start === candles[at - 1]?.start_time_ms)) {
    throw new UpstreamFailure('a candle is there twice');
  }
  // The candle in which the time begins starts before it.
  return candles.filter(({ start_time_ms: start }) => start >= question.from && start < question.to);
}

function readCandle(row: unknown, { underlying, resolution, step }: CandleRequest): Candle {
  if (!isObject(row) || row['s'] !== underlying || row['i'] !== resolution) {
    throw new UpstreamFailure('a candle is none of those asked for');
  }
  const start = typeof row['t'] === 'number' ? row['t'] : NaN;
  const [open, high, low, close, volume] = [row['o'], row['h'], row['l'], row['c'], row['v']].map(numberOf) as Figures;
  const isOrdered = low > 0 && low <= Math.min(open, close) && Math.max(open, close) <= high;
  if (!(start >= 0) || start % step !== 0 || !isOrdered || Number.isNaN(volume)) throw new UpstreamFailure('a candle makes no sense');
  return { underlying, resolution, start_time_ms: start, end_time_ms: start + step, open, high, low, close, volume };
}

/** NaN for what is no plain decimal. */
function numberOf(value: unknown): number {
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : NaN;
}
