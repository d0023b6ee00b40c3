// Makes an agent key and has its wallet approve it. A key whose approval got no answer is kept in memory until it is tried again, since the
// venue may have approved it. Secrets that are given up are zeroed.

import { mayHaveActed, privateKeySigner, type Strikebook } from '../../src/main.ts';
import { messageOf } from './provider.ts';
import type { HeldKey, KeyFacts } from './vault.ts';

type Approver = Pick<Strikebook, 'get' | 'approveAgent'>;
type Wanted = Pick<KeyFacts, 'venue_id' | 'domains' | 'wallet'> & { readonly until: number };

const SECRET_BYTES = 32;
const UNKNOWN = 'Whether it approved the key is not known. Try again: if it did, nothing more is signed.';

export function randomKey(): { readonly address: string; readonly secret: Uint8Array } {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return { address: privateKeySigner(secret).address, secret };
}

export class Approvals {
  #unanswered: HeldKey | null = null;

  async approve(client: Approver, { until, ...facts }: Wanted): Promise<HeldKey> {
    const earlier = await this.#earlier(client, facts);
    if (earlier !== null) return earlier;
    const { address, secret } = randomKey();
    const held: HeldKey = { facts: { kind: 'agent', ...facts, address, expires_at: until }, secret };
    try {
      const { error, success } = await client.approveAgent(address, { expires_at: until });
      if (success) return held;
      throw new Error(error ?? 'The venue did not approve the agent key.');
    } catch (error) {
      if (!mayHaveActed(error)) secret.fill(0);
      else this.#unanswered = held;
      throw this.#unanswered === null ? error : new Error(`${messageOf(error)} ${UNKNOWN}`, { cause: error });
    }
  }

  async #earlier(client: Approver, { venue_id: venue, wallet }: Pick<KeyFacts, 'venue_id' | 'wallet'>): Promise<HeldKey | null> {
    const held = this.#unanswered;
    if (held === null) return null;
    const isOf = held.facts.wallet === wallet && held.facts.venue_id === venue;
    const { agents } = isOf ? await client.get('/authorized-agents', { wallet }) : { agents: [] };
    this.#unanswered = null;
    if (agents.some((agent) => agent.toLowerCase() === held.facts.address)) return held;
    held.secret.fill(0);
    return null;
  }
}
