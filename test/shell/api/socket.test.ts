// The socket over a real connection: subscriptions, snapshots in their place, private channels, bounds, slow readers.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import type { Socket } from '../../../shell/http/server/sockets.ts';
import { Quota } from '../../../shell/http/quota.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { Connection } from '../../../shell/ws/connection.ts';
import { OutboundMemory } from '../../../shell/ws/outbound-memory.ts';
import { CLIENT_LOST, TopicRegistry } from '../../../shell/ws/topic-registry.ts';
import { WriteScheduler } from '../../../shell/ws/write-scheduler.ts';
import { Harness, topicOf, until } from './harness.ts';
import { QUIET_API, standingText } from '../../support/api.ts';
import { socketError } from '../../support/socket-error.ts';

const WALLET = `0x${'ab'.repeat(20)}`;
const OTHER = `0x${'cd'.repeat(20)}`;
const BTC = 'BTC-20260130-100000-C';
const ETH = 'ETH-20260130-3000-P';

type Client = {
  hello: any; readonly frames: any[]; readonly closed: { code: number; reason: string }[]; say(message: unknown): void; end(): void;
};

function connect(venue: Harness, query = ''): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${venue.url.replace('http', 'ws')}/ws${query}`);
    const client: Client = {
      hello: null, frames: [], closed: [], end: () => socket.close(),
      say: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    };
    socket.onmessage = ({ data }) => {
      client.hello = JSON.parse(data as string);
      socket.onmessage = (message) => client.frames.push(JSON.parse(message.data as string));
      resolve(client);
    };
    socket.onclose = ({ code, reason }) => client.closed.push({ code, reason });
    socket.onerror = () => reject(new Error('not opened'));
  });
}

async function withVenue(run: (venue: Harness) => Promise<void>): Promise<void> {
  const venue = new Harness();
  try {
    await run(venue);
  } finally {
    venue.close();
  }
}

/** Says something and waits for so many messages back. */
async function talk(client: Client, message: unknown, count = 1): Promise<any[]> {
  const from = client.frames.length;
  client.say(message);
  await until(() => client.frames.length >= from + count);
  return client.frames.slice(from);
}

const error = (message: string, code: Parameters<typeof socketError>[0] = 'invalid_parameter') => [socketError(code, message)];
const unknown = (symbol: string | undefined) => error(`Unknown symbol: ${symbol}`, 'not_found');
const book = (symbol: string, seq: number) => ({ type: 'OrderbookUpdate', symbol, bids: [], asks: [], timestamp: 1, seq });
const topic = (channel: string, key: string) => topicOf(`${channel} ${key}`);

test('every connection gets a Hello with its own id', () => withVenue(async (venue) => {
  const [one, other] = [await connect(venue), await connect(venue)];
  const { connection, ...rest } = one.hello;
  assert.match(connection, /^[0-9a-f]{16}$/);
  assert.notEqual(connection, other.hello.connection);
  assert.deepEqual(rest, { type: 'Hello', venue_id: '00', server_at: venue.core.now });
}));

test('a client subscribes, gets the snapshot, then the stream, and unsubscribes', () => withVenue(async (venue) => {
  venue.answers.set('subscribe', ({ parameters: { channel, key } }) => (
    { status: 200, body: standingText(topic(channel, key), 4, [book(key, 4)]) }
  ));
  const client = await connect(venue);
  const styled = 'BTC-30JAN26-100000-C';
  const frames = await talk(client, { type: 'Subscribe', channel: 'orderbook', symbols: [styled] }, 2);
  assert.deepEqual(frames, [{ type: 'Subscribed', channel: 'orderbook', seq: 4 }, book(BTC, 4)]);
  venue.stream(topic('orderbook', BTC), book(BTC, 5));
  venue.stream(topic('orderbook', ETH), book(ETH, 9));
  await until(() => client.frames.length === 3);
  assert.deepEqual(client.frames[2], book(BTC, 5));
  const gone = await talk(client, { type: 'Unsubscribe', channel: 'orderbook', symbols: [BTC] });
  assert.deepEqual(gone, [{ type: 'Unsubscribed', channel: 'orderbook' }]);
  await until(() => venue.asked.some(({ kind }) => kind === 'unsubscribe'));
  assert.deepEqual(venue.asked.at(-1)!.parameters, { topic: topic('orderbook', BTC), count: 1 });
  venue.stream(topic('orderbook', BTC), book(BTC, 6));
  assert.deepEqual(await talk(client, { type: 'Nothing' }), error('Unknown message type: Nothing'), 'and not the book before it');
}));

test('Subscribed comes once all snapshots have arrived, and each update after its snapshot', () => withVenue(async (venue) => {
  venue.answers.set('subscribe', () => 'later');
  const client = await connect(venue);
  client.say({ type: 'Subscribe', channel: 'orderbook', symbols: [BTC, ETH] });
  await until(() => venue.asked.length === 2);
  const [first, second] = venue.asked as [any, any];
  const answer = (asked: any, seq: number) => venue.answer(asked.request, 200, standingText(
    topic('orderbook', asked.parameters.key), seq, [book(asked.parameters.key, seq)],
  ));
  answer(first, 1);
  venue.stream(topic('orderbook', BTC), book(BTC, 2));
  venue.stream(topic('orderbook', BTC), book(BTC, 3));
  answer(second, 7);
  venue.stream(topic('orderbook', ETH), book(ETH, 8));
  await until(() => client.frames.length === 6);
  const books = [book(BTC, 1), book(BTC, 2), book(BTC, 3), book(ETH, 7), book(ETH, 8)];
  assert.deepEqual(client.frames, [{ type: 'Subscribed', channel: 'orderbook' }, ...books]);
}));

test('a snapshot too large for the ring arrives in its place', () => withVenue(async (venue) => {
  venue.answers.set('subscribe', () => 'later');
  const client = await connect(venue);
  client.say({ type: 'Subscribe', channel: 'orderbook' });
  await until(() => venue.asked.length === 1);
  const messages = Array.from({ length: 2_000 }, (_, i) => book(`S${i}`, 1));
  venue.answerLarge(venue.asked[0]!.request, standingText(topic('orderbook', ''), null, messages));
  venue.stream(topic('orderbook', ''), book(BTC, 2));
  await until(() => client.frames.length === 2_002);
  assert.deepEqual([client.frames[0].type, client.frames[1].symbol, client.frames[2_001]], ['Subscribed', 'S0', book(BTC, 2)]);
  assert.equal((await venue.get('/markets')).status, 200);
}));

test('a private channel needs a wallet, from the query or Authenticate', () => withVenue(async (venue) => {
  const update = (wallet: string, symbol: string) => ({ type: 'OrderUpdate', wallet_address: wallet, request: { symbol }, seq: 1 });
  const named = await connect(venue, `?wallet=${WALLET.toUpperCase().replace('0X', '0x')}`);
  assert.deepEqual(await talk(named, { type: 'Subscribe', channel: 'order_updates' }), [{ type: 'Subscribed', channel: 'order_updates' }]);
  const client = await connect(venue);
  const nobody = error('Authentication required for this channel', 'unauthorized');
  assert.deepEqual(await talk(client, { type: 'Subscribe', channel: 'fills' }), nobody);
  const none = error('Invalid wallet address: wallet must be 0x and 40 hex digits', 'invalid_wallet');
  assert.deepEqual(await talk(client, { type: 'Authenticate', wallet: '0x12' }), none);
  assert.deepEqual(await talk(client, { type: 'Authenticate', wallet: OTHER }), [{ type: 'Authenticated', wallet: OTHER }]);
  await talk(client, { type: 'Subscribe', channel: 'order_updates', symbols: [BTC] });
  venue.stream(topic('order_updates', WALLET), update(WALLET, BTC));
  venue.stream(topic('order_updates', OTHER), update(OTHER, ETH));
  venue.stream(topic('order_updates', OTHER), update(OTHER, BTC));
  await until(() => client.frames.at(-1).type === 'OrderUpdate' && named.frames.length === 2);
  assert.deepEqual([client.frames.at(-1), named.frames.at(-1)], [update(OTHER, BTC), update(WALLET, BTC)]);
  assert.equal(client.frames.filter(({ type }) => type === 'OrderUpdate').length, 1, 'the other symbol is filtered');
  await talk(client, { type: 'Authenticate', wallet: WALLET });
  await until(() => venue.asked.at(-1)!.kind === 'unsubscribe');
  venue.stream(topic('order_updates', OTHER), update(OTHER, BTC));
  assert.deepEqual(await talk(client, { type: 'x' }), error('Unknown message type: x'));
}));

test('symbols filter a wallet\'s messages only on channels whose table row says so', () => withVenue(async (venue) => {
  const client = await connect(venue, `?wallet=${WALLET}`);
  for (const channel of ['portfolio', 'fills']) await talk(client, { type: 'Subscribe', channel, symbols: [BTC] });
  const told = [{ type: 'PortfolioUpdate', seq: 1 }, { type: 'PositionExpired', symbol: ETH, seq: 2 }];
  for (const message of told) venue.stream(topic('portfolio', WALLET), message);
  venue.stream(topic('fills', WALLET), { type: 'Fill', symbol: ETH, seq: 1 });
  assert.deepEqual(await talk(client, { type: 'x' }, 3), [...told, ...error('Unknown message type: x')]);
}));

test('unreadable messages, unknown channels and too many subscriptions are refused by name', () => withVenue(async (venue) => {
  const client = await connect(venue);
  assert.deepEqual(await talk(client, '{'), error('Message is not a JSON object', 'invalid_json'));
  assert.deepEqual(await talk(client, '[]'), error('Message is not a JSON object', 'invalid_json'));
  assert.deepEqual(await talk(client, {}), error('Message has no type', 'missing_field'));
  assert.deepEqual(await talk(client, { type: 'Subscribe' }), error('Missing required field: channel', 'missing_field'));
  assert.deepEqual(await talk(client, { type: 'Subscribe', channel: 'books' }), error('Unknown channel: books'));
  assert.deepEqual(await talk(client, { type: 'Unsubscribe', channel: 'books' }), error('Unknown channel: books'));
  for (const [type, ...odds] of [['Subscribe', 7, 'x'.repeat(65), ''], ['Unsubscribe', 7, 'x'.repeat(65)]] as const) {
    for (const odd of odds) {
      assert.deepEqual(await talk(client, { type, channel: 'trades', symbols: [BTC, odd] }), error('symbols must be a list of symbols'));
    }
  }
  assert.deepEqual(venue.asked, []);
  const symbols = Array.from({ length: BOUNDS.subscriptions - 1 }, (_, i) => `BTC-20260130-${i + 1}-C`);
  const subscribe = (channel: string, list: string[]) => talk(client, { type: 'Subscribe', channel, symbols: list });
  assert.deepEqual(await subscribe('trades', symbols), [{ type: 'Subscribed', channel: 'trades' }]);
  assert.deepEqual(await subscribe('trades', symbols), [{ type: 'Subscribed', channel: 'trades' }], 'the same again');
  assert.equal((await subscribe('orderbook', [BTC, ETH]))[0].message, `Too many subscriptions: ${BOUNDS.subscriptions} is the maximum`);
  assert.deepEqual(await subscribe('orderbook', [BTC]), [{ type: 'Subscribed', channel: 'orderbook' }]);
  client.end();
  const begun = venue.asked.filter(({ kind }) => kind === 'subscribe').length;
  const ended = () => venue.asked.reduce((sum, { kind, parameters }) => sum + (kind === 'unsubscribe' ? parameters['count'] : 0), 0);
  await until(() => ended() === begun);
}));

test('a chain subscription may have many long symbols, and an invalid one is named', () => withVenue(async (venue) => {
  const client = await connect(venue);
  const options = Array.from({ length: BOUNDS.subscriptions }, (_, i) => `UNDERLNG-20260130-${999_000_000 + i}.000001-C`);
  for (const [odd, name] of [['\u0000', 'control characters'], ['😀', 'more bytes than characters'], ['"', 'quotes']] as const) {
    const symbols = options.map((_, i) => `${odd.repeat(30)}${String(i).padStart(4, '0')}`);
    const told = await talk(client, { type: 'Subscribe', channel: 'options_chain', symbols });
    assert.deepEqual(told, unknown(symbols[0]), name);
  }
  assert.deepEqual(venue.asked, []);
  assert.deepEqual(await talk(client, { type: 'Subscribe', channel: 'options_chain', symbols: options }),
    [{ type: 'Subscribed', channel: 'options_chain' }]);
  client.end();
}));

test('a symbol that the reader refuses is an Error, and the others are subscribed', () => withVenue(async (venue) => {
  venue.answers.set('subscribe', ({ parameters: { channel, key } }) => (key === ETH
    ? { status: 404, body: JSON.stringify({ error: 'not_found', message: `Unknown symbol: ${key}` }) }
    : { status: 200, body: standingText(topic(channel, key), 1) }));
  const client = await connect(venue);
  const both = await talk(client, { type: 'Subscribe', channel: 'trades', symbols: [BTC, ETH] }, 2);
  assert.deepEqual(both, [...unknown(ETH), { type: 'Subscribed', channel: 'trades' }]);
  assert.deepEqual(await talk(client, { type: 'Subscribe', channel: 'trades', symbols: [ETH] }), unknown(ETH));
  assert.deepEqual(await talk(client, { type: 'x' }), error('Unknown message type: x'), 'and no Subscribed for nothing');
}));

test('messages other than orders have their own rate bound, whatever they contain', () => withVenue(async (venue) => {
  const orders = await connect(venue);
  const { messagesPerTick } = BOUNDS;
  for (let i = 0; i < 2 * messagesPerTick; i++) orders.say({ type: 'CancelOrder', id: i });
  await until(() => orders.frames.length === 2 * messagesPerTick);
  assert.ok(orders.frames.every(({ type, status }) => type === 'OrderResult' && status === 'REJECTED'));
  assert.deepEqual(orders.closed, []);
  for (const message of ['{', { type: 'Unsubscribe', channel: 'trades' }]) {
    const client = await connect(venue);
    for (let i = 0; i < 3 * messagesPerTick; i++) client.say(message);
    await until(() => client.closed.length === 1);
    assert.deepEqual(client.closed, [{ code: 1008, reason: 'message rate exceeded' }]);
  }
}));

test('a fault in a message is answered with an Error, and the connection and the venue live on', () => withVenue(async (venue) => {
  venue.answers.set('subscribe', () => ({ status: 200, body: 'no json' }));
  const client = await connect(venue);
  assert.deepEqual(await talk(client, { type: 'Subscribe', channel: 'trades' }), error('Client not found', 'internal_error'));
  assert.deepEqual(venue.faults.map(({ place }) => place), ['subscribe']);
  venue.answers.clear();
  assert.deepEqual(await talk(client, { type: 'Subscribe', channel: 'trades' }), [{ type: 'Subscribed', channel: 'trades' }]);
}));

test('a resumed stream arrives in parts, and messages of the meantime come once', () => withVenue((venue) => takeUp(venue, false)));
test('messages during a running stream\'s resume come before its answer and in it', () => withVenue((venue) => takeUp(venue, true)));

async function takeUp(venue: Harness, isRunning: boolean): Promise<void> {
  const fill = (seq: number) => ({ type: 'Fill', symbol: BTC, seq });
  const number = topic('fills', WALLET);
  const asked: unknown[] = [];
  venue.answers.set('subscribe', ({ parameters: { from_seq: from } }) => {
    asked.push(from);
    const answer = (to: number, seq: number, messages: object[] = []) => ({ status: 200, body: standingText(to, seq, messages) });
    if (from === undefined) return answer(number, 4);
    if (from > 4) return { status: 400, body: '{"error":"invalid_parameter","message":"Cannot resume fills from seq 9: newest is 4"}' };
    // What happens while the reader is asked is among what it answers.
    if (from === 0) venue.stream(number, fill(4));
    if (from < 4) return answer(0, from, [fill(from + 1), fill(from + 2)]);
    return answer(number, from);
  });
  const client = await connect(venue, `?wallet=${WALLET}`);
  if (isRunning) await talk(client, { type: 'Subscribe', channel: 'fills' });
  const expected = [...isRunning ? [fill(4)] : [], { type: 'Subscribed', channel: 'fills', seq: 0 }, fill(1), fill(2), fill(3), fill(4)];
  const told = await talk(client, { type: 'Subscribe', channel: 'fills', from_seq: 0 }, expected.length);
  assert.deepEqual(told, expected);
  await until(() => asked.at(-1) === 4);
  assert.deepEqual(asked, [...isRunning ? [undefined] : [], 0, 2, 4]);
  const before = client.frames.length;
  venue.stream(number, fill(5));
  await until(() => client.frames.length === before + 1);
  assert.deepEqual(client.frames[before], fill(5));
  assert.deepEqual(await talk(client, { type: 'Subscribe', channel: 'fills', from_seq: 9 }), error(
    'Cannot resume fills from seq 9: newest is 4',
  ));
  venue.stream(number, fill(6));
  assert.deepEqual(await talk(client, { type: 'Subscribe', channel: 'trades', from_seq: 0 }), error(
    'Channel trades has no from_seq: it cannot be resumed',
  ));
}

test('a subscription that the reader does not answer ends with an Error', () => {
  let expire = (): void => undefined;
  const reads = { ask: (_: string, __: object, ___: unknown, late: () => void) => { expire = late; return true; } };
  const topics = new TopicRegistry(reads as unknown as ConstructorParameters<typeof TopicRegistry>[0], assert.fail, () => false);
  const told: unknown[] = [];
  const never = (): void => assert.fail();
  const member = { source: '', deliver: never, lost: never };
  topics.join({ channel: 'fills', key: WALLET }, member, () => true, (result) => told.push(result));
  expire();
  assert.deepEqual(told, [{ error: CLIENT_LOST }]);
});

test('a subscription that the reader began too late is ended there, and can be made again', () => withVenue(async (venue) => {
  const client = await connect(venue);
  const subscribe = { type: 'Subscribe', channel: 'orderbook', symbols: [BTC] };
  venue.answers.set('subscribe', () => 'later');
  client.say(subscribe);
  await until(() => venue.asked.length === 1);
  venue.core.now += BOUNDS.answerMs;
  venue.service.sweep();
  await until(() => client.frames.length === 1);
  assert.deepEqual(client.frames, error('Client not found', 'internal_error'));
  venue.answers.clear();
  const begun = topic('orderbook', BTC);
  venue.answer(venue.asked[0]!.request, 200, standingText(begun, null, [book(BTC, 1)]));
  // The way to the reader and back again: what the answer above brings has gone before.
  for (let trips = 0; trips < 2; trips++) assert.equal((await venue.get('/markets')).status, 200);
  const ended = venue.asked.filter(({ kind }) => kind === 'unsubscribe').map(({ parameters }) => parameters);
  assert.deepEqual(ended, [{ topic: begun, count: 1 }]);
  venue.stream(begun, book(BTC, 2));
  assert.deepEqual(await talk(client, subscribe), [{ type: 'Subscribed', channel: 'orderbook' }]);
  venue.stream(begun, book(BTC, 3));
  await until(() => client.frames.length === 3);
  assert.deepEqual(client.frames[2], book(BTC, 3));
  client.end();
}));

test('a lost message ends only its own subscription, with an Error', () => withVenue(async (venue) => {
  const fill = (seq: number) => ({ type: 'Fill', symbol: BTC, seq });
  const [choosy, open] = [await connect(venue, `?wallet=${WALLET}`), await connect(venue, `?wallet=${WALLET}`)];
  const subscribed = { type: 'Subscribed', channel: 'fills' };
  assert.deepEqual(await talk(choosy, { type: 'Subscribe', channel: 'fills', symbols: [BTC] }), [subscribed]);
  assert.deepEqual(await talk(open, { type: 'Subscribe', channel: 'fills' }), [subscribed]);
  venue.stream(topic('fills', WALLET), fill(1));
  // What is no message has no symbol to choose by.
  venue.stream(topic('fills', WALLET), null as unknown as object);
  venue.stream(topic('fills', WALLET), fill(2));
  await until(() => choosy.frames.length === 3 && open.frames.length === 4);
  assert.deepEqual(choosy.frames.slice(1), [fill(1), ...error('Client not found', 'internal_error')]);
  assert.deepEqual(open.frames.slice(1), [fill(1), null, fill(2)]);
  assert.deepEqual(venue.faults.map(({ place }) => place), ['stream']);
  assert.deepEqual(await talk(choosy, { type: 'Subscribe', channel: 'fills', symbols: [BTC] }), [subscribed]);
}));

test('no connection opens before the venue is ready, and none with an invalid wallet', () => withVenue(async (venue) => {
  await assert.rejects(connect(venue, '?wallet=0x12'));
  venue.setReady(false);
  await assert.rejects(connect(venue));
  venue.setReady(true);
  (await connect(venue)).end();
}));

/** A socket whose client reads when the test says so. */
class SlowSocket implements Socket {
  readonly id = 1;
  readonly query = '';
  readonly source = { network: '127.0.0.1', digest: 1, loopback: true };
  unread = 0;
  frames: any[] = [];
  closed: [number, string] | null = null;
  send(frame: string | Uint8Array) { this.frames.push(JSON.parse(String(frame))); return 'sent' as const; }
  bufferedBytes() { return this.unread; }
  cork(work: () => void) { work(); }
  countMessage() { return true; }
  close(code: number, reason: string) { this.closed = [code, reason]; }
}

type Deliver = (seq: number, symbol?: string) => void;
type Settle = (answer: { status: number; body: Uint8Array }) => void;

/** A connection subscribed to the channel, its socket, and the two things that happen to it. */
function slow(channel: string, run: (socket: SlowSocket, deliver: Deliver, drain: () => void) => void): void {
  const joined: (() => void)[] = [];
  const reads = {
    ask: (_: string, { channel: name, key }: { channel: string; key: string }, settle: Settle) => {
      const body = Buffer.from(standingText(topic(name, key), 0));
      return joined.push(() => settle({ status: 200, body })) > 0;
    },
  };
  const topics = new TopicRegistry(reads as never, () => undefined, () => false);
  const socket = new SlowSocket();
  const connection = new Connection({
    api: QUIET_API, socket, registry: topics, scheduler: new WriteScheduler(() => 0), memory: new OutboundMemory(),
    encoding: 'json', connection: '0'.repeat(16),
    refusal: () => null, refusedBytes: new Quota({ amount: 0 }),
  }, WALLET);
  const symbols = channel === 'orderbook' ? { symbols: [BTC, ETH] } : {};
  connection.message(Buffer.from(JSON.stringify({ type: 'Subscribe', channel, ...symbols })), false);
  for (const answer of joined.splice(0)) answer();
  socket.frames = [];
  const keyOf = (symbol: string) => (channel === 'orderbook' ? symbol : channel === 'trades' ? '' : WALLET);
  const deliver: Deliver = (seq, symbol = BTC) => {
    topics.publish(topic(channel, keyOf(symbol)), Buffer.from(JSON.stringify({ symbol, seq })));
  };
  run(socket, deliver, () => connection.drain());
}

test('a slow reader of books gets the newest of each once it reads', () => slow('orderbook', (socket, deliver, drain) => {
  deliver(1);
  socket.unread = BOUNDS.bookBacklog + 1;
  for (let seq = 2; seq < 1_000; seq++) deliver(seq);
  deliver(7, ETH);
  assert.deepEqual(socket.frames, [{ symbol: BTC, seq: 1 }]);
  socket.unread = 0;
  deliver(1_000);
  assert.equal(socket.frames.length, 1, 'order is kept: the newest wait until the client has read');
  drain();
  assert.deepEqual(socket.frames.slice(1), [{ symbol: BTC, seq: 1_000 }, { symbol: ETH, seq: 7 }]);
  deliver(1_001);
  assert.deepEqual([socket.frames.at(-1), socket.closed], [{ symbol: BTC, seq: 1_001 }, null]);
}));

for (const channel of ['order_updates', 'fills', 'trades']) {
  test(`a slow reader of ${channel} is closed with a reason, since no message may be lost`, () => slow(channel, (socket, deliver) => {
    deliver(1);
    socket.unread = BOUNDS.streamBacklog;
    deliver(2);
    assert.deepEqual([socket.frames.map(({ seq }) => seq), socket.closed], [[1, 2], null]);
    const unread = socket.unread = BOUNDS.streamBacklog + 1;
    deliver(3);
    assert.deepEqual(socket.closed, [1008, JSON.stringify({ reason: 'slow consumer', stream: channel, unread_bytes: unread })]);
    assert.ok(Buffer.byteLength(socket.closed![1]) <= 123);
  }));
}
