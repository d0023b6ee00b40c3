// How the engine is made to reject an order or a cancel, and an item of a bulk to fail: by the `when` of the law's row.

import { perp } from '../../shell/api/perps.ts';
import { approve, cancel, cancelByCloid, mmpConfig, mmpName, order, replace, revoke } from '../../shell/api/requests.ts';
import { DAILY, LONG, NEXT, someone } from './desk.ts';
import { MALLEABLE, NOBODY, operating, placing, UNLISTED, type Probe, type Probes } from './provoke.ts';

/** In a market that is listed for it. */
function halted(mode: string): Probe {
  return async (desk) => {
    const symbol = `BTC-20260327-${mode === 'halted' ? 117 : 119}000-C`;
    await desk.administer('/markets', { symbol });
    await desk.administer('/admin/halt', { scope: symbol, mode });
    return { answer: await desk.post('/order', order(someone(), { symbol, price: '1' })) };
  };
}

function restricted(mode: string): Probe {
  return async (desk) => {
    const signer = someone();
    await desk.rest(signer, { symbol: LONG, price: '1' });
    await desk.administer('/admin/block', { wallet: signer.address, mode });
    return { answer: await desk.post('/order', order(signer, { symbol: LONG, price: '2' })) };
  };
}

export const REJECTIONS: Probes = {
  'cash is zero': async (desk) => {
    const [buyer, ...sellers] = [someone(), someone(), someone()];
    for (const seller of sellers) await desk.trade(buyer, seller, { size: '400', price: '12500' });
    return { answer: await desk.post('/order', order(buyer, { symbol: NEXT })) };
  },
  'equity below the requirement': placing(
    { size: '101', price: '99999' }, { required: '10099899.00', available: '10000000.00', shortfall: '99899.00' },
  ),
  'no spot price': async (desk) => {
    const body = perp(someone(), { symbol: 'ETH-PERP', underlying: 'ETH', asset: 1, price: '3000' });
    return { answer: await desk.post('/order', body), facts: { underlying: 'ETH' } };
  },
  'tier1 sells beyond its long position': async (desk) => {
    const [signer, other] = [someone(), someone()];
    await desk.trade(signer, other, { size: '0.5' });
    await desk.tier(signer, 'tier1');
    await desk.rest(signer, { symbol: LONG, side: 'Sell', size: '0.5', price: '90000' });
    const answer = await desk.post('/order', order(signer, { symbol: LONG, side: 'Sell', size: '0.25', price: '90000' }));
    return { answer, facts: { filled: '0.5', total: '0.75', symbol: LONG } };
  },
  'no book for the symbol': placing({ symbol: UNLISTED }, { symbol: UNLISTED }),
  'the symbol of a replace does not match the format': async (desk) => {
    const signer = someone();
    const id = await desk.rest(signer, { symbol: LONG, price: '1' });
    const answer = await desk.send('PUT', '/order', replace(signer, id, { symbol: 'BTC-20260327-100000-X' }));
    return { answer, facts: { detail: String(answer.body.reason).replace('Failed to parse symbol: ', '') } };
  },
  'no order with that client id': async (desk) => (
    { answer: await desk.post('/cancel-by-cloid', cancelByCloid(someone(), 'nobody’s')), facts: { client_id: 'nobody’s' } }
  ),
  'an order id never issued': async (desk) => (
    { answer: await desk.post('/cancel', cancel(someone(), 999_999)), facts: { order_id: '999999' } }
  ),
  'the wallet\'s own order in a deleted market': async (desk) => {
    const [signer, symbol] = [someone(), 'BTC-20260327-113000-C'];
    await desk.administer('/markets', { symbol });
    const id = await desk.rest(signer, { symbol, price: '1' });
    const gone = await operating(desk, 'DELETE', '/markets', { symbol });
    if (gone.status !== 200) throw new Error(`not deleted: ${gone.text}`);
    return { answer: await desk.post('/cancel', cancel(signer, id)), facts: { symbol } };
  },
  'cancel after full fill': async (desk) => {
    const [buyer, seller] = [someone(), someone()];
    const id = await desk.rest(buyer, { symbol: LONG, price: '50' });
    await desk.rest(seller, { symbol: LONG, side: 'Sell', price: '50', tif: 'fok' });
    return { answer: await desk.post('/cancel', cancel(buyer, id)), facts: { id: String(id) } };
  },
  'repeated cancel': async (desk) => {
    const signer = someone();
    const id = await desk.rest(signer, { symbol: LONG, price: '1' });
    await desk.post('/cancel', cancel(signer, id));
    return { answer: await desk.post('/cancel', cancel(signer, id)), facts: { id: String(id) } };
  },
  'perp order without underlying': async (desk) => ({ answer: await desk.post('/order', perp(someone(), { underlying: undefined })) }),
  'limits breached while filling': async (desk) => {
    const [signer, other] = [someone(), someone()];
    await desk.post('/mmp/config', mmpConfig(signer, { qty_limit: '1' }));
    await desk.rest(other, { symbol: LONG, side: 'Sell', size: '2', price: '50' });
    const answer = await desk.post('/order', order(signer, { symbol: LONG, size: '3', price: '50' }));
    if (answer.body.mmp_triggered !== true) throw new Error(`not triggered: ${answer.text}`);
    return { answer };
  },
  'an order while frozen': async (desk) => {
    const [signer, other] = [someone(), someone()];
    await desk.post('/mmp/config', mmpConfig(signer, { qty_limit: '1' }));
    await desk.trade(signer, other, { size: '2' });
    const answer = await desk.post('/order', order(signer, { symbol: LONG, price: '1' }));
    const reset = await desk.post('/mmp/reset', mmpName('ResetMmp', signer));
    if (reset.status !== 200) throw new Error(`no reset: ${reset.text}`);
    await desk.rest(signer, { symbol: LONG, price: '1' });
    return { answer };
  },
  'an order in a cancel-only market': halted('cancel_only'),
  'an order in a halted market': halted('halted'),
  'an opening order of a wallet that may only close': restricted('close_only'),
  'an order of a blocked wallet': restricted('blocked'),
  'a client id that an open order has': async (desk) => {
    const signer = someone();
    await desk.rest(signer, { symbol: LONG, price: '1', client_id: 'mine' });
    const answer = await desk.post('/order', order(signer, { symbol: LONG, price: '2', client_id: 'mine' }));
    return { answer, facts: { client_id: 'mine' } };
  },
  'route rfq_only': placing({ route: 'rfq_only' }),
  'reduce-only without an opposite position': placing({ route: 'book_only', reduce_only: true }),
  'a replace of an order that is gone': async (desk) => {
    const signer = someone();
    const id = await desk.rest(signer, { symbol: LONG, price: '1' });
    await desk.post('/cancel', cancel(signer, id));
    return { answer: await desk.send('PUT', '/order', replace(signer, id, { symbol: LONG, price: '2' })), facts: { id: String(id) } };
  },
  'a 17th reduce-only order': async (desk) => {
    const signer = someone();
    await desk.trade(signer, someone());
    const terms = { symbol: LONG, side: 'Sell', size: '0.01', price: '90000', route: 'book_only', reduce_only: true };
    for (let i = 0; i < 16; i++) await desk.rest(signer, terms);
    return { answer: await desk.post('/order', order(signer, terms)) };
  },
  'revoking an unknown agent': async (desk) => {
    const signer = someone();
    await desk.rest(signer, { symbol: LONG, price: '1' });
    return { answer: await desk.post('/revoke-agent', revoke(signer, NOBODY)) };
  },
  'approving an agent as before its revocation': async (desk) => {
    const signer = someone();
    const held = approve(signer, NOBODY, { wallet: signer.address });
    await desk.post('/approve-agent', approve(signer, NOBODY, { wallet: signer.address }));
    await desk.post('/revoke-agent', revoke(signer, NOBODY));
    return { answer: await desk.post('/approve-agent', held) };
  },
  'approving a 65th agent': async (desk) => {
    const signer = someone();
    const agent = (at: number) => `0x${at.toString(16).padStart(40, '0')}`;
    const approving = (at: number) => desk.post('/approve-agent', approve(signer, agent(at), { wallet: signer.address }));
    for (let at = 1; at <= 64; at++) {
      const answer = await approving(at);
      if (answer.body.success !== true) throw new Error(`agent ${at}: ${answer.text}`);
    }
    return { answer: await approving(65) };
  },
  // Last: nothing that lasts a day is left afterwards.
  'an order on an expired instrument': async (desk) => {
    await desk.leap(1);
    return placing({ symbol: DAILY })(desk);
  },
};

/** The first of two items fails with the error, the second acts. */
function item(make: (body: ReturnType<typeof order>) => object, facts?: Record<string, string>, fields: object = {}): Probe {
  return async (desk) => {
    const good = order(someone(), { symbol: LONG, price: '1' });
    const answer = await desk.post('/bulk_order', { orders: [make(order(someone(), { symbol: LONG, ...fields })), good] });
    if (answer.body.results?.[1]?.data?.status !== 'ACKED') throw new Error(`the second item did not act: ${answer.text}`);
    return { answer, ...(facts && { facts }) };
  };
}

function tooMany(method: string, path: string, field: string): Probe {
  const body = { [field]: Array.from({ length: 51 }, () => ({})) };
  return async (desk) => ({ answer: await desk.send(method, path, body), facts: { n: '51' } });
}

const same = <T>(body: T): T => body;

export const BULK: Probes = {
  'an item without a valid signer': item((body) => ({ ...body, signature: MALLEABLE })),
  'an item of neither wallet nor agent': item((body) => ({ ...body, wallet: NOBODY })),
  'an item with too many significant figures': item(same, { price: '123456', n: '6' }, { price: '123456' }),
  'an item of size zero': item(same, undefined, { size: '0' }),
  'an item of price zero': item(same, undefined, { price: '0' }),
  'an item that the engine rejects': item(same, { symbol: UNLISTED }, { symbol: UNLISTED }),
  'more than 50 orders': tooMany('POST', '/bulk_order', 'orders'),
  'more than 50 cancels': tooMany('DELETE', '/bulk_order', 'cancels'),
  'more than 50 cancels by client id': tooMany('DELETE', '/bulk_order_cloid', 'cancels'),
  'more than 50 replacements': tooMany('PUT', '/bulk_order', 'replacements'),
};
