// The risk grid of a simulated account (wire.md 2.8). Margins are of the account's mode; scenarios, floor and overlay
// of portfolio mode: requirement = max(scanning_risk, option_floor) + gamma_overlay, scanning_risk = sum of max(0,
// -worst total_pnl). Results are weighted, with open orders at their worst. Shocks are fractions; volatility shocks are
// for 30 days (preset `dense`).

import { PERP } from '../../../core/codec/commands.ts';
import { formatDecimal } from '../../../core/codec/decimal.ts';
import { isSafe } from '../../../core/math/exact.ts';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { collateralOf, equityOf, initialOf, maintenanceOf, positionInitialOf, reservedOf } from '../../../core/margin/account-margin.ts';
import { createRiskSums, sumRisk } from '../../../core/margin/portfolio-requirement.ts';
import { gridOf, MAX_ROWS, type Grid } from '../../../core/margin/presets.ts';
import { ALL } from '../../../core/margin/portfolio-sums.ts';
import { addOrders, addPosition, entryOf } from '../../../core/margin/scenarios.ts';
import { equityValue } from '../../../core/margin/standard.ts';
import { MARGIN_MODES } from '../../ipc/enum-names.ts';
import { micro } from '../micro.ts';
import { isExact } from './totals.ts';
import { OWN, type SimulatedAccount, type SimulatedOrder } from './simulated-account.ts';
import type { RiskGrid, UnderlyingRisk } from '../../http/shapes/account.ts';
import type { InstrumentType } from '../../http/shapes/enums.ts';

type Texts<Numbers> = { readonly [N in keyof Numbers]: string };

const PPM_DECIMALS = 6;

type Named = { symbol(slot: number): string; underlying(index: number): string };

/** Null beyond the exact range. `orders` count beside the account's own. */
export function riskGrid(simulated: SimulatedAccount, names: Named, orders: readonly SimulatedOrder[], mode: number): RiskGrid | null {
  const { margin } = simulated;
  const isSummed = simulated.addOrders(orders, mode);
  const initial = initialOf(margin, OWN);
  const position = positionInitialOf(margin, OWN);
  const margins = {
    equity: equityOf(margin, OWN), collateral: collateralOf(margin, OWN), position_initial_margin: position,
    position_maintenance_margin: maintenanceOf(margin, OWN), open_orders_initial_margin: initial - position,
    open_orders_reserved: reservedOf(margin, OWN), total_initial_margin: initial,
  };
  if (mode !== PORTFOLIO) simulated.sumScenarios();
  const risk = createRiskSums();
  sumRisk(margin, margin.cache.portfolios, OWN, ALL, -1, risk);
  const parts = { ...margins, scanning_risk: risk.scanning, option_floor: risk.floor, gamma_overlay: risk.overlay };
  const underlyings = underlyingsOf(simulated).map((underlying) => underlyingRisk(simulated, names, underlying));
  const risks = underlyings.filter((one) => one !== null);
  simulated.removeOrders(orders);
  if (!isSummed || !isExact(parts) || risks.length < underlyings.length) return null;
  const texts = Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, micro(value)])) as Texts<typeof parts>;
  return { margin_mode: MARGIN_MODES[mode]!, ...texts, underlyings: risks };
}

function underlyingsOf({ margin }: SimulatedAccount): number[] {
  const { instruments } = margin;
  return [...new Set(rowsOf(margin).map((row) => instruments.underlying[margin.holdings.instrument[row]!]!))].sort((a, b) => a - b);
}

function rowsOf({ accounts, holdings }: SimulatedAccount['margin']): number[] {
  const rows: number[] = [];
  for (let link = accounts.holdingHead[OWN]!; link !== 0; link = holdings.next[link - 1]!) {
    const row = link - 1;
    if (holdings.position[row] !== 0 || holdings.bidSize[row] !== 0 || holdings.askSize[row] !== 0) rows.push(row);
  }
  return rows;
}

function underlyingRisk({ margin }: SimulatedAccount, names: Named, underlying: number): UnderlyingRisk | null {
  const { instruments, holdings, settings, valuation } = margin;
  const grid = gridOf(settings, underlying);
  const totals = new Float64Array(grid.rows);
  const held = rowsOf(margin).filter((row) => instruments.underlying[holdings.instrument[row]!] === underlying);
  const gainsOfRows = held.map((row) => gainsOf(margin, row, grid));
  for (const gains of gainsOfRows) for (let at = 0; at < grid.rows; at++) totals[at]! += gains[at]!;
  const values = held.map((row) => equityValue(margin, row));
  if (![totals, values, ...gainsOfRows].every((numbers) => numbers.every(isSafe))) return null;
  const rows = held.map((row, of) => {
    const slot = holdings.instrument[row]!;
    const amount = micro(holdings.position[row]!);
    const type: InstrumentType = instruments.kind[slot] === PERP ? 'perp' : 'option';
    return {
      symbol: names.symbol(slot), underlying: names.underlying(underlying), instrument_type: type, amount, base_amount: amount,
      current_value: micro(values[of]!), scenario_pnls: Array.from(gainsOfRows[of]!, micro),
    };
  });
  const scenarios = scenariosOf(grid);
  const worst = totals.indexOf(Math.min(...totals));
  return {
    underlying: names.underlying(underlying), vintage: valuation.vintage[underlying]!, marked_at: valuation.markedAt[underlying]!,
    index_price: micro(valuation.markIndex[underlying]!),
    scenarios: scenarios.map((scenario, at) => ({ ...scenario, total_pnl: micro(totals[at]!) })),
    extended_risk_matrix: {
      scenarios, instruments: rows, total_pnls: Array.from(totals, micro), worst_scenario_index: worst,
      worst_scenario_pnl: micro(totals[worst]!),
    },
  };
}

function scenariosOf(grid: Grid): UnderlyingRisk['extended_risk_matrix']['scenarios'] {
  const fraction = (value: number): string => formatDecimal(value, PPM_DECIMALS);
  return Array.from({ length: grid.rows }, (_, at) => ({
    id: `S${at + 1}`, spot_shock_pct: fraction(grid.spot[at]!), vol_shock_pct: fraction(grid.volatility[at]!),
    pnl_weight: fraction(grid.weight[at]!), is_tail: grid.tailFrom >= 0 && at >= grid.tailFrom,
  }));
}

function gainsOf(margin: SimulatedAccount['margin'], row: number, grid: Grid): Float64Array {
  const { holdings, cache } = margin;
  const { scenarios } = cache.portfolios;
  const gains = new Float64Array(MAX_ROWS);
  const entry = entryOf(margin, scenarios, holdings.instrument[row]!);
  addPosition(scenarios, entry, grid.rows, holdings.position[row]!, gains, 0);
  if (holdings.bidSize[row] !== 0) addOrders(scenarios, entry, grid.rows, holdings.bidSize[row]!, 1, gains, 0);
  if (holdings.askSize[row] !== 0) addOrders(scenarios, entry, grid.rows, -holdings.askSize[row]!, 1, gains, 0);
  return gains.subarray(0, grid.rows);
}
