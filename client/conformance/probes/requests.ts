// How a stranger's request is refused: its body, its path, its signature, its fields.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sign } from '../../src/forms.ts';
import { createPrivateKey, Forms, privateKeySigner } from '../../src/main.ts';
import { altered, asking, changed, many, NOBODY, signed, terms, ZEROS, type Probes } from './making.ts';

const BIG_BODY = 1_048_577;
const UNKNOWN = 'BTC-20990101-1-C';

const BODIES: Probes = {
  'the body is empty': (_, target) => target.send('POST', '/order', ''),
  'the body is not UTF-8': (_, target) => target.send('POST', '/order', Uint8Array.of(0x7b, 0xff, 0x7d)),
  'the body is not JSON': (_, target) => target.send('POST', '/order', '{'),
  'the body is encoded': (_, target) => target.send('POST', '/order', '{}', { 'content-encoding': 'br' }),
  'a required field is missing': (_, target) => target.send('POST', '/order', {}),
  'a required parameter of a query is missing': asking('/portfolio'),
  'a wallet cannot be parsed': asking('/portfolio?wallet=0x12'),
  'a write to an unknown path': (_, target) => target.send('POST', '/nowhere', {}),
  'a read of an unknown path': asking('/nowhere'),
  'another method': (_, target) => target.send('DELETE', '/portfolio'),
  'the socket without an upgrade': asking('/ws'),
  'a body above 1 MiB': (_, target) => target.send('POST', '/order', ' '.repeat(BIG_BODY)),
  'more than 50 orders': many('POST', '/bulk_order', 'orders'),
  'more than 50 cancels': many('DELETE', '/bulk_order', 'cancels'),
  'more than 50 cancels by client id': many('DELETE', '/bulk_order_cloid', 'cancels'),
  'more than 50 replacements': many('PUT', '/bulk_order', 'replacements'),
};

const SIGNATURES: Probes = {
  'no signer can be recovered': changed({ signature: ZEROS }),
  'a signature with a high s': (world, target) => (
    altered(world, target, world.raw.placeOrder(terms(world)), (body) => ({ ...body, signature: highS(body.signature) }))
  ),
  'a signature of another length': changed({ signature: '0x12' }),
  'the signer is neither wallet nor agent': changed({ wallet: NOBODY }),
  'the agent was revoked': async (world, target) => {
    const { seller } = world;
    const agent = privateKeySigner(createPrivateKey());
    await seller.approveAgent(agent.address);
    await seller.revokeAgent(agent.address);
    const { body, method, path } = await sign(seller.forms.placeOrder(terms(world)), agent);
    return target.send(method, path, body);
  },
  'the nonce was used': async (world) => {
    const nonce = Date.now();
    await world.sent(world.seller, world.seller.forms.placeOrder(terms(world), nonce));
    return world.sent(world.seller, world.seller.forms.placeOrder({ ...terms(world), size: '0.2' }, nonce));
  },
  'the admin token is wrong': (_, target) => target.send('POST', '/admin/cancel', { wallet: NOBODY }, { authorization: 'Bearer wrong' }),
  'a wallet in the body that did not sign': (world, target) => (
    altered(world, target, world.asker.forms.approveAgent(NOBODY), (body) => ({ ...body, wallet: NOBODY }))
  ),
  'a wallet in the query that did not sign': (world) => (
    world.sent(world.asker, world.asker.forms.resetMmp('BTC'), { path: `/mmp/reset?wallet=${NOBODY}` })
  ),
  'the price was signed in another notation': (world, target) => (
    altered(world, target, world.raw.placeOrder({ ...terms(world), price: '100' }), (body) => ({ ...body, price: '100.0' }))
  ),
  'the request was signed for another deployment': (world) => {
    const { info } = world.asker;
    const name = info.signing_domain.name === 'Hypercall' ? 'Strikebook' : 'Hypercall';
    const elsewhere = new Forms({ ...info, signing_domain: { ...info.signing_domain, name } }, world.asker.wallet);
    return world.sent(world.asker, elsewhere.placeOrder(terms(world)));
  },
};

const ACCOUNTS: Probes = {
  'nonces are voided beyond the request\'s own': async (world, target) => {
    const [{ data, body }] = world.asker.forms.voidNonces().items as [{ data: any; body: any }];
    const upTo = body.nonce + 1n;
    const beyond = { data: { ...data, message: { ...data.message, upTo: String(upTo) } }, body: { ...body, up_to: upTo } };
    return altered(world, target, { method: 'POST', path: '/void-nonces', list: null, items: [beyond] }, (one) => one);
  },
  'the expiry of an agent lies in the past': signed('asker', (forms) => forms.approveAgent(NOBODY, 1)),
  'a limit of a protection is invalid': signed('asker', (forms) => (
    forms.setMmp({ currency: 'BTC', interval_ms: 1_000, frozen_time_ms: 1_000, qty_limit: '-1' })
  )),
  'an unknown underlying': signed('asker', (forms) => (
    forms.setMmp({ currency: 'NONE', interval_ms: 1_000, frozen_time_ms: 1_000, qty_limit: '1' })
  )),
  'an invalid connection': signed('asker', (forms) => forms.setCancelOnDisconnect({ enabled: true, grace_ms: 0, connection: 'mine' })),
  'an invalid username': signed('asker', (forms) => forms.setUsername('no')),
  'a taken username': signed('asker', (forms, world) => forms.setUsername(world.values['username']!)),
  'a second change of username': async (world) => {
    const rename = (last: string) => world.sent(world.asker, world.asker.forms.setUsername(`d_${world.asker.wallet.slice(2, 16)}${last}`));
    await rename('a');
    const second = await rename('b');
    // Midnight was between the two.
    return second.status === 200 ? rename('c') : second;
  },
  'the margin mode is invalid': signed('asker', (forms) => forms.setMarginMode('cross' as 'standard')),
  'the margin mode while positions are open': signed('seller', (forms) => forms.setMarginMode('portfolio')),
  'payouts of another wallet': async (world) => {
    const answer = await world.sent(world.asker, world.asker.forms.markPayoutsSeen([1]));
    return answer.status === 200 ? 'nothing has settled yet' : answer;
  },
  'revoking an unknown agent': signed('seller', (forms) => forms.revokeAgent(privateKeySigner(createPrivateKey()).address)),
  'approving an agent as before its revocation': async (world, target) => {
    const { seller } = world;
    const agent = privateKeySigner(createPrivateKey()).address;
    const held = await seller.sign(seller.forms.approveAgent(agent));
    await seller.approveAgent(agent);
    await seller.revokeAgent(agent);
    return target.send(held.method, held.path, held.body);
  },
  'approving a 65th agent': async (world) => {
    const { asker } = world;
    const approve = () => world.sent(asker, asker.forms.approveAgent(privateKeySigner(createPrivateKey()).address));
    for (let i = 0; i < 64; i++) await approve();
    const answer = await approve();
    await asker.revokeAllAgents();
    return answer;
  },
};

const READS: Probes = {
  '/orderbook without id and name': asking('/orderbook'),
  '/orderbook of an unknown instrument': asking(`/orderbook?instrument_name=${UNKNOWN}`),
  'a limit below zero': asking('/trades?limit=-1'),
  'a limit that is not a number': asking('/trades?limit=ten'),
  'an expiry that is not a date': asking('/expiry-summary?currency=BTC&expiry=tomorrow'),
  'simulated orders that are not a list': asking(`/portfolio/greeks?wallet=${NOBODY}&simulated_orders=%7B%7D`),
  'greeks of an unknown instrument': asking(`/greeks?symbol=${UNKNOWN}`),
  'limit_iv of an unknown instrument': (_, target) => target.send('POST', '/limit_iv', { symbol: 'BTC', iv: 0.5 }),
  'an unknown competition': asking('/competitions/900000000'),
  'candles that end before they start': asking('/candles?resolution=1m&start_time_ms=2&end_time_ms=1'),
  'candles of an instrument': asking(`/candles?instrument_name=${UNKNOWN}&resolution=1m&start_time_ms=0&end_time_ms=60000`),
  'theoretical prices of an unknown instrument': asking(`/historical-theos?instrument_name=${UNKNOWN}&interval=1h`),
  'a chain that is not configured': ofChain('No gas provider', 'a chain is configured'),
  'another chain than the configured one': ofChain('Unsupported', 'no chain is configured'),
  '/username without a wallet or name': asking('/username'),
  '/username of an unknown name': asking('/username?username=nobody_has_this_one'),
};

/** A venue has one of the two answers. */
function ofChain(start: string, otherwise: string): Probes[string] {
  return async (_, target) => {
    const answer = await target.get('/gas-provider/900000000');
    return String(answer.body?.message).startsWith(start) ? answer : otherwise;
  };
}

/** The same signature with s on the other half of the curve: a valid one that only a lax verifier takes. */
function highS(signature: string): string {
  const s = secp256k1.Point.Fn.ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${signature.endsWith('1b') ? '1c' : '1b'}`;
}

export const REQUEST_PROBES: Probes = { ...BODIES, ...SIGNATURES, ...ACCOUNTS, ...READS };
