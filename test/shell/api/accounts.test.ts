// Agents, tiers and the operator's prices over HTTP: who may set them, the answer, and the change in the core.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { accountCount } from '../../../core/accounts/accounts.ts';
import { EXPIRY_NOT_LISTED, NOT_PENDING_PRICE, OK, UNKNOWN_UNDERLYING } from '../../../core/errors.ts';
import { activeAgentsText } from '../../../shell/reader/account/settings.ts';
import { Harness, TOKEN, until } from './harness.ts';
import { approve, cancel, freshNonce, order, revoke } from './requests.ts';
import { ethersSigner, nobleSigner } from './wallets.ts';

const admin = ethersSigner(500);
const bearer = { authorization: `Bearer ${TOKEN}` };

let venue: Harness;
let symbol: string;
before(() => {
  venue = new Harness({ flags: ['--admin-wallets', admin.address] });
  symbol = venue.calls()[0]!;
});
after(() => venue.close());

const trades = async (signer: ReturnType<typeof ethersSigner>, wallet: string) => (
  (await venue.post('/order', order(signer, { symbol, wallet, tif: 'ioc' }))).status === 200
);
const listed = (wallet: string): unknown => JSON.parse(activeAgentsText(venue.core.state, wallet, venue.core.now)).agents;

test('an agent trades once it is approved, and no longer once it is revoked by POST or DELETE', async () => {
  const owner = ethersSigner(501);
  const agent = nobleSigner(502);
  assert.equal(await trades(owner, owner.address), true);
  const body = approve(owner, agent.address);
  assert.deepEqual((await venue.post('/approve-agent', body)).body, { success: true, error: null });
  const again = await venue.post('/approve-agent', body);
  assert.deepEqual([again.body.success, again.headers['idempotent-replay']], [true, 'true']);
  assert.equal(await trades(agent, owner.address), true);
  assert.equal((await venue.post('/revoke-agent', revoke(owner, agent.address))).body.success, true);
  assert.equal(await trades(agent, owner.address), false);
  assert.deepEqual((await venue.post('/revoke-agent', revoke(owner, agent.address))).body, { success: false, error: 'Agent not found' });
  assert.equal((await venue.post('/approve-agent', approve(owner, agent.address))).body.success, true);
  assert.equal((await venue.send('DELETE', '/revoke-agent', revoke(owner, agent.address))).body.success, true);
  assert.equal(await trades(agent, owner.address), false);
});

test('an agent\'s expiry is signed, must be in the future, and ends its authority', async () => {
  const owner = ethersSigner(503);
  const agent = nobleSigner(504);
  assert.equal(await trades(owner, owner.address), true);
  const expiresAt = venue.core.now + 60_000;
  const late = await venue.post('/approve-agent', approve(owner, agent.address, { expires_at: venue.core.now }));
  assert.deepEqual([late.status, late.body.message], [400, 'Invalid parameter: expires_at must lie in the future']);
  const body = approve(owner, agent.address, { expires_at: expiresAt });
  const changed = await venue.post('/approve-agent', { ...body, expires_at: expiresAt + 1 });
  assert.equal(changed.body.success, true, 'recovers to a stranger, whose approval waits for his wallet');
  assert.equal(await trades(agent, owner.address), false);
  assert.equal((await venue.post('/approve-agent', body)).body.success, true);
  assert.equal(await trades(agent, owner.address), true);
  venue.core.advance(60_000);
  venue.makeDurable();
  assert.equal(await trades(agent, owner.address), false);
});

test('a wallet that is named must be the signer, and then its account opens', async () => {
  const owner = ethersSigner(505);
  const agent = nobleSigner(506);
  const other = await venue.post('/approve-agent', approve(owner, agent.address, { wallet: agent.address }));
  assert.deepEqual([other.status, other.body.error], [403, 'forbidden']);
  const accounts = accountCount(venue.core.state.accounts);
  assert.equal((await venue.post('/approve-agent', approve(owner, agent.address, { wallet: owner.address }))).body.success, true);
  assert.equal(accountCount(venue.core.state.accounts), accounts + 1);
  assert.equal(await trades(agent, owner.address), true);
});

test('for an unknown signer an approval is kept pending, and a revocation stores nothing', async () => {
  const owner = ethersSigner(507);
  const agent = nobleSigner(508);
  const accounts = accountCount(venue.core.state.accounts);
  assert.deepEqual((await venue.post('/revoke-agent', revoke(owner, agent.address))).body, { success: false, error: 'Agent not found' });
  assert.equal((await venue.post('/approve-agent', approve(owner, agent.address))).body.success, true);
  assert.equal(accountCount(venue.core.state.accounts), accounts);
  assert.deepEqual(listed(owner.address), [agent.address]);
  assert.equal(await trades(agent, owner.address), true, 'who is listed is authorized, and opens the account');
  assert.equal(accountCount(venue.core.state.accounts), accounts + 1);
  assert.deepEqual(listed(owner.address), [agent.address]);
});

test('a revocation before the account opens removes the pending approval, by agent or all of them', async () => {
  for (const [seed, path] of [[514, '/revoke-agent'], [516, '/revoke-all-agents']] as const) {
    const owner = ethersSigner(seed);
    const agent = nobleSigner(seed + 1);
    const approval = approve(owner, agent.address);
    assert.equal((await venue.post('/approve-agent', approval)).body.success, true);
    const all = { nonce: 900, signature: owner.sign('RevokeAllAgents', { nonce: 900 }) };
    const body = path === '/revoke-agent' ? revoke(owner, agent.address) : all;
    assert.deepEqual((await venue.send('DELETE', path, body)).body, { success: true, error: null });
    assert.deepEqual(listed(owner.address), []);
    await venue.post('/approve-agent', approval);
    assert.deepEqual(listed(owner.address), [], 'it is not taken again');
    assert.equal(await trades(owner, owner.address), true);
    assert.equal(await trades(agent, owner.address), false);
  }
});

test('a wallet has at most 64 agents, and pending approvals have a bound for all wallets', async () => {
  const owner = ethersSigner(509);
  assert.equal(await trades(owner, owner.address), true);
  const agents = Array.from({ length: 65 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`);
  for (const agent of agents.slice(0, 64)) assert.equal((await venue.post('/approve-agent', approve(owner, agent))).body.success, true);
  const more = await venue.post('/approve-agent', approve(owner, agents[64]!));
  assert.deepEqual(more.body, { success: false, error: 'Too many agents: 64 is the maximum' });
  const strangers = Array.from({ length: 64 }, (_, i) => ethersSigner(600 + i));
  const answers = [];
  for (const stranger of strangers) answers.push((await venue.post('/approve-agent', approve(stranger, agents[0]!))).body);
  assert.deepEqual(answers.at(-1), { success: false, error: 'Too many pending approvals' });
});

test('a wallet without an account may have 64 pending agents, and has all of them when it opens', async () => {
  const own = new Harness();
  try {
    const owner = ethersSigner(513);
    const agents = Array.from({ length: 65 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`);
    for (const agent of agents.slice(0, 64)) assert.equal((await own.post('/approve-agent', approve(owner, agent))).body.success, true);
    const more = await own.post('/approve-agent', approve(owner, agents[64]!));
    assert.deepEqual([more.status, more.body], [200, { success: false, error: 'Too many agents: 64 is the maximum' }]);
    assert.equal((await own.post('/order', order(owner, { symbol: own.calls()[0]!, tif: 'ioc' }))).body.status, 'ACKED');
    assert.equal(own.core.state.agents.rows[0], 64);
  } finally {
    own.close();
  }
});

test('a bad signature of an agent request is 400, and its fields are checked first', async () => {
  const owner = ethersSigner(510);
  const body = approve(owner, owner.address);
  const unsigned = { ...body, signature: `0x${'00'.repeat(65)}` };
  assert.equal((await venue.post('/approve-agent', unsigned)).body.error, 'signature_verification_failed');
  assert.equal((await venue.post('/approve-agent', { ...body, agent: '0x1' })).body.error, 'invalid_wallet');
  assert.equal((await venue.post('/approve-agent', { ...body, expires_at: 'soon' })).body.error, 'invalid_parameter');
  assert.equal((await venue.post('/approve-agent', { ...body, nonce: undefined })).body.error, 'missing_field');
});

test('the admin token sets tiers', async () => {
  const owner = ethersSigner(511);
  const body = { wallet: owner.address, tier: 'market_maker' };
  const made = await venue.post('/user-tier', body, bearer);
  // Without rate limits every rate is unlimited; caps stay.
  const limits = {
    max_open_orders: 2_000, max_open_positions: -1, orders_per_minute: -1, cancels_per_minute: -1, api_requests_per_minute: -1,
  };
  const data = { wallet_address: owner.address, tier: 'market_maker', limits };
  assert.deepEqual([made.status, made.body], [200, { success: true, data }]);
  const other = await venue.post(`/user-tier?wallet=${admin.address}`, { ...body, tier: 'default' }, bearer);
  assert.deepEqual([other.status, other.body.error], [403, 'forbidden']);
  assert.equal((await venue.post(`/user-tier?wallet=${owner.address}`, body, bearer)).status, 200);
  assert.equal(await trades(owner, owner.address), true);
  const wrong = await venue.post('/user-tier', { ...body, tier: 'vip' }, bearer);
  assert.deepEqual([wrong.status, wrong.body.message], [400, 'Invalid parameter: tier must be one of default, tier1, tier2, market_maker']);
  for (const authorization of ['Bearer wrong', TOKEN, `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, 'Bearer']) {
    const answer = await venue.post('/user-tier', body, { authorization });
    assert.deepEqual([answer.status, answer.body.error], [401, 'unauthorized'], authorization);
  }
});

test('the wallet in a query is the owner of the agents and the admin wallet that sets a tier', async () => {
  const owner = ethersSigner(533);
  assert.equal(await trades(owner, owner.address), true);
  const agent = approve(owner, ethersSigner(534).address);
  assert.equal((await venue.post(`/approve-agent?wallet=${admin.address}`, agent)).status, 403);
  assert.deepEqual((await venue.post(`/approve-agent?wallet=${owner.address}`, agent)).body, { success: true, error: null });
  const nonce = freshNonce();
  const terms = { wallet: owner.address, tier: 'tier1', nonce };
  const body = { ...terms, signature: admin.sign('SetUserTier', terms) };
  assert.equal((await venue.post(`/user-tier?wallet=${admin.address}`, body)).status, 403, 'it is not about the signer');
  assert.equal((await venue.post(`/user-tier?wallet=${owner.address}`, body)).status, 200);
});

test('an admin wallet sets tiers, but a wallet cannot set its own', async () => {
  const owner = ethersSigner(512);
  assert.equal(await trades(owner, owner.address), true);
  const signed = (signer: typeof owner, tier: string, nonce = freshNonce()) => ({
    wallet: owner.address, tier, nonce, signature: signer.sign('SetUserTier', { wallet: owner.address, tier, nonce }),
  });
  const raised = await venue.post('/user-tier', signed(owner, 'market_maker'));
  assert.deepEqual([raised.status, raised.body.error], [401, 'unauthorized']);
  const body = signed(admin, 'tier2');
  const { data } = (await venue.post('/user-tier', body)).body;
  assert.deepEqual([data.wallet_address, data.tier, data.limits.max_open_orders], [owner.address, 'tier2', 500]);
  assert.equal((await venue.post('/user-tier', { ...body, tier: 'market_maker' })).status, 401);
  assert.equal((await venue.post('/user-tier', body)).headers['idempotent-replay'], 'true');
  const used = await venue.post('/user-tier', signed(admin, 'tier1', body.nonce));
  assert.deepEqual([used.status, used.body.message], [400, `Nonce ${body.nonce} already used`]);
  assert.equal((await venue.post('/user-tier', signed(admin, 'gold'))).body.error, 'invalid_parameter');
  assert.equal((await venue.post('/user-tier', { wallet: owner.address, tier: 'tier1' })).body.error, 'missing_field');
});

test('an index price needs the token and the manual feed, and main\'s verdict is the answer', async () => {
  const body = { underlying: 'BTC', price: '101234.567' };
  assert.equal((await venue.post('/admin/index-price', body)).status, 401);
  assert.equal((await venue.post('/admin/index-price', { ...body, price: '-1' }, bearer)).body.message, 'Price must be greater than 0');
  assert.equal((await venue.post('/admin/index-price', { ...body, underlying: 'btc' }, bearer)).body.error, 'invalid_parameter');
  const answer = venue.post('/admin/index-price', { ...body, price: 99_000.5, stale: true }, bearer);
  await until(() => venue.posted.length === 1);
  const { id, ...asked } = venue.posted[0]!;
  assert.deepEqual(asked, { type: 'index-price', underlying: 'BTC', price: 99_000_500_000, stale: true });
  venue.service.onControlDone({ type: 'control-done', id, code: OK, number: 0, time: 0, seq: 0 });
  assert.deepEqual((await answer).body, { success: true, data: { underlying: 'BTC', price: '99000.5', stale: true } });
  const refused = venue.post('/admin/index-price', { ...body, underlying: 'DOGE' }, bearer);
  await until(() => venue.posted.length === 2);
  venue.service.onControlDone({ type: 'control-done', id: venue.posted[1]!.id, code: UNKNOWN_UNDERLYING, number: 0, time: 0, seq: 0 });
  assert.deepEqual([(await refused).status, (await refused).body.message], [400, 'Unknown underlying: DOGE']);
  const late = venue.post('/admin/index-price', body, bearer);
  await until(() => venue.posted.length === 3);
  venue.core.now += 10_000;
  venue.service.sweep();
  assert.equal((await late).status, 500);
});

test('an operator\'s price is answered as it is applied, and one that is too high is refused by name', async () => {
  const paths = { 'index-price': { underlying: 'BTC' }, 'settlement-price': { underlying: 'BTC', expiry: '2026-01-05' } };
  for (const [path, body] of Object.entries(paths)) {
    const post = (price: unknown): ReturnType<typeof venue.post> => venue.post(`/admin/${path}`, { ...body, price }, bearer);
    for (const price of ['1000000000.000001', '99999999999999999999']) {
      const { status, body: said } = await post(price);
      assert.deepEqual([status, said.error, said.message], [400, 'invalid_parameter', 'Price must be at most 1000000000 USDC'], path);
    }
    assert.equal((await post('0.0000001')).body.message, 'Price must be greater than 0');
    for (const [text, inForce] of [['00100000.1234567', '100000.123456'], ['98765.4300', '98765.43'], ['1000000000', '1000000000']]) {
      const before = venue.posted.length;
      const answer = post(text);
      await until(() => venue.posted.length > before);
      venue.service.onControlDone({ type: 'control-done', id: venue.posted[before]!.id, code: OK, number: 0, time: 0, seq: 0 });
      assert.equal((await answer).body.data.price, inForce, path);
    }
  }
});

test('with another feed the operator cannot set the index', async () => {
  const sim = new Harness({ flags: ['--feed', 'sim'] });
  try {
    const answer = await sim.post('/admin/index-price', { underlying: 'BTC', price: 1 }, bearer);
    assert.deepEqual([answer.status, answer.body.error], [409, 'conflict']);
    const surface = await sim.post('/admin/vol-surface', { underlying: 'BTC', atm_vol: 1 }, bearer);
    assert.deepEqual([surface.status, surface.body.error], [409, 'conflict']);
  } finally {
    sim.close();
  }
});

test('a volatility surface needs the token, the manual feed and bounded values; main\'s verdict is the answer', async () => {
  const body = { underlying: 'BTC', atm_vol: 0.65 };
  const post = (changed: object): ReturnType<typeof venue.post> => venue.post('/admin/vol-surface', { ...body, ...changed }, bearer);
  assert.equal((await venue.post('/admin/vol-surface', body)).status, 401);
  assert.equal((await post({ underlying: 'btc' })).body.message, 'Unknown underlying: btc');
  for (const wrong of [{ atm_vol: 0.009 }, { atm_vol: '5.01' }, { skew: -5.1 }, { curvature: 25.1 }, { atm_vol: -1 }]) {
    const { status, body: refusal } = await post(wrong);
    assert.deepEqual([status, refusal.message], [
      400, 'Invalid parameter: atm_vol must be 0.01 to 5, skew -5 to 5 and curvature -25 to 25',
    ]);
  }
  for (const wrong of [{ atm_vol: 'high' }, { skew: true }, { expiry: '2026-02-30' }]) {
    assert.equal((await post(wrong)).body.error, 'invalid_parameter');
  }
  const count = venue.posted.length;
  const all = post({ skew: '-0.1' });
  await until(() => venue.posted.length === count + 1);
  const { id, ...asked } = venue.posted[count]!;
  assert.deepEqual(asked, { type: 'vol-surface', underlying: 'BTC', expiry: 0, volatility: 650_000, skew: -100_000, curvature: 0 });
  venue.service.onControlDone({ type: 'control-done', id, code: OK, number: 0, time: 0, seq: 0 });
  assert.deepEqual((await all).body, { success: true, data: { underlying: 'BTC', atm_vol: 0.65, skew: -0.1, curvature: 0 } });
  const one = post({ expiry: '2026-01-09', curvature: 0.5 });
  await until(() => venue.posted.length === count + 2);
  const { id: next, ...rest } = venue.posted[count + 1]!;
  assert.deepEqual(rest, {
    type: 'vol-surface', underlying: 'BTC', expiry: Date.UTC(2026, 0, 9, 8), volatility: 650_000, skew: 0, curvature: 500_000,
  });
  venue.service.onControlDone({ type: 'control-done', id: next, code: EXPIRY_NOT_LISTED, number: 0, time: 0, seq: 0 });
  const refused = await one;
  assert.deepEqual([refused.status, refused.body.message], [400, 'No expiry of BTC on 2026-01-09 is listed']);
});

test('a settlement price works with any feed, its expiry is a date or a time; main\'s verdict is the answer', async () => {
  const body = { underlying: 'BTC', expiry: '2026-01-05', price: '98765.4321' };
  const expiry = Date.UTC(2026, 0, 5, 8);
  const post = (changed: object): ReturnType<typeof venue.post> => venue.post('/admin/settlement-price', { ...body, ...changed }, bearer);
  assert.equal((await venue.post('/admin/settlement-price', body)).status, 401);
  assert.equal((await post({ price: '0' })).body.message, 'Price must be greater than 0');
  assert.equal((await post({ underlying: 'btc' })).body.message, 'Unknown underlying: btc');
  for (const wrong of ['2026-02-30', '5 Jan 2026', '', -1, true]) {
    assert.deepEqual([(await post({ expiry: wrong })).status, (await post({ expiry: wrong })).body.error], [400, 'invalid_parameter']);
  }
  assert.equal((await post({ expiry: null })).body.error, 'missing_field');
  for (const sent of ['2026-01-05', '2026-01-05T08:00:00Z', expiry, String(expiry)]) {
    const count = venue.posted.length;
    const answer = post({ expiry: sent });
    await until(() => venue.posted.length > count);
    const { id, ...asked } = venue.posted[count]!;
    assert.deepEqual(asked, { type: 'settlement-price', underlying: 'BTC', expiry, price: 98_765_432_100 });
    const isFirst = sent === '2026-01-05';
    venue.service.onControlDone({ type: 'control-done', id, code: isFirst ? OK : NOT_PENDING_PRICE, number: 0, time: 0, seq: 0 });
    const { status, body: said } = await answer;
    if (isFirst) assert.deepEqual([status, said], [200, { success: true, data: { underlying: 'BTC', expiry, price: '98765.4321' } }]);
    else assert.deepEqual([status, said.message], [409, 'No expiry of BTC on 2026-01-05 waits for a settlement price']);
  }
});

test('a cancel is charged only to its own wallet', async () => {
  const owner = ethersSigner(513);
  const thief = ethersSigner(514);
  const { body } = await venue.post('/order', order(owner, { symbol, price: '1' }));
  assert.equal(body.status, 'ACKED');
  assert.equal((await venue.post('/cancel', cancel(thief, body.order_id, owner.address))).status, 401);
  assert.equal((await venue.post('/cancel', cancel(owner, body.order_id))).body.status, 'CANCELED');
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
