// Recovering a signer: the shared rules against a plain statement of them, and the native curve against noble on thousands of signatures,
// most of them damaged. STRIKEBOOK_LONG=1 tries ten times as many.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { computeAddress, recoverAddress } from 'ethers';
import { loadBackend, loadNative, loadNoble, recoveryIdOf } from '../../../../shell/api/auth/recover-signer.ts';
import { toHex } from '../../../../shell/http/hex.ts';

/** Some 200 of each damage: noble takes two milliseconds for one that reaches the curve. */
const SIGNATURES = process.env['STRIKEBOOK_LONG'] === '1' ? 30_000 : 3_000;
const N = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;
const KEYS = [1, 2, 3].map((seed) => new Uint8Array(32).fill(seed));
const ADDRESSES = KEYS.map((key) => computeAddress(toHex(key)).toLowerCase());
const noble = loadBackend('noble');
const chosen = loadBackend();

function wordOf(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
}

function numberAt(bytes: Uint8Array, at: number): bigint {
  return BigInt(toHex(bytes.subarray(at, at + 32)));
}

/** By the package's main file, which signs on every platform and where it has a binary thirty times as fast as noble. */
const { ecdsaSign } = createRequire(import.meta.url)('secp256k1') as {
  readonly ecdsaSign: (digest: Uint8Array, key: Uint8Array) => { readonly signature: Uint8Array; readonly recid: number };
};

function sign(digest: Uint8Array, key: Uint8Array): Uint8Array {
  const { signature, recid } = ecdsaSign(digest, key);
  return Uint8Array.from([...signature, 27 + recid]);
}

function signatureOf(r: bigint, s: bigint, v: number): Uint8Array {
  return Uint8Array.from([...wordOf(r), ...wordOf(s), v]);
}

function answer(backend: { recover: typeof noble.recover }, digest: Uint8Array, signature: Uint8Array): string | null {
  const address = new Uint8Array(20);
  return backend.recover(digest, signature, address) ? toHex(address) : null;
}

/** The other half of a signature's twin: n - s with the other v. Valid to the curve, refused by the rules. */
function twinOf(signature: Uint8Array): Uint8Array {
  return signatureOf(numberAt(signature, 0), N - numberAt(signature, 32), signature[64] === 27 ? 28 : 27);
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const out = bytes.slice();
  out[bit >> 3]! ^= 1 << (bit & 7);
  return out;
}

type Case = { digest: Uint8Array; signature: Uint8Array };
const DAMAGES: ((digest: Uint8Array, signature: Uint8Array, bit: number) => Case)[] = [
  (digest, signature) => ({ digest, signature }),
  (digest, signature) => ({ digest, signature: Uint8Array.from([...signature.subarray(0, 64), signature[64]! - 27]) }),
  (digest, signature, bit) => ({ digest: flip(digest, bit), signature }),
  (digest, signature, bit) => ({ digest, signature: flip(signature, bit) }),
  (digest, signature, bit) => ({ digest, signature: flip(signature, 256 + bit) }),
  (digest, signature, bit) => ({ digest, signature: flip(signature, 512 + (bit & 7)) }),
  (digest, signature) => ({ digest, signature: twinOf(signature) }),
  (digest, signature) => ({ digest, signature: Uint8Array.from(signature).fill(0, 0, 32) }),
  (digest, signature) => ({ digest, signature: Uint8Array.from(signature).fill(0, 32, 64) }),
  (digest, signature, bit) => ({ digest, signature: signatureOf(N + BigInt(bit), numberAt(signature, 32), 27) }),
  (digest, signature, bit) => ({ digest, signature: signature.slice(0, bit % 65) }),
  (digest, signature, bit) => ({ digest, signature: Uint8Array.from([...signature, bit]) }),
  (digest, signature, bit) => ({ digest, signature: signatureOf(BigInt(bit + 1), numberAt(signature, 32), 27 + (bit & 1)) }),
  (_, signature, bit) => ({ digest: wordOf([0n, 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n][bit % 6]!), signature }),
];

test('the native backend is the default where it is built, and can be left out', () => {
  const built = ['linux-x64', 'darwin-arm64', 'win32-x64'].includes(`${process.platform}-${process.arch}`);
  assert.equal(chosen.name, built ? 'native' : 'noble');
  assert.equal(loadBackend('noble').name, 'noble');
  if (built) assert.equal(loadBackend('native').name, 'native');
  else assert.throws(() => loadBackend('native'), /no binary/);
});

test('a binary that cannot be loaded gives null, not an exception', () => {
  assert.equal(loadNative('secp256k1/no-such-file.js'), null);
});

test('whole and damaged signatures: both backends give the same answer', () => {
  const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const verdicts = { same: 0, other: 0, none: 0 };
  fc.assert(
    fc.property(bytes32, fc.nat({ max: 2 }), fc.nat({ max: DAMAGES.length - 1 }), fc.nat({ max: 255 }), (message, key, damage, bit) => {
      const { digest, signature } = DAMAGES[damage]!(message, sign(message, KEYS[key]!), bit);
      const address = answer(chosen, digest, signature);
      assert.equal(answer(noble, digest, signature), address);
      if (damage <= 1) assert.equal(address, ADDRESSES[key]);
      if (damage >= 6 && damage <= 11) assert.equal(address, null);
      verdicts[address === null ? 'none' : address === ADDRESSES[key] ? 'same' : 'other']++;
    }),
    { numRuns: SIGNATURES },
  );
  for (const count of Object.values(verdicts)) assert.ok(count > SIGNATURES / 10, JSON.stringify(verdicts));
});

test('random signatures: both backends give the same answer', () => {
  const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
  let recovered = 0;
  fc.assert(
    fc.property(word, word, word, fc.constantFrom(0, 1, 27, 28), (digest, r, s, v) => {
      const signature = Uint8Array.from([...r, ...s, v]);
      const address = answer(chosen, digest, signature);
      assert.equal(answer(noble, digest, signature), address);
      if (address !== null) recovered++;
    }),
    { numRuns: 1_000 },
  );
  assert.ok(recovered > 100);
});

test('a third library recovers the same addresses', () => {
  const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(word, fc.nat({ max: 2 }), (digest, key) => {
      const signature = sign(digest, KEYS[key]!);
      assert.equal(answer(chosen, digest, signature), recoverAddress(digest, toHex(signature)).toLowerCase());
    }),
    { numRuns: 100 },
  );
});

test('the rules hold at their bounds', () => {
  const half = N / 2n;
  const edges = [0n, 1n, half - 1n, half, half + 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n];
  for (const r of edges) {
    for (const s of edges) {
      for (let v = 0; v < 256; v++) {
        const lawful = r > 0n && r < N && s > 0n && s <= half && [0, 1, 27, 28].includes(v);
        assert.equal(recoveryIdOf(signatureOf(r, s, v)), lawful ? (v === 0 || v === 27 ? 0 : 1) : -1, `r ${r} s ${s} v ${v}`);
      }
    }
  }
  for (const length of [0, 1, 63, 64, 66, 130]) assert.equal(recoveryIdOf(new Uint8Array(length).fill(1)), -1);
  assert.equal(recoveryIdOf(new Uint8Array(65).fill(1)), 1);
});

test('property: the rules for random words equal the rules in plain numbers', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 65, maxLength: 65 }), fc.constantFrom(0, 1, 2, 26, 27, 28, 29), (bytes, v) => {
      bytes[64] = v;
      const r = numberAt(bytes, 0);
      const s = numberAt(bytes, 32);
      const lawful = r > 0n && r < N && s > 0n && s <= N / 2n && (v < 2 || v === 27 || v === 28);
      assert.equal(recoveryIdOf(bytes) !== -1, lawful);
    }),
  );
});

test('the twin of a valid signature is refused, although the bare curve accepts it for the same key', () => {
  const digest = new Uint8Array(32).fill(9);
  const signature = sign(digest, KEYS[0]!);
  const twin = twinOf(signature);
  const keys = [signature, twin].map((each) => {
    const key = new Uint8Array(65);
    assert.equal(loadNoble()(digest, each.subarray(0, 64), each[64] === 28 ? 1 : 0, key), true);
    return toHex(key);
  });
  assert.equal(keys[0], keys[1]);
  assert.equal(answer(chosen, digest, signature), ADDRESSES[0]);
  assert.equal(answer(chosen, digest, twin), null);
});

test('a digest of another length throws in every backend', () => {
  for (const backend of [chosen, noble]) {
    for (const length of [0, 31, 33]) {
      assert.throws(() => backend.recover(new Uint8Array(length), sign(new Uint8Array(32), KEYS[0]!), new Uint8Array(20)), RangeError);
    }
  }
});
