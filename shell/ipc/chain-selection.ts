// What an options_chain subscription selects. The text of the normal form is the subscription's key for connections,
// the reader and the client library.

import { expiryOfDate } from './expiry-date.ts';

/** A missing field selects all. `expiry`: a date or seconds as text; in normal form ms, or the text if it is neither. */
export type ChainSelection = {
  readonly expiry?: string | number | undefined; readonly option_type?: string | undefined;
  readonly symbols?: readonly string[] | undefined;
};

const SECONDS = /^[0-9]{9,11}$/;

/** Idempotent. GET /options-chain says `both` for all. */
export function normalSelection({ expiry, option_type: type, symbols }: ChainSelection): ChainSelection {
  return {
    expiry: typeof expiry === 'string' ? expiryOf(expiry) ?? expiry : expiry, option_type: type === 'both' ? undefined : type,
    symbols: symbols && sorted(symbols),
  };
}

export function chainKey(selection: ChainSelection): string {
  return JSON.stringify(normalSelection(selection));
}

function expiryOf(text: string): number | null {
  return SECONDS.test(text) ? Number(text) * 1_000 : expiryOfDate(text);
}

function sorted(symbols: readonly string[]): readonly string[] {
  return [...new Set(symbols)].sort();
}
