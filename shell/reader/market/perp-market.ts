// What the Hyperliquid dialect shows of all perps at once, in the order of their asset indexes.

import type { State } from '../../../core/engine/state.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import { impactPrice } from '../../../core/lifecycle/funding-rate.ts';
import { IMPACT_NOTIONAL, MAKER_FEE, PERP_INITIAL, PPM, TAKER_FEE } from '../../../core/settings.ts';
import { BUY, SELL, USDC } from '../../../core/units.ts';
import type { PerpMarket } from '../../http/shapes/perps.ts';
import type { Names } from '../text.ts';
import type { PricesByName } from './instruments.ts';
import { perpOf } from './perps.ts';
import type { Statistics } from './statistics.ts';

export function perpMarketOf(state: State, names: Names, statistics: Statistics, dayAgo: PricesByName, time: number): PerpMarket {
  const { instruments, settings: { values }, underlyings } = state;
  const perps = Array.from({ length: underlyingCount(underlyings) }, (_, at) => {
    const slot = instruments.perpOf[at]!;
    const impact = (side: number): number | null => (
      slot < 0 ? null : impactPrice(state.books, slot, side, values[IMPACT_NOTIONAL]!, null) / USDC || null
    );
    const before = dayAgo.get(names.underlying(at));
    return {
      underlying: names.underlying(at), perp: slot < 0 ? null : perpOf(state, names, statistics, slot, time),
      day_ago_price: before === undefined ? null : before / USDC, impact_bid_price: impact(BUY), impact_ask_price: impact(SELL),
    };
  });
  return {
    time, max_leverage: Math.max(1, Math.floor(PPM / values[PERP_INITIAL]!)), maker_fee: values[MAKER_FEE]! / PPM,
    taker_fee: values[TAKER_FEE]! / PPM, perps,
  };
}
