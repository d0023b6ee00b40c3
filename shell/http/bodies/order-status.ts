// Status of an order and why it ended (decision 3.1), in the specification's texts where it has one.

import { DONE_AMENDED, DONE_BALANCE_RANGE, DONE_BLOCKED, DONE_CANCEL_AFTER, DONE_CANCELLED, DONE_CAPACITY, DONE_DISCONNECTED,
  DONE_EXPIRED, DONE_FILLED, DONE_FOK_KILLED, DONE_IOC_REST, DONE_LINKED, DONE_LIQUIDATION, DONE_MARGIN, DONE_MARKET_DELETED, DONE_MMP,
  DONE_MMP_SELF, DONE_NO_ENTRY, DONE_NOTHING_TO_REDUCE, DONE_OPERATOR, DONE_ORDER_EXPIRED, DONE_QUOTE_REMOVED, DONE_REPLACED,
  DONE_SELF_TRADE, NO_ORDERBOOK,
  ORDER_NOT_FOUND } from '../../../core/errors.ts';
import { CODE_TEXTS, ENDED_TEXTS, hasOutcomeText, outcomeText } from '../outcome-texts.ts';
import type { ORDER_STATUSES } from '../../ipc/enum-names.ts';
import type { OrderStanding } from '../../ipc/queries.ts';

export type Standing = { readonly status: (typeof ORDER_STATUSES)[number]; readonly endReason: string | null };

const END_TEXTS: ReadonlyMap<number, string> = new Map([
  [DONE_FILLED, 'Filled'],
  [DONE_CANCELLED, 'Canceled on request'],
  [DONE_IOC_REST, 'Immediate-or-cancel remainder'],
  [DONE_FOK_KILLED, 'Fill-or-kill order could not be filled'],
  [DONE_SELF_TRADE, 'Self-trade prevention'],
  [DONE_EXPIRED, 'Instrument has expired'],
  [DONE_BALANCE_RANGE, 'Balance out of range'],
  [DONE_MMP, 'Order canceled by MMP trigger'],
  [DONE_MMP_SELF, 'MMP triggered during fill processing'],
  [DONE_NOTHING_TO_REDUCE, 'Reduce-only order has nothing to reduce'],
  [DONE_LIQUIDATION, 'Liquidation'],
  [DONE_REPLACED, 'Order replaced'],
  [DONE_MARGIN, 'Insufficient margin'],
  [DONE_MARKET_DELETED, 'Market deleted'],
  [DONE_CANCEL_AFTER, 'Order canceled by CancelAfter'],
  [DONE_DISCONNECTED, 'Order canceled on disconnect'],
  [DONE_CAPACITY, 'Capacity'],
  [DONE_QUOTE_REMOVED, 'Quote removed'],
  [DONE_ORDER_EXPIRED, 'Order expired'],
  [DONE_LINKED, 'Linked order executed'],
  [DONE_NO_ENTRY, 'Entry order ended unfilled'],
  [DONE_AMENDED, 'Amended to filled size'],
  [DONE_BLOCKED, 'Wallet is blocked'],
  [DONE_OPERATOR, 'Canceled by the operator'],
]);

export const UNTRIGGERED: Standing = { status: 'untriggered', endReason: null };

export function openStatus(filled: number): Standing {
  return { status: filled > 0 ? 'partially_filled' : 'open', endReason: null };
}

/** `reason`: a DONE_ code of core/errors, or the refusal of an order whose trigger has fired. */
export function endedStatus(reason: number): Standing {
  const endReason = END_TEXTS.get(reason) ?? (hasOutcomeText(reason) ? refusalText(reason) : `Reason ${reason}`);
  return { status: reason === DONE_FILLED ? 'filled' : 'canceled', endReason };
}

function refusalText(code: number): string {
  const { text } = outcomeText(code, {});
  return CODE_TEXTS.find((row) => row.code === code)!.text === text ? text : text.split(/[:.]/)[0]!;
}

export function streamReason(reason: number): string | null {
  return reason === DONE_FILLED || reason === DONE_CANCELLED ? null : endedStatus(reason).endReason;
}

/** The text for a cancel or replace of an ended order (decision 3.5). */
export function notOpenReason(name: string, { state, order }: Pick<OrderStanding, 'state' | 'order'>): string {
  const id = order?.order_id ?? Number(name);
  switch (state) {
    case 'filled': return ENDED_TEXTS.filled(id);
    case 'cancelled': return ENDED_TEXTS.cancelled(id);
    case 'no_orderbook': return outcomeText(NO_ORDERBOOK, { symbol: order?.symbol ?? '' }).text;
    case 'forgotten': return ENDED_TEXTS.forgotten(id, order?.symbol ?? '');
    default: return outcomeText(ORDER_NOT_FOUND, { order: name }).text;
  }
}
