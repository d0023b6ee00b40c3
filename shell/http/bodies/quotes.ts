// The answer to a mass quote: what became of each side that it names, from the core's numbers.

import { QUOTE_OPEN, QUOTE_REDUCED, QUOTE_REJECTED, QUOTE_REMOVED, QUOTE_UNCHANGED } from '../../../core/codec/events.ts';
import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import { ANSWER_CODE, ANSWER_NUMBERS, ANSWER_PRICED, ANSWER_STATUS } from '../../../core/codec/quote-answers.ts';
import { BUY, SELL } from '../../../core/units.ts';
import type { QuoteAnswer } from '../shapes/trading.ts';

const QUOTE_STATUSES = {
  [QUOTE_UNCHANGED]: 'UNCHANGED', [QUOTE_REDUCED]: 'REDUCED', [QUOTE_OPEN]: 'OPEN', [QUOTE_REMOVED]: 'REMOVED',
  [QUOTE_REJECTED]: 'REJECTED',
} as const;
type Status = (typeof QUOTE_STATUSES)[keyof typeof QUOTE_STATUSES];
type Side = NonNullable<QuoteAnswer['results'][number]['bid']>;

type Line = { readonly symbol: string; readonly hasBid: boolean; readonly hasAsk: boolean };
type QuoteAnswerParts = {
  readonly lines: readonly Line[]; readonly isDetailed: boolean;
  readonly reasonOf: (code: number, numbers: readonly number[], line: number, side: number) => string;
};

const NO_COUNTS = { unchanged: 0, reduced: 0, open: 0, removed: 0, rejected: 0 };

export function quoteAnswer({ isDetailed, lines, reasonOf }: QuoteAnswerParts, answers: readonly number[]): string {
  const counts = { ...NO_COUNTS };
  const results: QuoteAnswer['results'][number][] = [];
  let at = 0;
  const next = (line: number, side: number): Side | null => {
    const first = answers[at++]!;
    const status: Status = QUOTE_STATUSES[(first & ANSWER_STATUS) as keyof typeof QUOTE_STATUSES];
    counts[status.toLowerCase() as keyof typeof counts]++;
    if (status === 'REJECTED') {
      const numbers = answers.slice(at, at += ANSWER_NUMBERS);
      return { status, order_id: null, reason: reasonOf(Math.floor(first / ANSWER_CODE), numbers, line, side) };
    }
    const id = answers[at++]!;
    const price = (first & ANSWER_PRICED) === 0 ? {} : { price: formatDecimal(answers[at++]!, DECIMALS) };
    return isDetailed ? { status, order_id: id === 0 ? null : id, reason: null, ...price } : null;
  };
  lines.forEach(({ hasAsk, hasBid, symbol }, line) => {
    const bid = hasBid ? next(line, BUY) : null;
    const ask = hasAsk ? next(line, SELL) : null;
    if (isDetailed || bid !== null || ask !== null) results.push({ symbol, bid, ask });
  });
  return JSON.stringify({ status: 'ACKED', reason: null, counts, results } satisfies QuoteAnswer);
}

export function refusedQuotes(reason: string): string {
  return JSON.stringify({ status: 'REJECTED', reason, counts: NO_COUNTS, results: [] } satisfies QuoteAnswer);
}
