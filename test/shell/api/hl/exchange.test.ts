// POST /hl/exchange: what an action does and answers, whom its signer acts for, what is refused and how, and that the audit derives each
// record from the text that was signed.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../../support/fast-check.ts';
import { BATCH, WORD_NONCE } from '../../../../core/codec/commands.ts';
import { HEADER_BYTES, recordKind, viewsOf, type Views } from '../../../../core/codec/record.ts';
import { BATCH_ITEMS } from '../../../../core/limits.ts';
import { findUnderlying } from '../../../../core/instruments/underlyings.ts';
import { CONTRACT, USDC } from '../../../../core/units.ts';
import { parseAction } from '../../../../shell/api/hl/action.ts';
import { leverageOf } from '../../../../core/positions/perp-accounts.ts';
import { accountOfWallet } from '../../../../shell/reader/text.ts';
import { namedAgentsText } from '../../../../shell/reader/account/agent-wallets.ts';
import { verifyRecord } from '../../../../shell/api/verify-record.ts';
import { createHasher } from '../../../../shell/api/auth/eip712.ts';
import { loadBackend } from '../../../../shell/api/auth/recover-signer.ts';
import { openOrders } from '../../../support/raw.ts';
import { Harness } from '../harness.ts';
import { nobleSigner } from '../wallets.ts';
import { signAction, signApproval, type Signed } from './sign.ts';

const OWNER = 71;
const AGENT = 72;
const owner = nobleSigner(OWNER).address;
const agent = nobleSigner(AGENT).address;
const CLOID = `0x${'aB'.repeat(16)}`;
const GTC = { limit: { tif: 'Gtc' } };
const judge = { hasher: createHasher('Strikebook', 998), backend: loadBackend() };

const order = (p: string, more: object = {}) => ({ a: 0, b: true, p, s: '0.1', r: false, t: GTC, ...more });
const orders = (...list: object[]) => ({ type: 'order', orders: list, grouping: 'na' });

class Desk {
  readonly venue: Harness;
  nonce = 1_700_000_000_000;

  constructor(t: TestContext, wallets: readonly string[] = [owner]) {
    this.venue = new Harness();
    t.after(() => this.venue.close());
    this.venue.answers.set('agentOf', ({ parameters: { signer } }) => ({
      status: 200, body: JSON.stringify({ isWallet: signer === owner, wallets: signer === agent ? wallets : [] }),
    }));
  }

  async post(body: unknown): Promise<{ status: number; body: any }> {
    const answer = await fetch(`${this.venue.url}/hl/exchange`, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: answer.status === 200 ? JSON.parse(text) : text };
  }

  /** The answer to an action. */
  async act(action: object, signed: Partial<Signed> = {}, seed = OWNER): Promise<any> {
    const { status, body } = await this.post(signAction(seed, action, { nonce: ++this.nonce, ...signed }));
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  async statuses(action: object, signed: Partial<Signed> = {}, seed = OWNER): Promise<any[]> {
    const { status, response } = await this.act(action, signed, seed);
    assert.equal(status, 'ok', JSON.stringify(response));
    return response.data.statuses;
  }

  /** The last record of the log. */
  record(): Views {
    return viewsOf(this.venue.core.log.kept.at(-1)!.slice().buffer);
  }

  audit(views: Views): string | null {
    const { underlyings } = this.venue.core.state;
    return verifyRecord(views, 0, { ...judge, assetOf: (lo, hi) => findUnderlying(underlyings, lo, hi) });
  }

  orders() {
    return openOrders(this.venue.core.state).map(({ id, side, price, remaining }) => [id, side, price / USDC, remaining / CONTRACT]);
  }
}

test('orders of one action rest, fill or fail in its order, and the audit derives the record from the signed text', async (t) => {
  const desk = new Desk(t);
  assert.deepEqual(await desk.statuses({
    ...orders(order('99000'), order('98000', { c: CLOID }), order('97000', { t: { limit: { tif: 'Ioc' } } }), order('96000.5', { s: '0' })),
    builder: { b: agent, f: 10 },
  }), [
    { resting: { oid: 1 } }, { resting: { oid: 2, cloid: CLOID.toLowerCase() } },
    { error: 'Order could not immediately match against any resting orders.' }, { error: 'Order has zero size.' },
  ]);
  assert.equal(desk.audit(desk.record()), null);
});

test('a fill tells the size and the mean price', async (t) => {
  const desk = new Desk(t);
  await desk.statuses(orders(order('99000'), order('98000')), { vaultAddress: agent }, AGENT);
  assert.deepEqual(await desk.statuses(orders(order('98000', { b: false, s: '0.2', t: { limit: { tif: 'Ioc' } } }))), [
    { filled: { totalSz: '0.2', avgPx: '98500', oid: 3 } },
  ]);
  await desk.statuses(orders(order('97000')), { vaultAddress: agent }, AGENT);
  const [{ error }] = await desk.statuses(orders(order('97000', { b: false, t: { limit: { tif: 'Alo' } } })));
  assert.match(error, /^Post only order would have immediately matched,/);
});

test('a changed byte of a recorded action that names its wallet never passes the audit', async (t) => {
  const desk = new Desk(t);
  await desk.statuses(orders(order('99000'), order('98000', { c: CLOID })), { expiresAfter: 4_000_000_000_000, vaultAddress: owner });
  const views = desk.record();
  assert.equal(recordKind(views, 0), BATCH);
  assert.equal(desk.audit(views), null);
  const fixed = (WORD_NONCE + 2) * 4;
  for (let byte = HEADER_BYTES; byte < views.u32[0]!; byte++) {
    views.u8[byte]! ^= 1;
    // Caps that admission wrote are not signed.
    const isCap = byte >= fixed + 32 + 8 && byte < fixed + 32 + 32;
    if (!isCap) assert.notEqual(desk.audit(views), null, `byte ${byte}`);
    views.u8[byte]! ^= 1;
  }
  assert.equal(desk.audit(views), null);
});

test('cancels, modifies, a scheduled cancel and a noop answer in the shapes of their clients', async (t) => {
  const desk = new Desk(t);
  await desk.statuses(orders(order('99000'), order('98000', { c: CLOID })));
  const again = { type: 'cancel', cancels: [{ a: 0, o: 1 }, { a: 0, o: 1 }, { a: 0, o: 99 }] };
  const error = 'Order was never placed, already canceled, or filled.';
  assert.deepEqual(await desk.act(again), {
    status: 'ok', response: { type: 'cancel', data: { statuses: ['success', { error }, { error }] } },
  });
  assert.deepEqual(await desk.act({ type: 'modify', oid: CLOID, order: order('97000', { c: CLOID }) }), {
    status: 'ok', response: { type: 'default' },
  });
  assert.deepEqual(await desk.act({ type: 'batchModify', modifies: [{ oid: 3, order: order('96000', { c: CLOID }) }] }), {
    status: 'ok', response: { type: 'order', data: { statuses: [{ resting: { oid: 4, cloid: CLOID.toLowerCase() } }] } },
  });
  assert.deepEqual(desk.orders(), [[4, 0, 96_000, 0.1]]);
  assert.deepEqual(await desk.act({ type: 'cancelByCloid', cancels: [{ asset: 0, cloid: CLOID }] }), {
    status: 'ok', response: { type: 'cancel', data: { statuses: ['success'] } },
  });
  assert.deepEqual(await desk.act({ type: 'modify', oid: 4, order: order('95000') }), { status: 'err', response: error });
  assert.deepEqual(await desk.act({ type: 'scheduleCancel', time: desk.venue.core.now + 5_000 }), {
    status: 'ok', response: { type: 'default' },
  });
  assert.equal((await desk.act({ type: 'scheduleCancel', time: desk.venue.core.now + 10 })).status, 'err');
  assert.deepEqual(await desk.act({ type: 'scheduleCancel' }), { status: 'ok', response: { type: 'default' } });
  const leverage = { type: 'updateLeverage', asset: 0, isCross: true, leverage: 5 };
  assert.deepEqual(await desk.act(leverage), { status: 'ok', response: { type: 'default' } });
  const { perpAccounts } = desk.venue.core.state;
  const chosen = () => leverageOf(perpAccounts, accountOfWallet(desk.venue.core.state, owner), 0);
  assert.equal(chosen(), 5);
  assert.equal(desk.audit(desk.record()), null);
  assert.deepEqual(await desk.act({ ...leverage, leverage: 11 }), {
    status: 'err', response: 'Invalid leverage value: 10 is the most that margin allows',
  });
  assert.equal((await desk.act({ ...leverage, leverage: 0 })).status, 'err');
  assert.equal(chosen(), 5);
  assert.match((await desk.act({ ...leverage, isCross: false })).response, /Isolated margin/);
  assert.match((await desk.act({ ...leverage, asset: 9 })).response, /Invalid asset/);
  assert.deepEqual(await desk.act({ type: 'noop' }), { status: 'ok', response: { type: 'default' } });
  assert.equal(desk.audit(desk.record()), null);
});

test('an order that was modified without a cloid answers with the one it kept, if it is a cloid and known', async (t) => {
  const desk = new Desk(t);
  await desk.statuses(orders(order('99000', { c: CLOID }), order('98000'), order('97000', { c: CLOID.replace('aB', '12') })));
  const names: Record<string, string | null> = { 4: CLOID.toLowerCase(), 5: 'mine', 6: null };
  desk.venue.answers.set('orderStatus', ({ parameters: { wallet, name } }) => {
    assert.equal(wallet, owner);
    return name === '6' ? { status: 503, body: '{}' } : { status: 200, body: JSON.stringify({ data: { client_id: names[name] } }) };
  });
  const modifies = [1, 2, 3, 99].map((oid) => ({ oid, order: order('96000') }));
  assert.deepEqual((await desk.statuses({ type: 'batchModify', modifies })).slice(0, 3), [
    { resting: { oid: 4, cloid: CLOID.toLowerCase() } }, { resting: { oid: 5 } }, { resting: { oid: 6 } },
  ]);
  const asked = desk.venue.asked.filter(({ kind }) => kind === 'orderStatus');
  assert.deepEqual(asked.map(({ charge, parameters: { name } }) => [charge, name]), [[0, '4'], [0, '5'], [0, '6']]);
});

test('an agent acts for its only wallet; of several wallets vaultAddress chooses one; a stranger is refused', async (t) => {
  const other = nobleSigner(73).address;
  const desk = new Desk(t, [owner]);
  await desk.statuses(orders(order('99000')));
  const early = await desk.act(orders(order('98000')), {}, AGENT);
  assert.equal(early.response, `User or API Wallet ${agent} does not exist.`, 'the core judges the agent again');
  const several = new Desk(t, [owner, other]);
  const { status, response } = await several.act(orders(order('98000')), {}, AGENT);
  assert.equal(status, 'err');
  assert.ok(response.includes(owner) && response.includes(other) && response.includes('vaultAddress'), response);
  const stranger = await desk.act(orders(order('98000')), {}, 74);
  assert.deepEqual(stranger, { status: 'err', response: `User or API Wallet ${nobleSigner(74).address} does not exist.` });
  assert.deepEqual(desk.orders().length, 1);
});

test('a signature for another vault, expiry, source or nonce is that of a stranger', async (t) => {
  const desk = new Desk(t);
  const sent = signAction(OWNER, orders(order('99000')), { nonce: 5, expiresAfter: 4_000_000_000_000 });
  const mainnet = signAction(OWNER, orders(order('99000')), { nonce: 5 }, 'a');
  const { expiresAfter: _, ...unlimited } = sent;
  for (const changed of [
    { ...sent, nonce: 6 }, { ...sent, expiresAfter: 4_000_000_000_001 }, unlimited, { ...sent, vaultAddress: owner }, mainnet,
    { ...sent, action: { ...sent.action, grouping: 'positionTpsl' } }, { ...sent, action: { ...sent.action, builder: null } },
  ]) {
    const { body } = await desk.post(changed);
    assert.ok(typeof body === 'object' ? body.status === 'err' : true, JSON.stringify(changed));
  }
  assert.deepEqual(desk.orders(), []);
  assert.equal((await desk.post(sent)).body.status, 'ok');
});

test('the nonce of an action is used by all its items at once; a late action keeps its nonce', async (t) => {
  const desk = new Desk(t);
  const { now } = desk.venue.core;
  assert.deepEqual(await desk.act(orders(order('99000')), { nonce: 9, expiresAfter: now }), {
    status: 'err', response: 'Request came too late',
  });
  await desk.statuses(orders(order('99000')), { nonce: 9, expiresAfter: now + 1 });
  assert.deepEqual(await desk.act(orders(order('99000')), { nonce: 9 }), { status: 'err', response: 'Invalid nonce: duplicate nonce' });
  assert.equal(desk.orders().length, 1);
});

test('a request whose form is not that of the protocol is 422 with a text, and no signature is looked at', async (t) => {
  const desk = new Desk(t);
  const good = signAction(OWNER, orders(order('99000')), { nonce: 5 });
  const ofAction = (action: unknown): object => ({ ...good, action });
  const ofOrder = (change: object): object => ofAction(orders({ ...order('99000'), ...change }));
  for (const body of [
    {}, { ...good, nonce: '5' }, { ...good, nonce: 2 ** 53 }, { ...good, signature: {} },
    { ...good, signature: { ...good.signature, v: 1 } },
    { ...good, vaultAddress: '0x12' }, { ...good, more: 1 }, ofAction(7), ofAction({}), ofAction({ type: 'order' }),
    ofAction({ ...orders(), more: 1 }), ofAction(orders()), ofAction(orders(7 as never)), ofOrder({ a: -1 }), ofOrder({ b: 'true' }),
    ofOrder({ p: 99_000 }), ofOrder({ r: null }), ofOrder({ c: 'mine' }), ofOrder({ t: {} }), ofOrder({ t: { limit: { tif: 'Fok' } } }),
    ofOrder({ t: { ...GTC, trigger: { isMarket: true, triggerPx: '1', tpsl: 'sl' } } }), ofOrder({ stop: 1 }),
    ofOrder({ t: { trigger: { isMarket: true, triggerPx: '1', tpsl: 'no' } } }), ofAction({ type: 'cancel', cancels: [{ a: 0 }] }),
    ofAction({ type: 'modify', oid: 'x', order: order('1') }), ofAction({ type: 'scheduleCancel', time: 'soon' }),
  ]) {
    const answer = await desk.post(body);
    assert.equal(answer.status, 422, JSON.stringify(body));
    assert.ok(typeof answer.body === 'string' && answer.body.length > 0);
  }
  assert.deepEqual(desk.venue.asked, []);
});

test('what the venue does not have is an err: actions, assets, groups, too many orders', async (t) => {
  const desk = new Desk(t);
  const many = Array.from({ length: BATCH_ITEMS }, () => order('99000'));
  for (const [action, text] of [
    [{ type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: 1 }, /Isolated margin/],
    [{ type: 'setReferrer', code: 'X' }, /Referrals/],
    [{ type: 'approveBuilderFee' }, /Builder fees/], [{ type: 'usdSend' }, /^Unsupported action: usdSend$/],
    [{ type: 'toString' }, /^Unsupported action: toString$/], [orders(order('1', { a: 7 })), /^Invalid asset: 7$/],
    [{ ...orders(order('1')), grouping: { p: 1 } }, /grouping/],
    [{ type: 'order', orders: [order('1'), order('1')], grouping: 'normalTpsl' }, /wait for triggers/],
    [{ type: 'modify', oid: CLOID, order: order('1', { c: `0x${'11'.repeat(16)}` }) }, /keeps the cloid/],
    [{ ...orders(order('1')), builder: { b: 'x'.repeat(11_000) } }, /at most 10240 bytes/],
  ] as const) {
    const { status, response } = await desk.act(action);
    assert.equal(status, 'err', JSON.stringify(action));
    assert.match(response, text);
  }
  assert.equal((await desk.statuses(orders(...many))).length, BATCH_ITEMS);
  assert.equal((await desk.post(signAction(OWNER, orders(...many, order('1')), { nonce: 1 }))).status, 422);
});

test('a number that no double holds cannot make a record whose text gives another hash', async (t) => {
  const desk = new Desk(t);
  const { length } = desk.venue.core.log.kept;
  const sent = signAction(OWNER, { ...orders(order('99000')), builder: { f: Infinity } }, { nonce: 5 });
  const body = JSON.stringify(sent).replace('"f":null', '"f":1e999');
  assert.ok(body.includes('1e999'));
  const answer = await fetch(`${desk.venue.url}/hl/exchange`, { method: 'POST', body });
  assert.equal((await answer.json() as { status: string }).status, 'err');
  assert.equal(desk.venue.core.log.kept.length, length);
});

test('any order of keys is hashed as it was sent', async (t) => {
  const desk = new Desk(t);
  const mixed = { grouping: 'na', orders: [{ t: GTC, s: '0.1', r: false, p: '99000', c: CLOID, b: true, a: 0 }], type: 'order' };
  assert.equal((await desk.statuses(mixed)).length, 1);
  assert.equal(desk.audit(desk.record()), null);
});

const priceOf = (p: string, isBuy: boolean): unknown => {
  const parsed = parseAction(orders(order(p, { b: isBuy })) as never, () => 'BTC', '1');
  assert.ok(parsed.ok);
  return parsed.value.items[0]!.fields['price'];
};

test('property: an integer price of more than five figures is rounded to five, never to the loss of its owner', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 999_999_999 }), fc.boolean(), (price, isBuy) => {
    const rounded = priceOf(String(price), isBuy) as number / USDC;
    const step = 10 ** Math.max(0, String(price).length - 5);
    assert.equal(rounded % step, 0);
    assert.ok(isBuy ? rounded <= price && price - rounded < step : rounded >= price && rounded - price < step);
  }));
});

test('a tp or sl waits for the mark in the direction of its side; a group shares a link and only reduces', () => {
  const trigger = (b: boolean, tpsl: string, isMarket = true, r = false) => (
    order('90000', { b, r, t: { trigger: { isMarket, triggerPx: '95000', tpsl } } })
  );
  const fieldsOf = (list: readonly object[], grouping: string) => {
    const parsed = parseAction({ type: 'order', orders: list, grouping }, () => 'BTC', '77');
    assert.ok(parsed.ok);
    return parsed.value.items.map(({ fields: { triggerBy, triggerDirection, tif, flags, linkId } }) => (
      [triggerBy, triggerDirection, tif, flags, linkId]
    ));
  };
  const [ABOVE, BELOW, MARK, IOC] = [1, 2, 3, 1];
  assert.deepEqual(fieldsOf([trigger(false, 'tp'), trigger(false, 'sl'), trigger(true, 'tp'), trigger(true, 'sl', false)], 'na'), [
    [MARK, ABOVE, IOC, 2, ''], [MARK, BELOW, IOC, 2, ''], [MARK, BELOW, IOC, 2, ''], [MARK, ABOVE, 0, 2, ''],
  ]);
  assert.deepEqual(fieldsOf([order('99000'), trigger(false, 'tp'), trigger(false, 'sl')], 'normalTpsl'), [
    [0, 0, 0, 8, 'tpsl-77'], [MARK, ABOVE, IOC, 6, 'tpsl-77'], [MARK, BELOW, IOC, 6, 'tpsl-77'],
  ]);
  const ofPosition = parseAction({
    type: 'order', orders: [{ ...trigger(false, 'sl'), s: '0' }], grouping: 'positionTpsl',
  }, () => 'BTC', '77');
  assert.ok(ofPosition.ok && ofPosition.value.items[0]!.code === 0);
  assert.equal(ofPosition.value.items[0]!.fields['size'], 100_000 * CONTRACT);
});

const CHAIN = { signatureChainId: '0x66eee', hyperliquidChain: 'Testnet' };
const approval = (nonce: number, name: string | null, agentAddress = agent) => (
  { type: 'approveAgent', ...CHAIN, agentAddress, ...(name !== null && { agentName: name }), nonce }
);

test('a wallet approves an agent by its typed data, and a named one replaces the former of that name', async (t) => {
  const desk = new Desk(t);
  await desk.statuses(orders(order('99000')));
  const approve = async (name: string | null, address: string, nonce = ++desk.nonce) => (
    (await desk.post(signApproval(OWNER, approval(nonce, name, address)))).body
  );
  const done = { status: 'ok', response: { type: 'default' } };
  const [first, second, third] = [nobleSigner(81).address, nobleSigner(82).address, nobleSigner(83).address];
  assert.deepEqual(await approve('bot', first), done);
  assert.equal(desk.audit(desk.record()), null);
  assert.deepEqual(await approve(null, second), done);
  assert.deepEqual(await approve(`bot valid_until ${desk.venue.core.now + 60_000}`, third), done);
  const { state } = desk.venue.core;
  const named = () => JSON.parse(namedAgentsText(state, owner, desk.venue.core.now)) as unknown[];
  assert.deepEqual(named(), [
    { address: third, name: 'bot', expires: desk.venue.core.now + 60_000 }, { address: second, name: '', expires: 0 },
  ]);
  desk.nonce += 10;
  assert.deepEqual(await approve('bot', third), done, 'the same agent again');
  assert.deepEqual(await approve('bot', third, desk.nonce - 5), done, 'it was not revoked, so no earlier approval is void');
  assert.deepEqual(named(), [{ address: third, name: 'bot', expires: 0 }, { address: second, name: '', expires: 0 }]);
  desk.venue.answers.set('agentOf', () => ({ status: 200, body: JSON.stringify({ isWallet: false, wallets: [owner] }) }));
  assert.equal((await desk.statuses(orders(order('98000')), {}, 83)).length, 1);
  assert.equal((await desk.act(orders(order('97000')), {}, 81)).status, 'err', 'the former agent may not sign');
});

test('an approval of a wallet without an account, for mainnet, of another nonce or form, or changed, approves nobody', async (t) => {
  const desk = new Desk(t);
  const post = async (body: object) => desk.post(body);
  assert.equal((await post(signApproval(OWNER, approval(5, 'bot')))).body.response, `User or API Wallet ${owner} does not exist.`);
  await desk.statuses(orders(order('99000')));
  const sent = signApproval(OWNER, approval(6, 'bot'));
  const mainnet = signApproval(OWNER, { ...approval(6, 'bot'), hyperliquidChain: 'Mainnet' });
  assert.match((await post(mainnet)).body.response, /Testnet/);
  for (const change of [
    { agentName: 'x'.repeat(17) }, { agentName: 'é' }, { signatureChainId: '66eee' }, { agentAddress: '0x1' }, { nonce: 7 },
  ]) {
    assert.equal((await post({ ...sent, action: { ...sent.action, ...change } })).status, 422, JSON.stringify(change));
  }
  for (const change of [{ agentName: 'bob' }, { signatureChainId: '0x1' }, { agentAddress: owner }]) {
    assert.equal((await post({ ...sent, action: { ...sent.action, ...change } })).body.status, 'err', JSON.stringify(change));
  }
  assert.deepEqual(JSON.parse(namedAgentsText(desk.venue.core.state, owner, desk.venue.core.now)), []);
  assert.equal((await post(sent)).body.status, 'ok');
  const views = desk.record();
  for (let byte = HEADER_BYTES; byte < views.u32[0]!; byte++) {
    views.u8[byte]! ^= 1;
    assert.notEqual(desk.audit(views), null, `byte ${byte}`);
    views.u8[byte]! ^= 1;
  }
});
