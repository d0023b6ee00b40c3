// Greeks of positions and of contracts at the index, surface and time of the mark. Also runs in the trading page.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import { ACTIVE, type Instruments } from '../../../core/instruments/instruments.ts';
import { valueGreeks } from '../../../core/pricing/averaged.ts';
import { DELTA, GAMMA, GREEKS_LENGTH, THETA, VEGA } from '../../../core/pricing/black76.ts';
import { PPM } from '../../../core/settings.ts';
import type { Valuation } from '../../../core/valuation/valuation.ts';
import { micro } from '../micro.ts';
import type { PortfolioPart } from '../../http/shapes/messages.ts';

export type AccountGreeks = PortfolioPart<'GreeksUpdate'>;
export type GreeksLeg = AccountGreeks['per_leg'][number];

export const SIGMA = GREEKS_LENGTH;
/** Smaller greeks are shown as 0, not with a hundred decimals. */
const LEAST = 1e-15;

const greeks = new Float64Array(GREEKS_LENGTH);

export function writeContractGreeks(
  { instruments, valuation }: { readonly instruments: Instruments; readonly valuation: Valuation }, slot: number, out: Float64Array,
  row: number,
): void {
  out.fill(0, row, row + SIGMA + 1);
  if (instruments.status[slot] !== ACTIVE) return;
  if (instruments.kind[slot] === PERP) {
    out[row + DELTA] = 1;
    return;
  }
  const underlying = instruments.underlying[slot]!;
  const sigma = valuation.sigma[slot]! / PPM;
  valueGreeks(
    greeks, instruments.kind[slot] === CALL, valuation.markIndex[underlying]! / 1e6, instruments.strike[slot]! / 1e6,
    instruments.expiry[slot]!, valuation.markedAt[underlying]!, valuation.average[underlying]! / 1e6, sigma,
  );
  for (let i = 0; i < GREEKS_LENGTH; i++) out[row + i] = Math.abs(greeks[i]!) < LEAST ? 0 : greeks[i]!;
  out[row + SIGMA] = sigma;
}

export function legOf(symbol: string, quantity: number, values: Float64Array, row: number): GreeksLeg {
  const contracts = quantity / 1e6;
  const of = (greek: number): number => contracts * values[row + greek]! + 0;
  return {
    symbol, quantity: micro(quantity), delta: of(DELTA), gamma: of(GAMMA), theta: of(THETA), vega: of(VEGA), iv: values[row + SIGMA]!,
  };
}

/** The volatility is the vega-weighted mean, null without vega. */
export function aggregateOf(legs: readonly GreeksLeg[]): NonNullable<AccountGreeks['aggregate']> {
  const sum = (of: (leg: GreeksLeg) => number): number => legs.reduce((total, leg) => total + of(leg), 0);
  const weight = sum(({ vega }) => Math.abs(vega));
  const iv = weight > 0 ? sum((leg) => Math.abs(leg.vega) * leg.iv) / weight : null;
  return {
    delta: sum(({ delta }) => delta), gamma: sum(({ gamma }) => gamma), theta: sum(({ theta }) => theta), vega: sum(({ vega }) => vega), iv,
  };
}
