// Candles and greeks of a contract over time: against the trades and marks that the venue had, from memory and from the store, after
// restarts, and in the messages of the stream.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { viewsOf } from '../../../core/codec/record.ts';
import { INDEX_UNDERLYING, MARKS_MOVED } from '../../../core/codec/events.ts';
import { CALL, DELETE_MARKET, LIST_MARKET, PERP } from '../../../core/codec/commands.ts';
import { ACTIVE } from '../../../core/instruments/instruments.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { BUY, IOC, SELL } from '../../../core/units.ts';
import { RESOLUTIONS, type Resolution } from '../../../shell/ipc/enum-names.ts';
import { MARKS_AT_ONCE } from '../../../shell/reader/channels/candles.ts';
import { slotOfSymbol } from '../../../shell/reader/text.ts';
import { generator } from '../storage/journal/support.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { START, TestVenue } from '../../support/venue.ts';
import { Log, RestartedReader } from './restarted-reader.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, type Sent } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const MINUTE = 60_000;
const MARK = 5 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ALL = Object.keys(RESOLUTIONS) as Resolution[];

type Candle = { start_time_ms: number; open: number; high: number; low: number; close: number; volume: number };
type Value = { readonly time: number; readonly price: number; readonly size: number };

function expectedOf(values: readonly Value[], resolution: Resolution, symbol: string, price: 'trade' | 'mark'): object[] {
  const length = RESOLUTIONS[resolution];
  const groups = Map.groupBy(values, ({ time }) => Math.floor(time / length) * length);
  return [...groups].map(([start, of]) => {
    const prices = of.map((one) => one.price / USDC);
    return {
      underlying: 'BTC', resolution, start_time_ms: start, end_time_ms: start + length, open: prices[0], high: Math.max(...prices),
      low: Math.min(...prices), close: prices.at(-1), volume: of.reduce((sum, { size }) => sum + size, 0) / ONE,
      trades: price === 'trade' ? of.length : 0, instrument_name: symbol, price,
    };
  });
}

type Asked = { readonly price: 'trade' | 'mark'; readonly resolution: Resolution; readonly symbol?: string };

function candlesOf(bench: Bench, asked: Asked, [start, end] = [START - DAY, START + 90 * DAY]): Candle[] {
  const { price, resolution, symbol = CALL_100_SYMBOL } = asked;
  const query = { instrument_name: symbol, price, resolution, start: start!, end: end! };
  return bench.body<{ data: { candles: Candle[] } }>('instrumentCandles', query).data.candles;
}

/** Marks of contracts at each vintage, by the time of the command that brought it in force; of a venue that is opened now. */
function watchMarks(t: TestContext, ...symbols: string[]): [Bench, ...Value[][]] {
  const venue = new TestVenue({ limits: checked({ ...SMALL, instruments: 2 * SMALL.instruments }) });
  const seen = symbols.map((symbol) => watchOne(venue, symbol));
  return [new Bench(t, { venue: venue.open() }), ...seen];
}

function watchOne(venue: TestVenue, symbol: string): Value[] {
  const seen: Value[] = [];
  const { listener } = venue.state.events;
  venue.state.events.listener = (kind, f) => {
    listener!(kind, f);
    const slot = slotOfSymbol(venue.state, symbol);
    if (kind === MARKS_MOVED && f[INDEX_UNDERLYING] === 0 && slot >= 0 && venue.state.instruments.status[slot] === ACTIVE) {
      seen.push({ time: venue.now, price: venue.state.valuation.mark[slot]!, size: 0 });
    }
  };
  return seen;
}

function move(venue: TestVenue, random: () => number, ms: number): void {
  venue.advance(ms);
  venue.venue(venue.write.index(0, Math.round(100_000 + 900 * (random() - 0.5)) * USDC, 1));
  venue.settle();
}

test('candles of trades are those of the trades, from memory, from the store and from both', (t) => {
  const bench = new Bench(t);
  const random = generator(11);
  const trades: Value[] = [];
  for (let at = 0; at < 120; at++) {
    move(bench.venue, random, Math.ceil(random() * (random() < 0.1 ? 2 * HOUR / 10 : 40_000)));
    const [price, size] = [(2_000 + Math.floor(random() * 300)) * USDC, Math.ceil(random() * 4) * ONE];
    bench.place({ wallet: 1, side: SELL, price, size });
    bench.place({ wallet: 2, side: BUY, price, size, tif: IOC });
    trades.push({ time: bench.venue.now, price, size });
    if (at === 60) bench.commit();
    if (at % 30 !== 7 && at !== 119) continue;
    for (const resolution of ALL) {
      assert.deepEqual(candlesOf(bench, { price: 'trade', resolution }), expectedOf(trades, resolution, CALL_100_SYMBOL, 'trade'));
    }
  }
  const whole = candlesOf(bench, { price: 'trade', resolution: '1m' });
  const [from, to] = [whole[3]!.start_time_ms, whole[9]!.start_time_ms];
  assert.deepEqual(candlesOf(bench, { price: 'trade', resolution: '1m' }, [from, to]), whole.slice(3, 9), 'the end is exclusive');
});

test('candles of marks are those of the vintages, and the current one has all of its marks so far', (t) => {
  const [bench, marks] = watchMarks(t, CALL_100_SYMBOL) as [Bench, Value[]];
  const random = generator(12);
  for (let at = 0; at < 400; at++) {
    move(bench.venue, random, Math.ceil(random() * 12_000));
    bench.feed();
    if (at === 200) bench.commit();
    if (at % 60 !== 11 && at !== 399) continue;
    for (const resolution of ALL.slice(1)) {
      assert.deepEqual(candlesOf(bench, { price: 'mark', resolution }), expectedOf(marks, resolution, CALL_100_SYMBOL, 'mark'));
    }
  }
  assert.ok(candlesOf(bench, { price: 'mark', resolution: '5m' }).length > 5);
});

test('a perp and a contract that has ended have candles, an unknown name has none', (t) => {
  const [bench, marks, gone] = watchMarks(t, 'BTC-PERP', CALL_100_SYMBOL) as [Bench, Value[], Value[]];
  const random = generator(13);
  bench.venue.advance(EXPIRY - START - 7 * MINUTE);
  while (bench.venue.now < EXPIRY + 3 * HOUR) move(bench.venue, random, bench.venue.now < EXPIRY + MARK ? 20_000 : 10 * MINUTE);
  bench.feed();
  for (const commits of [false, true]) {
    if (commits) bench.commit();
    const perp = candlesOf(bench, { price: 'mark', resolution: '1h', symbol: 'BTC-PERP' });
    assert.deepEqual(perp, expectedOf(marks, '1h', 'BTC-PERP', 'mark'));
    assert.deepEqual(candlesOf(bench, { price: 'mark', resolution: '5m' }), expectedOf(gone, '5m', CALL_100_SYMBOL, 'mark'));
  }
  assert.ok(gone.length > 10 && gone.at(-1)!.time < EXPIRY + MINUTE);
  const query = { price: 'trade', resolution: '1h', start: 0, end: 1e14 } as const;
  const refusal = (name: string): unknown[] => {
    const { status, body } = bench.answer('instrumentCandles', { ...query, instrument_name: name });
    return [status, (JSON.parse(body) as { message: string }).message];
  };
  assert.deepEqual(refusal('BTC-20300101-1-C'), [404, 'Instrument not found: BTC-20300101-1-C']);
  assert.deepEqual(refusal('BTC'), [400, 'Invalid instrument_name: BTC']);
});

test('a contract that is deleted leaves its marks as a row at once, because its place may be used again', (t) => {
  const [bench, marks] = watchMarks(t, CALL_100_SYMBOL) as [Bench, Value[]];
  const random = generator(14);
  for (let at = 0; at < 8; at++) move(bench.venue, random, 5_000);
  bench.venue.venue(bench.venue.write.market(DELETE_MARKET, 0, EXPIRY, 100_000e6, CALL));
  bench.feed();
  assert.equal(bench.reader.rows.rows.candleParts.filter(({ name }) => name === CALL_100_SYMBOL).length, 1);
  for (let at = 0; at < 80; at++) move(bench.venue, random, 5_000);
  bench.feed();
  assert.deepEqual(candlesOf(bench, { price: 'mark', resolution: '5m' }), expectedOf(marks, '5m', CALL_100_SYMBOL, 'mark'));
});

for (const [how, isClean] of [['a crash', false], ['a clean stop', true]] as const) {
  test(`after ${how} from a snapshot in the middle of five minutes, candles are those of a reader that never stopped`, async (t) => {
    const folder = temporaryFolder(t);
    const venue = new TestVenue().open();
    const bench = new Bench(t, { venue });
    const log = new Log(folder, venue);
    const random = generator(15);
    let nonce = 0;
    for (let round = 0; round < 5; round++) {
      const running = await RestartedReader.begin(folder, venue, log.seq);
      assert.ok(round === 0 || running.snapshotSeq > 0);
      const run = (steps: number): void => {
        for (let at = 0; at < steps; at++) {
          move(venue, random, 4_000);
          venue.send(venue.write.place({ ...CALL_100, wallet: 1 + at % 2, nonce: ++nonce, side: at % 2, price: 2_000 * USDC, size: ONE }));
        }
        for (const record of log.commit()) running.reader.feed(viewsOf(record.buffer as ArrayBuffer), 0);
        bench.feed();
      };
      const send = (): void => {
        running.reader.history.send();
        running.runHistory(running.reader);
      };
      run(20);
      if (isClean) {
        send();
        running.reader.history.close(() => running.snapshots.write(running.reader.state), running.reader.candlesSoFar());
        running.runHistory(running.reader);
      } else {
        running.reader.keepCandles();
        running.snapshots.write(running.reader.state);
        send();
        run(23 + round);
        // The history keeps some of it, and the rest is made again.
        if (round % 2 === 0) send();
        run(7);
      }
      for (const resolution of ALL.slice(1)) {
        for (const name of ['instrumentCandles', 'volIndexCandles'] as const) {
          const of = { instrument_name: CALL_100_SYMBOL, underlying: 'BTC', price: 'mark' } as const;
          const query = { ...of, resolution, start: START, end: START + DAY };
          const { status, body } = bench.answer(name, query);
          assert.equal(running.answer(name, query), `${status} ${body}`, `${name} ${resolution}, round ${round}`);
        }
      }
      running.store.close();
    }
    const { candles } = bench.body<{ data: { candles: Candle[] } }>('instrumentCandles', {
      instrument_name: CALL_100_SYMBOL, price: 'mark', resolution: '5m', start: START, end: START + DAY,
    }).data;
    assert.ok(candles.length > 1 && candles.every(({ high, low }) => high > low));
    log.close();
  });
}

test('greeks over time are those of GET /greeks and of the book at the end of each five minutes', (t) => {
  const bench = new Bench(t);
  const random = generator(16);
  bench.place({ wallet: 1, side: SELL, price: 2_400 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_400 * USDC, size: 2 * ONE });
  bench.place({ wallet: 3, side: BUY, price: 2_000 * USDC, size: ONE });
  type Book = { mark_iv: number | null; bid_iv: number | null; ask_iv: number | null; open_interest: number };
  type Greeks = { data: { delta: number; gamma: number; vega: number; theta: number } };
  const now = (): object => {
    const { delta, gamma, vega, theta } = bench.body<Greeks>('greeks', { symbol: CALL_100_SYMBOL }).data;
    const { mark_iv, bid_iv, ask_iv, open_interest } = bench.body<Book>('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 1 });
    return { mark_iv, bid_iv, ask_iv, delta, gamma, theta, vega, open_interest };
  };
  const expected: object[] = [];
  let last = now();
  while (bench.venue.now < START + 50 * MINUTE) {
    bench.venue.advance(MINUTE);
    bench.venue.venue(bench.venue.write.index(0, Math.round(100_000 + 900 * random()) * USDC, 1));
    bench.venue.settle();
    bench.feed();
    if (bench.venue.now % MARK === 0) expected.push({ timestamp: bench.venue.now, ...last });
    if (bench.venue.now === START + 20 * MINUTE) bench.commit();
    last = now();
  }
  const read = (symbol: string, limit: number): object[] => bench.body<{ data: { points: object[] } }>('historicalGreeks', {
    instrument_name: symbol, interval: '5m', limit,
  }).data.points;
  assert.deepEqual(read(CALL_100_SYMBOL, 100), expected);
  assert.deepEqual(read(CALL_100_SYMBOL, 3), expected.slice(-3));
  const { bid_iv: bid, ask_iv: ask, open_interest: interest } = expected.at(-1) as Record<string, number | null>;
  assert.ok(bid! > 0 && ask === null && interest === 2);
  const perp = read('BTC-PERP', 1)[0] as Record<string, number | null>;
  assert.deepEqual([perp['mark_iv'], perp['delta'], perp['gamma'], perp['theta']], [null, 1, 0, 0]);
  const { status } = bench.answer('historicalGreeks', { instrument_name: 'BTC-20300101-1-C', interval: '5m', limit: 1 });
  assert.equal(status, 404);
});

type Standing = { topic: number; seq: number; messages: (Candle & { seq: number })[] };

function subscribe(bench: Bench, key: string): Standing {
  const { status, body } = bench.answer('subscribe', { channel: 'candles', key });
  assert.equal(status, 200, body);
  return JSON.parse(body) as Standing;
}

test('the stream of a contract\'s trades sends the candle of GET /instrument-candles after each trade, numbered as trades', (t) => {
  const bench = new Bench(t);
  const random = generator(17);
  const topics = new Map(ALL.map((resolution) => [resolution, subscribe(bench, `${CALL_100_SYMBOL}:${resolution}`).topic]));
  let messages = 0;
  for (let at = 0; at < 40; at++) {
    move(bench.venue, random, Math.ceil(random() * 50_000));
    bench.place({ wallet: 1, side: SELL, price: (2_000 + Math.floor(random() * 50)) * USDC, size: ONE });
    bench.sent.length = 0;
    bench.place({ wallet: 2, side: BUY, price: 2_500 * USDC, size: ONE, tif: IOC });
    for (const resolution of ALL) {
      const [sent, ...more] = bench.sent.filter(({ topic }) => topic === topics.get(resolution));
      assert.equal(more.length, 0);
      const { type, seq, ...candle } = sent!.message;
      assert.deepEqual([type, seq, sent!.seq], ['CandleUpdate', at + 1, at + 1]);
      assert.deepEqual(candle, candlesOf(bench, { price: 'trade', resolution }).at(-1));
      messages++;
    }
  }
  assert.equal(messages, 40 * ALL.length);
  const again = subscribe(bench, `${CALL_100_SYMBOL}:1d`);
  assert.deepEqual([again.seq, again.messages[0]!.seq, again.messages[0]!.volume], [40, 40, 40]);
});

test('the stream of a contract\'s marks sends the candle of GET /instrument-candles, also when it held some back', (t) => {
  const bench = new Bench(t);
  const random = generator(18);
  const hour = subscribe(bench, `${CALL_100_SYMBOL}:1h:mark`).topic;
  const short = subscribe(bench, `${CALL_100_SYMBOL}:5m:mark`).topic;
  const trades = subscribe(bench, `${CALL_100_SYMBOL}:5m`).topic;
  bench.isHeld = true;
  for (let at = 0; at < 60; at++) {
    for (let of = 0; of < 40; of++) move(bench.venue, random, 4_000);
    bench.feed();
    bench.sent.length = 0;
    bench.flush();
    const told = (topic: number): Sent[] => bench.sent.filter((one) => one.topic === topic);
    for (const [topic, resolution] of [[hour, '1h'], [short, '5m']] as const) {
      const [sent, ...more] = told(topic);
      assert.equal(more.length, 0);
      const { type: _, seq, ...candle } = sent!.message;
      assert.equal(seq, bench.reader.state.valuation.vintage[0]);
      assert.deepEqual(candle, candlesOf(bench, { price: 'mark', resolution }).at(-1));
    }
    assert.equal(told(trades).length, 0);
    if (at === 30) bench.commit();
  }
});

test('marks go out in parts, and a subscription that ended gets nothing more', (t) => {
  const bench = new Bench(t);
  const slots = bench.venue.slots(({ underlying, kind }) => underlying === 'BTC' && kind !== PERP).slice(0, MARKS_AT_ONCE + 10);
  const symbols = slots.map((slot) => bench.venue.contract(slot)).map(({ expiry, strike, kind }) => (
    `BTC-${new Date(expiry).toISOString().slice(0, 10).replaceAll('-', '')}-${strike / USDC}-${kind === CALL ? 'C' : 'P'}`
  ));
  const topics = symbols.map((symbol) => subscribe(bench, `${symbol}:5m:mark`).topic);
  assert.equal(topics.length, MARKS_AT_ONCE + 10);
  bench.answer('unsubscribe', { topic: topics[0]!, count: 1 });
  bench.isHeld = true;
  move(bench.venue, generator(19), 1_000);
  bench.feed();
  bench.sent.length = 0;
  bench.flush();
  assert.equal(bench.sent.length, MARKS_AT_ONCE);
  bench.flush();
  assert.deepEqual(new Set(bench.sent.map(({ topic }) => topic)), new Set(topics.slice(1)));
  assert.equal(bench.reader.streams.isPending, false);
});

test('a channel of candles is written in one way', (t) => {
  const bench = new Bench(t);
  const wrong = [
    'BTC:1m:mark', `${CALL_100_SYMBOL}:1m:mark`, `${CALL_100_SYMBOL}:5m:trade`, `${CALL_100_SYMBOL}:2h`, 'BTC-06JAN26-100000-C:1h',
    `${CALL_100_SYMBOL}:5m:mark:mark`, 'BTC-20300101-1-C:1h', `${CALL_100_SYMBOL}`, ':1m',
  ];
  for (const key of wrong) {
    const { status, body } = bench.answer('subscribe', { channel: 'candles', key });
    assert.deepEqual([status, (JSON.parse(body) as { message: string }).message], [400, `Unknown channel: candles:${key}`]);
  }
});

test('given a contract that is deleted while a subscription waits, when it is listed again, then nothing is sent of its marks', (t) => {
  const bench = new Bench(t);
  const { history, reader, venue } = bench;
  subscribe(bench, 'BTC:5m');
  const given: number[] = [];
  reader.answer(0, 'subscribe', { channel: 'candles', key: `${CALL_100_SYMBOL}:5m:mark` }, ({ status }) => given.push(status));
  for (const kind of [DELETE_MARKET, LIST_MARKET]) {
    venue.venue(venue.write.market(kind, 0, EXPIRY, 100_000e6, CALL));
    venue.settle();
    bench.feed();
    history.run(reader);
  }
  assert.deepEqual(given, [400]);
  assert.ok(slotOfSymbol(venue.state, CALL_100_SYMBOL) >= 0);
  bench.isHeld = true;
  move(venue, generator(20), 5_000);
  bench.feed();
  assert.equal(reader.streams.isPending, false);
});
