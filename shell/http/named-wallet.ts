// The optional, unsigned `wallet` in the query of a signed request (decision 6.9). Unless it is the wallet of the
// request, the answer is 403.

import { refuse, type Refusal } from './errors.ts';
import { readQuery } from './fields.ts';
import type { HttpRequest } from './message.ts';

export const NAMED_WALLET = { wallet: { kind: 'address', optional: true, doc: 'Must be the wallet that the request is for.' } } as const;

export function refuseOtherWallet({ query }: Pick<HttpRequest, 'query'>, wallet: string): Refusal | null {
  if (query === '') return null;
  const named = readQuery(NAMED_WALLET, query);
  if (!named.ok || named.value.wallet === undefined || named.value.wallet === wallet) return null;
  return refuse('forbidden', 'The wallet of the query is not the one that the request is for');
}
