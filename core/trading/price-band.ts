// Price bands around the mark (docs/spec, extensions 7), in 1e-6 USDC. The widest counts: a part of the mark (0: off), volatility points of
// an option, or the closing distance of a liquidation. The venue's own orders are exempt.

import { BUY, SELL } from '../units.ts';
import { OK, OUTSIDE_BAND } from '../errors.ts';
import { MAX_PRICE } from '../limits.ts';
import { PPM, PRICE_BAND, PRICE_BAND_VOL } from '../settings.ts';
import { mulDivFloor } from '../math/exact.ts';
import { limitKeyOf, priceOfKey } from '../book/price-key.ts';
import { closingDistance } from '../margin/order-check.ts';
import type { MarginInputs } from '../margin/standard.ts';
import { vegaOf } from '../valuation/valuation.ts';
import type { Trading } from './context.ts';

const PPM_A_POINT = PPM / 100;

/** OUTSIDE_BAND comes with both bounds as numbers. */
export function refuseOutsideBand(trading: Trading): number {
  if (trading.settings.values[PRICE_BAND] === 0) return OK;
  const { instrument, price, side } = trading.candidate;
  if (side === BUY ? price <= bandLimit(trading, instrument, BUY) : price >= bandLimit(trading, instrument, SELL)) return OK;
  const { numbers } = trading.result;
  numbers[0] = bandLimit(trading, instrument, SELL);
  numbers[1] = bandLimit(trading, instrument, BUY);
  return OUTSIDE_BAND;
}

/** A candidate whose trigger has fired is moved to the end of its band. */
export function cutToBand(trading: Trading): void {
  if (trading.settings.values[PRICE_BAND] === 0) return;
  const { candidate } = trading;
  const limit = bandLimit(trading, candidate.instrument, candidate.side);
  if (candidate.side === BUY ? candidate.price > limit : candidate.price < limit) candidate.price = limit;
}

/** The highest price of a bid, the lowest of an ask: valid prices, rounded inwards. */
export function bandLimit(margin: MarginInputs, instrument: number, side: number): number {
  const mark = margin.valuation.mark[instrument];
  const distance = bandDistance(margin, instrument);
  const bound = side === BUY ? Math.min(MAX_PRICE, mark + distance) : mark - distance;
  return priceOfKey(limitKeyOf(Math.max(1, bound), side));
}

function bandDistance(margin: MarginInputs, instrument: number): number {
  const { settings: { values }, valuation } = margin;
  const part = mulDivFloor(valuation.mark[instrument], values[PRICE_BAND], PPM);
  const ofVega = mulDivFloor(vegaOf(valuation, instrument), values[PRICE_BAND_VOL], PPM_A_POINT);
  return Math.max(part, ofVega, closingDistance(margin, instrument));
}
