// The fee of a fill or of a settlement: a rate on the underlying notional, for an option at most a part of its premium
// (decision 2.7). Prices 1e-6 USDC, sizes 1e-6 contracts, fees micros, rounded up. Never posts anything.

import { CONTRACT } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import { mulDivFloor } from '../math/exact.ts';
import { FEE_PREMIUM_PART, PPM, type Settings } from '../settings.ts';

/**
 * `rate`: MAKER_FEE, TAKER_FEE or SETTLEMENT_FEE; `spot`: the index of the marks, or the settlement price; `price`: of the
 * fill, or the intrinsic value that is paid.
 */
export function feeOf(settings: Settings, rate: number, kind: number, spot: number, price: number, size: number): number {
  const part = settings.values[rate];
  if (part === 0) return 0;
  const fee = partOf(spot, size, part);
  return kind === PERP ? fee : Math.min(fee, partOf(price, size, settings.values[FEE_PREMIUM_PART]));
}

/** `part` millionths (at most all) of what `size` contracts come to at `price`; rounded up once, Infinity beyond the exact range. */
function partOf(price: number, size: number, part: number): number {
  const amount = mulDivFloor(price, size, CONTRACT);
  if (amount === Infinity) return amount;
  // Of the amount's fraction and of the fee's, in 1e-6 and 1e-12 micros; both products are below 1e12.
  const fraction = (price % CONTRACT) * (size % CONTRACT) % CONTRACT;
  const rest = (amount % PPM) * part % PPM;
  return mulDivFloor(amount, part, PPM) + Math.ceil((rest * CONTRACT + fraction * part) / (CONTRACT * PPM));
}
