// A date as the law's parameters `expiry` have it, and the instant that it stands for.

import { dayOfTime, expiryOfDay } from '../../core/instruments/calendar.ts';

const ISO_DATE = /^([0-9]{4}-[0-9]{2}-[0-9]{2})(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?Z)?$/;

/** When the options of that ISO date expire, ms; null for any other text. */
export function expiryOfDate(text: string): number | null {
  const date = ISO_DATE.exec(text)?.[1] ?? '';
  const day = Date.parse(date);
  // A day that its month does not have would be read as one of the next month.
  return Number.isNaN(day) || new Date(day).toISOString().slice(0, 10) !== date ? null : expiryOfDay(dayOfTime(day));
}
