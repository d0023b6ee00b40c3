// Requests of one client back to back: each is answered once, truthfully and in order; streams have no gap and no repeat meanwhile; and
// one connection has bounds on what it costs the reader and the venue's memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { CALL_LEG, chainRowText } from '../../../shell/ipc/chain-row.ts';
import type { ErrorCode } from '../../../shell/http/shapes/error-codes.ts';
import { CLIENT_LOST } from '../../../shell/ws/topic-registry.ts';
import { topicOf } from '../api/harness.ts';
import { socketError } from '../../support/socket-error.ts';
import { Scripted } from './scripted.ts';

const WALLET = `0x${'ab'.repeat(20)}`;
const BTC = 'BTC-20260130-100000-C';
const ETH = 'ETH-20260130-3000-P';

const fill = (seq: number): object => ({ type: 'Fill', symbol: BTC, seq });
const fills = (from: number, count: number): object[] => Array.from({ length: count }, (_, i) => fill(from + i));
const error = (message: string, code: ErrorCode = 'invalid_parameter'): object => socketError(code, message);
const LOST = error(CLIENT_LOST.message, CLIENT_LOST.code);
const chain = (count: number): object[] => (
  Array.from({ length: count }, (_, strike) => ({ type: 'OptionsChainUpdate', row: { strike }, filler: 'x'.repeat(1_000) }))
);
const queries = ({ asked }: Scripted): string[] => asked.map(({ query }) => query);

test('ending the stream of all symbols leaves single symbols; Unsubscribe without symbols ends the channel', () => {
  const one = new Scripted();
  const ask = (type: string, symbols?: readonly string[]) => {
    one.say({ type, channel: 'trades', symbols });
    for (const { query, answer } of one.asked.splice(0)) if (query === 'subscribe') answer(1);
    assert.deepEqual(one.read().map((told) => told.type), [`${type}d`]);
  };
  const heard = () => {
    for (const key of ['', ETH]) one.tell(key, { type: 'Trade', key }, 'trades');
    return one.read().map(({ key }) => key);
  };
  ask('Subscribe');
  ask('Subscribe', [ETH]);
  assert.deepEqual(heard(), ['', ETH]);
  ask('Unsubscribe', ['']);
  assert.deepEqual(heard(), [ETH]);
  ask('Subscribe');
  ask('Unsubscribe');
  assert.deepEqual(heard(), []);
});

test('Subscribe and Unsubscribe back to back are answered in order, and then nothing comes', () => {
  for (const [wanted, key] of [[{ channel: 'candles:BTC:1m' }, 'BTC:1m'], [{ channel: 'trades', symbols: [BTC] }, BTC]] as const) {
    const one = new Scripted();
    const name = wanted.channel.split(':')[0]!;
    one.say({ type: 'Subscribe', ...wanted });
    one.say({ type: 'Unsubscribe', ...wanted });
    assert.deepEqual(one.frames, [], 'nothing is said of what is under way');
    one.asked[0]!.answer(7, [{ type: 'Any', seq: 7 }]);
    one.tell(key, { type: 'Any', seq: 8 }, name);
    assert.deepEqual(one.read(), [
      { type: 'Subscribed', channel: wanted.channel, seq: 7 }, { type: 'Any', seq: 7 }, { type: 'Unsubscribed', channel: wanted.channel },
    ]);
    assert.deepEqual(queries(one), ['subscribe', 'unsubscribe']);
  }
});

test('every request is answered once and in order, also a refused one', () => {
  const one = new Scripted();
  for (const message of [
    { type: 'Subscribe', channel: 'fills' }, { type: 'Subscribe', channel: 'trades', symbols: [BTC, ETH] }, '{',
    { type: 'Subscribe', channel: 'books' }, { type: 'Authenticate', wallet: WALLET }, { type: 'Subscribe', channel: 'fills' },
    { type: 'Unsubscribe', channel: 'fills' },
  ]) one.say(message);
  assert.deepEqual(one.read(), [error('Authentication required for this channel', 'unauthorized')]);
  const [btc, eth] = one.asked.splice(0) as [any, any];
  eth.refuse('Unknown symbol', 'not_found');
  assert.deepEqual(one.read(), []);
  btc.answer(1);
  assert.deepEqual(one.read(), [
    error('Unknown symbol', 'not_found'), { type: 'Subscribed', channel: 'trades' }, error('Message is not a JSON object', 'invalid_json'),
    error('Unknown channel: books'), { type: 'Authenticated', wallet: WALLET },
  ]);
  one.asked[0]!.answer(3);
  assert.deepEqual(one.read(), [{ type: 'Subscribed', channel: 'fills', seq: 3 }, { type: 'Unsubscribed', channel: 'fills' }]);
});

test('another wallet ends the former one\'s subscriptions, with Unsubscribed for each channel', () => {
  const one = new Scripted(WALLET);
  const subscribe = (wanted: object): void => {
    one.say({ type: 'Subscribe', ...wanted });
    one.asked.shift()!.answer(1);
    one.asked.length = 0;
    one.read();
  };
  const all = { channel: 'fills' };
  for (const wanted of [all, { ...all, symbols: [BTC] }, { channel: 'trades' }, { channel: 'portfolio' }]) subscribe(wanted);
  one.say({ type: 'Subscribe', channel: 'liquidation', from_seq: 0 });
  one.say({ type: 'Authenticate', wallet: WALLET });
  one.asked.shift()!.part(0, [{ type: 'LiquidationStateChange', seq: 1 }]);
  const other = `0x${'cd'.repeat(20)}`;
  one.say({ type: 'Authenticate', wallet: other });
  one.say({ type: 'Authenticate', wallet: other });
  one.tell(WALLET, fill(2), 'fills');
  one.tell('', { type: 'Trade', seq: 2 }, 'trades');
  const ended = (channel: string): object => ({ type: 'Unsubscribed', channel });
  assert.deepEqual(one.read(), [
    { type: 'Subscribed', channel: 'liquidation', seq: 0 }, { type: 'LiquidationStateChange', seq: 1 },
    { type: 'Authenticated', wallet: WALLET }, ended('fills'), ended('portfolio'), ended('liquidation'),
    { type: 'Authenticated', wallet: other }, { type: 'Authenticated', wallet: other }, { type: 'Trade', seq: 2 },
  ]);
});

test('a stream resumed twice, then ended: every request is answered, and it ends once', () => {
  const one = new Scripted(WALLET);
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 0 });
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 1 });
  one.say({ type: 'Unsubscribe', channel: 'fills' });
  one.asked.shift()!.part(0, fills(1, 2));
  assert.deepEqual(one.read(), [{ type: 'Subscribed', channel: 'fills', seq: 0 }, fill(1), fill(2)]);
  const [before, again] = one.asked.splice(0) as [any, any];
  before.part(2, fills(3, 2));
  again.part(1, fills(2, 1));
  assert.deepEqual(one.read(), [{ type: 'Subscribed', channel: 'fills', seq: 1 }, fill(2), { type: 'Unsubscribed', channel: 'fills' }]);
  one.asked.shift()!.part(2, fills(3, 2));
  assert.deepEqual([one.read(), one.asked], [[], []]);
});

test('held messages of an ended stream are dropped, and the answers behind them are sent', () => {
  const one = new Scripted(WALLET);
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 0 });
  one.asked.shift()!.part(0, fills(1, 2));
  one.read();
  one.unread = BOUNDS.bookBacklog + 1;
  one.asked.shift()!.part(2, fills(3, 2));
  one.say({ type: 'Unsubscribe', channel: 'fills' });
  assert.deepEqual(one.read(), [{ type: 'Unsubscribed', channel: 'fills' }]);
  assert.deepEqual(one.read(), []);
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 0 });
  one.asked.shift()!.part(0, fills(1, 2));
  one.read();
  one.say({ type: 'Subscribe', channel: 'fills' });
  one.asked.shift()!.refuse('Cannot resume');
  one.say({ type: 'Unsubscribe', channel: 'trades' });
  assert.deepEqual(one.read(), [
    { type: 'Subscribed', channel: 'fills', seq: 2 }, LOST, { type: 'Unsubscribed', channel: 'trades' },
  ]);
});

test('a resumed stream that cannot go on ends with an Error, whatever else is requested meanwhile', () => {
  for (const text of ['Cannot resume fills from seq 2: oldest kept is 9', 'Too many reads are waiting for the history']) {
    const one = new Scripted(WALLET);
    one.say({ type: 'Subscribe', channel: 'fills', from_seq: 0 });
    one.asked.shift()!.part(0, fills(1, 2));
    one.say({ type: 'Subscribe', channel: 'trades', symbols: [BTC] });
    one.asked.shift()!.refuse(text);
    one.asked.shift()!.answer(5);
    const trades = { type: 'Subscribed', channel: 'trades', seq: 5 };
    assert.deepEqual(one.read(), [{ type: 'Subscribed', channel: 'fills', seq: 0 }, fill(1), fill(2), LOST, trades]);
    one.say({ type: 'Subscribe', channel: 'fills', from_seq: 2 });
    one.asked.shift()!.refuse(text);
    assert.deepEqual(one.read(), [error(text)], 'who asks again hears why');
  }
});

test('a plain Subscribe does not move a stream that is being resumed', () => {
  const one = new Scripted(WALLET);
  one.say({ type: 'Subscribe', channel: 'fills', from_seq: 0 });
  one.say({ type: 'Subscribe', channel: 'fills' });
  one.asked.shift()!.part(0, fills(1, 2));
  assert.equal(one.asked.length, 1, 'nothing but the next part is asked for');
  one.asked.shift()!.part(2, fills(3, 2));
  const subscribed = (seq: number): object => ({ type: 'Subscribed', channel: 'fills', seq });
  assert.deepEqual(one.read(), [subscribed(0), fill(1), fill(2), subscribed(2), fill(3), fill(4)]);
  one.unread = BOUNDS.bookBacklog + 1;
  one.asked.shift()!.part(4, fills(5, 1));
  one.say({ type: 'Subscribe', channel: 'fills' });
  assert.deepEqual(one.read(), []);
  assert.deepEqual(one.read(), [fill(5), subscribed(5)]);
  one.asked.shift()!.answer(5);
  one.tell(WALLET, fill(6), 'fills');
  assert.deepEqual(one.read(), [fill(6)]);
  // Of one that is live too, the answer stands where its number says.
  one.say({ type: 'Subscribe', channel: 'fills' });
  one.tell(WALLET, fill(7), 'fills');
  one.asked.shift()!.answer(7);
  one.tell(WALLET, fill(8), 'fills');
  assert.deepEqual(one.read(), [fill(7), subscribed(7), fill(8)]);
});

/** A reader that has one stream in parts of 3, and answers in the order in which it is asked. */
class Stream {
  readonly one = new Scripted(WALLET);
  newest = 0;
  subscribed = 0;

  happen(): void {
    this.newest++;
    if (this.subscribed > 0) this.one.tell(WALLET, fill(this.newest), 'fills');
  }

  answer(): void {
    const asked = this.one.asked.shift();
    if (asked?.query === 'unsubscribe') this.subscribed--;
    if (asked?.query !== 'subscribe') return;
    const from: number = asked.parameters.from_seq ?? this.newest;
    if (from + 3 < this.newest) return asked.part(from, fills(from + 1, 3));
    this.subscribed++;
    asked.answer(from, fills(from + 1, this.newest - from));
  }
}

test('with random requests while events happen, every number of a stream follows the one before', () => {
  let seed = 1;
  const roll = (of: number): number => (seed = (seed * 48_271) % 2_147_483_647) % of;
  for (let run = 0; run < 300; run++) {
    const stream = new Stream();
    const { one } = stream;
    const said: string[] = [];
    const told: any[] = [];
    const ask = (type: string, more: object = {}): void => {
      said.push(`${type}d`);
      one.say({ type, channel: 'fills', ...more });
    };
    for (let step = 0; step < 60; step++) {
      const what = roll(10);
      if (what < 4) stream.happen();
      else if (what < 7) stream.answer();
      else if (what < 8) ask('Subscribe', roll(2) === 0 ? {} : { from_seq: roll(stream.newest + 1) });
      else if (what < 9) one.unread = roll(2) === 0 ? BOUNDS.bookBacklog + 1 : 0;
      else if (roll(4) === 0) ask('Unsubscribe');
      else told.push(...one.read());
    }
    for (let i = 0; i < 200; i++) {
      told.push(...one.read());
      stream.answer();
    }
    stream.happen();
    told.push(...one.read());
    assert.deepEqual(told.map(({ type }) => type).filter((type) => type !== 'Fill'), said, `run ${run}: answers`);
    let last: number | null = null;
    for (const { type, seq } of told) {
      if (type === 'Fill') assert.equal(seq, last! + 1, `run ${run}: ${JSON.stringify(told)}`);
      last = type === 'Unsubscribed' ? null : seq;
    }
    assert.equal(last, said.at(-1) === 'Subscribed' ? stream.newest : null, `run ${run}: the end`);
  }
});

test('for a client that does not read one snapshot is made, however often it asks; every request is answered', () => {
  const one = new Scripted();
  const times = 400;
  for (let i = 0; i < times; i++) one.say({ type: 'Subscribe', channel: 'options_chain' });
  one.asked.shift()!.answer(null, chain(2_000));
  assert.deepEqual([one.asked, one.closed], [[], null], 'the first one is still unread');
  let answers = 0;
  for (let reads = 0; answers < times && reads < 2 * times; reads++) {
    answers += one.read().filter(({ type }) => type === 'Subscribed').length;
    for (const { query, answer } of one.asked.splice(0)) if (query === 'subscribe') answer(null);
  }
  assert.deepEqual([answers, one.closed], [times, null]);
});

test('a filter of the options chain is the same however it is written', () => {
  const one = new Scripted();
  const [seconds, date] = [String(Date.parse('2026-01-30T08:00:00Z') / 1_000), '2026-01-30'];
  const row = { type: 'OptionsChainUpdate', seq: 1 };
  const body = Buffer.from(chainRowText(
    { underlying: 'BTC', expiry: Number(seconds) * 1_000, call: BTC, put: null, changed: CALL_LEG }, { before: JSON.stringify(row) },
  ));
  for (const [here, there] of [
    [{ symbols: [BTC, ETH] }, { symbols: [ETH, 'BTC-30JAN26-100000-C', ETH] }], [{ expiry: date }, { expiry: seconds }],
    [{ expiry: seconds, option_type: 'call' }, { option_type: 'call', expiry: `${date}T00:00Z` }],
    [{ expiry: date }, { expiry: date, option_type: 'both' }],
  ]) {
    for (const filter of [here, there]) one.say({ type: 'Subscribe', channel: 'options_chain', ...filter });
    const [first] = one.asked.splice(0);
    const { key } = first!.parameters;
    first!.answer(null);
    const [second] = one.asked.splice(0);
    assert.equal(second!.parameters.key, key);
    second!.answer(null);
    one.read();
    one.topics.publish(topicOf(`options_chain ${key}`), body);
    one.say({ type: 'Unsubscribe', channel: 'options_chain', ...there });
    one.topics.publish(topicOf(`options_chain ${key}`), body);
    assert.deepEqual(one.read(), [row, { type: 'Unsubscribed', channel: 'options_chain' }]);
    assert.deepEqual(one.asked.splice(0).map(({ query }) => query), ['unsubscribe', 'unsubscribe']);
  }
  one.say({ type: 'Unsubscribe', channel: 'options_chain', expiry: 'soon' });
  assert.deepEqual(one.read(), [{ type: 'Unsubscribed', channel: 'options_chain' }], 'what cannot be meant is nobody\'s');
});

test('one connection has a bound on its filters of the options chain', () => {
  const one = new Scripted();
  const choose = (day: number): void => one.say({ type: 'Subscribe', channel: 'options_chain', expiry: String(2_000_000_000 + day) });
  const heard = (): unknown[] => {
    for (const { answer } of one.asked.splice(0)) answer(null);
    return one.read();
  };
  const subscribed = { type: 'Subscribed', channel: 'options_chain' };
  const refused = error(`Too many subscriptions to options_chain: ${BOUNDS.chainSubscriptions} is the maximum`, 'limit_exceeded');
  for (let day = 0; day < BOUNDS.chainSubscriptions; day++) {
    choose(day);
    assert.deepEqual(heard(), [subscribed]);
  }
  choose(BOUNDS.chainSubscriptions);
  assert.deepEqual([one.asked.length, heard()], [0, [refused]]);
  choose(0);
  assert.deepEqual(heard(), [subscribed], 'one that it has already begins anew');
  assert.deepEqual(one.asked.splice(0).map(({ query }) => query), ['unsubscribe'], 'and is counted once');
  one.say({ type: 'Unsubscribe', channel: 'options_chain', expiry: '2000000001' });
  one.read();
  choose(BOUNDS.chainSubscriptions);
  assert.deepEqual(one.asked.splice(0).map(({ query }) => query), ['unsubscribe', 'subscribe'], 'there is room again');
});

test('snapshots of many symbols are requested a few at a time and come with one answer', () => {
  const one = new Scripted();
  const symbols = Array.from({ length: BOUNDS.subscriptions }, (_, i) => `BTC-20260130-${i + 1}-C`);
  one.say({ type: 'Subscribe', channel: 'orderbook', symbols });
  const seen: string[] = [];
  while (one.asked.length > 0) {
    assert.ok(one.asked.length <= BOUNDS.snapshotsAsked);
    const { parameters: { key }, answer } = one.asked.shift()!;
    seen.push(key);
    answer(1, [{ type: 'OrderbookUpdate', symbol: key, seq: 1 }]);
  }
  const [first, ...books] = one.read();
  assert.deepEqual([seen, first, books.map(({ symbol }) => symbol)], [symbols, { type: 'Subscribed', channel: 'orderbook' }, symbols]);
  one.say({ type: 'Subscribe', channel: 'orderbook', symbols });
  one.connection.close();
  const left = one.asked.splice(0).filter(({ query }) => query === 'subscribe');
  for (const { answer } of left) answer(1);
  assert.deepEqual(one.asked.filter(({ query }) => query === 'subscribe'), [], 'nothing more is asked for a connection that is over');
});

test('waiting requests have a bound on their symbols', () => {
  const one = new Scripted();
  const symbols = Array.from({ length: BOUNDS.subscriptions }, (_, i) => `BTC-20260130-${i + 1}-C`);
  one.say({ type: 'Subscribe', channel: 'orderbook', symbols });
  for (let left = BOUNDS.symbolsWaiting; left > 0; left -= BOUNDS.subscriptions) {
    one.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols.slice(0, left) });
  }
  assert.equal(one.closed, null);
  one.say({ type: 'Unsubscribe', channel: 'trades' });
  assert.deepEqual(one.closed, [1008, 'too many requests are waiting']);
});

test('held messages of a connection have a bound in number over all streams, and a bound in bytes', () => {
  const many = new Scripted(WALLET);
  many.say({ type: 'Subscribe', channel: 'fills', from_seq: 0 });
  many.asked.shift()!.part(0, fills(1, 1));
  many.unread = BOUNDS.bookBacklog + 1;
  many.asked.shift()!.answer(1, fills(2, BOUNDS.heldMessages));
  many.say({ type: 'Subscribe', channel: 'order_updates', from_seq: 0 });
  many.asked.shift()!.answer(0, fills(1, 1));
  for (let seq = 2; seq <= BOUNDS.heldMessages; seq++) many.tell(WALLET, fill(seq), 'order_updates');
  many.tell(WALLET, fill(BOUNDS.heldMessages + 2), 'fills');
  assert.equal(many.closed, null);
  many.tell(WALLET, fill(BOUNDS.heldMessages + 1), 'order_updates');
  assert.deepEqual(many.closed, [1008, JSON.stringify({ reason: 'slow consumer', held_messages: BOUNDS.heldMessages })]);
  const large = new Scripted();
  large.say({ type: 'Subscribe', channel: 'index_prices' });
  const filler = 'x'.repeat(1_048_576);
  large.unread = BOUNDS.bookBacklog + 1;
  large.asked.shift()!.answer(1);
  for (let seq = 2; seq <= BOUNDS.heldBytes / filler.length; seq++) large.tell('', { seq, filler }, 'index_prices');
  assert.equal(large.closed, null);
  large.tell('', { seq: 0, filler }, 'index_prices');
  assert.deepEqual(large.closed, [1008, JSON.stringify({ reason: 'slow consumer', held_bytes: BOUNDS.heldBytes })]);
});
