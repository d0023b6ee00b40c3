// Seeded random numbers for the simulated feed: sfc32 (C. Doty-Humphrey, PractRand, public domain); normal deviates by
// Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958). Never for keys or ids.

export type Random = {
  /** In [0, 1), a multiple of 2^-32. */
  readonly uniform: () => number;
  /** Mean 0, variance 1. */
  readonly normal: () => number;
};

const MIXING = 16;

export function createRandom(seed: number): Random {
  let [a, b, c, counter] = [0, seed | 0, 0x9e3779b9 | 0, 1];
  let spare = NaN;
  const uniform = (): number => {
    const out = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + out) | 0;
    return (out >>> 0) / 4_294_967_296;
  };
  const normal = (): number => {
    if (!Number.isNaN(spare)) {
      const kept = spare;
      spare = NaN;
      return kept;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
  for (let i = 0; i < MIXING; i++) uniform();
  return { uniform, normal };
}
