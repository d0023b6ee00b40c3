// The one error this library throws, with a code that a program can rely on: the codes of the venue as they stand in its
// answers, and those of the library for what never reached a venue or never came back. A trading rejection is no error:
// it is an answer of status REJECTED with its reason.

import { CODES, type ErrorCode as VenueCode } from '../../shell/http/shapes/error-codes.ts';

/** Codes in the `error` field of an answer. */
export const VENUE_CODES: readonly VenueCode[] = CODES;

/** Codes of this library. */
export const CLIENT_CODES = [
  /** A value that the venue would refuse, found before anything was signed or sent. */
  'invalid_argument',
  /** The request may or may not have acted: nothing came back in time. Send the same signed request again to know. */
  'timeout',
  /** As `timeout`, because the connection failed, a proxy answered for the venue, or by socket a later request was answered. */
  'no_answer',
  /** The caller's AbortSignal ended the call; the request may have acted. */
  'aborted',
  /** An answer that is not JSON or not a venue's, or an error without a code; of status 500 and above it is a `no_answer`. */
  'bad_answer',
  /** A stream has more unread messages than its bound. */
  'overflow',
  /** The socket or the stream was closed. */
  'closed',
  /** The venue refused a subscription. */
  'subscription_refused',
] as const;

export type ErrorCode = VenueCode | (typeof CLIENT_CODES)[number];

type Facts = {
  /** Of the HTTP answer; 0 when there was none. */
  readonly status?: number;
  /** The whole body of the answer, or what else is known. */
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
