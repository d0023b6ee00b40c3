// A batch: up to BATCH_ITEMS orders, replaces and cancels under one signature and nonce, in one command. Each item does what its own
// command would do, by the same functions, and fails alone.

import { assert } from '../assert.ts';
import { INVALID_SCHEDULE, MAX_OPEN_ORDERS, MAX_POSITIONS, NO_ENTRY, NOT_OPEN, OK, TOO_LATE } from '../errors.ts';
import { batchItems, ITEM_NUMBERS, ITEM_PAID, itemsAt, unpackItem } from '../codec/batch-items.ts';
import { BYTE_LINK_ID, BYTE_ORDER_CLIENT_ID, BYTE_ORDER_FLAGS, CANCEL_AFTER, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, DOUBLE_BATCH_OPEN,
  DOUBLE_BATCH_POSITIONS, DOUBLE_BATCH_TRIGGERS, DOUBLE_BATCH_UNTIL, DOUBLE_TIMEOUT, FLAG_ENTRY, PLACE_ORDER, readSafe, REPLACE_ORDER,
  SET_LEVERAGE, WORD_REPLACED_ID, writeSafe } from '../codec/commands.ts';
import { ACCOUNT, BATCH_ITEM, emit, ITEM_PLACE, ITEM_SLOTS } from '../codec/events.ts';
import { recordCode, recordKind, type Views } from '../codec/record.ts';
import { BATCH_ITEMS, CLIENT_ID_BYTES, SCHEDULE_AHEAD } from '../limits.ts';
import { orderId } from '../book/pool.ts';
import { copyGroupId, isEntry } from '../orders/extended.ts';
import { clientIdLength, findByClientId } from '../orders/names.ts';
import { isExtended } from '../orders/orders.ts';
import { cancelByClientId, cancelById } from './cancel.ts';
import { setLeverage } from './leverage.ts';
import { placeOrder } from './place.ts';
import { writeRefusal } from './refusal.ts';
import { replaceOrder } from './replace.ts';
import { checkRoom, ownOrder } from './room.ts';
import { setCancelAfter } from './timers.ts';
import type { Trading } from './context.ts';

const scratch = { entryFailed: false };

type Caps = { readonly tier: number; readonly mostOpen: number; readonly mostPositions: number };

/** Result: OK with the numbers of items and of refused ones, and the answers; or TOO_LATE. */
export function applyBatch(trading: Trading, views: Views, at: number, account: number, time: number): void {
  const { accounts, events, item, result, taker } = trading;
  const double = at >>> 3;
  const until = views.f64[double + DOUBLE_BATCH_UNTIL];
  if (until !== 0 && until <= time) {
    result.code = TOO_LATE;
    return;
  }
  const items = batchItems(views, at);
  assert(items <= BATCH_ITEMS, 'batch: a batch has a bounded number of items');
  const mostPositions = views.f64[double + DOUBLE_BATCH_POSITIONS];
  const mostTriggers = views.f64[double + DOUBLE_BATCH_TRIGGERS];
  const caps = { tier: accounts.tier[account], mostOpen: views.f64[double + DOUBLE_BATCH_OPEN], mostPositions };
  let from = itemsAt(views, at);
  let refused = 0;
  scratch.entryFailed = false;
  for (let place = 0; place < items; place++) {
    from = unpackItem(views, at, from, item, mostTriggers, mostPositions);
    events.slots[ACCOUNT] = account;
    events.slots[ITEM_PLACE] = place;
    emit(events, BATCH_ITEM, ITEM_SLOTS);
    result.code = recordCode(item, 0);
    result.numbers.fill(0);
    taker.paid = 0;
    if (result.code === OK) applyItem(trading, caps, account, time);
    if (result.code !== OK) refused++;
    answerItem(trading);
  }
  assert(from === at + views.u32[at >>> 2], 'batch: its items end with its record');
  result.code = OK;
  result.hasImage = false;
  result.numbers.fill(0);
  result.numbers[0] = items;
  result.numbers[1] = refused;
}

/** A refused item has the event of a refused command; one with a failed value check has none. */
function applyItem(trading: Trading, caps: Caps, account: number, time: number): void {
  const { item, result } = trading;
  const kind = recordKind(item, 0);
  switch (kind) {
    case PLACE_ORDER: placeItem(trading, caps, account, time); break;
    case REPLACE_ORDER: replaceItem(trading, caps, account, time); break;
    case CANCEL_ORDER: cancelById(trading, item, 0, account, time); break;
    case CANCEL_BY_CLIENT_ID: cancelByClientId(trading, item, 0, account, time); break;
    case CANCEL_AFTER: scheduleCancel(trading, account, time); break;
    case SET_LEVERAGE: setLeverage(trading, item, 0, account); break;
    default: throw new RangeError(`batch: a command of kind ${kind} is no item`);
  }
  if (result.code !== OK) writeRefusal(trading, account, kind);
}

function placeItem(trading: Trading, caps: Caps, account: number, time: number): void {
  const { item, result } = trading;
  const isEntry = (item.u8[BYTE_ORDER_FLAGS] & FLAG_ENTRY) !== 0;
  if (scratch.entryFailed && !isEntry && item.u8[BYTE_LINK_ID] !== 0) {
    result.code = NO_ENTRY;
    return;
  }
  if (hasRoom(trading, caps, account, 0)) placeOrder(trading, item, 0, account, time);
  const [, filled, , ended] = result.numbers;
  if (isEntry) scratch.entryFailed = result.code !== OK || (ended !== 0 && filled === 0);
}

/** Order id 0: the order whose client id the new one has. The new one keeps the client id and the link, unless it names others. */
function replaceItem(trading: Trading, caps: Caps, account: number, time: number): void {
  const { books, item, orders, result } = trading;
  if (readSafe(item, WORD_REPLACED_ID) === 0) {
    const length = item.u8[BYTE_ORDER_CLIENT_ID];
    const slot = length === 0 ? 0 : findByClientId(orders, account, item.u32, (BYTE_ORDER_CLIENT_ID + 4) >>> 2, length);
    if (slot <= 0) {
      result.code = NOT_OPEN;
      return;
    }
    writeSafe(item, WORD_REPLACED_ID, orderId(books, slot));
  }
  const replaced = ownOrder(trading, item, WORD_REPLACED_ID, account);
  if (replaced !== 0) keepNames(trading, replaced);
  if (replaced === 0 || hasRoom(trading, caps, account, replaced)) replaceOrder(trading, item, 0, account, time);
}

function keepNames({ item, orders }: Trading, replaced: number): void {
  const { u8 } = item;
  if (u8[BYTE_ORDER_CLIENT_ID] === 0) {
    const length = clientIdLength(orders, replaced);
    u8[BYTE_ORDER_CLIENT_ID] = length;
    for (let i = 0; i < length; i++) u8[BYTE_ORDER_CLIENT_ID + 4 + i] = orders.idBytes[replaced * CLIENT_ID_BYTES + i];
  }
  if (u8[BYTE_LINK_ID] !== 0 || !isExtended(orders, replaced)) return;
  u8[BYTE_LINK_ID] = copyGroupId(orders.extended, replaced, u8, BYTE_LINK_ID + 4);
  if (isEntry(orders.extended, replaced)) u8[BYTE_ORDER_FLAGS] |= FLAG_ENTRY;
}

/** An item names the time itself, because its client cannot know when it is sequenced; 0: off. */
function scheduleCancel(trading: Trading, account: number, time: number): void {
  const { item, result } = trading;
  const at = item.f64[DOUBLE_TIMEOUT];
  const [least, most] = SCHEDULE_AHEAD;
  if (at !== 0 && (at < time + least || at > time + most)) {
    result.code = INVALID_SCHEDULE;
    return;
  }
  if (at !== 0) item.f64[DOUBLE_TIMEOUT] = at - time;
  setCancelAfter(trading, item, 0, account, time);
}

function hasRoom(trading: Trading, caps: Caps, account: number, replaced: number): boolean {
  const { item, result } = trading;
  result.code = checkRoom(trading, caps, item, 0, account, replaced);
  if (result.code === MAX_OPEN_ORDERS) result.numbers[0] = caps.mostOpen;
  if (result.code === MAX_POSITIONS) result.numbers[0] = caps.mostPositions;
  return result.code === OK;
}

function answerItem({ result, taker }: Trading): void {
  const { answers, numbers } = result;
  answers[result.answered] = result.code;
  for (let i = 0; i < 4; i++) answers[result.answered + 1 + i] = numbers[i];
  answers[result.answered + ITEM_PAID] = taker.paid;
  result.answered += ITEM_NUMBERS;
}
