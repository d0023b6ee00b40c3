// How each error of the law is provoked: by its `when`, a client's request to the venue of desk.ts, and the substitutions in its text.

import assert from 'node:assert/strict';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { perp } from '../../shell/api/perps.ts';
import { approve, cancel, freshNonce, marginMode, mmpConfig, order, revoke } from '../../shell/api/requests.ts';
import { DOMAIN, type Signer } from '../../shell/api/wallets.ts';
import { CAPS, LONG, NEXT, someone, TOKEN } from './desk.ts';
import { asking, MALLEABLE, NOBODY, operating, placing, UNLISTED, type Probe, type Probes } from './provoke.ts';
import { BULK, REJECTIONS } from './rejections.ts';

/** The same body with another text of the signature. */
function signedAs(make: (signature: string) => string): Probe {
  return async (desk) => {
    const body = order(someone(), { symbol: LONG });
    return { answer: await desk.post('/order', { ...body, signature: make(body.signature) }) };
  };
}

/** The same signature with s on the other half of the curve: a valid one that only a lax verifier takes. */
function highS(signature: string): string {
  const s = secp256k1.Point.Fn.ORDER - BigInt(`0x${signature.slice(66, 130)}`);
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${signature.endsWith('1b') ? '1c' : '1b'}`;
}

/** The same signer, whatever domain the request asks for. */
function inDomain(signer: Signer, domain: typeof DOMAIN): Signer {
  return { address: signer.address, sign: (structure, message) => signer.sign(structure, message, domain) };
}

function naming(username: string, facts: Record<string, string> = {}, signer = someone()): Probe {
  return async (desk) => {
    const nonce = freshNonce();
    const signature = signer.sign('SetUsername', { wallet: signer.address, username, nonce });
    return { answer: await desk.post('/username', { wallet: signer.address, username, nonce, signature }), facts };
  };
}

const MIDDLEWARE: Probes = {
  'the body is empty': async (desk) => ({ answer: await desk.post('/order', '') }),
  'the body is not UTF-8': async (desk) => ({ answer: await desk.post('/order', Uint8Array.of(0x7b, 0xff, 0x7d)) }),
  'the body is encoded': async (desk) => (
    { answer: await desk.post('/order', '{}', { 'content-encoding': 'gzip' }), facts: { encoding: 'gzip' } }
  ),
  'the body is not JSON': async (desk) => ({ answer: await desk.post('/order', '{"wallet":') }),
  'a required field is missing': async (desk) => {
    const { tif: _, ...body } = order(someone(), { symbol: LONG });
    return { answer: await desk.post('/order', body), facts: { field: 'tif' } };
  },
  'a required parameter of a query is missing': asking('/portfolio', { field: 'wallet' }),
  'a wallet cannot be parsed': asking('/portfolio?wallet=0x12', { field: 'wallet' }),
  'size is a JSON number': async (desk) => ({ answer: await desk.post('/order', { ...order(someone(), { symbol: LONG }), size: 1 }) }),
  'price is a JSON number': async (desk) => ({ answer: await desk.post('/order', { ...order(someone(), { symbol: LONG }), price: 1 }) }),
  'a write to an unknown path': async (desk) => ({ answer: await desk.post('/orders/new', {}), facts: { path: '/orders/new' } }),
  'the budget of a wallet is spent': async (desk) => {
    const signer = someone();
    await desk.tier(signer, 'tier1');
    // Two windows at most, should the minute turn meanwhile.
    for (let i = 0; i < 62; i++) {
      const answer = await desk.post('/order', order(signer, { symbol: LONG, price: '1', tif: 'ioc' }));
      if (answer.status === 429) return { answer, facts: { limit: '30' } };
    }
    throw new Error('62 orders of a tier1 wallet were taken');
  },
};

const AUTHENTICATION: Probes = {
  'no signer can be recovered': signedAs(() => MALLEABLE),
  'a signature with a high s': signedAs(highS),
  'a signature of another length': signedAs((signature) => signature.slice(0, -2)),
  'the signer is neither wallet nor agent': async (desk) => (
    { answer: await desk.post('/order', order(someone(), { symbol: LONG, wallet: NOBODY })) }
  ),
  'the agent was revoked': async (desk) => {
    const [owner, agent] = [someone(), someone()];
    await desk.post('/approve-agent', approve(owner, agent.address, { wallet: owner.address }));
    const terms = { symbol: LONG, price: '1', tif: 'ioc', wallet: owner.address };
    const taken = await desk.post('/order', order(agent, terms));
    if (taken.body.status !== 'ACKED') throw new Error(`the agent could not trade: ${taken.text}`);
    await desk.post('/revoke-agent', revoke(owner, agent.address));
    return { answer: await desk.post('/order', order(agent, terms)) };
  },
  'the nonce was used': async (desk) => {
    const [signer, nonce] = [someone(), freshNonce()];
    await desk.rest(signer, { symbol: LONG, price: '1', tif: 'ioc', nonce });
    return { answer: await desk.post('/order', order(signer, { symbol: LONG, price: '2', nonce })), facts: { nonce: String(nonce) } };
  },
  'the admin token is wrong': async (desk) => {
    const headers = { authorization: `Bearer ${TOKEN}x` };
    return { answer: await desk.post('/admin/index-price', { underlying: 'BTC', price: '1' }, headers) };
  },
  'a wallet in the body that did not sign': async (desk) => (
    { answer: await desk.post('/approve-agent', approve(someone(), NOBODY, { wallet: NOBODY })) }
  ),
  'the price was signed in another notation': async (desk) => {
    const body = order(someone(), { symbol: LONG, price: '100' });
    return { answer: await desk.post('/order', { ...body, price: '100.0' }), facts: { form: 'price 100' } };
  },
  'the request was signed for another deployment': async (desk) => {
    const body = order(inDomain(someone(), { ...DOMAIN, name: 'Hypercall' }), { symbol: LONG });
    return { answer: await desk.post('/order', body), facts: { form: 'the domain name Hypercall' } };
  },
  'a wallet in the query that did not sign': async (desk) => (
    { answer: await desk.post(`/mmp/config?wallet=${NOBODY}`, mmpConfig(someone(), { qty_limit: '1' })) }
  ),
};

const VALIDATION: Probes = {
  'price has more than 5 significant figures': placing({ price: '123456' }, { price: '123456', n: '6' }),
  'price has more than 6 decimals': placing({ price: '0.0000012' }, { price: '0.0000012' }),
  'price is above its bound': placing({ price: '1100000000', size: '0.000001' }),
  'size is above its bound': placing({ size: '1000000001', price: '0.000001' }),
  'price times size is above its bound': placing({ size: '100000', price: '90001' }),
  'size is zero': placing({ size: '0' }),
  'size is negative': placing({ size: '-1' }),
  'size is not a number': placing({ size: '1e3' }),
  'size truncates to zero': placing({ size: '0.0000009' }),
  'price is zero': placing({ price: '0.0' }),
  'price is negative': placing({ price: '-5' }),
  'price is not a number': placing({ price: '.5' }),
  'side is invalid': placing({ side: 'buy' }),
  'tif is invalid': placing({ tif: 'GTC' }),
  'symbol is not an option symbol': placing({ symbol: 'BTC-20260327-100000' }, { symbol: 'BTC-20260327-100000' }),
  'client_id is too long': placing({ client_id: 'x'.repeat(65) }),
  'a perp order names another underlying': async (desk) => (
    { answer: await desk.post('/order', perp(someone(), { underlying: 'ETH' })), facts: { symbol: 'BTC-PERP' } }
  ),
  'reduce_only of an option without a route': async (desk) => (
    { answer: await desk.post('/order', { ...order(someone(), { symbol: LONG }), reduce_only: true }) }
  ),
  'open-order cap exceeded': async (desk) => {
    const signer = someone();
    await desk.tier(signer, 'tier2');
    await desk.rest(signer, { symbol: LONG, price: '1' });
    return { answer: await desk.post('/order', order(signer, { symbol: LONG, price: '2' })), facts: { max: String(CAPS.openOrders) } };
  },
  'position cap exceeded': async (desk) => {
    const [signer, other] = [someone(), someone()];
    await desk.tier(signer, 'tier2');
    await desk.trade(other, signer);
    return { answer: await desk.post('/order', order(signer, { symbol: NEXT, price: '2' })), facts: { max: String(CAPS.positions) } };
  },
  'notional cap exceeded': placing({ size: '1001', price: '1' }, { max: '100000000' }),
  'the client id of a perp order is invalid': async (desk) => (
    { answer: await desk.post('/order', { ...perp(someone()), client_id: 'mine' }) }
  ),
  'nonces are voided beyond the request\'s own': async (desk) => {
    const signer = someone();
    const [wallet, nonce] = [signer.address, freshNonce()];
    const signature = signer.sign('VoidNonces', { wallet, upTo: nonce + 1, nonce });
    return { answer: await desk.post('/void-nonces', { wallet, up_to: nonce + 1, nonce, signature }) };
  },
  'a signed write has an unknown field': async (desk) => {
    const answer = await desk.post('/order', { ...order(someone(), { symbol: LONG }), reduceOnly: true });
    return { answer, facts: { name: 'reduceOnly', field: 'reduce_only' } };
  },
  'an unlisted perp': async (desk) => (
    { answer: await desk.post('/order', perp(someone(), { symbol: 'DOGE-PERP' })), facts: { symbol: 'DOGE-PERP' } }
  ),
  'the expiry of an agent lies in the past': async (desk) => (
    { answer: await desk.post('/approve-agent', approve(someone(), NOBODY, { expires_at: 1 })) }
  ),
  'a limit of a protection is invalid': async (desk) => (
    { answer: await desk.post('/mmp/config', mmpConfig(someone(), { qty_limit: '-1' })), facts: { field: 'qty_limit' } }
  ),
  'an unknown underlying': async (desk) => (
    { answer: await desk.post('/mmp/config', mmpConfig(someone(), { currency: 'DOGE' })), facts: { underlying: 'DOGE' } }
  ),
  'blocking an unknown wallet': async (desk) => (
    { answer: await operating(desk, 'POST', '/admin/block', { wallet: NOBODY, mode: 'blocked' }), facts: { wallet: NOBODY } }
  ),
  'an invalid connection': async (desk) => {
    const signer = someone();
    const message = { wallet: signer.address, enabled: true, graceMs: 0, connection: 'mine', nonce: freshNonce() };
    const { graceMs, ...fields } = message;
    const signature = signer.sign('SetCancelOnDisconnect', message);
    return { answer: await desk.post('/cancel-on-disconnect', { ...fields, grace_ms: graceMs, signature }) };
  },
  'an invalid username': naming('ab'),
  'a taken username': async (desk) => {
    await naming('Taken_1')(desk);
    return naming('taken_1', { username: 'taken_1' })(desk);
  },
  'a second change of username': async (desk) => {
    const signer = someone();
    await naming('Once_1', {}, signer)(desk);
    return naming('Once_2', {}, signer)(desk);
  },
  'an invalid tier': async (desk) => ({ answer: await operating(desk, 'POST', '/user-tier', { wallet: NOBODY, tier: 'vip' }) }),
  'the margin mode is invalid': async (desk) => ({ answer: await desk.post('/margin-mode', marginMode(someone(), 'Portfolio')) }),
  'open orders that do not fit the new margin mode': async (desk) => {
    const signer = someone();
    assert.equal((await desk.post('/margin-mode', marginMode(signer, 'portfolio'))).status, 200);
    // Not all of both can be lost at once, so portfolio mode asks for less than what they cost.
    const ids: number[] = [];
    for (const symbol of [LONG, LONG.replace(/C$/, 'P')]) ids.push(await desk.rest(signer, { symbol, price: '15000', size: '400' }));
    const answer = await desk.post('/margin-mode', marginMode(signer, 'standard'));
    for (const id of ids) await desk.post('/cancel', cancel(signer, id));
    return { answer };
  },
  'the margin mode while positions are open': async (desk) => {
    const [buyer, seller] = [someone(), someone()];
    await desk.trade(buyer, seller);
    return { answer: await desk.post('/margin-mode', marginMode(buyer, 'portfolio')) };
  },
};

const PATHS: Probes = {
  'a read of an unknown path': asking('/nothing', { path: '/nothing' }),
  'another method': async (desk) => {
    const answer = await desk.send('PUT', '/cancel', {});
    if (answer.headers.get('allow') !== 'POST, OPTIONS') throw new Error(`Allow: ${answer.headers.get('allow')}`);
    const { status, headers } = await desk.send('POST', '/ws', {});
    if (status !== 405 || headers.get('allow') !== 'GET, HEAD, OPTIONS') throw new Error(`POST /ws: ${status} ${headers.get('allow')}`);
    return { answer, facts: { method: 'PUT', path: '/cancel' } };
  },
  'the socket without an upgrade': async (desk) => {
    const answer = await desk.send('GET', '/ws');
    if (answer.headers.get('upgrade') !== 'websocket') throw new Error(`Upgrade: ${answer.headers.get('upgrade')}`);
    return { answer };
  },
  'a body above 1 MiB': async (desk) => ({ answer: await desk.post('/order', ' '.repeat(1024 * 1024 + 1)) }),
};

const READS: Probes = {
  '/orderbook without id and name': asking('/orderbook'),
  '/orderbook of an unknown instrument': asking(`/orderbook?instrument_name=${UNLISTED}`, { name: UNLISTED }),
  'a limit below zero': asking('/trades?limit=-1'),
  'a limit that is not a number': asking('/trades?limit=many'),
  'an expiry that is not a date': asking('/expiry-summary?currency=BTC&expiry=tomorrow', { expiry: 'tomorrow' }),
  'simulated orders that are not a list': asking(`/portfolio/greeks?wallet=${NOBODY}&simulated_orders=%7B%7D`),
  'greeks of an unknown instrument': asking(`/greeks?symbol=${UNLISTED}`, { name: UNLISTED }),
  'limit_iv of an unknown instrument': async (desk) => (
    { answer: await desk.post('/limit_iv', { symbol: 'BTC', iv: 0.5 }), facts: { symbol: 'BTC' } }
  ),
  'an unknown competition': asking('/competitions/999', { id: '999' }),
  'more than 60 risk simulations': async (desk) => {
    // Two windows at most, should the minute turn meanwhile.
    for (let i = 0; i < 122; i++) {
      const answer = await desk.post('/risk/simulate/portfolio', { positions: [{ symbol: LONG, amount: '1' }] });
      if (answer.status === 429) return { answer };
    }
    throw new Error('122 risk simulations were run');
  },
  'candles that end before they start': asking('/candles?resolution=1m&start_time_ms=60000&end_time_ms=60000'),
  'candles of an instrument': asking(`/candles?instrument_name=${LONG}&resolution=1m&start_time_ms=0&end_time_ms=60000`),
  'theoretical prices of an unknown instrument': asking(
    `/historical-theos?instrument_name=${UNLISTED}&interval=1h`, { name: UNLISTED },
  ),
  'a chain that is not configured': asking('/gas-provider/998'),
  '/username without a wallet or name': asking('/username'),
  '/username of an unknown name': asking('/username?username=nobody_at_all'),
  'a market that exists': async (desk) => (
    { answer: await operating(desk, 'POST', '/markets', { symbol: LONG }), facts: { symbol: LONG } }
  ),
  'deleting a market with open interest': async (desk) => {
    await desk.trade(someone(), someone());
    return { answer: await operating(desk, 'DELETE', '/markets', { symbol: LONG }), facts: { symbol: LONG } };
  },
  'deleting an unknown market': async (desk) => (
    { answer: await operating(desk, 'DELETE', '/markets', { symbol: UNLISTED }), facts: { symbol: UNLISTED } }
  ),
  'a market that has expired': async (desk) => (
    { answer: await operating(desk, 'POST', '/markets', { symbol: 'BTC-20251226-100000-C' }) }
  ),
  'a market that expires in more than 3,660 days': async (desk) => (
    { answer: await operating(desk, 'POST', '/markets', { symbol: 'BTC-20370102-100000-C' }) }
  ),
  'a competition with invalid terms': async (desk) => ({
    answer: await operating(desk, 'POST', '/competitions', {
      name: 'Never', win_conditions: ['pnl'], primary_win_condition: 'pnl', start_ts_ms: 2, end_ts_ms: 1,
    }),
  }),
  'a surface out of range': async (desk) => (
    { answer: await operating(desk, 'POST', '/admin/vol-surface', { underlying: 'BTC', atm_vol: '5.1' }) }
  ),
  'a surface of an unlisted expiry': async (desk) => {
    const body = { underlying: 'BTC', atm_vol: '0.5', expiry: '2026-01-04' };
    return { answer: await operating(desk, 'POST', '/admin/vol-surface', body), facts: { underlying: 'BTC', date: '2026-01-04' } };
  },
  'a settlement price that no expiry waits for': async (desk) => {
    const body = { underlying: 'BTC', expiry: '2026-01-06', price: '100000' };
    return { answer: await operating(desk, 'POST', '/admin/settlement-price', body), facts: { underlying: 'BTC', date: '2026-01-06' } };
  },
};

export const PROBES: Probes = { ...MIDDLEWARE, ...AUTHENTICATION, ...VALIDATION, ...BULK, ...PATHS, ...READS, ...REJECTIONS };
