// Which index prices are used. A tick of the feed further than 5 % from the median of the last 30 s is used for nothing
// until three in a row, within 5 % of one another, say the same; then it is the price and the median starts anew. The
// operator's own price is taken at once. Prices 1e-6 USDC, times ms. Source: MARGIN.md, "The index".
// Never lets a tick that is not used refresh the age of the price in force.

import { fixedSection, float64, type Section } from '../columns.ts';
import { INDEX_CONFIRMATIONS, INDEX_MEDIAN_SPAN, INDEX_OUTLIER, PPM, type Settings } from '../settings.ts';

/**
 * Ticks remembered for the median: the last of each of so many parts of its span, less one, so that the ticks of a feed of any speed
 * reach over all of it.
 */
const TICKS = 64;

/** Words of a run of outliers: how many in a row, their lowest and highest price. */
const RUN_LENGTH = 0;
const RUN_LOW = 1;
const RUN_HIGH = 2;
const RUN = 3;

export type IndexTicks = {
  /** Per underlying: a ring of prices used and when they came (0: none), and where the next goes. */
  readonly price: Float64Array;
  readonly at: Float64Array;
  readonly next: Float64Array;
  readonly run: Float64Array;
};

const scratch = { sorted: new Float64Array(TICKS) };

export function createIndexTicks(underlyings: number): IndexTicks {
  return {
    price: float64(underlyings * TICKS), at: float64(underlyings * TICKS),
    next: float64(underlyings), run: float64(underlyings * RUN),
  };
}

export function indexTickSections(ticks: IndexTicks): readonly Section[] {
  return [
    fixedSection('ticks.price', ticks.price), fixedSection('ticks.at', ticks.at), fixedSection('ticks.next', ticks.next),
    fixedSection('ticks.run', ticks.run),
  ];
}

/** Whether a tick of the feed is used; it then counts for the next medians. */
export function useTick(ticks: IndexTicks, settings: Settings, underlying: number, price: number, time: number): boolean {
  const { values } = settings;
  const distance = values[INDEX_OUTLIER];
  const median = medianOf(ticks, underlying, time - values[INDEX_MEDIAN_SPAN]);
  if (median === 0 || isNear(median, price, distance)) {
    ticks.run[underlying * RUN + RUN_LENGTH] = 0;
    note(ticks, underlying, price, time, values[INDEX_MEDIAN_SPAN]);
    return true;
  }
  if (outliers(ticks, underlying, price, distance) < values[INDEX_CONFIRMATIONS]) return false;
  restartMedian(ticks, underlying, price, time);
  return true;
}

/** A price that is the whole history from now on: confirmed, or the operator's. */
export function restartMedian(ticks: IndexTicks, underlying: number, price: number, time: number): void {
  ticks.at.fill(0, underlying * TICKS, (underlying + 1) * TICKS);
  ticks.run.fill(0, underlying * RUN, (underlying + 1) * RUN);
  append(ticks, underlying, price, time);
}

/** A tick in the same part of the `span` as the one before takes its place. */
function note(ticks: IndexTicks, underlying: number, price: number, time: number, span: number): void {
  const last = underlying * TICKS + (ticks.next[underlying] + TICKS - 1) % TICKS;
  const isSamePart = Math.floor(ticks.at[last] * (TICKS - 1) / span) === Math.floor(time * (TICKS - 1) / span);
  if (!isSamePart) return append(ticks, underlying, price, time);
  ticks.price[last] = price;
  ticks.at[last] = time;
}

/** In place of the oldest tick. */
function append(ticks: IndexTicks, underlying: number, price: number, time: number): void {
  const at = underlying * TICKS + ticks.next[underlying];
  ticks.price[at] = price;
  ticks.at[at] = time;
  ticks.next[underlying] = (ticks.next[underlying] + 1) % TICKS;
}

/** `price` within `distance` (ppm) of `from`. */
function isNear(from: number, price: number, distance: number): boolean {
  return Math.abs(price - from) * PPM <= from * distance;
}

/** One more outlier: how many in a row there are now. One that does not agree with those before starts a run of its own. */
function outliers(ticks: IndexTicks, underlying: number, price: number, distance: number): number {
  const { run } = ticks;
  const at = underlying * RUN;
  const low = Math.min(run[at + RUN_LOW], price);
  const high = Math.max(run[at + RUN_HIGH], price);
  const agrees = run[at + RUN_LENGTH] > 0 && isNear(low, high, distance);
  run[at + RUN_LENGTH] = agrees ? run[at + RUN_LENGTH] + 1 : 1;
  run[at + RUN_LOW] = agrees ? low : price;
  run[at + RUN_HIGH] = agrees ? high : price;
  return run[at + RUN_LENGTH];
}

/** The median of the prices after `since`, 0: there is none. Of an even number the mean of the middle two. */
function medianOf(ticks: IndexTicks, underlying: number, since: number): number {
  const { sorted } = scratch;
  let count = 0;
  for (let at = underlying * TICKS; at < (underlying + 1) * TICKS; at++) {
    if (ticks.at[at] === 0 || ticks.at[at] <= since) continue;
    const price = ticks.price[at];
    let place = count++;
    for (; place > 0 && sorted[place - 1] > price; place--) sorted[place] = sorted[place - 1];
    sorted[place] = price;
  }
  if (count === 0) return 0;
  return (sorted[(count - 1) >> 1] + sorted[count >> 1]) / 2;
}
