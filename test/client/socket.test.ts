// The client's streams against a server that sends what a test wants: a lost connection and its return, gaps, repeated messages,
// refusals, slow readers, silence. The server speaks the part of the interface that a subscription needs.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import { WebSocket } from 'ws';
import { StrikebookError } from '../../client/src/strikebook-error.ts';
import type { BookUpdate, FillMessage, Messages, TradeMessage } from '../../client/src/messages.ts';
import type { SocketConstructor } from '../../client/src/reconnecting-socket.ts';
import { VenueSocket } from '../../client/src/socket.ts';
import { MessageBuffer } from '../../client/src/stream.ts';
import { CHANNELS } from '../../shell/ipc/channels.ts';
import { NEVER, ONE, scriptedVenue, TWO, WALLET } from './scripted-venue.ts';
import { until } from './until.ts';

const trade = (seq: number, symbol = ONE): TradeMessage => (
  { type: 'Trade', symbol, price: '1', size: '1', side: 'buy', timestamp: 1, trade_id: seq, seq }
);
const fill = (seq: number, symbol = ONE): FillMessage => ({
  type: 'Fill', order_id: 1, fill_id: seq, trade_id: 1, symbol, side: 'Buy', price: '1', size: '1', fee: '0', is_taker: true, timestamp: 1,
  wallet_address: WALLET, builder_code_address: null, builder_code_fee: null, instrument_type: 'option', seq,
});
const orderbook = (seq: number, bid = '5', symbol = ONE) => (
  { type: 'OrderbookUpdate', symbol, option_token_address: null, bids: [[bid, '1']], asks: [], timestamp: seq * 10, seq }
);
type Side = readonly (readonly [string, string])[];
/** `text`: the levels as they stand afterwards, as they are checked. */
const update = (seq: number, before: number | null, bids: Side, asks: Side, text: string): BookUpdate => ({
  type: 'BookUpdate', is_snapshot: before === null, symbol: ONE, seq, prev_seq: before, bids, asks, checksum: crc32(text),
  timestamp: seq * 10,
});
/** A snapshot of one bid. */
const book = (seq: number, bid = '5'): BookUpdate => update(seq, null, [[bid, '1']], [], `${bid}:1`);
const codeOf = (error: unknown): string => (error as StrikebookError).code;

test('each message comes once and in order, by listener and by iterator, and a gap is reported', async (t) => {
  const { venue, socket, gaps, ups } = await scriptedVenue(t);
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

test('a lost connection returns with its subscriptions; missed messages and a reset seq are gaps', async (t) => {
  const { venue, socket, gaps, ups } = await scriptedVenue(t);
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
  assert.deepEqual(venue.got, [
    { type: 'Subscribe', channel: 'fills', from_seq: 2 }, { type: 'Subscribe', channel: 'trades', symbols: [ONE] },
  ]);
  venue.send(fill(5), fill(6));
  await until('four fills', () => heard.length === 4);
  assert.deepEqual([heard, gaps, ups], [[1, 2, 5, 6], [{ channel: 'fills', key: WALLET, from: 3, to: 4 }], [false, true]]);
  // A venue that counts again does not know the number.
  venue.newest = 0;
  venue.clients.at(-1)!.terminate();
  await until('the third connection', () => ups.length === 3 && venue.got.length === 5);
  venue.send(fill(1));
  await until('a fill of the new count', () => heard.length === 5);
  assert.deepEqual(gaps.at(-1), { channel: 'fills', key: WALLET, from: 7, to: 0 });
});

test('a wallet\'s stream with symbols is filtered by the client, so that gaps are noticed', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  const heard: number[] = [];
  await socket.subscribe('fills', { symbols: [TWO], onMessage: ({ seq }) => heard.push(seq) });
  assert.deepEqual(venue.got, [{ type: 'Subscribe', channel: 'fills' }]);
  venue.send(fill(1), fill(2, TWO), fill(3), fill(4, TWO), fill(6, TWO));
  await until('three fills', () => heard.length === 3);
  assert.deepEqual([heard, gaps], [[2, 4, 6], [{ channel: 'fills', key: WALLET, from: 5, to: 5 }]]);
});

test('symbols select only where the table of channels says so', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  const seqs: [number[], number[]] = [[], []];
  await socket.subscribe('portfolio', { symbols: [TWO], onMessage: ({ seq }) => seqs[0].push(seq) });
  await socket.subscribe('index_prices', { symbols: [TWO], onMessage: ({ seq }) => seqs[1].push(seq) });
  assert.deepEqual(venue.got, [{ type: 'Subscribe', channel: 'portfolio' }, { type: 'Subscribe', channel: 'index_prices' }]);
  venue.send({ type: 'PortfolioUpdate', update_type: 'BalanceUpdate', total_margin_used: '1', timestamp: 1, seq: 1 });
  venue.send({ type: 'PositionExpired', wallet_address: WALLET, symbol: ONE, timestamp: 1, seq: 2 });
  venue.send({ type: 'IndexPriceUpdate', prices: [], timestamp: 1, seq: 7 });
  await until('the price', () => seqs[1].length === 1);
  assert.deepEqual(seqs, [[1, 2], [7]]);
});

test('a book is given out with its snapshot, follows every change, and is stale while disconnected', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  venue.snapshot = ({ channel }) => (channel === 'book' ? [book(venue.clients.length * 100)] : []);
  const btc = await socket.book(ONE);
  assert.deepEqual([btc.seq, btc.isLive, btc.bestBid, btc.bestAsk, btc.timestamp], [100, true, { price: '5', size: '1' }, null, 1_000]);
  const seqs: (number | string)[] = [];
  const stop = btc.onChange(({ seq, isLive }) => seqs.push(isLive ? seq : 'away'));
  // A number may be left out: the message after it says what it follows.
  venue.send(update(101, 100, [['6', '2']], [['7.5', '1'], ['9', '1']], '6:2:7.5:1:5:1:9:1'));
  venue.send({ ...book(9, '9'), symbol: TWO });
  venue.send(update(105, 101, [['6', '3'], ['5.5', '1'], ['5', '0']], [['7.5', '0']], '6:3:9:1:5.5:1'));
  await until('the changes', () => btc.seq === 105);
  const levels = (side: typeof btc.bids): Side => side.map(({ price, size }) => [price, size]);
  assert.deepEqual([levels(btc.bids), levels(btc.asks)], [[['6', '3'], ['5.5', '1']], [['9', '1']]]);
  // A second reader makes the venue send a snapshot again, which is no change for the first.
  venue.snapshot = () => [update(105, null, btc.bids.map(({ price, size }) => [price, size]), [['9', '1']], '6:3:9:1:5.5:1')];
  const again = await socket.book(ONE);
  venue.snapshot = ({ channel }) => (channel === 'book' ? [book(venue.clients.length * 100)] : []);
  venue.clients.at(-1)!.terminate();
  await until('the book of the second connection', () => btc.isLive && btc.seq === 200 && again.seq === 200);
  stop();
  assert.deepEqual([seqs, gaps], [[101, 105, 'away', 200], []]);
  btc.close();
  again.close();
  await until('the end at the venue', () => venue.got.at(-1)!.type === 'Unsubscribe');
  assert.equal(venue.got.filter(({ type }) => type === 'Unsubscribe').length, 1);
  assert.deepEqual([btc.isLive, again.isLive], [false, false]);
});

test('a book that does not match is stale at once, and is requested again', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  let next = 10;
  venue.snapshot = ({ channel }) => (channel === 'book' ? [book(next)] : []);
  const btc = await socket.book(ONE);
  const wrong: readonly [string, BookUpdate][] = [
    ['a message was left out', update(12, 11, [['6', '1']], [], '6:1:5:1')],
    ['other levels than those of the venue', update(12, 10, [['6', '1']], [], '6:1:5:2')],
  ];
  for (const [what, message] of wrong) {
    const seqs: (number | string)[] = [];
    const stop = btc.onChange(({ seq, isLive }) => seqs.push(isLive ? seq : 'old'));
    venue.got.length = 0;
    // The new snapshot may be as old as the last message that fitted; changes before it are no use.
    venue.send({ ...message }, { ...update(13, 12, [['4', '1']], [], '') });
    await until(what, () => seqs.length === 2);
    stop();
    assert.deepEqual([seqs, btc.bids], [['old', 10], [{ price: '5', size: '1' }]], what);
    assert.deepEqual(venue.got.map(({ type, symbols }) => [type, symbols]), [['Unsubscribe', [ONE]], ['Subscribe', [ONE]]], what);
  }
  next = 20;
  venue.send(update(11, 10, [], [['8', '1']], '5:1:8:1'));
  await until('the change that fits', () => btc.seq === 11 && btc.isLive);
});

test('a resumable stream continues where it was, also before its first message; what is gone is a gap', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  const kept = [fill(4), fill(5), fill(6), fill(7)];
  venue.seqs.set('fills', 4);
  venue.snapshot = ({ from_seq: from }) => (from === undefined ? [] : kept.filter(({ seq }) => seq > from));
  const heard: number[] = [];
  await socket.subscribe('fills', { onMessage: ({ seq }) => heard.push(seq) });
  venue.clients.at(-1)!.terminate();
  await until('what was missed', () => heard.length === 3);
  assert.deepEqual([heard, venue.got.map(({ from_seq: from }) => from)], [[5, 6, 7], [undefined, 4]]);
  // Another reader begins where it wants to.
  const late: number[] = [];
  await socket.subscribe('fills', { from_seq: 5, onMessage: ({ seq }) => late.push(seq) });
  await until('the last two', () => late.length === 2);
  assert.deepEqual([late, heard, gaps], [[6, 7], [5, 6, 7], []]);
  venue.oldest = 9;
  kept.push(fill(9), fill(10));
  venue.clients.at(-1)!.terminate();
  await until('what is kept', () => heard.length === 5 && late.length === 4);
  assert.deepEqual(venue.got.slice(3).map(({ from_seq: from }) => from), [7, 8, 7, 8]);
  const missed = Array(2).fill({ channel: 'fills', key: WALLET, from: 8, to: 8 });
  assert.deepEqual([heard, late, gaps], [[5, 6, 7, 9, 10], [6, 7, 9, 10], missed]);
  venue.oldest = 21;
  venue.clients.at(-1)!.terminate();
  await until('gaps that nothing follows', () => gaps.length === 4);
  await assert.rejects(socket.subscribe('trades', { from_seq: 1 }), (error) => codeOf(error) === 'invalid_argument');
});

test('a portfolio whose venue restarted its seq gets the current state and a gap', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  const initial = (seq: number): object => ({ type: 'PortfolioUpdate', update_type: 'Initial', seq });
  const begins = (seq: number): void => {
    venue.seqs.set('portfolio', seq);
    venue.snapshot = () => [initial(seq)];
  };
  begins(5);
  const heard: number[] = [];
  await socket.subscribe('portfolio', { onMessage: ({ seq }) => heard.push(seq) });
  begins(2);
  venue.clients.at(-1)!.terminate();
  await until('what stands', () => heard.length === 2);
  venue.send({ ...initial(3), update_type: 'BalanceUpdate' });
  await until('what follows', () => heard.length === 3);
  assert.deepEqual([heard, venue.got.at(-1)], [[5, 2, 3], { type: 'Subscribe', channel: 'portfolio', from_seq: 5 }]);
  assert.deepEqual(gaps, [{ channel: 'portfolio', key: WALLET, from: 6, to: 1 }]);
});

test('streams of the venue, of an underlying and of a row filter work side by side', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  const candle = (seq: number, resolution: string): object => ({ type: 'CandleUpdate', underlying: 'BTC', resolution, seq, close: seq });
  const row = (seq: number, strike: number): object => (
    { type: 'OptionsChainUpdate', action: 'Upsert', currency: 'BTC', expiry: 1, row: { strike }, timestamp: 1, seq }
  );
  const [closes, strikes, seqs]: [number[], number[], number[]] = [[], [], []];
  await socket.subscribe('candles:BTC:1h', { onMessage: ({ close }) => closes.push(close) });
  const minutes = await socket.subscribe('candles:BTC:1m');
  const chain = { symbols: ['BTC'], expiry: '2026-01-31', option_type: 'call' } as const;
  const rows = await socket.subscribe('options_chain', {
    ...chain, onMessage: (message) => { if (message.action === 'Upsert') strikes.push(message.row.strike); },
  });
  await socket.subscribe('index_prices', { onMessage: ({ seq }) => seqs.push(seq) });
  assert.deepEqual(venue.got[2], { type: 'Subscribe', channel: 'options_chain', ...chain });
  venue.send(candle(1, '1h'), candle(1, '1m'), candle(2, '1h'), row(5, 100), row(5, 101), row(9, 102));
  venue.send(...[7, 9].map((seq) => ({ type: 'IndexPriceUpdate', prices: [], timestamp: 1, seq })));
  await until('all of them', () => seqs.length === 2);
  assert.deepEqual([closes, strikes, minutes.waiting], [[1, 2], [100, 101, 102], 1]);
  assert.deepEqual(gaps, [{ channel: 'index_prices', key: '', from: 8, to: 8 }]);
  minutes.close();
  rows.close();
  await until('both ends', () => venue.got.length === 6);
  assert.deepEqual(venue.got.slice(4), [
    { type: 'Unsubscribe', channel: 'candles:BTC:1m' }, { type: 'Unsubscribe', channel: 'options_chain', ...chain },
  ]);
});

test('a row filter that another reader wrote differently stays subscribed', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  const seconds = String(Date.parse('2026-01-31T08:00:00Z') / 1_000);
  const one = await socket.subscribe('options_chain', { symbols: [ONE, TWO], expiry: '2026-01-31' });
  const other = await socket.subscribe('options_chain', { symbols: [TWO, ONE], expiry: seconds });
  one.close();
  await socket.subscribe('trades');
  assert.deepEqual(venue.got.map(({ type }) => type), ['Subscribe', 'Subscribe', 'Subscribe']);
  other.close();
  await until('the end at the venue', () => venue.got.at(-1)!.type === 'Unsubscribe');
});

test('a refused subscription throws the venue\'s error, and the next ones are not mixed up with it', async (t) => {
  const { venue, socket, errors } = await scriptedVenue(t);
  const calls: Promise<unknown>[] = [[ONE], [NEVER], [ONE, NEVER, TWO]].map((symbols) => socket.subscribe('trades', { symbols }));
  calls.push(socket.subscribe('orderbook', { symbols: [TWO] }));
  const ends = await Promise.allSettled(calls);
  assert.deepEqual(ends.map(({ status }) => status), ['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  for (const end of ends) {
    if (end.status === 'rejected') assert.match(String(end.reason), /StrikebookError: Unknown symbol or wallet: BTC-20990101-1-C/);
  }
  // Asked for together, by halves, and alone. At first NEVER is still wanted by the third, and ONE by the first for good.
  assert.deepEqual(venue.got.filter(({ type }) => type === 'Unsubscribe').map(({ symbols }) => symbols), [[NEVER, TWO]]);
  venue.send({ type: 'Error', message: 'Internal error' });
  await until('an error of its own', () => errors.length === 1);
  assert.match(String(errors[0]), /Internal error/);
});

test('a subscription that the venue refuses after a reconnect ends with an error', async (t) => {
  const { venue, socket, errors } = await scriptedVenue(t);
  venue.snapshot = ({ channel }) => (channel === 'book' ? [book(1)] : []);
  const gone = await socket.book(ONE);
  const stream = await socket.subscribe('trades', { symbols: [ONE] });
  await socket.subscribe('trades', { symbols: [TWO] });
  venue.unknown = ONE;
  venue.clients.at(-1)!.terminate();
  await assert.rejects(stream[Symbol.asyncIterator]().next(), (error) => codeOf(error) === 'subscription_refused');
  await until('both errors', () => errors.length === 2);
  assert.deepEqual([errors.map(codeOf), gone.isLive], [['subscription_refused', 'subscription_refused'], false]);
});

test('a silent venue is asked first, and then given up', async (t) => {
  const { venue, socket, ups } = await scriptedVenue(t, { heartbeatMs: 200 });
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

test('for a slow reader the newest book of each symbol stays, and any other stream ends with overflow', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  const trades = await socket.subscribe('trades', { bound: 3 });
  const books = await socket.subscribe('orderbook', { bound: 3 });
  for (let seq = 1; seq <= 50; seq++) venue.send(orderbook(seq, String(seq)), orderbook(seq, '1', TWO));
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

test('a listener that throws is reported, and ends nothing', async (t) => {
  const { venue, socket, errors } = await scriptedVenue(t);
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

test('closing ends all streams, pending subscriptions and new ones', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
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

test('an invalid subscription is refused before it is sent', async (t) => {
  const { venue, socket } = await scriptedVenue(t);
  const invalid = (error: unknown): boolean => codeOf(error) === 'invalid_argument';
  await assert.rejects(socket.subscribe('nothing' as 'trades'), invalid);
  await assert.rejects(socket.subscribe('trades', { symbols: ['BTC-31JAN26-100000-C'] }), invalid);
  for (const name of ['trades', 'fills', 'options_chain'] as const) await assert.rejects(socket.subscribe(name, { symbols: [] }), invalid);
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

test('a buffer serves waiting readers in turn, and reports its end once', async () => {
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

test('the client has the channels of the venue', () => {
  const declared: Record<keyof Messages, true> = {
    orderbook: true, book: true, trades: true, index_prices: true, market_updates: true, options_chain: true, order_updates: true,
    fills: true, portfolio: true, liquidation: true, quotes: true, competition: true,
    vol_index: true, ledger: true, funding: true, perp_ticker: true,
  };
  assert.deepEqual([...Object.keys(declared), 'candles'].sort(), CHANNELS.map(({ name }) => name).sort());
});

test('a peer that never closes keeps no connection open, neither given up nor closed', async (t) => {
  const made: WebSocket[] = [];
  class Kept extends WebSocket {
    constructor(url: string) {
      super(url);
      made.push(this);
    }
  }
  const isOpen = ({ readyState }: WebSocket): boolean => readyState !== WebSocket.CLOSED;
  const { venue, socket } = await scriptedVenue(t, { WebSocket: Kept as unknown as SocketConstructor, heartbeatMs: 20 });
  await until('a connection given up, and another one', () => {
    // From Hello on it hears nothing, not even the end.
    for (const client of venue.clients) client.pause();
    return made.length > 1 && socket.isConnected;
  });
  const before = performance.now();
  socket.close();
  await until('their ends', () => !made.some(isOpen));
  // A WebSocket of the package waits half a minute by itself.
  assert.ok(performance.now() - before < 15_000);
});
