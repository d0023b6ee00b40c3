// Prints test/core/pricing/vectors.json: 50-digit undiscounted Black-76 prices of the out-of-the-money option, from the BigInt oracle.
//   node test/core/pricing/generate.ts > test/core/pricing/vectors.json
// Rows are [forward, strike, years, sigma, 50 digits]; the inputs are the doubles as written.
import {
  ONE, divide, exactOf, fixedOf, fixedToExact, logFixed, multiply, normalCdfFixed, squareRoot, toDigits,
} from '../math/oracle.ts';

const POINTS = 240;

/** forward * N(d1) - strike * N(d2) for a call, the mirror for a put, in 50 digits. */
export function priceDigits(forward: number, strike: number, years: number, sigma: number): string {
  const deviation = multiply(fixedOf(sigma), squareRoot(fixedOf(years)));
  const centre = divide(logFixed(exactOf(forward)) - logFixed(exactOf(strike)), deviation);
  const side = forward <= strike ? ONE : -ONE;
  const d1 = multiply(side, centre + deviation / 2n);
  const d2 = multiply(side, centre - deviation / 2n);
  const price = multiply(fixedOf(forward), normalCdfFixed(d1)) - multiply(fixedOf(strike), normalCdfFixed(d2));
  return toDigits(fixedToExact(multiply(side, price)));
}

/** Marsaglia xorshift32, in [low, high). */
let state = 0x1234_5678;
function between(low: number, high: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return low + (high - low) * ((state >>> 0) / 2 ** 32);
}

/** Strikes from the money to 12 deviations away, years from seconds to ten, sigma from 1 % to 500 %. */
function point(i: number): number[] {
  const forward = 10 ** between(-1, 6);
  const years = 10 ** between(-7.5, 1);
  const sigma = 10 ** between(-2, 0.7);
  const away = i % 8 === 0 ? 0 : between(-1, 1) * [0.1, 1, 4, 12][i % 4]!;
  const strike = forward * Math.exp(Math.max(-9, Math.min(9, away * sigma * Math.sqrt(years))));
  return [forward, Number(strike.toPrecision(7)), years, sigma];
}

if (import.meta.main) {
  const rows = Array.from({ length: POINTS }, (_, i) => point(i))
    .map(([forward, strike, years, sigma]) => JSON.stringify(
      [forward, strike, years, sigma, priceDigits(forward!, strike!, years!, sigma!)],
    ));
  process.stdout.write(`[\n${rows.join(',\n')}\n]\n`);
}
