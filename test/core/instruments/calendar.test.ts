// The calendar against the platform's Date, and the listing rule of decision 2.2 against dates worked out by hand.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import {
  MAX_LISTED_EXPIRIES, dateOfDay, dayOfDate, dayOfTime, expiryOfDay, isDate, listedExpiries,
} from '../../../core/instruments/calendar.ts';

const DAY = 86_400_000;

function listed(now: number): string[] {
  const out = new Float64Array(MAX_LISTED_EXPIRIES);
  const count = listedExpiries(now, out);
  return [...out.subarray(0, count)].map((time) => new Date(time).toISOString());
}

const dates = (now: string): string[] => listed(Date.parse(now)).map((text) => {
  assert.equal(text.slice(10), 'T08:00:00.000Z');
  return text.slice(0, 10);
});

test('for every day from 1900 to 2199 the calendar agrees with the platform’s Date', () => {
  for (let day = Date.UTC(1900, 0, 1) / DAY; day < Date.UTC(2200, 0, 1) / DAY; day++) {
    const date = new Date(day * DAY);
    const packed = date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
    const back = dayOfDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
    if (dateOfDay(day) !== packed || back !== day) assert.fail(date.toISOString());
  }
});

test('isDate is true for days of the calendar, leap days included, and false for all others', () => {
  const real = [[2000, 2, 29], [2024, 2, 29], [2026, 12, 31], [2026, 4, 30]] as const;
  for (const [y, m, d] of real) assert.ok(isDate(y, m, d), `${y}-${m}-${d}`);
  const unreal = [
    [2026, 2, 29], [2100, 2, 29], [2026, 4, 31], [2026, 13, 1], [2026, 0, 1], [2026, 1, 0], [2026, 1, 32], [2026, 2, 60],
  ] as const;
  for (const [y, m, d] of unreal) assert.ok(!isDate(y, m, d), `${y}-${m}-${d}`);
  assert.ok(!isDate(NaN, 1, 1) && !isDate(2026, NaN, 1) && !isDate(2026, 1, NaN));
});

test('an expiry is 08:00 UTC of its day', () => {
  assert.equal(expiryOfDay(dayOfDate(2026, 1, 31)), Date.UTC(2026, 0, 31, 8));
  assert.equal(dayOfTime(Date.UTC(2026, 0, 31, 8)), dayOfDate(2026, 1, 31));
});

test('on known days the listed expiries equal those worked out by hand', () => {
  // Wednesday: 3 dailies (the second a Friday), Fridays 23, 30, last Fridays, then the quarter ends after the third.
  assert.deepEqual(dates('2026-01-14T12:00:00Z'), [
    '2026-01-15', '2026-01-16', '2026-01-17', '2026-01-23', '2026-01-30', '2026-02-27', '2026-03-27',
    '2026-06-26', '2026-09-25', '2026-12-25',
  ]);
  // The same day before 08:00: its own expiry is still to come.
  assert.deepEqual(dates('2026-01-14T07:59:59.999Z').slice(0, 4), ['2026-01-14', '2026-01-15', '2026-01-16', '2026-01-23']);
  // At 08:00 sharp it is not: expiries are strictly after now.
  assert.deepEqual(dates('2026-01-14T08:00:00.000Z'), dates('2026-01-14T12:00:00Z'));
  // The last Friday itself, before and after its expiry: the months move on by one.
  assert.deepEqual(dates('2026-03-27T07:00:00Z'), [
    '2026-03-27', '2026-03-28', '2026-03-29', '2026-04-03', '2026-04-10', '2026-04-24', '2026-05-29',
    '2026-06-26', '2026-09-25', '2026-12-25',
  ]);
  assert.deepEqual(dates('2026-03-27T08:00:00Z'), [
    '2026-03-28', '2026-03-29', '2026-03-30', '2026-04-03', '2026-04-10', '2026-04-17', '2026-04-24', '2026-05-29',
    '2026-06-26', '2026-09-25', '2026-12-25', '2027-03-26',
  ]);
  // After the last Friday of December, across the year and into a leap February.
  assert.deepEqual(dates('2027-12-31T09:00:00Z'), [
    '2028-01-01', '2028-01-02', '2028-01-03', '2028-01-07', '2028-01-14', '2028-01-21', '2028-01-28', '2028-02-25',
    '2028-03-31', '2028-06-30', '2028-09-29', '2028-12-29',
  ]);
});

test('no expiry after 2099 is listed, because no symbol can name it', () => {
  assert.deepEqual(dates('2099-12-29T09:00:00Z'), ['2099-12-30', '2099-12-31']);
  assert.deepEqual(dates('2099-12-31T08:00:00Z'), []);
  assert.deepEqual(dates('2099-11-30T09:00:00Z').at(-1), '2099-12-25');
});

test('at any time the listed expiries are exactly the dailies, weeklies, monthlies and quarterlies, ascending, after now', () => {
  const now = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2099, 0, 1) });
  fc.assert(fc.property(fc.oneof(now, now.map((t) => t - (t % DAY) + 8 * 3_600_000)), (time) => {
    const isFriday = (t: number): boolean => new Date(t).getUTCDay() === 5;
    const isLastFriday = (t: number): boolean => isFriday(t) && new Date(t).getUTCMonth() !== new Date(t + 7 * DAY).getUTCMonth();
    const isQuarterly = (t: number): boolean => isLastFriday(t) && new Date(t).getUTCMonth() % 3 === 2;
    const after = (from: number, wanted: (t: number) => boolean): number[] => {
      const found: number[] = [];
      for (let t = Math.floor(from / DAY) * DAY + 8 * 3_600_000; found.length < 3; t += DAY) if (t > from && wanted(t)) found.push(t);
      return found;
    };
    const monthlies = after(time, isLastFriday);
    const all = [...after(time, () => true), ...after(time, isFriday), ...monthlies, ...after(monthlies[2]!, isQuarterly)];
    const expected = [...new Set(all)].sort((a, b) => a - b);
    assert.deepEqual(listed(time), expected.map((t) => new Date(t).toISOString()));
  }), { numRuns: 500 });
});
