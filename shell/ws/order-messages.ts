// Order entry messages: orders, replaces, amends and cancels, also in bulk (decision 7.2), CancelAll, VoidNonces,
// CancelAfter and SetCancelOnDisconnect (decision 7.3). Fields and rules are those of REST, plus an `id` that the
// answer repeats. OrderResult is the order update of REST; an HTTP error becomes REJECTED with its code as `error`.
// BulkOrderResult has `results`. ActionResult is the REST body plus `action`, the message type.

import { BULK_ITEMS } from '../../core/limits.ts';
import type { Action, Result } from '../api/action.ts';
import type { ApiContext } from '../api/context.ts';
import { errorText, resultText as itemText } from '../api/routes/bulk.ts';
import { AMEND, amendAction } from '../api/routes/amends.ts';
import { CANCEL, CANCEL_BY_CLOID, cancelAction, cancelByCloidAction } from '../api/routes/cancels.ts';
import { PLACE_BY_SOCKET, placeAction, REPLACE_BY_SOCKET, replaceAction } from '../api/routes/orders.ts';
import { CANCEL_QUOTES_FIELDS, cancelQuotesAction, MASS_QUOTE_FIELDS, massQuoteAction } from '../api/routes/quotes.ts';
import {
  CANCEL_AFTER_FIELDS, CANCEL_ALL_FIELDS, cancelAfterAction, cancelAllAction, DISCONNECT_FIELDS, disconnectAction, VOID_FIELDS,
  voidNoncesAction,
} from '../api/routes/safety.ts';
import { refusedQuotes } from '../http/bodies/quotes.ts';
import { extraOf, type Checked, type Refused } from '../http/errors.ts';
import type { Schema, FieldValues } from '../http/fields.ts';
import { readStrictBody } from '../http/unknown-fields.ts';
import type { JsonObject } from '../process/json-object.ts';
import type { RequestId } from './request-id.ts';

type ReadItem = (api: ApiContext, item: unknown, extraNames: readonly string[]) => Action | Refused;

/** `places`: the result states the new order's status. `action`: the message type, if it is about no single order. */
export type OrderMessageKind = { readonly list: string | null; readonly read: ReadItem; readonly places?: true; readonly action?: string;
  readonly quotes?: true;
};

function itemOf<S extends Schema>(schema: S, actionOf: (body: FieldValues<S>, api: ApiContext) => Action | Refused): ReadItem {
  return (api, item, extraNames) => {
    const body: Checked<FieldValues<S>> = readStrictBody(schema, item, extraNames);
    return body.ok ? actionOf(body.value, api) : body;
  };
}

const place = itemOf(PLACE_BY_SOCKET, (body, api) => placeAction(api, body, true));
const replace = itemOf(REPLACE_BY_SOCKET, replaceAction);
const amend = itemOf(AMEND, amendAction);
const cancel = itemOf(CANCEL, cancelAction);
const cancelByClientId = itemOf(CANCEL_BY_CLOID, cancelByCloidAction);

export const ORDER_MESSAGES: ReadonlyMap<string, OrderMessageKind> = new Map<string, OrderMessageKind>([
  ['PlaceOrder', { list: null, read: place, places: true }],
  ['BulkPlaceOrder', { list: 'orders', read: place }],
  ['ReplaceOrder', { list: null, read: replace, places: true }],
  ['BulkReplaceOrder', { list: 'replacements', read: replace }],
  ['AmendOrder', { list: null, read: amend }],
  ['BulkAmendOrder', { list: 'amends', read: amend }],
  ['CancelOrder', { list: null, read: cancel }],
  ['BulkCancelOrder', { list: 'cancels', read: cancel }],
  ['CancelOrderByClientId', { list: null, read: cancelByClientId }],
  ['BulkCancelOrderByClientId', { list: 'cancels', read: cancelByClientId }],
  ['CancelAll', { list: null, read: itemOf(CANCEL_ALL_FIELDS, cancelAllAction), action: 'CancelAll' }],
  ['MassQuote', { list: null, read: itemOf(MASS_QUOTE_FIELDS, (body, api) => massQuoteAction(api, body)), quotes: true }],
  ['CancelQuotes', { list: null, read: itemOf(CANCEL_QUOTES_FIELDS, cancelQuotesAction), action: 'CancelQuotes' }],
  ['VoidNonces', { list: null, read: itemOf(VOID_FIELDS, voidNoncesAction), action: 'VoidNonces' }],
  ['CancelAfter', { list: null, read: itemOf(CANCEL_AFTER_FIELDS, cancelAfterAction), action: 'CancelAfter' }],
  ['SetCancelOnDisconnect', { list: null, read: itemOf(DISCONNECT_FIELDS, disconnectAction), action: 'SetCancelOnDisconnect' }],
]);

const ENVELOPE_FIELDS = ['type', 'id'];

export type OrderMessage = { readonly kind: OrderMessageKind; readonly id: RequestId; readonly sent: JsonObject };

export function itemsOf({ kind: { list }, sent }: OrderMessage): Checked<readonly unknown[]> {
  if (list === null) return { ok: true, value: [sent] };
  const body = readStrictBody({ [list]: { kind: 'list', max: BULK_ITEMS } }, sent, ENVELOPE_FIELDS);
  return body.ok ? { ok: true, value: body.value[list] as readonly unknown[] } : body;
}

export function actionOf(api: ApiContext, { list, read }: OrderMessageKind, item: unknown): Action | Refused {
  return read(api, item, list === null ? ENVELOPE_FIELDS : []);
}

/** `seq`: what the answer includes, said by a node of a cluster; 0: not said. */
export function answerText(message: OrderMessage, results: readonly Result[], seq = 0): string {
  return message.kind.list === null ? resultText(message, results[0]!, seq) : bulkText(message.id, results, seq);
}

export function resultText({ kind: { action, places, quotes }, id, sent }: OrderMessage, result: Result, seq = 0): string {
  const head = { ...(quotes === true ? { type: 'QuoteResult', id } : headOf(action, id, sent)), ...asOf(seq) };
  if (!result.ok && quotes === true) {
    const body = JSON.parse(refusedQuotes(errorText(result))) as object;
    return JSON.stringify({ ...head, ...body, error: result.code, ...extraOf(result) });
  }
  if (!result.ok) {
    const { code: error, message } = result;
    const reason = errorText(result);
    const standing = places === true ? { order_status: 'rejected', end_reason: reason } : { order_status: null, end_reason: null };
    const refusal = action === undefined ? { order_id: null, status: 'REJECTED', reason, ...standing, error, filled_size: 0 }
      : { success: false, data: null, error, message };
    return JSON.stringify({ ...head, ...refusal, ...extraOf(result) });
  }
  // The nonce in the body may exceed a safe integer.
  const { body, isReplay } = result;
  return `${JSON.stringify(isReplay ? { ...head, replayed: true } : head).slice(0, -1)},${body.slice(1)}`;
}

function asOf(seq: number): object {
  return seq === 0 ? {} : { command_seq: seq };
}

function headOf(action: string | undefined, id: RequestId, { symbol, side, price, size }: JsonObject): object {
  if (action !== undefined) return { type: 'ActionResult', id, action };
  return { type: 'OrderResult', id, symbol: textOf(symbol), side: textOf(side), price: textOf(price), size: textOf(size) };
}

function textOf(sent: unknown): string | undefined {
  return typeof sent === 'string' ? sent : undefined;
}

function bulkText(id: RequestId, results: readonly Result[], seq: number): string {
  const limited = results.find((result): result is Refused => !result.ok && result.code === 'rate_limit_exceeded');
  const head = JSON.stringify({ type: 'BulkOrderResult', id, ...asOf(seq), ...limited?.extra });
  return `${head.slice(0, -1)},"results":[${results.map(itemText).join(',')}]}`;
}
