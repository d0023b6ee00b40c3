// The liquidation price of an account's positions in one underlying: the index nearest to the one of now at which equity
// equals maintenance margin, everything else fixed (decision 4.3). Marks at another index are the formula's at the surface's
// volatility and the time of the marks, as far from it as they are now (margin.md, "Pricing and marks"); factors are the core's
// settings. Floats of USDC: an answer for display, good to a cent or better, never used to decide anything.

import { CALL, PERP } from '../../core/codec/commands.ts';
import { CONTRACT, USDC } from '../../core/units.ts';
import { ACTIVE } from '../../core/instruments/instruments.ts';
import { GAMMA_OVERLAY, MAINTENANCE_PART, OPTION_FLOOR, PERP_MAINTENANCE, PPM, SHORT_OPTION_MAINTENANCE } from '../../core/settings.ts';
import { gridOf, MAX_ROWS } from '../../core/margin/presets.ts';
import { requirementOf, type Risk } from '../../core/margin/portfolio.ts';
import { overlayPart } from '../../core/margin/records.ts';
import { writeChanges } from '../../core/margin/scenarios.ts';
import { optionValue } from '../../core/valuation/valuation.ts';
import type { State } from '../../core/engine/state.ts';

/** The range looked at, as multiples of the index of now. */
const LOWEST = 0.01;
const HIGHEST = 10;

/** Signed contracts of one instrument. */
type Leg = { readonly slot: number; readonly quantity: number };
/** Steps taken to each side, and halvings of the step in which the excess goes: what a portfolio is worth costs 36 prices a leg. */
type Search = { readonly steps: number; readonly halvings: number };
const FINE: Search = { steps: 48, halvings: 40 };
const COARSE: Search = { steps: 16, halvings: 24 };

/** What the account has in its other underlyings and in cash: equity, and in portfolio mode the parts of the requirement. Micros. */
type Rest = { readonly equity: number; readonly maintenance: number; readonly risk: Risk | null };

/**
 * Index price in 1e-6 USDC, or null when equity stays above maintenance from 0.01 to 10 times the index of now. Already at or
 * below: the index of now. `rest` with `risk`: portfolio mode.
 */
export function liquidationPrice(state: State, underlying: number, legs: readonly Leg[], rest: Rest): number | null {
  const { risk } = rest;
  const spot = state.valuation.markIndex[underlying]! / USDC;
  const excess = risk === null
    ? standardExcess(state, underlying, legs, rest) : portfolioExcess(state, underlying, legs, rest.equity, risk);
  const search = risk === null ? FINE : COARSE;
  if (excess(spot) <= 0) return Math.round(spot * USDC);
  const down = firstCrossing(excess, spot, LOWEST, search);
  const up = firstCrossing(excess, spot, HIGHEST, search);
  if (down === null && up === null) return null;
  const nearest = up === null || (down !== null && Math.log(spot / down) <= Math.log(up / spot)) ? down! : up;
  return Math.round(nearest * USDC);
}

/** Walks from `spot` to `spot * factor` in equal ratios; bisects the first step at whose end the excess is gone. */
function firstCrossing(excess: (index: number) => number, spot: number, factor: number, { steps, halvings }: Search): number | null {
  const ratio = factor ** (1 / steps);
  for (let step = 1; step <= steps; step++) {
    let good = spot * ratio ** (step - 1);
    let bad = spot * ratio ** step;
    if (excess(bad) > 0) continue;
    for (let i = 0; i < halvings; i++) {
      const middle = (good + bad) / 2;
      if (excess(middle) > 0) good = middle;
      else bad = middle;
    }
    return bad;
  }
  return null;
}

/** The mark of an instrument by index: what the formula changes by, from the mark of now. */
function markAt(state: State, slot: number): (index: number) => number {
  const { instruments, valuation } = state;
  const underlying = instruments.underlying[slot]!;
  const spot = valuation.markIndex[underlying]! / USDC;
  const mark = valuation.mark[slot]! / USDC;
  if (instruments.status[slot] !== ACTIVE) return () => mark;
  if (instruments.kind[slot] === PERP) return (index) => mark * index / spot;
  const price = (index: number): number => optionValue(
    instruments, slot, index, valuation.markedAt[underlying]!, valuation.average[underlying]! / USDC, valuation.sigma[slot]! / PPM,
  );
  const away = mark - price(spot);
  return (index) => price(index) + away;
}

/** Equity less maintenance margin by index, USDC: each position for itself. */
function standardExcess(state: State, underlying: number, legs: readonly Leg[], rest: Rest): (index: number) => number {
  const { values } = state.settings;
  const option = values[SHORT_OPTION_MAINTENANCE]! / PPM;
  const perp = values[PERP_MAINTENANCE]! / PPM;
  const marks = legs.map(({ slot }) => markAt(state, slot));
  const spot = state.valuation.markIndex[underlying]! / USDC;
  const worthAt = (index: number): number => legs.reduce((sum, { slot, quantity }, i) => {
    const mark = marks[i]!(index);
    const kind = state.instruments.kind[slot];
    if (kind === PERP) return sum + quantity * mark - Math.abs(quantity) * perp * mark;
    return sum + quantity * mark + Math.min(0, quantity) * option * (kind === CALL ? index : Math.max(index, mark));
  }, 0);
  const fixed = (rest.equity - rest.maintenance) / USDC - worthAt(spot);
  return (index) => fixed + worthAt(index);
}

/** The same of a portfolio: scenarios of all legs together. `risk` is that of the other underlyings. */
function portfolioExcess(
  state: State, underlying: number, legs: readonly Leg[], equity: number, risk: Risk,
): (index: number) => number {
  const { instruments, settings, valuation } = state;
  const { values } = settings;
  const grid = gridOf(settings, underlying);
  const marks = legs.map(({ slot }) => markAt(state, slot));
  const { short, overlay } = shortOf(state, legs);
  const changes = new Float64Array(MAX_ROWS);
  const time = valuation.markedAt[underlying]!;
  const average = valuation.average[underlying]! / USDC;
  const worthAt = (index: number): number => legs.reduce((sum, { quantity }, i) => sum + quantity * marks[i]!(index), 0);
  const scanAt = (index: number): number => {
    const gains = new Float64Array(grid.rows);
    for (const { slot, quantity } of legs) {
      if (instruments.kind[slot] === PERP) {
        for (let row = 0; row < grid.rows; row++) changes[row] = index * grid.spot[row]! / PPM * grid.weight[row]! / PPM;
      } else writeChanges(state, grid, slot, index, time, average, valuation.sigma[slot]! / PPM, changes);
      for (let row = 0; row < grid.rows; row++) gains[row]! += quantity * changes[row]!;
    }
    return Math.max(0, -gains.reduce((least, gain) => Math.min(least, gain), 0));
  };
  const fixed = equity / USDC - worthAt(valuation.markIndex[underlying]! / USDC);
  return (index) => {
    const requirement = requirementOf({
      scanning: risk.scanning / USDC + scanAt(index), floor: risk.floor / USDC + values[OPTION_FLOOR]! / PPM * index * short,
      overlay: risk.overlay / USDC + values[GAMMA_OVERLAY]! / PPM * index * overlay,
    });
    return fixed + worthAt(index) - values[MAINTENANCE_PART]! / PPM * requirement;
  };
}

/** Contracts that the buckets of the legs are short, and the same weighted by how much of the overlay counts by now. */
function shortOf(state: State, legs: readonly Leg[]): { short: number; overlay: number } {
  const { instruments } = state;
  const nets = new Map<string, { slot: number; net: number }>();
  for (const { slot, quantity } of legs) {
    if (instruments.kind[slot] === PERP) continue;
    const key = `${instruments.expiry[slot]}/${instruments.kind[slot]}`;
    nets.set(key, { slot, net: (nets.get(key)?.net ?? 0) + quantity });
  }
  let short = 0;
  let overlay = 0;
  for (const { slot, net } of nets.values()) {
    if (net >= 0) continue;
    short -= net;
    overlay -= net * overlayPart(state, instruments.underlying[slot]!, instruments.expiry[slot]!);
  }
  return { short, overlay };
}

/** Signed contracts of a position. */
export function legOf(slot: number, position: number): Leg {
  return { slot, quantity: position / CONTRACT };
}
