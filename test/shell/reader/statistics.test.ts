// The day's statistics after a restart: equal to the last digit to those of a venue that never stopped, for a day with too many trades to
// read one by one, and for quiet days.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { emptyRows, type TradeRow } from '../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../shell/storage/history/history-store.ts';
import { statisticsOf } from '../../../shell/reader/catch-up.ts';
import { BUCKET, Statistics } from '../../../shell/reader/market/statistics.ts';
import { DAY } from '../../../core/units.ts';
import { generator } from '../storage/journal/support.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { START } from '../../support/venue.ts';
import { VENUE } from './support.ts';

const SYMBOLS = ['BTC-PERP', 'ETH-PERP', 'BTC-20260106-100000-C'];
const BATCH = 10_000;

function tradeAt(id: number, time: number, random: () => number): TradeRow {
  const symbol = SYMBOLS[Math.floor(random() * SYMBOLS.length)]!;
  return {
    seq: id, tradeId: id, symbol, underlying: symbol.slice(0, 3), price: Math.ceil(random() * 1e11), size: Math.ceil(random() * 1e7), time,
    maker: '0x1', taker: '0x2', makerFee: 0, takerFee: 0, takerSide: 0,
  };
}

for (const [what, count, span] of [['a busy day', 120_000, DAY - BUCKET], ['quiet days', 500, 3 * DAY]] as const) {
  test(`${what}: the statistics read from the history equal those kept all along`, async (t) => {
    const random = generator(count);
    const store = HistoryStore.open(temporaryFolder(t), VENUE);
    const kept = new Statistics();
    for (let id = 1; id <= count;) {
      const rows = emptyRows();
      for (let i = 0; i < BATCH && id <= count; i++, id++) {
        const trade = tradeAt(id, START + Math.floor(id / count * span), random);
        rows.trades.push(trade);
        kept.add(trade.symbol, trade.time, trade.price, trade.size);
      }
      store.commit([{ type: 'batch', seq: id - 1, rows }]);
    }
    const read = await statisticsOf(async (query) => structuredClone(store.answer(query)));
    for (const later of [0, 1, BUCKET, 5 * BUCKET]) {
      const time = START + span + later;
      for (const symbol of SYMBOLS) assert.deepEqual(read.of(symbol, time), kept.of(symbol, time));
    }
    const trade = tradeAt(count + 1, START + span + 1, random);
    for (const statistics of [read, kept]) statistics.add(trade.symbol, trade.time, trade.price, trade.size);
    assert.deepEqual(read.of(trade.symbol, trade.time), kept.of(trade.symbol, trade.time));
    store.close();
  });
}

test('a restart knows each symbol\'s last price of any age, and every trade younger than a day', async (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const rows = emptyRows();
  // The last one comes at the end of a bucket: a day before it lies in the oldest one that counts.
  const end = Math.ceil((START + 90 * DAY) / BUCKET) * BUCKET + BUCKET - 1;
  for (const [at, time] of [START, START + DAY, end - DAY, end].entries()) {
    rows.trades.push({ ...tradeAt(at + 1, time, Math.random), symbol: SYMBOLS[at >> 1]!, price: 1e6 * (at + 1), size: 1e6 });
  }
  store.commit([{ type: 'batch', seq: 4, rows }]);
  const read = await statisticsOf(async (query) => structuredClone(store.answer(query)));
  const empty = { volume: 0, turnover: 0, high: null, low: null, first: null };
  assert.deepEqual(SYMBOLS.map((symbol) => read.of(symbol, end)), [
    { ...empty, last: 2e6 }, { volume: 2e6, turnover: 7, high: 4e6, low: 3e6, first: 3e6, last: 4e6 }, { ...empty, last: null },
  ]);
  // Underlyings have trades of their own, and are no symbols.
  assert.equal(read.of('BTC', end).last, null);
  store.close();
});

test('without trades the statistics are empty', async (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const none = { volume: 0, turnover: 0, high: null, low: null, first: null, last: null };
  assert.deepEqual((await statisticsOf(async (query) => store.answer(query))).of('BTC-PERP', START), none);
  store.close();
});
