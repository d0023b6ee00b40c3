// What the auth tests share: messages of every structure in the form of ethers, and their way into our hasher.

import { fc } from '../../../support/fast-check.ts';
import { parseHex } from '../../../../shell/http/hex.ts';
import type { Hasher } from '../../../../shell/api/auth/eip712.ts';
import { STRUCTURES, type StructureName, type U64 } from '../../../../core/codec/signed-commands.ts';

/** Addresses and bytes32 as 0x texts, uint64 as bigint or number, as ethers takes them. */
export type Message = Readonly<Record<string, string | boolean | number | bigint>>;

export const STRUCTURE_NAMES = Object.keys(STRUCTURES) as StructureName[];

/** The members of a structure as ethers wants them, read from the type's text. */
export function membersOf(structure: StructureName): { type: string; name: string }[] {
  const text: string = STRUCTURES[structure];
  const list = text.slice(text.indexOf('(') + 1, -1).split(',');
  return list.map((member) => ({ type: member.split(' ')[0]!, name: member.split(' ')[1]! }));
}

export function primaryType(structure: StructureName): string {
  return STRUCTURES[structure].slice(0, STRUCTURES[structure].indexOf('('));
}

export function bytesOf(hex: string): Uint8Array {
  const out = new Uint8Array((hex.length - 2) / 2);
  if (!parseHex(hex, out)) throw new Error(`not hex: ${hex}`);
  return out;
}

export function u64Of(value: number | bigint): U64 {
  const wide = BigInt(value);
  return { lo: Number(wide & 0xffff_ffffn), hi: Number(wide >> 32n) };
}

export function digestOf(hasher: Hasher, structure: StructureName, message: Message): Uint8Array {
  const values: Record<string, unknown> = {};
  for (const { type, name } of membersOf(structure)) {
    const value = message[name]!;
    if (type === 'uint64') values[name] = u64Of(value as bigint);
    else if (type === 'address' || type === 'bytes32') values[name] = bytesOf(value as string);
    else values[name] = value;
  }
  const out = new Uint8Array(32);
  hasher.digest(structure, values as never, out);
  return out;
}

const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((b) => `0x${Buffer.from(b).toString('hex')}`);

/** Empty, quotes and escapes, other scripts, emoji, combining marks, NUL, and longer than any buffer of the hasher. */
const ODD_TEXTS = [
  '', '"\'\\', '\u0000', 'Κάλλιστα 選択權', '👩‍👩‍👧‍👦🏴‍☠️', 'e\u0301', ' 0.10 ', '\n\t',
  'x'.repeat(1_024), '€'.repeat(1_025), '🦄'.repeat(9_000),
];

/** Any character. (The library's own unit `binary` makes a table of all of them first, for a second of processor in each process.) */
const character = fc.nat({ max: 0x10_ffff - 0x800 }).map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

const text = fc.oneof(
  fc.constantFrom('Buy', 'Sell', 'gtc', 'BTC-20260131-100000-C', '0.1', '100.0'),
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: character, maxLength: 80 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

const uint64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.constantFrom(0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n),
);

const VALUES: Readonly<Record<string, fc.Arbitrary<string | boolean | bigint>>> = {
  address: hex(20),
  bytes32: hex(32),
  bool: fc.boolean(),
  string: text,
  uint64,
};

export function anyMessage(structure: StructureName): fc.Arbitrary<Message> {
  return fc.record(Object.fromEntries(membersOf(structure).map(({ type, name }) => [name, VALUES[type]!])));
}
