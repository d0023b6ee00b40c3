// Exact integers of the reference model: money, prices and sizes in millionths, as BigInt, so that no product overflows and every
// rounding is explicit. The direction of each rounding is that of decisions 2.4 and 2.6.

/** Millionths: of a contract, of a USDC, of a rate. */
export const MILLION = 1_000_000n;

/** The largest exact balance. */
export const EXACT = 2n ** 53n - 1n;

export const most = (first: bigint, ...others: bigint[]): bigint => others.reduce((best, one) => (one > best ? one : best), first);
export const least = (first: bigint, ...others: bigint[]): bigint => others.reduce((best, one) => (one < best ? one : best), first);
export const sizeOf = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** Up, towards plus infinity; `by` > 0. BigInt divides towards zero, so only a positive remainder is missing. */
export const up = (amount: bigint, by: bigint): bigint => amount / by + (amount % by > 0n ? 1n : 0n);

/** To the nearest, a half away from zero; `by` > 0. */
export const nearest = (amount: bigint, by: bigint): bigint =>
  (amount < 0n ? -1n : 1n) * ((2n * sizeOf(amount) + by) / (2n * by));

/** Towards zero, as specified for the cost of a closed part. */
export const towardsZero = (amount: bigint, by: bigint): bigint => amount / by;
