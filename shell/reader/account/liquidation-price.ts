// The liquidation price in one underlying: the nearest index at which equity equals maintenance margin, all else fixed
// (decision 4.3); for an account already below, where it would recover. Marks at another index come from the formula at
// the volatility and time of the marks, shifted by the present difference (MARGIN.md, "Marks and vintages"). Floats of
// USDC, good to a cent, for display only.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { CONTRACT, USDC } from '../../../core/units.ts';
import { ACTIVE } from '../../../core/instruments/instruments.ts';
import { GAMMA_OVERLAY, MAINTENANCE_PART, OPTION_FLOOR, PERP_MAINTENANCE, PPM, SHORT_OPTION_MAINTENANCE } from '../../../core/settings.ts';
import { gridOf } from '../../../core/margin/presets.ts';
import type { RiskSums } from '../../../core/margin/portfolio-requirement.ts';
import { overlayPart } from '../../../core/margin/portfolio-sums.ts';
import { shockedVolatility, shockScale } from '../../../core/margin/scenarios.ts';
import type { MarginInputs } from '../../../core/margin/standard.ts';
import { optionValue } from '../../../core/valuation/valuation.ts';
import { nearestCrossing, type Curve } from './crossing.ts';

const LOWEST = 0.01;
const HIGHEST = 10;

type Leg = { readonly slot: number; readonly quantity: number };

/** Micros. `risk`: the requirement outside this underlying, in portfolio mode only. */
type Rest = { readonly equity: number; readonly maintenance: number; readonly risk: RiskSums | null };

/** Index price in 1e-6 USDC; null if there is none in the search range. */
export function liquidationPrice(state: MarginInputs, underlying: number, legs: readonly Leg[], rest: Rest): number | null {
  const { risk } = rest;
  const curves = risk === null
    ? [standardCurve(state, underlying, legs, rest)] : portfolioCurves(state, underlying, legs, rest.equity, risk);
  const ratio = nearestCrossing(curves, LOWEST, HIGHEST);
  return ratio === null ? null : Math.round(state.valuation.markIndex[underlying]! * ratio);
}

function markAt(state: MarginInputs, slot: number): (index: number) => number {
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

/** Equity less maintenance margin, USDC. A short option's margin grows with its mark, so it is concave. */
function standardCurve(state: MarginInputs, underlying: number, legs: readonly Leg[], rest: Rest): Curve {
  const { values } = state.settings;
  const option = values[SHORT_OPTION_MAINTENANCE]! / PPM;
  const perp = values[PERP_MAINTENANCE]! / PPM;
  const marks = legs.map(({ slot }) => markAt(state, slot));
  const spot = state.valuation.markIndex[underlying]! / USDC;
  const worthAt: Curve = (ratio) => {
    const index = spot * ratio;
    let convex = 0;
    let concave = 0;
    for (let i = 0; i < legs.length; i++) {
      const { slot, quantity } = legs[i]!;
      const mark = marks[i]!(index);
      const kind = state.instruments.kind[slot];
      if (kind === PERP) concave += quantity * mark - Math.abs(quantity) * perp * mark;
      else if (quantity > 0) convex += quantity * mark;
      else concave += quantity * (mark + option * (kind === CALL ? index : Math.max(index, mark)));
    }
    return { convex, concave };
  };
  const now = worthAt(1);
  const fixed = (rest.equity - rest.maintenance) / USDC - now.convex - now.concave;
  return (ratio) => {
    const { convex, concave } = worthAt(ratio);
    return { convex, concave: concave + fixed };
  };
}

type Option = Leg & { readonly average: number; readonly sigma: number; readonly shocked: Float64Array; readonly isMarked: boolean };

function optionOf(state: MarginInputs, underlying: number, { slot, quantity }: Leg): Option {
  const { instruments, settings, valuation } = state;
  const grid = gridOf(settings, underlying);
  const left = instruments.expiry[slot]! - valuation.markedAt[underlying]!;
  const sigma = valuation.sigma[slot]! / PPM;
  const scale = shockScale(state, grid, left);
  const average = valuation.average[underlying]! / USDC;
  return {
    slot, quantity, sigma, shocked: Float64Array.from({ length: grid.rows }, (_, row) => shockedVolatility(state, grid, row, sigma, scale)),
    average: left > 0 ? average : 0, isMarked: instruments.status[slot] === ACTIVE && (left > 0 || average === 0),
  };
}

type Sides = { long: number; short: number };

/** One curve per scenario, for zero loss and for the floor, because the requirement is the largest of them. */
function portfolioCurves(state: MarginInputs, underlying: number, legs: readonly Leg[], equity: number, risk: RiskSums): readonly Curve[] {
  const { instruments, settings, valuation } = state;
  const grid = gridOf(settings, underlying);
  const spot = valuation.markIndex[underlying]! / USDC;
  const time = valuation.markedAt[underlying]!;
  const options = legs.filter(({ slot }) => instruments.kind[slot] !== PERP).map((leg) => optionOf(state, underlying, leg));
  const valueOf = ({ slot, average }: Option, index: number, sigma: number): number => (
    optionValue(instruments, slot, index, time, average, sigma)
  );
  const perps = legs.filter(({ slot }) => instruments.kind[slot] === PERP);
  const perpSize = perps.reduce((sum, { quantity }) => sum + quantity, 0);
  const perpWorth = perps.reduce((sum, { slot, quantity }) => sum + quantity * valuation.mark[slot]! / USDC, 0);
  const valuesAt = remembered((ratio: number): { marked: Sides; waiting: Sides } => {
    const marked = { long: 0, short: 0 };
    const waiting = { long: 0, short: 0 };
    for (const option of options) {
      const value = option.quantity * valueOf(option, spot * ratio, option.sigma);
      (option.isMarked ? marked : waiting)[option.quantity > 0 ? 'long' : 'short'] += value;
    }
    return { marked, waiting };
  });
  const part = settings.values[MAINTENANCE_PART]! / PPM;
  const { short, overlay } = shortOf(state, legs);
  const { marked: now } = valuesAt(1);
  const fixed = equity / USDC - now.long - now.short - perpWorth - part * risk.overlay / USDC;
  const restAt = (ratio: number, needed: number, loss: number): number => (
    fixed + perpWorth * ratio - part * (needed / USDC + spot * ratio * (loss + settings.values[GAMMA_OVERLAY]! / PPM * overlay))
  );
  const without = (needed: number, loss: number): Curve => (ratio) => {
    const { marked } = valuesAt(ratio);
    return { convex: marked.long, concave: marked.short + restAt(ratio, needed, loss) };
  };
  const scenario = (_: unknown, row: number): Curve => {
    const shock = grid.spot[row]! / PPM;
    const weight = grid.weight[row]! / PPM;
    const share = part * weight;
    return (ratio) => {
      const after = { long: 0, short: 0 };
      for (const option of options) {
        const value = option.quantity * valueOf(option, spot * ratio * (1 + shock), option.shocked[row]!);
        if (option.quantity > 0) after.long += value;
        else after.short += value;
      }
      const { marked, waiting } = valuesAt(ratio);
      return {
        convex: (1 - share) * marked.long + share * (after.long - waiting.short),
        concave: (1 - share) * marked.short + share * (after.short - waiting.long)
          + restAt(ratio, risk.scanning, -weight * shock * perpSize),
      };
    };
  };
  return [
    without(risk.scanning, 0), without(risk.floor, settings.values[OPTION_FLOOR]! / PPM * short),
    ...Array.from({ length: grid.rows }, scenario),
  ];
}

function remembered<T>(of: (ratio: number) => T): (ratio: number) => T {
  const known = new Map<number, T>();
  return (ratio) => {
    let value = known.get(ratio);
    if (value === undefined) known.set(ratio, value = of(ratio));
    return value;
  };
}

/** Net short contracts by expiry and kind, plain and weighted by the overlay's phase-in. */
function shortOf(state: MarginInputs, legs: readonly Leg[]): { short: number; overlay: number } {
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

export function legOf(slot: number, position: number): Leg {
  return { slot, quantity: position / CONTRACT };
}
