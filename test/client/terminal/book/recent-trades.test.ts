// The list of last trades: what is read and what is streamed make one list, in whatever order they come.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import type { Trade, TradeMessage } from '../../../../client/src/main.ts';
import { RecentTrades } from '../../../../client/terminal/panels/book/recent-trades.ts';

const read = (id: number) => ({ trade_id: id, price: '5', size: '1', taker_side: 'Sell', timestamp: id }) as Trade;
const streamed = (id: number) => ({ trade_id: id, price: '5', size: '1', side: 'sell', timestamp: id }) as TradeMessage;

test('in whatever order trades are read and streamed, each is listed once, newest first, and the newest are kept', () => {
  fc.assert(fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 300 }), fc.boolean()), { maxLength: 300 }), (told) => {
    const trades = new RecentTrades();
    for (const [id, isRead] of told) {
      if (isRead) trades.takeRead([read(id)]);
      else trades.takeStreamed(streamed(id));
    }
    const ids = trades.rows.map(({ id }) => id);
    const all = [...new Set(told.map(([id]) => id))].sort((one, other) => other - one);
    assert.deepEqual(ids.slice(0, 60), all.slice(0, Math.min(60, ids.length)));
    assert.ok(ids.length <= 120 && ids.length >= Math.min(60, all.length));
  }));
});
