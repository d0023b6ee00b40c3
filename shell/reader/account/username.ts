// The body of GET /username (wire.md 2.4): the name of a wallet, or the wallet of a name in any case; as each is written by its
// owner. Reads only.

import { accountOfUsername, usernameOf } from '../../../core/registry/usernames.ts';
import type { State } from '../../../core/engine/state.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { accountOfWallet, type Names } from '../text.ts';
import type { UsernameAnswer } from '../../http/shapes/account.ts';

/** Null: there is none. */
export function usernameText(state: State, names: Names, { wallet, username }: QueryParameters['username']): string | null {
  const account = wallet === undefined ? accountOfUsername(state, username ?? '') : accountOfWallet(state, wallet);
  const name = usernameOf(state, account);
  if (name === '') return null;
  const data = { wallet_address: names.wallet(account), username: name };
  return JSON.stringify({ success: true, data, error: null } satisfies UsernameAnswer);
}
