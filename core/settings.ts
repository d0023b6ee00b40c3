// The constants of the core that an operator may set, and the house's defaults: margin factors and scenario presets
// (margin.md), fees, bounds and ages. They enter the state by the sequenced command CONFIGURE, first in every journal
// and again when they change, so a replay uses what was in force. Rates are parts per million, money micros, ages
// milliseconds, volatilities fractions times 1e6, sizes 1e-6 contracts.

import { CONTRACT, HOUR, MINUTE, SECOND, USDC } from './units.ts';
import { MAX_UNDERLYINGS } from './limits.ts';
import { fixedSection, type Section } from './store.ts';

export const DEFAULT_BALANCE = 0;
export const MAX_POSITION = 1;
export const INDEX_STALE_AFTER = 2;
// Standard margin.
export const SHORT_OPTION_INITIAL = 3;
export const SHORT_OPTION_FLOOR = 4;
export const SHORT_OPTION_MAINTENANCE = 5;
/** Closing distance: the larger of a part of an option's mark and a part of the index; for a perp a part of the index. */
export const CLOSING_MARK_PART = 6;
export const CLOSING_INDEX_PART = 7;
export const MARK_INTERVAL = 8;
export const CLOSING_PERP_PART = 9;
export const PERP_INITIAL = 10;
export const PERP_MAINTENANCE = 11;
// Fees (decision 2.7): on underlying notional; an option's at most a part of its premium.
export const MAKER_FEE = 12;
export const TAKER_FEE = 13;
export const SETTLEMENT_FEE = 14;
export const FEE_PREMIUM_PART = 15;
// Portfolio margin.
export const OPTION_FLOOR = 16;
export const GAMMA_OVERLAY = 17;
/** The overlay grows from `start` before expiry to its whole at `start` less `ramp` (preset `dense`); a step at `step` (`venue17`). */
export const OVERLAY_START = 18;
export const OVERLAY_RAMP = 19;
export const OVERLAY_STEP = 20;
export const MAINTENANCE_PART = 21;
/** Shocked volatility is at least this, and with an upward shock (preset `dense`) at least that. */
export const VOLATILITY_FLOOR = 22;
export const VOLATILITY_UP_FLOOR = 23;
/** Part of its value at which a long option with a stale surface counts as portfolio collateral. */
export const STALE_LONG_PART = 24;
// Index, surface and marks.
export const INDEX_OUTLIER = 25;
export const INDEX_RUN = 26;
export const MARK_REACH = 27;
export const QUOTE_AGE = 28;
export const QUOTE_SPREAD = 29;
export const SURFACE_STEP = 30;
export const SURFACE_BAND = 31;
export const SURFACE_STALE_AFTER = 32;
export const SURFACE_KEPT = 33;
// Perps: notional of the impact prices.
export const IMPACT_NOTIONAL = 34;
// Liquidation and the insurance fund.
export const LIQUIDATION_FEE = 35;
export const FUND_SEED = 36;
export const FUND_PART = 37;
// Per underlying, by its number: which scenario preset, and the smallest size of a quote that moves a mark.
export const PRESET = 38;
export const MARK_MIN_SIZE = PRESET + MAX_UNDERLYINGS;
const COUNT = MARK_MIN_SIZE + MAX_UNDERLYINGS;

/** Scenario presets. */
export const DENSE = 0;
export const VENUE17 = 1;

export const PPM = 1_000_000;

export type Settings = { readonly values: Float64Array };

const MARGIN: readonly (readonly [number, number])[] = [
  [SHORT_OPTION_INITIAL, 150_000], [SHORT_OPTION_FLOOR, 100_000], [SHORT_OPTION_MAINTENANCE, 75_000],
  [CLOSING_MARK_PART, 100_000], [CLOSING_INDEX_PART, 1_000], [CLOSING_PERP_PART, 10_000],
  [PERP_INITIAL, 100_000], [PERP_MAINTENANCE, 50_000],
  [OPTION_FLOOR, 15_000], [GAMMA_OVERLAY, 10_000],
  [OVERLAY_START, 72 * HOUR], [OVERLAY_RAMP, 24 * HOUR], [OVERLAY_STEP, 48 * HOUR],
  [MAINTENANCE_PART, 800_000], [VOLATILITY_FLOOR, 10_000], [VOLATILITY_UP_FLOOR, 400_000], [STALE_LONG_PART, 500_000],
];

const OTHERS: readonly (readonly [number, number])[] = [
  [DEFAULT_BALANCE, 10_000_000 * USDC], [MAX_POSITION, 100_000_000 * USDC],
  [INDEX_STALE_AFTER, 10 * SECOND], [MARK_INTERVAL, SECOND],
  [MAKER_FEE, 0], [TAKER_FEE, 0], [SETTLEMENT_FEE, 0], [FEE_PREMIUM_PART, 125_000],
  [INDEX_OUTLIER, 50_000], [INDEX_RUN, 20_000], [MARK_REACH, 20_000],
  [QUOTE_AGE, 5 * SECOND], [QUOTE_SPREAD, 200_000], [SURFACE_STEP, 5_000], [SURFACE_BAND, 300_000],
  [SURFACE_STALE_AFTER, MINUTE], [SURFACE_KEPT, 10 * MINUTE],
  [IMPACT_NOTIONAL, 20_000 * USDC],
  [LIQUIDATION_FEE, 10_000], [FUND_SEED, 1_000_000 * USDC], [FUND_PART, 200_000],
];

/** What a venue starts with; index by the names above. The first underlying is BTC: a tenth of it moves a mark. */
export function defaultSettings(): Float64Array {
  const values = new Float64Array(COUNT);
  for (const [name, value] of MARGIN) values[name] = value;
  for (const [name, value] of OTHERS) values[name] = value;
  values.fill(CONTRACT, MARK_MIN_SIZE, MARK_MIN_SIZE + MAX_UNDERLYINGS);
  values[MARK_MIN_SIZE] = CONTRACT / 10;
  return values;
}

export function createSettings(): Settings {
  return { values: new Float64Array(COUNT) };
}

export function settingsSections(settings: Settings): readonly Section[] {
  return [fixedSection('settings', settings.values)];
}
