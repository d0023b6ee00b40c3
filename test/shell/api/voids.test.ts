// What is over for good, over REST and socket: nonces that a wallet voids, approvals from before a revocation, a refused tier.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { SocketClient } from '../../support/socket.ts';
import { Harness } from './harness.ts';
import { approve, freshNonce, order, revoke } from './requests.ts';
import { ethersSigner, nobleSigner, type Signer } from './wallets.ts';

const admin = ethersSigner(560);
let venue: Harness;
let symbol: string;
before(() => {
  venue = new Harness({ flags: ['--admin-wallets', admin.address] });
  symbol = venue.calls()[0]!;
});
after(() => venue.close());

type Terms = { wallet?: string; up_to: bigint; nonce: bigint };

/** As JSON text, in which no digit is lost. */
function voiding(signer: Signer, { wallet = signer.address, up_to: upTo, nonce }: Terms): string {
  const signature = signer.sign('VoidNonces', { wallet, upTo, nonce });
  return `{"wallet":"${wallet}","up_to":${upTo},"nonce":${nonce},"signature":"${signature}"}`;
}

const messageOf = async (body: unknown, path = '/order'): Promise<unknown> => (await venue.post(path, body)).body.message;

test('a refused order cannot act once its nonce is void, and the answer names the highest void nonce', async () => {
  const owner = ethersSigner(561);
  const held = order(owner, { symbol, tif: 'ioc', nonce: 500 });
  const answer = await venue.post('/void-nonces', voiding(owner, { up_to: 500n, nonce: 510n }));
  const body = { success: true, data: { wallet_address: owner.address, up_to: 500 }, error: null };
  assert.deepEqual([answer.status, answer.body], [200, body]);
  assert.deepEqual([await messageOf(held), await messageOf(order(owner, { symbol, nonce: 3 }))], [
    'Nonce 500 already used', 'Nonce 3 already used',
  ]);
  const again = await venue.post('/void-nonces', voiding(owner, { up_to: 500n, nonce: 510n }));
  assert.deepEqual([again.body, again.headers['idempotent-replay']], [body, 'true']);
  assert.equal((await venue.post('/order', order(owner, { symbol, tif: 'ioc', nonce: 501 }))).body.status, 'ACKED');
});

test('nonces can be voided up to the request\'s own nonce, which is below 2^63, with every digit', async () => {
  const owner = ethersSigner(562);
  const text = 'Invalid parameter: up_to must be at most the nonce, and the nonce below 2^63';
  for (const [upTo, nonce] of [[11n, 10n], [5n, 1n << 63n], [(1n << 60n) + 1n, 1n << 60n]] as const) {
    const { status, body } = await venue.post('/void-nonces', voiding(owner, { up_to: upTo, nonce }));
    assert.deepEqual([status, body.error, body.message], [400, 'invalid_parameter', text]);
  }
  const most = (1n << 63n) - 1n;
  const response = await fetch(`${venue.url}/void-nonces`, { method: 'POST', body: voiding(owner, { up_to: most - 2n, nonce: most }) });
  assert.match(await response.text(), /"up_to":9223372036854775805\}/);
  for (const [nonce, isVoid] of [[most - 2n, true], [most - 1n, false]] as const) {
    const sent = order(owner, { symbol, tif: 'ioc', nonce });
    const { body } = await venue.post('/order', JSON.stringify({ ...sent, nonce: 0 }).replace('"nonce":0', `"nonce":${nonce}`));
    assert.equal(body.message, isVoid ? `Nonce ${nonce} already used` : undefined);
  }
});

test('an agent cannot void its wallet\'s nonces', async () => {
  const [owner, agent] = [ethersSigner(563), nobleSigner(564)];
  await venue.post('/approve-agent', approve(owner, agent.address, { wallet: owner.address }));
  const nonce = BigInt(freshNonce());
  const { status, body } = await venue.post('/void-nonces', voiding(agent, { wallet: owner.address, up_to: nonce, nonce }));
  assert.deepEqual([status, body.error], [401, 'unauthorized']);
});

test('by socket VoidNonces is answered as over REST', async (t) => {
  const owner = ethersSigner(565);
  const socket = await SocketClient.open(venue.url);
  t.after(() => socket.close());
  const ask = async (id: number, terms: Terms): Promise<Record<string, unknown>> => {
    socket.sendText(`{"type":"VoidNonces","id":${id},${voiding(owner, terms).slice(1)}`);
    return socket.until((message) => message['id'] === id);
  };
  assert.deepEqual(await ask(1, { up_to: 700n, nonce: 710n }), {
    type: 'ActionResult', id: 1, action: 'VoidNonces', success: true, data: { wallet_address: owner.address, up_to: 700 }, error: null,
  });
  const refused = await ask(2, { up_to: 712n, nonce: 711n });
  assert.deepEqual([refused['success'], refused['error']], [false, 'invalid_parameter']);
  assert.equal(await messageOf(order(owner, { symbol, nonce: 650 })), 'Nonce 650 already used');
});

test('an approval sent late does not bring back an agent revoked since', async () => {
  const [owner, agent] = [ethersSigner(566), nobleSigner(567)];
  await venue.post('/approve-agent', approve(owner, agent.address, { wallet: owner.address }));
  const held = approve(owner, agent.address);
  assert.equal((await venue.post('/revoke-agent', revoke(owner, agent.address))).body.success, true);
  assert.deepEqual((await venue.post('/approve-agent', held)).body, {
    success: false, error: 'Approval is void: the agent was revoked with a later nonce',
  });
  assert.equal((await venue.post('/approve-agent', approve(owner, agent.address))).body.success, true);
});

test('a tier may be given before the first order, and a refused one uses its nonce', async () => {
  const owner = ethersSigner(568);
  const terms = { wallet: owner.address, tier: 'market_maker', nonce: freshNonce() };
  const body = { ...terms, signature: admin.sign('SetUserTier', terms) };
  const first = await venue.post('/user-tier', body);
  assert.equal(first.status, 200);
  const again = await venue.post('/user-tier', body);
  assert.deepEqual([again.status, again.body], [200, first.body], 'the same request again gets the first answer');
  const gold = { wallet: owner.address, tier: 'gold', nonce: freshNonce() };
  const signed = { ...gold, signature: admin.sign('SetUserTier', gold) };
  assert.equal(await messageOf(signed, '/user-tier'), 'Invalid parameter: tier must be one of default, tier1, tier2, market_maker');
  assert.equal(await messageOf(signed, '/user-tier'), `Nonce ${gold.nonce} already used`);
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
