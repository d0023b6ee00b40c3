// Approvals and revocations of agents in runs without expected answers. An agent with a name replaces the wallet's former one of that name,
// and nothing else of the wallet changes. Shares only layouts with the core.

import assert from 'node:assert/strict';
import { AGENT_NOT_FOUND, APPROVAL_VOID, ENGINE_BUSY, NONCE_USED, OK, TOO_MANY_AGENTS } from '../../core/errors.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import { MINUTE } from '../../core/units.ts';
import { walletOf } from '../support/raw.ts';
import { accountOf, type RunContext } from './draw.ts';
import { CODES } from './names.ts';

const NAMES = ['', 'bot', 'desk 2', 'n'.repeat(16)];
/** Characters of a name in four words. */
const NAME_WORDS = 4;
const REFUSALS: readonly number[] = [AGENT_NOT_FOUND, APPROVAL_VOID, ENGINE_BUSY, NONCE_USED, TOO_MANY_AGENTS];

/** By agent: its name and its expiry. */
type Agents = Map<number, { readonly name: string; readonly expires: number }>;

export function actOnAgents(agent: number, means: RunContext): void {
  const { anyone: wallet, draw, random, send, venue: { write } } = means;
  if (random.chance(0.3)) return approveNamed(agent, means);
  send(write.agent(random.chance(0.7) ? 'approve' : 'revoke', wallet, draw.nonce(wallet), agent));
}

function approveNamed(agent: number, { anyone: wallet, count, draw, random, send, venue: { now, state, write } }: RunContext): void {
  const name = random.pick(NAMES);
  const expires = random.chance(0.3) ? now + random.pick([1, MINUTE]) : 0;
  const before = agentsOf(state, accountOf(state, wallet));
  const code = send(write.namedAgent(wallet, draw.nonce(wallet), agent, name, expires));
  count(`named agent ${CODES.get(code)}`);
  const time = state.clock[TIME]!;
  const after = agentsOf(state, accountOf(state, wallet));
  if (code !== OK) return assert.ok(REFUSALS.includes(code), `agents: a named approval is ${CODES.get(code)}`);
  for (const [other, { expires: until, name: held }] of before) {
    const isOver = until !== 0 && until <= time;
    const isFormer = other !== agent && name !== '' && held === name;
    if (isFormer && !isOver) count('named agent takes over a name');
    if (isFormer || isOver || other === agent) before.delete(other);
  }
  before.set(agent, { name, expires });
  assert.deepEqual(sorted(after), sorted(before), 'agents: only the named one and the former one of that name change');
}

function agentsOf({ accounts, agents }: State, account: number): Agents {
  const found: Agents = new Map();
  if (account < 0) return found;
  for (let link = accounts.agentHead[account]!; link !== 0; link = agents.next[link - 1]!) {
    const words = agents.names.slice((link - 1) * NAME_WORDS, link * NAME_WORDS);
    const name = Buffer.from(words.buffer).toString('latin1').replace(/\0+$/, '');
    found.set(walletOf(agents.address, (link - 1) * 5), { name, expires: agents.expires[link - 1]! });
  }
  return found;
}

function sorted(agents: Agents) {
  return [...agents].sort(([a], [b]) => a - b);
}
