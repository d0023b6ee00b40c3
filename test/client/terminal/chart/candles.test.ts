// The candles of the chart: read and streamed ones together, and which part of the time is shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { Candles } from '../../../../client/terminal/panels/chart/candles.ts';
import { fitted, moved, rangeOf, STANDARD_VIEW, zoomed } from '../../../../client/terminal/panels/chart/view.ts';

const bar = (minute: number, close: number) => ({ start_time_ms: minute * 60_000, open: 1, high: 9, low: 1, close, volume: 0 });
const near = (one: number, other: number): void => assert.ok(Math.abs(one - other) < 1e-6 * Math.max(1, Math.abs(other)));

test('a streamed candle is not replaced by a read that was asked for before it, but by one after a gap', () => {
  const candles = new Candles();
  candles.takeStreamed(bar(2, 5));
  candles.takeRead([bar(1, 3), bar(2, 4)]);
  assert.deepEqual(candles.columns()[4], [3, 5]);
  candles.reset();
  candles.takeRead([bar(2, 6)]);
  assert.deepEqual(candles.columns()[4], [3, 6]);
});

test('in whatever order parts are read, candles ascend by time and each interval is there once', () => {
  fc.assert(fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 20 })), (parts) => {
    const candles = new Candles();
    for (const part of parts) candles.takeRead(part.map((minute) => bar(minute, minute)));
    const expected = [...new Set(parts.flat())].sort((one, other) => one - other);
    assert.deepEqual(candles.columns()[0], expected.map((minute) => minute * 60));
  }));
});

test('a view follows the newest candle until it is moved, and again once it is moved back to it', () => {
  const at = { newest: 100_000, interval: 60 };
  const back = moved(STANDARD_VIEW, -50, at.newest, at.interval);
  assert.deepEqual(rangeOf(back, at.newest, at.interval), rangeOf(back, at.newest + 600, at.interval));
  assert.notDeepEqual(rangeOf(STANDARD_VIEW, at.newest, at.interval), rangeOf(STANDARD_VIEW, at.newest + 600, at.interval));
  assert.equal(moved(back, 50, at.newest, at.interval).end, null);
});

test('a series that has just begun fills the width until the user chooses how much to see', () => {
  assert.equal(fitted(STANDARD_VIEW, 1).bars, 24);
  assert.equal(fitted(STANDARD_VIEW, 50).bars, 54);
  assert.equal(fitted(STANDARD_VIEW, 5_000).bars, STANDARD_VIEW.bars);
  assert.equal(fitted(STANDARD_VIEW, Infinity).bars, STANDARD_VIEW.bars);
  assert.equal(fitted({ bars: 200, end: null }, 1).bars, 200);
});

test('zooming a moved view keeps the time under the pointer where it is, between the least and the most bars', () => {
  const factors = fc.double({ min: 0.1, max: 10, noNaN: true });
  fc.assert(fc.property(factors, fc.double({ min: 0, max: 1, noNaN: true }), (factor, share) => {
    const at = { newest: 1_000_000, interval: 60 };
    const before = moved(STANDARD_VIEW, -5_000, at.newest, at.interval);
    const after = zoomed(before, { factor, share, ...at });
    const [[from, to], [low, high]] = [rangeOf(before, at.newest, at.interval), rangeOf(after, at.newest, at.interval)];
    near(low + (high - low) * share, from + (to - from) * share);
    assert.ok(after.bars >= 10 && after.bars <= 1_000);
  }));
});
