// Names of codes, reasons and events by their numbers, for the histogram of what a run reached.

import * as errors from '../../../core/errors.ts';
import * as kinds from '../../../core/codec/events.ts';

export const CODES = namesOf((name) => !name.startsWith('DONE_'));
export const REASONS = namesOf((name) => name.startsWith('DONE_'));
/** Kinds of events by number: those exports of the codec whose numbers are not slots. */
const EVENT_KINDS = ['ACCOUNT_OPENED', 'AGENT_APPROVED', 'AGENT_REVOKED', 'NONCE_TAKEN', 'TIER_CHANGED', 'ORDER_ACCEPTED', 'ORDER_RESTED',
  'FILL', 'ORDER_DONE', 'REFUSED', 'INDEX_MOVED', 'MARKS_MOVED', 'INSTRUMENT_LISTED', 'INSTRUMENT_EXPIRED', 'CONFIGURED',
  'UNDERLYING_ADDED', 'SKIPPED', 'BOOK_CHANGED', 'MODE_CHANGED', 'MMP_CHANGED', 'MMP_TRIGGERED', 'FUNDING_RATE', 'FUNDING_PAID',
  'SETTLEMENT_SET', 'POSITION_SETTLED', 'INSTRUMENT_SETTLED', 'LIQUIDATION_CHANGED', 'TAKEN_OVER', 'DELEVERAGED', 'FUND_POSTED',
  'SURFACE_CHANGED', 'ORDER_SHRUNK', 'USERNAME_CHANGED', 'PAYOUT_SEEN', 'COMPETITION_CREATED', 'INSTRUMENT_DELETED',
  'SAFETY_CHANGED', 'SAFETY_FIRED', 'ACCOUNT_CLOSED'] as const;
export const EVENTS = new Map(EVENT_KINDS.map((name) => [kinds[name] as number, name]));

function namesOf(wanted: (name: string) => boolean): Map<number, string> {
  const entries = Object.entries(errors).filter(([name, value]) => typeof value === 'number' && wanted(name));
  return new Map(entries.map(([name, value]) => [value, name]));
}
