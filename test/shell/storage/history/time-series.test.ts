// Series over time against a plain array: points by interval, values at moments, candles of every length, and the thinning of old
// theoretical prices, which never removes what the longest page of an interval may show.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyRows, type CandleRow, type EquityRow, type PointRow, type TickRow } from '../../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../../shell/storage/history/history-store.ts';
import { generator } from '../journal/support.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { VENUE, walletOf } from './support.ts';

const MINUTE = 60_000;
const MARK = 5 * MINUTE;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = 20_000 * DAY;
const WALLET = walletOf(7);
const RISK = { markIv: 0.6, bidIv: null, askIv: null, delta: 0.5, gamma: 0, vega: 1, theta: -1, openInterest: 0 };

/** The last value within each interval by its end: walked through from the oldest. */
function model(rows: readonly { time: number; value: number }[], interval: number, to: number, limit: number): [number, number][] {
  const byEnd = new Map<number, number>();
  for (const { time, value } of rows) {
    let end = Math.floor(time / interval) * interval;
    if (end < time) end += interval;
    if (time <= to) byEnd.set(end, value);
  }
  return [...byEnd].slice(-limit);
}

test('equity of an interval is its last row, and of one moment the row that came last', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const random = generator(3);
  const whole: EquityRow[] = [];
  let time = START;
  for (let seq = 1; seq <= 4_000; seq++) {
    const draw = random();
    if (draw < 0.9) time += MARK;
    else if (draw < 0.95) time += Math.ceil(random() * 300) * MARK;
    else if (draw < 0.97) time += Math.floor(random() * MARK);
    whole.push({ seq, wallet: WALLET, time, equity: Math.floor((random() - 0.5) * 1e15), credited: 0 });
  }
  for (let at = 0; at < whole.length; at += 500) {
    const equity = whole.slice(at, at + 500);
    store.commit([{ type: 'batch', seq: equity.at(-1)!.seq, rows: { ...emptyRows(), equity } }]);
  }
  const rows = whole.map(({ time: at, equity }) => ({ time: at, value: equity }));
  for (let turn = 0; turn < 60; turn++) {
    const interval = [MARK, HOUR, DAY][turn % 3]!;
    const to = Math.floor((START + random() * (time - START)) / interval) * interval;
    const limit = Math.floor(random() * 101);
    const points = store.answer({ name: 'equity', wallet: WALLET, interval, to, limit }) as PointRow[];
    const shown = points.map((point): [number, number] => [Math.ceil(point.time / interval) * interval, point.value]);
    assert.deepEqual(shown, limit === 0 ? [] : model(rows, interval, to, limit));
  }
  const times = [START - 1, START, START + DAY, time + 1];
  const worth = store.answer({ name: 'equityAt', wallet: WALLET, times }) as { point: PointRow | null }[];
  const expected = times.map((at) => rows.findLast((row) => row.time <= at)?.value ?? null);
  assert.deepEqual(worth.map(({ point }) => point?.value ?? null), expected);
  assert.deepEqual(store.answer({ name: 'equityAt', wallet: walletOf(8), times: [time] }), [{ point: null }]);
  for (const at of [START - 1, time - 1, time]) {
    const expected = at < time ? [{ wallet: WALLET }] : [];
    assert.deepEqual(store.answer({ name: 'futureEquity', time: at }), expected, 'one that has a row later on');
  }
  store.close();
});

test('candles of every length have the first, highest, lowest and last of their ticks', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const random = generator(4);
  const ticks: TickRow[] = [];
  let time = START;
  for (let seq = 1; seq <= 3_000; seq++) {
    time += Math.floor(random() * (random() < 0.02 ? 9 * HOUR : 40_000));
    ticks.push({ seq, underlying: 'BTC', time, price: 1 + Math.floor(random() * 1e12) });
  }
  for (let at = 0; at < ticks.length; at += 700) {
    const part = ticks.slice(at, at + 700);
    store.commit([{ type: 'batch', seq: part.at(-1)!.seq, rows: { ...emptyRows(), ticks: part } }]);
  }
  for (const resolution of [MINUTE, MARK, 15 * MINUTE, HOUR, 4 * HOUR, DAY]) {
    const from = START + Math.floor((time - START) / 4);
    const expected = new Map<number, Omit<CandleRow, 'seq'>>();
    for (const { time: at, price } of ticks) {
      const start = at - at % resolution;
      const candle = expected.get(start);
      expected.set(start, {
        time: start, open: candle?.open ?? price, high: Math.max(candle?.high ?? 0, price), low: Math.min(candle?.low ?? Infinity, price),
        close: price, volume: 0, trades: 0,
      });
    }
    const found = store.answer({ name: 'candles', kind: 'index', of: 'BTC', resolution, from, to: time - HOUR }) as CandleRow[];
    const within = [...expected.values()].filter((one) => one.time >= from && one.time < time - HOUR);
    assert.deepEqual(found.map(({ seq: _, ...candle }) => candle), within);
    assert.ok(resolution === DAY || found.length > 1);
  }
  assert.deepEqual(store.answer({ name: 'candles', kind: 'index', of: 'ETH', resolution: DAY, from: 0, to: time }), []);
  store.close();
});

test('with rare marks the last of each hour and day is kept, wherever it is', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const symbol = 'BTC-20260925-1-C';
  const whole: { time: number; value: number }[] = [];
  const random = generator(9);
  let time = START;
  for (let seq = 1; seq <= 1_500; seq++) {
    time += (1 + Math.floor(random() * 6)) * MARK;
    whole.push({ time, value: seq });
    store.commit([{ type: 'batch', seq, rows: { ...emptyRows(), theos: [{ seq, symbol, time, price: seq, ...RISK }] } }]);
  }
  for (const interval of [MARK, HOUR, DAY]) {
    const to = Math.floor(time / interval) * interval;
    const points = store.answer({ name: 'theos', symbol, interval, to, limit: 100 }) as PointRow[];
    const shown = points.map((point): [number, number] => [Math.ceil(point.time / interval) * interval, point.value]);
    const since = ([end]: [number, number]): boolean => end > shown.at(-1)![0] - 100 * interval;
    assert.deepEqual(shown.filter(since), model(whole, interval, to, 100).filter(since));
  }
  store.close();
});

test('old theoretical prices are thinned, and no page of 100 misses one', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const symbol = 'BTC-20260925-1-C';
  const marks = 10 * DAY / MARK;
  for (let mark = 0, seq = 0; mark < marks; mark++) {
    const theos = [{ seq: ++seq, symbol, time: START + mark * MARK, price: mark, ...RISK }];
    store.commit([{ type: 'batch', seq, rows: { ...emptyRows(), theos } }]);
  }
  const newest = START + (marks - 1) * MARK;
  const read = (interval: number, limit: number): number[] => {
    const to = Math.floor(newest / interval) * interval;
    return (store.answer({ name: 'theos', symbol, interval, to, limit }) as PointRow[]).map(({ value }) => value);
  };
  const expected = (interval: number, count: number): number[] => (
    Array.from({ length: count }, (_, at) => (Math.floor(newest / interval) * interval - (count - 1 - at) * interval - START) / MARK)
  );
  assert.deepEqual(read(MARK, 100), expected(MARK, 100));
  assert.deepEqual(read(HOUR, 100), expected(HOUR, 100));
  assert.deepEqual(read(DAY, 100), expected(DAY, 10));
  assert.ok(read(MARK, 10_000).length < 108 + 102 + 10 + 5, `${read(MARK, 10_000).length} rows of ${marks} are kept`);
  store.close();
});

test('prices of a venue that is silent every night, and once for weeks, are thinned too', (t) => {
  const store = HistoryStore.open(temporaryFolder(t), VENUE);
  const symbol = 'BTC-20260925-1-C';
  const days = [...Array.from({ length: 20 }, (_, day) => day), 45, 46];
  const whole: { time: number; value: number }[] = [];
  for (const [at, day] of days.entries()) {
    const marks = Array.from({ length: 8 * 12 }, (_, mark) => START + day * DAY + 8 * HOUR + mark * MARK);
    const theos = marks.map((time, mark) => ({ seq: at + 1, symbol, time, price: at * 1_000 + mark, ...RISK }));
    whole.push(...theos.map(({ time, price }) => ({ time, value: price })));
    store.commit([{ type: 'batch', seq: at + 1, rows: { ...emptyRows(), theos } }]);
  }
  const read = (interval: number, limit: number): [number, number][] => {
    const points = store.answer({ name: 'theos', symbol, interval, to: Infinity, limit }) as PointRow[];
    return points.map((point) => [Math.ceil(point.time / interval) * interval, point.value]);
  };
  const kept = read(MARK, 10_000).length;
  assert.ok(kept <= 108 + 102 + days.length + 5, `${kept} rows of ${whole.length} are kept`);
  for (const interval of [MARK, HOUR, DAY]) {
    const shown = read(interval, 100);
    const since = ([end]: [number, number]): boolean => end > shown.at(-1)![0] - 100 * interval;
    assert.deepEqual(shown.filter(since), model(whole, interval, Infinity, 100).filter(since));
  }
  store.close();
});
