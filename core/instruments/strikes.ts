// The strikes of an expiry (decision 2.2): multiples of a round step (1, 2, 2.5 or 5 x 10^n price units) around spot. A new step is the
// smallest with at most 45 strikes, so at least 18. It stays while it gives 15 to 80 strikes. The next one divides it or is its multiple,
// if that gives 15 to 80.

import { MAX_PRICE } from '../limits.ts';

const MIN_STRIKES = 15;
const MAX_STRIKES = 80;
const FRESH_STRIKES = 45;
/** Expiries up to so many days away; reach to each side in percent of spot. */
const NEAR_DAYS = 8;
const MIDDLE_DAYS = 35;
const NEAR_REACH = 35;
const MIDDLE_REACH = 50;
const FAR_REACH = 70;
const FACTORS = [1, 2, 2.5, 5];

/** Strikes low, low + step .. high, in price units. */
type StrikeGrid = { step: number; low: number; high: number };

/** 15 to 80 strikes. `days` to expiry may be a fraction, `spot` is 1 .. 1e15. `held`: the present step, 0 if new. */
export function strikeGrid(spot: number, days: number, held: number, grid: StrikeGrid): void {
  const reach = percentOf(spot, days <= NEAR_DAYS ? NEAR_REACH : days <= MIDDLE_DAYS ? MIDDLE_REACH : FAR_REACH);
  const bottom = spot - reach;
  const top = Math.min(MAX_PRICE, spot + reach);
  const kept = held > 0 ? strikesWithin(bottom, top, held) : 0;
  const step = kept >= MIN_STRIKES && kept <= MAX_STRIKES ? held : newStep(bottom, top, held);
  grid.step = step;
  grid.low = Math.ceil(bottom / step) * step;
  grid.high = Math.max(Math.floor(top / step) * step, grid.low + (MIN_STRIKES - 1) * step);
}

function strikesWithin(bottom: number, top: number, step: number): number {
  return Math.floor(top / step) - Math.ceil(bottom / step) + 1;
}

function newStep(bottom: number, top: number, held: number): number {
  return roundStep(bottom, top, held, FRESH_STRIKES) || roundStep(bottom, top, held, MAX_STRIKES)
    || roundStep(bottom, top, 0, FRESH_STRIKES) || 1;
}

/** The smallest that fits `held` and gives MIN_STRIKES .. `most` strikes, or 0. */
function roundStep(bottom: number, top: number, held: number, most: number): number {
  for (let unit = 1; ; unit *= 10) {
    for (const factor of FACTORS) {
      const step = factor * unit;
      const strikes = strikesWithin(bottom, top, step);
      if (strikes < MIN_STRIKES) return 0;
      const fits = held === 0 || held % step === 0 || step % held === 0;
      if (strikes <= most && fits && Math.floor(step) === step) return step;
    }
  }
}

function percentOf(price: number, percent: number): number {
  const hundreds = Math.floor(price / 100);
  return hundreds * percent + Math.floor(((price - hundreds * 100) * percent) / 100);
}
