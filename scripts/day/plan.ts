// The simulated day and its indexes: Monday, 5 January 2026, UTC, after an evening in which the participants open their accounts. The
// index of each underlying is a function of the seed and the venue's time: a random walk by the minute, half of whose shocks BTC and ETH
// share, a fall before noon, and a crash in the afternoon. Times in ms, prices in USDC.

import { createRandom } from '../../shell/feeds/random.ts';

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const DAY = Date.parse('2026-01-05T00:00:00Z');
/** The full hours of the day between which there is trade, and how many hours before the venue opens. */
export type Hours = { readonly from: number; readonly to: number; readonly opening?: number };
export const WHOLE_DAY: Hours = { from: 0, to: 24 };
/** With a fast clock, listing contracts and opening accounts takes hours of venue time. */
const OPENING = 4;
export const EXPIRY = DAY + 8 * HOUR;
/** A Friday, quoted beside the nearest expiry. */
export const WEEKLY = Date.parse('2026-01-09T08:00:00Z');
export const CRASH = DAY + 15 * HOUR;

/** When the venue's clock starts. */
export const startOf = ({ from, opening = OPENING }: Hours): number => DAY + (from - opening) * HOUR;
/** The day ends two minutes after its last full hour, because the funding of that hour is charged at the first sample of the next hour. */
export const endOf = ({ to }: Hours): number => DAY + to * HOUR + 2 * MINUTE;
/** Parameters of the index path. */
const [START, END] = [startOf(WHOLE_DAY), endOf(WHOLE_DAY)];

export const UNDERLYINGS = ['BTC', 'ETH'] as const;
export type Underlying = typeof UNDERLYINGS[number];
export const isPerp = (symbol: string): boolean => symbol.endsWith('-PERP');

/** `falls`: what is lost in each of the two, as a part of the price. */
type Model = { readonly price: number; readonly volatility: number; readonly falls: readonly [number, number] };
const MODELS: Readonly<Record<Underlying, Model>> = {
  BTC: { price: 100_000, volatility: 0.4, falls: [0.09, 0.25] },
  ETH: { price: 3_500, volatility: 0.5, falls: [0.08, 0.3] },
};
const FALLS = [{ from: DAY + 11 * HOUR, to: DAY + 12 * HOUR }, { from: CRASH, to: CRASH + HOUR }] as const;
const MINUTES_A_YEAR = 525_600;

/** Index price by underlying and time. */
export function indexPath(seed: number): (underlying: Underlying, time: number) => number {
  const random = createRandom(seed);
  const points = Math.ceil((END - START) / MINUTE) + 2;
  const walks: Record<Underlying, number[]> = { BTC: [0], ETH: [0] };
  for (let at = 1; at < points; at++) {
    const common = random.normal();
    for (const underlying of UNDERLYINGS) {
      const shock = (common + random.normal()) * Math.SQRT1_2;
      const step = MODELS[underlying].volatility / Math.sqrt(MINUTES_A_YEAR) * shock;
      walks[underlying].push(walks[underlying][at - 1]! + step);
    }
  }
  return (underlying, time) => {
    const { price, falls } = MODELS[underlying];
    const walk = walks[underlying];
    const minutes = Math.min(points - 2, Math.max(0, (time - START) / MINUTE));
    const at = Math.floor(minutes);
    const log = walk[at]! + (walk[at + 1]! - walk[at]!) * (minutes - at);
    const left = FALLS.map(({ from, to }, fall) => 1 - falls[fall]! * Math.min(1, Math.max(0, (time - from) / (to - from))));
    return price * Math.exp(log) * left[0]! * left[1]!;
  };
}
