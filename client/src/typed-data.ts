// EIP-712 typed data of the venue's structures: the form that wallets take (eth_signTypedData_v4), and its digest for a key
// at hand. The structures are the venue's own table; the order of members and the texts are exactly what gets hashed.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { parseHex, toHex } from '../../shell/http/hex.ts';
import { membersOf, STRUCTURES, type StructureName, type Values } from '../../core/codec/signed-commands.ts';
import { StrikebookError } from './errors.ts';

export type Domain = { readonly name: string; readonly version: string; readonly chainId: number; readonly verifyingContract: string };
type Member = { readonly name: string; readonly type: string };
type Value = string | boolean | bigint;

/** The members of a structure as this library takes them: addresses and bytes as hex. */
export type Message<S extends StructureName> = Values<
  S, { address: string; bytes32: string; string: string; bool: boolean; uint64: bigint }
>;

export type TypedData = {
  readonly domain: Domain;
  /** Of the primary type alone; a wallet that wants `EIP712Domain` too finds it in `DOMAIN_MEMBERS`. */
  readonly types: Readonly<Record<string, readonly Member[]>>;
  readonly primaryType: string;
  /** uint64 members as decimal text, which every wallet takes. */
  readonly message: Readonly<Record<string, string | boolean>>;
};

export const DOMAIN_MEMBERS: readonly Member[] = [
  { name: 'name', type: 'string' }, { name: 'version', type: 'string' }, { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

const WORD = 32;
const encoder = new TextEncoder();
/** What is the same in every message of a structure: its types, by our name for it. */
const shapes = new Map<StructureName, { readonly primaryType: string; readonly types: TypedData['types'] }>();
const domainHashes = new WeakMap<Domain, Uint8Array>();
/** Both bound what the hashes take: so many texts, each of at most so many UTF-16 units. */
const KEPT_TEXTS = 10_000;
const KEPT_LENGTH = 256;
const kept = new Map<string, Uint8Array>();

/** The domain of this name and chain, version 1 and the zero contract. */
export function domainOf(name: string, chainId: number): Domain {
  return { name, version: '1', chainId, verifyingContract: `0x${'0'.repeat(40)}` };
}

export function typedDataOf<S extends StructureName>(domain: Domain, structure: S, message: Message<S>): TypedData {
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

/** The 32 bytes that get signed. */
export function digestOf({ domain, types, primaryType, message }: TypedData): Uint8Array {
  const signed = new Uint8Array(2 + 2 * WORD);
  signed.set([0x19, 0x01]);
  signed.set(hashDomain(domain), 2);
  signed.set(hashStruct(primaryType, types[primaryType] ?? [], message), 2 + WORD);
  return keccak_256(signed);
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

/** A client has one domain for all that it signs. */
function hashDomain(domain: Domain): Uint8Array {
  const hash = domainHashes.get(domain) ?? hashStruct('EIP712Domain', DOMAIN_MEMBERS, domain);
  domainHashes.set(domain, hash);
  return hash;
}

/** Most texts come again and again: types, symbols, sides. */
function hashText(text: string): Uint8Array {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const hash = keccak_256(encoder.encode(text));
  if (kept.size >= KEPT_TEXTS) kept.clear();
  if (text.length <= KEPT_LENGTH) kept.set(text, hash);
  return hash;
}

/** The bytes of '0x…'; throws on any other text. */
export function bytesOf(text: string, length: number, name: string): Uint8Array {
  const bytes = new Uint8Array(length);
  if (!parseHex(text, bytes)) throw new StrikebookError('invalid_argument', `${name} must be 0x and ${2 * length} hex digits`);
  return bytes;
}

export function hashHex(bytes: Uint8Array): string {
  return toHex(keccak_256(bytes));
}
