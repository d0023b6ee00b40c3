// Accepted values, for refusals whose fixed text does not name them; sent as `hint` in errors, bulk items and results.

import { INVALID_PRICE, PRICE_NOT_POSITIVE, SIZE_NOT_POSITIVE } from '../../core/errors.ts';

const DIGITS = 'plain decimal text: 1 to 20 digits, then optionally a point and 1 to 18 digits, without sign, exponent or blanks';

const HINTS = {
  size: `size is ${DIGITS}; at least 0.000001`,
  price: `price is ${DIGITS}; at least 0.000001, at most 5 significant figures`,
} as const;

export function hintOfCode(code: number): { readonly hint: string } | undefined {
  switch (code) {
    case SIZE_NOT_POSITIVE: return { hint: HINTS.size };
    case PRICE_NOT_POSITIVE: case INVALID_PRICE: return { hint: HINTS.price };
    default: return undefined;
  }
}

export function hintOfField(name: string): { readonly hint: string } | undefined {
  return name === 'size' || name === 'price' ? { hint: HINTS[name] } : undefined;
}

export function hintIn(extra: object | undefined): { readonly hint?: unknown } {
  return extra !== undefined && 'hint' in extra ? { hint: extra.hint } : {};
}
