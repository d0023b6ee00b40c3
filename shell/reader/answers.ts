// What a query is answered with: a status and a JSON body, as they go to the client. Bytes are lent: whoever gets them copies what is
// to last longer than the call that brings them.

import { errorBody, refuse, statusOf, type Envelope } from '../http/errors.ts';
import type { ErrorCode } from '../http/shapes/codes.ts';
import type { PAGINATION, Shape } from '../http/shapes/shape.ts';

export type Answer = { readonly status: number; readonly body: string | Uint8Array };
export type GiveAnswer = (answer: Answer) => void;

export function ok(body: string | Uint8Array): Answer {
  return { status: 200, body };
}

/** An answer of 200 as {success, data, error} (decision 6.1); the caller names the shape of its data. */
export function okData<T = never>(data: NoInfer<T>): Answer {
  return ok(JSON.stringify({ success: true, data, error: null }));
}

/** What a page says of itself: the limit in force, which nobody who pages can take as 0; such a page is empty (wire.md 0.1). */
export function pagination(limit: number, offset: number, count: number): Shape<typeof PAGINATION> {
  return { limit: Math.max(1, limit), offset, count };
}

export function refused(envelope: Envelope, code: ErrorCode, message: string): Answer {
  return { status: statusOf(code), body: errorBody(envelope, code, message) };
}

export const HISTORY_BUSY = refuse('engine_busy', 'Too many reads are waiting for the history');

export function historyBusy(envelope: Envelope): Answer {
  return refused(envelope, HISTORY_BUSY.code, HISTORY_BUSY.message);
}
