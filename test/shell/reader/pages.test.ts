// Pages of orders, trades and fills while the history is behind by any amount: the pages join to the whole list, each row once, as a
// plain model of all events has it.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { FILL, FILL_MAKER, FILL_MAKER_FILL_ID, FILL_TAKER, FILL_TAKER_FILL_ID, FILL_TRADE_ID, ORDER_DONE, ORDER_ID,
  ACCOUNT, ORDER_RESTED } from '../../../core/codec/events.ts';
import { BUY, GTC, IOC, SELL } from '../../../core/units.ts';
import type { QueryName, QueryParameters } from '../../../shell/ipc/queries.ts';
import { generator } from '../storage/journal/support.ts';
import { Bench, walletText } from './support.ts';

const ONE = 1e6;
const USDC = 1e6;
const WALLET = 2;

/** Newest first: ids of the wallet's fills, of all trades, of the wallet's open and done orders. */
class Model {
  readonly fills: number[] = [];
  readonly trades: number[] = [];
  readonly open: number[] = [];
  readonly done: number[] = [];

  note(kind: number, f: Float64Array, account: number): void {
    if (kind === FILL) {
      this.trades.unshift(f[FILL_TRADE_ID]!);
      if (f[FILL_TAKER] === account) this.fills.unshift(f[FILL_TAKER_FILL_ID]!);
      if (f[FILL_MAKER] === account) this.fills.unshift(f[FILL_MAKER_FILL_ID]!);
    }
    if (f[ACCOUNT] !== account) return;
    if (kind === ORDER_RESTED) this.open.unshift(f[ORDER_ID]!);
    if (kind !== ORDER_DONE) return;
    const at = this.open.indexOf(f[ORDER_ID]!);
    if (at >= 0) this.open.splice(at, 1);
    this.done.unshift(f[ORDER_ID]!);
  }
}

/** All pages of a listing; between a question and its answer `meanwhile` moves the history on. */
function pages<Q extends QueryName>(bench: Bench, name: Q, parameters: QueryParameters[Q], limit: number, key: string): number[] {
  const ids: number[] = [];
  for (let offset = 0; ; offset += limit) {
    let body = '';
    bench.reader.answer(0, name, { ...parameters, limit, offset }, (answer) => { body = answer.body as string; });
    if (body === '') bench.history.run(bench.reader);
    const { data, pagination } = JSON.parse(body) as { data: Record<string, number>[]; pagination: { count: number; limit: number } };
    assert.equal(pagination.count, data.length);
    assert.equal(pagination.limit, limit);
    ids.push(...data.map((row) => row[key]!));
    if (data.length < limit) return ids;
  }
}

test('property: pages join to the whole list, wherever the history stands', (t) => {
  const bench = new Bench(t);
  const random = generator(7);
  const model = new Model();
  const { listener } = bench.venue.state.events;
  bench.venue.state.events.listener = (kind, slots) => {
    listener!(kind, slots);
    model.note(kind, slots, WALLET - 1);
  };
  const wallet = walletText(WALLET);
  bench.place({ wallet: 1, side: BUY, price: USDC, size: ONE });
  bench.place({ wallet: 2, side: BUY, price: USDC, size: ONE });
  for (let round = 0; round < 60; round++) {
    for (let i = 0; i < 5; i++) {
      const side = random() < 0.5 ? BUY : SELL;
      if (random() < 0.2) bench.cancel(1 + Math.floor(random() * 3), Math.ceil(random() * bench.reader.state.orders.counters[0]!));
      else {
        bench.place({
          wallet: 1 + Math.floor(random() * 3), side, price: (2_000 + Math.floor(random() * 5)) * USDC, size: Math.ceil(random() * 4) * ONE,
          tif: random() < 0.3 ? IOC : GTC,
        });
      }
    }
    if (random() < 0.5) bench.reader.history.send();
    if (random() < 0.4) bench.history.run(bench.reader, 1);
    const limit = 1 + Math.floor(random() * 9);
    const paged = { wallet, limit: 0, offset: 0 };
    assert.deepEqual(pages(bench, 'fills', paged, limit, 'fill_id'), model.fills);
    if (random() < 0.5) bench.reader.history.send();
    assert.deepEqual(pages(bench, 'trades', paged, limit, 'trade_id'), model.trades);
    assert.deepEqual(pages(bench, 'orders', paged, limit, 'order_id'), [...model.open, ...model.done]);
    const filled = pages(bench, 'orders', { ...paged, status: ['filled'] }, limit, 'order_id');
    const canceled = pages(bench, 'orders', { ...paged, status: ['canceled'] }, limit, 'order_id');
    assert.deepEqual([...filled, ...canceled].sort((a, b) => a - b), [...model.done].sort((a, b) => a - b));
    assert.deepEqual(pages(bench, 'orders', { ...paged, status: ['open', 'partially_filled'] }, limit, 'order_id'), model.open);
  }
  assert.ok(model.fills.length > 50 && model.done.length > 50);
  bench.reader.history.send();
  bench.history.run(bench.reader);
  assert.equal(bench.reader.rows.rows.fills.length, 0);
  assert.equal(bench.reader.rows.stored, bench.reader.applied);
});

test('limit 0 is an empty page', (t) => {
  const bench = new Bench(t);
  bench.place({ wallet: 1, side: BUY, price: USDC, size: ONE });
  const { data, pagination } = bench.body<{ data: object[]; pagination: object }>('orders', { wallet: walletText(1), limit: 0, offset: 0 });
  assert.deepEqual([data, pagination], [[], { limit: 1, offset: 0, count: 0 }]);
  assert.deepEqual(bench.body<{ data: object[] }>('trades', { limit: 0, offset: 3 }).data, []);
});
