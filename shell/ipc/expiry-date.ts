// A date as the law's parameters `expiry` have it, and the instant that it stands for.

import { dayOfText, dayOfTime, expiryOfDay } from '../../core/instruments/calendar.ts';

/** Dates that every `expiry` takes, for texts. */
export const EXPIRY_FORMS = 'an ISO date such as 2026-01-30, or 30JAN26';

/** The exchange style of symbols. */
const EXCHANGE_DATE = /^[0-9]{1,2}[A-Z]{3}[0-9]{2}$/;
/** A date, or a moment of UTC. */
const ISO_MOMENT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?Z)?$/;

/** When the options of that date, or of the date of that moment, expire, ms; null for any other text. */
export function expiryOfDate(text: string): number | null {
  const day = EXCHANGE_DATE.test(text) ? dayOfText(text, 0, text.length) : -1;
  if (day >= 0) return expiryOfDay(day);
  const time = ISO_MOMENT.test(text) ? Date.parse(text) : NaN;
  // A day that its month does not have would be read as one of the next month, and so would the hour 24 of its last.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text.slice(0, 10) ? null : expiryOfDay(dayOfTime(time));
}
