// The body of GET /risk/inputs: all that the core's margin functions read of an account and the given contracts. Integers as exact
// decimals.

import { formatDecimal } from '../../../core/codec/decimal.ts';
import { FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { HEALTHY, STANDARD, WALLET_OPEN } from '../../../core/accounts/accounts.ts';
import { orderKey, orderRemaining, orderSide } from '../../../core/book/pool.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { tradingMode } from '../../../core/instruments/trading-mode.ts';
import { presetOf } from '../../../core/margin/presets.ts';
import { orderFlags, youngerOrder } from '../../../core/orders/orders.ts';
import { DEFAULT_BALANCE, SETTINGS, VENUE17 } from '../../../core/settings.ts';
import { DEFAULT_TIER } from '../../../core/tiers.ts';
import { isSurfaceStale } from '../../../core/valuation/valuation.ts';
import type { State } from '../../../core/engine/state.ts';
import { LIQUIDATION_STATES, MARGIN_MODES, TIERS, WALLET_MODES } from '../../ipc/enum-names.ts';
import { micro, sideText, statusText, tradingModeText, type Names } from '../text.ts';
import type { RiskInputs } from '../../http/shapes/account.ts';

/** Funding is in 1e-9 USDC of a contract. */
const FUNDING_DECIMALS = 9;

/** `account` -1: as if it had just opened. `asked`: slots of contracts, held or not. */
export function riskInputs(
  state: State, names: Names, wallet: string, account: number, asked: readonly number[], time: number,
): RiskInputs {
  const { accounts, holdings, instruments, settings, valuation } = state;
  const rows = account < 0 ? [] : rowsOf(state, account);
  const slots = [...new Set([...rows.map((row) => holdings.instrument[row]!), ...asked])];
  const underlyings = [...new Set(slots.map((slot) => instruments.underlying[slot]!))].sort((a, b) => a - b);
  return {
    wallet_address: wallet, time_ms: time, margin_mode: MARGIN_MODES[account < 0 ? STANDARD : accounts.mode[account]!]!,
    wallet_mode: WALLET_MODES[account < 0 ? WALLET_OPEN : accounts.walletMode[account]!]!,
    liquidation_state: LIQUIDATION_STATES[account < 0 ? HEALTHY : accounts.status[account]!]!,
    tier: TIERS[account < 0 ? DEFAULT_TIER : accounts.tier[account]!]!,
    balance: micro(account < 0 ? settings.values[DEFAULT_BALANCE]! : accounts.cash[account]!),
    settings: Object.fromEntries(SETTINGS.map(({ at, name }) => [name, settings.values[at]!])),
    underlyings: underlyings.map((underlying) => ({
      underlying: names.underlying(underlying), vintage: valuation.vintage[underlying]!, marked_at: valuation.markedAt[underlying]!,
      index_price: micro(valuation.markIndex[underlying]!), settlement_average: micro(valuation.average[underlying]!),
      preset: presetOf(settings, underlying) === VENUE17 ? 'venue17' : 'dense',
    })),
    contracts: slots.map((slot) => ({
      symbol: names.symbol(slot), status: statusText(instruments.status[slot]!),
      trading_mode: tradingModeText(tradingMode(instruments, slot)), is_surface_stale: isSurfaceStale(valuation, slot),
      mark_price: micro(valuation.mark[slot]!), theo_price: micro(valuation.theo[slot]!), volatility: micro(valuation.sigma[slot]!),
    })),
    holdings: rows.map((row) => holdingOf(state, names, row)),
  };
}

function rowsOf({ accounts, holdings }: State, account: number): number[] {
  const rows: number[] = [];
  for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) rows.push(link - 1);
  return rows;
}

function holdingOf({ funding, holdings, orders }: State, names: Names, row: number): RiskInputs['holdings'][number] {
  const slot = holdings.instrument[row]!;
  const { books } = orders;
  const open: RiskInputs['holdings'][number]['orders'][number][] = [];
  for (let order = holdings.orderHead[row]!; order !== 0; order = youngerOrder(orders, order)) {
    open.push({
      side: sideText(orderSide(books, order)), price: micro(priceOfKey(orderKey(books, order))), size: micro(orderRemaining(books, order)),
      reduce_only: (orderFlags(orders, order) & FLAG_REDUCE_ONLY) !== 0,
    });
  }
  return {
    symbol: names.symbol(slot), amount: micro(holdings.position[row]!), cost: micro(holdings.cost[row]!),
    unpaid_funding: formatDecimal(funding.cumulative[slot]! - holdings.funding[row]!, FUNDING_DECIMALS), orders: open,
  };
}
