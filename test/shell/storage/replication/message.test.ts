// The bytes of a message of the replicated log: what comes back, and what is noticed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import {
  decodeMessage, encodeMessage, firstPrev, hashOf, MESSAGE_RECORD_BYTES, type Content, type Kind, type Message,
} from '../../../../shell/storage/replication/message.ts';

const IDENTITY = { venue: '0123456789abcdef', key: Buffer.alloc(32, 7) };
const seqs = fc.integer({ min: 1, max: 2 ** 40 });
const digest = fc.record({ seq: seqs, low: fc.nat(0xffffffff), high: fc.nat(0xffffffff) }, { noNullPrototype: true });
const digests = fc.array(digest, { maxLength: 5 });
const hexes = (digits: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`));

const messages: fc.Arbitrary<Message> = fc.record({
  kind: fc.constantFrom<Kind>('frame', 'lead', 'empty', 'resign'), node: fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,31}$/),
  instance: hexes(16), epoch: seqs, at: seqs, first: seqs, count: fc.nat(1_000), prev: hexes(64),
  behaviour: fc.nat(1_000), codec: fc.nat(100), digests, bytes: fc.uint8Array({ minLength: 1, maxLength: 200 }),
}).map(({ count, ...rest }) => {
  const hasRecords = rest.kind === 'frame' || rest.kind === 'lead';
  return finished(hasRecords ? { ...rest, last: rest.first + count } : { ...rest, first: 0, last: 0, bytes: new Uint8Array() });
});

function finished(content: Content & { at: number }): Message {
  return { ...content, hash: hashOf(content) };
}

function example(): Message {
  return finished({
    kind: 'frame', node: 'one', instance: '00000000000000aa', epoch: 3, at: 17, first: 5, last: 6, prev: firstPrev(IDENTITY.venue),
    behaviour: 22, codec: 6, digests: [{ seq: 6, low: 1, high: 2 }], bytes: new Uint8Array(48).fill(9),
  });
}

test('a message comes back from its bytes as it was, with its records aligned for 8-byte views', () => {
  fc.assert(fc.property(messages, (message) => {
    const back = decodeMessage(encodeMessage(message, IDENTITY), IDENTITY);
    assert.deepEqual(back, message);
    assert.equal(back!.bytes.byteOffset % 8, 0);
  }));
});

test('no changed bit of a message goes unnoticed, but in the padding before its records', () => {
  const message = example();
  const data = encodeMessage(message, IDENTITY);
  const macEnd = 136 + message.node.length + 16 + 32;
  const start = data.length - message.bytes.length;
  for (let bit = 0; bit < data.length * 8; bit++) {
    const changed = Uint8Array.from(data);
    changed[bit >>> 3]! ^= 1 << (bit & 7);
    const back = decodeMessage(changed, IDENTITY);
    if (back !== null) {
      assert.ok(bit >>> 3 >= macEnd && bit >>> 3 < start, `byte ${bit >>> 3}`);
      assert.deepEqual(back, message);
    }
  }
});

test('a message cut short or followed by more is not read', () => {
  const data = encodeMessage(example(), IDENTITY);
  for (let length = 0; length < data.length; length++) assert.equal(decodeMessage(data.subarray(0, length), IDENTITY), null);
  assert.equal(decodeMessage(Buffer.concat([data, Buffer.alloc(8)]), IDENTITY), null);
});

test('a message with another key, of another venue or with records of another message is not read', () => {
  const message = example();
  const data = encodeMessage(message, IDENTITY);
  assert.equal(decodeMessage(data, { ...IDENTITY, key: Buffer.alloc(32, 8) }), null);
  assert.equal(decodeMessage(encodeMessage(message, { ...IDENTITY, venue: 'fedcba9876543210' }), IDENTITY), null);
  const other = encodeMessage({ ...message, bytes: new Uint8Array(48).fill(8) }, IDENTITY);
  assert.equal(decodeMessage(other, IDENTITY), null);
});

test('the position of a message is under its MAC and not in its hash, so that the same frame may be sent again at another', () => {
  const message = example();
  assert.equal(hashOf({ ...message, at: 99 } as Message), message.hash);
  const moved = encodeMessage({ ...message, at: 18 }, IDENTITY);
  assert.equal(decodeMessage(moved, IDENTITY)!.at, 18);
});

test('the hash tells apart kinds, authors, epochs and numbers', () => {
  const message = example();
  const others: Partial<Message>[] = [
    { kind: 'lead' }, { node: 'two' }, { instance: '00000000000000ab' }, { epoch: 4 }, { first: 4 }, { last: 7 }, { prev: 'f'.repeat(64) },
  ];
  const hashes = new Set([message, ...others.map((change) => ({ ...message, ...change }))].map((content) => hashOf(content)));
  assert.equal(hashes.size, others.length + 1);
});

test('a message without records that says it has some, or with too many, is not read', () => {
  const odd: Partial<Message>[] = [
    { kind: 'empty' }, { bytes: new Uint8Array() }, { first: 7 }, { bytes: new Uint8Array(MESSAGE_RECORD_BYTES + 8) }, { node: 'a b' },
    { epoch: 0 },
  ];
  for (const change of odd) {
    const content = { ...example(), ...change };
    assert.equal(decodeMessage(encodeMessage({ ...content, hash: hashOf(content) }, IDENTITY), IDENTITY), null);
  }
});
