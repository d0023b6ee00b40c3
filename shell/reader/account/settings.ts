// A wallet's own settings: bodies of GET /authorized-agents, /mmp/config, /cancel-after, /cancel-on-disconnect and
// /username.

import { isLive } from '../../../core/accounts/agents.ts';
import { nextPending, firstPending, PENDING_AGENT, PENDING_WORDS } from '../../../core/accounts/pending-approvals.ts';
import type { State } from '../../../core/engine/state.ts';
import { underlyingCount } from '../../../core/instruments/underlyings.ts';
import { findMmp, isFrozen, UNTIL_RESET } from '../../../core/mmp/mmp.ts';
import { DELTA, QUANTITY, VEGA, windowUse } from '../../../core/mmp/windows.ts';
import { accountOfUsername, usernameOf } from '../../../core/registry/usernames.ts';
import { cancelAfterBody, cancelOnDisconnectBody, mmpConfigData } from '../../http/bodies/account.ts';
import type { MmpConfigData, MmpState, UsernameAnswer } from '../../http/shapes/account.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { accountOfWallet, addressOfWords, microOrNull, wordsOfAddress, type Names } from '../text.ts';

export function activeAgentsText(state: State, wallet: string, time: number): string {
  const account = accountOfWallet(state, wallet);
  const agents = account >= 0 ? agentsOf(state, account, time) : pendingOf(state, wallet, time);
  return JSON.stringify({ agents } satisfies AnswerTo<'GET /authorized-agents'>);
}

function agentsOf(state: State, account: number, time: number): string[] {
  const { agents, accounts } = state;
  const found: string[] = [];
  for (let link = accounts.agentHead[account]!; link !== 0; link = agents.next[link - 1]!) {
    if (isLive(agents.expires[link - 1]!, time)) found.push(addressOfWords(agents.address, (link - 1) * 5));
  }
  return found;
}

function pendingOf(state: State, wallet: string, time: number): string[] {
  const { pending } = state;
  const words = wordsOfAddress(wallet);
  if (words === null) return [];
  const expiries = new Map<string, number>();
  for (let link = firstPending(pending, words, 0, time); link !== 0; link = nextPending(pending, link, words, 0, time)) {
    expiries.set(addressOfWords(pending.words, (link - 1) * PENDING_WORDS + PENDING_AGENT), pending.expires[link - 1]!);
  }
  return [...expiries].filter(([, expires]) => isLive(expires, time)).map(([agent]) => agent);
}

/** Deleted protections are shown as not enabled. */
export function mmpText(
  state: State, names: Names, { wallet, currency }: QueryParameters['mmp'], time: number,
): string | null {
  if (currency !== undefined && !names.underlyings().includes(currency)) return null;
  const { mmp, underlyings } = state;
  const account = accountOfWallet(state, wallet);
  const data: MmpState[] = [];
  for (let underlying = 0; account >= 0 && underlying < underlyingCount(underlyings); underlying++) {
    const row = findMmp(mmp, account, underlying);
    const name = names.underlying(underlying);
    if (row < 0 || (currency !== undefined && currency !== name)) continue;
    const config = mmpConfigData(wallet, name, mmp.enabled[row] !== 0, {
      interval: mmp.windows.interval[row]!, frozen: mmp.frozenTime[row]!, quantity: mmp.qtyLimit[row]!, delta: mmp.deltaLimit[row]!,
      vega: mmp.vegaLimit[row]!,
    });
    data.push({ ...config, ...mmpUse(state, row, time) });
  }
  return JSON.stringify({ success: true, data } satisfies AnswerTo<'GET /mmp/config'>);
}

function mmpUse({ mmp }: State, row: number, time: number): Omit<MmpState, keyof MmpConfigData> {
  const used = (measure: number): string | null => microOrNull(windowUse(mmp.windows, row, measure, time));
  const until = mmp.until[row]!;
  return {
    is_frozen: isFrozen(mmp, row, time), frozen_until: isFrozen(mmp, row, time) && until !== UNTIL_RESET ? until : null,
    qty_used: used(QUANTITY), delta_used: used(DELTA), vega_used: used(VEGA), last_triggered_ms: mmp.triggeredAt[row] || null,
  };
}

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

function connectionText(low: number, high: number): string {
  return low === 0 && high === 0 ? '' : Buffer.from(Uint32Array.of(low, high).buffer).toString('hex');
}

export function usernameText(state: State, names: Names, { wallet, username }: QueryParameters['username']): string | null {
  const account = wallet === undefined ? accountOfUsername(state, username ?? '') : accountOfWallet(state, wallet);
  const name = usernameOf(state, account);
  if (name === '') return null;
  const data = { wallet_address: names.wallet(account), username: name };
  return JSON.stringify({ success: true, data, error: null } satisfies UsernameAnswer);
}
