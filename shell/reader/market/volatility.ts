// A contract's price and volatility, each from the other, at the index, average and time of its mark. Also runs in the trading page.

import { limitKeyOf, priceOfKey } from '../../../core/book/price-key.ts';
import { CALL, PERP } from '../../../core/codec/commands.ts';
import type { Instruments } from '../../../core/instruments/instruments.ts';
import { quotedSigma } from '../../../core/pricing/averaged.ts';
import { BUY, SELL, USDC } from '../../../core/units.ts';
import { optionValue, type Valuation } from '../../../core/valuation/valuation.ts';

type Marked = { readonly instruments: Instruments; readonly valuation: Valuation };

/** NaN where no volatility gives it, and for perps. */
export function volatilityOf({ instruments, valuation }: Marked, slot: number, price: number): number {
  if (instruments.kind[slot] === PERP) return NaN;
  const underlying = instruments.underlying[slot]!;
  return quotedSigma(
    instruments.kind[slot] === CALL, valuation.markIndex[underlying]! / USDC, instruments.strike[slot]! / USDC, instruments.expiry[slot]!,
    valuation.markedAt[underlying]!, valuation.average[underlying]! / USDC, price,
  );
}

/** USDC. `volatility` is a fraction. */
export function theoreticalPrice({ instruments, valuation }: Marked, slot: number, volatility: number): number {
  const underlying = instruments.underlying[slot]!;
  const index = valuation.markIndex[underlying]! / USDC;
  return optionValue(instruments, slot, index, valuation.markedAt[underlying]!, valuation.average[underlying]! / USDC, volatility);
}

/** A valid price near `price` (units, >= 1): never worse than it for `side`, the nearest without a side. */
export function limitPrice(price: number, side: 'Buy' | 'Sell' | undefined): number {
  const below = priceOfKey(limitKeyOf(price, BUY));
  const above = priceOfKey(limitKeyOf(price, SELL));
  if (side === undefined) return price - below < above - price ? below : above;
  return side === 'Buy' ? below : above;
}
