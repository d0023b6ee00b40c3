// Arbitrary-precision exp, log, square root and normal distribution in BigInt, for vectors and comparisons in tests.
// Shares no code and no constant with core/math: plain power series on fixed-point numbers of BITS fractional bits, which
// leaves more than 50 correct digits even for exp(-745) and N(-38) (1e-316, cancelled down from 1/2). Slow on purpose, to stay simple.

/** Fractional bits of a fixed-point number. */
const BITS = 2_800n;
export const ONE = 1n << BITS;

/** mantissa * 2^exponent, exactly: any result of the oracle, and any double. */
export type Exact = { readonly mantissa: bigint; readonly exponent: number };

/** A finite double as the exact number it is. */
export function exactOf(value: number): Exact {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa: bits >> 63n === 1n ? -mantissa : mantissa, exponent: (biased === 0 ? 1 : biased) - 1075 };
}

/** Exact for every double. */
export function fixedOf(value: number): bigint {
  const { mantissa, exponent } = exactOf(value);
  return mantissa << (BITS + BigInt(exponent));
}

export function fixedToExact(value: bigint): Exact {
  return { mantissa: value, exponent: -Number(BITS) };
}

export function multiply(a: bigint, b: bigint): bigint {
  return (a * b) >> BITS;
}

export function divide(a: bigint, b: bigint): bigint {
  return (a << BITS) / b;
}

export function squareRoot(value: bigint): bigint {
  const target = value << BITS;
  if (target === 0n) return 0n;
  let root = 1n << BigInt(target.toString(2).length / 2 + 1 | 0);
  for (;;) {
    const next = (root + target / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** 2 * (s + s^3/3 + s^5/5 + ...) = log((1 + s) / (1 - s)). */
function doubleAtanh(s: bigint): bigint {
  const square = multiply(s, s);
  let power = s;
  let sum = 0n;
  for (let k = 1n; power !== 0n && power !== -1n; k += 2n) {
    sum += power / k;
    power = multiply(power, square);
  }
  return 2n * sum;
}

/** arctan(1 / n). */
function arctanOfInverse(n: bigint): bigint {
  let power = ONE / n;
  let sum = 0n;
  for (let k = 1n; power !== 0n; k += 2n) {
    sum += (k % 4n === 1n ? power : -power) / k;
    power /= n * n;
  }
  return sum;
}

const LN2 = doubleAtanh(ONE / 3n);
/** Machin 1706. */
const PI = 4n * (4n * arctanOfInverse(5n) - arctanOfInverse(239n));

/** exp of a fixed-point number: full relative precision at any size. */
export function expExact(value: bigint): Exact {
  const twos = (value + (value < 0n ? -LN2 : LN2) / 2n) / LN2;
  const rest = value - twos * LN2;
  let term = ONE;
  let sum = 0n;
  for (let k = 1n; term !== 0n && term !== -1n; k++) {
    sum += term;
    term = multiply(term, rest) / k;
  }
  return { mantissa: sum, exponent: Number(twos) - Number(BITS) };
}

/** log of mantissa * 2^exponent, above 0. */
export function logFixed({ mantissa, exponent }: Exact): bigint {
  const shift = mantissa.toString(2).length - 1;
  const scaled = (mantissa << BITS) >> BigInt(shift); // in [1, 2)
  const log = doubleAtanh(divide(scaled - ONE, scaled + ONE));
  return log + BigInt(shift + exponent) * LN2;
}

/** exp(-x^2 / 2) / sqrt(2 pi). */
export function normalPdfExact(x: bigint): Exact {
  const { mantissa, exponent } = expExact(-multiply(x, x) / 2n);
  return { mantissa: divide(mantissa, squareRoot(2n * PI)), exponent };
}

/** 1/2 + density * (x + x^3/3 + x^5/(3*5) + x^7/(3*5*7) + ...): no term cancels another. */
export function normalCdfFixed(x: bigint): bigint {
  const square = multiply(x, x);
  let term = x;
  let sum = 0n;
  for (let k = 3n; term !== 0n && term !== -1n; k += 2n) {
    sum += term;
    term = multiply(term, square) / k;
  }
  const { mantissa, exponent } = normalPdfExact(x);
  return ONE / 2n + shifted(mantissa * sum, exponent);
}

/** value * 2^places, towards minus infinity. */
function shifted(value: bigint, places: number): bigint {
  return places >= 0 ? value << BigInt(places) : value >> BigInt(-places);
}

/** 50 significant digits, "d.ddd...e-7". */
export function toDigits({ mantissa, exponent }: Exact): string {
  if (mantissa === 0n) return '0';
  const magnitude = mantissa < 0n ? -mantissa : mantissa;
  let decimal = Math.floor((magnitude.toString(2).length - 1 + exponent) * Math.log10(2));
  for (;;) {
    const digits = decimalDigits(magnitude, exponent, 49 - decimal).toString();
    if (digits.length === 50) return `${mantissa < 0n ? '-' : ''}${digits[0]}.${digits.slice(1)}e${decimal}`;
    decimal += digits.length - 50;
  }
}

/** magnitude * 2^exponent * 10^places, rounded to the nearest. */
function decimalDigits(magnitude: bigint, exponent: number, places: number): bigint {
  const ten = 10n ** BigInt(Math.abs(places));
  const numerator = 2n * magnitude * (places >= 0 ? ten : 1n) << BigInt(Math.max(0, exponent));
  const denominator = (places >= 0 ? 1n : ten) << BigInt(Math.max(0, -exponent));
  return (numerator / denominator + 1n) / 2n;
}

/** The exact value of a text of `toDigits`, to 2^-BITS relative. */
export function fromDigits(text: string): Exact {
  const [digits, power] = text.split('e');
  const places = Number(power ?? 0) - 49;
  const integer = BigInt(digits!.replace('.', ''));
  if (places >= 0) return { mantissa: integer * 10n ** BigInt(places), exponent: 0 };
  // Enough bits for the smallest subnormal to keep 50 digits.
  return { mantissa: (integer << BITS) / 10n ** BigInt(-places), exponent: -Number(BITS) };
}

/** |value - truth| in units of the last place of the double `value` (of the largest double when it overflowed). */
export function errorInUlps(value: number, truth: Exact): number {
  assertNumber(value);
  const own = exactOf(Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE);
  const lowest = Math.min(own.exponent, truth.exponent);
  const difference = shifted(own.mantissa, own.exponent - lowest) - shifted(truth.mantissa, truth.exponent - lowest);
  const magnitude = difference < 0n ? -difference : difference;
  // In 1/1024 units of 2^own.exponent, which is the last place.
  return Number(shifted(magnitude, 10 + lowest - own.exponent)) / 1024;
}

function assertNumber(value: number): void {
  if (Number.isNaN(value)) throw new RangeError('not a number');
}
