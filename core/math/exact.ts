// a * b / divisor rounded once, though a * b may need 106 bits. a is a safe integer, b one >= 0, divisor one >= 1; not checked. Result: a
// safe integer (never -0), or Infinity with a's sign beyond 2^53 - 1, which callers' bounds refuse. Without BigInt, which is slow. Source:
// T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971): a product as the exact sum of
// two doubles.

const MAX_SAFE = 9_007_199_254_740_991;
/** Above this estimate, which errs by less than 3, the quotient is beyond MAX_SAFE. */
const ESTIMATE_BOUND = 9_007_199_254_740_996;
/** 1 - 2^-50: more than three roundings can add. */
const BELOW = 1 - 1 / 1_125_899_906_842_624;
/** 2^27 + 1: Veltkamp's constant for 53-bit doubles. */
const SPLIT = 134_217_729;

/** From -(2^53 - 1) to 2^53 - 1, the range of a balance. False for NaN. */
export function isSafe(value: number): boolean {
  return value <= MAX_SAFE && value >= -MAX_SAFE;
}

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
 * a * b / divisor rounded up, for amounts >= 0 that are compared but never booked. Beyond the exact range it is right to a unit and a part
 * in 2^49.
 */
export function mulDivCeilWide(a: number, b: number, divisor: number): number {
  const exact = a <= MAX_SAFE && b <= MAX_SAFE && divisor <= MAX_SAFE ? quotient(a, b, divisor, 1) : Infinity;
  return exact < Infinity ? exact : Math.ceil(a * b / divisor);
}

/** a * b / divisor rounded down. Beyond the exact range it is never above the true quotient. */
export function mulDivFloorWide(a: number, b: number, divisor: number): number {
  const exact = a <= MAX_SAFE && b <= MAX_SAFE && divisor <= MAX_SAFE ? quotient(a, b, divisor, divisor) : Infinity;
  return exact < Infinity ? exact : Math.floor(a * b / divisor * BELOW);
}

/** a * b / divisor rounded to the nearest, half away from zero: a and -a give opposite results. */
export function mulDivHalfUp(a: number, b: number, divisor: number): number {
  const half = divisor - Math.floor(divisor / 2);
  return a < 0 ? 0 - quotient(-a, b, divisor, half) : quotient(a, b, divisor, half);
}

/** For non-negative numbers: plus one from remainder `roundUpFrom` on (divisor: never). */
function quotient(a: number, b: number, divisor: number, roundUpFrom: number): number {
  const product = a * b;
  if (product > MAX_SAFE) return splitQuotient(a, b, product, divisor, roundUpFrom);
  // Exact: below 2^53 the quotient is more than half a spacing below the next integer, so rounding cannot reach it.
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

/** `product` is a * b rounded. The remainder corrects the estimate; its sign and comparison with the divisor are exact. */
function wideQuotient(a: number, b: number, product: number, divisor: number, roundUpFrom: number): number {
  const estimate = product / divisor;
  if (estimate >= ESTIMATE_BOUND) return Infinity;
  const productLow = productError(a, b, product);
  let floor = Math.min(Math.floor(estimate), MAX_SAFE);
  for (;;) {
    // Both differences are exact: high (Sterbenz), low (both below 2^52). Their sum rounds once and keeps its order against 0 and
    // divisor.
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

/** Exactly a * b - product. */
function productError(a: number, b: number, product: number): number {
  const scaledA = SPLIT * a;
  const highA = scaledA - (scaledA - a);
  const lowA = a - highA;
  const scaledB = SPLIT * b;
  const highB = scaledB - (scaledB - b);
  const lowB = b - highB;
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;
}
