// The stored ledger keeps the newest rows of a wallet and carries the sum of the others in one row, so that a wallet's rows sum to its
// cash whatever was dropped; and where the history begins late.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { emptyRows, KEPT_LEDGER, type LedgerRow } from '../../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, walletOf } from './support.ts';

const WALLET = walletOf(1);
const ALL = { skip: 0, limit: 10 * KEPT_LEDGER };

/** Row `number` of a wallet that gets 3 and pays 1 in turns. */
function rowAt(number: number, wallet = WALLET): LedgerRow {
  const balance = Math.floor(number / 2) * 2 + (number % 2) * 3;
  return {
    seq: number, wallet, number, kind: number % 2 === 1 ? 1 : 2, symbol: 'BTC-PERP', amount: number % 2 === 1 ? 3 : -1, balance,
    tradeId: number, orderId: number, payoutId: 0, hour: 0, creditId: '', reason: '', time: 1_000 + number,
  };
}

function put(store: HistoryStore, from: number, to: number): void {
  const ledger = Array.from({ length: to - from + 1 }, (_, i) => rowAt(from + i));
  store.commit([{ type: 'batch', seq: to, rows: { ...emptyRows(), ledger } }]);
}

function rowsOf(store: HistoryStore, more = {}): LedgerRow[] {
  return store.answer({ name: 'ledger', wallet: WALLET, ...ALL, ...more }) as LedgerRow[];
}

const sum = (rows: readonly LedgerRow[]): number => rows.reduce((total, { amount }) => total + amount, 0);

test('given more rows than are kept, when old ones go, then one row opening carries their sum', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const last = KEPT_LEDGER + 2_048;
  put(store, 1, last);
  const rows = rowsOf(store);
  assert.ok(rows.length >= KEPT_LEDGER && rows.length < KEPT_LEDGER + 1_024, String(rows.length));
  assert.equal(sum(rows), rowAt(last).balance);
  const carried = rows.at(-1)!;
  assert.deepEqual([carried.kind, carried.amount, carried.symbol, carried.tradeId], [0, carried.balance, '', 0]);
  assert.deepEqual(rowsOf(store, { kind: 0 }), [carried]);
  assert.deepEqual(rows.slice(0, -1), Array.from({ length: rows.length - 1 }, (_, i) => rowAt(last - i)));
  const after = store.answer({ name: 'ledgerAfter', wallet: WALLET, after: 0, limit: 2 }) as LedgerRow[];
  assert.deepEqual(after.map(({ number }) => number), [carried.number + 1, carried.number + 2], 'no stream tells the carried row');
  store.close();
});

test('given a history that begins late, or lacks rows between, then a row opening stands for what came before', (t) => {
  const folder = temporaryFolder(t);
  let store = HistoryStore.open(folder, VENUE);
  put(store, 41, 50);
  for (const [first, last] of [[41, 50], [81, 90]] as const) {
    if (first !== 41) put(store, first, last);
    const rows = rowsOf(store);
    assert.equal(sum(rows), rowAt(last).balance);
    assert.deepEqual([rows.length, rows.at(-1)!.kind, rows.at(-1)!.number], [11, 0, first - 1]);
    assert.deepEqual(rowsOf(store, { kind: 2, limit: 2, skip: 1 }).map(({ number }) => number), [last - 2, last - 4]);
    store.close();
    store = HistoryStore.open(folder, VENUE);
    assert.deepEqual(rowsOf(store), rows, 'the same after a restart');
  }
  put(store, 91, 91);
  assert.equal(sum(rowsOf(store)), rowAt(91).balance);
  store.close();
});
