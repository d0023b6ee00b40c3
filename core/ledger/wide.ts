// Signed two-limb integers for sums beyond 2^53. Row i is array[2i] * 2^40 + array[2i + 1], 0 <= low < 2^40, high a safe integer. Equal
// values have equal bytes; a fresh array is zero. Range +-2^93: 2^40 of the largest postings, so additions are not checked.

import { assert } from '../assert.ts';

export const WIDE_LIMBS = 2;
/** Two low limbs and a carry stay far below 2^53. */
const BASE = 1_099_511_627_776;

/** `micros` is a safe integer. */
export function addWide(array: Float64Array, index: number, micros: number): void {
  const at = WIDE_LIMBS * index;
  const high = Math.floor(micros / BASE);
  const sum = array[at + 1] + (micros - high * BASE);
  const carry = sum >= BASE ? 1 : 0;
  array[at] += high + carry;
  array[at + 1] = sum - carry * BASE;
  assert(array[at + 1] >= 0 && array[at + 1] < BASE, 'wide: the low limb lies within its base');
}

/** Exact up to 2^53, rounded once beyond, so comparisons with safe integers are right. */
export function wideDifference(array: Float64Array, index: number, other: Float64Array, otherIndex: number): number {
  const high = array[WIDE_LIMBS * index] - other[WIDE_LIMBS * otherIndex];
  return high * BASE + (array[WIDE_LIMBS * index + 1] - other[WIDE_LIMBS * otherIndex + 1]);
}

/** The wide number at `index`, which must be >= 0, divided by `count` (1 to 4,096) and rounded half up. */
export function wideMean(array: Float64Array, index: number, count: number): number {
  if (count === 0) return 0;
  const high = array[WIDE_LIMBS * index];
  const whole = Math.floor(high / count);
  // Below count * 2^40 + 2^40, so exact.
  const rest = (high - whole * count) * BASE + array[WIDE_LIMBS * index + 1];
  const part = Math.floor(rest / count);
  return whole * BASE + part + (2 * (rest - part * count) >= count ? 1 : 0);
}

export function wideToBigInt(array: Float64Array, index: number): bigint {
  return BigInt(array[WIDE_LIMBS * index]) * BigInt(BASE) + BigInt(array[WIDE_LIMBS * index + 1]);
}
