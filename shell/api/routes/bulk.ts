// Many orders, replaces, amends or cancels in one request (interface.md, bulk; decision 3.7). Each item is signed and fails alone. The
// request fails only if every item exceeds its rate limit.

import { AMEND_ORDER, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, PLACE_ORDER, REPLACE_ORDER } from '../../../core/codec/commands.ts';
import { BULK_ITEMS } from '../../../core/limits.ts';
import type { Action, Result } from '../action.ts';
import type { ApiContext } from '../context.ts';
import { Submission } from '../submit.ts';
import { RETRY_AFTER, sendError, type Checked, type Refused } from '../../http/errors.ts';
import { readBody, type Schema, type FieldValues } from '../../http/fields.ts';
import { hintIn } from '../../http/hints.ts';
import type { HttpRequest, Responder, ResponseHeaders } from '../../http/message.ts';
import { REMAINING } from '../../http/rate-headers.ts';
import { isCompat, route, type Route } from '../../http/router.ts';
import { readStrictBody } from '../../http/unknown-fields.ts';
import { AMEND, amendAction } from './amends.ts';
import { CANCEL, CANCEL_BY_CLOID, cancelAction, cancelByCloidAction } from './cancels.ts';
import { PLACE, placeAction, REPLACE, replaceAction } from './orders.ts';
import { commandRow } from './signed.ts';

const ADDRESS_CHARS = 42;

const ORDERS = { orders: { kind: 'list', max: BULK_ITEMS, items: PLACE } } as const;
const REPLACEMENTS = { replacements: { kind: 'list', max: BULK_ITEMS, items: REPLACE } } as const;
const AMENDS = { amends: { kind: 'list', max: BULK_ITEMS, items: AMEND } } as const;
const CANCELS = { cancels: { kind: 'list', max: BULK_ITEMS, items: CANCEL } } as const;
const CLOID_CANCELS = { cancels: { kind: 'list', max: BULK_ITEMS, items: CANCEL_BY_CLOID } } as const;

export function bulkRoutes(api: ApiContext): readonly Route[] {
  const row = { envelope: 'bare', compat: 'order', path: '/bulk_order' } as const;
  return [
    route({
      ...row, ...commandRow(PLACE_ORDER), method: 'POST', doc: 'Places up to 50 orders.', body: ORDERS,
      handler: ({ request, body }, responder) => (
        run(api, request, responder, PLACE, body.orders, (item) => placeAction(api, item))
      ),
    }),
    route({
      ...row, ...commandRow(REPLACE_ORDER), method: 'PUT', doc: 'Replaces up to 50 open orders.', body: REPLACEMENTS,
      handler: ({ request, body }, responder) => (
        run(api, request, responder, REPLACE, body.replacements, replaceAction)
      ),
    }),
    route({
      envelope: 'bare', path: '/bulk_amend', ...commandRow(AMEND_ORDER), method: 'PUT', doc: 'Amends up to 50 open orders.', body: AMENDS,
      handler: ({ request, body }, responder) => (
        run(api, request, responder, AMEND, body.amends, amendAction)
      ),
    }),
    route({
      ...row, ...commandRow(CANCEL_ORDER), method: 'DELETE', doc: 'Cancels up to 50 open orders by their ids.', body: CANCELS,
      handler: ({ request, body }, responder) => (
        run(api, request, responder, CANCEL, body.cancels, cancelAction)
      ),
    }),
    route({
      ...row, ...commandRow(CANCEL_BY_CLIENT_ID), method: 'DELETE', path: '/bulk_order_cloid', body: CLOID_CANCELS,
      doc: 'Cancels up to 50 open orders by their client ids.',
      handler: ({ request, body }, responder) => (
        run(api, request, responder, CANCEL_BY_CLOID, body.cancels, cancelByCloidAction)
      ),
    }),
  ];
}

function run<S extends Schema>(
  api: ApiContext, request: HttpRequest, responder: Responder, schema: S, items: readonly unknown[],
  actionOf: (item: FieldValues<S>) => Action | Refused,
): void {
  const readItem = isCompat(request.path) ? readBody : readStrictBody;
  const makers = items.map((item) => () => {
    const body: Checked<FieldValues<S>> = readItem(schema, item);
    return body.ok ? actionOf(body.value) : body;
  });
  new Submission(api, request, makers, true, (results, seq) => {
    responder.seq = seq;
    answer(responder, items, results);
  }).start();
}

function answer(responder: Responder, items: readonly unknown[], results: readonly Result[]): void {
  const limited = results.filter((result): result is Refused => !result.ok && result.code === 'rate_limit_exceeded');
  if (limited.length === results.length) return sendError(responder, 'bare', 'rate_limit_exceeded', limited[0]!.message, limited[0]);
  responder.send(200, `{"results":[${results.map(resultText).join(',')}]}`, leastLeft(items, results));
}

/** The body stays text: its nonce may exceed a safe integer. */
export function resultText(result: Result, index: number): string {
  if (!result.ok) return JSON.stringify({ index, success: false, error: errorText(result), ...hintIn(result.extra) });
  const { body, reason, isReplay } = result;
  const error = reason === null ? '' : `,"error":${JSON.stringify(reason)}`;
  return `{"index":${index},"success":${reason === null},"data":${body}${error}${isReplay ? ',"replayed":true' : ''}}`;
}

export function errorText({ code, message }: Refused): string {
  switch (code) {
    case 'rate_limit_exceeded': return code;
    case 'engine_busy': return 'Failed to send order to engine';
    case 'internal_error': return 'No response from engine';
    default: return message;
  }
}

/** Headers of the tightest budget. A wallet's last item counts, because replays are refunded. */
function leastLeft(items: readonly unknown[], results: readonly Result[]): ResponseHeaders {
  const last = new Map<string, ResponseHeaders>();
  results.forEach(({ headers }, at) => {
    if (headers?.[REMAINING] !== undefined) last.set(walletOf(items[at]), headers);
  });
  const left = (headers: ResponseHeaders): number => Number(headers[REMAINING] ?? Infinity);
  const { [RETRY_AFTER]: _, ...headers } = [...last.values()].reduce((a, b) => (left(b) < left(a) ? b : a), {});
  return headers;
}

export function walletOf(item: unknown): string {
  const { wallet } = (item ?? {}) as { wallet?: unknown };
  return typeof wallet === 'string' ? wallet.slice(0, ADDRESS_CHARS).toLowerCase() : '';
}
