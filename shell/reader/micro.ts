// Amounts of the core, integers in 1e-6, as plain decimals without trailing zeros (decision 6.10). Runs in a browser too.

import { DECIMALS, formatDecimal } from '../../core/codec/decimal.ts';
import { isSafe } from '../../core/math/exact.ts';

export function micro(value: number): string {
  return formatDecimal(value, DECIMALS);
}

/** Null beyond the exact range or for NaN. */
export function microOrNull(value: number): string | null {
  return isSafe(value) ? micro(value) : null;
}
