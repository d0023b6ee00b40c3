// Sizes and prices as the text that is signed. Text is sent unchanged. A number's shortest decimal text must be valid: nothing is rounded
// silently. The rules are the venue's (interface.md, Encodings).

import { StrikebookError } from './strikebook-error.ts';

export type Amount = string | number;

const PLAIN = /^[0-9]{1,20}(\.[0-9]{1,18})?$/;
const FIGURES = 5;
const DECIMALS = 6;
/** Floating-point error in a number of steps, at most 1e5. */
const STEP_NOISE = 1e-9;

/** Throws unless the size is positive and, as a number, has at most 6 decimals. */
export function sizeText(size: Amount): string {
  const text = plainText(size, 'Size');
  if (typeof size === 'number' && decimalsOf(text) > DECIMALS) throw invalid(`Size ${text} has more than ${DECIMALS} decimals`);
  return text;
}

/** Throws unless the price is positive, with at most 5 significant figures and 6 decimals. */
export function priceText(price: Amount): string {
  const text = plainText(price, 'Price');
  const figures = text.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length;
  if (figures > FIGURES) throw invalid(`Price ${text} has ${figures} significant figures, maximum allowed is ${FIGURES}`);
  if (decimalsOf(text) > DECIMALS) throw invalid(`Price ${text} has more than ${DECIMALS} decimals`);
  return text;
}

/** The nearest valid price in this direction. Throws if it would be 0. */
export function roundPrice(price: number, side: 'down' | 'up' | 'near'): string {
  if (!(price > 0) || price > 1e15) throw invalid(`Price ${price} must be greater than 0 and no more than 1e15`);
  const decimals = Math.min(DECIMALS, FIGURES - 1 - Number(price.toExponential().split('e')[1]));
  // Count in whole steps of the last figure, so that no step is lost to floating-point error.
  const scale = 10 ** Math.abs(decimals);
  const exact = decimals >= 0 ? price * scale : price / scale;
  const whole = Math.round(exact);
  const isWholeStep = whole > 0 && Math.abs(exact - whole) < STEP_NOISE;
  const steps = isWholeStep || side === 'near' ? whole : side === 'up' ? Math.ceil(exact) : Math.floor(exact);
  return priceText(decimals >= 0 ? trimmed((steps / scale).toFixed(decimals)) : String(BigInt(steps) * BigInt(scale)));
}

function plainText(amount: Amount, name: string): string {
  const text = typeof amount === 'string' ? amount : numberText(amount);
  if (!PLAIN.test(text) || !/[1-9]/.test(text)) throw invalid(`${name} must be greater than 0`, amount);
  return text;
}

/** The shortest text that reads back as this number, without exponent. */
function numberText(value: number): string {
  if (!Number.isFinite(value) || value <= 0) return '';
  const text = String(value);
  return text.includes('e') ? trimmed(value.toFixed(18)) : text;
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function decimalsOf(text: string): number {
  return text.includes('.') ? text.replace(/0+$/, '').length - text.indexOf('.') - 1 : 0;
}

function invalid(message: string, details: unknown = null): StrikebookError {
  return new StrikebookError('invalid_argument', message, { details });
}
