// Candles of trades, marks and volatility indexes in the store, against a plain array, and how many are kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { KEPT_CANDLES } from '../../../../shell/storage/history/candle-series.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import {
  emptyRows, type CandleKind, type CandlePart, type CandleRow, type Rows, type TradeRow,
} from '../../../../shell/storage/history/protocol.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, walletOf } from './support.ts';

const MINUTE = 60_000;
const MARK = 5 * MINUTE;
const DAY = 1_440 * MINUTE;
const START = 20_000 * DAY;
const SYMBOL = 'BTC-20260925-100000-C';
const RESOLUTIONS = [MINUTE, MARK, 15 * MINUTE, 60 * MINUTE, 240 * MINUTE, DAY];

function tradeAt(seq: number, time: number, price: number, size: number, symbol = SYMBOL): TradeRow {
  return {
    seq, tradeId: seq, symbol, underlying: 'BTC', price, size, maker: walletOf(1), taker: walletOf(2), makerFee: 0, takerFee: 0,
    takerSide: 0, time,
  };
}

function partAt(seq: number, time: number, [open, high, low, close]: readonly number[], kind: CandlePart['kind'] = 'mark'): CandlePart {
  return { seq, kind, name: SYMBOL, time, open: open!, high: high!, low: low!, close: close! };
}

function take(store: HistoryStore, seq: number, rows: Partial<Rows>): void {
  store.take([{ type: 'batch', seq, rows: { ...emptyRows(), ...rows } }]);
}

function read(store: HistoryStore, kind: CandleKind, resolution: number, [from, to] = [0, 1e15], of = SYMBOL): Omit<CandleRow, 'seq'>[] {
  const found = store.answer({ name: 'candles', kind, of, resolution, from: from!, to: to! }) as CandleRow[];
  return found.map(({ seq: _, ...candle }) => candle);
}

test('property: candles of trades have first, highest, lowest and last price and the sum of sizes, whatever the batches', (t) => {
  const trade = fc.record({
    wait: fc.oneof(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: 0, max: 8 * 60 * MINUTE })),
    price: fc.integer({ min: 1, max: 1e12 }), size: fc.integer({ min: 1, max: 1e9 }), cut: fc.boolean(),
  });
  fc.assert(fc.property(fc.array(trade, { minLength: 1, maxLength: 60 }), (trades) => {
    const store = HistoryStore.open(temporaryFolder(t), VENUE);
    let [time, batch]: [number, TradeRow[]] = [START, []];
    const rows = trades.map(({ wait, price, size, cut }, at) => {
      const row = tradeAt(at + 1, time += wait, price, size);
      batch.push(row);
      if (cut || at === trades.length - 1) take(store, at + 1, { trades: batch.splice(0) });
      return row;
    });
    for (const resolution of RESOLUTIONS) {
      const groups = Map.groupBy(rows, (row) => Math.floor(row.time / resolution) * resolution);
      const expected = [...groups].map(([start, of]) => {
        const prices = of.map(({ price }) => price);
        return {
          time: start, open: prices[0], high: Math.max(...prices), low: Math.min(...prices), close: prices.at(-1),
          volume: of.reduce((sum, { size }) => sum + size, 0), trades: of.length,
        };
      });
      assert.deepEqual(read(store, 'trade', resolution), expected);
    }
    store.close();
  }), { numRuns: 15 });
});

test('a part of marks that contains an earlier one changes only what is new, and there is no minute of marks', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  take(store, 1, { candleParts: [partAt(1, START, [10, 12, 9, 11])] });
  take(store, 2, { candleParts: [partAt(2, START, [10, 15, 9, 13]), partAt(2, START, [12, 12, 10, 12])] });
  take(store, 3, { candleParts: [partAt(3, START + MARK, [12, 20, 5, 7])] });
  assert.deepEqual(read(store, 'mark', MARK), [
    { time: START, open: 10, high: 15, low: 9, close: 12, volume: 0, trades: 0 },
    { time: START + MARK, open: 12, high: 20, low: 5, close: 7, volume: 0, trades: 0 },
  ]);
  assert.deepEqual(read(store, 'mark', DAY), [{ time: START, open: 10, high: 20, low: 5, close: 7, volume: 0, trades: 0 }]);
  assert.deepEqual(read(store, 'mark', MINUTE), []);
  store.close();
});

test('a kind does not show the candles of another, nor a name those of another', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  take(store, 1, {
    trades: [tradeAt(1, START, 5, 1), tradeAt(1, START, 6, 1, 'ETH-PERP')], ticks: [{ seq: 1, underlying: SYMBOL, time: START, price: 7 }],
    candleParts: [partAt(1, START, [8, 8, 8, 8]), partAt(1, START, [9, 9, 9, 9], 'vol_index')],
  });
  const opens = (['index', 'vol_index', 'mark', 'trade'] as const).map((kind) => read(store, kind, DAY).map(({ open }) => open));
  assert.deepEqual(opens, [[7], [9], [8], [5]]);
  assert.deepEqual(read(store, 'trade', DAY, [0, 1e15], 'ETH-PERP').map(({ open }) => open), [6]);
  store.close();
});

test('so many newest intervals are kept of each resolution, those of an index for ever, and an ended contract keeps its last', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const count = KEPT_CANDLES.mark + 40;
  for (let at = 0; at < count; at++) {
    const time = START + at * MARK;
    take(store, at + 1, {
      candleParts: [partAt(at + 1, time, [at, at, at, at])], ticks: [{ seq: at + 1, underlying: 'BTC', time, price: at + 1 }],
      ...(at < 10 && { trades: [tradeAt(at + 1, time, 5, 1)] }),
    });
  }
  const marks = read(store, 'mark', MARK);
  assert.deepEqual([marks.length, marks[0]!.time], [KEPT_CANDLES.mark, START + 40 * MARK]);
  assert.equal(read(store, 'mark', DAY).length, Math.ceil(count * MARK / DAY));
  assert.equal(read(store, 'index', MARK, undefined, 'BTC').length, count);
  assert.equal(read(store, 'trade', MARK).length, 10);
  store.close();
});

test('trades beyond what is kept are dropped, also when the file was opened again, and the marks of a stop are kept', (t) => {
  const folder = temporaryFolder(t);
  const store = HistoryStore.open(folder, VENUE);
  for (const [seq, minute] of [[1, 0], [2, 1], [3, KEPT_CANDLES.trade]] as const) {
    take(store, seq, { trades: [tradeAt(seq, START + minute * MINUTE, seq, 1)] });
  }
  assert.deepEqual(read(store, 'trade', MINUTE).map(({ open }) => open), [2, 3]);
  store.commit();
  take(store, 4, { trades: [tradeAt(4, START + (KEPT_CANDLES.trade + 1) * MINUTE, 4, 1)] });
  store.finish([partAt(4, START, [1, 1, 1, 1])]);
  store.close();
  const again = HistoryStore.open(folder, VENUE);
  assert.deepEqual(read(again, 'trade', MINUTE).map(({ open }) => open), [3, 4]);
  assert.equal(read(again, 'mark', MARK).length, 1);
  assert.equal(again.appliedSeq, 4);
  again.close();
});
