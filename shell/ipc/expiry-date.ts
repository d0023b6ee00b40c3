// Parses the `expiry` parameters of the interface: ISO dates, UTC times, and dates in the style of symbols.

import { dayOfText, dayOfTime, expiryOfDay } from '../../core/instruments/calendar.ts';

export const EXPIRY_FORMS = 'an ISO date such as 2026-01-30, or 30JAN26';

const EXCHANGE_DATE = /^[0-9]{1,2}[A-Z]{3}[0-9]{2}$/;
const ISO_MOMENT = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,3})?)?Z)?$/;

export function expiryOfDate(text: string): number | null {
  const day = EXCHANGE_DATE.test(text) ? dayOfText(text, 0, text.length) : -1;
  if (day >= 0) return expiryOfDay(day);
  const time = ISO_MOMENT.test(text) ? Date.parse(text) : NaN;
  // Date.parse takes 30 February or hour 24 for the next day.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text.slice(0, 10) ? null : expiryOfDay(dayOfTime(time));
}
