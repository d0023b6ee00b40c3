// One client of 500 stops reading: what happens to it, and that the others do not notice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket as Client } from 'ws';
import { PRODUCTION } from '../../../core/limits.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { Harness, topicOf, until } from '../api/harness.ts';
import { Scripted } from './scripted.ts';

const BTC = 'BTC-20260130-100000-C';
const WALLET = `0x${'ab'.repeat(20)}`;
const ETH = 'ETH-20260130-3000-P';
const SUBSCRIBERS = 500;
const MESSAGES = 60;

type Subscriber = { readonly socket: Client; readonly seqs: number[]; closed: number | null };

function subscribe(venue: Harness, channel: string): Promise<Subscriber> {
  const socket = new Client(`${venue.url.replace('http', 'ws')}/ws`);
  const one: Subscriber = { socket, seqs: [], closed: null };
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ type: 'Subscribe', channel, symbols: [BTC] })));
    socket.on('message', (data) => {
      const text = String(data);
      if (text.startsWith('{"type":"Trade"')) one.seqs.push(JSON.parse(text).seq);
      else if (text.includes('Subscribed')) resolve(one);
    });
    socket.on('close', (code) => { one.closed = code; });
    socket.on('error', reject);
  });
}

test('a stuck client among 500 is closed with a reason, and the other 499 miss nothing', async () => {
  const venue = new Harness();
  try {
    const others = await Promise.all(Array.from({ length: SUBSCRIBERS - 1 }, () => subscribe(venue, 'trades')));
    // It also wants fills, which is what its connection chokes on: so many bytes to all would take long.
    const socket = new Client(`${venue.url.replace('http', 'ws')}/ws?wallet=${WALLET}`);
    const heard: any[] = [];
    socket.on('message', (data) => heard.push(JSON.parse(String(data))));
    const closed = new Promise<[number, string]>((resolve) => { socket.on('close', (code, reason) => resolve([code, String(reason)])); });
    await new Promise((resolve) => { socket.on('open', resolve); });
    socket.send(JSON.stringify({ type: 'Subscribe', channel: 'trades', symbols: [BTC] }));
    socket.send(JSON.stringify({ type: 'Subscribe', channel: 'fills' }));
    await until(() => heard.filter(({ type }) => type === 'Subscribed').length === 2);
    socket.pause();
    const filler = 'x'.repeat(60_000);
    for (let seq = 1; seq <= MESSAGES; seq++) {
      venue.stream(topicOf(`trades ${BTC}`), { type: 'Trade', symbol: BTC, seq });
      for (let i = 0; i < 3; i++) venue.stream(topicOf(`fills ${WALLET}`), { type: 'Fill', seq, filler });
      await until(() => others.every(({ seqs }) => seqs.length === seq));
    }
    const all = Array.from({ length: MESSAGES }, (_, i) => i + 1);
    for (const { seqs, closed: end } of others) assert.deepEqual([seqs, end], [all, null]);
    socket.resume();
    const [code, reason] = await closed;
    const { reason: why, stream, unread_bytes: unread } = JSON.parse(reason);
    assert.deepEqual([code, why], [1008, 'slow consumer']);
    assert.ok(['trades', 'fills'].includes(stream) && unread > BOUNDS.streamBacklog, reason);
    const trades = heard.filter(({ type }) => type === 'Trade').map(({ seq }) => seq);
    assert.deepEqual(trades, all.slice(0, trades.length), 'what it got before has no gap either');
    await until(() => venue.edge.counts.sockets === SUBSCRIBERS - 1);
    for (const { socket: other } of others) other.terminate();
  } finally {
    venue.close();
  }
});

function slowReader(channel: string, symbols?: readonly string[]): Scripted {
  const slow = new Scripted();
  slow.say({ type: 'Subscribe', channel, symbols });
  return slow;
}

const snapshot = (symbol: string, seq: number) => ({ type: 'BookUpdate', is_snapshot: true, symbol, seq });
const delta = (symbol: string, seq: number) => ({ type: 'BookUpdate', is_snapshot: false, symbol, seq });

test('a slow reader of deltas gets a new snapshot when there is room, and nothing in between', () => {
  const slow = slowReader('book', [BTC, ETH]);
  for (const { parameters, answer } of slow.asked.splice(0)) answer(1, [snapshot(parameters.key, 1)]);
  assert.deepEqual(slow.read(), [{ type: 'Subscribed', channel: 'book' }, snapshot(BTC, 1), snapshot(ETH, 1)]);
  slow.unread = BOUNDS.bookBacklog + 1;
  for (const seq of [2, 3]) for (const symbol of [BTC, ETH]) slow.tell(symbol, delta(symbol, seq));
  assert.deepEqual([slow.frames, slow.asked.length], [[], 0], 'left out, and nobody is troubled while there is no room');
  slow.read();
  assert.deepEqual(slow.asked.map(({ parameters }) => parameters.key), [BTC], 'one after the other');
  slow.tell(BTC, delta(BTC, 4));
  slow.tell(ETH, delta(ETH, 4));
  slow.asked[0]!.answer(4, [snapshot(BTC, 4)]);
  slow.tell(BTC, delta(BTC, 5));
  assert.deepEqual(slow.asked.map(({ query, parameters }) => [query, parameters.key]), [
    ['subscribe', BTC], ['unsubscribe', undefined], ['subscribe', ETH],
  ], 'the reader counts one subscription as before');
  slow.asked[2]!.answer(4, [snapshot(ETH, 4)]);
  assert.deepEqual(slow.read(), [snapshot(BTC, 4), delta(BTC, 5), snapshot(ETH, 4)]);
  slow.tell(ETH, delta(ETH, 5));
  assert.deepEqual([slow.read(), slow.closed], [[delta(ETH, 5)], null]);
});

test('a delta that arrives in the same turn before the new snapshot is dropped', () => {
  const slow = slowReader('book', [BTC]);
  slow.asked.pop()!.answer(1, [snapshot(BTC, 1)]);
  slow.read();
  slow.unread = BOUNDS.bookBacklog + 1;
  slow.tell(BTC, delta(BTC, 2));
  slow.read();
  slow.turn.run(() => {
    slow.tell(BTC, delta(BTC, 3));
    slow.asked[0]!.answer(4, [snapshot(BTC, 4)]);
    slow.tell(BTC, delta(BTC, 5));
  });
  assert.deepEqual(slow.read(), [snapshot(BTC, 4), delta(BTC, 5)]);
});

test('a snapshot request for which there was no room is sent again', () => {
  const slow = slowReader('book', [BTC]);
  slow.asked.pop()!.answer(1, [snapshot(BTC, 1)]);
  slow.read();
  slow.unread = BOUNDS.bookBacklog + 1;
  slow.tell(BTC, delta(BTC, 2));
  slow.hasRoom = false;
  slow.read();
  slow.topics.flush();
  slow.hasRoom = true;
  assert.equal(slow.asked.length, 0);
  slow.topics.flush();
  slow.asked.pop()!.answer(2, [snapshot(BTC, 2)]);
  assert.deepEqual(slow.read(), [snapshot(BTC, 2)]);
});

test('a book without a snapshot, because its market was deleted, does not block those of other books', () => {
  const slow = slowReader('book', [BTC, ETH]);
  for (const { parameters, answer } of slow.asked.splice(0)) answer(1, [snapshot(parameters.key, 1)]);
  slow.read();
  slow.unread = BOUNDS.bookBacklog + 1;
  for (const symbol of [BTC, ETH]) slow.tell(symbol, delta(symbol, 2));
  slow.read();
  slow.asked.pop()!.refuse(`Unknown symbol or wallet: ${BTC}`);
  slow.topics.flush();
  assert.deepEqual(slow.asked.map(({ parameters }) => parameters.key), [ETH]);
  slow.asked.pop()!.answer(2, [snapshot(ETH, 2)]);
  assert.deepEqual(slow.read(), [snapshot(ETH, 2)]);
});

test('a snapshot of many books is sent as fast as it is read, and deltas wait behind it', () => {
  const slow = slowReader('book');
  const many = Array.from({ length: 3_000 }, (_, i) => ({ ...snapshot(`S${i}`, 1), filler: 'x'.repeat(1_000) }));
  slow.asked[0]!.answer(null, many);
  slow.tell('', delta('S0', 2));
  const frames: any[] = [];
  let most = 0;
  for (let part = slow.read(); part.length > 0; part = slow.read()) {
    most = Math.max(most, JSON.stringify(part).length);
    frames.push(...part);
  }
  assert.deepEqual(frames, [{ type: 'Subscribed', channel: 'book' }, ...many, delta('S0', 2)]);
  assert.ok(most < BOUNDS.bookBacklog + 5_000, `${most} bytes at once`);
  assert.equal(slow.closed, null);
});

for (const [channel, type] of [['orderbook', 'OrderbookUpdate'], ['book', 'BookUpdate']] as const) {
  test(`${channel}: a snapshot of very many books arrives whole, and the stream continues`, () => {
    const slow = slowReader(channel);
    const all = Array.from({ length: PRODUCTION.instruments }, (_, i) => ({ type, symbol: `S${i}`, seq: 1, bids: [['1', '1']], asks: [] }));
    slow.asked[0]!.answer(null, all);
    const live = { type, symbol: 'S0', seq: 2 };
    slow.tell('', live, channel);
    const frames: any[] = [];
    for (let part = slow.read(); part.length > 0; part = slow.read()) frames.push(...part);
    assert.equal(slow.closed, null);
    assert.deepEqual(frames, [{ type: 'Subscribed', channel }, ...all, live]);
  });
}

test('for a slow reader of all books the newest of each book waits', () => {
  const slow = slowReader('orderbook');
  slow.asked[0]!.answer(null);
  slow.read();
  slow.unread = BOUNDS.bookBacklog + 1;
  const book = (symbol: string, seq: number) => ({ type: 'OrderbookUpdate', symbol, seq });
  for (const message of [book(BTC, 2), book(ETH, 7), book(BTC, 3)]) slow.tell('', message, 'orderbook');
  slow.read();
  assert.deepEqual(slow.read(), [book(BTC, 3), book(ETH, 7)]);
});

test('books that wait for their next write go out before a message sent outside a turn', () => {
  const slow = slowReader('book', [BTC]);
  slow.asked.pop()!.answer(1, [snapshot(BTC, 1)]);
  slow.read();
  for (const seq of [2, 3]) slow.turn.run(() => slow.tell(BTC, delta(BTC, seq)));
  assert.deepEqual(slow.read(), [delta(BTC, 2)]);
  slow.connection.message(Buffer.from('{"type":"Unsubscribe","channel":"book"}'), false);
  assert.deepEqual(slow.read(), [delta(BTC, 3), { type: 'Unsubscribed', channel: 'book' }]);
  slow.time = 10;
  slow.turn.run(() => undefined);
  assert.deepEqual(slow.read(), []);
});

for (const [channel, type] of [['orderbook', 'OrderbookUpdate'], ['book', 'BookUpdate']] as const) {
  test(`${channel}: updates that wait for a write or for room are dropped when their subscription ends`, () => {
    const slow = slowReader(channel, [BTC]);
    slow.asked.pop()!.answer(1);
    slow.read();
    for (const seq of [2, 3]) slow.turn.run(() => slow.tell(BTC, { type, symbol: BTC, seq }, channel));
    slow.unread = BOUNDS.bookBacklog + 1;
    slow.say({ type: 'Unsubscribe', channel });
    slow.topics.onNextFlush = () => assert.fail('what has ended is renewed');
    assert.deepEqual(slow.read(), [{ type, symbol: BTC, seq: 2 }, { type: 'Unsubscribed', channel }]);
    assert.deepEqual(slow.read(), []);
  });
}
