// The public channels of a real venue: all connections on all workers get the same messages with the same seqs, and the books equal GET
// /orderbook. After the venue has been killed, every stream continues where it was.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createWallet, Http, signerFor, type RequestSigner, type Wallet } from '../../../scripts/client.ts';
import { socketError } from '../../support/socket-error.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { ChannelBook } from '../../support/channel-book.ts';

type Body = Record<string, any>;

const TOKEN = 'a-token-of-the-socket-tests';
// A day begins at noon: nothing expires while the venue is away.
const CLOCK = ['--clock-start', '2026-01-05T12:00:00Z'];
const FLAGS = ['--feed', 'manual', ...CLOCK, '--admin-token', TOKEN, '--workers', '2', '--rate-limits', 'off'];
const CONNECTIONS = 6;
/** Channels all messages of which are the same for everybody, as a client writes them, and the types of their messages. */
const EXACT = {
  trades: 'Trade', index_prices: 'IndexPriceUpdate', markets: 'MarketUpdate', 'candles:BTC:1m': 'CandleUpdate',
  'candles:ETH:1d': 'CandleUpdate',
} as const;

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let i = 0; i < 6_000; i++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never: ${what}`);
}

/** A connection, what it was told by channel, and the book that it was told of. */
class Listener {
  readonly frames: Body[] = [];
  readonly seqs = new Map<string, number>();
  readonly book = new ChannelBook();
  /** The newest of the channel orderbook, and the row of the chain. */
  orderbook: Body | null = null;
  readonly chain = new Map<number, Body>();
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(`${url.replace('http', 'ws')}/ws`);
    this.#socket.onmessage = ({ data }) => this.#take(JSON.parse(data as string) as Body);
  }

  async ask(message: object): Promise<Body> {
    await until(() => this.#socket.readyState === WebSocket.OPEN, 'the socket opens');
    const isAnswer = ({ type }: Body): boolean => type === 'Subscribed' || type === 'Unsubscribed' || type === 'Error';
    const before = this.frames.filter(isAnswer).length;
    this.#socket.send(JSON.stringify(message));
    await until(() => this.frames.filter(isAnswer).length > before, `an answer to ${JSON.stringify(message)}`);
    return this.frames.filter(isAnswer)[before]!;
  }

  async listen(symbol: string): Promise<void> {
    for (const channel of [...Object.keys(EXACT), 'book', 'orderbook']) {
      const isOfSymbol = ['trades', 'book', 'orderbook'].includes(channel);
      const answer = await this.ask({ type: 'Subscribe', channel, ...(isOfSymbol && { symbols: [symbol] }) });
      assert.deepEqual([answer.type, answer.channel], ['Subscribed', channel], JSON.stringify(answer));
      this.seqs.set(channel, answer.seq as number);
    }
    const expiry = expiryOf(symbol);
    const filter = { expiry, option_type: 'call', symbols: ['BTC'] };
    const { type, channel } = await this.ask({ type: 'Subscribe', channel: 'options_chain', ...filter });
    assert.deepEqual([type, channel], ['Subscribed', 'options_chain']);
    // The snapshots are in.
    await until(() => this.book.seq !== null && this.orderbook !== null && this.chain.size > 0, 'the snapshots');
  }

  /** Messages of an exact channel that came after its Subscribed, all of which follow its seq. */
  exact(channel: keyof typeof EXACT): Body[] {
    const from = this.seqs.get(channel)!;
    const [, underlying, resolution] = channel.split(':');
    const all = this.frames.filter(({ type, seq, ...rest }) => (
      type === EXACT[channel] && (seq as number) > from && rest.underlying === underlying && rest.resolution === resolution
    ));
    assert.deepEqual(all.map(({ seq }) => seq as number), all.map((_, i) => from + 1 + i), channel);
    return all;
  }

  close(): void {
    this.#socket.close();
  }

  #take(message: Body): void {
    this.frames.push(message);
    if (message.type === 'BookUpdate') this.book.apply(message);
    else if (message.type === 'OrderbookUpdate') this.orderbook = message;
    else if (message.type === 'OptionsChainUpdate') this.chain.set((message.row as Body).strike as number, message.row as Body);
  }
}

function expiryOf(symbol: string): string {
  return symbol.split('-')[1]!.replace(/^(....)(..)(..)$/, '$1-$2-$3');
}

const folder = mkdtempSync(join(tmpdir(), 'strikebook-public-'));
let venue: VenueProcess;
let http: Http;
let sign: RequestSigner;
let symbol = '';
let [maker, taker]: Wallet[] = [];

async function start(): Promise<void> {
  venue = await VenueProcess.start({ data: join(folder, 'data'), flags: FLAGS });
  await venue.ready();
  http = new Http(venue.url);
  sign = await signerFor(http);
}

async function price(underlying: string, value: string): Promise<void> {
  const body = JSON.stringify({ underlying, price: value });
  const { status } = await http.send({ method: 'POST', path: '/admin/index-price', body, headers: { authorization: `Bearer ${TOKEN}` } });
  assert.equal(status, 200);
}

async function place(wallet: Wallet, side: 'Buy' | 'Sell', at: number, size = '0.2', tif: 'gtc' | 'ioc' = 'gtc'): Promise<void> {
  const { body } = await http.send(sign.placeOrder(wallet, { symbol, side, size, price: String(at), tif })) as { body: Body };
  assert.equal(body['status'], 'ACKED', JSON.stringify(body));
}

async function get(path: string): Promise<Body> {
  return (await http.get(path)).body as Body;
}

/** Waits until everybody has been told of the book as it stands, which nobody changes meanwhile. */
async function sameBooks(listeners: readonly Listener[]): Promise<void> {
  const shown = await get(`/orderbook?instrument_name=${symbol}&depth=500`);
  const isTold = ({ book, orderbook }: Listener): boolean => book.seq === shown['seq'] && orderbook!['seq'] === shown['seq'];
  await until(() => listeners.every(isTold), `seq ${shown['seq'] as number}`);
  const numbers = (levels: unknown): number[][] => (levels as string[][]).map((level) => level.map(Number));
  for (const { book, orderbook } of listeners) {
    assert.deepEqual([book.bids, book.asks], [shown['bids'], shown['asks']]);
    assert.deepEqual([numbers(orderbook!['bids']), numbers(orderbook!['asks'])], [shown['bids'].slice(0, 20), shown['asks'].slice(0, 20)]);
  }
}

/** Waits until everybody has the calls of the chain; a mark tick may come between two reads. */
async function sameChain(listeners: readonly Listener[]): Promise<void> {
  await until(async () => {
    const { rows } = await get(`/options-chain?currency=BTC&expiry=${expiryOf(symbol)}&option_type=call`) as { rows: Body[] };
    const shown = JSON.stringify(rows.filter(({ call }) => call !== undefined));
    return listeners.every(({ chain }) => shown === JSON.stringify([...chain.values()].sort((a, b) => a['strike'] - b['strike'])));
  }, 'the chain that GET /options-chain shows');
}

before(async () => {
  await start();
  await price('BTC', '100000');
  await price('ETH', '4000');
  await until(async () => {
    const listed = await get('/instruments?currency=BTC') as unknown as Body[];
    // The farthest: it does not expire meanwhile.
    symbol = listed.map((one) => one['instrument_name'] as string).filter((name) => name.endsWith('-100000-C')).sort().at(-1) ?? '';
    return symbol !== '';
  }, 'a listing');
  [maker, taker] = [createWallet(), createWallet()];
});

after(async () => {
  http.close();
  await venue.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('all connections get the same messages, before and after kill -9', async () => {
  let listeners = Array.from({ length: CONNECTIONS }, () => new Listener(venue.url));
  await Promise.all(listeners.map((one) => one.listen(symbol)));
  const trade = async (round: number): Promise<void> => {
    await place(maker!, 'Sell', 5_000 + round % 7 * 10);
    await sameBooks(listeners);
    await place(maker!, 'Buy', 4_000 - round % 5 * 10);
    if (round % 3 === 0) await place(taker!, 'Buy', 5_100, '0.3', 'ioc');
    await sameBooks(listeners);
    if (round % 4 === 0) await price(round % 8 === 0 ? 'BTC' : 'ETH', round % 8 === 0 ? String(100_000 + round) : String(4_000 + round));
  };
  /** Every exact stream, which ends with the trades and prices that have been made. */
  const compare = async (trades: number, prices: number): Promise<Map<string, Body[]>> => {
    const told = new Map<string, Body[]>();
    for (const channel of Object.keys(EXACT) as (keyof typeof EXACT)[]) {
      const least = channel === 'trades' ? trades : channel === 'index_prices' ? prices : 0;
      await until(() => listeners.every((one) => one.exact(channel).length >= least), `${least} messages of ${channel}`);
      const [first, ...others] = listeners.map((one) => one.exact(channel));
      for (const other of others) assert.deepEqual(other.slice(0, first!.length), first!.slice(0, other.length));
      told.set(channel, first!);
    }
    return told;
  };
  for (let round = 0; round < 12; round++) await trade(round);
  const { data: fills } = await get('/trades?limit=1000') as { data: Body[] };
  const told = await compare(fills.length, 3);
  assert.ok(fills.length >= 4);
  assert.equal(told.get('trades')!.length, fills.length);
  assert.deepEqual(told.get('candles:BTC:1m')!.map(({ close }) => close as number), [100_000, 100_008]);
  await sameChain(listeners);
  assert.ok(listeners.every(({ book }) => book.deltas > 0));

  const ends = new Map([...told].map(([channel, messages]) => [channel, listeners[0]!.seqs.get(channel)! + messages.length]));
  const bookSeq = listeners[0]!.book.seq;
  for (const listener of listeners) listener.close();
  http.close();
  await venue.kill();
  await start();
  listeners = Array.from({ length: CONNECTIONS }, () => new Listener(venue.url));
  await Promise.all(listeners.map((one) => one.listen(symbol)));
  for (const { seqs, book } of listeners) {
    for (const [channel, end] of ends) assert.equal(seqs.get(channel), end, channel);
    assert.equal(book.seq, bookSeq);
  }
  await sameBooks(listeners);
  await sameChain(listeners);
  for (let round = 0; round < 4; round++) await trade(round);
  await compare(1, 1);
  for (const listener of listeners) listener.close();
});

test('an unknown channel is refused, and a subscription ends by its name and filter', async () => {
  const listener = new Listener(venue.url);
  for (const channel of ['weather', 'candles', 'candles:BTC:2h', 'candles:DOGE:1h', 'trades:BTC']) {
    const told = await listener.ask({ type: 'Subscribe', channel });
    assert.deepEqual(told, socketError('invalid_parameter', `Unknown channel: ${channel}`));
  }
  assert.deepEqual(await listener.ask({ type: 'Subscribe', channel: 'options_chain', option_type: 'straddle' }),
    socketError('invalid_parameter', 'Invalid option_type: straddle, expected call, put or both'));
  const both = [symbol, (await get('/instruments?currency=ETH') as unknown as Body[])[0]!['instrument_name'] as string];
  assert.deepEqual(await listener.ask({ type: 'Subscribe', channel: 'trades', symbols: both }), { type: 'Subscribed', channel: 'trades' });
  assert.deepEqual(await listener.ask({ type: 'Unsubscribe', channel: 'trades', symbols: [symbol] }),
    { type: 'Unsubscribed', channel: 'trades' });
  const { type } = await listener.ask({ type: 'Subscribe', channel: 'markets' });
  assert.equal(type, 'Subscribed');
  assert.deepEqual(await listener.ask({ type: 'Unsubscribe', channel: 'markets' }), { type: 'Unsubscribed', channel: 'markets' });
  await listener.ask({ type: 'Subscribe', channel: 'index_prices' });
  await place(maker!, 'Sell', 4_900);
  await place(taker!, 'Buy', 4_900, '0.2', 'ioc');
  await price('BTC', '100123');
  await until(() => listener.frames.some((frame) => frame['prices']?.[0]?.price === '100123'), 'the price');
  assert.ok(!listener.frames.some((frame) => frame['type'] === 'Trade'), 'no trade of a symbol that is not listened to');
  listener.close();
});

test('with all symbols and one of them, each trade and each book change comes once', async () => {
  for (const isAllFirst of [true, false]) {
    const listener = new Listener(venue.url);
    for (const channel of ['trades', 'book', 'orderbook']) {
      for (const isAll of [isAllFirst, !isAllFirst]) {
        const { type } = await listener.ask({ type: 'Subscribe', channel, ...(!isAll && { symbols: [symbol] }) });
        assert.equal(type, 'Subscribed');
      }
    }
    await until(() => listener.book.seq !== null && listener.orderbook !== null, 'the snapshots');
    const from = listener.frames.length;
    for (let round = 0; round < 5; round++) {
      await place(maker!, 'Sell', 4_950);
      await sameBooks([listener]);
      await place(taker!, 'Buy', 4_950, '0.2', 'ioc');
      await sameBooks([listener]);
    }
    const told = listener.frames.slice(from).map(({ type, seq, is_snapshot: whole }) => `${type} ${seq} ${whole}`);
    assert.deepEqual(told, [...new Set(told)]);
    assert.equal(told.filter((one) => one.startsWith('Trade')).length, 5);
    listener.close();
  }
});
