// Typed data against published vectors and against ethers: every structure, every member, unusual texts, nonces up to 2^64 - 1.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fc } from '../../../support/fast-check.ts';
import { TypedDataEncoder, Wallet } from 'ethers';
import { createHasher } from '../../../../shell/api/auth/eip712.ts';
import { STRUCTURES, type StructureName } from '../../../../core/codec/signed-commands.ts';
import { keccak256 } from '../../../../shell/api/auth/keccak.ts';
import { toHex } from '../../../../shell/http/hex.ts';
import { loadBackend } from '../../../../shell/api/auth/recover-signer.ts';
import { STRUCTURE_NAMES, anyMessage, bytesOf, digestOf, membersOf, primaryType, type Message } from './samples.ts';

type Row = { structure: StructureName; message: Message; typeHash: string; digest: string; signature: string };
type Table = {
  domain: { name: string; chainId: number };
  wallet: string;
  privateKey: string;
  separators: { name: string; chainId: number; separator: string }[];
  rows: Row[];
};
type Golden = { encodeType: string; typeHash: string; message: Message; digest: string; signature: string; signer: string };

const vectors = <T>(file: string): T => JSON.parse(readFileSync(new URL(`../../../vectors/${file}`, import.meta.url), 'utf8')) as T;
const table = vectors<Table>('eip712.json');
const golden = vectors<{ hypercall_eip712_golden: Golden[] }>('signing.json').hypercall_eip712_golden;
const backend = loadBackend();

function recovered(digest: Uint8Array, signature: string): string | null {
  const address = new Uint8Array(20);
  return backend.recover(digest, bytesOf(signature), address) ? toHex(address) : null;
}

function hashOf(text: string): string {
  const out = new Uint8Array(32);
  keccak256(new TextEncoder().encode(text), out, 0);
  return toHex(out);
}

test('domain separators equal the published ones', () => {
  assert.equal(table.separators.length, 4);
  for (const { name, chainId, separator } of table.separators) assert.equal(toHex(createHasher(name, chainId).separator), separator);
});

test('property: the domain separator of any name and chain id below 2^53 equals that of ethers', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.maxSafeNat(), (name, chainId) => {
      const { domain, separator } = createHasher(name, chainId);
      assert.deepEqual(domain, { name, version: '1', chainId, verifyingContract: '0x0000000000000000000000000000000000000000' });
      assert.equal(toHex(separator), TypedDataEncoder.hashDomain({ ...domain }));
    }),
    { numRuns: 50 },
  );
});

test('the interface\'s vectors: type hash and digest match, and the signature recovers to the wallet', () => {
  const hasher = createHasher(table.domain.name, table.domain.chainId);
  assert.equal(table.rows.length, 14);
  for (const row of table.rows) {
    assert.equal(hashOf(STRUCTURES[row.structure]), row.typeHash, row.structure);
    const digest = digestOf(hasher, row.structure, row.message);
    assert.equal(toHex(digest), row.digest, row.structure);
    assert.equal(recovered(digest, row.signature), table.wallet, row.structure);
  }
});

test('the golden signatures of the live client recover to their wallets', () => {
  const hasher = createHasher('Hypercall', 998);
  assert.equal(golden.length, 4);
  for (const { encodeType, typeHash, message, digest, signature, signer } of golden) {
    const structure = STRUCTURE_NAMES.find((name) => STRUCTURES[name] === encodeType);
    assert.ok(structure !== undefined, encodeType);
    assert.equal(hashOf(encodeType), typeHash);
    assert.equal(toHex(digestOf(hasher, structure, message)), digest);
    assert.equal(recovered(digestOf(hasher, structure, message), signature), signer);
  }
});

test('property: random messages of every structure have the struct hash and digest of ethers', () => {
  const hasher = createHasher('Strikebook', 998);
  for (const structure of STRUCTURE_NAMES) {
    const types = { [primaryType(structure)]: membersOf(structure) };
    fc.assert(
      fc.property(anyMessage(structure), (message) => {
        assert.equal(toHex(digestOf(hasher, structure, message)), TypedDataEncoder.hash({ ...hasher.domain }, types, message));
        assert.equal(toHex(hasher.structHash), TypedDataEncoder.hashStruct(primaryType(structure), types, message));
      }),
      { numRuns: 40 },
    );
  }
});

test('a wallet of ethers signs every structure and is recovered', async () => {
  const hasher = createHasher('Strikebook', 998);
  const wallet = new Wallet(table.privateKey);
  for (const structure of STRUCTURE_NAMES) {
    const types = { [primaryType(structure)]: membersOf(structure) };
    for (const message of fc.sample(anyMessage(structure), { numRuns: 3, seed: 1 })) {
      const signature = await wallet.signTypedData({ ...hasher.domain }, types, message);
      assert.equal(recovered(digestOf(hasher, structure, message), signature), table.wallet, structure);
    }
  }
});

/** Another value of the same type, as near as it gets. */
function changed(type: string, value: Message[string]): Message[string] {
  if (type === 'bool') return value !== true;
  if (type === 'uint64') return BigInt(value) ^ 1n;
  if (type === 'string') return `${value as string} `;
  const text = value as string;
  return `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
}

test('changing any member or any part of the domain recovers another address', async () => {
  const hasher = createHasher('Strikebook', 998);
  const wallet = new Wallet(table.privateKey);
  for (const structure of STRUCTURE_NAMES) {
    const [message] = fc.sample(anyMessage(structure), { numRuns: 1, seed: 2 }) as [Message];
    const signature = await wallet.signTypedData({ ...hasher.domain }, { [primaryType(structure)]: membersOf(structure) }, message);
    for (const { type, name } of membersOf(structure)) {
      const other = { ...message, [name]: changed(type, message[name]!) };
      assert.notEqual(recovered(digestOf(hasher, structure, other), signature), table.wallet, `${structure}.${name}`);
    }
    for (const domain of [createHasher('strikebook', 998), createHasher('Strikebook', 999)]) {
      assert.notEqual(recovered(digestOf(domain, structure, message), signature), table.wallet, structure);
    }
  }
});

test('every bit of both halves of a uint64 changes the digest', () => {
  const hasher = createHasher('Strikebook', 998);
  const seen = new Set<string>();
  for (let bit = 0n; bit < 64n; bit++) seen.add(toHex(digestOf(hasher, 'RevokeAllAgents', { nonce: 1n << bit })));
  assert.equal(seen.size, 64);
});

test('texts are hashed correctly before and after the cache of hashes is full', () => {
  const hasher = createHasher('Strikebook', 998);
  const wallet = table.wallet;
  const messageOf = (i: number): Message => ({ wallet, scope: `BTC-${i}`, nonce: 1n });
  const types = { CancelAll: membersOf('CancelAll') };
  const first = toHex(digestOf(hasher, 'CancelAll', messageOf(0)));
  const digests = new Set<string>([first]);
  for (let i = 1; i < 9_000; i++) digests.add(toHex(digestOf(hasher, 'CancelAll', messageOf(i))));
  assert.equal(digests.size, 9_000);
  assert.equal(toHex(digestOf(hasher, 'CancelAll', messageOf(0))), first);
  for (const i of [0, 8_191, 8_192, 8_193, 8_999]) {
    assert.equal(toHex(digestOf(hasher, 'CancelAll', messageOf(i))), TypedDataEncoder.hash({ ...hasher.domain }, types, messageOf(i)));
  }
});

test('a lone surrogate counts as U+FFFD, so a text\'s UTF-8 record gives the same digest', () => {
  const hasher = createHasher('Strikebook', 998);
  const digest = (clientId: string) => toHex(digestOf(hasher, 'CancelOrderByClientId', { wallet: table.wallet, clientId, nonce: 1n }));
  for (const text of ['\ud800', 'a\udc00b', '\ud83e', `${'x'.repeat(2_000)}\udfff`]) {
    const recorded = Buffer.from(text, 'utf8').toString('utf8');
    assert.notEqual(recorded, text);
    assert.equal(digest(text), digest(recorded));
  }
});

test('values of the wrong kind or length throw', () => {
  const hasher = createHasher('Strikebook', 998);
  const out = new Uint8Array(32);
  const nonce = { lo: 1, hi: 0 };
  assert.throws(() => hasher.digest('ApproveAgent', { agent: new Uint8Array(32), nonce }, out), RangeError);
  assert.throws(() => hasher.digest('Agent', { source: 'b', connectionId: new Uint8Array(20) }, out), RangeError);
  // @ts-expect-error a structure with a member missing is no program at all
  assert.throws(() => hasher.digest('CancelAfter', { wallet: new Uint8Array(20), nonce }, out), TypeError);
  const numbers = { wallet: new Uint8Array(20), orderId: 123 as unknown as string, nonce };
  assert.throws(() => hasher.digest('CancelOrder', numbers, out), TypeError);
});
