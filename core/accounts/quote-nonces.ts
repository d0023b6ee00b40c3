// The newest nonce of a wallet's messages about quotes, per underlying (spec, extensions 4): a mass quote with a lower nonce is refused, so
// that no stale page comes back. u64 as two u32, 0: none. 8 MiB of address space an underlying, of which only touched pages count.

import { uint32, type Section } from '../columns.ts';

export type QuoteNonces = { readonly accounts: number; readonly underlyings: number; readonly words: Uint32Array };

export function createQuoteNonces(accounts: number, underlyings: number): QuoteNonces {
  return { accounts, underlyings, words: uint32(accounts * underlyings * 2) };
}

function placeOf({ accounts }: QuoteNonces, account: number, underlying: number): number {
  return (underlying * accounts + account) * 2;
}

export function isBelowNewest(nonces: QuoteNonces, account: number, underlying: number, lo: number, hi: number): boolean {
  const at = placeOf(nonces, account, underlying);
  return hi < nonces.words[at + 1] || (hi === nonces.words[at + 1] && lo < nonces.words[at]);
}

export function noteQuoteNonce(nonces: QuoteNonces, account: number, underlying: number, lo: number, hi: number): void {
  if (isBelowNewest(nonces, account, underlying, lo, hi)) return;
  const at = placeOf(nonces, account, underlying);
  nonces.words[at] = lo;
  nonces.words[at + 1] = hi;
}

export function forgetQuoteNonces(nonces: QuoteNonces, account: number): void {
  for (let underlying = 0; underlying < nonces.underlyings; underlying++) {
    const at = placeOf(nonces, account, underlying);
    nonces.words[at] = nonces.words[at + 1] = 0;
  }
}

export function quoteNonceSections(nonces: QuoteNonces, accounts: () => number, underlyings: () => number): readonly Section[] {
  return Array.from({ length: nonces.underlyings }, (_, underlying) => ({
    name: `quoteNonces.${underlying}`,
    column: nonces.words.subarray(underlying * nonces.accounts * 2, (underlying + 1) * nonces.accounts * 2),
    used: () => (underlying < underlyings() ? accounts() * 2 : 0),
  }));
}
