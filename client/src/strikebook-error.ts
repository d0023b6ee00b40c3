// The error that this library throws. Its code is the venue's, or the library's own if no answer came.

import { CODES, type ErrorCode as VenueCode } from '../../shell/http/shapes/error-codes.ts';

export const VENUE_CODES: readonly VenueCode[] = CODES;

export const CLIENT_CODES = [
  /** The venue would refuse this value. Nothing was signed or sent. */
  'invalid_argument',
  /** The request may have acted. Send the same signed request again to find out. */
  'timeout',
  /** The connection failed, or a proxy or a later request was answered first: the request may have acted. */
  'no_answer',
  /** The caller's AbortSignal ended the call. The request may have acted. */
  'aborted',
  /** The answer is not JSON, not a venue's, or has no error code, with a status below 500. */
  'bad_answer',
  /** A stream has more unread messages than its limit. */
  'overflow',
  'closed',
  'subscription_refused',
] as const;

export type ErrorCode = VenueCode | (typeof CLIENT_CODES)[number];

/** `internal_error` may mean that it was not durable in time. */
const OUTCOME_UNKNOWN: readonly ErrorCode[] = ['timeout', 'no_answer', 'aborted', 'internal_error'];

/** The venue may have acted on a request that failed so. */
export function mayHaveActed(error: unknown): boolean {
  return error instanceof StrikebookError && OUTCOME_UNKNOWN.includes(error.code);
}

type Facts = {
  /** HTTP status; 0 if there was no answer. */
  readonly status?: number;
  /** The whole body of the answer, or whatever else is known. */
  readonly details?: unknown;
  readonly cause?: unknown;
};

export class StrikebookError extends Error {
  override readonly name = 'StrikebookError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, { status = 0, details = null, cause }: Facts = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.status = status;
    this.details = details;
  }
}
