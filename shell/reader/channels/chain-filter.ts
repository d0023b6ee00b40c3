// Which contracts of the options chain a subscription is for: its key is the text of a wish, in the normal form of chain-wish.ts or
// in any other; here it is held against what the venue lists.

import { PERP } from '../../../core/codec/commands.ts';
import { findUnderlying } from '../../../core/instruments/underlyings.ts';
import { createTerms, packUnderlying } from '../../../core/instruments/symbol.ts';
import type { State } from '../../../core/engine/state.ts';
import { chainKey, normalWish, type ChainWish } from '../../protocol/chain-wish.ts';
import { slotOfSymbol, type Names } from '../text.ts';
import { NO_ID, type Key } from './source.ts';

/** `expiry` in ms; `symbols`: of options, and names of underlyings. Null: all. */
export type ChainFilter = {
  readonly expiry: number | null; readonly type: 'call' | 'put' | null; readonly symbols: ReadonlySet<string> | null;
};

const packed = createTerms();

/** The canonical text, or what is wrong with the filter. */
export function openFilter(state: State, names: Names, key: string): Key | string {
  const { expiry, option_type: type, symbols: sent } = normalWish(JSON.parse(key) as ChainWish);
  if (typeof expiry === 'string') return `Invalid expiry format: ${expiry}, expected an ISO date such as 2026-01-30`;
  if (type !== undefined && type !== 'call' && type !== 'put') return `Invalid option_type: ${type}, expected call, put or both`;
  const symbols: string[] = [];
  for (const symbol of sent ?? []) {
    const slot = slotOfSymbol(state, symbol);
    if (slot >= 0 && state.instruments.kind[slot] === PERP) return `Unknown symbol: ${symbol}`;
    if (slot < 0 && !isUnderlying(state, symbol)) return `Unknown symbol: ${symbol}`;
    symbols.push(slot < 0 ? symbol : names.symbol(slot));
  }
  return { key: chainKey({ expiry, option_type: type, symbols: sent && symbols }), id: NO_ID };
}

/** The filter of a canonical text. */
export function readFilter(key: string): ChainFilter {
  const { expiry = null, option_type: type = null, symbols } = JSON.parse(key) as {
    expiry?: number; option_type?: 'call' | 'put'; symbols?: readonly string[];
  };
  return { expiry, type, symbols: symbols === undefined ? null : new Set(symbols) };
}

/**
 * Whether there are only as many such filters as the venue has underlyings and expiries: of all, of one underlying, of an expiry that
 * `isListed`, of one type, and of what these are together.
 */
export function isPlain(state: State, { expiry, symbols }: ChainFilter, isListed: (expiry: number) => boolean): boolean {
  if (symbols !== null && (symbols.size !== 1 || ![...symbols].every((name) => isUnderlying(state, name)))) return false;
  return expiry === null || isListed(expiry);
}

function isUnderlying({ underlyings }: State, name: string): boolean {
  return packUnderlying(name, packed) && findUnderlying(underlyings, packed.underlyingLo, packed.underlyingHi) >= 0;
}
