// Where the page keeps its key: encrypted with what was approved, or in memory only, with the reason.

import assert from 'node:assert/strict';
import type { webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { NOT_SECURE, Vault, type KeyFacts, type RecordPlace } from '../../../../client/terminal/keys/vault.ts';
import { placeInMemory } from './place-in-memory.ts';

const FACTS: KeyFacts = { kind: 'agent', venue_id: 'v', domains: [], wallet: '0xaa', address: '0xbb', expires_at: 5 };
const SECRET = Uint8Array.from({ length: 32 }, (_, at) => at + 1);

test('a key comes back whole after a reload, and neither its bytes nor the key that seals it can be read from the store', async () => {
  const place = placeInMemory();
  assert.ok(await new Vault(crypto, place).keep({ facts: FACTS, secret: SECRET }));
  assert.deepEqual(await new Vault(crypto, place).read(), { facts: FACTS, secret: SECRET });
  const { key, sealed } = place.record as { readonly key: webcrypto.CryptoKey; readonly sealed: ArrayBuffer };
  assert.equal(key.extractable, false);
  await assert.rejects(crypto.subtle.exportKey('raw', key));
  assert.equal(Buffer.from(sealed).indexOf(Buffer.from(SECRET.subarray(0, 8))), -1);
});

test('facts that were changed in the store make the key unreadable, and it is removed', async () => {
  for (const change of [{ expires_at: null }, { venue_id: 'w' }, { kind: 'throwaway' }, { wallet: '0xcc' }]) {
    const place = placeInMemory();
    await new Vault(crypto, place).keep({ facts: FACTS, secret: SECRET });
    const kept = place.record as { readonly facts: KeyFacts };
    place.record = { ...kept, facts: { ...kept.facts, ...change } };
    assert.equal(await new Vault(crypto, place).read(), null, JSON.stringify(change));
    assert.equal(place.record, undefined);
  }
});

test('without WebCrypto nothing is stored and the vault says why', async () => {
  const place = placeInMemory();
  const vault = new Vault({ getRandomValues: crypto.getRandomValues.bind(crypto) }, place);
  assert.equal(vault.whyMemory, NOT_SECURE);
  assert.equal(await vault.keep({ facts: FACTS, secret: SECRET }), false);
  assert.equal(await vault.read(), null);
  assert.equal(place.record, undefined);
});

test('a browser that refuses to store leaves the key in memory, with the reason', async () => {
  const refuse = (): Promise<never> => Promise.reject(new Error('private window'));
  const place: RecordPlace = { read: refuse, write: refuse, clear: refuse };
  const vault = new Vault(crypto, place);
  assert.equal(vault.whyMemory, null);
  assert.equal(await vault.keep({ facts: FACTS, secret: SECRET }), false);
  assert.match(vault.whyMemory!, /store nothing/);
  await vault.clear();
  assert.match(new Vault(crypto, null).whyMemory!, /memory only/);
});

test('what another program left in the store is removed', async () => {
  const place = placeInMemory();
  place.record = { something: 'else' };
  assert.equal(await new Vault(crypto, place).read(), null);
  assert.equal(place.record, undefined);
});
