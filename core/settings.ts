// The constants of the core that an operator may set, and the house's defaults: margin factors (margin.md), bounds
// and ages. They enter the state by the sequenced command CONFIGURE, first in every journal and again when they
// change, so a replay uses what was in force. Rates are parts per million, money micros, ages milliseconds.

import { SECOND, USDC } from './units.ts';
import { fixedSection, type Section } from './store.ts';

export const DEFAULT_BALANCE = 0;
export const MAX_POSITION = 1;
export const INDEX_STALE_AFTER = 2;
export const SHORT_OPTION_INITIAL = 3;
export const SHORT_OPTION_FLOOR = 4;
export const SHORT_OPTION_MAINTENANCE = 5;
export const CLOSING_MARK_PART = 6;
export const CLOSING_INDEX_PART = 7;
export const MARK_INTERVAL = 8;
const COUNT = 9;

export const PPM = 1_000_000;

export type Settings = { readonly values: Float64Array };

/** What a venue starts with; index by the names above. */
export function defaultSettings(): Float64Array {
  const values = new Float64Array(COUNT);
  values[DEFAULT_BALANCE] = 10_000_000 * USDC;
  values[MAX_POSITION] = 100_000_000 * USDC;
  values[INDEX_STALE_AFTER] = 10 * SECOND;
  values[SHORT_OPTION_INITIAL] = 150_000;
  values[SHORT_OPTION_FLOOR] = 100_000;
  values[SHORT_OPTION_MAINTENANCE] = 75_000;
  values[CLOSING_MARK_PART] = 100_000;
  values[CLOSING_INDEX_PART] = 1_000;
  values[MARK_INTERVAL] = SECOND;
  return values;
}

export function createSettings(): Settings {
  return { values: new Float64Array(COUNT) };
}

export function settingsSections(settings: Settings): readonly Section[] {
  return [fixedSection('settings', settings.values)];
}
