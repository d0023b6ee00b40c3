// Planted faults of mass quotes and of their cancel (spec, extensions 4), each with the tests that must notice it. The faults are of one
// line each, as in list.ts.

import { of, type Mutant } from './fault.ts';

export const QUOTES: readonly Mutant[] = [
  ...of('trading/mass-quote', 'core/trading/mass-quote', [
    ['quotes: a page may come at its valid_until', 'DOUBLE_QUOTES_UNTIL] <= time', 'DOUBLE_QUOTES_UNTIL] < time'],
    ['quotes: an older mass quote replaces a newer one',
      '  if (underlying >= 0) noteQuoteNonce(', '  if (underlying > 999) noteQuoteNonce('],
    ['quotes: a quote that grows keeps its priority', '&& size <= orderRemaining(books, slot)) {', ') {'],
    ['quotes: an unchanged quote enters again', 'if (size === orderRemaining(books, slot)) return QUOTE_UNCHANGED;', ''],
    ['quotes: a lifted order counts as open', 'accounts.openOrders[account] - scratch.lifted', 'accounts.openOrders[account]'],
    ['quotes: the old quote of a refused value stays', 'if (code !== OK) return removeSide(trading, place, QUOTE_REJECTED, code);',
      'if (code !== OK) { scratch.codes[place] = code; return QUOTE_REJECTED; }'],
    ['quotes: a holding that closed under the page is summed', 'if (holding < 0) return;', ''],
    ['quotes: a kept price is not checked with the size', 'if (sent === 0 && isAmountTooLarge(', 'if (sent < 0 && isAmountTooLarge('],
  ]),
  ...of('trading/quote-check', 'core/trading/mass-quote', [
    ['quotes: frozen protection takes quotes', 'judgeMargin(trading, FLAG_QUOTE,', 'judgeMargin(trading, 2,'],
    ['quotes: a quote that would trade rests', 'judgePrice(trading, crossing, 0)', 'judgePrice(trading, 0, 0)'],
    ['quotes: the cap on positions is not applied', 'mostPositions !== UNLIMITED && isNew', 'mostPositions > 1e9 && isNew'],
  ]),
  ...of('trading/cancel-all', 'core/trading/mass-quote', [
    ['quotes: a mass quote older than a cancel-all acts', '  if (result.code === OK) noteNonce(', '  if (result.code !== OK) noteNonce('],
  ]),
  ...of('orders/names', 'core/trading/mass-quote', [
    ['quotes: a quote is not found again',
      'const ladder = (kinds & QUOTE_BIT) === 0 ? 0 : orderLadder(books, slot) + 1;', 'const ladder = 0;'],
  ]),
  ...of('trading/cancel', 'core/trading/mass-quote', [
    ['quotes: a replace takes a quote out of its set', 'if (ending === 0 && !isQuote(orders, slot))', 'if (ending === 0)'],
  ]),
  ...of('sequencer/admission', 'core/trading/mass-quote', [
    ['quotes: a mass quote is charged as one command', 'kind === MASS_QUOTE || kind === BATCH ? partsOf', 'kind === BATCH ? partsOf'],
    ['quotes: valid_until may lie hours ahead', 'time + QUOTE_VALID_TIME) return', 'time + 1_000 * QUOTE_VALID_TIME) return'],
  ]),
  ...of('trading/remove-order', 'core/trading/mass-quote', [
    ['quotes: a removed quote is sent as an order update',
      'if (reason === DONE_QUOTE_REMOVED) writeQuote(trading, slot, QUOTE_REMOVED);\n  else writeOpen', 'writeOpen'],
  ]),
];
