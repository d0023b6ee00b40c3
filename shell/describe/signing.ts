// Signs the examples for this venue's domain with a publicly known key (account 0 of the common test mnemonic), so that
// they can be sent as shown. Never signs anything else.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Hasher } from '../api/auth/eip712.ts';
import { membersOf, type StructureName, type Values } from '../../core/codec/signed-commands.ts';
import { parseHex, toHex } from '../http/hex.ts';

export const EXAMPLE_WALLET = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const EXAMPLE_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export type Body = Readonly<Record<string, unknown>>;

const FIELD_OF: Readonly<Record<string, string | null>> = { payoutIds: 'ids', seen: null };
const PERP_FIELDS: readonly string[] = ['wallet', 'symbol', 'side', 'size', 'price', 'tif', 'client_id', 'reduce_only', 'nonce'];

function fieldOf(member: string): string | null {
  const field = FIELD_OF[member];
  return field === undefined ? member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : field;
}

export function signedFields(structure: StructureName): readonly string[] {
  if (structure === 'Agent') return PERP_FIELDS;
  return membersOf(structure).flatMap(({ name }) => fieldOf(name) ?? []);
}

export function messageOf<S extends StructureName>(structure: S, body: Body): Values<S> {
  return Object.fromEntries(membersOf(structure).map(({ name, type }) => {
    const field = fieldOf(name);
    return [name, valueOf(type, field === null ? true : body[field])];
  })) as Values<S>;
}

function valueOf(type: string, sent: unknown): unknown {
  switch (type) {
    case 'uint64': {
      const number = BigInt(Number(sent ?? 0));
      return { lo: Number(number & 0xffff_ffffn), hi: Number(number >> 32n) };
    }
    case 'address': {
      const bytes = new Uint8Array(20);
      parseHex(String(sent), bytes);
      return bytes;
    }
    case 'bool': return sent === true;
    default: return Array.isArray(sent) ? sent.join(',') : String(sent ?? '');
  }
}

export function signed(hasher: Hasher, structure: StructureName, body: Body): Body {
  const digest = new Uint8Array(32);
  const key = new Uint8Array(32);
  parseHex(EXAMPLE_KEY, key);
  hasher.digest(structure, messageOf(structure, body), digest);
  const recovered = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' });
  return { ...body, signature: `${toHex(recovered.subarray(1))}${(27 + recovered[0]!).toString(16)}` };
}
