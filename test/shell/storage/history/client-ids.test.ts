// Orders of one client id in the store: quotes, which have the name of their set in its place, are no part of it, and a query looks
// at a bounded number of rows.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import Database from 'better-sqlite3';
import { FLAG_QUOTE } from '../../../../core/codec/commands.ts';
import { DONE_CANCELLED, DONE_FILLED } from '../../../../core/errors.ts';
import { historyPath } from '../../../../shell/storage/history/history-file.ts';
import { CLIENT_ID_ORDERS } from '../../../../shell/storage/history/history-queries.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import { emptyRows, type OrderRow } from '../../../../shell/storage/history/protocol.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, walletOf } from './support.ts';

const WALLET = walletOf(1);

/** Order `id`, done at second `id`. */
const order = (id: number, more: Partial<OrderRow> = {}): OrderRow => ({
  seq: id, orderId: id, wallet: WALLET, symbol: 'BTC-PERP', side: 0, price: 1, size: 1, filled: 0, tif: 0, flags: 0, clientId: 'a',
  reason: DONE_CANCELLED, createdAt: 1_000 * id, doneAt: 1_000 * id, terms: '', ...more,
});

function stored(folder: string, orders: OrderRow[]): HistoryStore {
  const store = HistoryStore.open(folder, VENUE);
  store.commit([{ type: 'batch', seq: orders.length, rows: { ...emptyRows(), orders } }]);
  return store;
}

const idsOf = (store: HistoryStore, more = {}): number[] => (
  store.answer({ name: 'orders', wallet: WALLET, ending: null, clientId: 'a', skip: 0, limit: 100, ...more }) as OrderRow[]
).map(({ orderId }) => orderId);

test('given quotes and orders of one name, then a client id finds the orders alone, and the index has no quote', (t) => {
  const folder = temporaryFolder(t);
  const rows = Array.from({ length: 9 }, (_, i) => order(i + 1, { flags: i % 3 === 0 ? FLAG_QUOTE : 0 }));
  const store = stored(folder, rows);
  assert.deepEqual(idsOf(store), [9, 8, 6, 5, 3, 2]);
  assert.deepEqual(idsOf(store, { from: 3_000, to: 8_000, upTo: 6 }), [6, 5, 3]);
  assert.deepEqual(idsOf(store, { skip: 1, limit: 2 }), [8, 6]);
  assert.deepEqual(store.answer({ name: 'order', wallet: WALLET, clientId: 'a' }), [{ ...rows[8] }]);
  store.close();
  const db = new Database(historyPath(folder), { readonly: true });
  const sql = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'orders_by_client_id'").pluck().get() as string;
  db.close();
  assert.match(sql, new RegExp(`AND flags & ${FLAG_QUOTE} = 0$`));
});

test('given more orders of a client id than a query looks at, then those of an ending are found among the newest alone', (t) => {
  const count = CLIENT_ID_ORDERS + 2;
  const filled = { reason: DONE_FILLED, filled: 1 };
  const store = stored(temporaryFolder(t), Array.from({ length: count }, (_, i) => order(i + 1, i < 3 ? filled : {})));
  assert.deepEqual(idsOf(store, { ending: 'filled' }), [3]);
  assert.deepEqual(idsOf(store, { ending: 'filled', to: 3_000 }), [3, 2, 1], 'bounds of time come first');
  assert.deepEqual(idsOf(store, { limit: 2 }), [count, count - 1]);
  store.close();
});
