// A scenario file: a market that is the same each time it is played (docs/SCENARIOS.md). Times are ms after the start, prices and
// fractions micros.

import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createTerms, packUnderlying, parseSymbol, SYMBOL_OK } from '../../core/instruments/symbol.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../core/units.ts';
import { BadSetting } from './bad-setting.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { parseSettings, type GivenSetting } from './settings-file.ts';

const PERSONAS = ['tight_maker', 'wide_maker', 'momentum_taker', 'whale', 'liquidated_fool'] as const;
type Persona = (typeof PERSONAS)[number];

type Point<T> = { readonly at: number; readonly value: T };
type Smile = { readonly atm: number; readonly skew: number; readonly curvature: number };
export type Path<T> = { readonly underlying: string; readonly points: readonly Point<T>[] };

export type Participant = {
  readonly name: string; readonly persona: Persona; readonly underlying: string;
  readonly symbol: string;
  readonly size: number;
  /** Null: the opening balance. */
  readonly cash: number | null;
  readonly at: number;
  readonly side: 'Buy' | 'Sell';
  readonly contracts: number; readonly lookback: number; readonly threshold: number;
};

export type Scenario = {
  /** A digest of the file's text, so that another scenario cannot go on in this folder. */
  readonly digest: string;
  readonly start: number; readonly end: number; readonly step: number; readonly seed: number;
  readonly underlyings: readonly string[];
  readonly settings: readonly GivenSetting[];
  readonly index: readonly Path<number>[];
  readonly surface: readonly Path<Smile>[];
  readonly participants: readonly Participant[];
};

const FIELDS = ['start', 'end', 'step', 'seed', 'settings', 'index', 'surface', 'participants'];
const PARTICIPANT_FIELDS = ['name', 'persona', 'underlying', 'symbol', 'size', 'cash', 'at', 'side', 'contracts', 'lookback', 'threshold'];
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, min: MINUTE, h: HOUR, d: DAY };
const MOST_PARTICIPANTS = 100;
/** Those of a page of quotes, less the perp. */
const MOST_CONTRACTS = 99;
const MOST_STEPS = 100_000;
const MICRO = 1_000_000;
const DEFAULTS = {
  start: '2026-01-05T07:20:00Z', end: '1 h', step: '10 s', seed: 1, settings: {}, surface: {}, participants: [],
  underlying: 'BTC', at: '0 s', side: 'Buy', contracts: 20, lookback: '1 min', threshold: '0.001',
};

export function readScenario(path: string): Scenario {
  try {
    return scenarioOf(path, readFileSync(path, 'utf8'));
  } catch (error) {
    throw error instanceof BadSetting ? error : new BadSetting(`--scenario ${path}: ${(error as Error).message}`);
  }
}

export function scenarioOf(path: string, text: string): Scenario {
  const file: JsonObject = { ...DEFAULTS, ...fieldsOf(path, JSON.parse(text), FIELDS) };
  const [step, end] = [timeOf(`${path}: step`, file['step']), timeOf(`${path}: end`, file['end'])];
  if (step < 1 || end / step > MOST_STEPS) throw new BadSetting(`${path}: step must make at most ${MOST_STEPS} steps until the end`);
  const index = pathsOf(`${path}: index`, file['index'], (place, value) => numberOf(place, value, 1, 1e9));
  const underlyings = [...new Set(['BTC', 'ETH', ...index.map(({ underlying }) => underlying)])];
  const surface = pathsOf(`${path}: surface`, file['surface'], smileOf);
  const participants = listOf(`${path}: participants`, file['participants'])
    .map((one, at) => participantOf(`${path}: participant ${at + 1}`, one, index));
  const names = new Set(participants.map(({ name }) => name.toLowerCase()));
  if (names.size < participants.length) throw new BadSetting(`${path}: each participant needs a name of its own`);
  return {
    digest: createHash('sha256').update(text).digest('hex'), start: instantOf(`${path}: start`, file['start']), end, step,
    seed: numberOf(`${path}: seed`, file['seed'], 0, 2 ** 32 - 1) / MICRO, underlyings,
    settings: parseSettings(`${path}: settings`, JSON.stringify(file['settings']), underlyings), index, surface, participants,
  };
}

function fieldsOf(place: string, value: unknown, known: readonly string[]): JsonObject {
  if (!isObject(value)) throw new BadSetting(`${place} must be an object`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new BadSetting(`${place} has an unknown field "${unknown}" (known: ${known.join(', ')})`);
  return value;
}

function listOf(place: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value) && value.length <= MOST_PARTICIPANTS) return value;
  throw new BadSetting(`${place} must be a list of at most ${MOST_PARTICIPANTS}`);
}

function timeOf(place: string, value: unknown): number {
  const [, count, unit = ''] = /^([0-9]{1,9}) ?([a-z]+)$/.exec(String(value)) ?? [];
  const time = Number(count) * (Object.hasOwn(UNITS, unit) ? UNITS[unit]! : NaN);
  if (Number.isSafeInteger(time)) return time;
  throw new BadSetting(`${place} must be a time like "90 s" (${Object.keys(UNITS).join(', ')}), not ${JSON.stringify(value)}`);
}

function instantOf(place: string, value: unknown): number {
  const time = /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(String(value)) ? Date.parse(String(value)) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new BadSetting(`${place} must be a time in UTC like ${DEFAULTS.start}, not ${JSON.stringify(value)}`);
}

function numberOf(place: string, value: unknown, least: number, most: number): number {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)([0-9]{1,10})(?:\.([0-9]{1,6}))?$/.exec(String(value)) ?? [];
  const micros = whole === '' ? NaN : Number(whole) * MICRO + Number(fraction.padEnd(6, '0'));
  const number = sign === '-' ? -micros : micros;
  if (number >= least * MICRO && number <= most * MICRO) return number;
  throw new BadSetting(`${place} must be a number from ${least} to ${most} with at most 6 decimals, not ${JSON.stringify(value)}`);
}

function smileOf(place: string, value: unknown): Smile {
  const { atm_vol: atm, skew = 0, curvature = 0 } = fieldsOf(place, value, ['atm_vol', 'skew', 'curvature']);
  return {
    atm: numberOf(`${place}: atm_vol`, atm, 0.01, 5), skew: numberOf(`${place}: skew`, skew, -5, 5),
    curvature: numberOf(`${place}: curvature`, curvature, -25, 25),
  };
}

function pathsOf<T>(place: string, value: unknown, valueOf: (place: string, value: unknown) => T): readonly Path<T>[] {
  if (!isObject(value)) throw new BadSetting(`${place} must be an object like {"BTC": {"0 s": …}}`);
  return Object.entries(value).map(([underlying, all]) => {
    if (!packUnderlying(underlying, { underlyingLo: 0, underlyingHi: 0 }) || !isObject(all)) {
      throw new BadSetting(`${place}: "${underlying}" must be an underlying with values by time, like {"0 s": …}`);
    }
    const points = Object.entries(all)
      .map(([time, one]) => ({ at: timeOf(`${place} of ${underlying}`, time), value: valueOf(`${place} of ${underlying}, ${time}`, one) }))
      .sort((a, b) => a.at - b.at);
    if (points[0]?.at !== 0) throw new BadSetting(`${place} of ${underlying} must begin at "0 s"`);
    if (points.some(({ at }, i) => at === points[i - 1]?.at)) throw new BadSetting(`${place} of ${underlying} names a time twice`);
    return { underlying, points };
  });
}

function participantOf(place: string, value: unknown, index: readonly Path<number>[]): Participant {
  const given: JsonObject = { ...DEFAULTS, ...fieldsOf(place, value, PARTICIPANT_FIELDS) };
  const { at, cash, contracts, lookback, name, persona, side, size, threshold, underlying, symbol = `${String(underlying)}-PERP` } = given;
  const refuse = (fault: string): never => {
    throw new BadSetting(`${place} ${fault}`);
  };
  if (!/^[A-Za-z0-9_]{3,20}$/.test(String(name))) refuse('needs a name of 3 to 20 letters, digits or underscores, which is its username');
  if (!PERSONAS.some((one) => one === persona)) refuse(`needs a persona (${PERSONAS.join(', ')}), not ${JSON.stringify(persona)}`);
  if (!index.some((one) => one.underlying === underlying)) refuse(`trades ${JSON.stringify(underlying)}, which has no index path`);
  if (side !== 'Buy' && side !== 'Sell') refuse('needs a side: Buy or Sell');
  const terms = createTerms();
  const isListable = parseSymbol(String(symbol), terms) === SYMBOL_OK || symbol === `${String(underlying)}-PERP`;
  const isItsOwn = isListable && String(symbol).startsWith(`${String(underlying)}-`);
  if (!isItsOwn) refuse(`trades ${JSON.stringify(symbol)}, which is no contract of its underlying`);
  const micros = (field: string, one: unknown, least: number, most: number): number => numberOf(`${place}: ${field}`, one, least, most);
  return {
    name: String(name), persona: persona as Persona, underlying: String(underlying), symbol: String(symbol),
    side: side as Participant['side'],
    size: micros('size', size, 0.000_001, 1e9), cash: cash === undefined ? null : micros('cash', cash, 0, 9e9),
    at: timeOf(`${place}: at`, at), contracts: micros('contracts', contracts, 0, MOST_CONTRACTS) / MICRO,
    lookback: timeOf(`${place}: lookback`, lookback), threshold: micros('threshold', threshold, 0, 1),
  };
}

/** Linear between the points, rounded to a whole micro. */
export function valueAt({ points }: Path<number>, time: number): number {
  const next = points.findIndex(({ at }) => at > time);
  if (next < 0) return points.at(-1)!.value;
  const [from, to] = [points[next - 1]!, points[next]!];
  // BigInt: a price in micros times a span in ms passes 2^53.
  const part = BigInt(to.value - from.value) * BigInt(time - from.at) / BigInt(to.at - from.at);
  return from.value + Number(part);
}

export function smileAt({ points }: Path<Smile>, time: number): Smile {
  return points.findLast(({ at }) => at <= time)!.value;
}
