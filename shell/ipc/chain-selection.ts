// What a Subscribe to options_chain chooses by, in one normal form: what means the same is the same text, however it was written.
// The key of such a subscription for connections, for the reader, and for the client library.

import { expiryOfDate } from './expiry-date.ts';

/** What is absent chooses all. `expiry`: a date or seconds as text; in normal form ms, or the text of what is neither. */
export type ChainSelection = {
  readonly expiry?: string | number | undefined; readonly option_type?: string | undefined;
  /** Of options, canonical, and names of underlyings. */
  readonly symbols?: readonly string[] | undefined;
};

const SECONDS = /^[0-9]{9,11}$/;

/** The normal form of a normal form is itself. `both` of GET /options-chain is its word for all. */
export function normalSelection({ expiry, option_type: type, symbols }: ChainSelection): ChainSelection {
  return {
    expiry: typeof expiry === 'string' ? expiryOf(expiry) ?? expiry : expiry, option_type: type === 'both' ? undefined : type,
    symbols: symbols && sorted(symbols),
  };
}

export function chainKey(wish: ChainSelection): string {
  return JSON.stringify(normalSelection(wish));
}

function expiryOf(text: string): number | null {
  return SECONDS.test(text) ? Number(text) * 1_000 : expiryOfDate(text);
}

function sorted(symbols: readonly string[]): readonly string[] {
  return [...new Set(symbols)].sort();
}
