// The two implementations of keccak-256 and the choice between them: known answers, lengths around a block, and the fallback when the
// first one does not work.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { keccak256 as reference } from 'ethers';
import { firstWorking, keccak256, loadPlain, loadWasm, type Keccak256 } from '../../../../shell/api/auth/keccak.ts';
import { toHex } from '../../../../shell/http/hex.ts';

/** Around the 136-byte block, around the 16 KiB window of the WebAssembly, and larger than it. */
const LENGTHS = [...Array.from({ length: 300 }, (_, i) => i), 16_383, 16_384, 16_385, 100_000];

function hashOf(keccak: Keccak256, input: Uint8Array): string {
  const out = new Uint8Array(40).fill(0x55);
  keccak(input, out, 5);
  assert.deepEqual([...out.subarray(0, 5), ...out.subarray(37)], Array(8).fill(0x55), 'wrote outside its 32 bytes');
  return toHex(out.subarray(5, 37));
}

test('both implementations and the chosen one are keccak-256 at every length', async () => {
  const implementations = [await loadWasm(), await loadPlain(), keccak256];
  for (const length of LENGTHS) {
    const input = Uint8Array.from({ length }, (_, i) => (i * 131 + length) & 0xff);
    const expected = reference(input);
    for (const keccak of implementations) assert.equal(hashOf(keccak, input), expected, `length ${length}`);
  }
});

test('the output may overwrite the input', async () => {
  for (const keccak of [await loadWasm(), await loadPlain()]) {
    const buffer = new Uint8Array(64).fill(7);
    const expected = reference(buffer);
    keccak(buffer, buffer, 16);
    assert.equal(toHex(buffer.subarray(16, 48)), expected);
  }
});

test('an implementation that fails to load or answers wrongly is skipped; with none left it throws', async () => {
  const broken = () => Promise.reject(new Error('no WebAssembly'));
  const sha3 = () => Promise.resolve<Keccak256>((_, out, at) => out.fill(0xa7, at, at + 32));
  const chosen = await firstWorking([broken, sha3, loadPlain]);
  assert.equal(hashOf(chosen, Uint8Array.of(1, 2, 3)), reference(Uint8Array.of(1, 2, 3)));
  await assert.rejects(firstWorking([broken, sha3]), /keccak-256/);
});
