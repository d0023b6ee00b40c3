// Signed integers of two limbs for amounts that outgrow 2^53: house accounts (faucet, fees, fund, rounding) and control sums.
// Unit: micros (1e-6 USDC). A row i of a Float64Array is two elements: value = array[2i] * 2^40 + array[2i + 1] with
// 0 <= low < 2^40 and high a safe integer, so equal values have equal bytes (no -0) and a fresh array is all zeros.
// Range +-2^93 micros (1e22 USDC): 2^40 postings of the largest amount, so addition is not checked.
// Never a wallet's balance: those are one safe integer, checked at each posting. BigInt only in `wideToBigInt`, off the hot path.

import { assert } from '../assert.ts';

/** Elements of one row. */
export const WIDE_LIMBS = 2;
/** 2^40: the weight of the high limb. The sum of two low limbs and a carry stays far below 2^53. */
const BASE = 1_099_511_627_776;

/** Adds a safe integer of either sign to row `index`. */
export function addWide(array: Float64Array, index: number, micros: number): void {
  const at = WIDE_LIMBS * index;
  const high = Math.floor(micros / BASE);
  const sum = array[at + 1] + (micros - high * BASE);
  const carry = sum >= BASE ? 1 : 0;
  array[at] += high + carry;
  array[at + 1] = sum - carry * BASE;
  assert(array[at + 1] >= 0 && array[at + 1] < BASE, 'wide: the low limb lies within its base');
}

/**
 * Row `index` minus row `otherIndex` of `other` as one double: exact up to 2^53, rounded once beyond, so it compares
 * with every safe integer as the exact difference does.
 */
export function wideDifference(array: Float64Array, index: number, other: Float64Array, otherIndex: number): number {
  const high = array[WIDE_LIMBS * index] - other[WIDE_LIMBS * otherIndex];
  return high * BASE + (array[WIDE_LIMBS * index + 1] - other[WIDE_LIMBS * otherIndex + 1]);
}

/** Row `index`, not negative, over a count of 1 .. 4,096: to the nearest, a half up; 0 for a count of 0. */
export function wideMean(array: Float64Array, index: number, count: number): number {
  if (count === 0) return 0;
  const high = array[WIDE_LIMBS * index];
  const whole = Math.floor(high / count);
  // Below count * 2^40 + 2^40, so exact.
  const rest = (high - whole * count) * BASE + array[WIDE_LIMBS * index + 1];
  const part = Math.floor(rest / count);
  return whole * BASE + part + (2 * (rest - part * count) >= count ? 1 : 0);
}

/** The row's value in micros, for reports and audits. */
export function wideToBigInt(array: Float64Array, index: number): bigint {
  return BigInt(array[WIDE_LIMBS * index]) * BigInt(BASE) + BigInt(array[WIDE_LIMBS * index + 1]);
}
