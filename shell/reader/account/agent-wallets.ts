// For which wallets an address may sign, for a dialect whose requests do not name the wallet. An index of candidates, made at the first
// question and kept by events; the state decides.

import { accountCount, findAccount } from '../../../core/accounts/accounts.ts';
import { AGENT_NAME_WORDS, agentRows, isAgent, isLive } from '../../../core/accounts/agents.ts';
import { ACCOUNT, AGENT_ADDRESS, AGENT_APPROVED } from '../../../core/codec/events.ts';
import type { State } from '../../../core/engine/state.ts';
import { AGENT_NAME_CHARS } from '../../../core/limits.ts';
import type { NamedAgents, SignerFacts } from '../../ipc/queries.ts';
import { accountOfWallet, addressOfWords, wordsOfAddress } from '../text.ts';

/** Expired agents leave the table of agents without an event. With so many candidates beyond its rows, the index is made anew. */
const SPARE = 65_536;

export class AgentWallets {
  readonly #state: State;
  #wallets: Map<string, Set<string>> | null = null;
  #candidates = 0;

  constructor(state: State) {
    this.#state = state;
  }

  onEvent(kind: number, f: Float64Array): void {
    if (kind !== AGENT_APPROVED || this.#wallets === null || f[ACCOUNT]! < 0) return;
    if (this.#candidates > agentRows(this.#state.agents) + SPARE) this.#wallets = null;
    else this.#add(addressOfWords(f, AGENT_ADDRESS), f[ACCOUNT]!);
  }

  answer(signer: string, time: number): string {
    const { accounts, agents } = this.#state;
    if (this.#wallets === null) this.#build();
    const candidates = [...this.#wallets!.get(signer) ?? []];
    const wallets = candidates.filter((wallet) => {
      const account = findAccount(accounts, wordsOfAddress(wallet)!, 0);
      return account >= 0 && isAgent(agents, accounts, account, wordsOfAddress(signer)!, 0, time);
    });
    const isWallet = findAccount(accounts, wordsOfAddress(signer)!, 0) >= 0;
    return JSON.stringify({ isWallet, wallets } satisfies SignerFacts);
  }

  #build(): void {
    const { accounts, agents } = this.#state;
    this.#wallets = new Map();
    this.#candidates = 0;
    for (let account = 0; account < accountCount(accounts); account++) {
      for (let link = accounts.agentHead[account]!; link !== 0; link = agents.next[link - 1]!) {
        this.#add(addressOfWords(agents.address, (link - 1) * 5), account);
      }
    }
  }

  #add(agent: string, account: number): void {
    const wallet = addressOfWords(this.#state.accounts.address, account * 5);
    const wallets = this.#wallets!.get(agent) ?? new Set();
    if (wallets.has(wallet)) return;
    this.#wallets!.set(agent, wallets.add(wallet));
    this.#candidates++;
  }
}

export function namedAgentsText(state: State, wallet: string, time: number): string {
  const { accounts, agents } = state;
  const account = accountOfWallet(state, wallet);
  const found: NamedAgents[number][] = [];
  for (let link = account < 0 ? 0 : accounts.agentHead[account]!; link !== 0; link = agents.next[link - 1]!) {
    const expires = agents.expires[link - 1]!;
    if (!isLive(expires, time)) continue;
    const bytes = new Uint8Array(agents.names.slice((link - 1) * AGENT_NAME_WORDS, link * AGENT_NAME_WORDS).buffer, 0, AGENT_NAME_CHARS);
    const name = Buffer.from(bytes).toString('latin1').replace(/\0+$/, '');
    found.push({ address: addressOfWords(agents.address, (link - 1) * 5), name, expires });
  }
  return JSON.stringify(found satisfies NamedAgents);
}
