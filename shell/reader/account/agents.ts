// The body of GET /authorized-agents (wire.md 2.1): addresses that may sign for the wallet at `time`, also while approvals
// wait for the wallet to open its account. Nobody whose authorisation has been revoked or has run out is shown.

import { isLive } from '../../../core/accounts/agents.ts';
import { nextPending, firstPending, PENDING_AGENT, PENDING_WORDS } from '../../../core/accounts/pending.ts';
import type { State } from '../../../core/engine/state.ts';
import { accountOfWallet, addressOfWords, wordsOfAddress } from '../text.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';

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

/** The last approval of an agent counts, as it will when they are bound in order. */
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
