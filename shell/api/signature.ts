// What was signed, and by whom. A form is a message that may have been signed. The digest of a perp order depends on
// the signer (decision 3.11).

import type { Hasher } from './auth/eip712.ts';
import type { StructureName, Values } from '../../core/codec/signed-commands.ts';
import { toHex } from '../http/hex.ts';
import { digestPerpOrder, exchangeHasher, perpSources, type PerpOrder } from './auth/perp-action.ts';
import type { Uint64 } from '../http/fields.ts';
import type { VerifiedSignature } from './command.ts';
import type { ApiContext } from './context.ts';
import { deriveFields, type DerivedFields } from './derive-fields.ts';
import { textsOf, type AnyValues } from './proof-texts.ts';

export type TypedForm = { readonly structure: StructureName; readonly values: AnyValues };
export type PerpForm = {
  readonly structure: 'Agent';
  readonly wallet: Uint8Array;
  readonly order: PerpOrder;
  readonly nonce: Uint64;
  readonly values: AnyValues;
};
export type SignedForm = TypedForm | PerpForm;

export type RecoveredSignature = (
  Omit<VerifiedSignature, 'signer' | 'nonce' | 'signature' | 'texts'> & { readonly signer: Uint8Array | null }
);

export function typedForm<S extends StructureName>(structure: S, values: Values<S>): SignedForm {
  return { structure, values: values as AnyValues };
}

export function isPerpForm(form: SignedForm): form is PerpForm {
  return 'order' in form;
}

/**
 * An agent's signature gives another address under each accepted perp source (decision 3.11); main decides which is an
 * agent. The venue's own source is last, because refusals report the last.
 */
export function recoverSigners(api: ApiContext, form: SignedForm, signature: Uint8Array): readonly RecoveredSignature[] {
  if (!isPerpForm(form)) return [recoverTyped(api, api.hasher, form, signature)];
  let found: readonly RecoveredSignature[] = [];
  for (const source of perpSources(api.hasher.domain)) {
    const checked = recoverPerp(api, form, source, signature);
    if (checked.signer === null || isSameAddress(checked.signer, form.wallet)) return [checked];
    found = [checked, ...found];
  }
  return found;
}

export function recoverTyped(api: ApiContext, hasher: Hasher, { structure, values }: TypedForm, signature: Uint8Array): RecoveredSignature {
  const digest = new Uint8Array(32);
  hasher.digest(structure, values as unknown as Values<typeof structure>, digest);
  return { structure, digest, structHash: hasher.structHash.slice(), signer: signerOf(api, digest, signature) };
}

/** The agent's form comes second. A wallet's own signature counts in its form only, or an order could be recorded in two ways. */
function recoverPerp(api: ApiContext, form: PerpForm, source: string, signature: Uint8Array): RecoveredSignature {
  const own = recoverAs(api, form, source, null, signature);
  if (own.signer === null || isSameAddress(own.signer, form.wallet)) return own;
  const agents = recoverAs(api, form, source, form.wallet, signature);
  return agents.signer === null || isSameAddress(agents.signer, form.wallet) ? own : agents;
}

export function recoverAs(
  api: ApiContext, { order, nonce }: Pick<PerpForm, 'order' | 'nonce'>, source: string, agentFor: Uint8Array | null, signature: Uint8Array,
): RecoveredSignature {
  const digest = new Uint8Array(32);
  digestPerpOrder(source, order, nonce, agentFor, digest);
  return { structure: 'Agent', digest, structHash: exchangeHasher.structHash.slice(), signer: signerOf(api, digest, signature) };
}

export function fieldsOfForm(kind: number, { structure, values }: SignedForm, flags = 0): DerivedFields {
  return deriveFields(kind, structure, values, flags);
}

export function textsOfForm({ structure, values }: SignedForm): readonly string[] {
  return textsOf(structure, values);
}

export function signatureDetails(api: ApiContext, { structure, digest, structHash, signer }: RecoveredSignature): object {
  const { domain } = structure === 'Agent' ? exchangeHasher : api.hasher;
  return { digest: toHex(digest), struct_hash: toHex(structHash), recovered: signer === null ? null : toHex(signer), domain };
}

function signerOf(api: ApiContext, digest: Uint8Array, signature: Uint8Array): Uint8Array | null {
  const signer = new Uint8Array(20);
  return api.backend.recover(digest, signature, signer) ? signer : null;
}

function isSameAddress(a: Uint8Array, b: Uint8Array): boolean {
  return a.every((byte, at) => byte === b[at]);
}
