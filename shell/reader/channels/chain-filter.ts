// Which contracts of the options chain a subscription is for. It comes as the text of {expiry, option_type, symbols}, each of which
// may be absent, and has one canonical text whatever way it was written.

import { findUnderlying } from '../../../core/instruments/underlyings.ts';
import { createTerms, packUnderlying } from '../../../core/instruments/symbol.ts';
import type { State } from '../../../core/engine/state.ts';
import { expiryOfDate, slotOfSymbol, type Names } from '../text.ts';
import { NO_ID, type Key } from './source.ts';

/** `expiry` in ms; `symbols`: of options, and names of underlyings. Null: all. */
export type ChainFilter = {
  readonly expiry: number | null; readonly type: 'call' | 'put' | null; readonly symbols: ReadonlySet<string> | null;
};

const SECONDS = /^[0-9]{9,11}$/;
const packed = createTerms();

/** The canonical text, or what is wrong with the filter. */
export function openFilter(state: State, names: Names, key: string): Key | string {
  const { expiry: date, option_type: type = null, symbols: sent } = (
    JSON.parse(key) as { expiry?: string; option_type?: string; symbols?: readonly string[] }
  );
  const expiry = date === undefined ? null : SECONDS.test(date) ? Number(date) * 1_000 : expiryOfDate(date);
  if (date !== undefined && expiry === null) return `Invalid expiry format: ${date}, expected an ISO date such as 2026-01-30`;
  if (type !== null && type !== 'call' && type !== 'put') return `Invalid option_type: ${type}, expected call or put`;
  const symbols: string[] = [];
  for (const symbol of sent ?? []) {
    const slot = slotOfSymbol(state, symbol);
    if (slot < 0 && !isUnderlying(state, symbol)) return `Unknown symbol: ${symbol}`;
    symbols.push(slot < 0 ? symbol : names.symbol(slot));
  }
  return { key: JSON.stringify({ expiry, type, symbols: sent === undefined ? null : symbols.sort() }), id: NO_ID };
}

/** The filter of a canonical text. */
export function readFilter(key: string): ChainFilter {
  const filter = JSON.parse(key) as { expiry: number | null; type: 'call' | 'put' | null; symbols: readonly string[] | null };
  return { ...filter, symbols: filter.symbols === null ? null : new Set(filter.symbols) };
}

function isUnderlying({ underlyings }: State, name: string): boolean {
  return packUnderlying(name, packed) && findUnderlying(underlyings, packed.underlyingLo, packed.underlyingHi) >= 0;
}
