// Dates without Date: proleptic Gregorian, UTC, days since 1970-01-01. An option expires at 08:00:00 UTC (decision 2.1). Source: Howard
// Hinnant, "chrono-Compatible Low-Level Date Algorithms".

import { DAY, HOUR } from '../units.ts';

/** Dailies, weeklies, monthlies and quarterlies. */
export const MAX_LISTED_EXPIRIES = 12;
const PER_KIND = 3;
const EXPIRY_TIME = 8 * HOUR;
const FRIDAY = 5;
const FIRST_YEAR = 2_000;
const LAST_YEAR = 2_099;
const LAST_EXPIRY = expiryOfDay(dayOfDate(LAST_YEAR, 12, 31));

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const ZERO = 48;

export function dayOfDate(year: number, month: number, date: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + date - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** yyyymmdd, years 0 .. 9999. */
export function dateOfDay(day: number): number {
  const z = day + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const date = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return year * 10_000 + month * 100 + date;
}

export function isDate(year: number, month: number, date: number): boolean {
  return month >= 1 && month <= 12 && date >= 1 && dateOfDay(dayOfDate(year, month, date)) === year * 10_000 + month * 100 + date;
}

/** Reads text[from, to): YYYYMMDD, or D or DD, MMM and YY. Returns -1 for other text. */
export function dayOfText(text: string, from: number, to: number): number {
  const length = to - from;
  if (length === 8) {
    return checkedDay(digits(text, from, from + 4), digits(text, from + 4, from + 6), digits(text, from + 6, to));
  }
  if (length !== 6 && length !== 7) return -1;
  const month = MONTHS.indexOf(text.slice(to - 5, to - 2)) + 1;
  return checkedDay(2_000 + digits(text, to - 2, to), month, digits(text, from, to - 5));
}

function checkedDay(year: number, month: number, date: number): number {
  return year >= FIRST_YEAR && year <= LAST_YEAR && isDate(year, month, date) ? dayOfDate(year, month, date) : -1;
}

/** NaN if any character is not a digit. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : NaN;
  }
  return value;
}

/** 0 Sunday .. 6 Saturday; day 0 was a Thursday. */
function weekday(day: number): number {
  return (((day + 4) % 7) + 7) % 7;
}

export function expiryOfDay(day: number): number {
  return day * DAY + EXPIRY_TIME;
}

export function dayOfTime(time: number): number {
  return Math.floor(time / DAY);
}

/**
 * Writes the expiries to list at `now`, ascending, each once, and returns their count. All are after `now` and can be named by a
 * symbol:
 *   dailies      the next 3 expiry instants,
 *   weeklies     the next 3 Fridays,
 *   monthlies    the next 3 last Fridays of a month,
 *   quarterlies  the next 3 last Fridays of March, June, September or December after the third monthly.
 * `out` holds MAX_LISTED_EXPIRIES elements.
 */
export function listedExpiries(now: number, out: Float64Array): number {
  const first = dayOfTime(now - EXPIRY_TIME) + 1;
  const friday = first + ((FRIDAY - weekday(first) + 7) % 7);
  let count = 0;
  for (let i = 0; i < PER_KIND; i++) {
    count = insert(out, count, expiryOfDay(first + i));
    count = insert(out, count, expiryOfDay(friday + 7 * i));
  }
  const today = dateOfDay(first);
  let month = Math.floor(today / 10_000) * 12 + (Math.floor(today / 100) % 100) - 1;
  if (lastFriday(month) < first) month += 1;
  const firstQuarterly = month + PER_KIND;
  for (; month < firstQuarterly; month++) count = insert(out, count, expiryOfDay(lastFriday(month)));
  for (let quarterlies = 0; quarterlies < PER_KIND; month++) {
    if (month % 3 !== 2) continue;
    count = insert(out, count, expiryOfDay(lastFriday(month)));
    quarterlies += 1;
  }
  return count;
}

function lastFriday(month: number): number {
  const next = month + 1;
  const lastDay = dayOfDate(Math.floor(next / 12), (next % 12) + 1, 1) - 1;
  return lastDay - ((weekday(lastDay) - FRIDAY + 7) % 7);
}

/** Keeps out[0, count) ascending, without duplicates, within the years of symbols. */
function insert(out: Float64Array, count: number, value: number): number {
  if (value > LAST_EXPIRY) return count;
  const found = out.subarray(0, count).findIndex((one) => one >= value);
  const at = found < 0 ? count : found;
  if (at < count && out[at] === value) return count;
  out.copyWithin(at + 1, at, count);
  out[at] = value;
  return count + 1;
}
