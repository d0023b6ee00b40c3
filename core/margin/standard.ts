// Standard margin of one holding (MARGIN.md, "Standard mode"); for both modes an order's loss and fee. Requirements and reserves round up.
// Values round half away from zero, so that long and short are exact opposites.

import { BUY, CONTRACT } from '../units.ts';
import { CALL, PERP } from '../codec/commands.ts';
import { clampSafe, mulDivCeil, mulDivFloor, mulDivHalfUp, mulDivCeilWide } from '../math/exact.ts';
import { FEE_PREMIUM_PART, PERP_INITIAL, PERP_MAINTENANCE, PPM, SHORT_OPTION_FLOOR, SHORT_OPTION_INITIAL, SHORT_OPTION_MAINTENANCE,
  STALE_LONG_PART, TAKER_FEE, type Settings } from '../settings.ts';
import { PORTFOLIO } from '../accounts/accounts.ts';
import type { Instruments } from '../instruments/instruments.ts';
import { pendingFunding, type Funding } from '../positions/funding.ts';
import type { Holdings } from '../positions/holdings.ts';
import { youngerOrder, type Orders } from '../orders/orders.ts';
import { orderKey, orderRemaining, orderSide } from '../book/pool.ts';
import { priceOfKey } from '../book/price-key.ts';
import { isSurfaceStale, type Valuation } from '../valuation/valuation.ts';

export type MarginInputs = {
  readonly settings: Settings;
  readonly instruments: Instruments;
  readonly valuation: Valuation;
  readonly holdings: Holdings;
  readonly funding: Funding;
  readonly orders: Orders;
};

/** One contract. Perp: 5 % of mark. Short option: 7.5 % of the index, for a put of the mark if higher. */
function contractMaintenance(inputs: MarginInputs, instrument: number): number {
  const { settings, instruments, valuation } = inputs;
  const mark = valuation.mark[instrument];
  if (instruments.kind[instrument] === PERP) return mulDivCeil(mark, settings.values[PERP_MAINTENANCE], PPM);
  const spot = valuation.markIndex[instruments.underlying[instrument]];
  const base = instruments.kind[instrument] === CALL ? spot : Math.max(spot, mark);
  return mulDivCeil(base, settings.values[SHORT_OPTION_MAINTENANCE], PPM);
}

/**
 * One contract. Perp: 10 % of mark. Short option: 15 % of the index less the out-of-the-money part, at least 10 %; a put at least its
 * maintenance.
 */
export function contractInitial(inputs: MarginInputs, instrument: number): number {
  const { settings, instruments, valuation } = inputs;
  const { values } = settings;
  if (instruments.kind[instrument] === PERP) return mulDivCeil(valuation.mark[instrument], values[PERP_INITIAL], PPM);
  const spot = valuation.markIndex[instruments.underlying[instrument]];
  const strike = instruments.strike[instrument];
  const isCall = instruments.kind[instrument] === CALL;
  const outOfTheMoney = Math.max(0, isCall ? strike - spot : spot - strike);
  const initial = Math.max(
    mulDivCeil(spot, values[SHORT_OPTION_INITIAL], PPM) - outOfTheMoney,
    mulDivCeil(spot, values[SHORT_OPTION_FLOOR], PPM),
  );
  return isCall ? initial : Math.max(initial, contractMaintenance(inputs, instrument));
}

/** Option: what is short, or could become short. Perp: the largest possible position. */
export function marginedSize(kind: number, position: number, bidSize: number, askSize: number): number {
  if (kind === PERP) return largestPosition(position, bidSize, askSize);
  return Math.max(0, askSize - Math.max(0, position)) + Math.max(0, -position);
}

export function largestPosition(position: number, bidSize: number, askSize: number): number {
  return Math.max(Math.abs(position), Math.abs(position + bidSize), Math.abs(position - askSize));
}

export function marginAt(rate: number, size: number): number {
  return size === 0 ? 0 : mulDivCeilWide(rate, size, CONTRACT);
}

export function standardMaintenance(inputs: MarginInputs, instrument: number, position: number): number {
  const size = marginedSize(inputs.instruments.kind[instrument], position, 0, 0);
  return size === 0 ? 0 : marginAt(contractMaintenance(inputs, instrument), size);
}

/** Signed, at mark. */
export function positionValue(inputs: MarginInputs, instrument: number, position: number): number {
  return position === 0 ? 0 : mulDivHalfUp(position, inputs.valuation.mark[instrument], CONTRACT);
}

export function valueAtTheo(inputs: MarginInputs, instrument: number, position: number): number {
  return position === 0 ? 0 : mulDivHalfUp(position, inputs.valuation.theo[instrument], CONTRACT);
}

/** Stays in the exact range even if mark and theo values do not. */
export function quotedValue(inputs: MarginInputs, instrument: number, position: number): number {
  const { mark, theo } = inputs.valuation;
  if (mark[instrument] === theo[instrument]) return 0;
  return clampSafe(clampSafe(positionValue(inputs, instrument, position)) - clampSafe(valueAtTheo(inputs, instrument, position)));
}

/**
 * Standard: long options. Portfolio: the excess of mark over theo in the owner's favour, which quotes can create, and a part of a long
 * option whose volatility is stale.
 */
export function uncountedValue(inputs: MarginInputs, mode: number, instrument: number, position: number, value: number): number {
  const { instruments, settings, valuation } = inputs;
  const isPerp = instruments.kind[instrument] === PERP;
  if (mode !== PORTFOLIO) return isPerp ? 0 : Math.max(0, value);
  const quoted = Math.max(0, quotedValue(inputs, instrument, position));
  if (isPerp) return quoted;
  const counted = value - quoted;
  if (counted <= 0 || !isSurfaceStale(valuation, instrument)) return value - counted;
  return value - mulDivFloor(counted, settings.values[STALE_LONG_PART], PPM);
}

/** Option: its value. Perp: the profit of closing it at mark, funding included. */
export function equityValue(inputs: MarginInputs, holding: number): number {
  const { holdings, instruments } = inputs;
  const instrument = holdings.instrument[holding];
  const value = positionValue(inputs, instrument, holdings.position[holding]);
  if (instruments.kind[instrument] !== PERP) return value;
  return value - holdings.cost[holding] - pendingFunding(inputs.funding, holdings, holding);
}

/**
 * Rounded up: a rate on the notional, for an option at most a part of its premium (decision 2.7). `spot`: index of the marks, or settlement
 * price. `price`: of the fill, or the intrinsic value.
 */
export function feeOf(settings: Settings, rate: number, kind: number, spot: number, price: number, size: number): number {
  const part = settings.values[rate];
  if (part === 0) return 0;
  const fee = partOf(spot, size, part);
  return kind === PERP ? fee : Math.min(fee, partOf(price, size, settings.values[FEE_PREMIUM_PART]));
}

/** `part` millionths (at most all), rounded up once. Infinity beyond the exact range. */
function partOf(price: number, size: number, part: number): number {
  const amount = mulDivFloor(price, size, CONTRACT);
  if (amount === Infinity) return amount;
  // Fractions in 1e-6 and 1e-12 micros. Both products are below 1e12.
  const fraction = (price % CONTRACT) * (size % CONTRACT) % CONTRACT;
  const rest = (amount % PPM) * part % PPM;
  return mulDivFloor(amount, part, PPM) + Math.ceil((rest * CONTRACT + fraction * part) / (CONTRACT * PPM));
}

export function orderFee(inputs: MarginInputs, instrument: number, price: number, size: number): number {
  return fillFee(inputs, TAKER_FEE, instrument, price, size);
}

function fillFee(inputs: MarginInputs, rate: number, instrument: number, price: number, size: number): number {
  const { instruments, settings, valuation } = inputs;
  return feeOf(settings, rate, instruments.kind[instrument], valuation.markIndex[instruments.underlying[instrument]], price, size);
}

/** Against the mark, at least 0, plus the fee. */
export function orderLoss(inputs: MarginInputs, instrument: number, side: number, price: number, size: number): number {
  const mark = inputs.valuation.mark[instrument];
  const worse = side === BUY ? price - mark : mark - price;
  return (worse <= 0 ? 0 : mulDivCeilWide(worse, size, CONTRACT)) + orderFee(inputs, instrument, price, size);
}

export type PlannedTrade = { readonly instrument: number; readonly side: number; readonly price: number; readonly size: number };

/** Against `worth`, the mark or theo, with the fee of `rate`. Negative if the trade gains. */
export function closingLoss(inputs: MarginInputs, worth: number, rate: number, { instrument, side, price, size }: PlannedTrade): number {
  return mulDivHalfUp(side === BUY ? price - worth : worth - price, size, CONTRACT) + fillFee(inputs, rate, instrument, price, size);
}

/** Option bid: premium and fee, less the mark of the part `closing` that buys back a short, at least 0. Others: their loss. */
export function orderReserve(inputs: MarginInputs, instrument: number, side: number, price: number, size: number, closing: number): number {
  if (side !== BUY || inputs.instruments.kind[instrument] === PERP) return orderLoss(inputs, instrument, side, price, size);
  const premium = mulDivCeil(price, size, CONTRACT) + orderFee(inputs, instrument, price, size);
  return closing === 0 ? premium : Math.max(0, premium - mulDivFloor(inputs.valuation.mark[instrument], closing, CONTRACT));
}

/** What the holding's open orders reserve if its position is `position`. The oldest bids close a short first. */
export function holdingReserve(inputs: MarginInputs, holding: number, position: number): number {
  const { holdings, orders } = inputs;
  const instrument = holdings.instrument[holding];
  let closable = Math.max(0, -position);
  let total = 0;
  for (let slot = holdings.orderHead[holding]; slot !== 0; slot = youngerOrder(orders, slot)) {
    const side = orderSide(orders.books, slot);
    const size = orderRemaining(orders.books, slot);
    const closing = side === BUY ? Math.min(size, closable) : 0;
    closable -= closing;
    total += orderReserve(inputs, instrument, side, priceOfKey(orderKey(orders.books, slot)), size, closing);
  }
  return total;
}

export function holdingLoss(inputs: MarginInputs, holding: number): number {
  const { holdings, orders } = inputs;
  let total = 0;
  for (let slot = holdings.orderHead[holding]; slot !== 0; slot = youngerOrder(orders, slot)) {
    const price = priceOfKey(orderKey(orders.books, slot));
    total += orderLoss(inputs, holdings.instrument[holding], orderSide(orders.books, slot), price, orderRemaining(orders.books, slot));
  }
  return total;
}

/** By how much less the bids that close the short reserve; for each at most its own reserve. */
export function closingRelief(inputs: MarginInputs, holding: number, position: number): number {
  const { holdings, instruments, orders, valuation } = inputs;
  const instrument = holdings.instrument[holding];
  if (instruments.kind[instrument] === PERP) return 0;
  const mark = valuation.mark[instrument];
  let closable = holdings.bidSize[holding] === 0 ? 0 : -position;
  let total = 0;
  for (let slot = holdings.orderHead[holding]; slot !== 0 && closable > 0; slot = youngerOrder(orders, slot)) {
    if (orderSide(orders.books, slot) !== BUY) continue;
    const size = orderRemaining(orders.books, slot);
    const closing = Math.min(size, closable);
    closable -= closing;
    const whole = orderReserve(inputs, instrument, BUY, priceOfKey(orderKey(orders.books, slot)), size, 0);
    total += Math.min(whole, mulDivFloor(mark, closing, CONTRACT));
  }
  return total;
}
