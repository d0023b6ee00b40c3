// Prices of quotes around marks, from a width and a skew in volatility points, by the core. The mark moves by what the value changes with
// volatility: no width, the mark itself.

import { PERP } from '../../../core/codec/commands.ts';
import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { limitKeyOf, priceOfKey } from '../../../core/book/price-key.ts';
import { ACTIVE } from '../../../core/instruments/instruments.ts';
import { PPM } from '../../../core/settings.ts';
import { BUY, SELL, USDC } from '../../../core/units.ts';
import { optionValue } from '../../../core/valuation/valuation.ts';
import type { AccountState } from '../../../shell/reader/account/simulated-account.ts';
import type { RiskInputs } from '../../src/main.ts';
import { rebuild } from './rebuild.ts';

/** Points: 1 is 0.01. `width`: bid to ask; `skew` moves both. */
type QuoteShape = { readonly width: number; readonly skew: number };
type QuotePrice = { readonly symbol: string; readonly bid: string | null; readonly ask: string | null };

const POINT = 0.01;
const LEAST_PRICE = 1;

export function quotePrices(inputs: RiskInputs, shape: QuoteShape): readonly QuotePrice[] {
  const state = rebuild({ ...inputs, holdings: [] });
  const { kind, status } = state.instruments;
  return inputs.contracts.flatMap(({ symbol }, slot) => (
    kind[slot] === PERP || status[slot] !== ACTIVE ? [] : [{ symbol, ...pricesOf(state, slot, shape) }]
  ));
}

function pricesOf(state: AccountState, slot: number, { skew, width }: QuoteShape): Omit<QuotePrice, 'symbol'> {
  const lower = shiftedMark(state, slot, skew - width / 2);
  const ask = limitKeyOf(Math.max(LEAST_PRICE, shiftedMark(state, slot, skew + width / 2)), SELL);
  // Volatility hardly counts: both sides would meet.
  const bid = lower < LEAST_PRICE ? 0 : Math.min(limitKeyOf(lower, BUY), ask - 1);
  return { bid: bid < 1 ? null : textOf(bid), ask: textOf(ask) };
}

function shiftedMark({ instruments, valuation }: AccountState, slot: number, points: number): number {
  const underlying = instruments.underlying[slot]!;
  const spot = valuation.markIndex[underlying]! / USDC;
  const average = valuation.average[underlying]! / USDC;
  const sigma = valuation.sigma[slot]! / PPM;
  const valueAt = (volatility: number): number => (
    optionValue(instruments, slot, spot, valuation.markedAt[underlying]!, average, Math.max(0, volatility))
  );
  return valuation.mark[slot]! + Math.round((valueAt(sigma + points * POINT) - valueAt(sigma)) * USDC);
}

function textOf(key: number): string {
  return formatDecimal(priceOfKey(key), DECIMALS);
}
