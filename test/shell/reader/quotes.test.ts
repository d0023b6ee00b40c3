// A wallet's quotes as the reader tells them: on the stream, with the set that each belongs to, and as orders, open and ended.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { OK } from '../../../core/errors.ts';
import { BUY, IOC, SELL } from '../../../core/units.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const ALICE = walletText(1);
type Side = readonly [size: number, price: number];
type Row = { order_id: number; client_id: string | null; quote_set?: string; status: string };

function quote(bench: Bench, set: string, bid: Side, ask: Side): void {
  const { venue } = bench;
  const page = { wallet: 1, nonce: ++bench.nonce, set, until: venue.now + 10_000, lines: [{ ...CALL_100, bid, ask }] };
  assert.equal(venue.send(venue.write.massQuote(page)), OK);
  bench.feed();
}

/** What the stream has sent since it was asked last. */
function told(bench: Bench): unknown[] {
  return bench.sent.splice(0).flatMap(({ message }) => (
    message.type === 'QuotesUpdate' ? message.quotes as Record<string, unknown>[] : []
  )).map(({ quote_set: set, symbol, side, status, order_id: id, price, size }) => [set, symbol, side, status, id, price, size]);
}

test('the stream names the set of each quote: opened, reduced, moved and removed', (t) => {
  const bench = new Bench(t);
  const { body } = bench.answer('subscribe', { channel: 'quotes', key: ALICE });
  assert.deepEqual((JSON.parse(body) as { messages: { quotes: unknown[] }[] }).messages.map(({ quotes }) => quotes), [[]]);
  const [bid, ask] = [[2 * ONE, 900 * USDC], [2 * ONE, 2_000 * USDC]] as const;
  quote(bench, 'main', bid, ask);
  assert.deepEqual(told(bench), [
    ['main', CALL_100_SYMBOL, 'Buy', 'OPEN', 1, '900', '2'], ['main', CALL_100_SYMBOL, 'Sell', 'OPEN', 2, '2000', '2'],
  ]);
  quote(bench, 'main', [ONE, 900 * USDC], [2 * ONE, 2_100 * USDC]);
  assert.deepEqual(told(bench), [
    ['main', CALL_100_SYMBOL, 'Buy', 'REDUCED', 1, '900', '1'], ['main', CALL_100_SYMBOL, 'Sell', 'OPEN', 2, '2100', '2'],
  ]);
  quote(bench, 'wide', [ONE, 800 * USDC], [ONE, 3_000 * USDC]);
  assert.deepEqual(told(bench).map((row) => (row as unknown[])[0]), ['wide', 'wide']);
  quote(bench, 'main', [0, 900 * USDC], [0, 2_100 * USDC]);
  assert.deepEqual(told(bench), [
    ['main', CALL_100_SYMBOL, 'Buy', 'REMOVED', 1, '900', '0'], ['main', CALL_100_SYMBOL, 'Sell', 'REMOVED', 2, '2100', '0'],
  ]);
  const again = bench.answer('subscribe', { channel: 'quotes', key: ALICE });
  const open = (JSON.parse(again.body) as { messages: { quotes: Record<string, unknown>[] }[] }).messages[0]!.quotes;
  assert.deepEqual(open.map(({ quote_set: set, order_id: id }) => [set, id]), [['wide', 4], ['wide', 3]]);
});

test('a quote is among the orders with its set and no client id while it is open, and later only if it traded', (t) => {
  const bench = new Bench(t);
  quote(bench, 'main', [2 * ONE, 900 * USDC], [2 * ONE, 2_000 * USDC]);
  quote(bench, 'main', [2 * ONE, 950 * USDC], [2 * ONE, 2_000 * USDC]);
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 2 * ONE, tif: IOC });
  bench.place({ wallet: 1, side: SELL, price: 5_000 * USDC, size: ONE, clientId: 'own' });
  const rows = (): unknown[] => bench.body<{ data: Row[] }>('orders', { wallet: ALICE, limit: 50, offset: 0 }).data
    .sort((a, b) => a.order_id - b.order_id)
    .map(({ order_id: id, client_id: client, quote_set: set, status }) => [id, client, set, status]);
  const [filled, own] = [[2, null, 'main', 'filled'], [4, 'own', undefined, 'open']];
  assert.deepEqual(rows(), [[1, null, 'main', 'open'], filled, own]);
  assert.equal(bench.venue.send(bench.venue.write.cancelQuotes(1, ++bench.nonce, 'main')), OK);
  bench.feed();
  assert.deepEqual(rows(), [filled, own]);
});
