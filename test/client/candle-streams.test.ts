// Candles of an index, of trades and of marks, as the client tells them apart. Only those of marks may skip numbers of their stream.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptedVenue } from './scripted-venue.ts';
import { until } from './until.ts';

test('candles of trades, of marks and of an index of one resolution do not mix', async (t) => {
  const { venue, socket, gaps } = await scriptedVenue(t);
  const candle = (seq: number, more: object): object => (
    { type: 'CandleUpdate', underlying: 'BTC', resolution: '5m', seq, close: seq, ...more }
  );
  const closes: [string, number][] = [];
  for (const name of ['BTC:5m', 'BTC-PERP:5m', 'BTC-PERP:5m:mark'] as const) {
    await socket.subscribe(`candles:${name}`, { onMessage: ({ close }) => closes.push([name, close]) });
  }
  const perp = { instrument_name: 'BTC-PERP' };
  const [mark, trade] = [{ ...perp, price: 'mark' }, { ...perp, price: 'trade' }];
  venue.send(candle(1, {}), candle(2, mark), candle(3, trade), candle(5, mark), candle(6, trade));
  await until('all of them', () => closes.length === 5);
  assert.deepEqual(closes, [['BTC:5m', 1], ['BTC-PERP:5m:mark', 2], ['BTC-PERP:5m', 3], ['BTC-PERP:5m:mark', 5], ['BTC-PERP:5m', 6]]);
  assert.deepEqual(gaps, [{ channel: 'candles', key: 'BTC-PERP:5m', from: 4, to: 5 }], 'only marks may skip numbers');
});
