// The operator's JSON file of core settings. Names are those of docs/MARGIN.md in lower case; values have units ("0.05 %", "10 min",
// "1,000,000 USDC"), so that 0.05 % is not taken for 0.05.

import { readFileSync } from 'node:fs';
import { CONTRACT, DAY, HOUR, MINUTE, SECOND, USDC } from '../../core/units.ts';
import { defaultSettings, DENSE, NOT_ABOVE, NOT_ABOVE_UNLESS_OFF, PPM, PRESET, type Setting, SETTINGS, type SettingUnit, VENUE17 } from
  '../../core/settings.ts';
import { BadSetting } from './bad-setting.ts';
import { isObject } from './json-object.ts';

/** `value`: in the core's units. */
export type GivenSetting = { readonly at: number; readonly underlying: string | null; readonly value: number };

type Units = Readonly<Record<string, number>>;

const UNITS: Readonly<Record<Exclude<SettingUnit, 'preset'>, Units>> = {
  rate: { '%': PPM / 100 },
  time: { d: DAY, h: HOUR, min: MINUTE, s: SECOND, ms: 1 },
  money: { USDC },
  size: { contracts: CONTRACT, contract: CONTRACT },
  count: { '': 1 },
  factor: { '': PPM },
};
const PRESETS: Readonly<Record<string, number>> = { dense: DENSE, venue17: VENUE17 };
const AMOUNT = /^((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,16}))(?:\.([0-9]{1,9}))? ?([A-Za-z%]*)$/;

export function readSettingsFile(path: string, underlyings: readonly string[]): readonly GivenSetting[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new BadSetting(`--settings: ${(error as Error).message}`);
  }
  return parseSettings(path, text, underlyings);
}

export function parseSettings(path: string, text: string, underlyings: readonly string[]): readonly GivenSetting[] {
  const given = Object.entries(objectOf(path, text)).flatMap(([name, value]) => {
    const setting = SETTINGS.find((one) => one.name === name);
    if (setting === undefined) throw new BadSetting(`${path}: "${name}" is not a setting (docs/MARGIN.md lists them)`);
    if (setting.at < PRESET) return [{ at: setting.at, underlying: null, value: settingValue(`${path}: ${name}`, setting, value) }];
    return perUnderlying(path, setting, value, underlyings);
  });
  checkOrderedPairs(path, given);
  return given;
}

function objectOf(path: string, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new BadSetting(`${path} is not valid JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new BadSetting(`${path} must be an object like {"taker_fee": "0.05 %"}`);
  return value;
}

function perUnderlying(path: string, setting: Setting, value: unknown, underlyings: readonly string[]): GivenSetting[] {
  const like = `{"${underlyings[0]}": "${show(setting, setting.usual)}"}`;
  if (!isObject(value)) throw new BadSetting(`${path}: ${setting.name} is set per underlying, like ${like}`);
  return Object.entries(value).map(([underlying, one]) => {
    const name = `${path}: ${setting.name} of "${underlying}"`;
    if (!underlyings.includes(underlying)) throw new BadSetting(`${name}: no such underlying (${underlyings.join(', ')})`);
    return { at: setting.at, underlying, value: settingValue(name, setting, one) };
  });
}

// for tests: the tables of docs/MARGIN.md are checked by it
export function settingValue(name: string, setting: Setting, given: unknown): number {
  const { unit, usual, least, most } = setting;
  const text = typeof given === 'number' ? String(given) : given;
  const value = typeof text !== 'string' ? NaN : unit === 'preset' ? PRESETS[text] ?? NaN : amountOf(text, UNITS[unit]);
  if (value >= least && value <= most) return value;
  const range = unit === 'preset'
    ? Object.keys(PRESETS).join(' or ') : `from ${show(setting, least)} to ${show(setting, most)}, like "${show(setting, usual)}"`;
  throw new BadSetting(`${name} must be ${range}, not ${JSON.stringify(given)}`);
}

function amountOf(text: string, units: Units): number {
  const [, whole, fraction = '', unit] = AMOUNT.exec(text) ?? [];
  const scale = unit === undefined ? undefined : Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (whole === undefined || scale === undefined) return NaN;
  const product = BigInt(whole.replaceAll(',', '') + fraction) * BigInt(scale);
  const parts = 10n ** BigInt(fraction.length);
  return product % parts === 0n ? Number(product / parts) : NaN;
}

function show({ unit }: Setting, value: number): string {
  if (unit === 'preset') return Object.keys(PRESETS).find((name) => PRESETS[name] === value)!;
  const units = Object.entries(UNITS[unit]);
  const [name, scale] = units.find(([, one]) => value !== 0 && value % one === 0) ?? (unit === 'time' ? ['s', SECOND] : units[0]!);
  return `${(value / scale).toLocaleString('en-US', { maximumFractionDigits: 6 })} ${name}`.trimEnd();
}

function checkOrderedPairs(path: string, given: readonly GivenSetting[]): void {
  const values = defaultSettings();
  for (const { at, underlying, value } of given) if (underlying === null) values[at] = value;
  const pairs = [...NOT_ABOVE, ...NOT_ABOVE_UNLESS_OFF.filter(([, high]) => values[high] !== 0)];
  for (const [low, high] of pairs) {
    if (values[low]! <= values[high]!) continue;
    const [a, b] = [low, high].map((at) => SETTINGS.find((one) => one.at === at)!) as [Setting, Setting];
    throw new BadSetting(`${path}: ${a.name} (${show(a, values[low]!)}) must not be above ${b.name} (${show(b, values[high]!)})`);
  }
}
