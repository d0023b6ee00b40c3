// The scenarios of one underlying as a heat map: a column for each move of the index, a row for each move of volatility. A tail stands in
// a list of its own. Figures are the venue's; only their shade is made here.

import type { RiskGrid } from '../../../src/main.ts';

export type UnderlyingRisk = RiskGrid['underlyings'][number];
type Scenario = UnderlyingRisk['scenarios'][number];
export type HeatCell = Scenario & {
  /** From -5, the largest loss of all scenarios, to 5. */
  readonly heat: number;
  /** It loses most, so it makes the scanning risk. */
  readonly isWorst: boolean;
};
export type HeatMap = {
  /** Fractions as the venue's text, ascending. */
  readonly spots: readonly string[];
  /** Ascending. */
  readonly volatilities: readonly string[];
  /** By row and column; null: the venue has no scenario there. */
  readonly cells: readonly (readonly (HeatCell | null)[])[];
  readonly tails: readonly HeatCell[];
  /** Null if no scenario loses anything. */
  readonly worst: HeatCell | null;
};

const SHADES = 5;

export function heatMapOf({ scenarios, extended_risk_matrix: matrix }: UnderlyingRisk): HeatMap {
  const most = Math.max(...scenarios.map(({ total_pnl: pnl }) => Math.abs(Number(pnl))));
  const worstAt = Number(matrix.worst_scenario_pnl) < 0 ? matrix.worst_scenario_index : -1;
  const all = scenarios.map((scenario, at): HeatCell => (
    { ...scenario, heat: shadeOf(Number(scenario.total_pnl), most), isWorst: at === worstAt }
  ));
  const inGrid = all.filter(({ is_tail: isTail }) => !isTail);
  const spots = ascending(inGrid.map(({ spot_shock_pct: spot }) => spot));
  const volatilities = ascending(inGrid.map(({ vol_shock_pct: volatility }) => volatility));
  return {
    spots, volatilities, worst: all[worstAt] ?? null, tails: all.filter(({ is_tail: isTail }) => isTail),
    cells: volatilities.map((volatility) => spots.map((spot) => (
      inGrid.find((one) => one.spot_shock_pct === spot && one.vol_shock_pct === volatility) ?? null
    ))),
  };
}

function shadeOf(pnl: number, most: number): number {
  return pnl === 0 ? 0 : Math.sign(pnl) * Math.ceil(SHADES * Math.abs(pnl) / most);
}

function ascending(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort((one, other) => Number(one) - Number(other));
}
