// The simulated index: a stochastic process per underlying, determined by a seed. It continues from the venue's last price and
// volatility. Prices in 1e-6 USDC; volatility, skew and curvature in 1e-6.

import { createRandom, type Random } from './random.ts';

const YEAR_SECONDS = 365 * 86_400;
const DAY_SECONDS = 86_400;
const DT = 1 / YEAR_SECONDS;

/**
 * With t in years and dt one second:
 *   d ln S = − σ²/2 dt + σ dW + pull · (ln home − ln S) dt + J dN       Merton (1976): diffusion and jumps
 *   σ = base · exp(fast + slow − E)                                     two factors: Chernov, Gallant, Ghysels, Tauchen (2003)
 *   d fast = − fast/τ dt + s √(2/τ) dB, slow likewise                   Ornstein-Uhlenbeck log volatility: Scott (1987)
 * Part of dW and dB is common to all underlyings; dB leans against dW (leverage: Black 1976, Heston 1993). E makes
 * the mean of σ² that of `volatility`, less the jumps. σ clusters over an hour (fast) and over days (slow) and is
 * nearly lognormal (Andersen, Bollerslev, Diebold, Ebens 2001). Jumps are Poisson, some common, with a Pareto tail of
 * exponent 3 (Gopikrishnan et al. 1998), and raise `fast` (Duffie, Pan, Singleton 2000). The pull keeps prices
 * plausible in the long run (Schwartz 1997). At-the-money volatility follows `slow` and a little of `fast`. Skew and
 * curvature of sigma(k) = atm + skew k + curvature k² are Ornstein-Uhlenbeck processes.
 */
type Model = {
  /** USDC. */
  readonly price: number;
  /** Yearly, jumps included. */
  readonly volatility: number;
  /** Factor on common jumps. */
  readonly beta: number;
  /** Means: volatility per unit of log-moneyness, and of its square. */
  readonly skew: number;
  readonly curvature: number;
};

// for tests: those of BTC and ETH are measured
export const SIMULATED: Readonly<Record<string, Model>> = {
  BTC: { price: 100_000, volatility: 0.6, beta: 1, skew: -0.12, curvature: 0.5 },
  ETH: { price: 3_500, volatility: 0.7, beta: 1.2, skew: -0.1, curvature: 0.6 },
};
/** For underlyings of the operator. */
const OTHER: Model = { price: 100, volatility: 0.8, beta: 1.2, skew: -0.08, curvature: 0.7 };

export function firstVolatility(name: string): number {
  return Math.round((SIMULATED[name] ?? OTHER).volatility * 1e6);
}

/** Correlation of each shock with the common one; of volatility with price; of volatility with its common part. */
const COMMON = 0.9;
const LEVERAGE = -0.3;
const COMMON_VOLATILITY = 0.8;
/** Per year, in the logarithm: half of the distance in a quarter. */
const PULL = 4 * Math.LN2;

type Factor = { readonly keep: number; readonly kick: number; readonly most: number };
const FAST = { halfLife: 1_800, deviation: 0.35 };
const SLOW = { halfLife: 7 * DAY_SECONDS, deviation: 0.2 };
const fastFactor = factorOf(FAST.halfLife, FAST.deviation, 4);
const slowFactor = factorOf(SLOW.halfLife, SLOW.deviation, 3);
const skewFactor = factorOf(2 * DAY_SECONDS, 0.05, 3);
const curvatureFactor = factorOf(2 * DAY_SECONDS, 0.1, 3);
const FAST_IN_ATM = 0.05;

/** Jumps per day, common and per underlying; sizes in the logarithm; what one adds to `fast`. */
const COMMON_JUMPS = 1;
const OWN_JUMPS = 2;
const MIN_JUMP = 0.004;
const MAX_JUMP = 0.1;
const TAIL = 3;
const JUMP_IN_FAST = 0.3;

const HOME_RANGE = 50;
const CENT = 10_000;
const MAX_PRICE = 1e14;

type Start = { readonly price: number; readonly volatility: number; readonly skew?: number; readonly curvature?: number };
type SimulatedPrice = {
  readonly underlying: number; readonly price: number; readonly volatility: number; readonly skew: number; readonly curvature: number;
};
type SimulatedMarket = {
  readonly step: () => void;
  readonly prices: () => SimulatedPrice[];
};

type Path = {
  readonly model: Model;
  readonly base: number;
  readonly logHome: number;
  readonly logLow: number;
  readonly logHigh: number;
  readonly tick: number;
  readonly slowMost: number;
  readonly nextJump: () => number;
  log: number;
  fast: number;
  slow: number;
  skew: number;
  curvature: number;
};

/** Exact for a step of one second. `halfLife` in seconds; `bound` in deviations. */
function factorOf(halfLife: number, deviation: number, bound: number): Factor {
  const keep = Math.exp(-Math.LN2 / halfLife);
  return { keep, kick: deviation * Math.sqrt(1 - keep * keep), most: bound * deviation };
}

function moved({ keep, kick, most }: Factor, value: number, shock: number): number {
  return clamp(value * keep + kick * shock, most);
}

function clamp(value: number, most: number): number {
  return Math.max(-most, Math.min(most, value));
}

function jumps(random: Random, perDay: number): () => number {
  const pause = (): number => -Math.log(1 - random.uniform()) * DAY_SECONDS / perDay;
  let left = pause();
  return () => {
    left -= 1;
    if (left > 0) return 0;
    left = pause();
    const size = Math.min(MAX_JUMP, MIN_JUMP * (1 - random.uniform()) ** (-1 / TAIL));
    return random.uniform() < 0.5 ? -size : size;
  };
}

const JUMP_SQUARE = TAIL * MIN_JUMP ** 2 * (1 - MIN_JUMP / MAX_JUMP) + MIN_JUMP ** 3 / MAX_JUMP;

function pathOf(name: string, start: Start, random: Random): Path {
  const model = SIMULATED[name] ?? OTHER;
  const home = SIMULATED[name] === undefined && start.price > 0 ? start.price / 1e6 : model.price;
  const log = start.price > 0 ? Math.log(start.price / 1e6) : Math.log(home);
  const slow = start.volatility > 0 ? Math.log(start.volatility / 1e6 / model.volatility) : 0;
  const jumpVariance = 365 * (OWN_JUMPS + COMMON_JUMPS * model.beta ** 2) * JUMP_SQUARE;
  return {
    model, base: Math.sqrt(model.volatility ** 2 - jumpVariance), logHome: Math.log(home),
    logLow: Math.min(log, Math.log(home / HOME_RANGE)), logHigh: Math.max(log, Math.log(home * HOME_RANGE)), tick: home >= 100 ? CENT : 1,
    slowMost: Math.max(slowFactor.most, Math.abs(slow)), nextJump: jumps(random, OWN_JUMPS),
    log, fast: 0, slow, skew: fraction(start.skew, model.skew), curvature: fraction(start.curvature, model.curvature),
  };
}

function fraction(known: number | undefined, mean: number): number {
  return known === undefined ? mean : known / 1e6;
}

export function simulatedMarket(names: readonly string[], start: readonly Start[], seed: number): SimulatedMarket {
  const random = createRandom(seed);
  const paths = names.map((name, at) => pathOf(name, start[at]!, random));
  const commonJump = jumps(random, COMMON_JUMPS);
  const own = Math.sqrt(1 - COMMON * COMMON);
  const step = (): void => {
    const shock = random.normal();
    const fastShock = random.normal();
    const slowShock = random.normal();
    const jump = commonJump();
    for (const path of paths) move(path, random, COMMON * shock + own * random.normal(), fastShock, slowShock, jump);
  };
  return { step, prices: () => paths.map(priceOf) };
}

function move(path: Path, random: Random, shock: number, fastShock: number, slowShock: number, commonJump: number): void {
  const sigma = path.base * Math.exp(path.fast + path.slow - FAST.deviation ** 2 - SLOW.deviation ** 2);
  const jump = path.nextJump() + path.model.beta * commonJump;
  const drift = PULL * (path.logHome - path.log) - sigma * sigma / 2;
  const log = path.log + drift * DT + sigma * Math.sqrt(DT) * shock + jump;
  path.log = Math.max(path.logLow, Math.min(path.logHigh, log));
  path.fast = moved(fastFactor, path.fast, volatilityShock(random, shock, fastShock));
  path.slow = clamp(path.slow * slowFactor.keep + slowFactor.kick * volatilityShock(random, shock, slowShock), path.slowMost);
  if (jump !== 0) path.fast = Math.min(fastFactor.most, path.fast + JUMP_IN_FAST);
  path.skew = path.model.skew + moved(skewFactor, path.skew - path.model.skew, random.normal());
  path.curvature = path.model.curvature + moved(curvatureFactor, path.curvature - path.model.curvature, random.normal());
}

const OWN_VOLATILITY = Math.sqrt(1 - COMMON_VOLATILITY * COMMON_VOLATILITY);
const WITHOUT_LEVERAGE = Math.sqrt(1 - LEVERAGE * LEVERAGE);

function volatilityShock(random: Random, shock: number, common: number): number {
  return LEVERAGE * shock + WITHOUT_LEVERAGE * (COMMON_VOLATILITY * common + OWN_VOLATILITY * random.normal());
}

function priceOf({ log, tick, model, fast, slow, skew, curvature }: Path, underlying: number): SimulatedPrice {
  return {
    underlying, price: Math.max(tick, Math.min(MAX_PRICE, Math.round(Math.exp(log) * 1e6 / tick) * tick)),
    volatility: Math.round(model.volatility * Math.exp(slow + FAST_IN_ATM * fast) * 1e6),
    skew: Math.round(skew * 1e6), curvature: Math.round(curvature * 1e6),
  };
}
