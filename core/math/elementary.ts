// exp, log, pow, normal density and distribution from + - * / in a fixed order, so every engine gives the same bits (Math.exp may
// differ). Never throws or allocates; NaN in, NaN out. Error bounds in ulp (test/core/math, in brackets the largest seen; normalCdf on
// [-37.5, 9]):
//   exp 1 (0.91)   log 1 (0.76)   normalPdf 2.5 (1.9)   normalCdf 8 (6.1)   pow 1 + 2 * |exponent * log(base)|
// Sources: W. J. Cody, W. Waite, "Software Manual for the Elementary Functions" (1980): reduction by ln 2 in two parts; K. C. Ng,
// fdlibm e_exp.c, e_log.c (1993): order of the last additions; Taylor and atanh series. W. J. Cody, Math. Comp. 23 (1969) 631-637, n =
// 4, 8, 5: distribution, sqrt(2) in the coefficients (erfc(y), y = x / sqrt(2)). T. J. Dekker, Numer. Math. 18 (1971): exact square.

/** Two parts: the high one has 21 bits, so its product with an exponent is exact. */
const LN2_HIGH = 0.6931467056274414;
const LN2_LOW = 4.7493250390316726e-7;
const INVERSE_LN2 = 1.4426950408889634;
const INVERSE_SQRT_2PI = 0.3989422804014327;
/** Above, exp overflows; below the next, it is under half the smallest double. */
const EXP_OVERFLOW = 709.782712893384;
const EXP_UNDERFLOW = -745.2;
/** Beyond, density and lower tail are below the smallest double. */
const TAIL_END = 38.6;
/** 2^27 + 1: Veltkamp's constant for 53-bit doubles. */
const SPLIT = 134_217_729;
const LOWEST_EXPONENT = -1022;
const POWERS_OF_TWO = powersOfTwo();
/** One double and its words, low word first. */
const scratch = doubleAndWords();

function doubleAndWords(): { readonly double: Float64Array; readonly words: Uint32Array } {
  const double = new Float64Array(1);
  return { double, words: new Uint32Array(double.buffer) };
}

export function exp(x: number): number {
  return expOfSum(x, 0);
}

/** -Infinity at 0, NaN below. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? -Infinity : NaN;
  if (x === Infinity) return x;
  // Keeps the power of two below within range.
  const scale = x < 1e-300 ? 54 : x > 1e300 ? -54 : 0;
  const normal = x * POWERS_OF_TWO[scale - LOWEST_EXPONENT];
  scratch.double[0] = normal;
  // normal = 2^binade * (1 + f), 1 + f between sqrt(1/2) and sqrt(2).
  const binade = ((scratch.words[1] + 0x9_5f64) >>> 20) - 1023;
  const exponent = binade - scale;
  const f = normal * POWERS_OF_TWO[-binade - LOWEST_EXPONENT] - 1;
  // log(1 + f) = 2 atanh(s) = 2s + s * (2/3 s^2 + 2/5 s^4 + ...), s = f / (2 + f), |s| < 0.172.
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const odd = 2 / 3 + w * (2 / 7 + w * (2 / 11 + w * (2 / 15 + w * (2 / 19))));
  const even = 2 / 5 + w * (2 / 9 + w * (2 / 13 + w * (2 / 17 + w * (2 / 21))));
  const series = z * odd + w * even;
  const half = 0.5 * f * f;
  return exponent * LN2_HIGH - (half - (s * (half + series) + exponent * LN2_LOW) - f);
}

/** `base` > 0. */
export function pow(base: number, exponent: number): number {
  return expOfSum(exponent * log(base), 0);
}

export function normalPdf(x: number): number {
  return INVERSE_SQRT_2PI * expOfHalfSquare(x);
}

/** The lower tail keeps its relative accuracy. */
export function normalCdf(x: number): number {
  const y = Math.abs(x);
  if (y <= 0.66291) return centre(x);
  const tail = expOfHalfSquare(y) * (y <= 5.656854249492381 ? middleRatio(y) : outerRatio(y));
  return x > 0 ? 1 - tail : tail;
}

/** exp(high + low), |low| far below 1. */
function expOfSum(high: number, low: number): number {
  if (!(high <= EXP_OVERFLOW)) return high > 0 ? Infinity : NaN;
  if (high < EXP_UNDERFLOW) return 0;
  const exponent = Math.round(high * INVERSE_LN2);
  // r = rHigh - rLow, |r| < 0.347, exp(r) = 1 + r + r^2 / 2 + ... + r^13 / 13!.
  const rHigh = high - exponent * LN2_HIGH;
  const rLow = exponent * LN2_LOW - low;
  const r = rHigh - rLow;
  const z = r * r;
  const even = 1 / 2 + z * (1 / 24 + z * (1 / 720 + z * (1 / 40_320 + z * (1 / 3_628_800 + z * (1 / 479_001_600)))));
  const odd = 1 / 6 + z * (1 / 120 + z * (1 / 5_040 + z * (1 / 362_880 + z * (1 / 39_916_800 + z * (1 / 6_227_020_800)))));
  return scaled(1 + (rHigh - (rLow - z * (even + r * odd))), exponent);
}

/** value * 2^exponent, rounded once. `value` is near 1. */
function scaled(value: number, exponent: number): number {
  if (exponent > 1023) return value * 2 * POWERS_OF_TWO[1023 - LOWEST_EXPONENT];
  // The first product is exact, even if the result is subnormal.
  if (exponent <= LOWEST_EXPONENT) return value * POWERS_OF_TWO[exponent + 64 - LOWEST_EXPONENT] * 5.421010862427522e-20;
  return value * POWERS_OF_TWO[exponent - LOWEST_EXPONENT];
}

function powersOfTwo(): Float64Array {
  const powers = new Float64Array(1024 - LOWEST_EXPONENT);
  powers[-LOWEST_EXPONENT] = 1;
  for (let i = 1; i <= 1023; i++) powers[i - LOWEST_EXPONENT] = powers[i - 1 - LOWEST_EXPONENT] * 2;
  for (let i = -1; i >= LOWEST_EXPONENT; i--) powers[i - LOWEST_EXPONENT] = powers[i + 1 - LOWEST_EXPONENT] / 2;
  return powers;
}

/** exp(-x^2 / 2). The square is exact, in two parts: its rounding error would cost 700 ulp at x = -37. */
function expOfHalfSquare(x: number): number {
  if (x > TAIL_END || x < -TAIL_END) return 0;
  const scaledX = SPLIT * x;
  const high = scaledX - (scaledX - x);
  const low = x - high;
  const square = x * x;
  const error = high * high - square + 2 * high * low + low * low;
  return expOfSum(-0.5 * square, -0.5 * error);
}

/** For |x| <= 0.663. */
function centre(x: number): number {
  const z = x * x;
  const numerator = 18154.98125334356 + z * (1067.6894854603709 + z * (161.02823106855587
    + z * (2.2352520354606837 + z * 0.06568233791820745)));
  const denominator = 45507.78933502673 + z * (10260.932208618979 + z * (976.0985517377767 + z * (47.202581904688245 + z)));
  return 0.5 + x * (numerator / denominator);
}

/** Upper tail over exp(-x^2 / 2), 0.663 <= x <= sqrt(32). */
function middleRatio(x: number): number {
  const numerator = 9842.714838383978 + x * (11602.65143764735 + x * (6848.190450536283 + x * (2494.5375852903726
    + x * (597.2702763948002 + x * (93.50665613217785 + x * (8.883149794388377 + x * (0.39894151208813466
    + x * 1.0765576773720192e-8)))))));
  const denominator = 19685.429676859992 + x * (38912.00328609327 + x * (34900.95272114598 + x * (18615.571640885097
    + x * (6485.558298266761 + x * (1519.3775994075547 + x * (235.387901782625 + x * (22.266688044328117 + x)))))));
  return numerator / denominator;
}

/** Upper tail over exp(-x^2 / 2), x >= sqrt(32). */
function outerRatio(x: number): number {
  const z = 1 / (x * x);
  const numerator = 0.0009316119984374014 + z * (0.04549181418329259 + z * (0.7115288918607938
    + z * (4.076837157127915 + z * (6.908753089854624 + z * 0.7383501364780856))));
  const denominator = 0.0023352049762686918 + z * (0.12103668262488264 + z * (2.111620411805714
    + z * (14.983622799387684 + z * (41.096323076637155 + z * 32))));
  return (INVERSE_SQRT_2PI - z * (numerator / denominator)) / x;
}
