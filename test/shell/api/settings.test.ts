// Margin mode and market-maker protection over HTTP, through the real core: what is set is what was signed, and every refusal.

import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { findMmp } from '../../../core/mmp/mmp.ts';
import { Harness } from './harness.ts';
import { approve, freshNonce, marginMode, mmpConfig, mmpName, order } from './requests.ts';
import { ethersSigner, nobleSigner } from './wallets.ts';

const owner = ethersSigner(401);
const taker = nobleSigner(402);

let venue: Harness;
let symbol: string;
before(() => {
  venue = new Harness();
  [symbol] = venue.calls() as [string];
});
after(() => venue.close());

function invalidParameter(message: string): object {
  return { success: false, data: null, error: 'invalid_parameter', message };
}

test('setting the margin mode answers the mode before, and a repeated request gets the same answer', async () => {
  const body = marginMode(owner, 'portfolio');
  const { status, body: done } = await venue.post('/margin-mode', body);
  const data = { wallet: owner.address, margin_mode: 'portfolio', previous_mode: 'standard' };
  assert.deepEqual([status, done], [200, { success: true, data, error: null }]);
  assert.equal(venue.core.state.accounts.mode[0], PORTFOLIO);
  const again = await venue.post('/margin-mode', body);
  assert.deepEqual([again.headers['idempotent-replay'], again.body], ['true', done]);
  const back = await venue.post('/margin-mode', marginMode(owner, 'standard'));
  assert.deepEqual(back.body.data, { wallet: owner.address, margin_mode: 'standard', previous_mode: 'portfolio' });
});

test('an invalid mode, a stranger\'s signature and a changed mode are refused', async () => {
  for (const mode of ['Portfolio', '', 'span']) {
    const answer = await venue.post('/margin-mode', marginMode(owner, mode));
    const message = 'Invalid parameter: margin_mode must be one of standard, portfolio';
    assert.deepEqual([answer.status, answer.body], [400, invalidParameter(message)]);
  }
  const stranger = await venue.post('/margin-mode', marginMode(taker, 'portfolio', owner.address));
  assert.deepEqual([stranger.status, stranger.body.success, stranger.body.error], [401, false, 'unauthorized']);
  assert.equal((await venue.post('/margin-mode', { ...marginMode(owner, 'standard'), margin_mode: 'portfolio' })).status, 401);
});

test('with open positions the mode can be neither changed nor set again', async () => {
  const holder = nobleSigner(403);
  await venue.post('/order', order(holder, { symbol, size: '0.1' }));
  assert.equal((await venue.post('/order', order(taker, { symbol, side: 'Sell', size: '0.1' }))).body.filled_size, 0.1);
  const message = 'The margin mode cannot be changed while positions are open';
  for (const mode of ['portfolio', 'standard']) {
    const answer = await venue.post('/margin-mode', marginMode(holder, mode));
    assert.deepEqual([answer.status, answer.body], [400, invalidParameter(message)], mode);
  }
});

test('a protection is set to its limits and answered in canonical form', async () => {
  const { status, body } = await venue.post('/mmp/config', mmpConfig(owner, { qty_limit: '10.50', vega_limit: 0 }));
  assert.equal(status, 200);
  assert.deepEqual(body, {
    wallet_address: owner.address, currency: 'BTC', interval_ms: 60_000, frozen_time_ms: 300_000, qty_limit: '10.5', vega_limit: '0',
    enabled: true,
  });
  const { mmp } = venue.core.state;
  const row = findMmp(mmp, 0, 0);
  assert.deepEqual(
    [mmp.windows.interval[row], mmp.frozenTime[row], mmp.qtyLimit[row], mmp.deltaLimit[row], mmp.vegaLimit[row], mmp.enabled[row]],
    [60_000, 300_000, 10_500_000, -1, 0, 1],
  );
});

test('a limit below a millionth is zero, which every fill exceeds', async () => {
  const { status, body } = await venue.post('/mmp/config', mmpConfig(owner, { currency: 'ETH', qty_limit: '0.0000001' }));
  assert.deepEqual([status, body.qty_limit], [200, '0']);
  assert.equal((await venue.post('/mmp/config', { ...mmpConfig(owner), qty_limit: '' })).status, 400, 'no number');
});

test('invalid times, limits and underlyings are refused by name', async () => {
  const message = (name: string) => `Invalid parameter: ${name} must be a number of at most 1000000000, without a sign`;
  const cases: [object, string][] = [
    [{ qty_limit: '-1' }, message('qty_limit')], [{ delta_limit: '1000000000.1' }, message('delta_limit')],
    [{ vega_limit: '-0.5', currency: 'btc' }, message('vega_limit')],
    [{ currency: 'btc' }, 'Unknown underlying: btc'], [{ currency: 'DOGE' }, 'Unknown underlying: DOGE'],
  ];
  for (const [fields, text] of cases) {
    const answer = await venue.post('/mmp/config', mmpConfig(owner, fields));
    assert.deepEqual([answer.status, answer.body.error, answer.body.message], [400, 'invalid_parameter', text]);
  }
  const fields = [{ interval_ms: 0 }, { interval_ms: 86_400_001 }, { frozen_time_ms: -1 }, { frozen_time_ms: 1.5 }, { qty_limit: 'ten' }];
  for (const wrong of fields) {
    const answer = await venue.post('/mmp/config', { ...mmpConfig(owner), ...wrong });
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_parameter'], JSON.stringify(wrong));
  }
});

test('a protection with any signed value changed is refused as a stranger\'s', async () => {
  const body = mmpConfig(owner, { qty_limit: '10' });
  const changes = {
    currency: 'ETH', interval_ms: 60_001, frozen_time_ms: 0, qty_limit: '10.0', delta_limit: '1', vega_limit: '1', nonce: freshNonce(),
    wallet: taker.address,
  };
  for (const [name, value] of Object.entries(changes)) {
    assert.equal((await venue.post('/mmp/config', { ...body, [name]: value })).status, 401, name);
  }
});

test('another wallet in the query is forbidden', async () => {
  for (const [method, path, body] of [
    ['POST', '/mmp/config', mmpConfig(owner)], ['DELETE', '/mmp/config', mmpName('DeleteMmpConfig', owner)],
    ['POST', '/mmp/reset', mmpName('ResetMmp', owner)],
  ] as const) {
    const answer = await venue.send(method, `${path}?wallet=${taker.address}`, body);
    assert.deepEqual([answer.status, answer.body.error], [403, 'forbidden']);
    assert.equal((await venue.send(method, `${path}?wallet=${owner.address}`, body)).status, 200);
    if (method === 'DELETE') assert.equal((await venue.post('/mmp/config', mmpConfig(owner))).status, 200);
  }
});

test('a trigger ends the order, a reset lets trading continue, and a deletion ends the protection', async () => {
  const guarded = ethersSigner(404);
  const agent = nobleSigner(405);
  await venue.post('/approve-agent', approve(guarded, agent.address, { wallet: guarded.address }));
  const byAgent = mmpConfig(agent, { wallet: guarded.address, qty_limit: '0.5', frozen_time_ms: 0 });
  assert.equal((await venue.post('/mmp/config', byAgent)).status, 200);
  const maker = ethersSigner(406);
  for (const price of ['160', '161', '162']) {
    assert.equal((await venue.post('/order', order(maker, { symbol, side: 'Sell', size: '0.4', price }))).body.status, 'ACKED');
  }
  const { body } = await venue.post('/order', order(guarded, { symbol, size: '2', price: '170' }));
  const seen = [body.status, body.filled_size, body.mmp_triggered, body.reason];
  assert.deepEqual(seen, ['ACKED', 0.8, true, 'MMP triggered during fill processing']);
  const frozen = await venue.post('/order', order(guarded, { symbol }));
  assert.deepEqual([frozen.body.status, frozen.body.reason], ['REJECTED', 'Order canceled by MMP trigger']);
  const outside = await venue.post('/order', { ...order(guarded, { symbol, tif: 'ioc' }), mmp_enabled: false });
  assert.deepEqual([outside.body.status, outside.body.info.mmp_enabled], ['ACKED', false]);
  const reset = await venue.post('/mmp/reset', mmpName('ResetMmp', guarded));
  assert.deepEqual([reset.status, reset.body, reset.headers['content-type']], [200, null, 'application/json']);
  assert.equal((await venue.post('/order', order(guarded, { symbol, tif: 'ioc' }))).body.status, 'ACKED');
  const gone = mmpName('DeleteMmpConfig', guarded);
  for (const round of ['first', 'replay']) assert.equal((await venue.send('DELETE', '/mmp/config', gone)).status, 200, round);
  for (const wallet of [guarded, ethersSigner(407)]) {
    const again = await venue.send('DELETE', '/mmp/config', mmpName('DeleteMmpConfig', wallet));
    const cleared = await venue.post('/mmp/reset', mmpName('ResetMmp', wallet));
    assert.deepEqual([again.status, again.body, cleared.status, cleared.body], [200, null, 200, null], 'nothing is left to end');
  }
});

test('no request of this file caused a fault', () => assert.deepEqual(venue.faults, []));
