// EIP-712 typed data: the digest of every structure that wallets sign. Strings are hashed as UTF-8 exactly as given; a lone surrogate
// counts as U+FFFD, as in recorded texts. Calls share buffers. A value of the wrong type or length throws, which no client input may
// cause.

import { keccak256 } from './keccak.ts';
import { membersOf, STRUCTURES, type MemberType, type StructureName, type U64, type Values } from '../../../core/codec/signed-commands.ts';

type Domain = { readonly name: string; readonly version: string; readonly chainId: number; readonly verifyingContract: string };

/** `structHash` is a view of the last hash, valid until the next call. */
export type Hasher = {
  readonly domain: Domain;
  readonly separator: Uint8Array;
  readonly structHash: Uint8Array;
  /** `out`: the 32 bytes to sign. */
  digest<S extends StructureName>(structure: S, values: Values<S>, out: Uint8Array): void;
};

const WORD = 32;
const DOMAIN = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';
const REPEATED = new Set(['symbol', 'side', 'size', 'price', 'tif', 'route', 'marginMode', 'currency', 'scope', 'tier', 'source']);
/** KEPT_LENGTH in UTF-16 units. */
const KEPT_TEXTS = 8_192;
const KEPT_LENGTH = 64;

const encoder = new TextEncoder();
const utf8 = new Uint8Array(3_072);
const kept = new Map<string, Uint8Array>();
const EMPTY_HASH = new Uint8Array(WORD);
keccak256(new Uint8Array(0), EMPTY_HASH, 0);

function hashText(text: string, out: Uint8Array, at: number): void {
  if (text === '') {
    out.set(EMPTY_HASH, at);
  } else if (text.length * 3 > utf8.length) {
    keccak256(encoder.encode(text), out, at);
  } else {
    keccak256(utf8.subarray(0, encoder.encodeInto(text, utf8).written), out, at);
  }
}

function hashRepeatedText(text: string, out: Uint8Array, at: number): void {
  const known = kept.get(text);
  if (known !== undefined) {
    out.set(known, at);
    return;
  }
  hashText(text, out, at);
  if (text.length > KEPT_LENGTH) return;
  if (kept.size >= KEPT_TEXTS) kept.clear();
  kept.set(text, out.slice(at, at + WORD));
}

type Slot = { readonly kind: MemberType; readonly name: string; readonly repeated: boolean };
/** Type hash, then one word per member. */
type Plan = { readonly slots: readonly Slot[]; readonly words: Uint8Array; readonly view: DataView };

function planOf(structure: StructureName): Plan {
  const slots = membersOf(structure).map(({ name, type }) => ({ kind: type, name, repeated: REPEATED.has(name) }));
  const words = new Uint8Array(WORD * (1 + slots.length));
  hashText(STRUCTURES[structure], words, 0);
  return { slots, words, view: new DataView(words.buffer) };
}

const NAMES = Object.keys(STRUCTURES) as StructureName[];
const PLANS = Object.fromEntries(NAMES.map((name) => [name, planOf(name)])) as Record<StructureName, Plan>;

function setBytes(plan: Plan, at: number, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new RangeError(`Typed data needs ${length} bytes, got ${bytes.length}`);
  plan.words.set(bytes, at + WORD - length);
}

function fillWord(plan: Plan, slot: Slot, at: number, value: unknown): void {
  switch (slot.kind) {
    case 'string':
      if (typeof value !== 'string') throw new TypeError(`Typed data needs a string for ${slot.name}`);
      if (slot.repeated) hashRepeatedText(value, plan.words, at);
      else hashText(value, plan.words, at);
      return;
    case 'uint64':
      plan.view.setUint32(at + WORD - 8, (value as U64).hi);
      plan.view.setUint32(at + WORD - 4, (value as U64).lo);
      return;
    case 'address':
      return setBytes(plan, at, value as Uint8Array, 20);
    case 'bytes32':
      return setBytes(plan, at, value as Uint8Array, WORD);
    case 'bool':
      plan.words[at + WORD - 1] = value === true ? 1 : 0;
  }
}

function hashStruct(structure: StructureName, values: Readonly<Record<string, unknown>>, out: Uint8Array, at: number): void {
  const plan = PLANS[structure];
  for (let i = 0; i < plan.slots.length; i++) {
    const slot = plan.slots[i]!;
    fillWord(plan, slot, WORD * (1 + i), values[slot.name]);
  }
  keccak256(plan.words, out, at);
}

/** The contract is the zero address: word 4 stays 0. */
function separatorOf(name: string, version: string, chainId: number): Uint8Array {
  const words = new Uint8Array(WORD * 5);
  const view = new DataView(words.buffer);
  hashText(DOMAIN, words, 0);
  hashText(name, words, WORD);
  hashText(version, words, WORD * 2);
  view.setBigUint64(WORD * 4 - 8, BigInt(chainId));
  const separator = new Uint8Array(WORD);
  keccak256(words, separator, 0);
  return separator;
}

export function createHasher(name: string, chainId: number): Hasher {
  const domain = { name, version: '1', chainId, verifyingContract: `0x${'0'.repeat(40)}` };
  const separator = separatorOf(name, domain.version, chainId);
  const signed = new Uint8Array(2 + 2 * WORD);
  signed.set([0x19, 0x01]);
  signed.set(separator, 2);
  return {
    domain,
    separator,
    structHash: signed.subarray(2 + WORD),
    digest(structure, values, out) {
      hashStruct(structure, values, signed, 2 + WORD);
      keccak256(signed, out, 0);
    },
  };
}
