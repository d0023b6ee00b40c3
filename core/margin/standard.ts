// Standard margin of one holding: no offsets between instruments, long options are no collateral.
// Source: margin.md, "Standard mode". Money and prices 1e-6 USDC, sizes 1e-6 contracts. Requirements and reserves
// round up, values to the nearest, a half away from zero (so a long and its short are opposite to the micro).

import { BUY, CONTRACT } from '../units.ts';
import { CALL } from '../codec/commands.ts';
import { mulDivCeil, mulDivFloor, mulDivHalfUp } from '../math/exact.ts';
import { PPM, SHORT_OPTION_FLOOR, SHORT_OPTION_INITIAL, SHORT_OPTION_MAINTENANCE, type Settings } from '../settings.ts';
import type { Instruments } from '../instruments/instruments.ts';
import type { Holdings } from '../positions/holdings.ts';
import type { Orders } from '../orders/orders.ts';
import { orderKey, orderRemaining, orderSide } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import type { Valuation } from '../valuation/valuation.ts';

/** What standard margin reads. */
export type MarginInputs = {
  readonly settings: Settings;
  readonly instruments: Instruments;
  readonly valuation: Valuation;
  readonly holdings: Holdings;
  readonly orders: Orders;
};

/** Maintenance of one short contract: 7.5 % of the index, for a put of the mark if that is more. */
function shortMaintenance(inputs: MarginInputs, instrument: number): number {
  const { settings, instruments, valuation } = inputs;
  const spot = valuation.markIndex[instruments.underlying[instrument]];
  const factor = settings.values[SHORT_OPTION_MAINTENANCE];
  const base = instruments.kind[instrument] === CALL ? spot : Math.max(spot, valuation.mark[instrument]);
  return mulDivCeil(base, factor, PPM);
}

/** Initial margin of one short contract: max(15 % of the index less the out-of-the-money part, 10 %); a put's at least its maintenance. */
export function shortInitial(inputs: MarginInputs, instrument: number): number {
  const { settings, instruments, valuation } = inputs;
  const spot = valuation.markIndex[instruments.underlying[instrument]];
  const strike = instruments.strike[instrument];
  const isCall = instruments.kind[instrument] === CALL;
  const outOfTheMoney = Math.max(0, isCall ? strike - spot : spot - strike);
  const values = settings.values;
  const initial = Math.max(
    mulDivCeil(spot, values[SHORT_OPTION_INITIAL], PPM) - outOfTheMoney,
    mulDivCeil(spot, values[SHORT_OPTION_FLOOR], PPM),
  );
  return isCall ? initial : Math.max(initial, shortMaintenance(inputs, instrument));
}

/** Short exposure of a position with open asks of `askSize`: what is short, and what the asks could make short. */
function shortExposure(position: number, askSize: number): number {
  return Math.max(0, askSize - Math.max(0, position)) + Math.max(0, -position);
}

/** Initial margin at `rate` for one short contract. */
export function initialMargin(rate: number, position: number, askSize: number): number {
  const exposure = shortExposure(position, askSize);
  return exposure === 0 ? 0 : mulDivCeil(rate, exposure, CONTRACT);
}

export function maintenanceMargin(inputs: MarginInputs, instrument: number, position: number): number {
  return position >= 0 ? 0 : mulDivCeil(shortMaintenance(inputs, instrument), -position, CONTRACT);
}

/** Value of a position at mark, signed. */
export function positionValue(inputs: MarginInputs, instrument: number, position: number): number {
  return position === 0 ? 0 : mulDivHalfUp(position, inputs.valuation.mark[instrument], CONTRACT);
}

/**
 * What one order takes from collateral: a bid its premium, less the mark of the part `closing` that buys back a short,
 * never below 0; an ask what it sells below the mark.
 */
export function orderReserve(mark: number, side: number, price: number, size: number, closing: number): number {
  if (side === BUY) {
    const premium = mulDivCeil(price, size, CONTRACT);
    return closing === 0 ? premium : Math.max(0, premium - mulDivFloor(mark, closing, CONTRACT));
  }
  return price >= mark ? 0 : mulDivCeil(mark - price, size, CONTRACT);
}

/** Reserves of all open orders of a holding, as if its position were `position`. Bids close a short oldest first. */
export function holdingReserve(inputs: MarginInputs, holding: number, position: number): number {
  const { holdings, orders, valuation } = inputs;
  const mark = valuation.mark[holdings.instrument[holding]];
  let closable = Math.max(0, -position);
  let total = 0;
  for (let slot = holdings.orderHead[holding]; slot !== 0; slot = orders.next[slot]) {
    const side = orderSide(orders.books, slot);
    const size = orderRemaining(orders.books, slot);
    const closing = side === BUY ? Math.min(size, closable) : 0;
    closable -= closing;
    total += orderReserve(mark, side, priceOfKey(orderKey(orders.books, slot)), size, closing);
  }
  return total;
}

/** What those reserves are less because bids close the short `position`: each at most its premium. */
export function closingRelief(inputs: MarginInputs, holding: number, position: number): number {
  const { holdings, orders, valuation } = inputs;
  const mark = valuation.mark[holdings.instrument[holding]];
  let closable = holdings.bidSize[holding] === 0 ? 0 : -position;
  let total = 0;
  for (let slot = holdings.orderHead[holding]; slot !== 0 && closable > 0; slot = orders.next[slot]) {
    if (orderSide(orders.books, slot) !== BUY) continue;
    const size = orderRemaining(orders.books, slot);
    const closing = Math.min(size, closable);
    closable -= closing;
    total += Math.min(mulDivCeil(priceOfKey(orderKey(orders.books, slot)), size, CONTRACT), mulDivFloor(mark, closing, CONTRACT));
  }
  return total;
}
