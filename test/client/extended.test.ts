// Extended orders with the client against a real venue: answers, rows and updates show what is in force, by REST and by socket.

import { after, test } from 'node:test';
import assert from 'node:assert/strict';
import { Forms } from '../../client/src/forms.ts';
import type { StrikebookError } from '../../client/src/main.ts';
import { option, startVenue, trader } from './venue.ts';
import { until } from './until.ts';

const { url } = await startVenue({ after });

/** The terms among other fields. */
const termsIn = ({ post_only, expires_at, stp, link_id }: any): object => ({ post_only, expires_at, stp, link_id });
const NONE = { post_only: undefined, expires_at: undefined, stp: undefined, link_id: undefined };

test('answers, listings, the history and updates show the terms of an extended order, and none of a plain one', async (t) => {
  const client = await trader(url);
  const { symbol, low } = await option(client);
  const socket = client.socket();
  t.after(() => socket.close());
  const updates: any[] = [];
  await socket.subscribe('order_updates', { onMessage: (update) => updates.push(update) });
  const expires_at = Date.now() + 3_600_000;
  const terms = { post_only: 'slide', expires_at, stp: 'cancel_both', link_id: 'pair-1' } as const;
  const order = { symbol, side: 'Buy', size: '1', price: low } as const;
  const placed = await client.placeOrder({ ...order, ...terms });
  assert.equal(placed.status, 'ACKED', String(placed.reason));
  assert.deepEqual(termsIn(placed.info), terms);
  const replaced = await socket.replaceOrder({ ...order, ...terms, order_id: placed.order_id! });
  assert.deepEqual([replaced.status, termsIn(replaced.info)], ['ACKED', terms]);
  const plain = await client.placeOrder(order);
  const rows = (await client.get('/orders', { wallet: client.wallet })).data;
  const rowOf = (id: number | null): any => rows.find((row) => row.order_id === id);
  assert.deepEqual([termsIn(rowOf(replaced.order_id)), termsIn(rowOf(plain.order_id))], [terms, NONE]);
  assert.deepEqual([termsIn(rowOf(placed.order_id)), rowOf(placed.order_id).end_reason], [terms, 'Order replaced']);
  const cancelled = await client.cancelOrder(replaced.order_id!);
  assert.deepEqual([cancelled.status, termsIn(cancelled.info)], ['CANCELED', terms]);
  await until('the update of the cancel', () => updates.some((one) => one.order_id === replaced.order_id && one.status === 'CANCELED'));
  for (const update of updates) assert.deepEqual(termsIn(update.request), update.order_id === plain.order_id ? NONE : terms);
});

test('a sliding order is told the price that it rests at', async () => {
  const [maker, client] = [await trader(url), await trader(url)];
  const symbol = 'ETH-PERP';
  const ask = await maker.placeOrder({ symbol, side: 'Sell', size: '1', price: '500' });
  const slid = await client.placeOrder({ symbol, side: 'Buy', size: '1', price: '600', post_only: 'slide' });
  if (ask.filled_size === 0) assert.equal(slid.info.price, '499.99');
  assert.deepEqual([slid.status, slid.filled_size], ['ACKED', 0]);
  const refused = await client.placeOrder({ symbol, side: 'Buy', size: '1', price: '600', post_only: true });
  assert.deepEqual([refused.status, refused.reason], ['REJECTED', 'Post-only order would take liquidity']);
});

test('an extended order is valid for 10 s of the caller’s clock unless he says otherwise, and a late one is refused', async () => {
  const client = await trader(url);
  const { symbol, low } = await option(client);
  const order = { symbol, side: 'Buy', size: '1', price: low, link_id: 'a' } as const;
  const before = Date.now();
  const { valid_until: until } = client.forms.placeOrder(order).items[0]!.body as { valid_until: number };
  assert.ok(until >= before + 10_000 && until <= Date.now() + 10_000);
  const timed = new Forms(client.info, client.wallet, { now: () => 5 });
  assert.deepEqual([
    timed.placeOrder(order), timed.amendOrder({ order_id: 1, size: '1', price: low }),
    timed.massQuote({ quote_set: 'a', quotes: [{ symbol, bid: { size: '1', price: low } }] }),
  ].map(({ items }) => (items[0]!.body as { valid_until: number }).valid_until), [10_005, 10_005, 10_005]);
  assert.equal((await client.placeOrder({ ...order, valid_until: 1 })).reason, 'Request came too late');
  assert.equal((await client.placeOrder({ ...order, expires_at: 1 })).reason, 'Order expired');
  const isInvalid = ({ code }: StrikebookError): boolean => code === 'invalid_argument';
  assert.throws(() => client.forms.placeOrder({ ...order, expires_at: 1.5 }), isInvalid);
  assert.equal('valid_until' in client.forms.placeOrder({ symbol, side: 'Buy', size: '1', price: low }).items[0]!.body, false);
});

test('an order with an expiry ends by itself, and its row says why', async () => {
  const client = await trader(url);
  const { symbol, low } = await option(client);
  const placed = await client.placeOrder({ symbol, side: 'Buy', size: '1', price: low, expires_at: Date.now() + 300 });
  await until('the end of the order', async () => {
    const rows = (await client.get('/orders', { wallet: client.wallet })).data;
    return rows.some((row) => row.order_id === placed.order_id && row.end_reason === 'Order expired' && row.status === 'canceled');
  });
});
