// The smile of one expiry: volatility of the venue's surface, mark, bid, ask and own orders at each strike, as the venue's fractions.

import type { ChainLeg, OptionSummary, RiskInputs, Side } from '../../../src/main.ts';

/** Out of the money, whose price tells volatility best, or one kind. */
export type Legs = 'outside' | 'calls' | 'puts';
type SmileRow = {
  readonly strike: number;
  readonly call: ChainLeg | null; readonly put: ChainLeg | null;
  readonly callSummary: OptionSummary | null; readonly putSummary: OptionSummary | null;
};
export type SmilePoint = {
  readonly strike: number; readonly symbol: string;
  readonly mark: number | null; readonly bid: number | null; readonly ask: number | null;
};
export type OwnQuote = { readonly strike: number; readonly symbol: string; readonly side: Side; readonly volatility: number };
export type SurfaceLine = ReadonlyMap<string, number>;
/** Strikes, then surface, mark, bid, ask, own bid and own ask, %. */
type SmileColumns = [number[], ...(number | null)[][]];

export function smilePoints(rows: readonly SmileRow[], index: number, legs: Legs): readonly SmilePoint[] {
  const points: SmilePoint[] = [];
  for (const { call, callSummary, put, putSummary, strike } of rows) {
    const isCall = legs === 'calls' || (legs === 'outside' && strike >= index);
    const [leg, summary] = isCall ? [call, callSummary] : [put, putSummary];
    if (leg !== null) points.push({ strike, symbol: leg.symbol, mark: summary?.mark_iv ?? null, bid: leg.bid_iv, ask: leg.ask_iv });
  }
  return points;
}

export function surfaceOf({ contracts }: RiskInputs): SurfaceLine {
  return new Map(contracts.filter((one) => !one.is_surface_stale).map(({ symbol, volatility }) => [symbol, Number(volatility)]));
}

export function symbolsNear(points: readonly SmilePoint[], index: number, most: number): readonly string[] {
  const from = points.findIndex(({ strike }) => strike >= index);
  const middle = from < 0 ? points.length : from;
  const first = Math.max(0, Math.min(middle - most / 2, points.length - most));
  return points.slice(first, first + most).map(({ symbol }) => symbol);
}

type VolatilityAt = (symbol: string, price: string) => number | null;

export function ownQuotes({ holdings }: RiskInputs, points: readonly SmilePoint[], volatilityAt: VolatilityAt): readonly OwnQuote[] {
  const own: OwnQuote[] = [];
  for (const { strike, symbol } of points) {
    for (const { price, side } of holdings.find((one) => one.symbol === symbol)?.orders ?? []) {
      const volatility = volatilityAt(symbol, price);
      if (volatility !== null) own.push({ strike, symbol, side, volatility });
    }
  }
  return own;
}

export function columnsOf(points: readonly SmilePoint[], own: readonly OwnQuote[], surface: SurfaceLine): SmileColumns {
  const strikes: number[] = [];
  const series: (number | null)[][] = [[], [], [], [], [], []];
  const add = (strike: number, values: readonly (number | null)[]): void => {
    strikes.push(strike);
    values.forEach((value, at) => series[at]!.push(value === null ? null : 100 * value));
  };
  for (const { ask, bid, mark, strike, symbol } of points) {
    add(strike, [surface.get(symbol) ?? null, mark, bid, ask, null, null]);
    for (const { side, volatility } of own.filter((one) => one.strike === strike)) {
      add(strike, [null, null, null, null, side === 'Buy' ? volatility : null, side === 'Sell' ? volatility : null]);
    }
  }
  return [strikes, ...series];
}
