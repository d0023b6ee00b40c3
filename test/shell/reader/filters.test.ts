// Filters of /orders, /fills and /trades by time, order id and client id: the same rows as a plain filter of the whole list, wherever the
// history stands.

import { test, type TestContext } from 'node:test';
import assert from 'node:assert/strict';
import { BUY, IOC, SELL } from '../../../core/units.ts';
import { Bench, CALL_100_SYMBOL, walletText } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
const ALICE = walletText(1);

type Row = Record<string, unknown>;

/** Alice's offers `a`, `b` and `a` again, one a second, each filled in two parts but the last, which is filled in one and rests. */
function dealt(t: TestContext): Bench {
  const bench = new Bench(t);
  for (const [clientId, parts] of [['a', 2], ['b', 2], ['a', 1]] as const) {
    bench.venue.now += 1_000;
    bench.place({ wallet: 1, side: SELL, price: 2_000 * USDC, size: 2 * ONE, clientId });
    for (let part = 0; part < parts; part++) {
      bench.venue.now += 100;
      bench.place({ wallet: 2, side: BUY, price: 2_000 * USDC, size: ONE, tif: IOC });
    }
    if (clientId === 'a' && parts === 2) bench.commit();
  }
  return bench;
}

const rowsOf = (bench: Bench, name: 'orders' | 'fills' | 'trades', more: Row): Row[] => (
  bench.body<{ data: Row[] }>(name, { ...(name === 'trades' ? {} : { wallet: ALICE }), limit: 50, offset: 0, ...more } as never).data
);

test('bounds of time are inclusive and join with pages, for orders by their last change', (t) => {
  const bench = dealt(t);
  const times = {
    orders: (row: Row) => Date.parse(row.updated_at as string), fills: (row: Row) => row.timestamp, trades: (row: Row) => row.timestamp,
  };
  for (const round of ['half in memory', 'in the history']) {
    for (const name of ['orders', 'fills', 'trades'] as const) {
      const all = rowsOf(bench, name, {});
      assert.ok(all.length >= 3);
      const at = all.map((row) => Number(times[name](row)));
      for (const from of at) {
        for (const to of at) {
          const expected = all.filter((_, i) => at[i]! >= from && at[i]! <= to);
          assert.deepEqual(rowsOf(bench, name, { from, to }), expected, `${name} ${round}`);
          assert.deepEqual(rowsOf(bench, name, { from, to, limit: 1, offset: 1 }), expected.slice(1, 2), `${name} ${round}, a page`);
        }
      }
    }
    bench.commit();
  }
});

test('fills of an order and orders of a client id are those of the wallet alone', (t) => {
  const bench = dealt(t);
  for (const round of ['half in memory', 'in the history']) {
    const fills = rowsOf(bench, 'fills', {});
    const orders = rowsOf(bench, 'orders', {});
    for (const id of new Set(fills.map((row) => row.order_id))) {
      assert.deepEqual(rowsOf(bench, 'fills', { orderId: id }), fills.filter((row) => row.order_id === id), round);
    }
    assert.equal(rowsOf(bench, 'fills', { orderId: 1 }).length, 2);
    const [first] = rowsOf(bench, 'fills', { orderId: 1 });
    const one = { orderId: 1, symbol: CALL_100_SYMBOL };
    assert.deepEqual(rowsOf(bench, 'fills', { ...one, to: first!.timestamp, limit: 1 }), [first], round);
    assert.equal(rowsOf(bench, 'fills', { ...one, to: (first!.timestamp as number) - 1 }).length, 1, round);
    assert.deepEqual(rowsOf(bench, 'fills', { orderId: 1, symbol: 'BTC-PERP' }), [], `of another contract, ${round}`);
    assert.deepEqual(rowsOf(bench, 'fills', { wallet: walletText(2), orderId: 1 }), [], 'the order of another');
    for (const clientId of ['a', 'b', 'none']) {
      assert.deepEqual(rowsOf(bench, 'orders', { clientId }), orders.filter((row) => row.client_id === clientId), round);
    }
    assert.equal(rowsOf(bench, 'orders', { clientId: 'a' }).length, 2);
    assert.deepEqual(rowsOf(bench, 'orders', { clientId: 'a', status: ['filled'] }).map((row) => row.status), ['filled']);
    assert.deepEqual(rowsOf(bench, 'orders', { clientId: 'a', status: ['canceled'] }), []);
    const [, older] = orders.filter((row) => row.client_id === 'a');
    assert.deepEqual(rowsOf(bench, 'orders', { clientId: 'a', to: Date.parse(older!.updated_at as string) }), [older]);
    bench.commit();
  }
});
