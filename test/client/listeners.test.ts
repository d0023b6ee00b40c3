// Callbacks of a program that throw: `onError` hears of it, and nothing else goes wrong.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { crc32 } from 'node:zlib';
import { Http } from '../../client/src/http.ts';
import { ONE, scriptedVenue } from './scripted-venue.ts';
import { until } from './until.ts';

const mine = (): never => { throw new Error('mine'); };
/** A snapshot of one bid. */
const snapshot = (seq: number): object => ({
  type: 'BookUpdate', is_snapshot: true, symbol: ONE, seq, prev_seq: null, bids: [['5', '1']], asks: [], checksum: crc32('5:1'),
  timestamp: seq,
});

test('a book listener that throws neither keeps the book stale nor other listeners from hearing', async (t) => {
  const { venue, socket, errors } = await scriptedVenue(t);
  venue.snapshot = ({ channel }) => (channel === 'book' ? [snapshot(10)] : []);
  const btc = await socket.book(ONE);
  const seqs: (number | string)[] = [];
  btc.onChange(mine);
  btc.onChange(({ seq, isLive }) => seqs.push(isLive ? seq : 'old'));
  venue.send({ ...snapshot(12), is_snapshot: false, prev_seq: 11 });
  await until('the book anew', () => btc.isLive && seqs.length === 2);
  btc.close();
  await until('the end at the venue', () => venue.got.filter(({ type }) => type === 'Unsubscribe').length === 2);
  assert.deepEqual([seqs, errors.map(String)], [['old', 10, 'old'], Array(3).fill('Error: mine')]);
});

test('an onAnswer that throws does not change the result of an order, by socket and by REST', async (t) => {
  const order = { method: 'POST', path: '/order', body: '{"nonce":1}' } as const;
  const { venue, socket, errors } = await scriptedVenue(t, { onAnswer: mine });
  venue.answer = ({ id }) => [{ type: 'OrderResult', id, info: {}, status: 'ACKED', order_id: 7 }];
  assert.equal((await socket.send<{ order_id: number }>(order, { onAnswer: mine })).order_id, 7);
  assert.deepEqual(errors.map(String), ['Error: mine', 'Error: mine']);
  const server = createServer((_, response) => response.end('{"order_id":7}')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const told: unknown[] = [];
  const onError = (error: unknown): never => { told.push(error); return mine(); };
  const http = new Http(`http://127.0.0.1:${(server.address() as { port: number }).port}`, { onAnswer: mine, onError });
  assert.deepEqual(await http.send(order), { order_id: 7 });
  assert.deepEqual(told.map(String), ['Error: mine']);
});

test('an async listener that rejects is reported like one that throws, and does not end the process', async (t) => {
  const late = (what: string) => async (): Promise<never> => { await Promise.resolve(); throw new Error(what); };
  const told: string[] = [];
  const onError = (error: unknown): Promise<never> => { told.push((error as Error).message); return late('its own')(); };
  const { venue, socket } = await scriptedVenue(t, { onError, onUp: late('up'), onAnswer: late('answer') });
  venue.snapshot = ({ channel }) => (channel === 'book' ? [snapshot(10)] : []);
  venue.answer = ({ id }) => [{ type: 'OrderResult', id, info: {}, status: 'ACKED', order_id: 7 }];
  await socket.subscribe('trades', { onMessage: late('message') });
  venue.send({ type: 'Trade', symbol: ONE, seq: 1 });
  (await socket.book(ONE)).onChange(late('change'));
  venue.send({ ...snapshot(11), is_snapshot: false, prev_seq: 10 });
  await socket.send({ method: 'POST', path: '/order', body: '{"nonce":1}' });
  await until('all', () => told.length === 4);
  assert.deepEqual(told.sort(), ['answer', 'change', 'message', 'up']);
  const http = new Http('http://venue.example', { onError, onAnswer: late('rest'), fetch: () => Promise.resolve(Response.json({})) });
  await http.send({ method: 'GET', path: '/ready' });
  await until('the answer by REST', () => told.includes('rest'));
});
