// The simulated index feed: a seeded, correlated random walk, one price a second for each underlying. It goes on from
// the price it is given (after a restart, the venue's last one), so an index never jumps because the process did.
// Prices are integers of 1e-6 USDC, rounded to cents; volatility is a fraction times 1e6. Not state: each price enters as a
// command, and a replay needs no feed.

const YEAR_SECONDS = 365 * 86_400;
/** Correlation of each underlying with the common factor. */
const COMMON = 0.8;
const CENT = 10_000;

/** What the walk starts from where the venue has no price yet: USDC and yearly volatility. */
export const SIMULATED: Readonly<Record<string, { readonly price: number; readonly volatility: number }>> = {
  BTC: { price: 100_000, volatility: 0.6 },
  ETH: { price: 3_500, volatility: 0.7 },
};

type SimulatedPrice = { readonly underlying: number; readonly price: number; readonly volatility: number };

/** mulberry32 (T. Ettinger, public domain): 32 bits of state are plenty for a test price. */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Normal deviates by Box and Muller (1958). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A walk over the named underlyings from `start` (price units; 0: the simulation's own). Each call is one second on. */
export function simulatedWalk(names: readonly string[], start: readonly number[], seed: number): () => SimulatedPrice[] {
  const random = uniform(seed);
  const prices = names.map((name, at) => (start[at]! > 0 ? start[at]! : (SIMULATED[name]?.price ?? 100) * 1e6));
  return () => {
    const common = normal(random);
    return names.map((name, underlying) => {
      const volatility = SIMULATED[name]?.volatility ?? 0.8;
      const shock = COMMON * common + Math.sqrt(1 - COMMON * COMMON) * normal(random);
      const step = volatility / Math.sqrt(YEAR_SECONDS);
      const moved = prices[underlying]! * Math.exp(step * shock - step * step / 2);
      prices[underlying] = Math.max(CENT, Math.min(1e14, Math.round(moved / CENT) * CENT));
      return { underlying, price: prices[underlying]!, volatility: Math.round(volatility * 1e6) };
    });
  };
}
