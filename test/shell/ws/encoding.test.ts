// Encodings of the socket over real connections: MessagePack both ways, no compression, and each message encoded once.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decode, encode } from '@msgpack/msgpack';
import { WebSocket as Client } from 'ws';
import type { Socket } from '../../../shell/http/server/sockets.ts';
import type { ErrorCode } from '../../../shell/http/shapes/error-codes.ts';
import { Connection } from '../../../shell/ws/connection.ts';
import { OutboundMemory } from '../../../shell/ws/outbound-memory.ts';
import { WriteScheduler } from '../../../shell/ws/write-scheduler.ts';
import { Quota } from '../../../shell/http/quota.ts';
import { TopicRegistry } from '../../../shell/ws/topic-registry.ts';
import { Harness, topicOf, until } from '../api/harness.ts';
import { order } from '../api/requests.ts';
import { nobleSigner } from '../api/wallets.ts';
import { openVenue } from '../http/server/client.ts';
import { QUIET_API, standingText } from '../../support/api.ts';
import { socketError } from '../../support/socket-error.ts';

const WALLET = nobleSigner(2);
const BTC = 'BTC-20260130-100000-C';
const BIG = 2n ** 53n + 1n;

let venue: Harness;
before(() => { venue = new Harness(); });
after(() => venue.close());

type Opened = { readonly socket: Client; readonly frames: any[] };

/** A connection, what it was sent as another decoder reads it, its Hello first. */
async function open(query: string): Promise<Opened> {
  const socket = new Client(`${venue.url.replace('http', 'ws')}/ws${query}`);
  const frames: any[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    frames.push(isBinary ? decode(data, { useBigInt64: true }) : JSON.parse(data.toString()));
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  await until(() => frames.length === 1);
  return { socket, frames };
}

async function ask({ socket, frames }: Opened, message: Uint8Array | string, count = 1): Promise<any[]> {
  const from = frames.length;
  socket.send(message);
  await until(() => frames.length >= from + count);
  return frames.slice(from);
}

const packed = (message: object): Uint8Array => encode(message, { useBigInt64: true });
const error = (message: string, code: ErrorCode = 'invalid_request') => [socketError(code, message)];

test('a connection with encoding=msgpack sends and receives MessagePack, with wide nonces', async () => {
  const client = await open('?encoding=msgpack');
  const { connection, server_at: at, ...hello } = client.frames[0];
  assert.match(connection, /^[0-9a-f]{16}$/);
  assert.deepEqual([hello, at], [{ type: 'Hello', venue_id: '00' }, BigInt(venue.core.now)]);
  const [subscribed] = await ask(client, packed({ type: 'Subscribe', channel: 'trades', symbols: [BTC] }));
  assert.deepEqual(subscribed, { type: 'Subscribed', channel: 'trades' });
  venue.stream(topicOf(`trades ${BTC}`), { type: 'Trade', symbol: BTC, price: 1.5, seq: 3 });
  await until(() => client.frames.at(-1).type === 'Trade');
  assert.deepEqual(client.frames.at(-1), { type: 'Trade', symbol: BTC, price: 1.5, seq: 3 });
  const body = order(WALLET, { symbol: venue.calls()[0]!, size: '0.1', nonce: BIG });
  const [placed] = await ask(client, packed({ type: 'PlaceOrder', id: 7, ...body, nonce: BIG }));
  assert.equal(placed.status, 'ACKED', placed.reason);
  assert.deepEqual([placed.type, placed.id, placed.info.nonce], ['OrderResult', 7, BIG]);
  client.socket.close();
});

test('frames of the wrong kind, broken frames and unknown encodings get different errors', async () => {
  const [binary, text] = [await open('?encoding=msgpack'), await open('?encoding=json')];
  const textual = await ask(binary, '{"type":"Subscribe"}');
  assert.deepEqual(textual, error('Text messages are not supported on a connection with encoding=msgpack'));
  assert.deepEqual(await ask(text, packed({ type: 'Subscribe' })), error('Binary messages are not supported without encoding=msgpack'));
  assert.deepEqual(await ask(binary, Buffer.from([0x81])), error('Message is not MessagePack: it ends too early'));
  assert.deepEqual(await ask(binary, packed({ type: 'Nothing' })), error('Unknown message type: Nothing', 'invalid_parameter'));
  assert.deepEqual(await ask(text, '{"type":"Nothing"}'), error('Unknown message type: Nothing', 'invalid_parameter'));
  await assert.rejects(open('?encoding=cbor'), /Unexpected server response: 400/);
  for (const { socket } of [binary, text]) socket.close();
});

test('a message is encoded once for all connections of an encoding', () => {
  const sent = { json: [] as unknown[], msgpack: [] as unknown[] };
  const joined: (() => void)[] = [];
  const ask = (_: string, __: object, settle: (answer: object) => void) => joined.push(() => (
    settle({ status: 200, body: Buffer.from(standingText(1, null)) })
  ));
  const topics = new TopicRegistry({ ask } as never, assert.fail, () => false);
  for (const encoding of ['json', 'msgpack', 'json', 'msgpack'] as const) {
    const socket = {
      source: { network: '' }, cork: (work: () => void) => work(), bufferedBytes: () => 0, countMessage: () => true,
      send: (frame: unknown) => sent[encoding].push(frame),
    } as unknown as Socket;
    const connection = new Connection({
      api: QUIET_API, socket, registry: topics, scheduler: new WriteScheduler(() => 0), memory: new OutboundMemory(),
      encoding, connection: '', refusal: () => null,
      refusedBytes: new Quota({ amount: 0 }),
    }, null);
    const message = { type: 'Subscribe', channel: 'trades' };
    connection.message(encoding === 'json' ? Buffer.from(JSON.stringify(message)) : packed(message), encoding === 'msgpack');
  }
  for (const answer of joined) answer();
  topics.publish(1, Buffer.from('{"type":"Trade"}'));
  for (const frames of Object.values(sent)) {
    assert.equal(frames.length, 4, 'Subscribed and a trade each');
    assert.equal(frames[2], frames[3], 'the very same bytes');
  }
});

test('compression that a client offers is declined, and messages are sent uncompressed', async (t) => {
  const { edge } = openVenue({
    sockets: {
      path: '/ws', admit: () => null, errorFrame: (_, { message }) => message,
      open: (socket) => ({ message: (bytes) => { socket.send(Uint8Array.from(bytes), false); }, close: () => undefined }),
    },
  });
  t.after(() => edge.close());
  const text = JSON.stringify({ filler: 'ab'.repeat(2_000) });
  for (const offer of [{ perMessageDeflate: true }, { perMessageDeflate: false, headers: { 'sec-websocket-extensions': 'x-other' } }]) {
    const socket = new Client(`ws://127.0.0.1:${edge.port}/ws`, offer);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    assert.equal(socket.extensions, '');
    socket.send(text);
    assert.equal(String(await new Promise((resolve) => socket.once('message', resolve))), text);
    socket.terminate();
  }
});
