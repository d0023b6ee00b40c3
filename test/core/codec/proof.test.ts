// The proof of a record is read back as it was written, also with texts whose length takes more than one byte.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { proofBytes, readProof, SIGNATURE_BYTES, writeProof } from '../../../core/codec/proof.ts';
import { alignUp, viewsOf } from '../../../core/codec/record.ts';

const AT = 40;
const SIGNATURE = Uint8Array.from({ length: SIGNATURE_BYTES }, (_, at) => at + 1);
const encoder = new TextEncoder();

function written(texts: readonly string[]): { views: ReturnType<typeof viewsOf>; end: number } {
  const textBytes = texts.reduce((sum, text) => sum + encoder.encode(text).length, 0);
  const end = AT + proofBytes(texts.length, textBytes);
  const views = viewsOf(new ArrayBuffer(alignUp(end) + 64));
  writeProof(views, AT, 0x1234, SIGNATURE, texts, (u8, at, text) => encoder.encodeInto(text, u8.subarray(at)).written);
  return { views, end };
}

test('a proof is read back as it was written, with texts of any length', () => {
  for (const length of [0, 1, 255, 256, 1_699]) {
    const texts = ['first', '7'.repeat(length), 'é'];
    const { views, end } = written(texts);
    const proof = readProof(views, AT, end);
    assert.equal(proof.structure, 0x1234);
    assert.deepEqual(proof.signature, SIGNATURE);
    assert.deepEqual(proof.texts.map((bytes) => Buffer.from(bytes).toString('utf8')), texts, `a text of ${length} bytes`);
  }
});

test('a proof whose last text ends one byte after its record is refused', () => {
  const { views, end } = written(['first', 'last']);
  assert.throws(() => readProof(views, AT, end - 1), RangeError);
});
