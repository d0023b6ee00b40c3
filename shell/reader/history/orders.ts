// Rows of GET /orders (wire.md 1.4) and OrderFacts for the api threads. Units 1e-6, times ms.

import { FLAG_MMP_OPT_OUT, FLAG_QUOTE, FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { HIGH } from '../../../core/codec/record.ts';
import { CLIENT_ID_BYTES } from '../../../core/limits.ts';
import { findOrder, orderAccount, orderId, orderInstrument, orderKey, orderRemaining, orderSide } from '../../../core/book/pool.ts';
import { priceOfKey } from '../../../core/book/price-key.ts';
import { findByClientId } from '../../../core/orders/names.ts';
import {
  olderOrder, orderCreatedAt, orderFlags, orderOriginal, orderTif, orderUpdatedAt, youngerOrder,
} from '../../../core/orders/orders.ts';
import { isUntriggered } from '../../../core/orders/untriggered.ts';
import type { State } from '../../../core/engine/state.ts';
import { endedStatus, openStatus, UNTRIGGERED, type Standing } from '../../http/bodies/order-status.ts';
import type { OrderRow } from '../../storage/history/protocol.ts';
import { termsIn, type OrderTerms } from '../../ipc/order-terms.ts';
import type { OrderFacts } from '../../ipc/queries.ts';
import { termsOfSlot } from './terms.ts';
import { accountOfWallet, instrumentType, isoText, micro, nameOfSlot, sideText, tifText, type Names } from '../text.ts';
import type { Order } from '../../http/shapes/trading.ts';

export function openOrdersOf(state: State, account: number): number[] {
  const slots: number[] = [];
  if (account < 0) return slots;
  const { holdings, orders } = state;
  for (let link = state.accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
    for (let slot = holdings.orderHead[link - 1]!; slot !== 0; slot = youngerOrder(orders, slot)) slots.push(slot);
    for (let slot = holdings.triggers[link - 1]!; slot !== 0; slot = olderOrder(orders, slot)) slots.push(slot);
  }
  return slots.sort((a, b) => orderId(state.books, b) - orderId(state.books, a));
}

export function isPartlyFilled(state: State, slot: number): boolean {
  return orderRemaining(state.books, slot) < orderOriginal(state.orders, slot);
}

/** -1 if it is not open or not the account's. */
export function openOrderOfId(state: State, account: number, id: number): number {
  const slot = findOrder(state.books, id >>> 0, Math.floor(id / HIGH));
  return slot > 0 && orderAccount(state.books, slot) === account ? slot : -1;
}

const clientIdBytes = new Uint8Array(CLIENT_ID_BYTES);
const clientIdWords = new Uint32Array(clientIdBytes.buffer);

/** -1 if it is not open. */
export function openOrderOfClientId(state: State, account: number, clientId: string): number {
  const bytes = Buffer.from(clientId);
  if (account < 0 || bytes.length === 0 || bytes.length > CLIENT_ID_BYTES) return -1;
  clientIdBytes.fill(0);
  clientIdBytes.set(bytes);
  return findByClientId(state.orders, account, clientIdWords, 0, bytes.length);
}

export function openFactsOf(state: State, names: Names, wallet: string, id: number): OrderFacts | null {
  const slot = openOrderOfId(state, accountOfWallet(state, wallet), id);
  return slot < 0 ? null : factsOfSlot(state, names, slot);
}

function factsOfSlot(state: State, names: Names, slot: number): OrderFacts {
  const { books, orders } = state;
  const size = orderOriginal(orders, slot);
  return {
    order_id: orderId(books, slot), symbol: names.symbol(orderInstrument(books, slot)), side: sideText(orderSide(books, slot)),
    price: micro(priceOfKey(orderKey(books, slot))), size: micro(size), filled_size: micro(size - orderRemaining(books, slot)),
    tif: tifText(orderTif(orders, slot)), created_at: orderCreatedAt(orders, slot), ...flagFacts(orderFlags(orders, slot)),
    ...nameFacts(orderFlags(orders, slot), nameOfSlot(state, slot)), ...termsOfSlot(state, slot),
  };
}

export function factsOfRow(row: OrderRow): OrderFacts {
  return {
    order_id: row.orderId, symbol: row.symbol, side: sideText(row.side), price: micro(row.price), size: micro(row.size),
    filled_size: micro(row.filled), tif: tifText(row.tif), created_at: row.createdAt, ...flagFacts(row.flags),
    ...nameFacts(row.flags, row.clientId), ...(row.terms !== '' && JSON.parse(row.terms) as OrderTerms),
  };
}

function nameFacts(flags: number, name: string): Pick<OrderFacts, 'client_id' | 'quote_set'> {
  return (flags & FLAG_QUOTE) === 0 ? { client_id: name } : { client_id: null, quote_set: name };
}

function flagFacts(flags: number): Pick<OrderFacts, 'mmp_enabled' | 'reduce_only'> {
  return { mmp_enabled: (flags & FLAG_MMP_OPT_OUT) === 0, reduce_only: (flags & FLAG_REDUCE_ONLY) !== 0 };
}

export function openOrderRow(state: State, names: Names, wallet: string, slot: number): Order {
  const filled = orderOriginal(state.orders, slot) - orderRemaining(state.books, slot);
  const standing = isUntriggered(state.orders, slot) ? UNTRIGGERED : openStatus(filled);
  return orderRow(wallet, factsOfSlot(state, names, slot), standing, isoText(orderUpdatedAt(state.orders, slot)));
}

export function doneOrderRow(wallet: string, row: OrderRow): Order {
  return orderRow(wallet, factsOfRow(row), endedStatus(row.reason), isoText(row.doneAt));
}

function orderRow(wallet: string, facts: OrderFacts, { status, endReason }: Standing, updatedAt: string): Order {
  return {
    order_id: facts.order_id, wallet_address: wallet, symbol: facts.symbol, side: facts.side, price: facts.price, size: facts.size,
    tif: facts.tif, status, created_at: facts.created_at, updated_at: updatedAt, filled_size: facts.filled_size,
    client_id: facts.client_id, reduce_only: facts.reduce_only, mmp_enabled: facts.mmp_enabled,
    instrument_type: instrumentType(facts.symbol), order_status: status, end_reason: endReason, ...termsIn(facts),
    ...(facts.quote_set !== undefined && { quote_set: facts.quote_set }),
  };
}
