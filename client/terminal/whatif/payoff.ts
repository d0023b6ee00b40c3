// Profit or loss of positions over the index, at their first expiry and at any time and volatility before. By the core; floats of USDC, for
// curves only. What expires later keeps its own volatility.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { PPM } from '../../../core/settings.ts';
import { CONTRACT, USDC } from '../../../core/units.ts';
import { optionValue } from '../../../core/valuation/valuation.ts';
import type { AccountState } from '../../../shell/reader/account/simulated-account.ts';

/** 1e-6 contracts and micros, signed alike. `paid`: fees, micros. */
export type PayoffLeg = { readonly slot: number; readonly position: number; readonly cost: number; readonly paid: number };
type Moment = {
  /** ms; by default the time of the marks. */
  readonly time?: number;
  readonly volatilityShift?: number;
};
type PayoffSummary = {
  /** When `atExpiry` is; null without options. ms. */
  readonly expiry: number | null;
  readonly breakEvens: readonly number[];
  /** Null: without a bound. Never negative. */
  readonly largestLoss: number | null;
  readonly largestGain: number | null;
};

/** Where break-evens are looked for, multiples of the index. */
const LOWEST = 0.02;
const HIGHEST = 20;
const POINTS = 600;
const BISECTIONS = 60;

export class Payoff {
  readonly expiry: number | null;
  readonly #state: AccountState;
  readonly #underlying: number;
  readonly legs: readonly PayoffLeg[];

  constructor(state: AccountState, underlying: number, legs: readonly PayoffLeg[]) {
    const expiries = legs.filter(({ slot }) => state.instruments.kind[slot] !== PERP).map(({ slot }) => state.instruments.expiry[slot]!);
    this.#state = state;
    this.#underlying = underlying;
    this.legs = legs;
    this.expiry = expiries.length === 0 ? null : Math.min(...expiries);
  }

  at(spot: number, { time, volatilityShift = 0 }: Moment = {}): number {
    const { instruments, valuation } = this.#state;
    const marked = valuation.markedAt[this.#underlying]!;
    const when = time ?? marked;
    // A later settlement average is not known yet.
    const average = when === marked ? valuation.average[this.#underlying]! / USDC : 0;
    let profit = 0;
    for (const { cost, paid, position, slot } of this.legs) {
      const sigma = Math.max(0, valuation.sigma[slot]! / PPM + volatilityShift);
      const value = instruments.kind[slot] === PERP ? spot : optionValue(instruments, slot, spot, when, average, sigma);
      profit += position / CONTRACT * value - (cost + paid) / USDC;
    }
    return profit;
  }

  atExpiry(spot: number): number {
    return this.at(spot, this.expiry === null ? {} : { time: this.expiry });
  }

  summary(): PayoffSummary {
    const spots = this.#spots();
    const profits = spots.map((spot) => this.atExpiry(spot));
    const breakEvens: number[] = [];
    for (let i = 1; i < spots.length; i++) {
      const [before, after] = [profits[i - 1]!, profits[i]!];
      if (after === 0 && before !== 0) breakEvens.push(spots[i]!);
      else if (before * after < 0) breakEvens.push(this.#crossing(spots[i - 1]!, spots[i]!));
    }
    const slope = this.#slope();
    return {
      expiry: this.expiry, breakEvens,
      largestLoss: slope < 0 ? null : Math.max(0, -Math.min(...profits)), largestGain: slope > 0 ? null : Math.max(0, ...profits),
    };
  }

  /** With every strike, at which the profit at expiry bends. */
  #spots(): number[] {
    const { instruments, valuation } = this.#state;
    const index = valuation.markIndex[this.#underlying]! / USDC;
    const strikes = this.legs.filter(({ slot }) => instruments.kind[slot] !== PERP).map(({ slot }) => instruments.strike[slot]! / USDC);
    const step = (HIGHEST / LOWEST) ** (1 / POINTS);
    const grid = Array.from({ length: POINTS + 1 }, (_, i) => index * LOWEST * step ** i);
    // Beyond the highest strike it is a line: its zero lies within twice the range or nowhere that matters.
    return [...new Set([0, ...grid, ...strikes, 2 * Math.max(...grid, ...strikes)])].sort((a, b) => a - b);
  }

  #crossing(from: number, to: number): number {
    const isPositive = this.atExpiry(from) > 0;
    let [low, high] = [from, to];
    for (let i = 0; i < BISECTIONS && low < high; i++) {
      const middle = (low + high) / 2;
      if (this.atExpiry(middle) > 0 === isPositive) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  #slope(): number {
    const { kind } = this.#state.instruments;
    return this.legs.reduce((sum, { position, slot }) => (kind[slot] === CALL || kind[slot] === PERP ? sum + position : sum), 0);
  }
}
