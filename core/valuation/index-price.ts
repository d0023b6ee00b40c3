// Decides which index prices are used (MARGIN.md, "The index"). A feed tick far from the median is ignored until enough ticks in a row
// agree; then the median restarts there. Ignored ticks never refresh the price's age.

import { fixedSection, float64, type Section } from '../columns.ts';
import { INDEX_CONFIRMATIONS, INDEX_MEDIAN_SPAN, INDEX_OUTLIER, PPM, type Settings } from '../settings.ts';

/** Ticks kept for the median: the last of each part of its span, so a feed of any speed covers all of it. */
const TICKS = 64;

const RUN_LENGTH = 0;
const RUN_LOW = 1;
const RUN_HIGH = 2;
const RUN = 3;

export type IndexTicks = {
  /** Per underlying: ring of used prices, their times (0: none), next position. */
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

export function useTick(ticks: IndexTicks, settings: Settings, underlying: number, price: number, time: number): boolean {
  const { values } = settings;
  const distance = values[INDEX_OUTLIER];
  const median = medianOf(ticks, underlying, time - values[INDEX_MEDIAN_SPAN]);
  if (median === 0 || isNear(median, price, distance)) {
    ticks.run[underlying * RUN + RUN_LENGTH] = 0;
    noteTick(ticks, underlying, price, time, values[INDEX_MEDIAN_SPAN]);
    return true;
  }
  if (countOutlier(ticks, underlying, price, distance) < values[INDEX_CONFIRMATIONS]) return false;
  restartMedian(ticks, underlying, price, time);
  return true;
}

export function restartMedian(ticks: IndexTicks, underlying: number, price: number, time: number): void {
  ticks.at.fill(0, underlying * TICKS, (underlying + 1) * TICKS);
  ticks.run.fill(0, underlying * RUN, (underlying + 1) * RUN);
  append(ticks, underlying, price, time);
}

/** Replaces the last tick if both are in the same part of `span`. */
function noteTick(ticks: IndexTicks, underlying: number, price: number, time: number, span: number): void {
  const last = underlying * TICKS + (ticks.next[underlying] + TICKS - 1) % TICKS;
  const isSamePart = Math.floor(ticks.at[last] * (TICKS - 1) / span) === Math.floor(time * (TICKS - 1) / span);
  if (!isSamePart) return append(ticks, underlying, price, time);
  ticks.price[last] = price;
  ticks.at[last] = time;
}

function append(ticks: IndexTicks, underlying: number, price: number, time: number): void {
  const at = underlying * TICKS + ticks.next[underlying];
  ticks.price[at] = price;
  ticks.at[at] = time;
  ticks.next[underlying] = (ticks.next[underlying] + 1) % TICKS;
}

function isNear(from: number, price: number, distance: number): boolean {
  return Math.abs(price - from) * PPM <= from * distance;
}

/** Returns the run's length. A tick that disagrees with the run starts a new one. */
function countOutlier(ticks: IndexTicks, underlying: number, price: number, distance: number): number {
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

/** 0 if no price was used after `since`. Of an even number, the mean of the middle two. */
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
