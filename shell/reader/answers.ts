// The answer to a query: an HTTP status and a JSON body. Bytes of a body are valid only during the call that passes
// them.

import { errorBody, refuse, statusOf, type Envelope, type Refusal } from '../http/errors.ts';
import type { ErrorCode } from '../http/shapes/error-codes.ts';
import type { PAGINATION, Shape } from '../http/shapes/shape.ts';

export type QueryAnswer = { readonly status: number; readonly body: string | Uint8Array };
export type GiveAnswer = (answer: QueryAnswer) => void;

export function ok(body: string | Uint8Array): QueryAnswer {
  return { status: 200, body };
}

/** Decision 6.1. */
export function okData<T = never>(data: NoInfer<T>): QueryAnswer {
  return ok(JSON.stringify({ success: true, data, error: null }));
}

/** A limit of 0 is shown as 1 (wire.md 0.1). */
export function pagination(limit: number, offset: number, count: number): Shape<typeof PAGINATION> {
  return { limit: Math.max(1, limit), offset, count };
}

export function refused(envelope: Envelope, code: ErrorCode, message: string): QueryAnswer {
  return { status: statusOf(code), body: errorBody(envelope, code, message) };
}

export function refusedAs({ code, message }: Refusal): QueryAnswer {
  return refused('bare', code, message);
}

export function behind(what: string): Refusal {
  return refuse('behind', `This node has not reached ${what} yet`);
}

export const HISTORY_BUSY = refuse('engine_busy', 'Too many reads are waiting for the history');

export function historyBusy(envelope: Envelope): QueryAnswer {
  return refused(envelope, HISTORY_BUSY.code, HISTORY_BUSY.message);
}
