// The text and the headers of rate-limited answers (interface.md, rate limiting 6): on success and on error alike; Retry-After and
// the fields of the 429 body only when the limit is what refuses.

import { HOUR, MINUTE } from '../../core/units.ts';
import { refuse, RETRY_AFTER, type Refused } from './errors.ts';
import type { ResponseHeaders, BudgetLeft } from './message.ts';

export const LIMIT = 'X-RateLimit-Limit';
export const REMAINING = 'X-RateLimit-Remaining';

/** `per`: what the limit counts, and in which time. */
export function rateLimitText(limit: number | string, per = 'per minute'): string {
  return `Rate limit exceeded: ${limit} ${per}`;
}

export function rateHeaders({ limit, left, windowEnd }: BudgetLeft): ResponseHeaders {
  return { [LIMIT]: String(limit), [REMAINING]: String(left), 'X-RateLimit-Reset': String(windowEnd) };
}

/** Where a limit stands at `time`, ms, whose windows are so many ms long. */
export function standingOf(limit: number, left: number, time: number, windowMs = MINUTE): BudgetLeft {
  return { limit, left, windowEnd: (Math.floor(time / windowMs) + 1) * windowMs / 1_000 };
}

/** No window is longer: a wait beyond it is for a clock that was set back, which somebody may set right any moment. */
const LONGEST_WAIT = HOUR / 1_000;

/**
 * A 429 with all that it carries; `time` is what the clock reads, ms. Something may be left of the budget: a bulk is refused when it
 * needs more than that (decision 3.7).
 */
export function rateLimited(standing: BudgetLeft, time: number, text = rateLimitText(standing.limit)): Refused {
  const { limit, windowEnd } = standing;
  const seconds = Math.min(LONGEST_WAIT, Math.max(1, Math.ceil(windowEnd - time / 1_000)));
  const headers = { ...rateHeaders(standing), [RETRY_AFTER]: String(seconds) };
  return { ...refuse('rate_limit_exceeded', text), headers, extra: { retry_after_secs: seconds, limit } };
}
