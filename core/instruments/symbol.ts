// Symbols: UNDERLYING-YYYYMMDD-STRIKE-C|P (canonical), UNDERLYING-DDMMMYY-STRIKE-C|P (05JUN26 or 5JUN26), UNDERLYING-PERP (expiry and
// strike 0). Dates 2000 .. 2099. The strike is positive decimal text without spare zeros, at most 6 decimals and 1e9 USDC. An underlying is
// 1 to 8 of [A-Z0-9] in two u32, first character lowest, zero padded.

import { CALL, PERP, PUT } from '../codec/commands.ts';
import { DECIMALS, formatDecimal, parseCanonical } from '../codec/decimal.ts';
import { UNDERLYING_CHARS } from '../limits.ts';
import { dateOfDay, dayOfText, dayOfTime, expiryOfDay } from './calendar.ts';

export const SYMBOL_OK = 0;
const WRONG_SHAPE = 1;
const WRONG_UNDERLYING = 2;
const WRONG_EXPIRY = 3;
const WRONG_STRIKE = 4;
const WRONG_TYPE = 5;

const DETAILS = [
  '',
  'expected UNDERLYING-YYYYMMDD-STRIKE-C, the same with -P, or UNDERLYING-PERP',
  'the underlying is not 1 to 8 of A-Z and 0-9',
  'the expiry is not a date as YYYYMMDD or DDMMMYY from 2000 to 2099',
  'the strike is not a plain positive number up to 1000000000 with at most 6 decimals and no zeros to drop',
  'the option type is not C or P',
];

const MAX_CHARS = 36;
const PERP_SUFFIX = '-PERP';
const ZERO = 48;

type PackedName = { underlyingLo: number; underlyingHi: number };
export type Terms = PackedName & { expiry: number; strike: number; kind: number };

export function createTerms(): Terms {
  return { underlyingLo: 0, underlyingHi: 0, expiry: 0, strike: 0, kind: PUT };
}

/** Returns SYMBOL_OK, or a fault for `symbolDetail`; `out` is then undefined. */
export function parseSymbol(text: string, out: Terms): number {
  if (text.length > MAX_CHARS) return WRONG_SHAPE;
  if (text.endsWith(PERP_SUFFIX)) return parsePerp(text, out);
  const first = text.indexOf('-');
  const second = text.indexOf('-', first + 1);
  const third = text.indexOf('-', second + 1);
  if (first < 0 || second <= first || third <= second || text.indexOf('-', third + 1) >= 0) return WRONG_SHAPE;
  if (!packName(text, first, out)) return WRONG_UNDERLYING;
  const day = dayOfText(text, first + 1, second);
  if (day < 0) return WRONG_EXPIRY;
  const strike = parseCanonical(text, second + 1, third);
  if (strike === 0) return WRONG_STRIKE;
  const type = third + 2 === text.length ? text[third + 1] : '';
  if (type !== 'C' && type !== 'P') return WRONG_TYPE;
  out.expiry = expiryOfDay(day);
  out.strike = strike;
  out.kind = type === 'C' ? CALL : PUT;
  return SYMBOL_OK;
}

function parsePerp(text: string, out: Terms): number {
  if (!packName(text, text.length - PERP_SUFFIX.length, out)) return WRONG_UNDERLYING;
  out.expiry = 0;
  out.strike = 0;
  out.kind = PERP;
  return SYMBOL_OK;
}

export function symbolDetail(fault: number): string {
  return DETAILS[fault];
}

export function formatSymbol(terms: Readonly<Terms>): string {
  const name = unpackUnderlying(terms.underlyingLo, terms.underlyingHi);
  if (terms.kind === PERP) return name + PERP_SUFFIX;
  return `${name}-${dateOfDay(dayOfTime(terms.expiry))}-${formatDecimal(terms.strike, DECIMALS)}-${terms.kind === CALL ? 'C' : 'P'}`;
}

export function underlyingOfPerp(symbol: string): string | null {
  return symbol.endsWith(PERP_SUFFIX) ? symbol.slice(0, -PERP_SUFFIX.length) : null;
}

export function packUnderlying(text: string, out: PackedName): boolean {
  return packName(text, text.length, out);
}

export function unpackUnderlying(lo: number, hi: number): string {
  let text = '';
  for (let at = 0; at < UNDERLYING_CHARS; at++) {
    const char = ((at < 4 ? lo : hi) >>> ((at & 3) * 8)) & 0xff;
    if (char === 0) break;
    text += String.fromCharCode(char);
  }
  return text;
}

function packName(text: string, to: number, out: PackedName): boolean {
  if (to < 1 || to > UNDERLYING_CHARS) return false;
  let lo = 0;
  let hi = 0;
  for (let at = 0; at < to; at++) {
    const char = text.charCodeAt(at);
    if (!isDigit(char) && !(char >= 65 && char <= 90)) return false;
    if (at < 4) lo |= char << (at * 8);
    else hi |= char << ((at - 4) * 8);
  }
  out.underlyingLo = lo >>> 0;
  out.underlyingHi = hi >>> 0;
  return true;
}

function isDigit(char: number): boolean {
  return char >= ZERO && char <= ZERO + 9;
}
