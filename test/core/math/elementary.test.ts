// core/math/elementary against 50-digit values: committed vectors, random points, exact cases, and a digest of its bits.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fc } from '../../support/fast-check.ts';
import { exp, log, normalCdf, normalPdf, pow } from '../../../core/math/elementary.ts';
import { ORACLE } from './generate.ts';
import { errorInUlps, fromDigits, toDigits } from './oracle.ts';

type Row = [...number[], string];
const vectors = JSON.parse(readFileSync(new URL('./vectors.json', import.meta.url), 'utf8')) as Record<string, Row[]>;

const FUNCTIONS: Record<string, (x: number, y: number) => number> = { exp, log, pow, normalPdf, normalCdf };
/** Bounds in units of the last place, as the head of the file under test states them. */
const BOUNDS: Record<string, (x: number, y: number) => number> = {
  exp: () => 1,
  log: () => 1,
  pow: (x, y) => 1 + 2 * Math.abs(y * Math.log(x)),
  normalPdf: () => 2.5,
  normalCdf: () => 8,
};

function argumentsOf(row: Row): [number, number] {
  return [row[0] as number, row.length === 3 ? row[1] as number : 0];
}

function assertNear(name: string, x: number, y: number, error: number): void {
  const bound = BOUNDS[name]!(x, y);
  assert.ok(error <= bound, `${name}(${x}, ${y}) is off by ${error} units, bound ${bound}`);
}

for (const name of Object.keys(FUNCTIONS)) {
  test(`${name}: every vector is within the error bound`, () => {
    assert.equal(vectors[name]!.length, 300);
    for (const row of vectors[name]!) {
      const [x, y] = argumentsOf(row);
      assertNear(name, x, y, errorInUlps(FUNCTIONS[name]!(x, y), fromDigits(row.at(-1) as string)));
    }
  });

  test(`${name}: the committed vectors equal those of the oracle`, () => {
    for (const row of vectors[name]!.filter((_, i) => i % 10 === 0)) {
      assert.equal(toDigits(ORACLE[name]!(...argumentsOf(row))), row.at(-1));
    }
  });
}

test('the oracle agrees with published digits', () => {
  assert.equal(toDigits(ORACLE['exp']!(1, 0)), '2.7182818284590452353602874713526624977572470937000e0');
  assert.equal(toDigits(ORACLE['log']!(2, 0)), '6.9314718055994530941723212145817656807550013436026e-1');
  assert.equal(toDigits(ORACLE['log']!(10, 0)), '2.3025850929940456840179914546843642076011014886288e0');
  assert.equal(toDigits(ORACLE['normalPdf']!(0, 0)), '3.9894228040143267793994605993438186847585863116493e-1');
  // Abramowitz and Stegun, table 26.2: Q(10) = 10^-23.11805, Q(37) = 10^-299.24218.
  assert.match(toDigits(ORACLE['normalCdf']!(-10, 0)), /^7\.6198530241605\d*e-24$/);
  assert.match(toDigits(ORACLE['normalCdf']!(-37, 0)), /^5\.725571\d*e-300$/);
});

const RANDOM: Record<string, fc.Arbitrary<[number, number]>> = {
  exp: only(fc.oneof(floats(-745, 709), floats(-1, 1), breakpoints())),
  log: only(fc.oneof(floats(5e-324, 1.7e308), floats(0.5, 2), floats(1e-4, 1e4))),
  pow: fc.tuple(floats(1e-3, 1e3), floats(-3, 3)),
  normalPdf: only(fc.oneof(floats(-37.5, 37.5), floats(-4, 4))),
  normalCdf: only(fc.oneof(floats(-37.5, 9), floats(-6, 6))),
};

function floats(min: number, max: number): fc.Arbitrary<number> {
  const uniform = fc.integer({ min: 0, max: 2 ** 40 }).map((i) => min + (max - min) * (i / 2 ** 40));
  return fc.oneof(fc.double({ min, max, noNaN: true }), uniform);
}

/** Next to where the reduction by multiples of ln 2 changes to the next multiple: there the remainder is largest. */
function breakpoints(): fc.Arbitrary<number> {
  return fc.tuple(fc.integer({ min: -1_074, max: 1_022 }), fc.integer({ min: -4, max: 4 }))
    .map(([k, ulps]) => (k + 0.5) * Math.LN2 * (1 + ulps * Number.EPSILON));
}

function only(values: fc.Arbitrary<number>): fc.Arbitrary<[number, number]> {
  return values.map((x) => [x, 0]);
}

for (const name of Object.keys(RANDOM)) {
  test(`${name}: random points are within the error bound`, () => {
    fc.assert(fc.property(RANDOM[name]!, ([x, y]) => {
      assertNear(name, x, y, errorInUlps(FUNCTIONS[name]!(x, y), ORACLE[name]!(x, y)));
    }), { numRuns: 400 });
  });
}

test('functions are exact at 0, at 1 and at the ends of their ranges, and give NaN for NaN', () => {
  assert.equal(exp(0), 1);
  assert.equal(exp(-0), 1);
  assert.equal(exp(709.7827128933841), Infinity);
  assert.equal(exp(Infinity), Infinity);
  assert.equal(exp(-745), 5e-324);
  assert.equal(exp(-745.1332191019413), 0);
  assert.equal(exp(-745.3), 0);
  assert.equal(exp(-Infinity), 0);
  assert.ok(Object.is(log(1), 0));
  assert.equal(log(0), -Infinity);
  assert.equal(log(Infinity), Infinity);
  assert.ok(Number.isNaN(log(-1)));
  assert.equal(pow(7, 0), 1);
  assert.equal(pow(1, 0.3), 1);
  assert.equal(normalCdf(0), 0.5);
  assert.equal(normalCdf(-Infinity), 0);
  assert.equal(normalCdf(Infinity), 1);
  assert.equal(normalCdf(-1e200), 0);
  assert.equal(normalPdf(Infinity), 0);
  assert.equal(normalPdf(-1e200), 0);
  for (const name of Object.keys(FUNCTIONS)) assert.ok(Number.isNaN(FUNCTIONS[name]!(NaN, 1)), name);
});

test('the normal distribution is symmetric, bounded and never falls; its density is even', () => {
  fc.assert(fc.property(floats(-40, 40), floats(1e-9, 1), (x, step) => {
    const value = normalCdf(x);
    assert.ok(value >= 0 && value <= 1);
    assert.ok(Math.abs(value + normalCdf(-x) - 1) <= 2.3e-16);
    assert.ok(normalCdf(x + step) >= value);
    assert.equal(normalPdf(x), normalPdf(-x));
  }), { numRuns: 20_000 });
});

test('the bits of 5 x 20,000 results have the recorded digest, which is the same on every JavaScript engine', () => {
  const words = new Uint32Array(2);
  const float = new Float64Array(words.buffer);
  let digest = 0x811c_9dc5;
  for (const name of Object.keys(FUNCTIONS)) {
    for (let i = 0; i < 20_000; i++) {
      const u = (i + 0.5) / 20_000;
      const x = name === 'log' || name === 'pow' ? 0.001 + 40 * u * u : 60 * u - 45;
      float[0] = FUNCTIONS[name]!(x, 0.3);
      for (const word of words) digest = Math.imul(digest ^ word, 0x0100_0193);
    }
  }
  assert.equal(digest >>> 0, 1_659_923_627);
});
