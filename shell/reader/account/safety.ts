// The bodies of GET /cancel-after and GET /cancel-on-disconnect, from the state as it stands. Reads only.

import type { State } from '../../../core/engine/state.ts';
import { cancelAfterBody, cancelOnDisconnectBody } from '../../http/bodies/account.ts';
import { accountOfWallet } from '../text.ts';

export function cancelAfterText(state: State, wallet: string): string {
  const { safety } = state;
  const account = accountOfWallet(state, wallet);
  return account < 0 ? cancelAfterBody(wallet, 0, 0) : cancelAfterBody(wallet, safety.timeout[account]!, safety.cancelAt[account]!);
}

export function cancelOnDisconnectText(state: State, wallet: string): string {
  const { connection, enabled, goneAt, grace } = state.safety;
  const account = accountOfWallet(state, wallet);
  if (account < 0) return cancelOnDisconnectBody(wallet, false, 0, '', 0);
  const id = connectionText(connection[account * 2]!, connection[account * 2 + 1]!);
  return cancelOnDisconnectBody(wallet, enabled[account] !== 0, grace[account]!, id, goneAt[account]!);
}

/** The 16 digits of a connection from its two words, '' for none. */
function connectionText(low: number, high: number): string {
  return low === 0 && high === 0 ? '' : Buffer.from(Uint32Array.of(low, high).buffer).toString('hex');
}
