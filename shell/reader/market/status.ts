// Market status for /ready, metrics and the operator: one pass over the instruments, once a second.

import { PERP } from '../../../core/codec/commands.ts';
import type { State } from '../../../core/engine/state.ts';
import { ACTIVE, EXPIRED_PENDING_PRICE, instrumentCount } from '../../../core/instruments/instruments.ts';
import { unpackUnderlying } from '../../../core/instruments/symbol.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import { fundOf } from '../../../core/lifecycle/insurance-fund.ts';
import { isRowStale } from '../../../core/valuation/surface.ts';
import { isIndexStale } from '../../../core/valuation/valuation.ts';
import { MAX_WAITING_EXPIRIES, type MarketStatus, type UnderlyingStatus, type WaitingExpiry } from '../../ipc/status.ts';
import { micro } from '../text.ts';

type Rows = {
  readonly listed: ReadonlyMap<number, number>[];
  readonly waiting: ReadonlyMap<number, number>[];
};

export function marketStatus(state: State, since: number, time: number): MarketStatus {
  const { accounts, valuation } = state;
  const { listed, waiting } = rowsOf(state);
  const underlyings = listed.map((_, at) => underlyingStatus(state, { listed, waiting }, at, time));
  const expiries = waiting.flatMap((contracts, at) => [...contracts].map(([expiry, count]): WaitingExpiry => (
    { underlying: underlyings[at]!.name, expiry, contracts: count }
  )));
  const fund = fundOf(state);
  return {
    hasIndexPrice: listed.some((_, at) => valuation.indexAt[at]! > since), underlyings,
    waiting: expiries.sort((a, b) => a.expiry - b.expiry).slice(0, MAX_WAITING_EXPIRIES),
    fund: micro(fund < 0 ? 0 : accounts.cash[fund]!),
  };
}

function underlyingStatus(state: State, { listed, waiting }: Rows, at: number, time: number): UnderlyingStatus {
  const { settings, underlyings: { name }, valuation } = state;
  const index = valuation.index[at]!;
  const expiries = [...listed[at]!.keys()].filter((expiry) => expiry > 0);
  return {
    name: unpackUnderlying(name[at * 2]!, name[at * 2 + 1]!), index: index === 0 ? null : micro(index),
    ageMs: index === 0 ? null : Math.max(0, time - valuation.indexAt[at]!), isStale: isIndexStale(valuation, settings, at, time),
    contracts: [...listed[at]!.values()].reduce((sum, count) => sum + count, 0),
    staleSurfaces: expiries.filter((expiry) => isRowStale(valuation.surface, at, expiry)).length,
    waiting: waiting[at]!.size,
  };
}

function rowsOf({ instruments, settlement, underlyings }: State): Rows {
  const { expiry, kind, status, underlying } = instruments;
  const perUnderlying = (): Map<number, number>[] => Array.from({ length: underlyingCount(underlyings) }, () => new Map<number, number>());
  const [listed, waiting] = [perUnderlying(), perUnderlying()];
  const rows = instrumentCount(instruments);
  for (let slot = 0; slot < rows; slot++) {
    const isWaiting = status[slot] === EXPIRED_PENDING_PRICE && settlement.price[slot] === 0;
    if (status[slot] !== ACTIVE && !isWaiting) continue;
    const counts = (isWaiting ? waiting : listed)[underlying[slot]!]!;
    const key = kind[slot] === PERP ? 0 : expiry[slot]!;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return { listed, waiting };
}
