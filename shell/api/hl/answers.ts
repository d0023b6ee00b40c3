// What became of an action, as clients of the protocol read it. Refusals that they know by their text have that text.

import { ITEM_NUMBERS, ITEM_PAID, type BatchItem } from '../../../core/codec/batch-items.ts';
import { FLAG_ENTRY, PLACE_ORDER, REPLACE_ORDER } from '../../../core/codec/commands.ts';
import { DECIMALS, formatDecimal } from '../../../core/codec/decimal.ts';
import * as codes from '../../../core/errors.ts';
import { CONTRACT } from '../../../core/units.ts';
import { streamReason } from '../../http/bodies/order-status.ts';
import { numberFacts, outcomeText } from '../../http/outcome-texts.ts';
import type { ApiContext } from '../context.ts';
import type { Reply } from '../reply.ts';
import type { HlAction } from './action.ts';

type Status = string | { readonly [status: string]: unknown };

const NOT_OPEN = 'Order was never placed, already canceled, or filled.';
const TEXTS: Readonly<Record<number, string>> = {
  [codes.SIZE_NOT_POSITIVE]: 'Order has zero size.',
  [codes.SIZE_TOO_LARGE]: 'Order has invalid size.',
  [codes.AMOUNT_TOO_LARGE]: 'Order has invalid size.',
  [codes.PRICE_NOT_POSITIVE]: 'Order has invalid price.',
  [codes.PRICE_FIGURES]: 'Price must be divisible by tick size.',
  [codes.PRICE_DECIMALS]: 'Price must be divisible by tick size.',
  [codes.PRICE_TOO_HIGH]: 'Order has invalid price.',
  [codes.INVALID_TRIGGER_PRICE]: 'Invalid TP/SL price.',
  [codes.INSUFFICIENT_MARGIN]: 'Insufficient margin to place order.',
  [codes.NO_FUNDS]: 'Insufficient margin to place order.',
  [codes.REDUCE_ONLY_INCREASES]: 'Reduce only order would increase position.',
  [codes.WOULD_TAKE]: 'Post only order would have immediately matched, so it was refused.',
  [codes.ORDER_NOT_FOUND]: NOT_OPEN, [codes.NOT_OPEN]: NOT_OPEN, [codes.NO_ORDERBOOK]: NOT_OPEN,
};
const SHOWN: Readonly<Record<string, string>> = { batchModify: 'order', cancelByCloid: 'cancel' };
const NO_MATCH = 'Order could not immediately match against any resting orders.';

type Answer = { readonly status: 'ok' | 'err'; readonly response: unknown };
export type Cloids = ReadonlyMap<number, string>;
type Caps = Pick<ApiContext['config'], 'maxPositionUsdc'>;

/** Orders that were changed without a cloid, so that they have that of the former one. */
export function keptNames({ hasList, items }: HlAction, numbers: readonly number[]): readonly number[] {
  const isKept = ({ kind, fields }: BatchItem, at: number): boolean => (
    kind === REPLACE_ORDER && fields['clientId'] === '' && numbers[at * ITEM_NUMBERS] === codes.OK
  );
  return hasList ? items.flatMap((item, at) => (isKept(item, at) ? [numbers[at * ITEM_NUMBERS + 1]!] : [])) : [];
}

export function answerOf({ hasList, items, type }: HlAction, numbers: readonly number[], caps: Caps, kept: Cloids): Answer {
  const statuses = items.map((item, at) => statusOf(item, numbers.slice(at * ITEM_NUMBERS, (at + 1) * ITEM_NUMBERS), caps, kept));
  if (hasList) return { status: 'ok', response: { type: SHOWN[type] ?? type, data: { statuses } } };
  const [status] = statuses;
  const failed = typeof status === 'object' ? status['error'] : undefined;
  return failed === undefined ? { status: 'ok', response: { type: 'default' } } : { status: 'err', response: failed };
}

function statusOf(item: BatchItem, numbers: readonly number[], caps: Caps, kept: Cloids): Status {
  const [code, id, filled, , ended] = numbers as [number, number, number, number, number];
  if (code !== codes.OK) return { error: textOfCode(code, numbers.slice(1, ITEM_PAID), caps) };
  if (item.kind !== PLACE_ORDER && item.kind !== REPLACE_ORDER) return 'success';
  const { clientId, flags, linkId } = item.fields as { readonly clientId: string; readonly flags: number; readonly linkId: string };
  const cloid = clientId === '' ? kept.get(id) : clientId;
  const named = { oid: id, ...(cloid !== undefined && { cloid }) };
  if (linkId !== '' && (flags & FLAG_ENTRY) === 0) return 'waitingForTrigger';
  if (ended === codes.OK) return { resting: named };
  if (filled === 0) return { error: ended === codes.DONE_IOC_REST ? NO_MATCH : streamReason(ended) ?? NO_MATCH };
  const price = Math.round(numbers[ITEM_PAID]! / filled * CONTRACT);
  return { filled: { totalSz: formatDecimal(filled, DECIMALS), avgPx: formatDecimal(price, DECIMALS), ...named } };
}

function textOfCode(code: number, numbers: readonly number[], { maxPositionUsdc }: Caps): string {
  return TEXTS[code] ?? outcomeText(code, {
    ...numberFacts(numbers), max_open_orders: String(numbers[0]), max_positions: String(numbers[0]), max_position: String(maxPositionUsdc),
    max_leverage: String(numbers[0]),
  }).text;
}

/** Null if the signer may not act for the wallet: that error names the signer, which the reply does not hold. */
export function refusalText({ code, numbers }: Reply): string | null {
  if (code === codes.UNAUTHORIZED || code === codes.AGENT_NOT_FOUND) return null;
  if (code === codes.NONCE_USED) return 'Invalid nonce: duplicate nonce';
  if (code === codes.RATE_LIMITED) return 'Too many cumulative requests sent';
  return outcomeText(code, { ...numberFacts(numbers), limit: String(numbers[0]), network: 'network' }).text;
}
