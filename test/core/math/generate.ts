// Prints test/core/math/vectors.json: 50-digit values of exp, log, pow and the normal density and distribution from the BigInt oracle.
//   node test/core/math/generate.ts > test/core/math/vectors.json
// The points are fixed: edges by hand, the rest from a seeded generator. Rows are [arguments..., 50 digits].
import {
  exactOf, expExact, fixedOf, fixedToExact, logFixed, multiply, normalCdfFixed, normalPdfExact, toDigits, type Exact,
} from './oracle.ts';

export const ORACLE: Readonly<Record<string, (x: number, y: number) => Exact>> = {
  exp: (x) => expExact(fixedOf(x)),
  log: (x) => fixedToExact(logFixed(exactOf(x))),
  pow: (x, y) => expExact(multiply(logFixed(exactOf(x)), fixedOf(y))),
  normalPdf: (x) => normalPdfExact(fixedOf(x)),
  normalCdf: (x) => fixedToExact(normalCdfFixed(fixedOf(x))),
};

const POINTS = 300;
/** Marsaglia xorshift32, in [0, 1). */
let state = 0x9e37_79b9;
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32 + 2 ** -33;
}

function between(low: number, high: number): number {
  return low + (high - low) * random();
}

/** A number of either sign whose logarithm is uniform. */
function spread(lowPower: number, highPower: number): number {
  return (random() < 0.5 ? -1 : 1) * 2 ** between(lowPower, highPower);
}

function neighbours(value: number): number[] {
  return [value * (1 - 2 ** -53), value, value * (1 + 2 ** -52)];
}

function fill(edges: readonly number[], draw: (i: number) => number): number[][] {
  const points = edges.map((x) => [x]);
  for (let i = 0; points.length < POINTS; i++) points.push([draw(i)]);
  return points;
}

function points(): Record<string, number[][]> {
  const ln2 = Math.LN2;
  return {
    exp: fill(
      [0, 1, -1, 5e-324, -5e-324, 2 ** -54, -(2 ** -53), 709.782712893384, 709, -708.3964185322641, -708.4, -709, -744, -745.1332191019411,
        ...[0.5, -0.5, 1.5, -1.5, 7.5, 1000.5, -1000.5].flatMap((k) => neighbours(k * ln2)),
        // The breakpoints with the largest errors: 0.90, 0.88 and 0.88 units of the last place.
        -590.2148242467931, -255.4247360363397, -3.119162312519754],
      (i) => [between(-745, 709), between(-1, 1), between(-20, 5), spread(-60, 0)][i % 4]!,
    ),
    log: fill(
      [1, 2, 0.5, 10, Number.MIN_VALUE, 1e-310, 2 ** -1022, Number.MAX_VALUE,
        ...[1, Math.SQRT2, Math.SQRT1_2, 2 * Math.SQRT2].flatMap(neighbours)],
      (i) => [2 ** between(-1074, 1023.99), between(0.5, 2), 1 + spread(-50, -3), between(0.01, 100)][i % 4]!,
    ),
    pow: fill([], (i) => [30 / Math.ceil(between(0, 400)), between(0.01, 100), 2 ** between(-60, 60)][i % 3]!)
      .map(([base], i) => [base!, i % 3 === 0 ? [0.3, 0.13][i % 2]! : between(-3, 3)]),
    normalPdf: fill([0, 1, -1, 38, -38, 1e-9], (i) => [between(-37.5, 37.5), between(-3, 3), spread(-40, 0)][i % 3]!),
    normalCdf: fill(
      [0, 1, -1, 5, 8.2, 9, 37, -37, -37.5, 1e-300,
        ...[0.66291, -0.66291, 5.656854249492381, -5.656854249492381].flatMap(neighbours)],
      (i) => [between(-37.5, 0), between(-6, 6), between(-9, 9), spread(-40, 0)][i % 4]!,
    ),
  };
}

function main(): void {
  const functions = Object.entries(points()).map(([name, rows]) => {
    const lines = rows.map((row) => JSON.stringify([...row, toDigits(ORACLE[name]!(row[0]!, row[1] ?? 0))]));
    return `${JSON.stringify(name)}: [\n${lines.join(',\n')}\n]`;
  });
  process.stdout.write(`{\n${functions.join(',\n')}\n}\n`);
}

if (import.meta.main) main();
