// The engine's checks of the candidate from liquidation on (spec, extensions 0), for orders, amends, fired orders and quotes. The caller
// has called `clearTheWay` for a post-only candidate.

import { IN_LIQUIDATION, MMP_FROZEN, NO_FUNDS, OK, WOULD_TAKE } from '../errors.ts';
import { POST_ONLY_REJECT, POST_ONLY_SLIDE } from '../codec/commands.ts';
import { IN_LIQUIDATION as LIQUIDATING, PRE_LIQUIDATION } from '../accounts/accounts.ts';
import { checkOrder } from '../margin/order-check.ts';
import { firstInTheWay, slideCandidate } from './extended.ts';
import { onlyCloses } from './modes.ts';
import { refuseOutsideBand } from './price-band.ts';
import { isFrozenOut } from './protection.ts';
import type { Trading } from './context.ts';

/** OK or the first refusal, with its numbers in the result. `replaced`: the replaced order, or 0. */
export function judgeCandidate(trading: Trading, flags: number, postOnly: number, replaced: number, time: number): number {
  const refused = judgeMargin(trading, flags, postOnly, replaced, time);
  return refused !== OK ? refused : judgePrice(trading, postOnly, replaced);
}

/** A sliding candidate moves. */
export function judgeMargin(trading: Trading, flags: number, postOnly: number, replaced: number, time: number): number {
  const { accounts, candidate, instruments, result } = trading;
  const { account, instrument } = candidate;
  const status = accounts.status[account];
  if ((status === PRE_LIQUIDATION || status === LIQUIDATING) && !onlyCloses(trading)) return IN_LIQUIDATION;
  if (postOnly === POST_ONLY_SLIDE && !slideCandidate(trading, replaced)) return WOULD_TAKE;
  const refused = checkOrder(trading, candidate, time, result.numbers);
  if (refused === NO_FUNDS) return refused;
  // Comes after missing funds and before all other margin refusals.
  if (isFrozenOut(trading, account, instruments.underlying[instrument], flags, time)) {
    result.numbers.fill(0);
    return MMP_FROZEN;
  }
  return refused;
}

export function judgePrice(trading: Trading, postOnly: number, replaced: number): number {
  const outside = refuseOutsideBand(trading);
  if (outside !== OK) return outside;
  return postOnly === POST_ONLY_REJECT && firstInTheWay(trading, replaced) !== 0 ? WOULD_TAKE : OK;
}
