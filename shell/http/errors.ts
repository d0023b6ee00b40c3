// Every error code of the HTTP interface with its status, in one table, and the two shapes of an error body
// (interface.md "Errors", decisions 6.2 and 6.4). Engine rejections are not here: they are 200 with a reason.
// A refusal travels as a value, never as an exception.

import type { Responder, ResponseHeaders } from './message.ts';
import { STATUS, type ErrorCode } from './shapes/codes.ts';

/** Why something was refused: the code a program reads and the text a person reads. */
export type Refusal = { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** An HTTP error; `extra` are further keys of its body. */
export type Refused = Refusal & { readonly headers?: ResponseHeaders; readonly extra?: object | undefined };

/** A value, or why there is none. */
export type Checked<T> = { readonly ok: true; readonly value: T } | Refused;

/** `api` routes answer {success, data, error}; their errors carry those keys too (decision 6.1). */
export type Envelope = 'bare' | 'api';

export function refuse(code: ErrorCode, message: string): Refusal {
  return { ok: false, code, message };
}

/** Refusals that several places give. */
export const BUSY = refuse('engine_busy', 'Too many requests in flight');
export const LATE = refuse('internal_error', 'No answer in time; a signed request may be sent again with the same nonce');
/** A read acts on nothing: what it waits for is a reader that is behind, and it is asked again like any that found no room. */
export const LATE_READ = refuse('engine_busy', 'No answer in time: reads are behind, ask again later');
export const INTERNAL = refuse('internal_error', 'Internal error');

export function statusOf(code: ErrorCode): number {
  return STATUS[code];
}

/** When to come back where the venue cannot answer now, in the body: the header that says it is a 429's alone (decision 6.4). */
export const COME_BACK = { retry_after_secs: 1 };

/** What a refusal says beside its code and text. */
export function extraOf({ code, extra }: Pick<Refused, 'code' | 'extra'>): object | undefined {
  return STATUS[code] === 503 ? { ...COME_BACK, ...extra } : extra;
}

/** The JSON text of an error body; `extra` adds keys such as `limit`. */
export function errorBody(envelope: Envelope, code: ErrorCode, message: string, extra?: object): string {
  const frame = envelope === 'api' ? { success: false, data: null } : undefined;
  return JSON.stringify({ ...frame, error: code, message, ...extraOf({ code, ...(extra !== undefined && { extra }) }) });
}

export function sendRefusal(responder: Responder, envelope: Envelope, refused: Refused): void {
  sendError(responder, envelope, refused.code, refused.message, refused);
}

/** Says in how many seconds to come back: of an answer that is refused for a spent budget, and of no other. */
export const RETRY_AFTER = 'Retry-After';

/** Answers with the code's status, headers and body. */
export function sendError(
  responder: Responder, envelope: Envelope, code: ErrorCode, message: string,
  more: { readonly extra?: object | undefined; readonly headers?: ResponseHeaders } = {},
): void {
  responder.send(STATUS[code], errorBody(envelope, code, message, more.extra), more.headers ?? {});
}
