// The client's subscriptions where the venue has bounds and troubles: how many symbols a message has, how many go out, passing refusals,
// a stream with two readers at different places, a connection that the venue lost, another venue at the address.

import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { CLIENT_LOST, isTemporary, isUnavailable } from '../../client/src/refusals.ts';
import type { StrikebookError } from '../../client/src/strikebook-error.ts';
import { BOUNDS } from '../../shell/http/limits.ts';
import { BUSY, INTERNAL } from '../../shell/http/errors.ts';
import { CLIENT_LOST as VENUE_LOST } from '../../shell/ws/topic-registry.ts';
import { NEVER, ONE, scriptedVenue, TWO, WALLET, type Frame } from './scripted-venue.ts';
import { until } from './until.ts';

const fill = (seq: number): object => ({ type: 'Fill', order_id: 1, symbol: ONE, wallet_address: WALLET, seq });
const trade = (seq: number): object => ({ type: 'Trade', symbol: ONE, seq });
const symbolOf = (strike: number): string => `BTC-20260131-${strike}-C`;
const counted = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const ends = ({ type }: Frame): boolean => type === 'Unsubscribe';
/** Refuses with each text once. */
const once = (texts: readonly string[], what: (frame: Frame) => boolean): ((frame: Frame) => string | null) => {
  const left = [...texts];
  return (frame) => (what(frame) ? left.shift() ?? null : null);
};

test('symbols of a channel are requested in one message, up to a connection\'s bound, and ended in one', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  const symbols = counted(BOUNDS.subscriptions + 200).map(symbolOf);
  const asked = (): (number | undefined)[] => venue.got.map((frame) => frame.symbols?.length);
  const streams = await Promise.all(symbols.map((symbol) => socket.subscribe('trades', { symbols: [symbol] })));
  assert.deepEqual(asked(), [BOUNDS.subscriptions, 200]);
  venue.got.length = 0;
  venue.clients.at(-1)!.terminate();
  await until('both messages', () => venue.got.length === 2);
  assert.deepEqual(asked(), [BOUNDS.subscriptions, 200]);
  assert.deepEqual(venue.got.flatMap((frame) => frame.symbols), symbols);
  await socket.subscribe('trades', { symbols: [symbols[0]!] });
  venue.got.length = 0;
  for (const stream of streams.slice(0, 300)) stream.close();
  await until('the end at the venue', () => venue.got.some(ends));
  // The first is still wanted by another one.
  assert.deepEqual(venue.got, [{ type: 'Unsubscribe', channel: 'trades', symbols: symbols.slice(1, 300) }]);
});

test('requests that cannot be combined are sent no faster than the venue accepts', async (t) => {
  const { venue, socket, ups } = await scriptedVenue(t);
  const times: number[] = [];
  venue.refusal = () => {
    times.push(performance.now());
    return null;
  };
  const { messagesPerTick: most, tickMs } = BOUNDS;
  await Promise.all(counted(most + 100).map((at) => socket.subscribe(`candles:BTC:${at}m`)));
  assert.equal(times.length, most + 100);
  // A timer may be a few ms early.
  for (const [at, time] of times.slice(most).entries()) assert.ok(time - times[at]! > tickMs - 10, `${time - times[at]!} ms`);
  assert.deepEqual(ups, [false]);
});

test('a short-lived connection does not shorten the waits between attempts', async (t) => {
  const timers = t.mock.method(globalThis, 'setTimeout');
  const { venue, socket } = await scriptedVenue(t, { firstWaitMs: 4, longestWaitMs: 200 });
  venue.refusal = (frame) => {
    if (venue.clients.length < 9) venue.clients.at(-1)!.close(1008, 'message rate exceeded');
    return frame.type === 'Subscribe' && venue.clients.length < 9 ? 'The service is stopping' : null;
  };
  await socket.subscribe('trades');
  const waits = timers.mock.calls.map(({ arguments: [, ms] }) => ms!).filter((ms) => ms <= 200);
  assert.ok(Math.max(...waits) >= 100, JSON.stringify(waits));
});

test('a refused heartbeat counts as life: a source without budget keeps its connection', async (t) => {
  const { venue, socket, ups, errors } = await scriptedVenue(t, { heartbeatMs: 1_000 });
  await socket.subscribe('trades');
  venue.refusal = () => 'Rate limit exceeded: 6000 per minute';
  await until('some heartbeats', () => venue.got.filter(({ symbols }) => symbols?.[0] === '-').length >= 2);
  assert.deepEqual([venue.clients.length, ups, errors], [1, [false], []]);
});

const PASSING = [
  'Rate limit exceeded: 6000 per minute', 'The service is starting', 'The service is stopping', 'Too many requests in flight',
  'Too many reads are waiting for the history', 'Too many subscriptions', 'Margin data unavailable: an underlying has no index price',
];

test('an impossible subscription is refused, and the next one is answered', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  const isWrong = ({ channel, symbols = [] }: Frame): boolean => channel === 'options_chain' || symbols.length > BOUNDS.subscriptions;
  venue.refusal = (frame) => (isWrong(frame) ? 'Invalid parameter' : null);
  const [many, long] = [counted(BOUNDS.subscriptions + 1).map(symbolOf), [symbolOf(1e17)]];
  for (const symbols of [many, long]) await assert.rejects(socket.subscribe('orderbook', { symbols }), { code: 'invalid_argument' });
  await assert.rejects(socket.subscribe('options_chain', { expiry: '2'.repeat(65) }), { code: 'subscription_refused' });
  await socket.subscribe('trades', { symbols: [ONE] });
  assert.deepEqual(venue.got.map(({ type, channel }) => `${type} ${channel}`), [
    'Subscribe options_chain', 'Subscribe trades',
  ]);
});

test('a subscription refused only for now is requested again from where it was; so is its end', async (t) => {
  const { venue, socket, gaps, errors } = await scriptedVenue(t, { longestWaitMs: 10 });
  venue.seqs.set('fills', 3);
  const heard: number[] = [];
  const stream = await socket.subscribe('fills', { onMessage: ({ seq }) => heard.push(seq) });
  venue.refusal = once(PASSING, ({ type }) => type === 'Subscribe');
  venue.snapshot = () => [fill(4), fill(5)];
  venue.got.length = 0;
  venue.clients.at(-1)!.terminate();
  await until('what was missed', () => heard.length === 2);
  const asked = venue.got.filter(({ type }) => type === 'Subscribe');
  assert.deepEqual(asked.map(({ from_seq: from }) => from), Array(PASSING.length + 1).fill(3));
  venue.refusal = once(PASSING, ({ type, channel }) => type === 'Subscribe' && channel === 'trades');
  await socket.subscribe('trades');
  venue.refusal = once(['Rate limit exceeded: 6000 per minute'], ends);
  stream.close();
  await until('its end at the venue', () => venue.got.filter((frame) => ends(frame) && frame.channel === 'fills').length === 2);
  assert.deepEqual([heard, gaps, errors], [[4, 5], [], []]);
});

test('an Error about something else ends no pending subscription, and is reported with its code', async (t) => {
  const { venue, socket, errors } = await scriptedVenue(t, { longestWaitMs: 10 });
  const failed = { type: 'Error', code: 'internal_error', message: INTERNAL.message, id: null };
  venue.refusal = () => {
    venue.send(failed);
    return null;
  };
  const heard: unknown[] = [];
  await socket.subscribe('trades', { onMessage: ({ seq }) => heard.push(seq) });
  venue.send(trade(1));
  await until('a trade', () => heard.length === 1);
  assert.deepEqual(errors.map((error) => (error as StrikebookError).details), [failed]);
  assert.deepEqual(venue.got.map(({ type }) => type), ['Subscribe']);
});

test('a refusal has its code, and its late Subscribed is not taken for another\'s answer', async (t) => {
  const { venue, socket, errors } = await scriptedVenue(t);
  venue.unknown = TWO;
  const refused = { type: 'Error', code: 'not_found', message: `Unknown symbol or wallet: ${TWO}` };
  await assert.rejects(socket.subscribe('trades', { symbols: [ONE, TWO] }), (error: StrikebookError) => {
    const { id, ...details } = error.details as Frame;
    assert.deepEqual([error.code, details, typeof id], ['subscription_refused', refused, 'string']);
    return true;
  });
  // The Subscribed of the symbol that is there came behind the Error, and answers none of these.
  await socket.subscribe('trades', { symbols: [ONE] });
  await socket.subscribe('orderbook', { symbols: [ONE] });
  assert.deepEqual(venue.got.map(({ type, channel, symbols }) => `${type} ${channel} ${symbols?.join()}`), [
    `Subscribe trades ${ONE},${TWO}`, `Unsubscribe trades ${ONE},${TWO}`, `Subscribe trades ${ONE}`, `Subscribe orderbook ${ONE}`,
  ]);
  assert.deepEqual(errors, []);
});

test('a reader that starts further back gets everything, and another gets nothing twice', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  venue.seqs.set('fills', 3);
  const [newest, all]: [number[], number[]] = [[], []];
  await socket.subscribe('fills', { onMessage: ({ seq }) => newest.push(seq) });
  const past = counted(4).map(fill);
  venue.snapshot = () => past;
  // The fourth comes while the second reader is still asked for.
  venue.refusal = () => {
    venue.send(fill(4));
    return null;
  };
  await socket.subscribe('fills', { from_seq: 0, onMessage: ({ seq }) => all.push(seq) });
  venue.send(fill(5));
  await until('the newest', () => all.at(-1) === 5);
  assert.deepEqual([newest, all, gaps], [[4, 5], [1, 2, 3, 4, 5], []]);
});

test('after a loss, a reader that starts further back gets everything, and another gets nothing twice', async (t) => {
  const { venue, socket, gaps, ups } = await scriptedVenue(t);
  const [first, second]: [number[], number[]] = [[], []];
  venue.seqs.set('fills', 0);
  venue.snapshot = ({ from_seq: from }) => (from === undefined ? [] : counted(3).filter((seq) => seq > from).map(fill));
  await socket.subscribe('fills', { onMessage: ({ seq }) => first.push(seq) });
  venue.send(...counted(3).map(fill));
  await until('three fills', () => first.length === 3);
  venue.clients.at(-1)!.terminate();
  await until('the next connection', () => ups.length === 2);
  await socket.subscribe('fills', { from_seq: 0, onMessage: ({ seq }) => second.push(seq) });
  await until('three fills again', () => second.length === 3);
  assert.deepEqual([first, second, gaps], [[1, 2, 3], [1, 2, 3], []]);
});

test('a reader still catching up gets everything, wherever the next one starts', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  const [all, newest]: [number[], number[]] = [[], []];
  // The next parts of the first are still to come when the second is asked for, which ends it at the venue.
  venue.snapshot = ({ from_seq: from }) => counted(from === 0 ? 3 : 10).filter((seq) => seq > from!).map(fill);
  await socket.subscribe('fills', { from_seq: 0, onMessage: ({ seq }) => all.push(seq) });
  await socket.subscribe('fills', { from_seq: 8, onMessage: ({ seq }) => newest.push(seq) });
  await until('the rest', () => all.at(-1) === 10 && newest.at(-1) === 10);
  venue.send(fill(11));
  await until('the next', () => all.at(-1) === 11 && newest.at(-1) === 11);
  assert.deepEqual([all, newest, gaps], [counted(11), [9, 10, 11], []]);
  assert.deepEqual(venue.got.map(({ from_seq: from }) => from), [0, 8, 3]);
});

test('after "Client not found" the client reconnects, and its streams return', async (t) => {
  const { venue, socket, ups, errors } = await scriptedVenue(t);
  venue.snapshot = ({ channel }) => (channel === 'book' ? [{
    type: 'BookUpdate', is_snapshot: true, symbol: ONE, seq: 1, prev_seq: null, bids: [['5', '1']], asks: [], checksum: crc32('5:1'),
    timestamp: 1,
  }] : []);
  const book = await socket.book(ONE);
  const states: boolean[] = [];
  book.onChange(({ isLive }) => states.push(isLive));
  venue.send({ type: 'Error', message: CLIENT_LOST });
  await until('the book again', () => states.length === 2);
  assert.deepEqual([states, ups], [[false, true], [false, true]]);
  venue.refusal = once([CLIENT_LOST], ({ channel }) => channel === 'trades');
  await socket.subscribe('trades', { symbols: [TWO] });
  assert.deepEqual([ups, errors, book.isLive], [[false, true, true], [], true]);
});

test('an onError that throws does no harm', async (t) => {
  const { venue, socket } = await scriptedVenue(t, { onError: () => { throw new Error('mine'); } });
  const gone = await socket.subscribe('trades', { symbols: [ONE] });
  venue.unknown = ONE;
  venue.clients.at(-1)!.terminate();
  await assert.rejects(gone[Symbol.asyncIterator]().next(), /Unknown symbol/);
  venue.unknown = NEVER;
  const next = await socket.subscribe('index_prices');
  venue.send({ type: 'Error', message: 'of nothing' }, { type: 'IndexPriceUpdate', prices: [], timestamp: 1, seq: 1 });
  assert.equal((await next[Symbol.asyncIterator]().next()).value?.seq, 1);
});

test('closing the socket leaves no timer of a pending retry', async (t) => {
  const [restMs, timers, ended] = [54_321, t.mock.method(globalThis, 'setTimeout'), t.mock.method(globalThis, 'clearTimeout')];
  const { venue, socket } = await scriptedVenue(t, { longestWaitMs: restMs });
  venue.refusal = () => BUSY.message;
  const refused = socket.subscribe('trades');
  const rest = await until('the rest', () => timers.mock.calls.find(({ arguments: [, ms] }) => ms === restMs));
  socket.close();
  await assert.rejects(refused, /closed/);
  await new Promise(setImmediate);
  assert.ok(ended.mock.calls.some(({ arguments: [timer] }) => timer === rest.result));
  assert.equal(timers.mock.calls.filter(({ arguments: [, ms] }) => ms === restMs).length, 1);
});

test('closing the socket ends the wait for its message rate', async (t) => {
  const { socket } = await scriptedVenue(t);
  for (const strike of counted(BOUNDS.messagesPerTick / 2 - 1)) await socket.subscribe('trades', { symbols: [symbolOf(strike)] });
  const [timers, ended] = [t.mock.method(globalThis, 'setTimeout'), t.mock.method(globalThis, 'clearTimeout')];
  const late = socket.subscribe('trades', { symbols: [ONE] });
  const rest = await until('the rest', () => timers.mock.calls.find(({ arguments: [, ms] }) => ms === BOUNDS.tickMs));
  socket.close();
  await assert.rejects(late, /closed/);
  assert.ok(ended.mock.calls.some(({ arguments: [timer] }) => timer === rest.result));
});

test('a signal ends the wait for a subscription, and a late answer is unsubscribed', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  const caller = new AbortController();
  const { signal } = caller;
  const trades = await socket.subscribe('trades', { symbols: [ONE], signal });
  assert.equal(getEventListeners(signal, 'abort').length, 0, 'it is here');
  venue.isDeaf = true;
  const ended: unknown[] = [];
  const waiting = [
    socket.subscribe('candles:BTC:1m', { signal }), socket.subscribe('options_chain', { symbols: ['BTC'], option_type: 'put', signal }),
    socket.subscribe('book', { symbols: [TWO], signal }), socket.book(TWO, { signal }),
  ].map((call) => call.catch((error: unknown) => ended.push(error)));
  await until('the first question', () => venue.got.length === 2);
  caller.abort('enough');
  await Promise.all(waiting);
  assert.deepEqual(ended.map((error) => [(error as StrikebookError).code, (error as Error).cause]), Array(4).fill(['aborted', 'enough']));
  await assert.rejects(socket.subscribe('trades', { symbols: [TWO], signal }), { code: 'aborted' });
  await assert.rejects(socket.book(TWO, { signal }), { code: 'aborted' });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  // Only the first had been asked for.
  venue.isDeaf = false;
  venue.send({ type: 'Subscribed', channel: 'candles:BTC:1m', id: venue.got[1]!.id });
  await until('the end at the venue', () => venue.got.length === 3);
  assert.deepEqual(venue.got.slice(2), [{ type: 'Unsubscribe', channel: 'candles:BTC:1m' }]);
  venue.send(trade(1));
  for await (const { seq } of trades) {
    assert.equal(seq, 1, 'another goes on');
    break;
  }
});

test('a signal ends the wait for a book\'s snapshot', async (t) => {
  const { venue, socket, errors } = await scriptedVenue(t);
  const caller = new AbortController();
  const waiting = socket.book(ONE, { signal: caller.signal });
  await until('the question', () => venue.got.length === 1);
  await socket.subscribe('trades');
  caller.abort();
  await assert.rejects(waiting, { code: 'aborted' });
  await until('the end at the venue', () => venue.got.some(ends));
  assert.deepEqual([getEventListeners(caller.signal, 'abort').length, errors], [0, []]);
});

test('the client\'s texts and codes are those of the venue', () => {
  assert.equal(CLIENT_LOST, VENUE_LOST.message);
  for (const { code } of [BUSY, INTERNAL]) assert.ok(isTemporary(code) && !isUnavailable(code), code);
  for (const code of ['not_found', 'limit_exceeded', 'invalid_parameter']) assert.ok(!isTemporary(code), code);
});

test('streams continue at another venue that answers, and its seqs count afresh', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  venue.seqs.set('fills', 4);
  const heard: [string, number][] = [];
  await socket.subscribe('fills', { onMessage: ({ seq }) => heard.push(['fills', seq]) });
  await socket.subscribe('trades', { onMessage: ({ seq }) => heard.push(['trades', seq]) });
  venue.send(trade(7), fill(5));
  await until('the first', () => heard.length === 2);
  venue.clients.at(-1)!.terminate();
  await until('the same venue', () => venue.got.length === 4);
  venue.id = 'bbbbbbbbbbbbbbbb';
  // It has come further than the one before.
  venue.seqs.set('fills', 90);
  venue.clients.at(-1)!.terminate();
  await until('the other', () => venue.got.length === 6);
  venue.send(trade(8), fill(91));
  await until('the rest', () => heard.length === 4);
  assert.deepEqual(venue.got.filter(({ channel }) => channel === 'fills').map(({ from_seq: from }) => from), [undefined, 5, undefined]);
  assert.deepEqual(gaps, [{ channel: 'fills', key: WALLET, from: 6, to: 0 }, { channel: 'trades', key: ONE, from: 8, to: 0 }]);
  assert.deepEqual(heard, [['trades', 7], ['fills', 5], ['trades', 8], ['fills', 91]]);
});
