// Refusals of the HTTP interface and their bodies (interface.md "Errors", decisions 6.2, 6.4). A refusal is a value, never an exception.

import type { Responder, ResponseHeaders } from './message.ts';
import { STATUS, type ErrorCode } from './shapes/error-codes.ts';

export type Refusal = { readonly ok: false; readonly code: ErrorCode; readonly message: string };

export type Refused = Refusal & { readonly headers?: ResponseHeaders; readonly extra?: object | undefined };

export type Checked<T> = { readonly ok: true; readonly value: T } | Refused;

/** `api` routes answer {success, data, error}, also with errors (decision 6.1). */
export type Envelope = 'bare' | 'api';

export function refuse(code: ErrorCode, message: string): Refusal {
  return { ok: false, code, message };
}

export const BUSY = refuse('engine_busy', 'Too many requests in flight');
export const ANSWER_TIMEOUT = refuse('internal_error', 'No answer in time; a signed request may be sent again with the same nonce');
export const READ_TIMEOUT = refuse('engine_busy', 'No answer in time: reads are behind, ask again later');
export const INTERNAL = refuse('internal_error', 'Internal error');

export function statusOf(code: ErrorCode): number {
  return STATUS[code];
}

export const RETRY_LATER = { retry_after_secs: 1 };

export function extraOf({ code, extra }: Pick<Refused, 'code' | 'extra'>): object | undefined {
  return STATUS[code] === 503 ? { ...RETRY_LATER, ...extra } : extra;
}

export function errorBody(envelope: Envelope, code: ErrorCode, message: string, extra?: object): string {
  const frame = envelope === 'api' ? { success: false, data: null } : undefined;
  return JSON.stringify({ ...frame, error: code, message, ...extraOf({ code, ...(extra !== undefined && { extra }) }) });
}

export function sendRefusal(responder: Responder, envelope: Envelope, refused: Refused): void {
  sendError(responder, envelope, refused.code, refused.message, refused);
}

export const RETRY_AFTER = 'Retry-After';

export function sendError(
  responder: Responder, envelope: Envelope, code: ErrorCode, message: string,
  more: { readonly extra?: object | undefined; readonly headers?: ResponseHeaders } = {},
): void {
  responder.send(STATUS[code], errorBody(envelope, code, message, more.extra), more.headers ?? {});
}
