// The socket of the Hyperliquid dialect with a scripted reader: replies, refusals and their echoes, snapshots before
// messages, polls that connections share, and bounds.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { Harness, topicOf, turn, until } from '../api/harness.ts';

type Frame = { readonly channel: string; readonly data: any };
const user = `0x${'ab'.repeat(20)}`;
const BOOK = topicOf('orderbook BTC-PERP');
const FILLS = topicOf(`fills ${user}`);

/** Some seconds. */
const MOST_TURNS = 5_000;

class Client {
  readonly frames: Frame[] = [];
  readonly #socket: WebSocket;
  readonly #venue: Harness;
  code = 0;

  private constructor(socket: WebSocket, venue: Harness) {
    this.#socket = socket;
    this.#venue = venue;
    socket.onmessage = ({ data }) => this.frames.push(JSON.parse(data as string) as Frame);
    socket.onclose = ({ code }) => { this.code = code; };
  }

  static async open(t: TestContext, venue: Harness): Promise<Client> {
    const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/hl/ws`);
    const client = new Client(socket, venue);
    t.after(() => socket.close());
    await until(() => socket.readyState === WebSocket.OPEN);
    return client;
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  async ask(message: object | string, count = 1): Promise<Frame> {
    const before = this.frames.length;
    this.sendText(typeof message === 'string' ? message : JSON.stringify(message));
    await this.next(before + count);
    return this.frames[before]!;
  }

  subscribe(subscription: object, count = 1): Promise<Frame> {
    return this.ask({ method: 'subscribe', subscription }, count);
  }

  /** Time moves meanwhile, because updates of books are written in batches. */
  async next(count: number): Promise<Frame> {
    let turns = 0;
    await until(() => {
      this.#venue.core.now += 1;
      return this.frames.length >= count || ++turns > MOST_TURNS;
    });
    assert.ok(this.frames.length >= count, `message ${count} never came`);
    return this.frames[count - 1]!;
  }

  close(): void {
    this.#socket.close();
  }
}

function venueFor(t: TestContext, flags: readonly string[] = []): Harness {
  const venue = new Harness({ flags });
  t.after(() => venue.close());
  return venue;
}

const book = (bid: string, seq = 1): object => (
  { type: 'OrderbookUpdate', symbol: 'BTC-PERP', bids: [[bid, '1']], asks: [['101', '2']], timestamp: seq, seq }
);
const fill = (id: number, symbol = 'BTC-PERP'): object => ({
  type: 'Fill', symbol, price: '100', size: '1', side: 'Buy', timestamp: id, order_id: 1, is_taker: true, fee: '0', trade_id: id,
  realized_pnl: '0', position: '1', seq: id,
});
const answerOf = (data: unknown) => () => ({ status: 200, body: JSON.stringify(data) });

test('a ping is answered, and what is not understood is an error that repeats the request if it is JSON', async (t) => {
  const client = await Client.open(t, venueFor(t));
  assert.deepEqual(await client.ask({ method: 'ping' }), { channel: 'pong' });
  const unknown = await client.ask({ method: 'dance' });
  assert.equal(unknown.channel, 'error');
  assert.match(unknown.data, /\{"method":"dance"\}$/);
  assert.match((await client.ask('{"method":')).data, /^Error parsing JSON/);
  assert.doesNotMatch((await client.ask('{"method":')).data, /\{/, 'clients parse what stands in braces');
  for (const subscription of [
    { type: 'nope' }, { type: 'trades' }, { type: 'userFills', user: '0x1' }, 7, { type: 'candle', coin: 'BTC', interval: '7m' },
    { type: 'l2Book', coin: 'BTC', nSigFigs: 9 }, { type: 'toString' },
  ]) {
    const { channel, data } = await client.ask({ method: 'subscribe', subscription });
    assert.deepEqual([channel, data], ['error', `Invalid subscription ${JSON.stringify(subscription)}`]);
  }
});

test('a subscription is answered with itself as sent, then come its snapshot and the changes, until it ends', async (t) => {
  const venue = venueFor(t);
  const client = await Client.open(t, venue);
  const subscription = { type: 'bbo', coin: 'BTC' };
  assert.deepEqual(await client.subscribe(subscription), { channel: 'subscriptionResponse', data: { method: 'subscribe', subscription } });
  assert.match((await client.subscribe(subscription)).data, /^Already subscribed: \{"type":"bbo","coin":"BTC"\}$/);
  venue.stream(BOOK, book('99'));
  const level = (px: string, sz: string): object => ({ px, sz, n: 1 });
  assert.deepEqual(await client.next(3), { channel: 'bbo', data: { coin: 'BTC', time: 1, bbo: [level('99', '1'), level('101', '2')] } });
  venue.stream(BOOK, book('99', 2));
  venue.stream(BOOK, book('98', 3));
  assert.equal((await client.next(4)).data.bbo[0].px, '98', 'the best prices did not change in between');
  const ended = await client.ask({ method: 'unsubscribe', subscription });
  assert.deepEqual(ended.data, { method: 'unsubscribe', subscription });
  venue.stream(BOOK, book('97', 4));
  assert.match((await client.ask({ method: 'unsubscribe', subscription })).data, /^Already unsubscribed: /);
  assert.equal(client.frames.length, 6, 'nothing came after the end');
});

test('fills of the snapshot are not told again, and options are not told at all', async (t) => {
  const venue = venueFor(t);
  const client = await Client.open(t, venue);
  venue.answers.set('fills', () => 'later');
  const asked = client.subscribe({ type: 'userFills', user }, 3);
  await until(() => venue.asked.some(({ kind }) => kind === 'fills'));
  for (const one of [fill(1), fill(2), fill(3, 'BTC-20260130-100000-C'), fill(4)]) venue.stream(FILLS, one);
  await turn();
  const { request } = venue.asked.find(({ kind }) => kind === 'fills')!;
  venue.answer(request, 200, JSON.stringify({ data: [fill(2), fill(1)] }));
  await asked;
  venue.stream(FILLS, fill(5));
  await client.next(4);
  const told = client.frames.slice(1).map(({ data: { fills, isSnapshot = false } }) => [isSnapshot, fills.map((row: any) => row.tid)]);
  assert.deepEqual(told, [[true, [2, 1]], [false, [4]], [false, [5]]]);
});

test('an order that only reduces is told as such by both streams of orders', async (t) => {
  const venue = venueFor(t);
  const client = await Client.open(t, venue);
  venue.answers.set('orders', answerOf({ data: [] }));
  await client.subscribe({ type: 'orderUpdates', user });
  await client.subscribe({ type: 'userHistoricalOrders', user }, 2);
  const request = { symbol: 'BTC-PERP', side: 'Sell', price: '100', size: '1', tif: 'gtc', client_id: '' };
  const update = (id: number, terms: object): object => ({
    type: 'OrderUpdate', order_id: id, request: { ...request, ...terms }, status: 'OPEN', filled_size: '0', reason: null, timestamp: id,
    seq: id,
  });
  venue.stream(topicOf(`order_updates ${user}`), update(1, { reduce_only: true }));
  venue.stream(topicOf(`order_updates ${user}`), update(2, {}));
  await client.next(7);
  const told = (channel: string, rows: (data: any) => any[]) => client.frames.filter((frame) => frame.channel === channel)
    .flatMap(({ data }) => rows(data)).map(({ order: { oid, reduceOnly } }) => [oid, reduceOnly]);
  assert.deepEqual(told('orderUpdates', (data) => data), [[1, true], [2, undefined]]);
  assert.deepEqual(told('userHistoricalOrders', ({ orderHistory }) => orderHistory), [[1, true], [2, false]]);
});

test('a subscription that the reader refuses is an error with the subscription, and may be asked for again', async (t) => {
  const venue = venueFor(t);
  const client = await Client.open(t, venue);
  venue.answers.set('subscribe', () => ({ status: 404, body: JSON.stringify({ error: 'not_found', message: 'Perp not found' }) }));
  const { channel, data } = await client.subscribe({ type: 'trades', coin: 'BTC' });
  assert.deepEqual([channel, data], ['error', 'Perp not found: {"method":"subscribe","subscription":{"type":"trades","coin":"BTC"}}']);
  venue.answers.delete('subscribe');
  venue.answers.set('trades', answerOf({ data: [] }));
  const again = await client.subscribe({ type: 'trades', coin: 'BTC' }, 2);
  assert.equal(again.channel, 'subscriptionResponse');
});

test('connections share a poll: the reader is asked once, then again only after a change', async (t) => {
  const venue = venueFor(t);
  const mids = { time: 1, max_leverage: 10, maker_fee: 0, taker_fee: 0, perps: [] };
  venue.answers.set('perpMarket', answerOf(mids));
  const [one, two] = [await Client.open(t, venue), await Client.open(t, venue)];
  await one.subscribe({ type: 'allMids' }, 2);
  await two.subscribe({ type: 'allMids' }, 2);
  assert.deepEqual(two.frames[1], { channel: 'allMids', data: { mids: {} } });
  const reads = (): number => venue.asked.filter(({ kind }) => kind === 'perpMarket').length;
  const topics = (): number => venue.asked.filter(({ kind }) => kind === 'subscribe').length;
  assert.deepEqual([reads(), topics()], [1, 1]);
  one.close();
  venue.core.now += 60_000;
  venue.stream(topicOf('perp_ticker '), { type: 'PerpTickerUpdate', symbol: 'BTC-PERP' });
  await until(() => reads() === 2);
  two.close();
  await until(() => venue.asked.some(({ kind }) => kind === 'unsubscribe'));
});

test('while a source has no reads left a poll waits, and nobody is told an error', async (t) => {
  const venue = venueFor(t);
  let isSpent = true;
  venue.answers.set('perpMarket', () => (
    isSpent ? { status: 429, body: 'Rate limit exceeded' } : { status: 200, body: JSON.stringify({ perps: [] }) }
  ));
  const client = await Client.open(t, venue);
  await client.subscribe({ type: 'allMids' });
  await until(() => venue.asked.some(({ kind }) => kind === 'perpMarket'));
  isSpent = false;
  venue.core.now += 60_000;
  assert.equal((await client.next(2)).channel, 'allMids');
});

test('a post of info is answered by its id; too many at a time are refused by it', async (t) => {
  const venue = venueFor(t);
  venue.answers.set('perpMarket', answerOf({ perps: [] }));
  const client = await Client.open(t, venue);
  const request = { type: 'info', payload: { type: 'allMids' } };
  assert.deepEqual((await client.ask({ method: 'post', id: 7, request })).data, {
    id: 7, response: { type: 'info', payload: { type: 'allMids', data: {} } },
  });
  const wrong = await client.ask({ method: 'post', id: 8, request: { type: 'info', payload: { type: 'nope' } } });
  assert.deepEqual([wrong.data.id, wrong.data.response.type], [8, 'error']);
  assert.equal((await client.ask({ method: 'post', id: 'x', request })).channel, 'error');
  venue.answers.set('perpMarket', () => 'later');
  for (let id = 100; id < 100 + BOUNDS.requestsInFlight; id++) client.sendText(JSON.stringify({ method: 'post', id, request }));
  assert.match((await client.ask({ method: 'post', id: 9, request })).data, /id=9$/);
});

test('a connection has at most as many subscriptions as one of our own socket', async (t) => {
  const venue = venueFor(t, ['--underlyings', 'SOL']);
  const client = await Client.open(t, venue);
  for (let at = 0; at < BOUNDS.subscriptions; at++) {
    const subscription = { type: 'notification', user: `0x${String(at).padStart(40, '0')}` };
    client.sendText(JSON.stringify({ method: 'subscribe', subscription }));
    if (at % 400 === 399) {
      await client.next(at + 1);
      venue.core.now += 1_100;
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    }
  }
  await client.next(BOUNDS.subscriptions);
  const beyond = await client.subscribe({ type: 'notification', user });
  assert.match(beyond.data, /^Too many subscriptions: 1000 is the maximum/);
});

test('without the dialect its socket is unknown', async (t) => {
  const venue = venueFor(t, ['--hl', 'off']);
  assert.equal((await fetch(`${venue.url}/hl/ws`)).status, 404);
  const on = venueFor(t);
  assert.equal((await fetch(`${on.url}/hl/ws`)).status, 426);
});

test('whatever is sent, the connection stays and answers the next ping', async (t) => {
  const venue = venueFor(t);
  const client = await Client.open(t, venue);
  const value = fc.jsonValue({ maxDepth: 3 });
  const method = fc.constantFrom('subscribe', 'unsubscribe', 'post', 'ping');
  const type = fc.constantFrom('trades', 'l2Book', 'userFills', 'candle', 'webData2');
  const subscription = fc.oneof(value, fc.record({ type, coin: value, user: value, interval: value }));
  const messages = fc.oneof(value, fc.record({ method, subscription, id: value, request: value }));
  await fc.assert(fc.asyncProperty(messages, async (message) => {
    client.sendText(JSON.stringify(message));
    const pongs = client.frames.filter(({ channel }) => channel === 'pong').length;
    client.sendText('{"method":"ping"}');
    await until(() => client.code !== 0 || client.frames.filter(({ channel }) => channel === 'pong').length > pongs);
    assert.equal(client.code, 0);
  }), { numRuns: 100 });
  assert.deepEqual(venue.faults, []);
});
