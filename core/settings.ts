// Constants that an operator may set (MARGIN.md, "All constants"). CONFIGURE puts them into the state, so a replay uses those in force. The
// sender checks ranges; the core does not. Rates in parts per million, money in micros, times in ms, volatilities as fractions times 1e6,
// sizes in 1e-6 contracts.

import { fixedSection, float64, type Section } from './columns.ts';
import { CONTRACT, DAY, HOUR, MINUTE, SECOND, USDC } from './units.ts';
import { MAX_UNDERLYINGS } from './limits.ts';

export const DEFAULT_BALANCE = 0;
export const MAX_POSITION = 1;
export const SHORT_OPTION_INITIAL = 3;
export const SHORT_OPTION_FLOOR = 4;
export const SHORT_OPTION_MAINTENANCE = 5;
export const PERP_INITIAL = 10;
export const PERP_MAINTENANCE = 11;
/** Option: a part of mark or of the index, the larger. Perp: a part of the index. */
export const CLOSING_MARK_PART = 6;
export const CLOSING_INDEX_PART = 7;
export const CLOSING_PERP_PART = 9;
// On notional; an option's at most a part of its premium.
export const MAKER_FEE = 12;
export const TAKER_FEE = 13;
export const SETTLEMENT_FEE = 14;
export const FEE_PREMIUM_PART = 15;
export const OPTION_FLOOR = 16;
export const GAMMA_OVERLAY = 17;
/** `dense`: the overlay grows linearly from START before expiry, and is whole RAMP later. `venue17`: whole from STEP before expiry. */
export const OVERLAY_START = 18;
export const OVERLAY_RAMP = 19;
export const OVERLAY_STEP = 20;
export const MAINTENANCE_PART = 21;
/** Floors of shocked volatility: always, and under an upward shock (`dense`). */
export const VOLATILITY_FLOOR = 22;
export const VOLATILITY_UP_FLOOR = 23;
/** The part of a long option that is collateral while its surface is stale. */
export const STALE_LONG_PART = 24;
/** Time to expiry with the stated shock, and powers for shorter and longer times (`dense`). */
export const SHOCK_TERM = 38;
export const SHOCK_POWER_NEAR = 39;
export const SHOCK_POWER_FAR = 40;
// Index, surface and marks.
export const INDEX_STALE_AFTER = 2;
export const INDEX_OUTLIER = 25;
/** Span of ticks that outliers are measured by, and how many in a row are believed. */
export const INDEX_MEDIAN_SPAN = 41;
export const INDEX_CONFIRMATIONS = 42;
export const INDEX_RUN = 26;
export const MARK_INTERVAL = 8;
export const MARK_REACH = 27;
export const QUOTE_AGE = 28;
export const QUOTE_SPREAD = 29;
export const SURFACE_STEP = 30;
export const SURFACE_BAND = 31;
export const SURFACE_STALE_AFTER = 32;
export const SURFACE_KEPT = 33;
// Notional of impact prices, sampling interval, time constant of the mark's mean, bound of premium and basis.
export const IMPACT_NOTIONAL = 34;
export const PREMIUM_INTERVAL = 43;
export const PREMIUM_MEAN_TIME = 44;
export const PREMIUM_BOUND = 45;
/** 8 hours' cost without a premium, its reach around the premium, and the hourly bound. */
export const FUNDING_INTEREST = 46;
export const FUNDING_REACH = 47;
export const FUNDING_HOURLY_BOUND = 48;
/** A fall: so many sweeps in a row below maintenance over at least this time; interval of sweeps. */
export const LIQUIDATION_FALLS = 49;
export const LIQUIDATION_FALL_TIME = 50;
export const LIQUIDATION_INTERVAL = 51;
/** The wait, in which only opening orders are cancelled; no wait below this part of maintenance. */
export const LIQUIDATION_WAIT = 52;
export const LIQUIDATION_NO_WAIT = 53;
/** No second wait if an account falls again so soon. */
export const LIQUIDATION_SECOND_FALL = 54;
/** One order closes this part of a position, but at least a lot. */
export const LIQUIDATION_PART = 55;
export const LIQUIDATION_LOT = 56;
export const LIQUIDATION_FEE = 35;
/** The fund takes over after this time without progress, or below this part of maintenance. */
export const TAKEOVER_AFTER = 57;
export const TAKEOVER_PART = 58;
/** After this time at or above maintenance, progress and falls restart. */
export const LIQUIDATION_RESET = 59;
export const FUND_SEED = 36;
export const FUND_PART = 37;
/** Micros by which fills between the same two wallets may differ from the mark and count in a competition. */
export const COMPETITION_PAIR_VALUE = 60;
/** A part of the mark (0: off), or for an option so much volatility where that is wider. */
export const PRICE_BAND = 61;
export const PRICE_BAND_VOL = 62;
// Per underlying: scenario preset, and smallest quote that moves a mark.
export const PRESET = 63;
export const MARK_MIN_SIZE = PRESET + MAX_UNDERLYINGS;
const COUNT = MARK_MIN_SIZE + MAX_UNDERLYINGS;

export const DENSE = 0;
export const VENUE17 = 1;

export const PPM = 1_000_000;
const PERCENT = 10_000;

export type Settings = { readonly values: Float64Array };

/** `factor`: a number times 1e6. `preset`: DENSE or VENUE17. */
export type SettingUnit = 'rate' | 'time' | 'money' | 'size' | 'count' | 'factor' | 'preset';
/** `at`: its index, or the first if per underlying. `usual`: the default. */
export type Setting = {
  readonly at: number; readonly name: string; readonly unit: SettingUnit;
  readonly usual: number; readonly least: number; readonly most: number;
};

function setting(at: number, name: string, unit: SettingUnit, usual: number, least: number, most: number): Setting {
  return { at, name, unit, usual, least, most };
}

export const SETTINGS: readonly Setting[] = [
  setting(DEFAULT_BALANCE, 'default_balance', 'money', 10_000_000 * USDC, 0, 1_000_000_000 * USDC),
  setting(MAX_POSITION, 'max_position', 'money', 100_000_000 * USDC, USDC, 9_000_000_000 * USDC),
  setting(SHORT_OPTION_INITIAL, 'short_option_initial', 'rate', 15 * PERCENT, PERCENT, PPM),
  setting(SHORT_OPTION_FLOOR, 'short_option_floor', 'rate', 10 * PERCENT, PERCENT, PPM),
  setting(SHORT_OPTION_MAINTENANCE, 'short_option_maintenance', 'rate', 75_000, PERCENT / 2, PPM),
  setting(PERP_INITIAL, 'perp_initial', 'rate', 10 * PERCENT, PERCENT / 2, PPM),
  setting(PERP_MAINTENANCE, 'perp_maintenance', 'rate', 5 * PERCENT, PERCENT / 4, PPM),
  setting(CLOSING_MARK_PART, 'closing_mark_part', 'rate', 10 * PERCENT, 0, PPM / 2),
  setting(CLOSING_INDEX_PART, 'closing_index_part', 'rate', 1_000, 0, 10 * PERCENT),
  setting(CLOSING_PERP_PART, 'closing_perp_part', 'rate', PERCENT, 0, 10 * PERCENT),
  setting(MAKER_FEE, 'maker_fee', 'rate', 0, 0, PERCENT),
  setting(TAKER_FEE, 'taker_fee', 'rate', 0, 0, PERCENT),
  setting(SETTLEMENT_FEE, 'settlement_fee', 'rate', 0, 0, PERCENT),
  setting(FEE_PREMIUM_PART, 'fee_premium_part', 'rate', 125_000, 0, PPM),
  setting(PRESET, 'preset', 'preset', DENSE, DENSE, VENUE17),
  setting(OPTION_FLOOR, 'option_floor', 'rate', 15_000, 0, PPM),
  setting(GAMMA_OVERLAY, 'gamma_overlay', 'rate', PERCENT, 0, PPM),
  setting(OVERLAY_START, 'overlay_start', 'time', 72 * HOUR, MINUTE, 30 * DAY),
  setting(OVERLAY_RAMP, 'overlay_ramp', 'time', 24 * HOUR, MINUTE, 30 * DAY),
  setting(OVERLAY_STEP, 'overlay_step', 'time', 48 * HOUR, 0, 30 * DAY),
  setting(MAINTENANCE_PART, 'maintenance_part', 'rate', 80 * PERCENT, 10 * PERCENT, PPM),
  setting(VOLATILITY_FLOOR, 'volatility_floor', 'rate', PERCENT, PERCENT / 10, PPM),
  setting(VOLATILITY_UP_FLOOR, 'volatility_up_floor', 'rate', 40 * PERCENT, 0, 5 * PPM),
  setting(SHOCK_TERM, 'shock_term', 'time', 30 * DAY, DAY, 365 * DAY),
  setting(SHOCK_POWER_NEAR, 'shock_power_near', 'factor', 300_000, 0, PPM),
  setting(SHOCK_POWER_FAR, 'shock_power_far', 'factor', 130_000, 0, PPM),
  setting(STALE_LONG_PART, 'stale_long_part', 'rate', 50 * PERCENT, 0, PPM),
  setting(INDEX_STALE_AFTER, 'index_stale_after', 'time', 10 * SECOND, SECOND, 10 * MINUTE),
  setting(INDEX_OUTLIER, 'index_outlier', 'rate', 5 * PERCENT, PERCENT / 10, PPM),
  setting(INDEX_MEDIAN_SPAN, 'index_median_span', 'time', 30 * SECOND, SECOND, 10 * MINUTE),
  setting(INDEX_CONFIRMATIONS, 'index_confirmations', 'count', 3, 1, 60),
  setting(INDEX_RUN, 'index_run', 'rate', 2 * PERCENT, PERCENT / 100, PPM),
  setting(MARK_INTERVAL, 'mark_interval', 'time', SECOND, SECOND / 10, MINUTE),
  setting(MARK_REACH, 'mark_reach', 'rate', 2 * PERCENT, 0, 50 * PERCENT),
  setting(MARK_MIN_SIZE, 'mark_min_size', 'size', CONTRACT, 1, 1_000_000 * CONTRACT),
  setting(QUOTE_AGE, 'quote_age', 'time', 5 * SECOND, 0, 10 * MINUTE),
  setting(QUOTE_SPREAD, 'quote_spread', 'rate', 20 * PERCENT, 0, PPM),
  setting(SURFACE_STEP, 'surface_step', 'rate', 5_000, PERCENT / 100, 10 * PERCENT),
  setting(SURFACE_BAND, 'surface_band', 'rate', 30 * PERCENT, PERCENT, 90 * PERCENT),
  setting(SURFACE_STALE_AFTER, 'surface_stale_after', 'time', MINUTE, SECOND, DAY),
  setting(SURFACE_KEPT, 'surface_kept', 'time', 10 * MINUTE, 0, 7 * DAY),
  setting(IMPACT_NOTIONAL, 'impact_notional', 'money', 20_000 * USDC, 100 * USDC, 10_000_000 * USDC),
  setting(PREMIUM_INTERVAL, 'premium_interval', 'time', 5 * SECOND, SECOND, MINUTE),
  setting(PREMIUM_MEAN_TIME, 'premium_mean_time', 'time', 30 * SECOND, SECOND, HOUR),
  setting(PREMIUM_BOUND, 'premium_bound', 'rate', 5_000, 0, 10 * PERCENT),
  setting(FUNDING_INTEREST, 'funding_interest', 'rate', 100, 0, PERCENT),
  setting(FUNDING_REACH, 'funding_reach', 'rate', 500, 0, 10 * PERCENT),
  setting(FUNDING_HOURLY_BOUND, 'funding_hourly_bound', 'rate', 1_000, 0, 4 * PERCENT),
  setting(LIQUIDATION_FALLS, 'liquidation_falls', 'count', 3, 1, 100),
  setting(LIQUIDATION_FALL_TIME, 'liquidation_fall_time', 'time', 3 * SECOND, 0, 10 * MINUTE),
  setting(LIQUIDATION_INTERVAL, 'liquidation_interval', 'time', SECOND, SECOND / 10, MINUTE),
  setting(LIQUIDATION_WAIT, 'liquidation_wait', 'time', MINUTE, 0, DAY),
  setting(LIQUIDATION_NO_WAIT, 'liquidation_no_wait', 'rate', 60 * PERCENT, 0, PPM),
  setting(LIQUIDATION_SECOND_FALL, 'liquidation_second_fall', 'time', 10 * MINUTE, 0, 7 * DAY),
  setting(LIQUIDATION_PART, 'liquidation_part', 'rate', 25 * PERCENT, PERCENT, PPM),
  setting(LIQUIDATION_LOT, 'liquidation_lot', 'size', CONTRACT / 1_000, 1, 1_000 * CONTRACT),
  setting(LIQUIDATION_FEE, 'liquidation_fee', 'rate', PERCENT, 0, 10 * PERCENT),
  setting(TAKEOVER_AFTER, 'takeover_after', 'time', 30 * SECOND, SECOND, DAY),
  setting(TAKEOVER_PART, 'takeover_part', 'rate', 20 * PERCENT, 0, PPM),
  setting(LIQUIDATION_RESET, 'liquidation_reset', 'time', MINUTE, 0, DAY),
  setting(FUND_SEED, 'fund_seed', 'money', 1_000_000 * USDC, 0, 1_000_000_000 * USDC),
  setting(FUND_PART, 'fund_part', 'rate', 20 * PERCENT, 0, PPM),
  setting(PRICE_BAND, 'price_band', 'rate', 0, 0, 5 * PPM),
  setting(PRICE_BAND_VOL, 'price_band_vol', 'rate', 10 * PERCENT, 0, 5 * PPM),
  setting(COMPETITION_PAIR_VALUE, 'competition_pair_value', 'money', 1_000 * USDC, 0, 1_000_000_000 * USDC),
];

/** Pairs of which the first must not exceed the second. The reserve of an open order, at the taker's fee, must cover the maker's fee. */
export const NOT_ABOVE: readonly (readonly [number, number])[] = [
  [SHORT_OPTION_FLOOR, SHORT_OPTION_INITIAL], [SHORT_OPTION_MAINTENANCE, SHORT_OPTION_FLOOR], [PERP_MAINTENANCE, PERP_INITIAL],
  [MAKER_FEE, TAKER_FEE], [OVERLAY_RAMP, OVERLAY_START], [TAKEOVER_PART, LIQUIDATION_NO_WAIT],
];

/** Unless the second is 0. A band narrower than the closing distance would keep orders from a liquidation. */
export const NOT_ABOVE_UNLESS_OFF: readonly (readonly [number, number])[] = [
  [CLOSING_MARK_PART, PRICE_BAND], [CLOSING_PERP_PART, PRICE_BAND],
];

/** The first underlying, BTC, needs a tenth of a contract to move a mark. */
export function defaultSettings(): Float64Array {
  const values = new Float64Array(COUNT);
  for (const { at, usual } of SETTINGS) values.fill(usual, at, at < PRESET ? at + 1 : at + MAX_UNDERLYINGS);
  values[MARK_MIN_SIZE] = CONTRACT / 10;
  return values;
}

export function createSettings(): Settings {
  return { values: float64(COUNT) };
}

export function settingsSections(settings: Settings): readonly Section[] {
  return [fixedSection('settings', settings.values)];
}
