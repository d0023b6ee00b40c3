// Streams: what a subscriber gets, that its seq has no gap, that snapshot and messages build the book, that nothing is encoded for
// nobody, and that one account's private stream never shows another's.

import { orderUpdateSeq } from '../../../core/account-streams.ts';
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, PERP } from '../../../core/codec/commands.ts';
import { OK } from '../../../core/errors.ts';
import { ABOVE, BY_INDEX } from '../../../core/orders/triggers.ts';
import { BUY, FOK, GTC, IOC, SELL } from '../../../core/units.ts';
import { slotOfSymbol } from '../../../shell/reader/text.ts';
import { generator } from '../storage/journal/support.ts';
import { Bench, CALL_100, CALL_100_SYMBOL, walletText, type Sent } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const ALICE = walletText(1);
const BOB = walletText(2);

type Standing = { topic: number; seq: number | null; messages: Record<string, unknown>[] };

function subscribe(bench: Bench, channel: string, key: string, api = 0): Standing {
  const { status, body } = bench.answer('subscribe', { channel, key }, api);
  assert.equal(status, 200, body);
  return JSON.parse(body) as Standing;
}

const statuses = (sent: readonly Sent[]): unknown[] => sent.map(({ message }) => [message.order_id, message.status, message.filled_size]);

test('order updates: every course of an order, with its reason', (t) => {
  const bench = new Bench(t);
  const alice = subscribe(bench, 'order_updates', ALICE.toUpperCase().replace('0X', '0x'));
  assert.deepEqual(alice, { topic: alice.topic, seq: 0, messages: [] });
  const bob = subscribe(bench, 'order_updates', BOB);
  const taken = (topic: number): Sent[] => bench.sent.splice(0).filter((one) => one.topic === topic);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE, clientId: 'a' });
  const { body: _, ...first } = bench.sent[0]!;
  assert.deepEqual(first, {
    api: 0, topic: alice.topic, also: 0, seq: 1,
    message: {
      type: 'OrderUpdate', order_id: 1,
      request: { price: '2000', size: '2', symbol: CALL_100_SYMBOL, side: 'Sell', tif: 'gtc', client_id: 'a' },
      status: 'ACKED', filled_size: '0', timestamp: bench.venue.now, reason: null, wallet_address: ALICE, instrument_type: 'option', seq: 1,
    },
  });
  assert.deepEqual(statuses(taken(alice.topic)), [[1, 'ACKED', '0'], [1, 'OPEN', '0']]);
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE, tif: IOC });
  assert.deepEqual(statuses(bench.sent.filter(({ topic }) => topic === bob.topic)), [[2, 'ACKED', '0'], [2, 'FILLED', '1']]);
  assert.deepEqual(statuses(taken(alice.topic)), [[1, 'PARTIALLY_FILLED', '1']]);
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 3 * ONE, tif: GTC });
  assert.deepEqual(statuses(bench.sent.filter(({ topic }) => topic === alice.topic)), [[1, 'FILLED', '2']]);
  assert.deepEqual(statuses(taken(bob.topic)), [[3, 'ACKED', '0'], [3, 'PARTIALLY_FILLED', '1']]);
  bench.place({ wallet: 2, side: SELL, price: 2_000 * USDC, size: ONE, tif: GTC });
  const own = taken(bob.topic);
  assert.deepEqual(statuses(own), [[4, 'ACKED', '0'], [3, 'CANCELED', '1'], [4, 'OPEN', '0']]);
  assert.equal(own[1]!.message.reason, 'Self-trade prevention');
  bench.place({ wallet: 1, side: BUY, price: 2_000 * USDC, size: 5 * ONE, tif: FOK });
  assert.deepEqual(statuses(taken(alice.topic)), [[5, 'ACKED', '0'], [5, 'CANCELED', '0']]);
  bench.cancel(2, 4);
  assert.deepEqual(statuses(taken(bob.topic)), [[4, 'CANCELED', '0']]);
  bench.place({ ...CALL_100, strike: 1e6, wallet: 2, side: BUY, price: USDC, size: ONE, clientId: 'c' });
  const [rejected] = taken(bob.topic);
  assert.deepEqual([rejected!.message.status, rejected!.message.order_id, rejected!.message.reason, rejected!.message.filled_size],
    ['REJECTED', null, 'Invalid symbol: BTC-20260106-1-C', '0']);
  bench.place({ wallet: 2, side: SELL, price: 2_000 * USDC, size: 900 * ONE });
  const margin = taken(bob.topic)[0]!.message.reason as string;
  assert.match(margin, /^Insufficient margin: required=\d+\.\d\d, available=\d+\.\d\d, shortfall=\d+\.\d\d$/);
});

test('an order that only reduces says so in each of its updates, also in those of a fill and of a refusal', (t) => {
  const bench = new Bench(t);
  const bob = subscribe(bench, 'order_updates', BOB);
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: SELL, price: 2_100 * USDC, size: 2 * ONE, flags: FLAG_REDUCE_ONLY });
  bench.place({ wallet: 1, side: BUY, price: 2_100 * USDC, size: ONE });
  bench.cancel(2, 3);
  bench.place({ wallet: 2, side: BUY, price: 2_100 * USDC, size: ONE, flags: FLAG_REDUCE_ONLY });
  const told = bench.sent.filter(({ topic }) => topic === bob.topic).map(({ message: { order_id: id, request, status } }) => (
    [id, status, (request as { reduce_only?: true }).reduce_only]
  ));
  assert.deepEqual(told, [
    [2, 'ACKED', undefined], [2, 'FILLED', undefined], [3, 'ACKED', true], [3, 'OPEN', true], [3, 'PARTIALLY_FILLED', true],
    [3, 'CANCELED', true], [null, 'REJECTED', true],
  ]);
});

test('fills and trades: both sides of a trade, and the trade itself', (t) => {
  const bench = new Bench(t);
  const topics = [subscribe(bench, 'fills', ALICE), subscribe(bench, 'fills', BOB), subscribe(bench, 'trades', 'BTC-6JAN26-100000-C')];
  bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE });
  bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE });
  const by = (index: number): unknown => bench.sent.filter((one) => one.topic === topics[index]!.topic).map((one) => one.message);
  const common = {
    symbol: CALL_100_SYMBOL, price: '2000', size: '1', timestamp: bench.venue.now, fee: '0', trade_id: 1, builder_code_address: null,
    builder_code_fee: null, realized_pnl: '0', instrument_type: 'option', seq: 1,
  };
  const [sold, bought] = [{ side: 'Sell', position: '-1' }, { side: 'Buy', position: '1' }];
  assert.deepEqual(by(0), [{ type: 'Fill', order_id: 1, fill_id: 2, ...sold, wallet_address: ALICE, is_taker: false, ...common }]);
  assert.deepEqual(by(1), [{ type: 'Fill', order_id: 2, fill_id: 1, ...bought, wallet_address: BOB, is_taker: true, ...common }]);
  assert.deepEqual(by(2), [{
    type: 'Trade', symbol: CALL_100_SYMBOL, price: '2000', size: '1', side: 'buy', timestamp: bench.venue.now, trade_id: 1,
    maker_address: ALICE, taker_address: BOB, seq: 1,
  }]);
});

test('orderbook: snapshot and messages equal the book at every seq, without a gap, for one symbol and for all', (t) => {
  const bench = new Bench(t);
  const random = generator(41);
  const other = { ...CALL_100, strike: 90_000e6 };
  const symbols = [CALL_100_SYMBOL, 'BTC-20260106-90000-C'];
  const trade = (): void => {
    const wallet = 1 + Math.floor(random() * 4);
    if (random() < 0.3) {
      bench.cancel(wallet, 1 + Math.floor(random() * bench.reader.state.orders.counters[0]!));
      return;
    }
    const contract = random() < 0.7 ? CALL_100 : other;
    bench.place({
      ...contract, wallet, side: random() < 0.5 ? BUY : SELL, price: (1_900 + Math.floor(random() * 40) * 5) * USDC,
      size: Math.ceil(random() * 20) * ONE / 10, tif: random() < 0.2 ? IOC : GTC,
    });
  };
  for (let i = 0; i < 50; i++) trade();
  const one = subscribe(bench, 'orderbook', CALL_100_SYMBOL);
  const all = subscribe(bench, 'orderbook', '', 1);
  assert.equal(all.seq, null);
  assert.deepEqual(all.messages.map((message) => message.symbol).sort(), [...symbols].sort());
  assert.equal(one.messages[0]!.seq, one.seq);
  const seqs = new Map(all.messages.map((message) => [message.symbol, message.seq as number]));
  let last = one.seq!;
  for (let i = 0; i < 300; i++) {
    trade();
    for (const { topic, api, seq, message } of bench.sent.splice(0)) {
      assert.equal(seq, message.seq);
      assert.equal(api, topic === one.topic ? 0 : 1);
      if (topic === one.topic) assert.equal(seq, ++last);
      else {
        assert.equal(seq, seqs.get(message.symbol)! + 1);
        seqs.set(message.symbol, seq);
      }
      const shown = bench.body('orderbook', { instrument_name: message.symbol as string, depth: 20 });
      const asNumbers = (levels: unknown): number[][] => (levels as string[][]).map((level) => level.map(Number));
      assert.deepEqual([asNumbers(message.bids), asNumbers(message.asks)], [shown.bids, shown.asks]);
    }
  }
  assert.ok(last > one.seq! + 50);
  assert.equal(last, bench.reader.state.streams.books[slotOfSymbol(bench.reader.state, CALL_100_SYMBOL)]);
});

test('a new subscriber to all books also gets those that have become empty, but none that was never used', (t) => {
  for (const channel of ['orderbook', 'book']) {
    const bench = new Bench(t);
    const standing = () => subscribe(bench, channel, '').messages.map(({ symbol, bids, seq }) => [symbol, bids, seq]);
    assert.deepEqual(standing(), [], 'nothing was ever in one');
    bench.place({ wallet: 1, side: BUY, price: USDC, size: ONE });
    assert.deepEqual(standing(), [[CALL_100_SYMBOL, [['1', '1']], 1]]);
    bench.cancel(1, 1);
    assert.deepEqual(standing(), [[CALL_100_SYMBOL, [], 2]]);
  }
});

test('a topic is streamed as long as somebody on the api thread subscribes to it', (t) => {
  const bench = new Bench(t);
  const { topic } = subscribe(bench, 'order_updates', ALICE);
  assert.equal(subscribe(bench, 'order_updates', ALICE).topic, topic);
  assert.equal(subscribe(bench, 'order_updates', ALICE, 3).topic, topic);
  const receivers = (): number[] => {
    bench.place({ wallet: 1, side: BUY, price: USDC, size: ONE });
    return [...new Set(bench.sent.splice(0).map((one) => one.api))];
  };
  assert.deepEqual(receivers(), [0, 3]);
  const unsubscribe = (count: number, api?: number): number => bench.answer('unsubscribe', { topic, count }, api).status;
  assert.equal(unsubscribe(1), 200);
  assert.deepEqual(receivers(), [0, 3]);
  assert.equal(unsubscribe(1), 200);
  assert.deepEqual(receivers(), [3]);
  assert.equal(unsubscribe(1), 404);
  for (let i = 0; i < 4; i++) subscribe(bench, 'order_updates', ALICE, 3);
  assert.equal(unsubscribe(6, 3), 404);
  assert.equal(unsubscribe(4, 3), 200);
  assert.deepEqual(receivers(), [3]);
  assert.equal(unsubscribe(1, 3), 200);
  assert.deepEqual(receivers(), []);
  const again = subscribe(bench, 'order_updates', ALICE);
  assert.equal(again.seq, orderUpdateSeq(bench.reader.state.streams.accounts, 0));
  assert.deepEqual(receivers(), [0]);
});

test('an unknown channel or key is refused', (t) => {
  const bench = new Bench(t);
  assert.equal(bench.answer('subscribe', { channel: 'weather', key: '' }).status, 400);
  assert.equal(bench.answer('subscribe', { channel: 'orderbook', key: 'BTC-20260106-1-C' }).status, 404);
  assert.equal(bench.answer('subscribe', { channel: 'trades', key: 'x' }).status, 404);
  assert.equal(bench.answer('subscribe', { channel: 'fills', key: '' }).status, 404);
  assert.equal(bench.answer('subscribe', { channel: 'fills', key: '0x12' }).status, 404);
});

test('given a trigger order that fires, fills in part and rests, then both sides get the fill at once', (t) => {
  const bench = new Bench(t);
  const { venue } = bench;
  const topics = [ALICE, BOB].map((wallet) => subscribe(bench, 'fills', wallet).topic);
  const perp = { underlying: 'BTC', expiry: 0, strike: 0, kind: PERP };
  bench.place({ ...perp, wallet: 1, side: SELL, price: 100_900 * USDC, size: ONE });
  const stop = { triggerBy: BY_INDEX, triggerDirection: ABOVE, triggerPrice: 100_500 * USDC, flags: FLAG_MMP_OPT_OUT };
  assert.equal(bench.place({ ...perp, wallet: 2, side: BUY, price: 100_900 * USDC, size: 3 * ONE, ...stop }), OK);
  venue.now += 1_000;
  venue.venue(venue.write.index(0, 101_000 * USDC, 1));
  venue.settle();
  bench.feed();
  const own = topics.map((topic) => bench.sent.filter((one) => one.topic === topic).map(({ message }) => message));
  assert.deepEqual(own.map((fills) => fills.map((fill) => [fill.order_id, fill.size, fill.seq, fill.is_taker])),
    [[[1, '1', 1, false]], [[2, '1', 1, true]]]);
});
