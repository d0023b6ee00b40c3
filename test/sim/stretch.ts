// How a stretched run differs from an ordinary one: settings from their whole ranges, changed during the run; tables so small that they
// fill; underlyings added late; short visits to perps; jumps of the index; orders at the bounds of price and size. It has a generator of
// its own, so that ordinary runs are the same with and without it.

import { CONTRACT, USDC } from '../../core/units.ts';
import { checked, MAX_ORDER_AMOUNT, MAX_PRICE, MAX_SIZE, MAX_UNDERLYINGS, SMALL, type Limits } from '../../core/limits.ts';
import { DEFAULT_BALANCE, LIQUIDATION_INTERVAL, MARK_INTERVAL, MAX_POSITION, NOT_ABOVE, NOT_ABOVE_UNLESS_OFF, PREMIUM_INTERVAL,
  PRESET, SETTINGS,
  type Setting } from '../../core/settings.ts';
import type { Random } from './random.ts';
import type { Options } from './options.ts';

/** Actions of stretched runs only. */
export const STRETCHED = ['underlying', 'visit', 'leap'] as const;

export type Stretch = {
  /** The share of settings that a Configure draws anew; 0: the settings are those of an ordinary run. */
  readonly drawn: number;
  /** Whether they change again while the run goes on. */
  readonly changes: boolean;
  readonly small: boolean;
  readonly late: boolean;
  readonly leaps: boolean;
  readonly bounds: boolean;
};

export const PLAIN: Stretch = { drawn: 0, changes: false, small: false, late: false, leaps: false, bounds: false };

/** Where a value lies in its range. */
export type Place = 'least' | 'most' | 'between';
export const PLACES: readonly Place[] = ['least', 'most', 'between'];

/** 100 million USDC. */
const RICH = 100_000_000 * USDC;

type Note = (name: string, place: Place) => void;

export function drawStretch(random: Random): Stretch {
  const drawn = random.chance(0.5) ? random.pick([0.2, 0.5, 0.9]) : 0;
  const bounds = random.chance(0.15);
  return {
    drawn, changes: drawn > 0 && random.chance(0.6), small: random.chance(0.25),
    late: random.chance(0.4), leaps: random.chance(bounds ? 0.6 : 0.15), bounds,
  };
}

/** The options of a run, changed by its stretch. */
export function stretched(options: Options, stretch: Stretch, random: Random, note: Note): Options {
  const { drawn, changes, small, late, leaps, bounds } = stretch;
  const settings = drawn > 0 ? drawSettings(random, options.settings, drawn, note) : options.settings.slice();
  // Wallets need enough money to reach the bounds.
  if (bounds) {
    settings[DEFAULT_BALANCE] = 1_000_000_000 * USDC;
    settings[MAX_POSITION] = 9_000_000_000 * USDC;
  }
  const weights = { ...options.weights };
  if (changes) weights.configure = 0.5;
  if (small) Object.assign(weights, { agent: 15, market: 2 });
  if (late || small || drawn > 0) weights.underlying = 0.15;
  if (drawn > 0 || late) weights.visit = 0.4;
  if (leaps) weights.leap = 0.8;
  if (!small) return { ...options, weights, settings };
  const limits = tiny(random);
  // One or two wallets more than there are rows; one row is the insurance fund's.
  return { ...options, weights, settings, limits, wallets: limits.accounts + random.between(0, 1) };
}

/** Tables of a few rows each. */
function tiny(random: Random): Limits {
  const instruments = random.pick([4, 5, 12, 40]);
  const orders = random.pick([4, 16, 48]);
  const mmpConfigs = random.pick([1, 4]);
  const accounts = random.between(3, 8);
  return checked({
    ...SMALL, accounts, nonceRuns: 4 * accounts, agents: 64, pendingApprovals: random.between(1, 3), orders, instruments,
    holdings: instruments + random.between(0, 8), underlyings: random.pick([3, 4]),
    levelPages: Math.max(Math.min(orders, instruments), random.pick([8, 64])), mmpConfigs, mmpFills: 16 * mmpConfigs,
    payouts: random.pick([1, 16]), competitions: random.between(1, 3),
  });
}

/** Settings for a next Configure: some drawn anew, often at their bounds, and always valid as an operator's file. */
export function drawSettings(random: Random, base: Float64Array, part: number, note: Note): Float64Array {
  const values = base.slice();
  for (const setting of SETTINGS) {
    const end = setting.at < PRESET ? setting.at + 1 : setting.at + MAX_UNDERLYINGS;
    for (let at = setting.at; at < end; at++) {
      if (!random.chance(part)) continue;
      const place = random.pick(random.chance(0.3) ? PLACES.slice(2) : PLACES);
      values[at] = drawn(random, setting, place);
      note(setting.name, place);
    }
  }
  const pairs = [...NOT_ABOVE, ...NOT_ABOVE_UNLESS_OFF.filter(([, high]) => values[high] !== 0)];
  for (const [low, high] of pairs) values[low] = Math.min(values[low]!, values[high]!);
  return values;
}

/** Between the bounds a small value is as likely as a large one is: ranges reach over many powers of ten. */
function drawn(random: Random, { least, most }: Setting, place: Place): number {
  if (place !== 'between') return place === 'least' ? least : most;
  return Math.round(least + (most - least) * random.fraction() ** random.pick([1, 4]));
}

/** How often the clock asks for something, ms: the least of what it is asked for regularly. */
export function beat(settings: Float64Array): number {
  return Math.min(settings[MARK_INTERVAL]!, settings[LIQUIDATION_INTERVAL]!, settings[PREMIUM_INTERVAL]!);
}

/** Price and size at their bounds or near them, or one of both, of an order whose amount may be; price units and 1e-6 contracts. */
export function atBounds(random: Random, price: number, size: number): { price: number; size: number } {
  const dear = random.pick([1, price, price, price, 99_999e10, MAX_PRICE]);
  // Some come to what two rich wallets can trade and a leap of the index takes beyond 2^53.
  const large = random.pick([1, size, CONTRACT, RICH / dear * CONTRACT, RICH / dear * CONTRACT, MAX_SIZE, MAX_SIZE]);
  return { price: dear, size: Math.max(1, Math.floor(Math.min(large, MAX_ORDER_AMOUNT / dear * CONTRACT, MAX_SIZE))) };
}
