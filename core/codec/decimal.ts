// Decimal text to integers of 1e-6 and back, without floats (decisions 2.3, 2.4). Text: ^[0-9]{1,20}(\.[0-9]{1,18})?$ Parsers return a
// positive integer or the first failing check's negated code. Price: malformed or zero, over 5 significant figures, more than 6 decimals,
// above 1e9. Size: malformed, zero after cutting to 6 decimals, above 1e9.

import { PRICE_DECIMALS, PRICE_FIGURES, PRICE_NOT_POSITIVE, PRICE_TOO_HIGH, SIZE_NOT_POSITIVE, SIZE_TOO_LARGE } from '../errors.ts';
import { MAX_ORDER_AMOUNT, MAX_PRICE, MAX_SIZE } from '../limits.ts';
import { mulDivCeil } from '../math/exact.ts';
import { CONTRACT } from '../units.ts';

export const DECIMALS = 6;
const MAX_FIGURES = 5;
const MAX_WHOLE_CHARS = 20;
const MAX_FRACTION_CHARS = 18;
const ZERO = 48;
const POINT = 46;
const POWERS_OF_TEN = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

export function isAmountTooLarge(price: number, size: number): boolean {
  return mulDivCeil(price, size, CONTRACT) > MAX_ORDER_AMOUNT;
}

/** Without leading and trailing zeros; 0 for zero and malformed text. */
export function significantFigures(text: string): number {
  const point = pointOf(text);
  return point < 0 ? 0 : figuresOf(text, 0, point, text.length);
}

/** Reads text[from, to). Returns 1 to 1e15, or a negated error code. */
export function parsePrice(text: string, from = 0, to = text.length): number {
  const point = pointWithin(text, from, to);
  if (point < 0) return -PRICE_NOT_POSITIVE;
  const figures = figuresOf(text, from, point, to);
  if (figures === 0) return -PRICE_NOT_POSITIVE;
  if (figures > MAX_FIGURES) return -PRICE_FIGURES;
  if (lastSignificant(text, from, to) > point + DECIMALS) return -PRICE_DECIMALS;
  const units = unitsOf(text, from, point, to);
  return units > MAX_PRICE ? -PRICE_TOO_HIGH : units;
}

/** Reads text[from, to) and cuts off decimals after the sixth. Returns 1 to 1e15, or a negated error code. */
export function parseSize(text: string, from = 0, to = text.length): number {
  const point = pointWithin(text, from, to);
  if (point < 0) return -SIZE_NOT_POSITIVE;
  const units = unitsOf(text, from, point, to);
  if (units === 0) return -SIZE_NOT_POSITIVE;
  return units > MAX_SIZE ? -SIZE_TOO_LARGE : units;
}

export function isDecimal(text: string, from: number, to: number): boolean {
  return pointWithin(text, from, to) >= 0;
}

export function isZero(text: string, from: number, to: number): boolean {
  return isDecimal(text, from, to) && lastSignificant(text, from, to) < 0;
}

/** Reads text[from, to) if it is written as `formatDecimal` writes it, up to 1e15. Returns 0 for all other text. */
export function parseCanonical(text: string, from: number, to: number): number {
  const point = pointWithin(text, from, to);
  if (point < 0 || to - point > DECIMALS + 1) return 0;
  if (text.charCodeAt(from) === ZERO && point !== from + 1) return 0;
  if (point < to && text.charCodeAt(to - 1) === ZERO) return 0;
  const units = unitsOf(text, from, point, to);
  return units > MAX_PRICE ? 0 : units;
}

/**
 * Writes an integer of 10^-decimals (0 to 15) without exponent and trailing zeros. Exact for safe integers; throws for NaN and Infinity.
 */
export function formatDecimal(value: number, decimals: number): string {
  const scale = POWERS_OF_TEN[decimals];
  const size = Math.abs(value);
  if (!(size < Infinity)) throw new RangeError(`${value} has no decimal text`);
  const whole = Math.floor(size / scale);
  let rest = size - whole * scale;
  let text = `${whole}`;
  if (rest !== 0) {
    let places = decimals;
    for (; rest % 10 === 0; places--) rest /= 10;
    text += `.${`${rest}`.padStart(places, '0')}`;
  }
  return value < 0 ? `-${text}` : text;
}

function pointOf(text: string): number {
  return pointWithin(text, 0, text.length);
}

function pointWithin(text: string, from: number, to: number): number {
  if (to - from > MAX_WHOLE_CHARS + 1 + MAX_FRACTION_CHARS) return -1;
  const point = endOfDigits(text, from, to);
  if (point === from || point - from > MAX_WHOLE_CHARS) return -1;
  if (point === to) return point;
  const fraction = to - point - 1;
  if (text.charCodeAt(point) !== POINT || fraction === 0 || fraction > MAX_FRACTION_CHARS) return -1;
  return endOfDigits(text, point + 1, to) === to ? point : -1;
}

function endOfDigits(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isDigit(text.charCodeAt(at))) at++;
  return at;
}

function isDigit(char: number): boolean {
  return char >= ZERO && char <= ZERO + 9;
}

function figuresOf(text: string, from: number, point: number, to: number): number {
  let first = from;
  while (first < to && !isSignificant(text.charCodeAt(first))) first++;
  const last = lastSignificant(text, from, to);
  if (last < 0) return 0;
  return last - first + (first < point && point < last ? 0 : 1);
}

function lastSignificant(text: string, from: number, to: number): number {
  let last = to - 1;
  while (last >= from && !isSignificant(text.charCodeAt(last))) last--;
  return last < from ? -1 : last;
}

function isSignificant(char: number): boolean {
  return char > ZERO && char <= ZERO + 9;
}

/** Later decimals are cut off. Above 1e15 the result is rounded, but stays above 1e15. */
function unitsOf(text: string, from: number, point: number, to: number): number {
  let units = 0;
  for (let at = from; at < point; at++) units = units * 10 + text.charCodeAt(at) - ZERO;
  for (let at = point + 1; at <= point + DECIMALS; at++) units = units * 10 + (at < to ? text.charCodeAt(at) - ZERO : 0);
  return units;
}
