// The lines of a mass quote, from prices and what was quoted before: a contract quoted no more is removed by name.

import type { QuoteTerms } from '../../../src/main.ts';

type Priced = { readonly symbol: string; readonly bid: string | null; readonly ask: string | null };

export const MOST_LINES = 100;
const NOTHING = { size: 0 } as const;

export function quoteLines(prices: readonly Priced[], size: string): readonly QuoteTerms[] {
  return prices.map(({ ask, bid, symbol }) => ({ symbol, bid: sideOf(bid, size), ask: sideOf(ask, size) }));
}

export function removals(before: Iterable<string>, now: ReadonlySet<string>): readonly QuoteTerms[] {
  return [...before].filter((symbol) => !now.has(symbol)).map((symbol) => ({ symbol, bid: NOTHING, ask: NOTHING }));
}

/** Splits the lines into messages of at most `MOST_LINES`. Removals come first, so that they never wait for the rest. */
export function messagesOf(lines: readonly QuoteTerms[]): readonly (readonly QuoteTerms[])[] {
  const messages: QuoteTerms[][] = [];
  for (let from = 0; from < lines.length; from += MOST_LINES) messages.push(lines.slice(from, from + MOST_LINES));
  return messages;
}

function sideOf(price: string | null, size: string): NonNullable<QuoteTerms['bid']> {
  return price === null ? NOTHING : { size, price };
}
