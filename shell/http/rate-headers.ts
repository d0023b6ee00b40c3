// The headers of rate-limited answers (interface.md, rate limiting 6): on success and on error alike; Retry-After and
// the fields of the 429 body only when the limit is what refuses.

import type { ResponseHeaders } from './message.ts';

export const LIMIT = 'X-RateLimit-Limit';
export const REMAINING = 'X-RateLimit-Remaining';

/** `windowEnd` in seconds since the epoch. */
export function rateHeaders(limit: number, left: number, windowEnd: number): ResponseHeaders {
  return { [LIMIT]: String(limit), [REMAINING]: String(left), 'X-RateLimit-Reset': String(windowEnd) };
}

/** What a 429 carries besides code and message; `time` in ms. */
export function limitedBy(limit: number, windowEnd: number, time: number): { readonly headers: ResponseHeaders; readonly extra: object } {
  const seconds = Math.max(1, Math.ceil(windowEnd - time / 1_000));
  const headers = { ...rateHeaders(limit, 0, windowEnd), 'Retry-After': String(seconds) };
  return { headers, extra: { retry_after_secs: seconds, limit } };
}
