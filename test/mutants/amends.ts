// Faults in amends, from the request to the order that changes in place or enters anew: each is one line, with the test that notices it.

import { of, type Mutant } from './fault.ts';

export const AMENDS: readonly Mutant[] = [
  ...of('trading/amend', 'core/trading/amend', [
    ['amend: the size is taken as the remaining size', ' - (orderOriginal(orders, slot) - orderRemaining(books, slot));', ';'],
    ['amend: another price keeps the place in the book', ' || priceKeyOf(candidate.price) !== orderKey(books, slot);', ';'],
    ['amend: the same size loses its priority', 'candidate.size > orderRemaining(books, slot) ||',
      'candidate.size >= orderRemaining(books, slot) ||'],
    ['amend: a late request acts', 'if (validUntil !== 0 && validUntil <= time) return TOO_LATE;', ''],
    ['amend: the order’s own reserve counts against its amend', '    liftOld(trading, slot, account, candidate.row);\n', ''],
    ['amend: halts and blocked wallets are not checked', 'const closed = refuseClosed(trading, time);', 'const closed = OK;'],
    ['amend: a reduce-only order may flip its position', 'isReduceOnly ? Math.min(left, reducible(holdings.position[row], side)) : left',
      'left'],
    ['amend: a post-only order takes', 'isExtended(orders, slot) ? postOnlyOf(orders.extended, slot) : 0', '0'],
    ['amend: a stopped order rests', 'if (left > 0 && stopped === 0) {', 'if (left > 0) {'],
  ]),
  ...of('trading/taker', 'core/trading/amend', [
    ['amend: its fill shrinks the order itself through its link', 'taker.slot = slot;', 'taker.slot = 0;'],
    ['amend: its self-trade prevention is forgotten', 'taker.stp = stpOf(orders.extended, slot);', 'taker.stp = STP_CANCEL_MAKER;'],
  ]),
  ...of('trading/cancel', 'core/trading/amend', [
    ['amend: an order that has ended is revived', 'const ending = pendingCancelReason(trading, slot, time);', 'const ending = 0;'],
    ['amend: an order of a quote set is changed', 'if (ending === 0 && !isQuote(orders, slot)) return slot;',
      'if (ending === 0) return slot;'],
  ]),
  ...of('trading/amend-waiting', 'core/trading/amend-waiting', [
    ['amend: a moved trigger is not judged',
      '\n    || triggerOf(trading, views, at, slot) !== orders.extended.triggerPrice[slot];', ';'],
    ['amend: a waiting order is not judged', 'isJudged ? judgeWaiting(trading, views, at, slot, time) : OK', 'OK'],
  ]),
  ...of('orders/untriggered', 'core/trading/amend-waiting', [
    ['amend: a moved trigger keeps its place in the index', '  unwatch(orders, slot);\n  orders.extended',
      '  orders.extended'],
  ]),
  ...of('sequencer/admission', 'core/trading/amend', [
    ['amend: the caps are not asked', ': readAmended(state, views, at, slot))) return OK;', ': false)) return OK;'],
    ['amend: a reduction meets the caps', ': readAmended(state, views, at, slot))) return OK;',
      ': readAmended(state, views, at, slot) || true)) return OK;'],
  ]),
];
