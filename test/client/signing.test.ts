// What the client signs, against published vectors and against ethers: typed data of every structure, perp actions, keys, amounts,
// nonces. The venue's own hasher takes no part here.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fc } from '../support/fast-check.ts';
import { computeAddress, TypedDataEncoder, verifyTypedData, Wallet } from 'ethers';
import { parsePrice, significantFigures } from '../../core/codec/decimal.ts';
import { STRUCTURES, type StructureName } from '../../core/codec/signed-commands.ts';
import { priceText, roundPrice, sizeText } from '../../client/src/amounts.ts';
import { StrikebookError } from '../../client/src/strikebook-error.ts';
import { NonceSource, nonceSourceOf } from '../../client/src/nonces.ts';
import { hashAction } from '../../client/src/perps.ts';
import { Forms, sign, type SigningFacts } from '../../client/src/forms.ts';
import { createPrivateKey, privateKeySigner } from '../../client/src/signer.ts';
import { digestOf, domainOf, typedDataOf } from '../../client/src/typed-data.ts';
import { anyMessage, membersOf, primaryType, STRUCTURE_NAMES, type Message } from '../shell/api/auth/samples.ts';

type Row = { structure: StructureName; message: Message; digest: string; signature: string };
type Golden = { encodeType: string; message: Message; digest: string; signature: string; privateKey: string; signer: string };
type Action = {
  name: string; action: { type: string; orders?: unknown[] }; nonce: number; vaultAddress: string | null; expiresAfter: number | null;
  connectionId: string;
};
const vectors = <T>(file: string): T => JSON.parse(readFileSync(new URL(`../vectors/${file}`, import.meta.url), 'utf8')) as T;
const table = vectors<{ wallet: string; privateKey: string; rows: Row[] }>('eip712.json');
const published = vectors<{ hypercall_eip712_golden: Golden[]; l1_action_vectors: Action[] }>('signing.json');

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
const isInvalid = (error: unknown): boolean => error instanceof StrikebookError && error.code === 'invalid_argument';

/** A message of the samples as the client takes it. */
function typed(structure: StructureName, message: Message, domain = domainOf('Strikebook', 998)) {
  const values = Object.fromEntries(membersOf(structure).map(({ type, name }) => {
    const value = message[name]!;
    return [name, type === 'uint64' ? BigInt(value as number) : value];
  }));
  return typedDataOf(domain, structure, values as never);
}

test('the published signatures and those of the interface are reproduced byte for byte', async () => {
  const domain = domainOf('Hypercall', 998);
  const golden = published.hypercall_eip712_golden.map(({ encodeType, ...row }) => (
    { ...row, structure: STRUCTURE_NAMES.find((name) => STRUCTURES[name] === encodeType)! }
  ));
  const rows = [...golden, ...table.rows.map((row) => ({ ...row, privateKey: table.privateKey, signer: table.wallet }))];
  assert.equal(rows.length, 18);
  for (const { structure, message, digest, signature, privateKey, signer: address } of rows) {
    const data = typed(structure, message, domain);
    const signer = privateKeySigner(privateKey);
    assert.equal(signer.address, address);
    assert.equal(hex(digestOf(data)), digest, structure);
    assert.equal(await signer.signTypedData(data), signature, structure);
  }
});

test('property: typed data of any message has the digest of ethers, and ethers recovers the signer', async () => {
  const samples = fc.constantFrom(...STRUCTURE_NAMES)
    .chain((structure) => anyMessage(structure).map((message) => ({ structure, message })));
  await fc.assert(fc.asyncProperty(samples, fc.uint8Array({ minLength: 32, maxLength: 32 }), async ({ structure, message }, seed) => {
    fc.pre(seed[0]! > 0 && seed[0]! < 255);
    const data = typed(structure, message);
    const types = { [primaryType(structure)]: membersOf(structure) };
    assert.equal(hex(digestOf(data)), TypedDataEncoder.hash({ ...data.domain }, types, message));
    // A wallet gets the very object.
    const asEthers = data.types as Record<string, { name: string; type: string }[]>;
    const signer = privateKeySigner(seed);
    const signature = await signer.signTypedData(data);
    assert.equal(verifyTypedData({ ...data.domain }, asEthers, data.message, signature).toLowerCase(), signer.address);
  }), { numRuns: 60 });
});

test('a key\'s address is that of ethers, and an invalid key is refused', () => {
  for (let i = 0; i < 5; i++) {
    const key = createPrivateKey();
    assert.match(key, /^0x[0-9a-f]{64}$/);
    assert.equal(privateKeySigner(key).address, computeAddress(key).toLowerCase());
    assert.equal(privateKeySigner(key.slice(2)).address, computeAddress(key).toLowerCase());
  }
  const secret = Uint8Array.from({ length: 32 }, () => 7);
  const signer = privateKeySigner(secret);
  secret.fill(0);
  assert.throws(() => signer.signTypedData({
    domain: { name: 'v', version: '1', chainId: 1, verifyingContract: `0x${'0'.repeat(40)}` }, primaryType: 'A',
    types: { A: [{ name: 'a', type: 'string' }] }, message: { a: 'x' },
  }), 'a zeroed key signs nothing');
  for (const key of ['', '0x', 'zz'.repeat(32), '00'.repeat(32), 'ff'.repeat(32), 'ab'.repeat(31)]) {
    assert.throws(() => privateKeySigner(key), isInvalid, key);
  }
});

test('perp actions have the published hashes', () => {
  const rows = published.l1_action_vectors.filter(({ action, expiresAfter }) => action.type === 'order' && expiresAfter === null);
  assert.ok(rows.length >= 3);
  for (const { name, action, nonce, vaultAddress, connectionId } of rows) {
    assert.equal(hashAction(action as never, BigInt(nonce), vaultAddress), connectionId, name);
  }
});

const FACTS: SigningFacts = {
  chain_id: 998, signing_domain: { name: 'Strikebook', version: '1' }, perp_source: 'b',
  perp_assets: [{ asset: 0, symbol: 'BTC-PERP', underlying: 'BTC' }],
};
const TERMS = { symbol: 'BTC-20260131-100000-C', side: 'Buy', size: '0.1', price: '100.0' } as const;

test('a request has the signed texts, the nonce with every digit, and may be signed by an own wallet', async () => {
  const wallet = Wallet.createRandom();
  const seen: object[] = [];
  const external = {
    address: wallet.address,
    signTypedData: ({ domain, types, message }: { domain: object; types: unknown; message: Record<string, unknown> }) => {
      seen.push(message);
      return wallet.signTypedData(domain, types as Record<string, { name: string; type: string }[]>, message);
    },
  };
  const forms = new Forms(FACTS, external.address);
  const nonce = 2n ** 64n - 1n;
  const { method, path, body } = await sign(forms.placeOrder({ ...TERMS, size: 0.1, client_id: 'a"b' }, nonce), external);
  assert.deepEqual([method, path], ['POST', '/order']);
  assert.ok(body!.includes('"nonce":18446744073709551615,'));
  const sent = JSON.parse(body!) as Record<string, unknown>;
  assert.deepEqual({ ...sent, nonce: 0, signature: '' }, {
    wallet: wallet.address.toLowerCase(), ...TERMS, tif: 'gtc', client_id: 'a"b', nonce: 0, signature: '',
  });
  assert.deepEqual(seen, [{
    wallet: wallet.address.toLowerCase(), ...TERMS, tif: 'gtc', clientId: 'a"b', nonce: String(nonce),
  }]);
  const local = privateKeySigner(wallet.privateKey);
  assert.equal((await sign(forms.placeOrder({ ...TERMS, size: 0.1, client_id: 'a"b' }, nonce), local)).body, body);
});

test('a request that cannot be valid is refused before it is signed', () => {
  const forms = new Forms(FACTS, `0x${'1'.repeat(40)}`);
  const wrong = [
    () => forms.placeOrder({ ...TERMS, price: '123456' }), () => forms.placeOrder({ ...TERMS, size: 0 }),
    () => forms.placeOrder({ ...TERMS, symbol: 'DOGE-PERP' }), () => forms.placeOrder(TERMS, -1n),
    () => forms.placeOrder(TERMS, 2n ** 64n), () => forms.placeOrder(TERMS, 2 ** 53), () => forms.cancelOrder(1, 0.5),
    () => forms.placeOrder({ ...TERMS, symbol: 'BTC-PERP', client_id: 'mine' }), () => forms.approveAgent('0x12'),
    () => forms.replaceOrder({ ...TERMS, order_id: 1, price: -1 }),
    // A caller in JavaScript leaves things out.
    ...(['symbol', 'side'] as const).flatMap((name) => [
      () => forms.placeOrder({ ...TERMS, [name]: undefined! }), () => forms.replaceOrder({ ...TERMS, order_id: 1, [name]: undefined! }),
    ]),
    () => forms.setUsername(undefined!), () => forms.resetMmp(undefined!),
    ...[1.5, NaN, Infinity, -1, 2 ** 53].flatMap((ms) => [
      () => forms.cancelAfter(ms), () => forms.setCancelOnDisconnect({ enabled: true, grace_ms: ms }),
      () => forms.approveAgent(forms.wallet, ms), () => forms.setMmp({ currency: 'BTC', interval_ms: ms, frozen_time_ms: 0 }),
      () => forms.setMmp({ currency: 'BTC', interval_ms: 1, frozen_time_ms: ms }),
    ]),
  ];
  for (const call of wrong) assert.throws(call, isInvalid, String(call));
});

test('valid prices and sizes are sent unchanged, and invalid ones are refused by the client', () => {
  const digits = fc.stringMatching(/^[0-9]{0,8}(\.[0-9]{0,9})?$/);
  fc.assert(fc.property(digits, (text) => {
    const isPrice = parsePrice(text) > 0 || Number(text) > 1e9;
    const isPlain = /^[0-9]{1,20}(\.[0-9]{1,18})?$/.test(text) && Number(text) > 0;
    if (isPrice && isPlain) assert.equal(priceText(text), text);
    else assert.throws(() => priceText(text), isInvalid);
    if (isPlain) assert.equal(sizeText(text), text);
    else assert.throws(() => sizeText(text), isInvalid);
  }), { numRuns: 500 });
  for (const text of [' 1', '1e3', '+1', '.5', '5.', '0', '0.000', 'NaN', '']) assert.throws(() => priceText(text), isInvalid, text);
  assert.deepEqual([sizeText(0.000001), sizeText(1e21 / 1e3), priceText(0.00001), priceText(100_000)],
    ['0.000001', '1000000000000000000', '0.00001', '100000']);
  for (const value of [0.1 + 0.2, 1e-7, Number.NaN, Infinity, -1, 0]) assert.throws(() => sizeText(value), isInvalid, String(value));
  assert.throws(() => priceText(0.1 + 0.2), isInvalid);
});

test('property: a rounded price has 5 figures and 6 decimals, on the requested side, within one step', () => {
  fc.assert(fc.property(fc.double({ min: 1e-6, max: 9e8, noNaN: true }), (price) => {
    const [down, near, up] = (['down', 'near', 'up'] as const).map((side) => {
      try {
        return roundPrice(price, side);
      } catch (error) {
        assert.ok(isInvalid(error) && side !== 'up' && price < 1.000001e-6);
        return '0';
      }
    }) as [string, string, string];
    for (const text of [near, up].filter((one) => one !== '0')) {
      assert.ok(parsePrice(text) > 0, text);
      assert.ok(significantFigures(text) <= 5);
    }
    const step = Math.max(1e-6, 10 ** (Math.floor(Math.log10(price)) - 4));
    const slack = price * 1e-12 + 1e-14;
    assert.ok(Number(down) <= price + slack && Number(up) >= price - slack, `${down} ${price} ${up}`);
    assert.ok(Number(up) - Number(down) <= step * 1.000001, `${down} ${price} ${up}`);
    assert.ok(near === down || near === up);
  }), { numRuns: 2_000 });
  assert.deepEqual([roundPrice(9.99996, 'down'), roundPrice(9.99996, 'up'), roundPrice(123_456, 'near'), roundPrice(1000, 'down')],
    ['9.9999', '10', '123460', '1000']);
  for (const value of [Number.MIN_VALUE, 1e-16, 1e-7]) {
    assert.equal(roundPrice(value, 'up'), '0.000001', String(value));
    for (const side of ['down', 'near'] as const) assert.throws(() => roundPrice(value, side), isInvalid, String(value));
  }
  for (const value of [0, -1, Number.NaN, Infinity]) assert.throws(() => roundPrice(value, 'near'), isInvalid);
});

test('nonces increase, stay near the clock, and have one source per wallet for all clients', () => {
  const source = new NonceSource();
  const before = Date.now();
  const nonces = Array.from({ length: 5_000 }, () => source.next());
  for (let i = 1; i < nonces.length; i++) assert.ok(nonces[i]! > nonces[i - 1]! && Number.isSafeInteger(nonces[i]));
  assert.ok(nonces[0]! >= before && nonces.at(-1)! <= Date.now() + 5_000);
  const wallet = `0x${'ab'.repeat(20)}`;
  assert.equal(nonceSourceOf(wallet), nonceSourceOf(wallet.toUpperCase().replace('0X', '0x')));
  assert.ok(new NonceSource(2 ** 52).next() >= 2 ** 52);
});
