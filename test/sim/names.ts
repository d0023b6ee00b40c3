// Names of codes, reasons and events by their numbers, for the histogram of what a run has reached.

import * as errors from '../../core/errors.ts';
import * as kinds from '../../core/codec/events.ts';
import type { State } from '../../core/engine/state.ts';

export const CODES = namesOf((name) => !name.startsWith('DONE_'));
const REASONS = namesOf((name) => name.startsWith('DONE_'));
/** Kinds of events by number: those exports of the codec whose numbers are not slots. */
const EVENT_KINDS = ['ACCOUNT_OPENED', 'AGENT_APPROVED', 'AGENT_REVOKED', 'NONCE_TAKEN', 'TIER_CHANGED', 'ORDER_ACCEPTED', 'ORDER_RESTED',
  'FILL', 'ORDER_DONE', 'REFUSED', 'INDEX_MOVED', 'MARKS_MOVED', 'INSTRUMENT_LISTED', 'INSTRUMENT_EXPIRED', 'CONFIGURED',
  'UNDERLYING_ADDED', 'SKIPPED', 'BOOK_CHANGED', 'MODE_CHANGED', 'MMP_CHANGED', 'MMP_TRIGGERED', 'FUNDING_RATE', 'FUNDING_PAID',
  'SETTLEMENT_SET', 'POSITION_SETTLED', 'INSTRUMENT_SETTLED', 'LIQUIDATION_CHANGED', 'TAKEN_OVER', 'DELEVERAGED', 'FUND_POSTED',
  'SURFACE_CHANGED', 'ORDER_SHRUNK', 'USERNAME_CHANGED', 'PAYOUT_SEEN', 'COMPETITION_CREATED', 'INSTRUMENT_DELETED',
  'SAFETY_CHANGED', 'SAFETY_FIRED', 'ACCOUNT_CLOSED', 'QUOTE_CHANGED', 'TRADING_MODE_CHANGED', 'WALLET_MODE_CHANGED',
  'ORDER_UNTRIGGERED', 'ORDER_TRIGGERED', 'ORDER_AMENDED', 'BATCH_ITEM'] as const;
const EVENTS = new Map(EVENT_KINDS.map((name) => [kinds[name] as number, name]));

function namesOf(wanted: (name: string) => boolean): Map<number, string> {
  const entries = Object.entries(errors).filter(([name, value]) => typeof value === 'number' && wanted(name));
  return new Map(entries.map(([name, value]) => [value, name]));
}

/** Of an end; a fired order ends with the code of its refusal. */
function nameOf(reason: number): string {
  return REASONS.get(reason) ?? `refused ${CODES.get(reason)}`;
}

const QUOTE_STATUSES = ['unchanged', 'reduced', 'open', 'removed'];

/** The bucket of the histogram that an event counts for. */
export function bucketsOf(kind: number, slots: Float64Array, state: State): string[] {
  const event = `event ${EVENTS.get(kind) ?? kind}`;
  switch (kind) {
    case kinds.ORDER_DONE: return [event, `done ${nameOf(slots[kinds.ORDER_REASON]!)}`];
    case kinds.QUOTE_CHANGED: return [event, `quote ${QUOTE_STATUSES[slots[kinds.ORDER_REASON]!]}`];
    case kinds.ORDER_RESTED: return slots[kinds.ORDER_FILLED]! > 0 ? [event, 'rest of a partial fill'] : [event];
    case kinds.LIQUIDATION_CHANGED: return [event, `liquidation state ${slots[kinds.LIQUIDATION_STATE]}`];
    case kinds.FILL: {
      const mode = state.accounts.mode[slots[kinds.FILL_TAKER]!] === 1 ? 'portfolio' : 'standard';
      const maker = slots[kinds.FILL_MAKER_REST] === 0 ? 'a whole maker' : 'a part of a maker';
      return [event, `fill of a ${mode} account`, `fill of ${maker}`];
    }
    default: return [event];
  }
}
