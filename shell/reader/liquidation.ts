// The liquidation price of an account's positions in one underlying: the index nearest to the one of now at which equity
// equals maintenance margin, everything else fixed (decision 4.3). Marks at another index are Black-76 at the flat
// volatility and the time of the marks (margin.md, "Pricing and marks"); factors are the core's settings. Floats of USDC:
// an answer for display, good to a cent or better, never used to decide anything. Standard margin only.

import { CALL } from '../../core/codec/commands.ts';
import { optionPrice } from '../../core/pricing/black76.ts';
import { PPM, SHORT_OPTION_MAINTENANCE } from '../../core/settings.ts';
import { YEAR } from '../../core/units.ts';
import type { State } from '../../core/engine/state.ts';

/** The range looked at, as multiples of the index of now, and the steps taken to each side. */
const LOWEST = 0.01;
const HIGHEST = 10;
const STEPS = 48;
const HALVINGS = 40;

/** Signed contracts of one instrument. */
type Leg = { readonly slot: number; readonly quantity: number };

/**
 * Index price in 1e-6 USDC, or null when equity stays above maintenance from 0.01 to 10 times the index of now.
 * `rest` is equity less maintenance margin of the account without these legs, micros. Already at or below: the index of now.
 */
export function liquidationPrice(state: State, underlying: number, legs: readonly Leg[], rest: number): number | null {
  const spot = state.valuation.markIndex[underlying]! / 1e6;
  const excess = (index: number): number => rest / 1e6 + excessOf(state, underlying, legs, index);
  if (excess(spot) <= 0) return Math.round(spot * 1e6);
  const down = firstCrossing(excess, spot, LOWEST);
  const up = firstCrossing(excess, spot, HIGHEST);
  if (down === null && up === null) return null;
  const nearest = up === null || (down !== null && Math.log(spot / down) <= Math.log(up / spot)) ? down! : up;
  return Math.round(nearest * 1e6);
}

/** Walks from `spot` to `spot * factor` in equal ratios; bisects the first step at whose end the excess is gone. */
function firstCrossing(excess: (index: number) => number, spot: number, factor: number): number | null {
  const ratio = factor ** (1 / STEPS);
  for (let step = 1; step <= STEPS; step++) {
    let good = spot * ratio ** (step - 1);
    let bad = spot * ratio ** step;
    if (excess(bad) > 0) continue;
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (good + bad) / 2;
      if (excess(middle) > 0) good = middle;
      else bad = middle;
    }
    return bad;
  }
  return null;
}

/** Value less maintenance margin of the legs at an index, USDC. */
function excessOf(state: State, underlying: number, legs: readonly Leg[], index: number): number {
  const { instruments, settings, valuation } = state;
  const factor = settings.values[SHORT_OPTION_MAINTENANCE]! / PPM;
  const sigma = valuation.volatility[underlying]! / PPM;
  let total = 0;
  for (const { slot, quantity } of legs) {
    const isCall = instruments.kind[slot] === CALL;
    const years = Math.max(0, instruments.expiry[slot]! - valuation.markedAt[underlying]!) / YEAR;
    const mark = optionPrice(isCall, index, instruments.strike[slot]! / 1e6, years, sigma, 1);
    total += quantity * mark;
    if (quantity < 0) total += quantity * factor * (isCall ? index : Math.max(index, mark));
  }
  return total;
}
