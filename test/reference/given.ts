// Inputs of the reference model, read from the arrays of a core: contracts, marks, volatilities, the index, the funding index, and the
// settings in force. Marks have reference implementations of their own (test/core/pricing, test/core/valuation); those of perps, funding
// rates and settlement prices are in perps.ts. Never judges and never writes.

import * as S from '../../core/settings.ts';
import { DECLARED_STALE } from '../../core/valuation/valuation.ts';
import type { State } from '../../core/engine/state.ts';
import { instrumentTotal } from '../support/raw.ts';
import type { Contract, Hour, Market, Rules } from './terms.ts';

export const UNDERLYINGS = ['BTC', 'ETH'] as const;

/** A part of the index beyond which it has run away from the marks: 2 %. */
const RUN_PARTS = 50;

function column<T>(count: number, read: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => read(at));
}

/** `hours`: of each perp, as its events told them. */
export function marketOf(state: State, now: number, hours: ReadonlyMap<number, readonly Hour[]>): Market {
  const { funding, instruments, valuation } = state;
  const count = instrumentTotal(state);
  const market: Market = {
    now,
    contracts: column(count, (slot): Contract => ({
      underlying: instruments.underlying[slot]!, kind: instruments.kind[slot]!, strike: BigInt(instruments.strike[slot]!),
      expiry: instruments.expiry[slot]!,
    })),
    mark: column(count, (slot) => BigInt(valuation.mark[slot]!)),
    theo: column(count, (slot) => BigInt(valuation.theo[slot]!)),
    sigma: column(count, (slot) => valuation.sigma[slot]! / 1e6),
    hasStaleSurface: column(count, (slot) => valuation.stale[slot] !== 0),
    fundingIndex: column(count, (slot) => BigInt(funding.cumulative[slot]!)),
    hours: column(count, (slot) => hours.get(slot) ?? []),
    index: UNDERLYINGS.map((_, underlying) => BigInt(valuation.markIndex[underlying]!)),
    markedAt: UNDERLYINGS.map((_, underlying) => valuation.markedAt[underlying]!),
    average: UNDERLYINGS.map((_, underlying) => valuation.average[underlying]!),
    isStale: [], hasRun: [],
  };
  readIndex(state, market);
  return market;
}

/** Values that change with each tick of the index, also without new marks. Nothing becomes stale in these runs. */
export function readIndex({ valuation }: State, { hasRun, isStale }: Market): void {
  UNDERLYINGS.forEach((_, underlying) => {
    const marked = valuation.markIndex[underlying]!;
    isStale[underlying] = (valuation.indexFlags[underlying]! & DECLARED_STALE) !== 0;
    hasRun[underlying] = Math.abs(valuation.index[underlying]! - marked) * RUN_PARTS > marked;
  });
}

/** Changes whenever an input of `marketOf` changes, except those of `readIndex`. */
export function versionOf(state: State, changes: number): string {
  const { funding, valuation } = state;
  return [changes, valuation.counters[0], valuation.vintage[0], valuation.vintage[1], instrumentTotal(state), funding.rounds[0]].join(' ');
}

export function rulesOf(values: Float64Array): Rules {
  const value = (at: number): bigint => BigInt(values[at]!);
  return {
    balance: value(S.DEFAULT_BALANCE), positionLimit: value(S.MAX_POSITION),
    makerFee: value(S.MAKER_FEE), takerFee: value(S.TAKER_FEE), settlementFee: value(S.SETTLEMENT_FEE), feePart: value(S.FEE_PREMIUM_PART),
    shortOption: value(S.SHORT_OPTION_INITIAL), shortOptionLeast: value(S.SHORT_OPTION_FLOOR),
    shortPutLeast: value(S.SHORT_OPTION_MAINTENANCE), perp: value(S.PERP_INITIAL),
    closingMark: value(S.CLOSING_MARK_PART), closingIndex: value(S.CLOSING_INDEX_PART), closingPerp: value(S.CLOSING_PERP_PART),
    band: value(S.PRICE_BAND), optionFloor: value(S.OPTION_FLOOR), gammaOverlay: value(S.GAMMA_OVERLAY),
    preset: values[S.PRESET] === S.VENUE17 ? 'venue17' : 'dense',
  };
}
