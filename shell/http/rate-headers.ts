// Rate limits as headers and text (interface.md, rate limiting 6). The budget headers are on successes and errors;
// Retry-After and the extra body fields only on a 429.

import { HOUR, MINUTE } from '../../core/units.ts';
import { refuse, RETRY_AFTER, type Refused } from './errors.ts';
import type { ResponseHeaders, BudgetLeft } from './message.ts';

export const LIMIT = 'X-RateLimit-Limit';
export const REMAINING = 'X-RateLimit-Remaining';

export function rateLimitText(limit: number | string, per = 'per minute'): string {
  return `Rate limit exceeded: ${limit} ${per}`;
}

export function rateHeaders({ limit, left, windowEnd }: BudgetLeft): ResponseHeaders {
  return { [LIMIT]: String(limit), [REMAINING]: String(left), 'X-RateLimit-Reset': String(windowEnd) };
}

export function budgetAt(limit: number, left: number, time: number, windowMs = MINUTE): BudgetLeft {
  return { limit, left, windowEnd: (Math.floor(time / windowMs) + 1) * windowMs / 1_000 };
}

/** Longer only if the clock was set back. */
const LONGEST_WAIT = HOUR / 1_000;

export function rateLimited(standing: BudgetLeft, time: number, text = rateLimitText(standing.limit)): Refused {
  const { limit, windowEnd } = standing;
  const seconds = Math.min(LONGEST_WAIT, Math.max(1, Math.ceil(windowEnd - time / 1_000)));
  const headers = { ...rateHeaders(standing), [RETRY_AFTER]: String(seconds) };
  return { ...refuse('rate_limit_exceeded', text), headers, extra: { retry_after_secs: seconds, limit } };
}
