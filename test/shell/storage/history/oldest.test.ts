// Pages that begin at the oldest row of a span: fills, funding payments and hours, against all rows of the span.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../../support/fast-check.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import { emptyRows, type FundingRow, type HistoryQuery, type PaymentRow } from '../../../../shell/storage/history/protocol.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { rowsOf, TIME, VENUE, walletOf } from './support.ts';

const SEQS = 300;
const SYMBOL = 'BTC-PERP';

test('property: pages from the oldest are the rows of the span in their order', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  for (let seq = 1; seq <= SEQS; seq++) {
    const payment: PaymentRow = {
      seq, wallet: walletOf(seq % 3), symbol: SYMBOL, fromTime: 0, toTime: 1, hours: 1, rate: 1, position: 1, amount: seq, time: TIME + seq,
    };
    const hour: FundingRow = { seq, symbol: SYMBOL, time: TIME + seq, rate: seq, price: 1, premium: -seq };
    store.commit([{ type: 'batch', seq, rows: { ...emptyRows(), fills: rowsOf(seq).fills, payments: [payment], funding: [hour] } }]);
  }
  const at = fc.integer({ min: TIME, max: TIME + SEQS + 1 });
  fc.assert(fc.property(fc.constantFrom('fills', 'payments', 'funding'), fc.nat(2), at, at, fc.integer({ min: 1, max: 50 }), (
    name, wallet, from, to, limit,
  ) => {
    const query = { name, wallet: walletOf(wallet), symbol: SYMBOL, from, to, skip: 0 };
    const { symbol: _, ...ofWallet } = query;
    const base = name === 'funding' ? query : ofWallet;
    const asked = (more: object): readonly object[] => store.answer({ ...base, ...more } as HistoryQuery);
    const all = asked({ limit: 10_000 }).toReversed();
    assert.deepEqual(asked({ limit, isOldest: true }).toReversed(), all.slice(0, limit));
  }));
  store.close();
});
