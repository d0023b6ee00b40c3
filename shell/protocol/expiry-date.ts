// A date as the law's parameters `expiry` have it, and the instant that it stands for.

import { dayOfTime, expiryOfDay } from '../../core/instruments/calendar.ts';

/** A date, or a moment of UTC. */
export const ISO_MOMENT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?Z)?$/;

/** When the options of that ISO date, or of the date of that moment, expire, ms; null for any other text. */
export function expiryOfDate(text: string): number | null {
  const time = ISO_MOMENT.test(text) ? Date.parse(text) : NaN;
  // A day that its month does not have would be read as one of the next month, and so would the hour 24 of its last.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text.slice(0, 10) ? null : expiryOfDay(dayOfTime(time));
}
