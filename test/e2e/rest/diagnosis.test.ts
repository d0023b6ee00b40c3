// The 400 or 401 of a signature that does not match (decision 6.3): each form that clients sign by mistake is named if the wallet or its
// agent signed it. A stranger stays a stranger, and looking costs the source failed signatures.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { ERRORS } from '../../../shell/http/shapes/error-bodies.ts';
import { definitionsIn } from '../../../shell/http/shapes/shape.ts';
import { Harness } from '../../shell/api/harness.ts';
import { perp } from '../../shell/api/perps.ts';
import { approve, cancel, freshNonce, mmpConfig, order, replace } from '../../shell/api/requests.ts';
import { digestOfMessage, DOMAIN, ethersSigner, nobleSigner, type Signer } from '../../shell/api/wallets.ts';

const owner = ethersSigner(920);
const agent = nobleSigner(921);
const stranger = ethersSigner(922);

let venue: Harness;
let symbol: string;
before(async () => {
  venue = new Harness();
  symbol = venue.calls()[0]!;
  assert.equal((await venue.post('/approve-agent', approve(owner, agent.address, { wallet: owner.address }))).body.success, true);
});
after(() => venue.close());

/** The same signer, whatever it is given, signs in another domain. */
function elsewhere(signer: Signer, change: Partial<typeof DOMAIN>): Signer {
  return { address: signer.address, sign: (structure, message) => signer.sign(structure, message, { ...DOMAIN, ...change }) };
}

async function told(path: string, body: unknown, method = 'POST'): Promise<[number, string, string]> {
  const { status, body: { error, message } } = await venue.send(method, path, body);
  return [status, error, message];
}

const madeFor = (form: string) => [400, 'signature_verification_failed', `Signature verification failed: it was made for ${form}`];
const STRANGER = [401, 'unauthorized', 'Unauthorized: signer not authorized for wallet'];

for (const [who, signer] of [['the wallet', owner], ['its agent', agent]] as const) {
  const of = { wallet: owner.address };

  test(`${who} signed a price or size in another notation: the refusal names it`, async () => {
    const cases: [object, object, string][] = [
      [{ price: '100' }, { price: '100.0' }, 'price 100'], [{ size: '0.5' }, { size: '0.50' }, 'size 0.5'],
      [{ price: '1.5', size: '2' }, { price: '1.500', size: '2.0' }, 'price 1.5 and size 2'], [{ size: '7' }, { size: '007' }, 'size 7'],
      [{ price: '0.1', size: '20' }, { price: '00.1' }, 'price 0.1'],
    ];
    for (const [signed, sent, form] of cases) {
      const body = { ...order(signer, { symbol, ...of, ...signed }), ...sent };
      assert.deepEqual(await told('/order', body), madeFor(form));
      assert.deepEqual(await told('/order', { ...perp(signer, { ...of, ...signed }), ...sent }), madeFor(form), 'of a perp');
      assert.deepEqual(await told('/order', { ...replace(signer, 1, { symbol, ...of, ...signed }), ...sent }, 'PUT'), madeFor(form));
    }
  });

  test(`${who} signed with or without a route: the refusal names it`, async () => {
    const inserted = { ...order(signer, { symbol, ...of }), route: 'best_execution' };
    assert.deepEqual(await told('/order', inserted), madeFor('an order without route'));
    for (const route of ['book_only', 'best_execution']) {
      const body = { ...order(signer, { symbol, ...of, route }), route: undefined };
      assert.deepEqual(await told('/order', body), madeFor(`the route ${route}`));
    }
  });

  test(`${who} signed for another deployment: the refusal names it`, async () => {
    for (const name of ['Hypercall', 'Hypertheta']) {
      const body = order(elsewhere(signer, { name }), { symbol, ...of });
      assert.deepEqual(await told('/order', body), madeFor(`the domain name ${name}`));
    }
    for (const chainId of [1, 999, 1337]) {
      const there = elsewhere(signer, { chainId });
      assert.deepEqual(await told('/order', order(there, { symbol, ...of })), madeFor(`the chain id ${chainId}`));
      assert.deepEqual(await told('/cancel', cancel(there, 1, owner.address)), madeFor(`the chain id ${chainId}`));
      assert.deepEqual(await told('/mmp/config', mmpConfig(there, of)), madeFor(`the chain id ${chainId}`));
    }
  });
}

test('a perp order signed with another venue\'s source is refused, naming that source', async () => {
  for (const signer of [owner, agent]) {
    assert.deepEqual(await told('/order', perp(signer, { wallet: owner.address, source: 'a' })), madeFor('the source a'));
  }
  const own = new Harness({ flags: ['--service-name', 'Another'] });
  try {
    for (const source of ['a', 'b', 'Strikebook']) {
      const { status, body } = await own.post('/order', perp(owner, { source }));
      assert.deepEqual([status, body.error, body.message], madeFor(`the source ${source}`));
    }
    assert.equal((await own.post('/order', perp(owner, { source: 'Another' }))).body.status, 'ACKED');
  } finally {
    own.close();
  }
});

test('any other form, or a stranger\'s signature, is 401', async () => {
  const bodies = [
    { ...order(owner, { symbol }), price: '101' }, { ...order(owner, { symbol }), nonce: freshNonce() },
    order(elsewhere(owner, { name: 'Elsewhere' }), { symbol }), order(elsewhere(owner, { name: 'Hypercall', chainId: 999 }), { symbol }),
    order(stranger, { symbol, wallet: owner.address }), { ...order(stranger, { symbol, wallet: owner.address }), price: '100.0' },
    order(elsewhere(stranger, { chainId: 999 }), { symbol, wallet: owner.address }),
    perp(owner, { source: 'elsewhere' }),
  ];
  for (const body of bodies) assert.deepEqual(await told('/order', body), STRANGER);
});

test('a refusal has the digest and the other values that were computed', async () => {
  const { properties: described } = definitionsIn(ERRORS.SignatureError)['SignatureError'] as { readonly properties: object };
  const nonce = freshNonce();
  const sent = { ...order(owner, { symbol, price: '100', nonce }), price: '100.0' };
  const message = { wallet: owner.address, symbol, side: 'Buy', size: '1', price: '100.0', tif: 'gtc', clientId: '', nonce };
  for (const body of [sent, order(stranger, { symbol, price: '100.0', wallet: owner.address, nonce })]) {
    const { body: answer } = await venue.post('/order', body);
    assert.equal(answer.digest, digestOfMessage('PlaceOrder', message));
    assert.match(answer.struct_hash, /^0x[0-9a-f]{64}$/);
    assert.match(answer.recovered, /^0x[0-9a-f]{40}$/);
    assert.deepEqual(answer.domain, DOMAIN);
    assert.deepEqual(Object.keys(answer).sort(), Object.keys(described).sort(), 'what the description of the interface names');
  }
});

test('a diagnosis makes at most 8 recoveries, charged to the source, and none once its budget is spent', async () => {
  const source = { network: '203.0.113.9', digest: 9, loopback: false };
  // A name and a chain that are none of the known ones leave the most forms to try.
  const own = new Harness({ source, flags: ['--service-name', 'Another', '--chain-id', '31337'] });
  try {
    const at = own.calls()[0]!;
    let recoveries = 0;
    const { backend } = own;
    const { recover } = backend;
    backend.recover = (...parts) => {
      recoveries++;
      return recover.apply(backend, parts);
    };
    const foreign = () => ({ ...order(stranger, { symbol: at, wallet: owner.address }), price: '100.0', size: '1.0' });
    assert.equal((await own.post('/order', foreign())).status, 401);
    assert.equal(recoveries, 1 + 8);
    const empty = `0x${'00'.repeat(65)}`;
    for (let i = 9; i < BOUNDS.sourceDiagnosed - 3; i++) {
      assert.equal(await own.direct('POST', '/order', { ...foreign(), signature: empty }, source), 400);
    }
    recoveries = 0;
    assert.equal((await own.post('/order', foreign())).status, 401);
    assert.equal(recoveries, 1 + 2, 'the signature itself, and as many as were left');
    assert.equal((await own.post('/order', foreign())).status, 401, 'told, and not why');
    assert.equal(recoveries, 4);
  } finally {
    own.close();
  }
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
