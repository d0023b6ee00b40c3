// Faults of one line in extended orders: post-only, expiry, self-trade prevention, links, and how they are signed and shown.

import { of, type Mutant } from './fault.ts';

export const EXTENDED: readonly Mutant[] = [
  ...of('trading/extended', 'core/trading/extended', [
    ['extended: a request at its valid_until is in time', 'validUntil <= time) return TOO_LATE', 'validUntil < time) return TOO_LATE'],
    ['extended: an order may come at its expires_at', 'expiresAt <= time ? ORDER_EXPIRED', 'expiresAt < time ? ORDER_EXPIRED'],
    ['extended: a post-only order leaves the ended orders that it meets', 'if (ending !== 0) removeOpenOrder(trading, slot, ending);',
      'if (ending !== 0) kept = slot;'],
    ['extended: a post-only order meets the order it replaces', 'first !== 0 && first === replaced ?', 'first < 0 ?'],
    ['extended: a post-only order meets an order that has ended',
      'const ending = slot === replaced ? 0 : pendingCancelReason(trading, slot, time);',
      'const ending = 0;'],
    ['extended: a bid slides above the ask', 'candidate.side === BUY ? -1 : 1', 'candidate.side === BUY ? 1 : -1'],
    ['extended: a slide below the lowest price', 'if (key < 1 || key > LAST_KEY) return false;', 'if (key < 0) return false;'],
    ['extended: a slide makes an order too large',
      'return !isAmountTooLarge(candidate.price, candidate.size);', 'return true;'],
    ['extended: a tick ends all that is due', 'left > 0 && hasExpired', 'left > -1_000 && hasExpired'],
  ]),
  ...of('trading/place', 'core/trading/extended', [
    ['extended: a sliding order reports its size in place of its price',
      '=== POST_ONLY_SLIDE ? price : resting', '=== POST_ONLY_SLIDE ? resting : resting'],
    ['extended: an ioc counts towards its link', 'if ((tif === GTC || waits) && isLinkFull', 'if (isLinkFull'],
    ['extended: a client id stays taken after its order has expired', 'if (!hasEnded(trading, time)) return;', 'if (time >= 0) return;'],
  ]),
  ...of('trading/judge', 'core/trading/extended', [
    ['extended: a post-only order takes', 'return postOnly === POST_ONLY_REJECT && first', 'return postOnly < 0 && first'],
  ]),
  ...of('trading/taker', 'core/trading/extended', [
    ['extended: cancel_both leaves the resting order', 'ending !== 0 || taker.stp !== STP_CANCEL_TAKER', 'ending !== 0 || taker.stp === 0'],
    ['extended: cancel_taker goes on', 'taker.stp !== STP_CANCEL_MAKER) taker.stopped', 'taker.stp > STP_CANCEL_TAKER) taker.stopped'],
  ]),
  ...of('trading/dry-run', 'core/trading/extended', [
    ['extended: a fok stops at an own order halfway', 'if (taker.stp === STP_CANCEL_MAKER || ', 'if (taker.stp >= STP_CANCEL_MAKER || '],
    ['extended: a fok counts linked orders twice', '(isLinked ? givenByLink(trading, slot) : 0)', '0'],
  ]),
  ...of('trading/links', 'core/trading/extended', [
    ['extended: a fill ends the other orders of its link', 'else if (left <= 0) withdrawOrder', 'else if (left >= 0) withdrawOrder'],
    ['extended: one order more in a link', 'return others >= LINKED_ORDERS;', 'return others > LINKED_ORDERS;'],
    ['extended: a replaced order takes a place in its link', 'if (scratch.slots[i] !== replaced) others++;', 'others++;'],
    ['extended: ended orders keep their places in a link', 'if (reason !== 0) removeOpenOrder', 'if (reason < 0) removeOpenOrder'],
  ]),
  ...of('trading/fill', 'core/trading/extended', [
    ['extended: fills of an arriving order do not shrink its link',
      'if (taker.link.length !== 0) fillLink', 'if (taker.link.length < 0) fillLink'],
  ]),
  ...of('trading/cancel', 'core/trading/extended', [
    ['extended: an order past its time is cancelled on request',
      'if (slot > 0 && !endPast(trading, slot, time)) cancel(trading, slot);', 'if (slot > 0) cancel(trading, slot);'],
  ]),
  ...of('orders/extended', 'core/trading/extended', [
    ['extended: orders that expire together end in any order', 'orderId(books, slot) < orderId(books, other)', 'slot > other'],
  ]),
];
