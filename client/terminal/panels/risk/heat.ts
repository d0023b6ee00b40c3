// Scenarios as a heat map: columns are moves of the index, rows moves of volatility, tails a list. Only the shade is made here.

import type { RiskGrid } from '../../../src/main.ts';

export type UnderlyingRisk = RiskGrid['underlyings'][number];
type Scenario = UnderlyingRisk['scenarios'][number];
export type HeatCell = Scenario & {
  /** -5, the largest loss of all, to 5. */
  readonly heat: number;
  /** Makes the scanning risk. */
  readonly isWorst: boolean;
};
export type HeatMap = {
  /** Fractions as the venue's text, ascending. */
  readonly spots: readonly string[];
  readonly volatilities: readonly string[];
  readonly cells: readonly (readonly (HeatCell | null)[])[];
  readonly tails: readonly HeatCell[];
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
