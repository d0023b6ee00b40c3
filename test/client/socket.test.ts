// The client's streams against a server that says what a test wants: loss and return of the connection, gaps, messages twice,
// refusals, slow readers, silence. The server speaks the subset of the wire contract that a subscription needs.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { StrikebookError } from '../../client/src/errors.ts';
import type { FillMessage, TradeMessage } from '../../client/src/messages.ts';
import { VenueSocket, type Gap, type SocketOptions } from '../../client/src/socket.ts';
import { MessageBuffer } from '../../client/src/stream.ts';
import { CHANNEL_OF } from '../../client/src/messages.ts';
import { CHANNELS } from '../../shell/ws/channels.ts';
import { until } from './until.ts';

const WALLET = `0x${'ab'.repeat(20)}`;
const ONE = 'BTC-20260131-100000-C';
const TWO = 'BTC-20260131-100000-P';
const NEVER = 'BTC-20990101-1-C';

type Frame = { type: string; channel?: string; symbols?: string[] };

/** A venue's socket by hand: answers subscriptions, refuses those to `unknown`, and is silent while `isDeaf`. */
class Stand {
  readonly server = createServer();
  readonly got: Frame[] = [];
  readonly queries: string[] = [];
  clients: WebSocket[] = [];
  isDeaf = false;
  isRefusing = false;
  unknown = NEVER;
  /** Sent after each Subscribed. */
  snapshot: (frame: Frame) => object[] = () => [];

  async open(): Promise<string> {
    const sockets = new WebSocketServer({ noServer: true });
    this.server.on('upgrade', (request, socket, head) => {
      this.queries.push(request.url!);
      if (this.isRefusing) return void socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      sockets.handleUpgrade(request, socket, head, (client) => {
        this.clients.push(client);
        client.on('message', (data: Buffer) => this.#answer(client, JSON.parse(data.toString()) as Frame));
      });
    });
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as { port: number }).port}`;
  }

  send(...messages: object[]): void {
    for (const message of messages) this.clients.at(-1)!.send(JSON.stringify(message));
  }

  #answer(client: WebSocket, frame: Frame): void {
    this.got.push(frame);
    if (this.isDeaf) return;
    const say = (message: object): void => client.send(JSON.stringify(message));
    if (frame.type === 'Subscribe' && frame.symbols?.includes(this.unknown)) {
      say({ type: 'Error', message: `Unknown symbol or wallet: ${this.unknown}` });
      if (frame.symbols.length > 1) say({ type: 'Subscribed', channel: frame.channel });
      return;
    }
    say({ type: `${frame.type}d`, channel: frame.channel });
    for (const message of frame.type === 'Subscribe' ? this.snapshot(frame) : []) say(message);
  }

  close(): void {
    for (const client of this.clients) client.terminate();
    this.server.close();
  }
}

type Scene = { venue: Stand; socket: VenueSocket; gaps: Gap[]; ups: boolean[]; errors: unknown[] };

async function stand(t: TestContext, options: SocketOptions = {}): Promise<Scene> {
  const venue = new Stand();
  const url = await venue.open();
  const [gaps, ups, errors]: [Gap[], boolean[], unknown[]] = [[], [], []];
  const socket = new VenueSocket(url, {
    wallet: WALLET.toUpperCase().replace('0X', '0x'), firstWaitMs: 5, onGap: (gap) => gaps.push(gap), onUp: (isAgain) => ups.push(isAgain),
    onError: (error) => errors.push(error), ...options,
  });
  t.after(() => {
    socket.close();
    venue.close();
  });
  return { venue, socket, gaps, ups, errors };
}

const trade = (seq: number, symbol = ONE): TradeMessage => (
  { type: 'Trade', symbol, price: '1', size: '1', side: 'buy', timestamp: 1, trade_id: seq, seq }
);
const fill = (seq: number, symbol = ONE): FillMessage => ({
  type: 'Fill', order_id: 1, fill_id: seq, trade_id: 1, symbol, side: 'Buy', price: '1', size: '1', fee: '0', is_taker: true, timestamp: 1,
  wallet_address: WALLET, builder_code_address: null, builder_code_fee: null, instrument_type: 'option', seq,
});
const book = (seq: number, bid = '5', symbol = ONE) => (
  { type: 'OrderbookUpdate', symbol, option_token_address: null, bids: [[bid, '1']], asks: [], timestamp: seq * 10, seq }
);
const codeOf = (error: unknown): string => (error as StrikebookError).code;

test('each message once and in order, by listener and by iterator; a gap is told', async (t) => {
  const { venue, socket, gaps, ups } = await stand(t);
  const heard: number[] = [];
  await socket.subscribe('trades', { symbols: [ONE], onMessage: ({ seq }) => heard.push(seq) });
  const stream = await socket.subscribe('trades');
  venue.send(trade(7), trade(7), trade(8), trade(3, TWO), trade(8), trade(11), { type: 'Novelty' });
  const seen: string[] = [];
  for await (const { seq, symbol } of stream) {
    seen.push(`${symbol === ONE ? 1 : 2}:${seq}`);
    if (seen.length === 4) break;
  }
  assert.deepEqual(seen, ['1:7', '1:8', '2:3', '1:11']);
  assert.deepEqual(heard, [7, 8, 11]);
  assert.deepEqual(gaps, [{ channel: 'trades', key: ONE, from: 9, to: 10 }, { channel: 'trades', key: ONE, from: 9, to: 10 }]);
  assert.deepEqual([ups, venue.queries], [[false], [`/ws?wallet=${WALLET}`]]);
  // Leaving the loop ended the stream of all symbols; the one of a symbol goes on.
  await until('the end at the venue', () => venue.got.at(-1)!.type === 'Unsubscribe');
  assert.deepEqual(venue.got.at(-1), { type: 'Unsubscribe', channel: 'trades', symbols: [''] });
  venue.send(trade(12));
  await until('the next trade', () => heard.at(-1) === 12);
});

test('a lost connection comes back with its subscriptions; what was missed is a gap, a new count is told too', async (t) => {
  const { venue, socket, gaps, ups } = await stand(t);
  const heard: number[] = [];
  await socket.subscribe('fills', { onMessage: ({ seq }) => heard.push(seq) });
  await socket.subscribe('trades', { symbols: [ONE] });
  venue.send(fill(1), fill(2));
  await until('two fills', () => heard.length === 2);
  venue.isRefusing = true;
  venue.clients.at(-1)!.terminate();
  await until('refused attempts', () => venue.queries.length >= 4);
  venue.got.length = 0;
  venue.isRefusing = false;
  await until('both subscriptions', () => venue.got.length === 2);
  assert.deepEqual(venue.got, [{ type: 'Subscribe', channel: 'fills' }, { type: 'Subscribe', channel: 'trades', symbols: [ONE] }]);
  venue.send(fill(5), fill(6));
  await until('four fills', () => heard.length === 4);
  assert.deepEqual([heard, gaps, ups], [[1, 2, 5, 6], [{ channel: 'fills', key: WALLET, from: 3, to: 4 }], [false, true]]);
  venue.clients.at(-1)!.terminate();
  await until('the third connection', () => ups.length === 3 && venue.got.length === 4);
  venue.send(fill(1));
  await until('a fill of the new count', () => heard.length === 5);
  assert.deepEqual(gaps.at(-1), { channel: 'fills', key: WALLET, from: 7, to: 0 });
});

test('a stream of a wallet with symbols is filtered here, so that its gaps are seen', async (t) => {
  const { venue, socket, gaps } = await stand(t);
  const heard: number[] = [];
  await socket.subscribe('fills', { symbols: [TWO], onMessage: ({ seq }) => heard.push(seq) });
  assert.deepEqual(venue.got, [{ type: 'Subscribe', channel: 'fills' }]);
  venue.send(fill(1), fill(2, TWO), fill(3), fill(4, TWO), fill(6, TWO));
  await until('three fills', () => heard.length === 3);
  assert.deepEqual([heard, gaps], [[2, 4, 6], [{ channel: 'fills', key: WALLET, from: 5, to: 5 }]]);
});

test('a book: the snapshot before it is given out, every change, old while the connection is away', async (t) => {
  const { venue, socket } = await stand(t);
  venue.snapshot = ({ channel }) => (channel === 'orderbook' ? [book(venue.clients.length * 100)] : []);
  const btc = await socket.book(ONE);
  assert.deepEqual([btc.seq, btc.isLive, btc.bestBid, btc.bestAsk, btc.timestamp], [100, true, { price: '5', size: '1' }, null, 1_000]);
  const seqs: (number | string)[] = [];
  const stop = btc.onChange(({ seq, isLive }) => seqs.push(isLive ? seq : 'away'));
  venue.send(book(101, '6'), book(105, '7'), book(104, '1'), book(9, '9', TWO));
  await until('the changes', () => btc.seq === 105);
  assert.equal(btc.bestBid?.price, '7');
  // A second reader makes the venue send the snapshot again, which is no change for the first.
  const again = await socket.book(ONE);
  venue.clients.at(-1)!.terminate();
  await until('the book of the second connection', () => btc.isLive && btc.seq === 200 && again.seq === 200);
  stop();
  assert.deepEqual(seqs, [101, 105, 'away', 200]);
  btc.close();
  again.close();
  await until('the end at the venue', () => venue.got.at(-1)!.type === 'Unsubscribe');
  assert.equal(venue.got.filter(({ type }) => type === 'Unsubscribe').length, 1);
  assert.deepEqual([btc.isLive, again.isLive], [false, false]);
});

test('a refused subscription throws what the venue said, and the next ones are not mixed up with it', async (t) => {
  const { venue, socket, errors } = await stand(t);
  const calls = [
    socket.subscribe('trades', { symbols: [ONE] }), socket.subscribe('trades', { symbols: [NEVER] }),
    socket.subscribe('trades', { symbols: [ONE, NEVER, TWO] }), socket.subscribe('orderbook', { symbols: [TWO] }),
  ];
  const ends = await Promise.allSettled(calls);
  assert.deepEqual(ends.map(({ status }) => status), ['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  for (const end of ends) {
    if (end.status === 'rejected') assert.match(String(end.reason), /StrikebookError: Unknown symbol or wallet: BTC-20990101-1-C/);
  }
  // At first NEVER is still wanted by the third, and ONE by the first for good.
  assert.deepEqual(venue.got.filter(({ type }) => type === 'Unsubscribe').map(({ symbols }) => symbols), [['-'], [NEVER, TWO]]);
  venue.send({ type: 'Error', message: 'Client not found' });
  await until('an error of its own', () => errors.length === 1);
  assert.match(String(errors[0]), /Client not found/);
});

test('a subscription that the venue does not take again after a loss ends, and says so', async (t) => {
  const { venue, socket, errors } = await stand(t);
  venue.snapshot = ({ channel }) => (channel === 'orderbook' ? [book(1)] : []);
  const gone = await socket.book(ONE);
  const stream = await socket.subscribe('trades', { symbols: [ONE] });
  await socket.subscribe('trades', { symbols: [TWO] });
  venue.unknown = ONE;
  venue.clients.at(-1)!.terminate();
  await assert.rejects(stream[Symbol.asyncIterator]().next(), (error) => codeOf(error) === 'subscription_refused');
  await until('both errors', () => errors.length === 2);
  assert.deepEqual([errors.map(codeOf), gone.isLive], [['subscription_refused', 'subscription_refused'], false]);
});

test('a venue that says nothing any more is given up, and asked first', async (t) => {
  const { venue, socket, ups } = await stand(t, { heartbeatMs: 200 });
  await socket.subscribe('trades');
  await until('the question whether it is there', () => venue.got.at(-1)!.symbols?.[0] === '-');
  const [connections, times] = [venue.clients.length, ups.length];
  venue.isDeaf = true;
  await until('another connection', () => venue.clients.length > connections);
  venue.isDeaf = false;
  venue.got.length = 0;
  await until('its subscription', () => venue.got.some(({ type, channel }) => type === 'Subscribe' && channel === 'trades'));
  assert.ok(ups.length > times && ups.at(-1) === true);
});

test('a reader that is too slow: the newest book of each symbol stays, any other stream ends and says so', async (t) => {
  const { venue, socket } = await stand(t);
  const trades = await socket.subscribe('trades', { bound: 3 });
  const books = await socket.subscribe('orderbook', { bound: 3 });
  for (let seq = 1; seq <= 50; seq++) venue.send(book(seq, String(seq)), book(seq, '1', TWO));
  venue.send(trade(1), trade(2), trade(3), trade(4), trade(5));
  await until('the overflow', () => venue.got.some(({ type, channel }) => type === 'Unsubscribe' && channel === 'trades'));
  assert.equal(books.waiting, 2);
  const seen: number[] = [];
  const reading = async (): Promise<void> => { for await (const { seq } of trades) seen.push(seq); };
  await assert.rejects(reading, (error) => codeOf(error) === 'overflow');
  assert.deepEqual(seen, [1, 2, 3, 4]);
  const iterator = books[Symbol.asyncIterator]();
  const [first, second] = [await iterator.next(), await iterator.next()];
  assert.deepEqual([first.value?.bids[0]?.[0], second.value?.symbol, second.value?.seq], ['50', TWO, 50]);
});

test('a listener that throws is told of and ends nothing', async (t) => {
  const { venue, socket, errors } = await stand(t);
  const heard: number[] = [];
  await socket.subscribe('trades', { onMessage: () => { throw new Error('mine'); } });
  await socket.subscribe('trades', { onMessage: ({ seq }) => heard.push(seq) });
  venue.send(trade(1), trade(2));
  await until('both trades', () => heard.length === 2 && errors.length === 2);
  assert.match(String(errors[0]), /mine/);
  // A frame that cannot be read makes the socket start again.
  venue.clients.at(-1)!.send('{');
  await until('the next connection', () => venue.clients.length === 2);
});

test('closing ends everything: streams, subscriptions under way, and new ones', async (t) => {
  const { venue, socket } = await stand(t);
  const stream = await socket.subscribe('trades');
  const reading = stream[Symbol.asyncIterator]().next();
  venue.isDeaf = true;
  const late = [socket.subscribe('fills'), socket.book(TWO)];
  socket.close();
  await assert.rejects(reading, (error) => codeOf(error) === 'closed');
  for (const end of await Promise.allSettled(late)) assert.equal(end.status === 'rejected' && codeOf(end.reason), 'closed');
  await assert.rejects(socket.subscribe('trades'), (error) => codeOf(error) === 'closed');
  assert.equal(socket.isConnected, false);
});

test('what cannot be right is refused before it is sent', async (t) => {
  const { venue, socket } = await stand(t);
  const invalid = (error: unknown): boolean => codeOf(error) === 'invalid_argument';
  await assert.rejects(socket.subscribe('nothing' as 'trades'), invalid);
  await assert.rejects(socket.subscribe('trades', { symbols: ['BTC-31JAN26-100000-C'] }), invalid);
  assert.throws(() => new VenueSocket('http://127.0.0.1:9', { wallet: '0x12' }), invalid);
  const downs: string[] = [];
  const nobody = new VenueSocket('http://127.0.0.1:9', { firstWaitMs: 1, onDown: (reason) => downs.push(reason) });
  await assert.rejects(nobody.subscribe('fills'), invalid);
  await until('attempts that fail', () => downs.length > 2);
  nobody.close();
  assert.deepEqual(venue.got, []);
  const kept = globalThis.WebSocket;
  t.after(() => { globalThis.WebSocket = kept; });
  Reflect.deleteProperty(globalThis, 'WebSocket');
  assert.throws(() => new VenueSocket('http://127.0.0.1:9'), invalid);
});

test('a buffer: readers that wait are served in turn, and its end is told once', async () => {
  let closed = 0;
  const buffer = new MessageBuffer<number>(2, () => { closed++; });
  const iterator = buffer[Symbol.asyncIterator]();
  const waiting = [iterator.next(), iterator.next()];
  buffer.push(1, null);
  buffer.push(2, null);
  assert.deepEqual((await Promise.all(waiting)).map(({ value }) => value), [1, 2]);
  const last = iterator.next();
  buffer.close();
  assert.deepEqual([await last, await iterator.next(), closed], [{ done: true, value: undefined }, { done: true, value: undefined }, 1]);
  buffer.push(3, null);
  assert.equal(buffer.waiting, 0);
});

test('every channel of the client is one of the venue', () => {
  for (const name of Object.values(CHANNEL_OF)) assert.ok(CHANNELS.some((channel) => channel.name === name), name);
});
