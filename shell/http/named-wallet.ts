// The wallet that the query of a signed request may name (decision 6.9). It adds nothing to what is
// signed: it must be the wallet that the request is for, or the request is 403.

import { refuse, type Refusal } from './errors.ts';
import { readQuery } from './fields.ts';
import type { HttpRequest } from './message.ts';

/** A parameter of every signed route: the router adds it. */
export const NAMED_WALLET = { wallet: { kind: 'address', optional: true, doc: 'Must be the wallet that the request is for.' } } as const;

/** Refuses a request for `wallet`, lower case, whose query names another. The router has checked the query. */
export function refuseNamed({ query }: Pick<HttpRequest, 'query'>, wallet: string): Refusal | null {
  if (query === '') return null;
  const named = readQuery(NAMED_WALLET, query);
  if (!named.ok || named.value.wallet === undefined || named.value.wallet === wallet) return null;
  return refuse('forbidden', 'The wallet of the query is not the one that the request is for');
}
