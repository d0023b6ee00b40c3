// What the ticket says, as typed, and the orders that it stands for. Texts are sent as they are shown.

import { bracketOrders, entryOrders, priceText, sizeText, type OrderTerms, type Side, type Tif } from '../../../src/main.ts';
import type { TicketFill } from '../../venue/store.ts';

/** `pair`: a target and a stop; each takes off the other what it fills. `entry`: an order to open with, and its pair. */
export type Kind = 'limit' | 'stop' | 'pair' | 'entry';
/** The one that was typed; the others follow. */
export type Driver = 'price' | 'volatility' | 'premium';
export type TicketFields = {
  readonly symbol: string; readonly kind: Kind; readonly side: Side; readonly size: string;
  readonly driver: Driver;
  /** USD, percent, or USD of the whole order. */
  readonly typed: string;
  readonly tif: Tif; readonly post: '' | 'reject' | 'slide'; readonly isReduceOnly: boolean;
  readonly by: 'index' | 'theo' | 'mark'; readonly direction: 'above' | 'below'; readonly trigger: string; readonly target: string;
  readonly worst: string;
  /** ms; null: until it is cancelled. */
  readonly expiresAt: number | null;
  readonly stp: '' | 'cancel_maker' | 'cancel_taker' | 'cancel_both'; readonly clientId: string; readonly hasProtection: boolean;
};
export type PricedFields = TicketFields & { readonly price: string };
type FieldName = 'price' | 'size' | 'trigger' | 'target' | 'worst';

const NEEDED: Readonly<Record<Kind, readonly FieldName[]>> = {
  limit: ['price', 'size'], stop: ['price', 'size', 'trigger'], pair: ['price', 'size', 'trigger', 'target'],
  entry: ['price', 'size', 'trigger', 'target', 'worst'],
};

const EMPTY: TicketFields = {
  symbol: '', kind: 'limit', side: 'Buy', size: '0.1', driver: 'price', typed: '', tif: 'gtc', post: '', isReduceOnly: false, by: 'theo',
  direction: 'below', trigger: '', target: '', worst: '', expiresAt: null, stp: '', clientId: '', hasProtection: false,
};

/** Keeps side, size and rules, but no price. */
export function fieldsFor(symbol: string, before: TicketFields = EMPTY): TicketFields {
  return { ...before, symbol, driver: 'price', typed: '', trigger: '', target: '', worst: '', clientId: '' };
}

export function filledWith(before: TicketFields, { symbol, side, price, size = before.size }: TicketFill): TicketFields {
  const fields = withSide(symbol === before.symbol ? before : fieldsFor(symbol, before), side);
  return { ...fields, size, ...(price !== null && { driver: 'price', typed: price }) };
}

export function withSide(fields: TicketFields, side: Side): TicketFields {
  const closing = fields.kind === 'entry' ? otherSide(side) : side;
  return { ...fields, side, direction: closing === 'Sell' ? 'below' : 'above' };
}

/** A stop closes at once, unless the user says otherwise. */
export function withKind(fields: TicketFields, kind: Kind): TicketFields {
  if (kind === fields.kind) return fields;
  const isFree = canOpen(kind);
  return withSide({ ...fields, kind, tif: isFree ? 'gtc' : 'ioc', isReduceOnly: !isFree, post: '' }, fields.side);
}

export function canOpen(kind: Kind): boolean {
  return kind === 'limit' || kind === 'entry';
}

function otherSide(side: Side): Side {
  return side === 'Buy' ? 'Sell' : 'Buy';
}

export function isPerp(symbol: string): boolean {
  return symbol.endsWith('-PERP');
}

export function underlyingOf(symbol: string): string {
  return symbol.slice(0, symbol.indexOf('-'));
}

export function problemsOf(fields: PricedFields): Readonly<Record<FieldName, string | null>> {
  const problem = (name: FieldName): string | null => (
    NEEDED[fields.kind].includes(name) ? problemOf(name === 'size' ? sizeText : priceText, fields[name]) : null
  );
  return {
    price: problem('price'), size: problem('size'), trigger: problem('trigger'), target: problem('target'), worst: problem('worst'),
  };
}

export function missingOf(fields: PricedFields): FieldName | null {
  return NEEDED[fields.kind].find((name) => fields[name] === '') ?? null;
}

export function isComplete(fields: PricedFields): boolean {
  return missingOf(fields) === null && Object.values(problemsOf(fields)).every((problem) => problem === null);
}

/** `validUntil`: an order with extended terms may be on its way until then, ms. `linkId` joins a pair. */
export function ordersOf(fields: PricedFields, validUntil: number, linkId: string): readonly OrderTerms[] {
  const { by, direction, expiresAt, isReduceOnly, kind, post, price, side, size, stp, symbol, target, tif, trigger, worst } = fields;
  const extended = { ...(expiresAt !== null && { expires_at: expiresAt }), ...(stp !== '' && { stp }) };
  const valid = { valid_until: validUntil };
  if (kind === 'pair') {
    const pair = bracketOrders({ symbol, side, size, price, stop: trigger, target, by, link_id: linkId });
    return pair.map((order) => ({ ...order, ...extended, ...valid, ...named(fields) }));
  }
  const order = { symbol, side, size, price, tif, ...(isReduceOnly && { reduce_only: true }), ...named(fields) };
  if (kind === 'stop') return [{ ...order, ...extended, ...valid, trigger: { by, direction, price: trigger } }];
  const terms = { ...order, ...extended, ...(post !== '' && { post_only: post === 'slide' ? post : true }) } satisfies OrderTerms;
  // Its name finds what is left of it when its pair has ended (bracket.ts).
  if (kind === 'entry') return entryOrders({ client_id: linkId, ...terms, ...valid, stop: trigger, target, worst, by, link_id: linkId });
  return [post === '' && Object.keys(extended).length === 0 ? terms : { ...terms, ...valid }];
}

/** Two orders cannot share a client id. */
function named({ clientId, hasProtection, kind }: PricedFields): Pick<OrderTerms, 'client_id' | 'mmp_enabled'> {
  return { ...(clientId !== '' && kind !== 'pair' && { client_id: clientId }), ...(hasProtection && { mmp_enabled: true }) };
}

export function sentenceOf({ price, side, size, symbol, trigger }: OrderTerms): string {
  const order = `${side} ${size} ${symbol} at ${price}`;
  return trigger === undefined ? order : `${order} once ${trigger.by} is ${trigger.direction} ${trigger.price}`;
}

function problemOf(check: (text: string) => string, text: string): string | null {
  if (text === '') return null;
  try {
    check(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
