// Placing of orders that wait for a trigger (spec, extensions 2): checks up to the links, and funds. They bind no margin and are in no
// book, but have a pool slot and a holding row, so that firing never finds the venue full.

import { NO_FUNDS, OK, TOO_MANY_TRIGGERS } from '../errors.ts';
import { BYTE_ORDER_FLAGS, BYTE_TRIGGER_BY, DOUBLE_SIZE, FLAG_REDUCE_ONLY } from '../codec/commands.ts';
import { ORDER_UNTRIGGERED } from '../codec/events.ts';
import { positionsCap, triggersCap, type Views } from '../codec/record.ts';
import { holdOrder } from '../book/books.ts';
import { priceKeyOf } from '../book/price-key.ts';
import { enterUntriggered } from '../orders/orders.ts';
import { isUntriggered } from '../orders/untriggered.ts';
import { refuseManyReduceOnly } from './reduce-only.ts';
import { fillRest, takeHolding, writeOrder } from './taker.ts';
import type { Trading } from './context.ts';

export function isTriggerOrder(views: Views, at: number): boolean {
  return views.u8[at + BYTE_TRIGGER_BY] !== 0;
}

/** A reduce-only order may wait before its position exists, and needs no funds. */
export function judgeTrigger(trading: Trading, views: Views, at: number, replaced: number): number {
  const { accounts, candidate, orders } = trading;
  const { account } = candidate;
  candidate.size = views.f64[(at >>> 3) + DOUBLE_SIZE];
  if ((views.u8[at + BYTE_ORDER_FLAGS] & FLAG_REDUCE_ONLY) !== 0) {
    const refused = refuseManyReduceOnly(trading, replaced);
    if (refused !== OK) return refused;
  }
  const others = accounts.triggers[account] - (replaced !== 0 && isUntriggered(orders, replaced) ? 1 : 0);
  return judgeWait(trading, (views.u8[at + BYTE_ORDER_FLAGS] & FLAG_REDUCE_ONLY) !== 0, others, triggersCap(views, at));
}

export function judgeWait({ accounts, candidate }: Trading, isReduceOnly: boolean, others: number, most: number): number {
  if (!isReduceOnly && accounts.cash[candidate.account] <= 0) return NO_FUNDS;
  return most !== 0 && others >= most - 1 ? TOO_MANY_TRIGGERS : OK;
}

export function holdTrigger(trading: Trading, views: Views, at: number, id: number, time: number): void {
  const { accounts, books, candidate, holdings, orders, rest } = trading;
  const { account, instrument, price, side, size } = candidate;
  const holding = takeHolding(trading, account, instrument);
  const slot = holdOrder(books, instrument, side, priceKeyOf(price), account, id, size);
  fillRest(trading, views, at, holding, time);
  enterUntriggered(orders, holdings, accounts, slot, rest, views, at);
  orders.extended.mostPositions[slot] = positionsCap(views, at);
  writeOrder(trading, ORDER_UNTRIGGERED, id, slot, rest.tif, 0, size);
}
