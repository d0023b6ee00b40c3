// The settlement average against a BigInt sum over the same seconds, whenever the venue runs in between; how many samples
// make a price; the average with a stale index or a venue that is asleep.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { MINUTE, SECOND, USDC } from '../../../core/units.ts';
import { FLAG_INDEX_AGELESS, FLAG_INDEX_STALE } from '../../../core/codec/commands.ts';
import { SETTLEMENT_SET } from '../../../core/codec/events.ts';
import { addWide, WIDE_LIMBS, wideMean } from '../../../core/ledger/wide.ts';
import { createState, type State } from '../../../core/engine/state.ts';
import { SMALL } from '../../../core/limits.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { START, TestVenue } from '../../support/venue.ts';

/** The first expiry after the start, and the start of its window. */
const EXPIRY = START + 8 * 60 * MINUTE;
const WINDOW = EXPIRY - 30 * MINUTE;

type Tick = { readonly time: number; readonly price: number; readonly flags: number };

const opened = copyOf(new TestVenue().open().state);

/** A venue whose instruments are listed, at `now`. */
function venueAt(now: number): TestVenue {
  const state: State = createState(SMALL);
  restoreState(state, opened);
  const venue = new TestVenue({ state });
  venue.now = now;
  return venue;
}

/** [underlying, expiry, price, samples] of every SETTLEMENT_SET event until the end of the window. */
function settlements(venue: TestVenue, ticks: readonly Tick[]): number[][] {
  const settled: number[][] = [];
  venue.state.events.listener = (kind, slots) => {
    if (kind === SETTLEMENT_SET) settled.push([...slots.subarray(1, 5)]);
  };
  for (const { time, price, flags } of ticks) {
    venue.now = time;
    venue.venue(venue.write.index(0, price, flags));
    venue.settle();
  }
  venue.now = Math.max(venue.now, EXPIRY);
  venue.settle();
  return settled;
}

/** The settlement of BTC by definition: at each second the newest index received by then, unless it is stale. */
function expected(ticks: readonly Tick[], before: Tick): { samples: number; price: number } {
  let sum = 0n;
  let samples = 0;
  for (let second = WINDOW + SECOND; second <= EXPIRY; second += SECOND) {
    const last = ticks.findLast(({ time }) => time <= second) ?? before;
    const isOld = (last.flags & FLAG_INDEX_AGELESS) === 0 && second - last.time > 10 * SECOND;
    if (isOld || (last.flags & FLAG_INDEX_STALE) !== 0) continue;
    sum += BigInt(last.price);
    samples++;
  }
  const count = BigInt(samples);
  return { samples, price: samples < 900 ? 0 : Number((2n * sum + count) / (2n * count)) };
}

test('settlement average: the exact mean of the index at each second, whenever prices arrive and the venue runs', () => {
  const gap = fc.oneof(
    fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 3 }).map((n) => n * SECOND), fc.integer({ min: 5_000, max: 90_000 }),
  );
  const rare = fc.constantFrom(FLAG_INDEX_AGELESS, FLAG_INDEX_STALE);
  const tick = fc.record({
    gap, move: fc.integer({ min: -40_000, max: 40_000 }),
    flags: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: rare }),
  });
  fc.assert(fc.property(fc.array(tick, { minLength: 1, maxLength: 150 }), (moves) => {
    const venue = venueAt(START);
    let time = WINDOW - 5 * SECOND;
    let price = 100_000 * USDC;
    const ticks = moves.map(({ gap: after, move, flags }): Tick => ({ time: time += after, price: price = price + move * 1_001, flags }))
      .filter((one) => one.time < EXPIRY);
    const settled = settlements(venue, ticks);
    const { samples, price: mean } = expected(ticks, { time: START, price: 100_000 * USDC, flags: FLAG_INDEX_AGELESS });
    assert.deepEqual(settled[0], [0, EXPIRY, mean, samples]);
    assert.deepEqual(settled[1], [1, EXPIRY, 3_000 * USDC, 1_800], 'the index of ETH is ageless');
  }), { numRuns: 25 });
});

test('settlement average: the mean is exact for up to 1,800 samples of up to the highest price', () => {
  const run = fc.record({ value: fc.integer({ min: 1, max: 1e15 }), count: fc.integer({ min: 1, max: 600 }) });
  fc.assert(fc.property(fc.array(run, { minLength: 1, maxLength: 3 }), (runs) => {
    const sum = new Float64Array(WIDE_LIMBS);
    let exact = 0n;
    let samples = 0;
    for (const { value, count } of runs) {
      for (let i = 0; i < count; i++) addWide(sum, 0, value);
      exact += BigInt(value) * BigInt(count);
      samples += count;
    }
    const count = BigInt(samples);
    assert.equal(wideMean(sum, 0, samples), Number((2n * exact + count) / (2n * count)));
  }));
  assert.equal(wideMean(new Float64Array(2), 0, 0), 0);
  const odd = new Float64Array(WIDE_LIMBS);
  for (const value of [1, 2]) addWide(odd, 0, value);
  assert.equal(wideMean(odd, 0, 2), 2, 'a half rounds up');
});

test('with 900 of 1,800 samples there is a settlement price; with 899 the contract waits for one', () => {
  for (const [late, samples] of [[0, 901], [1, 900], [SECOND + 1, 899]] as const) {
    const first = EXPIRY - 15 * MINUTE + late;
    const venue = venueAt(START);
    venue.venue(venue.write.index(0, 0, FLAG_INDEX_STALE));
    const settled = settlements(venue, [{ time: first, price: 99_000 * USDC, flags: FLAG_INDEX_AGELESS }]);
    assert.deepEqual(settled[0], [0, EXPIRY, samples < 900 ? 0 : 99_000 * USDC, samples]);
    const slot = venue.slots((one) => one.expiry === EXPIRY && one.underlying === 'BTC')[0]!;
    assert.equal(venue.state.instruments.status[slot], samples < 900 ? 2 : 3);
  }
});

test('the window: the sample at its start does not count, the sample at its end does', () => {
  const cases = [[WINDOW, 1_800], [WINDOW + SECOND, 1_800], [WINDOW + SECOND + 1, 1_799], [EXPIRY - 1, 1], [EXPIRY, 1]] as const;
  for (const [from, samples] of cases) {
    const venue = venueAt(START);
    venue.venue(venue.write.index(0, 0, FLAG_INDEX_STALE));
    assert.equal(settlements(venue, [{ time: from, price: USDC, flags: FLAG_INDEX_AGELESS }])[0]![3], samples, `${EXPIRY - from}`);
  }
});

test('a venue asleep during the window samples the last index as long as it was fresh, and no later one', () => {
  const asleep = settlements(venueAt(START), []);
  assert.deepEqual(asleep.map((row) => row[3]), [1_800, 1_800], 'an ageless index stays fresh');
  const venue = venueAt(START);
  venue.now = WINDOW - 5 * SECOND;
  venue.venue(venue.write.index(0, 100_000 * USDC));
  const settled = settlements(venue, [{ time: EXPIRY + MINUTE, price: 90_000 * USDC, flags: FLAG_INDEX_AGELESS }]);
  assert.deepEqual(settled[0], [0, EXPIRY, 0, 5], 'then the index was stale, and the next one came after the window');
});

test('marks get the running mean only inside the window, and sampling needs no ticks', () => {
  const venue = venueAt(WINDOW);
  const { valuation } = venue.state;
  venue.venue(venue.write.index(0, 100_000 * USDC, FLAG_INDEX_AGELESS));
  venue.settle();
  assert.equal(valuation.windowAverage[0], 0);
  assert.equal(nextDue(venue.state), EXPIRY);
  venue.now = WINDOW + 10 * SECOND + 1;
  venue.venue(venue.write.index(0, 200_000 * USDC, FLAG_INDEX_AGELESS));
  assert.equal(valuation.windowAverage[0], 100_000 * USDC);
  venue.settle();
  venue.now = WINDOW + 20 * SECOND + 1;
  venue.venue(venue.write.index(0, 1 * USDC, FLAG_INDEX_AGELESS));
  assert.equal(valuation.windowAverage[0], 150_000 * USDC);
  venue.settle();
  assert.equal(nextDue(venue.state), WINDOW + MINUTE, 'the next tick only checks strikes around the moved index');
  venue.now = EXPIRY;
  venue.settle();
  assert.deepEqual([...valuation.windowAverage.subarray(0, 2)], [0, 0]);
});

test('each settlement window has its own sum', () => {
  const venue = venueAt(START);
  const settled = settlements(venue, [{ time: START, price: 100_000 * USDC, flags: FLAG_INDEX_AGELESS }]);
  venue.now += MINUTE;
  venue.venue(venue.write.index(0, 90_000 * USDC, FLAG_INDEX_AGELESS));
  venue.settle();
  venue.now = EXPIRY + 24 * 60 * MINUTE;
  venue.settle();
  const btc = settled.filter(([underlying]) => underlying === 0).map((row) => row.slice(1));
  assert.deepEqual(btc, [[EXPIRY, 100_000 * USDC, 1_800], [EXPIRY + 24 * 60 * MINUTE, 90_000 * USDC, 1_800]]);
});

test('a venue that opens inside the window has no samples from before its first index', () => {
  const settled = settlements(new TestVenue(), [{ time: EXPIRY - 20 * MINUTE, price: 100_000 * USDC, flags: FLAG_INDEX_AGELESS }]);
  assert.deepEqual(settled, [[0, EXPIRY, 100_000 * USDC, 1_201]]);
});
