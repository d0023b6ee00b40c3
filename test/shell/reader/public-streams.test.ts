// The public channels besides orderbook and trades: what a client builds from their messages equals the reads, at every step.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { CALL, DELETE_MARKET, LIST_MARKET } from '../../../core/codec/commands.ts';
import { BUY, GTC, IOC, SELL } from '../../../core/units.ts';
import { normalSelection, type ChainSelection } from '../../../shell/ipc/chain-selection.ts';
import { ChainIndex } from '../../../shell/ws/chain-index.ts';
import type { OutboundMessage } from '../../../shell/ws/outbound-message.ts';
import { ChannelBook } from '../../support/channel-book.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, ROOMY, type Sent } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const OTHER_SYMBOL = 'BTC-20260106-90000-C';

type Message = Sent['message'];
type Standing = { topic: number; seq: number | null; messages: Message[] };

function subscribe(bench: Bench, channel: string, key: string, api = 0): Standing {
  const { status, body } = bench.answer('subscribe', { channel, key }, api);
  assert.equal(status, 200, body);
  return JSON.parse(body) as Standing;
}

function taken(bench: Bench, topic: number): Message[] {
  return bench.sent.splice(0).filter((one) => one.topic === topic || one.also === topic).map(({ message, seq }) => {
    assert.equal(message.seq, seq);
    return message;
  });
}

type Terms = { wallet: number; side: number; price: number; size: number; tif: number; isOther: boolean };

const order = fc.record({
  wallet: fc.integer({ min: 1, max: 4 }), side: fc.constantFrom(BUY, SELL), price: fc.integer({ min: 0, max: 40 }),
  size: fc.integer({ min: 1, max: 20 }), tif: fc.constantFrom(GTC, GTC, GTC, IOC), isOther: fc.boolean(),
});
const cancel = fc.record({ wallet: fc.integer({ min: 1, max: 4 }), id: fc.nat() });
const step = fc.oneof(
  { weight: 6, arbitrary: order.map((terms) => ({ what: 'place', terms } as const)) },
  { weight: 3, arbitrary: cancel.map((terms) => ({ what: 'cancel', terms } as const)) },
  { weight: 3, arbitrary: fc.constant({ what: 'flush' } as const) },
  { weight: 1, arbitrary: fc.constant({ what: 'subscribe' } as const) },
);

/** Somebody listens to all, then somebody else to a book that is empty, and then it changes. */
const TOLD_LATE = [
  { what: 'subscribe' }, { what: 'flush' }, { what: 'subscribe' },
  { what: 'place', terms: { wallet: 1, side: BUY, price: 0, size: 1, tif: GTC, isOther: true } }, { what: 'flush' },
] as const;

test('book: property: the messages always build the book of GET /orderbook at that seq', (t) => {
  let [deltas, jumps] = [0, 0];
  fc.assert(fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
    const bench = new Bench(t);
    bench.isHeld = true;
    /** Each subscription with the books it has been told of. */
    const readers: { topic: number; books: Map<unknown, ChannelBook> }[] = [];
    const tell = (books: Map<unknown, ChannelBook>, message: Message): void => {
      const book = books.get(message.symbol) ?? new ChannelBook();
      books.set(message.symbol, book);
      book.apply(message);
    };
    const listen = (key: string): void => {
      const { topic, messages } = subscribe(bench, 'book', key);
      deliver();
      const books = new Map<unknown, ChannelBook>();
      readers.push({ topic, books });
      for (const message of messages) tell(books, message);
    };
    const deliver = (): void => {
      for (const { topic, also, message } of bench.sent.splice(0)) {
        for (const reader of readers) if (reader.topic === topic || reader.topic === also) tell(reader.books, message);
      }
    };
    const check = (): void => {
      bench.flush();
      deliver();
      for (const [symbol, book] of readers.flatMap(({ books }) => [...books])) {
        const shown = bench.body('orderbook', { instrument_name: symbol as string, depth: 500 });
        assert.deepEqual([book.seq, book.bids, book.asks], [shown.seq, shown.bids, shown.asks]);
      }
    };
    listen(CALL_100_SYMBOL);
    steps.forEach(({ what, ...rest }, at) => {
      if (what === 'flush') return check();
      if (what === 'subscribe') return listen(['', CALL_100_SYMBOL, OTHER_SYMBOL][at % 3]!);
      if (what === 'cancel') {
        const { terms } = rest as { terms: { wallet: number; id: number } };
        bench.cancel(terms.wallet, 1 + terms.id % Math.max(1, bench.reader.state.orders.counters[0]!));
        return;
      }
      const { wallet, side, price, size, tif, isOther } = (rest as { terms: Terms }).terms;
      const contract = isOther ? { ...CALL_100, strike: 90_000e6 } : CALL_100;
      bench.place({ ...contract, wallet, side, price: (1_900 + price * 5) * USDC, size: size * ONE / 10, tif });
    });
    check();
    for (const { books } of readers) for (const book of books.values()) [deltas, jumps] = [deltas + book.deltas, jumps + book.jumps];
  }), { numRuns: 25, examples: [[[...TOLD_LATE]]] });
  assert.ok(deltas > 50 && jumps > 10, `${deltas} deltas, ${jumps} of them of more than one change`);
});

/** A price of the index, the operator's own unless it comes from a feed. */
function quote(bench: Bench, underlying: number, price: number, flags = 1): void {
  bench.venue.venue(bench.venue.write.index(underlying, price * USDC, flags));
  bench.venue.settle();
  bench.feed();
}

test('book: a change of every level fits one message, and at most 500 levels a side are shown', (t) => {
  const bench = new Bench(t);
  bench.isHeld = true;
  const { topic, messages } = subscribe(bench, 'book', CALL_100_SYMBOL);
  const book = new ChannelBook();
  for (const message of messages) book.apply(message);
  for (let level = 0; level < 520; level++) {
    bench.place({ wallet: 1 + level % 6, side: BUY, price: (1_000 + level) * USDC, size: ONE / 100 });
  }
  const check = (best: number): void => {
    bench.flush();
    for (const message of taken(bench, topic)) book.apply(message);
    const shown = bench.body('orderbook', { instrument_name: CALL_100_SYMBOL, depth: 500 });
    assert.deepEqual([book.seq, book.bids], [shown.seq, shown.bids]);
    assert.deepEqual([book.bids.length, book.bids[0]![0]], [500, best]);
  };
  check(1_519);
  // What comes into sight when others go is told as well.
  for (let id = 511; id <= 520; id++) bench.cancel(1 + (id - 1) % 6, id);
  check(1_509);
  assert.equal(book.deltas, 2);
});

test('index prices: the ones in force, then each accepted price, as one stream of the venue', (t) => {
  const bench = new Bench(t);
  const { topic, seq, messages } = subscribe(bench, 'index_prices', '');
  const at = bench.venue.now;
  assert.deepEqual(messages, [{
    type: 'IndexPriceUpdate', timestamp: at, seq,
    prices: [{ underlying: 'BTC', price: '100000', timestamp: at }, { underlying: 'ETH', price: '3000', timestamp: at }],
  }]);
  bench.venue.advance(1_000);
  quote(bench, 1, 3_001.5);
  quote(bench, 0, 0, 2);
  // A feed's price far off the others is not used.
  quote(bench, 0, 100_010, 0);
  quote(bench, 0, 250_000, 0);
  quote(bench, 0, 100_020, 0);
  const told = taken(bench, topic);
  assert.deepEqual(told[0], {
    type: 'IndexPriceUpdate', prices: [{ underlying: 'ETH', price: '3001.5', timestamp: at + 1_000 }], timestamp: at + 1_000, seq: seq! + 1,
  });
  const used = told.map((message) => (message.prices as { price: string }[])[0]!.price);
  assert.ok(!used.includes('250000') && used.includes('100010'), used.join());
  assert.deepEqual(told.map((message) => message.seq), told.map((_, i) => seq! + 1 + i));
  assert.equal(bench.answer('subscribe', { channel: 'index_prices', key: 'BTC' }).status, 404);
});

test('market updates: options that are listed, deleted and expired', (t) => {
  const bench = new Bench(t);
  const { topic, seq, messages } = subscribe(bench, 'market_updates', '');
  assert.deepEqual(messages, []);
  const { write } = bench.venue;
  const market = (kind: number): void => {
    bench.venue.venue(write.market(kind, 0, EXPIRY, 100_000 * USDC, CALL));
    bench.venue.settle();
    bench.feed();
  };
  market(DELETE_MARKET);
  market(LIST_MARKET);
  const own = { symbol: CALL_100_SYMBOL, timestamp: bench.venue.now };
  const terms = { strike: '100000', is_call: true, underlying: 'BTC', expiry: EXPIRY / 1_000 };
  assert.deepEqual(taken(bench, topic), [
    { type: 'MarketUpdate', action: 'Deleted', ...own, seq: seq! + 1 },
    { type: 'MarketUpdate', action: 'Created', ...own, ...terms, seq: seq! + 2 },
  ]);
  bench.venue.advance(EXPIRY - bench.venue.now);
  bench.feed();
  const later = taken(bench, topic);
  assert.deepEqual(later.map((message) => message.seq), later.map((_, i) => seq! + 3 + i));
  assert.ok(later.some(({ action, symbol }) => action === 'Expired' && symbol === CALL_100_SYMBOL));
});

test('candles: after every price the message is the candle of GET /candles, for every resolution', (t) => {
  const bench = new Bench(t);
  const topics = new Map<string, Standing>();
  const listen = (name: string): void => void topics.set(name, subscribe(bench, 'candles', name));
  const shown = (name: string): Message => {
    const [underlying, resolution] = name.split(':') as [string, '1m'];
    const { data } = bench.body<{ data: { candles: Message[] } }>('candles', { underlying, resolution, start: 0, end: 1e14 });
    return data.candles.at(-1)!;
  };
  listen('BTC:1m');
  listen('BTC:1h');
  listen('ETH:1d');
  let [messages, candles] = [0, 0];
  for (let tick = 0; tick < 40; tick++) {
    bench.venue.advance(tick % 7 === 0 ? 61_000 : 7_000);
    quote(bench, tick % 3 === 0 ? 1 : 0, (tick % 3 === 0 ? 3_000 : 100_000) + (tick * 37) % 11);
    if (tick % 5 === 0) bench.commit();
    if (tick === 20) for (const name of ['ETH:1h', 'BTC:5m']) listen(name);
    for (const { topic, message } of bench.sent.splice(0)) {
      const name = `${message.underlying as string}:${message.resolution as string}`;
      const { seq, ...candle } = message as Message & { open: number; close: number };
      const standing = topics.get(name)!;
      assert.equal(standing.topic, topic);
      assert.equal(seq, ++standing.seq!);
      assert.deepEqual(candle, { type: 'CandleUpdate', ...shown(name) });
      messages++;
      if (candle.open === candle.close) candles++;
    }
  }
  assert.ok(messages > 80 && candles > 5 && candles < messages);
  const again = subscribe(bench, 'candles', 'BTC:1h');
  assert.deepEqual(again.messages, [{ type: 'CandleUpdate', ...shown('BTC:1h'), seq: again.seq }]);
  for (const name of ['BTC:2h', 'DOGE:1h', 'BTC', 'BTC:1h:1h']) {
    const { status, body } = bench.answer('subscribe', { channel: 'candles', key: name });
    assert.deepEqual([status, (JSON.parse(body) as Message).message], [400, `Unknown channel: candles:${name}`]);
  }
});

test('candles: a subscriber just after an interval\'s end gets its last prices in that interval\'s candle', (t) => {
  const bench = new Bench(t);
  const minute = 60_000;
  bench.venue.advance(minute - bench.venue.now % minute + 1_000);
  for (const price of [100_010, 100_030, 100_020]) {
    quote(bench, 0, price);
    bench.venue.advance(1_000);
  }
  bench.venue.now += minute;
  assert.deepEqual(subscribe(bench, 'candles', 'BTC:1m').messages, [], 'the minute of now has no price yet');
  bench.venue.now -= minute;
  bench.sent.splice(0);
  quote(bench, 0, 100_025);
  const { message } = bench.sent[0]!;
  assert.deepEqual([message['open'], message['high'], message['low'], message['close']], [100_010, 100_030, 100_010, 100_025]);
});

/** Rows of the chain by expiry and strike, as the messages of one subscription leave them. */
class ToldChain {
  readonly rows = new Map<string, Message>();
  upserts = 0;

  apply(message: Message): void {
    if (message.action === 'Upsert') {
      const row = message.row as Message;
      this.rows.set(`${message.currency as string} ${message.expiry as number} ${row.strike as number}`, row);
      this.upserts++;
      return;
    }
    const key = `${message.currency as string} ${message.expiry as number} ${message.strike as number}`;
    const { [message.option_type as string]: gone, ...rest } = this.rows.get(key)!;
    assert.equal((gone as Message).symbol, message.symbol);
    if (Object.keys(rest).length > 1) this.rows.set(key, rest);
    else this.rows.delete(key);
  }

  of(currency: string, expiry: number): Message[] {
    const rows = [...this.rows].filter(([key]) => key.startsWith(`${currency} ${expiry / 1_000} `)).map(([, row]) => row);
    return rows.sort((a, b) => (a.strike as number) - (b.strike as number));
  }
}

type ChainListener = { readonly topic: number; readonly chain: ToldChain; end(): void };

/** A connection with one filter. */
function listenToChain(bench: Bench, index: ChainIndex, filter: ChainSelection): ChainListener {
  const { topic, messages, seq } = subscribe(bench, 'options_chain', JSON.stringify(filter));
  assert.equal(seq, null);
  const chain = new ToldChain();
  for (const message of messages) chain.apply(message);
  const member = { deliverRow: (frame: OutboundMessage) => chain.apply(frame.value), lostRow: assert.fail };
  index.set(member, [normalSelection(filter)]);
  const end = (): void => {
    index.set(member, []);
    assert.equal(bench.answer('unsubscribe', { topic, count: 1 }).status, 200);
  };
  return { topic, chain, end };
}

test('options chain: with any filter the rows are those of GET /options-chain', (t) => {
  const bench = new Bench(t, { limits: ROOMY });
  bench.isHeld = true;
  const index = new ChainIndex(assert.fail);
  const listen = (filter: ChainSelection): ChainListener => listenToChain(bench, index, filter);
  const all = listen({});
  const day = listen({ expiry: '2026-01-06' });
  const calls = listen({ expiry: String(EXPIRY / 1_000), option_type: 'call', symbols: ['BTC'] });
  const one = listen({ symbols: [CALL_100_SYMBOL] });
  const seqs = new Map<unknown, number>();
  const deliver = (): number => {
    let turns = 0;
    for (; bench.reader.streams.isPending; turns++) bench.flush();
    const told = new Set<string>();
    for (const { message, body } of bench.sent.splice(0)) {
      index.publish(body);
      assert.ok((message.seq as number) >= (seqs.get(message.currency) ?? 0));
      seqs.set(message.currency, message.seq as number);
      const text = JSON.stringify(message);
      assert.ok(!told.has(text), `${text} went to the thread once for all its topics`);
      told.add(text);
    }
    return turns;
  };
  const shown = (currency: string, option_type: 'both' | 'call' = 'both'): Message[] => (
    bench.body<{ rows: Message[] }>('optionsChain', { currency, expiry: EXPIRY, option_type, side: 'both' }).rows
  );
  const check = (): void => {
    const fresh = listen({});
    fresh.end();
    for (const { chain } of [all, day, fresh]) {
      for (const currency of ['BTC', 'ETH']) assert.deepEqual(chain.of(currency, EXPIRY), shown(currency));
    }
    assert.deepEqual(calls.chain.of('BTC', EXPIRY), shown('BTC', 'call').filter(({ call }) => call !== undefined));
    const call = shown('BTC').find(({ strike }) => strike === 100_000)?.call;
    assert.deepEqual([...one.chain.rows.values()], call === undefined ? [] : [{ strike: 100_000, call }]);
  };
  check();
  const place = (price: number): void => void bench.place({ wallet: 1, side: BUY, price: price * USDC, size: ONE });
  place(1_500);
  place(1_400);
  deliver();
  check();
  const before = all.chain.upserts;
  place(1_300);
  deliver();
  assert.equal(all.chain.upserts, before, 'a row whose best quotes are the same is not told again');
  bench.venue.advance(1_000);
  quote(bench, 0, 100_500);
  place(1_510);
  assert.ok(deliver() > 5, 'the rows of a mark tick are told in parts');
  check();
  for (const kind of [DELETE_MARKET, LIST_MARKET]) {
    bench.venue.venue(bench.venue.write.market(kind, 0, EXPIRY, 90_000 * USDC, CALL));
    bench.venue.settle();
    bench.feed();
    deliver();
    check();
    assert.equal(day.chain.of('BTC', EXPIRY).some(({ strike, call }) => strike === 90_000 && call !== undefined), kind === LIST_MARKET);
  }
  bench.venue.advance(EXPIRY - bench.venue.now);
  bench.feed();
  deliver();
  check();
  assert.equal(day.chain.rows.size, 0);
  for (const { end } of [all, day, calls, one]) end();
  assert.equal(index.size, 0);
  quote(bench, 0, 100_600);
  assert.equal(bench.reader.streams.isPending, false, 'nobody listens');
});

test('options chain: a filter is one topic however it is written', (t) => {
  const bench = new Bench(t);
  const seconds = EXPIRY / 1_000;
  for (const [here, there] of [
    [{ expiry: '2026-01-06', symbols: ['ETH', 'BTC'] }, { symbols: ['BTC', 'ETH', 'BTC'], expiry: String(seconds) }],
    [{ expiry: seconds * 1_000 }, { expiry: '2026-01-06' }], [{ symbols: [CALL_100_SYMBOL] }, { symbols: ['BTC-6JAN26-100000-C'] }],
  ]) {
    const [one, other] = [here, there].map((filter) => subscribe(bench, 'options_chain', JSON.stringify(filter)).topic);
    assert.equal(one, other, JSON.stringify(there));
  }
});

test('options chain: thousands of invented filters block no other, and share a few topics of the reader', (t) => {
  const bench = new Bench(t);
  const made = Array.from({ length: 2_000 }, (_, i) => ({ expiry: String(2_000_000_000 + i), ...(i % 2 === 0 && { symbols: ['BTC'] }) }));
  const days = made.map((filter) => subscribe(bench, 'options_chain', JSON.stringify(filter)).topic);
  assert.equal(new Set(days).size, 2, 'what is not listed belongs to the underlying, or to all');
  const contracts = bench.body<{ instrument_name: string }[]>('instruments', { currency: 'BTC', status: ['ACTIVE'] });
  const pairs = contracts.flatMap(({ instrument_name: name }) => [[name, 'ETH'], [name]]);
  const named = pairs.map((symbols) => subscribe(bench, 'options_chain', JSON.stringify({ symbols })).topic);
  const expiries = new Set(contracts.map(({ instrument_name: name }) => name.split('-')[1]));
  assert.equal(new Set([...days, ...named]).size, 2 + expiries.size);
  bench.sent.length = 0;
  bench.isHeld = false;
  bench.place({ wallet: 1, side: BUY, price: 1_500 * USDC, size: ONE });
  for (; bench.reader.streams.isPending;) bench.flush();
  const rows = bench.sent.filter(({ message }) => (message.row as Message).strike === 100_000 && message.currency === 'BTC');
  assert.equal(rows.length, 1, 'a row goes to the thread once, however many filters hold it');
});

test('options chain: an invalid filter is refused by name', (t) => {
  const bench = new Bench(t);
  for (const [filter, why] of [
    [{ expiry: 'soon' }, 'Invalid expiry format: soon, expected an ISO date such as 2026-01-30'],
    [{ expiry: '2026-02-30' }, 'Invalid expiry format: 2026-02-30, expected an ISO date such as 2026-01-30'],
    [{ option_type: 'Call' }, 'Invalid option_type: Call, expected call, put or both'],
    [{ symbols: ['BTC', 'DOGE'] }, 'Unknown symbol: DOGE'], [{ symbols: ['BTC-PERP'] }, 'Unknown symbol: BTC-PERP'],
  ] as const) {
    const { status, body } = bench.answer('subscribe', { channel: 'options_chain', key: JSON.stringify(filter) });
    const is = why.startsWith('Unknown') ? [404, 'not_found'] : [400, 'invalid_parameter'];
    const { error, message } = JSON.parse(body) as Message;
    assert.deepEqual([status, error, message], [...is, why]);
  }
});
