// The body of GET /portfolio (wire.md 1.7, 1.8; decision 4.3): positions, what they are worth, what they bind, in the
// account's margin mode. All amounts are the core's own integers as decimal text; only the liquidation price and the ratio are
// computed here. A wallet without an account is shown as if it had just opened one, and nothing is stored.

import { PERP } from '../../core/codec/commands.ts';
import { CONTRACT } from '../../core/units.ts';
import { DEFAULT_BALANCE } from '../../core/settings.ts';
import { mulDivCeil, mulDivHalfUp } from '../../core/math/exact.ts';
import { PORTFOLIO, STANDARD } from '../../core/accounts/accounts.ts';
import { collateralOf, equityOf, freshen, maintenanceOf, maintenancePart, orderInitialOf, positionInitialOf, reservedOf,
  standaloneInitial, standardMaintenance } from '../../core/margin/account.ts';
import { createRisk, optionRequirement, perpRequirement, sumRisk, type Risk } from '../../core/margin/portfolio.ts';
import { ALL, POSITIONS } from '../../core/margin/records.ts';
import { equityValue } from '../../core/margin/standard.ts';
import type { State } from '../../core/engine/state.ts';
import { legOf, liquidationPrice } from './liquidation.ts';
import { accountOfWallet, isoText, micro, type Names } from './text.ts';

const RATIO = 1e6;
const MODES = ['standard', 'portfolio'] as const;

/** What the account's numbers come to; micros. */
type Totals = {
  readonly equity: number; readonly collateral: number; readonly positionInitial: number; readonly orderInitial: number;
  readonly reserved: number; readonly maintenance: number;
};
type Held = { readonly row: number; readonly slot: number; readonly underlying: number; readonly position: number; readonly value: number;
  readonly initial: number; readonly maintenance: number };

/** The JSON body, or null when a position's underlying never had an index. */
export function portfolioBody(state: State, names: Names, wallet: string, time: number): string | null {
  const account = accountOfWallet(state, wallet);
  if (account < 0) {
    const balance = state.settings.values[DEFAULT_BALANCE]!;
    const fresh = { equity: balance, collateral: balance, positionInitial: 0, orderInitial: 0, reserved: 0, maintenance: 0 };
    return JSON.stringify(portfolio(wallet, [], fresh, time, null));
  }
  freshen(state, account);
  const held = positionsOf(state, account);
  if (held.some(({ underlying }) => state.valuation.index[underlying] === 0)) return null;
  const totals = totalsOf(state, account);
  const prices = liquidationPrices(state, account, held, totals);
  const rows = held.map((one) => positionRow(state, names, wallet, one, totals, prices.get(one.underlying) ?? null));
  return JSON.stringify(portfolio(wallet, rows, totals, time, spanOf(state, account, totals)));
}

function totalsOf(state: State, account: number): Totals {
  return {
    equity: equityOf(state, account), collateral: collateralOf(state, account), positionInitial: positionInitialOf(state, account),
    orderInitial: orderInitialOf(state, account), reserved: reservedOf(state, account), maintenance: maintenanceOf(state, account),
  };
}

function positionsOf(state: State, account: number): Held[] {
  const { holdings, instruments } = state;
  const held: Held[] = [];
  for (let link = state.accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
    const row = link - 1;
    const position = holdings.position[row]!;
    if (position === 0) continue;
    const slot = holdings.instrument[row]!;
    const initial = standaloneInitial(state, account, slot, position);
    const isPortfolio = state.accounts.mode[account] === PORTFOLIO;
    held.push({
      row, slot, underlying: instruments.underlying[slot]!, position, value: equityValue(state, row), initial,
      maintenance: isPortfolio ? maintenancePart(state, initial) : standardMaintenance(state, slot, position),
    });
  }
  return held;
}

/** By underlying: all positions of one move with its index, so they share one price. */
function liquidationPrices(state: State, account: number, held: readonly Held[], totals: Totals): Map<number, number | null> {
  const prices = new Map<number, number | null>();
  const { equity, maintenance } = totals;
  for (const { underlying } of held) {
    if (prices.has(underlying)) continue;
    const legs = held.filter((one) => one.underlying === underlying).map(({ slot, position }) => legOf(slot, position));
    const risk = otherRisk(state, account, underlying);
    // Long options are worth something at every index: alone they never use up what is left without them.
    const value = held.reduce((sum, one) => (one.underlying === underlying ? sum + one.value : sum), 0);
    const isLong = legs.every(({ slot, quantity }) => quantity > 0 && state.instruments.kind[slot] !== PERP);
    const isSafe = risk === null && isLong && equity - maintenance > value;
    prices.set(underlying, isSafe ? null : liquidationPrice(state, underlying, legs, { equity, maintenance, risk }));
  }
  return prices;
}

/** What the positions in the other underlyings need in portfolio mode; null in standard mode. */
function otherRisk(state: State, account: number, underlying: number): Risk | null {
  if (state.accounts.mode[account] !== PORTFOLIO) return null;
  const risk = createRisk();
  sumRisk(state, state.cache.records, account, POSITIONS, underlying, risk);
  return risk;
}

function positionRow(state: State, names: Names, wallet: string, held: Held, totals: Totals, liquidation: number | null): object {
  const { holdings, instruments, valuation } = state;
  const { row, slot, underlying, position, value } = held;
  const size = Math.abs(position);
  const cost = holdings.cost[row]!;
  const isPerp = instruments.kind[slot] === PERP;
  return {
    wallet_address: wallet, symbol: names.symbol(slot), amount: micro(position),
    entry_price: micro(mulDivHalfUp(Math.abs(cost), CONTRACT, size)), margin_posted: micro(held.initial),
    realized_pnl: micro(holdings.realized[row]!), unrealized_pnl: micro(isPerp ? value : value - cost),
    updated_at: isoText(holdings.updatedAt[row]!), instrument_type: isPerp ? 'perp' : 'option',
    notional_value: micro(mulDivHalfUp(size, valuation.markIndex[underlying]!, CONTRACT)),
    maintenance_margin: micro(held.maintenance), liquidation_price: liquidation === null ? null : micro(liquidation),
    margin_ratio: marginRatio(totals),
  };
}

/** Maintenance margin over equity, 6 decimals, rounded up; null when there is no equity to divide by. */
function marginRatio({ maintenance, equity: worth }: Totals): string | null {
  if (maintenance === 0) return '0';
  return worth > 0 ? micro(mulDivCeil(maintenance, RATIO, worth)) : null;
}

/** The parts of the requirement in portfolio mode, open orders included: it is max(scanning_risk, option_floor) + gamma_overlay. */
function spanOf(state: State, account: number, totals: Totals): object | null {
  if (state.accounts.mode[account] !== PORTFOLIO) return null;
  const { records } = state.cache;
  const risk = createRisk();
  sumRisk(state, records, account, ALL, -1, risk);
  return {
    equity: micro(totals.equity), initial_margin_required: micro(totals.positionInitial + totals.orderInitial),
    maintenance_margin_required: micro(totals.maintenance), open_orders_initial_margin: micro(totals.orderInitial),
    option_margin_required: micro(optionRequirement(state, records, account)), scanning_risk: micro(risk.scanning),
    option_floor: micro(risk.floor), gamma_overlay: micro(risk.overlay),
    hypercore_margin_required: micro(perpRequirement(state, records, account)),
  };
}

/** `span` is there in portfolio mode only, what open orders reserve in standard mode only. */
function portfolio(wallet: string, positions: readonly object[], totals: Totals, time: number, span: object | null): object {
  const { collateral, equity, maintenance, orderInitial, positionInitial, reserved } = totals;
  const mode = MODES[span === null ? STANDARD : PORTFOLIO];
  const initial = positionInitial + orderInitial;
  const used = initial + reserved;
  return {
    wallet_address: wallet, positions, total_margin_used: micro(used), available_balance: micro(Math.max(0, collateral - used)),
    portfolio_snapshot_timestamp_ms: time, ...(span === null ? {} : { span_margin: span }), margin_mode: mode,
    margin_summary: {
      mode, equity: micro(equity), position_im: micro(positionInitial), open_orders_im: micro(orderInitial),
      initial_margin: micro(collateral - initial), maintenance_margin: micro(equity - maintenance),
      ...(span === null ? { open_orders_premium_reserved: micro(reserved) } : {}),
    },
  };
}
