// Which index prices are used: outliers and their confirmation, the median of 30 s, the operator's own price, staleness, and
// the events of a price that was not used.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { FLAG_INDEX_AGELESS, FLAG_INDEX_STALE } from '../../../core/codec/commands.ts';
import { INDEX_IS_STALE, INDEX_IS_USED, INDEX_MOVED, INDEX_RECEIVED, INDEX_VALUE, MARKS_MOVED } from '../../../core/codec/events.ts';
import { defaultSettings, INDEX_CONFIRMATIONS, INDEX_MEDIAN_SPAN, INDEX_OUTLIER } from '../../../core/settings.ts';
import { hasIndexMoved, isIndexStale } from '../../../core/valuation/valuation.ts';
import { TestVenue } from '../../support/venue.ts';

class Feed extends TestVenue {
  /** Sends an index price `after` ms later; true if it was used. */
  tick(usdc: number, flags = 0, after = SECOND): boolean {
    this.now += after;
    this.venue(this.write.index(0, Math.round(usdc * USDC), flags));
    const { slots } = this.events.find(({ kind }) => kind === INDEX_MOVED)!;
    assert.equal(slots[INDEX_RECEIVED], Math.round(usdc * USDC));
    assert.equal(slots[INDEX_VALUE], this.index);
    return slots[INDEX_IS_USED] === 1;
  }

  get index(): number {
    return this.state.valuation.index[0]!;
  }

  isStale(): boolean {
    return isIndexStale(this.state.valuation, this.state.settings, 0, this.now);
  }
}

test('the first index price is used, and so is any later price within 5 % of the median', () => {
  const feed = new Feed();
  assert.equal(feed.tick(100_000), true);
  assert.equal(feed.tick(105_000), true, 'exactly 5 %');
  assert.equal(feed.tick(107_625.01), false, 'the median of two prices is their mean, 102,500');
  assert.equal(feed.tick(97_374.99), false);
  assert.equal(feed.tick(97_375), true);
});

test('an outlier changes neither the index nor its age, flags, volatility or marks', () => {
  const feed = new Feed();
  feed.tick(100_000, FLAG_INDEX_AGELESS);
  feed.settle();
  feed.now += SECOND;
  feed.venue(feed.write.index(0, 120_000 * USDC, FLAG_INDEX_STALE, 900_000));
  assert.equal(feed.index, 100_000 * USDC);
  assert.equal(feed.state.valuation.volatility[0], 600_000);
  assert.equal(feed.isStale(), false);
  assert.equal(feed.state.valuation.indexFlags[0], FLAG_INDEX_AGELESS);
  feed.settle();
  assert.deepEqual(feed.events.map(({ kind }) => kind), [INDEX_MOVED]);
  feed.tick(100_000);
  feed.now += 5 * SECOND;
  for (let i = 0; i < 6; i++) feed.tick(i % 2 === 0 ? 120_000 : 80_000);
  assert.equal(feed.isStale(), true, 'after eleven seconds of outliers that do not agree');
});

test('when three outliers in a row agree, the third is used and the median restarts from it', () => {
  const feed = new Feed();
  for (let i = 0; i < 40; i++) feed.tick(100_000);
  assert.deepEqual([feed.tick(120_000), feed.tick(121_000), feed.tick(119_000)], [false, false, true]);
  assert.equal(feed.index, 119_000 * USDC);
  assert.equal(feed.tick(119_500), true, 'the median is of the new price only');
  assert.equal(feed.tick(100_000), false);
});

test('outliers confirm no price if a used price comes between them or they differ by more than 5 %', () => {
  const feed = new Feed();
  for (let i = 0; i < 5; i++) feed.tick(100_000);
  assert.deepEqual([120_000, 120_000, 100_000, 120_000, 120_000].map((usdc) => feed.tick(usdc)), [false, false, true, false, false]);
  feed.tick(100_000);
  assert.deepEqual([120_000, 80_000, 120_000, 80_000].map((usdc) => feed.tick(usdc)), [false, false, false, false]);
  feed.tick(100_000);
  const apart = [110_000, 115_000, 119_000].map((usdc) => feed.tick(usdc));
  assert.deepEqual(apart, [false, false, false], 'each is near the next, but the first is not near the last');
  assert.deepEqual([119_000, 119_000].map((usdc) => feed.tick(usdc)), [false, true], 'the last of the three began a new run');
});

test('a run of outliers keeps neither the range of an ended run nor, after an operator’s price, its length', () => {
  const feed = new Feed();
  for (let i = 0; i < 5; i++) feed.tick(100_000);
  assert.deepEqual([120_000, 100_000, 125_000, 127_000, 126_000].map((usdc) => feed.tick(usdc)), [false, true, false, false, true]);
  const other = new Feed();
  for (let i = 0; i < 5; i++) other.tick(100_000);
  assert.deepEqual([120_000, 120_000].map((usdc) => other.tick(usdc)), [false, false]);
  assert.equal(other.tick(100_000, FLAG_INDEX_AGELESS), true);
  assert.equal(other.tick(120_000), false);
});

test('outliers agree if the highest is at most 5 % above the lowest', () => {
  for (const [highest, isUsed] of [[126_000, true], [126_001, false]] as const) {
    const feed = new Feed();
    feed.tick(100_000);
    assert.deepEqual([120_000, highest, 125_000].map((usdc) => feed.tick(usdc)), [false, false, isUsed]);
  }
});

test('of index prices received at almost the same time, only the last counts for the median, with its own age', () => {
  const feed = new Feed();
  feed.tick(100_000, 0, 0);
  feed.tick(104_000, 0, 400);
  assert.equal(feed.tick(109_000, 0, 0), true, '4.8 % from the last, 9 % from the first');
  assert.equal(feed.tick(130_000, 0, 29_700), false, '30.1 s after the first, 29.7 s after the last');
});

test('the median covers the last 30 s, however many ticks they hold; if they hold none, any price is used', () => {
  const feed = new Feed();
  feed.tick(100_000);
  for (let i = 0; i < 15; i++) feed.tick(100_000 * 1.004 ** i);
  for (let i = 0; i < 31; i++) assert.equal(feed.tick(106_000), true);
  assert.equal(feed.tick(111_200), true, 'the older prices no longer count');
  for (let i = 0; i < 200; i++) assert.equal(feed.tick(108_000, 0, 10), true, 'a hundred ticks a second');
  assert.equal(feed.tick(130_000), false);
  assert.equal(feed.tick(130_000, 0, MINUTE), true, 'no price in the last 30 s');
  assert.equal(feed.tick(150_000, 0, MINUTE / 2 - 1), false);
  assert.equal(feed.tick(150_000, 0, 1), true, 'a price of exactly 30 s ago no longer counts');
});

test('a price of a feed with many ticks a second is compared with the median of the whole 30 s', () => {
  const feed = new Feed();
  for (let i = 0; i < 100; i++) feed.tick(97_500, 0, 200);
  for (let i = 0; i < 50; i++) feed.tick(95_000, 0, 200);
  assert.equal(feed.tick(92_000, 0, 200), false, '5.6 % from the median of them all, 3.2 % from that of the last ten seconds');
});

test('an operator’s price is used at once, and the median restarts from it', () => {
  const feed = new Feed();
  for (let i = 0; i < 5; i++) feed.tick(100_000);
  assert.equal(feed.tick(50_000, FLAG_INDEX_AGELESS), true);
  assert.equal(feed.index, 50_000 * USDC);
  assert.equal(feed.tick(100_000), false);
  assert.equal(feed.tick(51_000), true);
});

test('the distance from the median that makes an outlier is a setting', () => {
  const settings = defaultSettings();
  settings[INDEX_OUTLIER] = 200_000;
  const feed = new Feed({ settings });
  feed.tick(100_000);
  assert.equal(feed.tick(119_000), true);
});

test('the span of the median and the number of confirmations are settings', () => {
  const settings = defaultSettings();
  settings[INDEX_CONFIRMATIONS] = 2;
  settings[INDEX_MEDIAN_SPAN] = 5 * SECOND;
  const feed = new Feed({ settings });
  for (let i = 0; i < 5; i++) feed.tick(100_000);
  assert.equal(feed.tick(110_000), false);
  assert.equal(feed.tick(110_000), true, 'the second in a row');
  assert.equal(feed.tick(100_000, 0, 4_999), false);
  assert.equal(feed.tick(120_000, 0, 1), true, 'no price in the last five seconds');
});

test('a price of 0 sends flags only: it keeps the index and skips the outlier check', () => {
  const feed = new Feed();
  feed.tick(100_000);
  assert.equal(feed.tick(0, FLAG_INDEX_STALE), true);
  assert.equal(feed.events[0]!.slots[INDEX_IS_STALE], 1);
  assert.equal(feed.isStale(), true);
  assert.equal(feed.index, 100_000 * USDC);
  feed.tick(100_001);
  assert.equal(feed.isStale(), false);
  feed.now += 10 * SECOND;
  assert.equal(feed.isStale(), false, 'ten seconds');
  feed.now += 1;
  assert.equal(feed.isStale(), true);
});

test('the index counts as moved when it is more than 2 % from the price behind the marks, until there are new marks', () => {
  const feed = new Feed();
  const hasRun = (): boolean => hasIndexMoved(feed.state.valuation, feed.state.settings, 0);
  feed.tick(100_000);
  feed.settle();
  feed.tick(102_000);
  assert.equal(hasRun(), false, 'two per cent');
  feed.tick(102_000.01);
  assert.equal(hasRun(), true);
  feed.settle();
  assert.equal(hasRun(), false);
  assert.ok(feed.events.some(({ kind }) => kind === MARKS_MOVED));
});
