// Amends an order that waits for its trigger (spec, extensions 3). A smaller size at the same prices is not judged; any other change is
// judged as the placing of the order.

import { OK } from '../errors.ts';
import { DOUBLE_AMENDED_PRICE, DOUBLE_AMENDED_SIZE, DOUBLE_AMENDED_TRIGGER, FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { ORDER_AMENDED, ORDER_UNTRIGGERED } from '../codec/events.ts';
import { triggersCap, type Views } from '../codec/record.ts';
import { orderAccount, orderId, orderInstrument, orderKey, orderRemaining, orderSide } from '../book/pool.ts';
import { priceKeyOf } from '../book/price-key.ts';
import { holdingOf, orderFlags } from '../orders/orders.ts';
import { moveTrigger } from '../orders/untriggered.ts';
import { changeLifted } from './move-order.ts';
import { refuseClosed } from './modes.ts';
import { reducible, shrinkOrder } from './reduce-only.ts';
import { writeOpenOrder } from './remove-order.ts';
import { judgeWait } from './trigger-orders.ts';
import type { Trading } from './context.ts';

/** In place of a DONE_ code: the order waits, and the filled size is its trigger's price. */
export const WAITS = -2;

export function amendWaiting(trading: Trading, views: Views, at: number, slot: number, time: number): void {
  const { books, candidate, orders, result } = trading;
  const isJudged = readWaiting(trading, views, at, slot);
  const size = views.f64[(at >>> 3) + DOUBLE_AMENDED_SIZE];
  result.code = isJudged ? judgeWaiting(trading, views, at, slot, time) : OK;
  if (result.code !== OK) return;
  const trigger = triggerOf(trading, views, at, slot);
  result.numbers[0] = orderId(books, slot);
  result.numbers[1] = trigger;
  result.numbers[2] = candidate.price;
  result.numbers[3] = WAITS;
  if (isJudged) {
    changeLifted(trading, slot, priceKeyOf(candidate.price), size, time);
    if (trigger !== orders.extended.triggerPrice[slot]) moveTrigger(orders, slot, trigger);
    writeOpenOrder(trading, ORDER_AMENDED, slot, size);
    writeOpenOrder(trading, ORDER_UNTRIGGERED, slot, size);
  } else if (size < orderRemaining(books, slot)) shrinkOrder(trading, slot, size, time);
}

function triggerOf({ orders }: Trading, { f64 }: Views, at: number, slot: number): number {
  const asked = f64[(at >>> 3) + DOUBLE_AMENDED_TRIGGER];
  return asked === 0 ? orders.extended.triggerPrice[slot] : asked;
}

/** The candidate is cut to its position if reduce-only. True if it must be judged. */
export function readWaiting(trading: Trading, views: Views, at: number, slot: number): boolean {
  const { books, candidate, holdings, orders } = trading;
  const size = views.f64[(at >>> 3) + DOUBLE_AMENDED_SIZE];
  const row = holdingOf(orders, slot);
  const side = orderSide(books, slot);
  candidate.account = orderAccount(books, slot);
  candidate.instrument = orderInstrument(books, slot);
  candidate.row = row;
  candidate.side = side;
  candidate.price = views.f64[(at >>> 3) + DOUBLE_AMENDED_PRICE];
  candidate.size = isReduceOnly(trading, slot) ? Math.min(size, reducible(holdings.position[row], side)) : size;
  return size > orderRemaining(books, slot) || priceKeyOf(candidate.price) !== orderKey(books, slot)
    || triggerOf(trading, views, at, slot) !== orders.extended.triggerPrice[slot];
}

/** The checks of its placing, except client id, link and number of reduce-only orders. */
function judgeWaiting(trading: Trading, views: Views, at: number, slot: number, time: number): number {
  const { accounts, candidate } = trading;
  const closed = refuseClosed(trading, time);
  if (closed !== OK) return closed;
  return judgeWait(trading, isReduceOnly(trading, slot), accounts.triggers[candidate.account] - 1, triggersCap(views, at));
}

function isReduceOnly({ orders }: Trading, slot: number): boolean {
  return (orderFlags(orders, slot) & FLAG_REDUCE_ONLY) !== 0;
}
