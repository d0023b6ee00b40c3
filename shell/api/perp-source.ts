// Which source a perp order was signed with, where a venue takes two (decision 3.11): a venue with the default name. The wallet's own
// signature tells it. That of an agent gives an address under each source, and which of the two is an agent only the reader knows, so
// it is asked for one that was not seen before. This is settled before the order is an action: nothing of its connection overtakes it.

import { SIGNATURE_BYTES } from '../../core/codec/proof.ts';
import { perpSources } from './auth/perp-action.ts';
import { parseHex, toHex } from '../http/hex.ts';
import { BUSY, LATE, type Refused } from '../http/errors.ts';
import type { Source } from '../http/source.ts';
import { attempt } from './action.ts';
import type { Api } from './context.ts';
import { bodyJson } from './reader-link.ts';
import { recoverAs, type Checked, type PerpForm } from './signature.ts';

/** Wallets with agents that a reader has told of, as "wallet agent". Bounded: when it is full it is emptied. */
const seen = new Set<string>();
const KEPT = 4_096;

/** Calls `take` with the form whose signature has been looked at, or with why there is none; now or later. */
export function settleSource(
  api: Api, source: Source, form: PerpForm, signatureText: string, take: (form: PerpForm | Refused) => void,
): void {
  if (perpSources(api.hasher.domain).length === 1) return take(form);
  const refusal = api.checks.run(source, () => {
    const found = attempt(api, 'perp source', () => candidatesOf(api, form, signatureText));
    if ('ok' in found) return take(found);
    if (found.length === 1) return take({ ...form, checked: found[0]! });
    askWhich(api, form, found, take);
  });
  if (refusal !== null) take(refusal);
}

/** What the signature may stand for: one where it is the wallet's or a known agent's. */
function candidatesOf(api: Api, form: PerpForm, signatureText: string): readonly Checked[] {
  const signature = Buffer.allocUnsafe(SIGNATURE_BYTES);
  parseHex(signatureText, signature);
  const wallet = toHex(form.wallet);
  const agents: Checked[] = [];
  for (const name of perpSources(api.hasher.domain)) {
    const own = recoverAs(api, form, name, null, signature);
    if (own.signer === null) return [own];
    if (toHex(own.signer) === wallet) return [own];
    const agent = recoverAs(api, form, name, form.wallet, signature);
    if (agent.signer === null || toHex(agent.signer) === wallet) agents.push(own);
    else if (seen.has(`${wallet} ${toHex(agent.signer)}`)) return [agent];
    else agents.push(agent);
  }
  return agents;
}

function askWhich(api: Api, form: PerpForm, candidates: readonly Checked[], take: (form: PerpForm | Refused) => void): void {
  const wallet = toHex(form.wallet);
  const asked = api.reads.ask('agents', { wallet }, ({ status, body }) => {
    if (status === 503) return take(BUSY);
    const known = attempt(api, 'perp source', () => (bodyJson(body) as { agents: string[] }).agents);
    if ('ok' in known) return take(known);
    const signerOf = ({ signer }: Checked): string => (signer === null ? '' : toHex(signer));
    const agent = candidates.find((one) => known.includes(signerOf(one)));
    if (agent !== undefined) remember(`${wallet} ${signerOf(agent)}`);
    // Nobody who may act: told of the venue's own source.
    take({ ...form, checked: agent ?? candidates[0]! });
  }, () => take(LATE));
  if (!asked) take(BUSY);
}

function remember(name: string): void {
  if (seen.size >= KEPT) seen.clear();
  seen.add(name);
}
