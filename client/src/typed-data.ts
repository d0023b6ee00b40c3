// EIP-712 typed data of the venue's structures, as wallets take it (eth_signTypedData_v4), and its digest. Member order and texts are
// hashed exactly as given.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { parseHex, toHex } from '../../shell/http/hex.ts';
import { membersOf, STRUCTURES, type StructureName, type Values } from '../../core/codec/signed-commands.ts';
import { StrikebookError } from './strikebook-error.ts';

export type Domain = { readonly name: string; readonly version: string; readonly chainId: number; readonly verifyingContract: string };
type Member = { readonly name: string; readonly type: string };
type Value = string | boolean | bigint;

/** Members as this library takes them: addresses and bytes as hex. */
export type StructureMessage<S extends StructureName> = Values<
  S, { address: string; bytes32: string; string: string; bool: boolean; uint64: bigint }
>;

export type TypedData = {
  readonly domain: Domain;
  /** Only the primary type. For wallets that also want `EIP712Domain`, see `DOMAIN_MEMBERS`. */
  readonly types: Readonly<Record<string, readonly Member[]>>;
  readonly primaryType: string;
  /** uint64 members are decimal text, which every wallet accepts. */
  readonly message: Readonly<Record<string, string | boolean>>;
};

export const DOMAIN_MEMBERS: readonly Member[] = [
  { name: 'name', type: 'string' }, { name: 'version', type: 'string' }, { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

const WORD = 32;
const encoder = new TextEncoder();
const shapes = new Map<StructureName, { readonly primaryType: string; readonly types: TypedData['types'] }>();
const domainHashes = new WeakMap<Domain, Uint8Array>();
/** Texts in the hash cache, and UTF-16 units per text. */
const KEPT_TEXTS = 10_000;
const KEPT_LENGTH = 256;
const kept = new Map<string, Uint8Array>();

export function domainOf(name: string, chainId: number): Domain {
  return { name, version: '1', chainId, verifyingContract: `0x${'0'.repeat(40)}` };
}

export function typedDataOf<S extends StructureName>(domain: Domain, structure: S, message: StructureMessage<S>): TypedData {
  const { primaryType, types } = shapeOf(structure);
  const values = message as Readonly<Record<string, Value>>;
  const texts: Record<string, string | boolean> = {};
  for (const { type, name } of types[primaryType]!) {
    const value = values[name]!;
    if (type === 'address') bytesOf(String(value), 20, name);
    if (type === 'string' && typeof value !== 'string') throw new StrikebookError('invalid_argument', `${name} must be a text`);
    texts[name] = typeof value === 'bigint' ? String(value) : value;
  }
  return { domain, types, primaryType, message: texts };
}

function shapeOf(structure: StructureName) {
  const known = shapes.get(structure);
  if (known !== undefined) return known;
  const text: string = STRUCTURES[structure];
  const primaryType = text.slice(0, text.indexOf('('));
  const shape = { primaryType, types: { [primaryType]: membersOf(structure) } };
  shapes.set(structure, shape);
  return shape;
}

export function digestOf({ domain, types, primaryType, message }: TypedData): Uint8Array {
  const signed = new Uint8Array(2 + 2 * WORD);
  signed.set([0x19, 0x01]);
  signed.set(hashDomain(domain), 2);
  signed.set(hashStruct(primaryType, types[primaryType] ?? [], message), 2 + WORD);
  return keccak_256(signed);
}

export function digestHex(data: TypedData): string {
  return toHex(digestOf(data));
}

function hashStruct(name: string, members: readonly Member[], values: Readonly<Record<string, unknown>>): Uint8Array {
  const words = new Uint8Array(WORD * (1 + members.length));
  words.set(hashText(`${name}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`));
  members.forEach((member, i) => words.set(wordOf(member, values[member.name]), WORD * (1 + i)));
  return keccak_256(words);
}

function wordOf({ type, name }: Member, value: unknown): Uint8Array {
  switch (type) {
    case 'string': return hashText(String(value));
    case 'bytes32': return bytesOf(String(value), WORD, name);
    case 'bool': return numberWord(value === true ? 1n : 0n);
    case 'address': {
      const word = new Uint8Array(WORD);
      word.set(bytesOf(String(value), 20, name), WORD - 20);
      return word;
    }
    default: return numberWord(BigInt(value as string | number));
  }
}

function numberWord(value: bigint): Uint8Array {
  const word = new Uint8Array(WORD);
  new DataView(word.buffer).setBigUint64(WORD - 8, value);
  return word;
}

function hashDomain(domain: Domain): Uint8Array {
  const hash = domainHashes.get(domain) ?? hashStruct('EIP712Domain', DOMAIN_MEMBERS, domain);
  domainHashes.set(domain, hash);
  return hash;
}

/** Cached, because types, symbols and sides repeat. */
function hashText(text: string): Uint8Array {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const hash = keccak_256(encoder.encode(text));
  if (kept.size >= KEPT_TEXTS) kept.clear();
  if (text.length <= KEPT_LENGTH) kept.set(text, hash);
  return hash;
}

/** Throws unless the text is '0x' and the right number of digits. */
export function bytesOf(text: string, length: number, name: string): Uint8Array {
  const bytes = new Uint8Array(length);
  if (!parseHex(text, bytes)) throw new StrikebookError('invalid_argument', `${name} must be 0x and ${2 * length} hex digits`);
  return bytes;
}

export function hashHex(bytes: Uint8Array): string {
  return toHex(keccak_256(bytes));
}
