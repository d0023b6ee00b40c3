// The fee of a fill or of a settlement: a rate on the underlying notional, for an option at most a part of its premium
// (decision 2.7). Prices 1e-6 USDC, sizes 1e-6 contracts, fees micros, rounded up. Never posts anything.

import { CONTRACT } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import { mulDivCeil } from '../math/exact.ts';
import { FEE_PREMIUM_PART, PPM, type Settings } from '../settings.ts';

/**
 * `rate`: MAKER_FEE, TAKER_FEE or SETTLEMENT_FEE; `spot`: the index of the marks, or the settlement price; `price`: of the
 * fill, or the intrinsic value that is paid.
 */
export function feeOf(settings: Settings, rate: number, kind: number, spot: number, price: number, size: number): number {
  const part = settings.values[rate];
  if (part === 0) return 0;
  const fee = mulDivCeil(mulDivCeil(spot, size, CONTRACT), part, PPM);
  if (kind === PERP) return fee;
  return Math.min(fee, mulDivCeil(mulDivCeil(price, size, CONTRACT), settings.values[FEE_PREMIUM_PART], PPM));
}
