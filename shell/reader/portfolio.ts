// The body of GET /portfolio (wire.md 1.7, 1.8; decision 4.3) in standard margin: positions, what they are worth, what
// they bind. All amounts are the core's own integers as decimal text; only the liquidation price and the ratio are
// computed here. A wallet without an account is shown as if it had just opened one, and nothing is stored.

import { CONTRACT } from '../../core/units.ts';
import { DEFAULT_BALANCE } from '../../core/settings.ts';
import { mulDivCeil, mulDivHalfUp } from '../../core/math/exact.ts';
import { collateral, equity, freshen, INITIAL, initialOf, RESERVED, sumOf } from '../../core/margin/account.ts';
import { maintenanceMargin, positionValue } from '../../core/margin/standard.ts';
import type { State } from '../../core/engine/state.ts';
import { liquidationPrice } from './liquidation.ts';
import { accountOfWallet, isoText, micro, type Names } from './text.ts';

const RATIO = 1e6;

/** What the account's numbers come to; micros. */
type Totals = { equity: number; collateral: number; initial: number; reserved: number; positionInitial: number; maintenance: number };
type Held = { readonly row: number; readonly slot: number; readonly underlying: number; readonly position: number; readonly value: number;
  readonly maintenance: number };

/** The JSON body, or null when a position's underlying never had an index. */
export function portfolioBody(state: State, names: Names, wallet: string, time: number): string | null {
  const account = accountOfWallet(state, wallet);
  if (account < 0) {
    const balance = state.settings.values[DEFAULT_BALANCE]!;
    const fresh = { equity: balance, collateral: balance, initial: 0, reserved: 0, positionInitial: 0, maintenance: 0 };
    return JSON.stringify(portfolio(wallet, [], fresh, time));
  }
  const held = positionsOf(state, account);
  if (held.some(({ underlying }) => state.valuation.index[underlying] === 0)) return null;
  freshen(state, account);
  const totals: Totals = {
    equity: equity(state, account), collateral: collateral(state, account), initial: sumOf(state, account, INITIAL),
    reserved: sumOf(state, account, RESERVED), positionInitial: 0, maintenance: 0,
  };
  for (const { slot, position, maintenance } of held) {
    totals.positionInitial += initialOf(state, slot, position, 0);
    totals.maintenance += maintenance;
  }
  const prices = liquidationPrices(state, held, totals);
  const rows = held.map((one) => positionRow(state, names, wallet, one, totals, prices.get(one.underlying) ?? null));
  return JSON.stringify(portfolio(wallet, rows, totals, time));
}

function positionsOf(state: State, account: number): Held[] {
  const { holdings, instruments } = state;
  const held: Held[] = [];
  for (let link = state.accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
    const row = link - 1;
    const position = holdings.position[row]!;
    if (position === 0) continue;
    const slot = holdings.instrument[row]!;
    held.push({
      row, slot, underlying: instruments.underlying[slot]!, position, value: positionValue(state, slot, position),
      maintenance: maintenanceMargin(state, slot, position),
    });
  }
  return held;
}

/** By underlying: all positions of one move with its index, so they share one price. */
function liquidationPrices(state: State, held: readonly Held[], totals: Totals): Map<number, number | null> {
  const prices = new Map<number, number | null>();
  for (const { underlying } of held) {
    if (prices.has(underlying)) continue;
    const own = held.filter((one) => one.underlying === underlying);
    const worth = own.reduce((sum, { value, maintenance }) => sum + value - maintenance, 0);
    const rest = totals.equity - totals.maintenance - worth;
    const legs = own.map(({ slot, position }) => ({ slot, quantity: position / CONTRACT }));
    // Long options are worth something at every index: alone they never use up what is left without them.
    const isSafe = rest > 0 && legs.every(({ quantity }) => quantity > 0);
    prices.set(underlying, isSafe ? null : liquidationPrice(state, underlying, legs, rest));
  }
  return prices;
}

function positionRow(state: State, names: Names, wallet: string, held: Held, totals: Totals, liquidation: number | null): object {
  const { holdings, valuation } = state;
  const { row, slot, underlying, position, value, maintenance } = held;
  const size = Math.abs(position);
  const cost = holdings.cost[row]!;
  return {
    wallet_address: wallet, symbol: names.symbol(slot), amount: micro(position),
    entry_price: micro(mulDivHalfUp(Math.abs(cost), CONTRACT, size)), margin_posted: micro(initialOf(state, slot, position, 0)),
    realized_pnl: micro(holdings.realized[row]!), unrealized_pnl: micro(value - cost), updated_at: isoText(holdings.updatedAt[row]!),
    instrument_type: 'option', notional_value: micro(mulDivHalfUp(size, valuation.markIndex[underlying]!, CONTRACT)),
    maintenance_margin: micro(maintenance), liquidation_price: liquidation === null ? null : micro(liquidation),
    margin_ratio: marginRatio(totals),
  };
}

/** Maintenance margin over equity, 6 decimals, rounded up; null when there is no equity to divide by. */
function marginRatio({ maintenance, equity: worth }: Totals): string | null {
  if (maintenance === 0) return '0';
  return worth > 0 ? micro(mulDivCeil(maintenance, RATIO, worth)) : null;
}

function portfolio(wallet: string, positions: readonly object[], totals: Totals, time: number): object {
  const openOrders = totals.initial - totals.positionInitial;
  const used = totals.initial + totals.reserved;
  return {
    wallet_address: wallet, positions, total_margin_used: micro(used), available_balance: micro(Math.max(0, totals.collateral - used)),
    portfolio_snapshot_timestamp_ms: time, margin_mode: 'standard',
    margin_summary: {
      mode: 'standard', equity: micro(totals.equity), position_im: micro(totals.positionInitial), open_orders_im: micro(openOrders),
      initial_margin: micro(totals.collateral - totals.initial), maintenance_margin: micro(totals.equity - totals.maintenance),
      open_orders_premium_reserved: micro(totals.reserved),
    },
  };
}
