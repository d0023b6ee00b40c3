// Overlapping subscriptions of one connection: all symbols and some, or filters of the options chain. In any order and however slowly the
// client reads, each message comes once, and what the client builds equals the reads. A real connection and a real reader; the test
// empties the ring between them when it likes.

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { PUT } from '../../../core/codec/commands.ts';
import { BUY, GTC, IOC, SELL } from '../../../core/units.ts';
import { Quota } from '../../../shell/http/quota.ts';
import { BOUNDS } from '../../../shell/http/limits.ts';
import type { Socket } from '../../../shell/http/server/sockets.ts';
import { Connection } from '../../../shell/ws/connection.ts';
import { OutboundMemory } from '../../../shell/ws/outbound-memory.ts';
import { TopicRegistry } from '../../../shell/ws/topic-registry.ts';
import { WriteScheduler } from '../../../shell/ws/write-scheduler.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, EXPIRY, ROOMY } from '../reader/support.ts';
import { QUIET_API } from '../../support/api.ts';
import type { Contract } from '../../support/records.ts';
import { socketError } from '../../support/socket-error.ts';
import { ChannelBook } from '../../support/channel-book.ts';

const USDC = 1e6;
const ONE = 1e6;
const OTHER_SYMBOL = 'BTC-20260106-90000-C';
const KEYS = ['', CALL_100_SYMBOL, OTHER_SYMBOL] as const;
const FILTERS = [
  {}, { option_type: 'call' }, { expiry: '2026-01-06', option_type: 'put' }, { symbols: ['BTC'] },
  { symbols: [CALL_100_SYMBOL] }, { symbols: [OTHER_SYMBOL, 'ETH'], expiry: '2026-01-06' },
] as const;

type Message = Record<string, any>;

class Client {
  readonly bench: Bench;
  readonly frames: Message[] = [];
  unread = 0;
  readonly #ring: (() => void)[] = [];
  readonly #topics: TopicRegistry;
  readonly #connection: Connection;

  constructor(t: TestContext) {
    this.bench = new Bench(t, { limits: ROOMY });
    this.bench.isHeld = true;
    const ask = (query: 'subscribe' | 'unsubscribe', parameters: any, settle: (answer: object) => void): boolean => {
      this.#take();
      const { status, body } = this.bench.answer(query, parameters);
      this.#take();
      this.#ring.push(() => settle({ status, body: Buffer.from(body) }));
      return true;
    };
    this.#topics = new TopicRegistry({ ask } as never, assert.fail, () => false);
    const socket = {
      source: { network: '', digest: 1, loopback: true }, cork: (work: () => void) => work(), bufferedBytes: () => this.unread,
      countMessage: () => true, close: assert.fail,
      send: (frame: string | Uint8Array) => void this.frames.push(JSON.parse(Buffer.from(frame as string).toString()) as Message),
    } as unknown as Socket;
    this.#connection = new Connection({
      api: QUIET_API, socket, registry: this.#topics, scheduler: new WriteScheduler(() => 0), memory: new OutboundMemory(),
      encoding: 'json', connection: '',
      refusal: () => null, refusedBytes: new Quota({ amount: 0 }),
    }, null);
  }

  say(message: object): void {
    this.#connection.message(Buffer.from(JSON.stringify(message)), false);
  }

  /** So many records of the reader arrive. */
  arrive(count = Infinity): void {
    this.#take();
    for (let i = 0; i < count && this.#ring.length > 0; i++) this.#ring.shift()!();
    this.#topics.flush();
  }

  /** The client reads; all that was asked, and all that is held back, is sent. */
  settle(): void {
    this.unread = 0;
    for (let quiet = 0; quiet < 3; quiet++) {
      for (; this.bench.reader.streams.isPending; quiet = 0) this.bench.flush();
      const before = this.frames.length;
      this.arrive();
      this.#connection.drain();
      if (this.frames.length > before || this.#ring.length > 0) quiet = 0;
    }
  }

  read(): Message[] {
    return this.frames.splice(0);
  }

  get cells(): number {
    return this.#topics.chains.size;
  }

  trade(at: number): void {
    const contract = at % 2 === 0 ? CALL_100 : { ...CALL_100, strike: 90_000e6 };
    const terms = { ...contract, wallet: 1 + at % 3, price: (1_900 + at % 5 * 10) * USDC, size: (1 + at % 7) * ONE / 10 };
    this.bench.place({ ...terms, side: (at >> 1) % 2 === 0 ? SELL : BUY, tif: at % 11 === 0 ? IOC : GTC });
  }

  /** Moves the marks of all rows. */
  mark(price: number): void {
    this.bench.venue.venue(this.bench.venue.write.index(0, price * USDC, 1));
    this.bench.venue.settle();
    this.bench.feed();
  }

  #take(): void {
    for (const { topic, body, also } of this.bench.sent.splice(0)) this.#ring.push(() => this.#topics.publish(topic, body, also));
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('trade' as const), at: fc.nat(1_000) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('flush' as const), at: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('arrive' as const), at: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('Subscribe' as const), at: fc.nat(20) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('Unsubscribe' as const), at: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('slow' as const), at: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('settle' as const), at: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('mark' as const), at: fc.nat(50) }) },
);
type Step = { readonly what: 'trade' | 'flush' | 'arrive' | 'Subscribe' | 'Unsubscribe' | 'slow' | 'settle' | 'mark'; readonly at: number };

/** What a client asks, as it asks for it and as it ends it; all symbols are ended by their empty text, or all of the channel would. */
type Choice = { readonly subscribe: object; readonly unsubscribe: object };
const SYMBOLS: readonly Choice[] = KEYS.map((key) => (
  { subscribe: key === '' ? {} : { symbols: [key] }, unsubscribe: { symbols: [key] } }
));
const CHAINS: readonly Choice[] = FILTERS.map((filter) => ({
  // Without a field all filters would end.
  subscribe: filter, unsubscribe: Object.keys(filter).length === 0 ? { option_type: 'both' } : filter,
}));

type Take = (frame: Message, held: ReadonlySet<number>) => void;

/** Runs the steps and hands each frame to `take`, with the choices that the client has been told by then that it has. */
function run(client: Client, channel: string, choices: readonly Choice[], steps: readonly Step[], take: Take): Set<number> {
  const asked: { isSubscribe: boolean; choice: number }[] = [];
  const held = new Set<number>();
  const hear = (): void => {
    for (const frame of client.read()) {
      if (frame['type'] === 'Subscribed' || frame['type'] === 'Unsubscribed') {
        const { isSubscribe, choice } = asked.shift()!;
        assert.equal(frame['type'], isSubscribe ? 'Subscribed' : 'Unsubscribed');
        if (isSubscribe) held.add(choice);
        else held.delete(choice);
      }
      take(frame, held);
    }
  };
  const ask = (isSubscribe: boolean, choice: number): void => {
    asked.push({ isSubscribe, choice });
    const { subscribe, unsubscribe } = choices[choice]!;
    client.say(isSubscribe ? { type: 'Subscribe', channel, ...subscribe } : { type: 'Unsubscribe', channel, ...unsubscribe });
  };
  for (const { what, at } of steps) {
    if (what === 'trade') client.trade(at);
    else if (what === 'flush') client.bench.flush();
    else if (what === 'arrive') client.arrive(at);
    else if (what === 'slow') client.unread = BOUNDS.bookBacklog + 1;
    else if (what === 'settle') client.settle();
    else if (what === 'mark') client.mark(100_000 + at);
    else ask(what === 'Subscribe', at % choices.length);
    hear();
  }
  client.settle();
  hear();
  assert.deepEqual(asked, []);
  return held;
}

const isHeard = (held: ReadonlySet<number>, symbol: string): boolean => held.has(0) || held.has(KEYS.indexOf(symbol as ''));

/** Forgets what the client is not told of any more. */
function forget(told: Map<string, unknown>, held: ReadonlySet<number>): void {
  for (const symbol of told.keys()) if (!isHeard(held, symbol)) told.delete(symbol);
}

const runs = fc.array(step, { minLength: 20, maxLength: 80, size: 'max' });

test('book: with all symbols and one, deltas follow each other and build the book of GET /orderbook', (t) => {
  let deltas = 0;
  fc.assert(fc.property(runs, (steps) => {
    const client = new Client(t);
    const books = new Map<string, ChannelBook>();
    const ends = run(client, 'book', SYMBOLS, steps, (frame, held) => {
      if (frame['type'] !== 'BookUpdate') return forget(books, held);
      const { symbol } = frame as { symbol: string };
      assert.ok(isHeard(held, symbol), symbol);
      const book = books.get(symbol) ?? new ChannelBook();
      books.set(symbol, book);
      book.apply(frame);
    });
    for (const symbol of KEYS.slice(1)) {
      const shown = client.bench.body('orderbook', { instrument_name: symbol, depth: 500 });
      const book = books.get(symbol);
      if (!isHeard(ends, symbol)) assert.equal(book, undefined);
      // Of all symbols those are not told in which nothing ever was.
      else if (book === undefined) assert.equal(shown['seq'], 0);
      else assert.deepEqual([book.seq, book.bids, book.asks], [shown['seq'], shown['bids'], shown['asks']]);
      deltas += book?.deltas ?? 0;
    }
  }), { numRuns: 60, endOnFailure: true });
  assert.ok(deltas > 100, `${deltas} deltas`);
});

test('trades: a subscription to one symbol that ends while a trade arrives repeats no trade', (t) => {
  const client = new Client(t);
  for (const choice of [{}, { symbols: [CALL_100_SYMBOL] }]) client.say({ type: 'Subscribe', channel: 'trades', ...choice });
  client.settle();
  client.read();
  const order = { ...CALL_100, price: 1_900 * USDC, size: ONE, tif: GTC };
  client.bench.place({ ...order, wallet: 1, side: SELL });
  client.bench.place({ ...order, wallet: 2, side: BUY });
  client.arrive(1);
  client.say({ type: 'Unsubscribe', channel: 'trades', symbols: [CALL_100_SYMBOL] });
  client.settle();
  assert.equal(client.read().filter(({ type }) => type === 'Trade').length, 1);
});

test('trades: with all symbols and one, each trade comes once', (t) => {
  let trades = 0;
  fc.assert(fc.property(runs, (steps) => {
    const client = new Client(t);
    const seqs = new Map<string, number>();
    run(client, 'trades', SYMBOLS, steps, ({ type, symbol, seq }, held) => {
      if (type !== 'Trade') return forget(seqs, held);
      assert.ok(isHeard(held, symbol));
      assert.equal(seq, (seqs.get(symbol) ?? seq - 1) + 1);
      seqs.set(symbol, seq);
      trades++;
    });
  }), { numRuns: 60, endOnFailure: true });
  assert.ok(trades > 100, `${trades} trades`);
});

test('orderbook: with all symbols and one, no message is older than the last, and the newest arrives', (t) => {
  fc.assert(fc.property(runs, (steps) => {
    const client = new Client(t);
    const seqs = new Map<string, number>();
    const ends = run(client, 'orderbook', SYMBOLS, steps, ({ type, symbol, seq }, held) => {
      if (type !== 'OrderbookUpdate') return forget(seqs, held);
      assert.ok(isHeard(held, symbol));
      assert.ok(seq >= (seqs.get(symbol) ?? 0), `${symbol} ${seq} after ${seqs.get(symbol)}`);
      seqs.set(symbol, seq);
    });
    for (const symbol of KEYS.slice(1)) {
      if (!isHeard(ends, symbol)) continue;
      assert.equal(seqs.get(symbol) ?? 0, client.bench.body('orderbook', { instrument_name: symbol, depth: 20 })['seq']);
    }
  }), { numRuns: 60, endOnFailure: true });
});

test('orderbook, book, trades: a message of two overlapping subscriptions comes once, in either order', (t) => {
  for (const channel of ['orderbook', 'book', 'trades']) {
    for (const order of [[0, 1], [1, 0]]) {
      const client = new Client(t);
      const told = (): unknown[] => client.read().map(({ type, symbol, seq }) => [type, symbol, seq]);
      const change = (): number => {
        client.bench.place({ ...CALL_100, wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE, tif: GTC });
        client.bench.place({ ...CALL_100, wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE, tif: GTC });
        client.settle();
        return told().filter((one) => !['Subscribed', 'Unsubscribed'].includes((one as string[])[0]!)).length;
      };
      change();
      for (const choice of order) client.say({ type: 'Subscribe', channel, ...SYMBOLS[choice]!.subscribe });
      client.settle();
      told();
      assert.equal(change(), 1, `${channel}, asked ${order.join()}`);
      client.say({ type: 'Unsubscribe', channel, ...SYMBOLS[order[1]!]!.unsubscribe });
      assert.equal(change(), 1, `${channel}, one is left of ${order.join()}`);
      client.say({ type: 'Unsubscribe', channel, ...SYMBOLS[order[0]!]!.unsubscribe });
      assert.equal(change(), 0, channel);
    }
  }
});

test('orderbook, book: an update left out for a slow client comes with a snapshot of the other subscription', (t) => {
  for (const channel of ['orderbook', 'book']) {
    for (const order of [[0, 1], [1, 0]]) {
      const client = new Client(t);
      const change = (price: number): void => {
        client.bench.place({ ...CALL_100, wallet: 1, side: SELL, price: price * USDC, size: ONE, tif: GTC });
        client.bench.flush();
        client.arrive();
      };
      change(2_100);
      for (const choice of order) client.say({ type: 'Subscribe', channel, ...SYMBOLS[choice]!.subscribe });
      client.settle();
      client.unread = BOUNDS.bookBacklog + 1;
      change(2_000);
      client.say({ type: 'Unsubscribe', channel, ...SYMBOLS[order[1]!]!.unsubscribe });
      client.settle();
      const { asks, seq } = client.read().at(-1)!;
      assert.deepEqual([asks[0][0], seq], ['2000', 2], `${channel}, asked ${order.join()}`);
    }
  }
});

/** Contracts of a message of the chain, or the rows of GET /options-chain. */
const legsOf = ({ row }: Message): Message[] => ['call', 'put'].flatMap((leg) => (row[leg] === undefined ? [] : [{ ...row[leg], leg }]));

function isChosen({ symbols, expiry, option_type: type = 'both' }: Message, currency: string, { symbol, leg }: Message): boolean {
  if (expiry !== undefined && !String(symbol).includes(String(expiry).replaceAll('-', ''))) return false;
  return (type === 'both' || type === leg) && (symbols === undefined || symbols.includes(symbol) || symbols.includes(currency));
}

test('options_chain: with any filters, each row comes once, with the selected contracts as they are', (t) => {
  let rows = 0;
  fc.assert(fc.property(runs, (steps) => {
    const client = new Client(t);
    const legs = new Map<string, Message>();
    /** Since the last snapshot, which may tell a row again. */
    const told = new Set<string>();
    const isWanted = (held: ReadonlySet<number>, currency: string, leg: Message): boolean => (
      [...held].some((choice) => isChosen(FILTERS[choice]!, currency, leg))
    );
    const ends = run(client, 'options_chain', CHAINS, steps, (frame, held) => {
      if (frame['type'] !== 'OptionsChainUpdate') {
        told.clear();
        for (const [symbol, leg] of legs) if (!isWanted(held, leg['currency'], leg)) legs.delete(symbol);
        return;
      }
      const text = JSON.stringify({ ...frame, timestamp: 0 });
      assert.ok(!told.has(text), `${text} comes once`);
      told.add(text);
      for (const leg of legsOf(frame)) {
        assert.ok(isWanted(held, frame['currency'], leg), `nobody wants ${leg['symbol']}`);
        legs.set(leg['symbol'], { ...leg, currency: frame['currency'] });
      }
      rows++;
    });
    const shown = ['BTC', 'ETH'].flatMap((currency) => (
      client.bench.body<{ rows: Message[] }>('optionsChain', { currency, expiry: EXPIRY, option_type: 'both', side: 'both' })
        .rows.flatMap((row) => legsOf({ row })).map((leg) => ({ ...leg, currency }))
    )).filter((leg) => isWanted(ends, leg.currency, leg));
    const day = [...legs.values()].filter(({ symbol }) => symbol.includes('-20260106-'));
    const sorted = (all: readonly Message[]): Message[] => [...all].sort((a, b) => (a['symbol'] < b['symbol'] ? -1 : 1));
    assert.deepEqual(sorted(day), sorted(shown));
    assert.equal(client.cells > 0, ends.size > 0);
  }), { numRuns: 25, endOnFailure: true });
  assert.ok(rows > 1_000, `${rows} rows`);
});

test('options_chain: a row comes when a selected contract changes, and for no other', (t) => {
  const client = new Client(t);
  const put: Contract = { ...CALL_100, kind: PUT };
  client.say({ type: 'Subscribe', channel: 'options_chain', option_type: 'call', symbols: ['BTC'] });
  client.settle();
  client.read();
  const quote = (contract: Contract, price: number): Message[] => {
    client.bench.place({ ...contract, wallet: 1, side: SELL, price: price * USDC, size: ONE, tif: GTC });
    client.settle();
    return client.read().map(({ row }) => Object.keys(row));
  };
  assert.deepEqual(quote(put, 2_000), []);
  assert.deepEqual(quote(CALL_100, 2_000), [['strike', 'call']]);
  client.say({ type: 'Subscribe', channel: 'options_chain', option_type: 'put', expiry: '2026-01-06' });
  client.settle();
  client.read();
  assert.deepEqual(quote(put, 1_900), [['strike', 'call', 'put']]);
  assert.deepEqual(quote(CALL_100, 1_900), [['strike', 'call', 'put']]);
});

test('options_chain: a row that changed while nobody followed it comes once, with the next snapshot', (t) => {
  const client = new Client(t);
  const ask = (type: 'Subscribe' | 'Unsubscribe', filter: object): Message[] => {
    client.say({ type, channel: 'options_chain', ...filter });
    client.settle();
    return client.read().filter((frame) => frame['type'] === 'OptionsChainUpdate');
  };
  ask('Subscribe', { expiry: '2026-01-07' });
  ask('Subscribe', {});
  ask('Unsubscribe', { option_type: 'both' });
  client.mark(100_050);
  client.settle();
  client.read();
  ask('Subscribe', { expiry: '2026-01-06', option_type: 'call' });
  const rows = ask('Subscribe', {}).map((frame) => JSON.stringify({ ...frame, timestamp: 0 }));
  assert.ok(rows.length > 100, `${rows.length} rows`);
  assert.equal(new Set(rows).size, rows.length, 'each row once');
});

test('options_chain: a connection\'s filters have a bound in number and in symbols', (t) => {
  const client = new Client(t);
  const others = Array.from({ length: BOUNDS.chainSymbols - 1 }, (_, i) => `BTC-20260106-${i + 1}-C`);
  client.say({ type: 'Subscribe', channel: 'options_chain', symbols: [...others, CALL_100_SYMBOL] });
  client.settle();
  assert.match(client.read()[0]!['message'], /^Unknown symbol/);
  client.say({ type: 'Subscribe', channel: 'options_chain', symbols: [CALL_100_SYMBOL] });
  client.say({ type: 'Subscribe', channel: 'options_chain', symbols: [...others, OTHER_SYMBOL] });
  client.settle();
  const refused = socketError('limit_exceeded', `Too many symbols of options_chain: ${BOUNDS.chainSymbols} is the maximum`);
  const answers = client.read().filter(({ type }) => type !== 'OptionsChainUpdate');
  assert.deepEqual(answers, [{ type: 'Subscribed', channel: 'options_chain' }, refused]);
});
