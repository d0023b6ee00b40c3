// What extended orders ask beyond plain ones (spec, extensions 1). A plain order costs a compare of each term.

import { ORDER_EXPIRED, OK, TOO_LATE, TRIGGERS_NOT_AVAILABLE } from '../errors.ts';
import { DOUBLE_EXPIRES_AT, DOUBLE_VALID_UNTIL, WORD_ORDER_TERMS } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';

/** Refuses a request that came too late, and an order whose time is over. */
export function refuseLate(views: Views, at: number, time: number): number {
  const double = at >>> 3;
  const validUntil = views.f64[double + DOUBLE_VALID_UNTIL];
  if (validUntil !== 0 && validUntil <= time) return TOO_LATE;
  const expiresAt = views.f64[double + DOUBLE_EXPIRES_AT];
  if (expiresAt !== 0 && expiresAt <= time) return ORDER_EXPIRED;
  return views.u32[(at >>> 2) + WORD_ORDER_TERMS] >>> 16 !== 0 ? TRIGGERS_NOT_AVAILABLE : OK;
}
