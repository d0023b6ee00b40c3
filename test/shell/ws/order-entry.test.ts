// Orders by socket on a real venue: every message type, its answer in the order of the requests, and the rules and texts of REST.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createWallet, type Request, type Wallet } from '../../../scripts/client.ts';
import { socketError } from '../../support/socket-error.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { RestVenue, type Body } from '../../e2e/rest/venue.ts';
import { SocketClient } from '../../support/socket.ts';

/** A socket that keeps what it is told. */
class Client {
  readonly frames: Body[] = [];
  readonly socket: WebSocket;
  closed: { code: number; reason: string } | null = null;

  constructor(url: string) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    this.socket.onmessage = ({ data }) => this.#take(JSON.parse(data as string) as Body);
    this.socket.onclose = ({ code, reason }) => { this.closed = { code, reason }; };
  }

  async open(): Promise<this> {
    await new Promise((resolve, reject) => {
      this.socket.onopen = resolve;
      this.socket.onerror = () => reject(new Error('the socket does not open'));
    });
    return this;
  }

  /** The Hello answers nothing. */
  #take(frame: Body): void {
    if (frame['type'] !== 'Hello') this.frames.push(frame);
  }

  say(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The answers to these messages, sent at once. */
  async ask(...messages: (object | string)[]): Promise<Body[]> {
    const from = this.frames.length;
    for (const message of messages) this.say(message);
    await this.until(() => this.frames.length >= from + messages.length);
    return this.frames.slice(from);
  }

  async until(isSo: () => boolean): Promise<void> {
    for (let i = 0; i < 6_000 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.ok(isSo(), `nothing more after ${JSON.stringify(this.frames.at(-1))}, closed ${JSON.stringify(this.closed)}`);
  }
}

let venue: RestVenue;
let client: Client;
const CALL = { side: 'Buy', size: '0.1', price: '100', tif: 'gtc' } as const;
let symbol = '';

before(async () => {
  venue = await RestVenue.start();
  client = await new Client(venue.url).open();
  symbol = (await venue.symbols()).find((name) => name.endsWith('-100000-C'))!;
});

after(async () => {
  client.socket.close();
  await venue.stop();
});

/** The message of a signed request of REST. */
function said(type: string, request: Request, more: object = {}): Body {
  return { type, ...JSON.parse(request.body!) as object, ...more };
}

function order(wallet: Wallet, more: object = {}): Body {
  return said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol, ...CALL }), more);
}

test('placing, replacing and cancelling, by id or client id, is answered as by REST, with the order\'s status', async () => {
  const standing = (told: Body | undefined): unknown[] => [told!['order_status'], told!['end_reason']];
  const wallet = createWallet();
  const [placed] = await client.ask(order(wallet, { id: 'first' }));
  const { type, id: first, status, reason, symbol: told, side, price, size } = placed!;
  assert.deepEqual([type, first, status, reason], ['OrderResult', 'first', 'ACKED', null]);
  assert.deepEqual(standing(placed), ['open', null]);
  assert.deepEqual([told, side, price, size], [symbol, 'Buy', '100', '0.1']);
  assert.equal(placed!['wallet_address'], wallet.address);
  const id = placed!['order_id'] as number;
  const better = venue.sign.replaceOrder(wallet, id, { symbol, ...CALL, price: '101' });
  const [replaced] = await client.ask(said('ReplaceOrder', better, { id: 7 }));
  assert.deepEqual([replaced!['id'], replaced!['status'], replaced!['price']], [7, 'ACKED', '101']);
  assert.notEqual(replaced!['order_id'], id);
  const [late] = await client.ask(said('CancelOrder', venue.sign.cancel(wallet, id)));
  assert.deepEqual([late!['status'], late!['reason'], late!['id']], ['REJECTED', `Order ${id} was already cancelled`, null]);
  assert.deepEqual(standing(late), ['canceled', 'Order replaced']);
  const [cancelled] = await client.ask(said('CancelOrder', venue.sign.cancel(wallet, replaced!['order_id'] as number)));
  assert.deepEqual([cancelled!['status'], cancelled!['order_id']], ['CANCELED', replaced!['order_id']]);
  assert.deepEqual(standing(cancelled), ['canceled', 'Canceled on request']);
  const [killed] = await client.ask(said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol, ...CALL, tif: 'ioc' })));
  assert.deepEqual([killed!['status'], ...standing(killed)], ['ACKED', 'canceled', 'Immediate-or-cancel remainder']);
  const [refused] = await client.ask(said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol, ...CALL, price: '0' })));
  assert.deepEqual([refused!['status'], standing(refused)[0]], ['REJECTED', 'rejected']);
  const named = said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol, ...CALL, client_id: 'mine' }));
  const byName = said('CancelOrderByClientId', venue.sign.cancelByCloid(wallet, 'mine'));
  const [, gone] = await client.ask(named, byName);
  assert.deepEqual([gone!['status'], (gone!['info'] as Body)['client_id']], ['CANCELED', 'mine']);
  const { body } = await venue.get(`/orders?wallet=${wallet.address}&status=open`);
  assert.deepEqual(body['data'], []);
});

test('a cancel by client id names the last order that had it, also after the id was used again', async () => {
  const wallet = createWallet();
  const named = (more: object = {}): Body => (
    said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol, ...CALL, client_id: 'again', ...more }))
  );
  const byName = (): Body => said('CancelOrderByClientId', venue.sign.cancelByCloid(wallet, 'again'));
  const [placed] = await client.ask(named(), byName());
  const id = placed!['order_id'] as number;
  const [first, ended] = await client.ask(byName(), named({ tif: 'ioc' }));
  assert.deepEqual([first!['status'], first!['reason'], ended!['status']], ['REJECTED', `Order ${id} was already cancelled`, 'ACKED']);
  assert.equal((first!['info'] as Body)['order_id'], id);
  const [second, rests] = await client.ask(byName(), named());
  assert.deepEqual([second!['reason'], rests!['status']], [`Order ${ended!['order_id']} was already cancelled`, 'ACKED']);
  assert.equal((second!['info'] as Body)['order_id'], ended!['order_id']);
});

test('tif and client id may be omitted, and the signed defaults apply', async () => {
  const wallet = createWallet();
  const { tif: _tif, client_id: _cloid, ...short } = order(wallet);
  const [placed] = await client.ask(short);
  assert.deepEqual([placed!['status'], (placed!['info'] as Body)['tif']], ['ACKED', 'gtc']);
});

test('answers come in the order of the requests, however long each takes', async () => {
  const wallets = [createWallet(), createWallet()];
  const messages = Array.from({ length: 40 }, (_, at): object => {
    const wallet = wallets[at % 2]!;
    if (at % 5 === 1) return { type: 'CancelOrder', id: at, wallet: wallet.address };
    if (at % 5 === 3) return said('CancelOrder', venue.sign.cancel(wallet, 999_999), { id: at });
    return order(wallet, { id: at });
  });
  const results = await client.ask(...messages);
  assert.deepEqual(results.map(({ id }) => id), messages.map((_, at) => at));
  for (const [at, { status, reason, order_id: id }] of results.entries()) {
    if (at % 5 === 1) assert.deepEqual([status, reason, id], ['REJECTED', 'Missing required field: nonce', null]);
    else if (at % 5 === 3) assert.deepEqual([status, reason], ['REJECTED', 'Order not found for cancellation: 999999']);
    else assert.equal(status, 'ACKED');
  }
});

test('bulks of 50 orders, their replaces and cancels: each item is answered by itself', async () => {
  const wallet = createWallet();
  const items = (requests: readonly Request[]): object[] => requests.map(({ body }) => JSON.parse(body!) as object);
  const prices = Array.from({ length: 50 }, (_, at) => String(100 + at));
  const placing = items(prices.map((price, at) => venue.sign.placeOrder(wallet, { symbol, ...CALL, price, client_id: `c${at}` })));
  const [placed] = await client.ask({ type: 'BulkPlaceOrder', id: 'b', orders: [...placing.slice(0, 49), { ...placing[49], price: 5 }] });
  assert.deepEqual([placed!['type'], placed!['id'], placed!['results'].length], ['BulkOrderResult', 'b', 50]);
  assert.ok(placed!['results'].slice(0, 49).every(({ success }: Body) => success));
  assert.match(placed!['results'][49].error, /price must be a number as a string/);
  const ids = placed!['results'].slice(0, 49).map(({ data }: Body) => data.order_id as number);
  const [replaced] = await client.ask({
    type: 'BulkReplaceOrder', replacements: items([venue.sign.replaceOrder(wallet, ids[0], { symbol, ...CALL, price: '99' })]),
  });
  assert.equal(replaced!['results'][0].success, true);
  const [cancelled, byName] = await client.ask(
    { type: 'BulkCancelOrder', cancels: items([ids[0], ids[1]].map((id) => venue.sign.cancel(wallet, id))) },
    { type: 'BulkCancelOrderByClientId', cancels: items(['c2', 'c3'].map((name) => venue.sign.cancelByCloid(wallet, name))) },
  );
  assert.deepEqual(cancelled!['results'].map(({ success }: Body) => success), [false, true]);
  assert.deepEqual(byName!['results'].map(({ success }: Body) => success), [true, true]);
  const [many, none] = await client.ask({ type: 'BulkPlaceOrder', orders: new Array(51).fill({}) }, { type: 'BulkPlaceOrder', orders: [] });
  assert.deepEqual([many!['type'], many!['status'], many!['reason']], ['OrderResult', 'REJECTED', 'Too many orders: 51, maximum is 50']);
  assert.match(none!['reason'], /orders must be a list of 1 to 50 items/);
});

test('strangers, changed values, unknown symbols and replays are refused with the texts of REST', async () => {
  const [wallet, stranger] = [createWallet(), createWallet()];
  const byStranger = said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol, ...CALL }, stranger));
  const [refused] = await client.ask(byStranger);
  assert.deepEqual([refused!['status'], refused!['order_id']], ['REJECTED', null]);
  assert.equal(refused!['reason'], 'Unauthorized: signer not authorized for wallet');
  const [zero, long, wrong, unknown] = await client.ask(
    said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol, ...CALL, size: '0' })),
    said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol, ...CALL, price: '9'.repeat(65) })),
    said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol: 'BTC-100-C', ...CALL })),
    said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol: 'BTC-20260109-123-C', ...CALL })),
  );
  assert.equal(zero!['reason'], 'Size must be greater than 0');
  assert.equal(long!['reason'], 'Price must be greater than 0');
  assert.match(wrong!['reason'], /^Failed to parse symbol: /);
  assert.equal(unknown!['reason'], 'Invalid symbol: BTC-20260109-123-C');
  const message = order(wallet);
  const [once, again] = await client.ask(message, message);
  assert.equal(once!['status'], 'ACKED');
  assert.deepEqual([again!['replayed'], again!['order_id']], [true, once!['order_id']]);
  const { type: _, ...body } = message;
  const overRest = await venue.send({ method: 'POST', path: '/order', body: JSON.stringify(body) });
  assert.equal(overRest.headers['idempotent-replay'], 'true', 'and REST knows the order as the same');
});

test('a wallet\'s stream and the answer name an unlisted symbol as the client wrote it', async (t) => {
  const wallet = createWallet();
  const [placed] = await client.ask(order(wallet));
  const stream = await SocketClient.open(venue.url, `?wallet=${wallet.address}`);
  t.after(() => stream.close());
  stream.send({ type: 'Subscribe', channel: 'order_updates' });
  await stream.until(({ type }) => type === 'Subscribed');
  const styled = 'BTC-09JAN26-123-C';
  const [refused, moved] = await client.ask(
    said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol: styled, ...CALL })),
    said('ReplaceOrder', venue.sign.replaceOrder(wallet, placed!['order_id'] as number, { symbol: styled, ...CALL })),
  );
  const reason = `Invalid symbol: ${styled}`;
  assert.deepEqual([refused!['reason'], moved!['reason']], [reason, reason]);
  for (let i = 0; i < 2; i++) {
    const { reason: told, request } = await stream.until((message) => message['status'] === 'REJECTED');
    assert.deepEqual([told, (request as { symbol: string }).symbol], [reason, 'BTC-20260109-123-C']);
  }
});

test('a perp order works, and an unknown or unreadable message is an Error', async () => {
  const wallet = createWallet();
  const [perp] = await client.ask(said('PlaceOrder', venue.sign.placeOrder(wallet, { symbol: 'BTC-PERP', ...CALL, price: '99000' })));
  assert.deepEqual([perp!['status'], (perp!['info'] as Body)['is_perp']], ['ACKED', true]);
  const [noId, unknown, broken] = await client.ask({ ...order(wallet), id: { a: 1 } }, { type: 'PlaceOrders' }, '{');
  assert.deepEqual([noId!['type'], noId!['status'], noId!['id']], ['OrderResult', 'REJECTED', null]);
  assert.deepEqual([unknown, broken], [
    socketError('invalid_parameter', 'Unknown message type: PlaceOrders'), socketError('invalid_json', 'Message is not a JSON object'),
  ]);
});

test('a nonce above 2^53 keeps every digit', async () => {
  const wallet = createWallet();
  const { body } = venue.sign.placeOrder(wallet, { symbol, ...CALL }, wallet, 2n ** 60n + 1n);
  const from = client.frames.length;
  client.say(`{"type":"PlaceOrder",${body!.slice(1)}`);
  await client.until(() => client.frames.length > from);
  assert.equal(client.frames.at(-1)!['status'], 'ACKED', JSON.stringify(client.frames.at(-1)));
});

test('requests beyond a wallet\'s bound in flight are refused in order; far too many end the connection', async () => {
  const wallet = createWallet();
  const flood = await new Client(venue.url).open();
  const messages = Array.from({ length: BOUNDS.requestsInFlight + 30 }, (_, at) => order(wallet, { id: at }));
  const results = await flood.ask(...messages);
  assert.deepEqual(results.map(({ id }) => id), messages.map(({ id }) => id));
  const refused = results.filter(({ status }) => status === 'REJECTED');
  assert.ok(refused.every(({ reason }) => reason === `Too many requests in flight: ${BOUNDS.requestsInFlight} is the maximum`));
  assert.ok(results.filter(({ status }) => status === 'ACKED').length >= BOUNDS.requestsInFlight);
  const wallets = Array.from({ length: 40 }, () => createWallet());
  const all = JSON.stringify(Array.from({ length: 4 * BOUNDS.resultsWaiting }, (_, at) => order(wallets[at % 40]!)));
  let closed: Client['closed'] = null;
  // A client that is still sending may see the connection reset before it has read why: another try.
  for (let tries = 0; tries < 5 && closed?.code !== 1008; tries++) {
    const other = await new Client(venue.url).open();
    for (const message of JSON.parse(all) as object[]) other.say(message);
    await other.until(() => other.closed !== null);
    closed = other.closed;
  }
  assert.deepEqual(closed, { code: 1008, reason: 'too many requests in flight' });
  flood.socket.close();
});
