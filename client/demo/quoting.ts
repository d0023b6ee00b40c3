// What a maker of the demo or of a scenario quotes for a contract: prices around the fair one, and a size that differs a little by symbol.

import { roundPrice } from '../src/main.ts';
import type { Contract, Prices } from './prices.ts';

export type QuotingTerms = {
  readonly prices: Prices;
  /** Options at the money, contracts; five times as much of the perp. */
  readonly size: number;
  /** Spread, as a multiple of the least one. */
  readonly edge: number;
};

/** Prices as sent; a worthless option has no bid. `half`: of the spread, in USDC. */
type Quote = { readonly bid: string | null; readonly ask: string; readonly size: number; readonly half: number };

/** Half of the spread: a share of the price within shares of the index. */
const OF_PRICE = 0.01;
const [LEAST, MOST] = [0.000_05, 0.000_5];
const PERP_SPREAD = 0.000_05;
const PERP_SIZE = 5;
/** At most, as a share of the index: what is deep in the money is quoted smaller. */
const MOST_COST = 0.15;

export function quoteOf(contract: Contract, { prices, size, edge }: QuotingTerms): Quote {
  const { index } = prices;
  const { symbol, option } = contract;
  const price = prices.fairOf(contract);
  const least = option === null ? PERP_SPREAD * index : Math.min(MOST * index, Math.max(LEAST * index, OF_PRICE * price));
  const half = least * edge;
  const whole = option === null ? size * PERP_SIZE : size * Math.min(1, MOST_COST * index / price);
  return {
    bid: price > 2 * half ? roundPrice(price - half, 'down') : null, ask: roundPrice(price + half, 'up'),
    size: Number(Math.max(0.01, whole * unevenness(symbol)).toFixed(2)), half,
  };
}

/** 0.8 to 1.2, always the same for a symbol. */
function unevenness(symbol: string): number {
  let sum = 0;
  for (const char of symbol) sum = (sum * 31 + char.charCodeAt(0)) % 41;
  return 0.8 + sum / 100;
}
