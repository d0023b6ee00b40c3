// The range in which integers are exact, and a * b / divisor rounded to one, exact although a * b may need 106 bits: premiums,
// fees, funding, partial closes.
// Units are the caller's (integer price * integer size / 1e6 = micros). The direction of rounding is in the name.
// Source: T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971): a product
// of doubles as the exact sum of two doubles (Veltkamp's split at 27 bits), so that a remainder is exact where it decides.
// Never BigInt (called several times per order), never allocation, never an exception.
//
// Arguments of a quotient: a a safe integer of either sign, b a safe integer >= 0, divisor a safe integer >= 1; not checked here.
// Answer: a safe integer (never -0), or Infinity with the sign of a when the true result is beyond 2^53 - 1: a bound of the
// caller (`amount > MAX`, `!Number.isSafeInteger(amount)`) refuses it like any other amount that is too large.

const MAX_SAFE = 9_007_199_254_740_991;
/** Above this estimate the true quotient is beyond MAX_SAFE: the estimate errs by less than 3. */
const ESTIMATE_BOUND = 9_007_199_254_740_996;
/** 1 - 2^-50: more than three roundings can add. */
const BELOW = 1 - 1 / 1_125_899_906_842_624;
/** 2^27 + 1, Veltkamp's constant for 53-bit doubles. */
const SPLIT = 134_217_729;

/** True from -(2^53 - 1) to 2^53 - 1, where integers are exact: what a balance may be. False for NaN. */
export function isSafe(value: number): boolean {
  return value <= MAX_SAFE && value >= -MAX_SAFE;
}

/** The value, or the end of that range which it is beyond. */
export function clampSafe(value: number): number {
  return Math.max(-MAX_SAFE, Math.min(MAX_SAFE, value));
}

/** Towards minus infinity. */
export function mulDivFloor(a: number, b: number, divisor: number): number {
  return a < 0 ? 0 - quotient(-a, b, divisor, 1) : quotient(a, b, divisor, divisor);
}

/** Towards plus infinity. */
export function mulDivCeil(a: number, b: number, divisor: number): number {
  return a < 0 ? 0 - quotient(-a, b, divisor, divisor) : quotient(a, b, divisor, 1);
}

/**
 * Of what is weighed and never booked, and not negative: the same where nothing leaves the exact range. Arguments may be beyond it; an
 * answer that is, or is of such arguments, is the true one to a unit and a part in 2^49, and not Infinity.
 */
export function weighUp(a: number, b: number, divisor: number): number {
  const exact = a <= MAX_SAFE && b <= MAX_SAFE && divisor <= MAX_SAFE ? quotient(a, b, divisor, 1) : Infinity;
  return exact < Infinity ? exact : Math.ceil(a * b / divisor);
}

/** The same towards minus infinity: beyond the exact range never more than the true quotient. */
export function weighDown(a: number, b: number, divisor: number): number {
  const exact = a <= MAX_SAFE && b <= MAX_SAFE && divisor <= MAX_SAFE ? quotient(a, b, divisor, divisor) : Infinity;
  return exact < Infinity ? exact : Math.floor(a * b / divisor * BELOW);
}

/** To the nearest, a half away from zero: the results for a and -a are opposite. */
export function mulDivHalfUp(a: number, b: number, divisor: number): number {
  const half = divisor - Math.floor(divisor / 2);
  return a < 0 ? 0 - quotient(-a, b, divisor, half) : quotient(a, b, divisor, half);
}

/** The quotient of non-negative numbers, one more when the remainder reaches `roundUpFrom` (divisor: never). */
function quotient(a: number, b: number, divisor: number, roundUpFrom: number): number {
  const product = a * b;
  if (product > MAX_SAFE) return splitQuotient(a, b, product, divisor, roundUpFrom);
  // Exact: with product < 2^53 a quotient below an integer k is below it by more than half a spacing, so it is not rounded to k.
  const floor = Math.floor(product / divisor);
  return product - floor * divisor >= roundUpFrom ? floor + 1 : floor;
}

/** a = whole * divisor + part: whole * b needs no division, and part * b is mostly below 2^53 (price * size: below 9,000 contracts). */
function splitQuotient(a: number, b: number, product: number, divisor: number, roundUpFrom: number): number {
  const whole = Math.floor(a / divisor);
  const part = a - whole * divisor;
  const partProduct = part * b;
  if (partProduct > MAX_SAFE) return wideQuotient(a, b, product, divisor, roundUpFrom);
  const floor = Math.floor(partProduct / divisor);
  const rounded = whole * b + (partProduct - floor * divisor >= roundUpFrom ? floor + 1 : floor);
  return rounded > MAX_SAFE ? Infinity : rounded;
}

/** `product` is a * b rounded. The estimate is put right by its remainder, whose sign and comparison with the divisor are exact. */
function wideQuotient(a: number, b: number, product: number, divisor: number, roundUpFrom: number): number {
  const estimate = product / divisor;
  if (estimate >= ESTIMATE_BOUND) return Infinity;
  const productLow = productError(a, b, product);
  let floor = Math.min(Math.floor(estimate), MAX_SAFE);
  for (;;) {
    // floor * divisor is near the product, so the high difference is exact (Sterbenz), the low one too (both below 2^52);
    // their sum is rounded once, which keeps its order against the integers 0 and divisor.
    const back = floor * divisor;
    const remainder = product - back + (productLow - productError(floor, divisor, back));
    if (remainder < 0) floor -= 1;
    else if (remainder >= divisor) floor += 1;
    else {
      const rounded = remainder >= roundUpFrom ? floor + 1 : floor;
      return rounded > MAX_SAFE ? Infinity : rounded;
    }
    if (floor > MAX_SAFE) return Infinity;
  }
}

/** a * b - product exactly, where product is a * b rounded. */
function productError(a: number, b: number, product: number): number {
  const scaledA = SPLIT * a;
  const highA = scaledA - (scaledA - a);
  const lowA = a - highA;
  const scaledB = SPLIT * b;
  const highB = scaledB - (scaledB - b);
  const lowB = b - highB;
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;
}
