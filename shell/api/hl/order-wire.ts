// One order of a Hyperliquid action as an item of a batch. The audit uses this module too, so it depends on the signed text alone. Its
// prices may be integers of more than five figures; they are rounded so that the order is never worse for its owner.

import { FLAG_ENTRY, FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, PLACE_ORDER, REPLACE_ORDER } from '../../../core/codec/commands.ts';
import type { BatchItem } from '../../../core/codec/batch-items.ts';
import { DECIMALS, formatDecimal, isZero, parsePrice } from '../../../core/codec/decimal.ts';
import { u64Of } from '../../../core/codec/fields.ts';
import { OK } from '../../../core/errors.ts';
import { MAX_ORDER_AMOUNT, MAX_SIZE } from '../../../core/limits.ts';
import { CONTRACT } from '../../../core/units.ts';
import { refuse, type Checked, type Refusal } from '../../http/errors.ts';
import type { FieldValues } from '../../http/fields.ts';
import { readStrictBody } from '../../http/unknown-fields.ts';
import { extensionFields, orderFields } from '../order-fields.ts';
import { isCloid, orderValues } from '../values.ts';

export type Coins = (asset: number) => string | null;
/** Members of a group share a link and only reduce. `isEntry`: the order that opens their position. */
type Group = { readonly linkId: string; readonly isOfPosition: boolean; readonly isEntry: boolean };
export const NO_GROUP: Group = { linkId: '', isOfPosition: false, isEntry: false };

const TEXT_BYTES = 64;
const text = { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES } as const;
export const whole = { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER } as const;
const TYPE = {
  limit: { kind: 'object', optional: true, fields: { tif: { kind: 'choice', values: ['Gtc', 'Ioc', 'Alo', 'FrontendMarket'] } } },
  trigger: {
    kind: 'object', optional: true,
    fields: { isMarket: { kind: 'boolean' }, triggerPx: text, tpsl: { kind: 'choice', values: ['tp', 'sl'] } },
  },
} as const;
const ORDER = {
  a: whole, b: { kind: 'boolean' }, p: text, s: text, r: { kind: 'boolean' }, t: { kind: 'object', fields: TYPE },
  c: { ...text, optional: true },
} as const;
type Order = FieldValues<typeof ORDER>;

const FIGURES = 5;
const LONG_INTEGER = /^0*([1-9][0-9]{5,14})(?:\.0*)?$/;

/** What this venue does not have is an answer of theirs with status `err`; a wrong form is HTTP 422. */
export const NOT_HERE = 'not_found';

export function notHere(message: string): Refusal {
  return refuse(NOT_HERE, message);
}

export function malformed(): Refusal {
  return refuse('invalid_parameter', 'Failed to deserialize the JSON body into the target type');
}

export function coinOf(asset: number, coins: Coins): Checked<string> {
  const coin = coins(asset);
  return coin === null ? notHere(`Invalid asset: ${asset}`) : { ok: true, value: coin };
}

export function cloidOf(value: string): string | null {
  const cloid = value.toLowerCase();
  return isCloid(cloid) ? cloid : null;
}

export function orderItem(sent: unknown, coins: Coins, group: Group): Checked<BatchItem> {
  const read = readStrictBody(ORDER, sent);
  if (!read.ok) return read;
  const { limit, trigger } = read.value.t;
  if ((limit === undefined) === (trigger === undefined)) return malformed();
  if (isMember(group) && trigger === undefined) return notHere('The orders of a group wait for triggers');
  const coin = coinOf(read.value.a, coins);
  if (!coin.ok) return coin;
  const clientId = read.value.c === undefined ? '' : cloidOf(read.value.c);
  return clientId === null ? malformed() : { ok: true, value: itemOf(read.value, `${coin.value}-PERP`, clientId, group) };
}

function itemOf({ b: isBuy, p, r, s, t: { limit, trigger } }: Order, symbol: string, clientId: string, group: Group): BatchItem {
  const isMarket = trigger === undefined ? limit!.tif === 'Ioc' || limit!.tif === 'FrontendMarket' : trigger.isMarket;
  const price = onGrid(p, !isBuy);
  const derived = orderValues({
    symbol, side: isBuy ? 'Buy' : 'Sell', tif: isMarket ? 'ioc' : 'gtc', size: sizeOf(s, price, group), price, clientId,
  });
  const extension = extensionFields({
    postOnly: limit?.tif === 'Alo' ? 'reject' : '', stp: '', linkId: group.linkId, expiresAt: u64Of(0), validUntil: u64Of(0),
    ...triggerOf(trigger, isBuy),
  }, derived);
  const flags = (r || isMember(group) ? FLAG_REDUCE_ONLY : 0) | (trigger === undefined ? 0 : FLAG_MMP_OPT_OUT)
    | (group.isEntry ? FLAG_ENTRY : 0);
  return { kind: PLACE_ORDER, code: derived.code, fields: { ...orderFields(derived, clientId, flags), ...extension } };
}

function isMember({ isEntry, linkId }: Group): boolean {
  return linkId !== '' && !isEntry;
}

/** A sale takes profit above and stops a loss below; a purchase the other way round. */
function triggerOf(trigger: Order['t']['trigger'], isBuy: boolean) {
  if (trigger === undefined) return { triggerBy: '', triggerDirection: '', triggerPrice: '' };
  const isAbove = (trigger.tpsl === 'tp') !== isBuy;
  return { triggerBy: 'mark', triggerDirection: isAbove ? 'above' : 'below', triggerPrice: onGrid(trigger.triggerPx, isAbove) };
}

function onGrid(price: string, isUp: boolean): string {
  const digits = LONG_INTEGER.exec(price)?.[1];
  if (digits === undefined) return price;
  const step = 10 ** (digits.length - FIGURES);
  const value = Number(digits) / step;
  return String((isUp ? Math.ceil(value) : Math.floor(value)) * step);
}

/** Size 0 in a group of the position: as large as an order may be. It is cut to the position when it fires. */
function sizeOf(size: string, price: string, { isOfPosition }: Group): string {
  if (!isOfPosition || !isZero(size, 0, size.length)) return size;
  const value = parsePrice(price);
  return value < 0 ? size : formatDecimal(Math.min(MAX_SIZE, Math.floor(MAX_ORDER_AMOUNT / value) * CONTRACT), DECIMALS);
}

/** `oid` may be a cloid, which the new order then has too. */
export function modifyItem(oid: unknown, order: unknown, coins: Coins): Checked<BatchItem> {
  const placed = orderItem(order, coins, NO_GROUP);
  if (!placed.ok) return placed;
  const { code, fields } = placed.value;
  if (typeof oid !== 'string') {
    if (!Number.isSafeInteger(oid) || (oid as number) < 1) return malformed();
    return { ok: true, value: { kind: REPLACE_ORDER, code, fields: { ...fields, orderId: u64Of(oid as number) } } };
  }
  const cloid = cloidOf(oid);
  if (cloid === null) return malformed();
  const { clientId } = fields;
  if (code === OK && clientId !== '' && clientId !== cloid) return notHere('A modify by cloid keeps the cloid');
  return { ok: true, value: { kind: REPLACE_ORDER, code, fields: { ...fields, clientId: cloid, orderId: u64Of(0) } } };
}
