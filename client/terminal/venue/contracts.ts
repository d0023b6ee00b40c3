// All contracts as one list, perps first, and the search by parts of a name such as `btc 100000 c`. Pure: thousands are searched at every
// letter.

import type { Market } from '../../src/main.ts';
import { dayUtc, price } from '../format.ts';

export type Contract = {
  readonly symbol: string; readonly underlying: string;
  /** Seconds; null of a perp. */
  readonly expiry: number | null;
  readonly what: string;
  readonly text: string;
};
type Listed = Pick<Market, 'underlying' | 'expiry' | 'instruments' | 'perp'>;

export function contractsOf(markets: readonly Listed[]): readonly Contract[] {
  const perps = new Map<string, Contract>();
  const options: Contract[] = [];
  for (const { underlying, expiry, instruments = [], perp } of markets) {
    if (perp !== undefined && !perps.has(perp.symbol)) {
      const { symbol } = perp;
      perps.set(symbol, { symbol, underlying, expiry: null, what: 'perpetual', text: `${symbol} perpetual`.toLowerCase() });
    }
    const day = dayUtc(expiry * 1_000);
    for (const { id: symbol, strike, option_type: type } of instruments) {
      const what = `${type} at ${price(strike)}, ${day}`;
      options.push({ symbol, underlying, expiry, what, text: `${symbol} ${type} ${day}`.toLowerCase() });
    }
  }
  return [...perps.values(), ...options];
}

/** The contracts that hold every word of `query`, in the venue's order, at most `bound`. */
export function matching(contracts: readonly Contract[], query: string, bound: number): readonly Contract[] {
  const words = query.toLowerCase().replaceAll(',', '').split(/\s+/).filter((word) => word !== '');
  const found: Contract[] = [];
  for (const contract of contracts) {
    if (found.length === bound) break;
    if (words.every((word) => holds(contract, word))) found.push(contract);
  }
  return found;
}

/** A single letter is the type of an option, or begins a part of the name. */
function holds({ symbol, text }: Contract, word: string): boolean {
  return word === 'c' || word === 'p' ? symbol.endsWith(`-${word.toUpperCase()}`) : text.includes(word);
}
