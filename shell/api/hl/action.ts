// A Hyperliquid action as a batch: its text is what was signed, item by item in its order. The audit uses this module too, so it
// depends on nothing but the text, the nonce and the names of assets.

import { CANCEL_AFTER, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, SET_LEVERAGE } from '../../../core/codec/commands.ts';
import { packItems, type BatchItem } from '../../../core/codec/batch-items.ts';
import { u64Of, type AnyFields } from '../../../core/codec/fields.ts';
import { CANCELS, ORDERS, REQUESTS, type Fields } from '../../../core/codec/signed-commands.ts';
import { OK } from '../../../core/errors.ts';
import { BATCH_ITEMS } from '../../../core/limits.ts';
import type { Checked } from '../../http/errors.ts';
import type { FieldValues, Schema } from '../../http/fields.ts';
import { readStrictBody } from '../../http/unknown-fields.ts';
import { isObject, type JsonObject } from '../../process/json-object.ts';
import { packedName } from '../order-fields.ts';
import { putUtf8 } from '../utf8.ts';
import { contractOf } from '../values.ts';
import { cloidOf, coinOf, malformed, modifyItem, NO_GROUP, notHere, orderItem, whole, type Coins } from './order-wire.ts';

type Items = Checked<readonly BatchItem[]>;
export type HlAction = { readonly type: string; readonly rate: number; readonly items: readonly BatchItem[]; readonly hasList: boolean };
type ActionType = {
  readonly fields: Schema; readonly rate: number; readonly hasList: boolean;
  readonly items: (action: JsonObject, coins: Coins, nonce: string) => Items;
};

const TEXT_BYTES = 64;
const MOST_LEVERAGE = 1_000;
const list = { kind: 'list', max: BATCH_ITEMS } as const;
const any = { kind: 'ignored', optional: true } as const;
const CANCEL = { a: whole, o: whole } as const;
const CANCEL_BY_CLOID = { asset: whole, cloid: { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES } } as const;
const MODIFY = { oid: any, order: any } as const;
const LEVERAGE = {
  type: any, asset: whole, isCross: { kind: 'boolean' }, leverage: { kind: 'integer', min: 0, max: MOST_LEVERAGE },
} as const;
const SCHEDULE = { type: any, time: { ...whole, optional: true } } as const;

const TYPES: Readonly<Record<string, ActionType>> = {
  order: {
    fields: { type: any, orders: list, grouping: any, builder: any }, rate: ORDERS, hasList: true, items: groupedItems,
  },
  modify: {
    fields: { type: any, ...MODIFY }, rate: ORDERS, hasList: false,
    items: ({ oid, order }, coins) => each([order], (sent) => modifyItem(oid, sent, coins)),
  },
  batchModify: {
    fields: { type: any, modifies: list }, rate: ORDERS, hasList: true,
    items: ({ modifies }, coins) => each(modifies, (sent) => read(MODIFY, sent, () => {
      const { oid, order } = sent as JsonObject;
      return modifyItem(oid, order, coins);
    })),
  },
  cancel: {
    fields: { type: any, cancels: list }, rate: CANCELS, hasList: true,
    items: ({ cancels }, coins) => each(cancels, (sent) => read(CANCEL, sent, ({ a, o }) => (
      onAsset(a, coins, CANCEL_ORDER, { orderId: u64Of(o) })
    ))),
  },
  cancelByCloid: {
    fields: { type: any, cancels: list }, rate: CANCELS, hasList: true,
    items: ({ cancels }, coins) => each(cancels, (sent) => read(CANCEL_BY_CLOID, sent, ({ asset, cloid }) => {
      const clientId = cloidOf(cloid);
      return clientId === null ? malformed() : onAsset(asset, coins, CANCEL_BY_CLIENT_ID, { clientId });
    })),
  },
  scheduleCancel: {
    fields: SCHEDULE, rate: CANCELS, hasList: false,
    items: (action) => each([action], (sent) => read(SCHEDULE, sent, ({ time = 0 }) => done(CANCEL_AFTER, { timeoutMs: time }))),
  },
  updateLeverage: {
    fields: LEVERAGE, rate: REQUESTS, hasList: false,
    items: (action, coins) => each([action], (sent) => read(LEVERAGE, sent, ({ asset, isCross, leverage }) => {
      const coin = coinOf(asset, coins);
      if (!coin.ok) return coin;
      if (!isCross) return notHere(NOT_DONE['updateIsolatedMargin']!);
      return done(SET_LEVERAGE, { underlying: packedName(contractOf(`${coin.value}-PERP`).terms), leverage });
    })),
  },
  noop: { fields: { type: any }, rate: REQUESTS, hasList: false, items: () => ({ ok: true, value: [] }) },
};

const NOT_DONE: Readonly<Record<string, string>> = {
  updateIsolatedMargin: 'Isolated margin is not supported',
  setReferrer: 'Referrals are not supported',
  approveBuilderFee: 'Builder fees are not supported',
};

/** Reads the action of a proof. Throws RangeError for a text that no action has. */
export function actionOfText(text: string): JsonObject {
  let action: unknown;
  try {
    action = JSON.parse(text);
  } catch {
    throw new RangeError('proof: the action is not JSON');
  }
  if (!isObject(action) || JSON.stringify(action) !== text) throw new RangeError('proof: no action has this text');
  return action;
}

export function parseAction(action: JsonObject, coins: Coins, nonce: string): Checked<HlAction> {
  const { type } = action;
  if (typeof type !== 'string') return malformed();
  const row = Object.hasOwn(TYPES, type) ? TYPES[type]! : null;
  if (row === null) return notHere(Object.hasOwn(NOT_DONE, type) ? NOT_DONE[type]! : `Unsupported action: ${type}`);
  const fields = readStrictBody(row.fields, action);
  if (!fields.ok) return fields;
  const items = row.items(action, coins, nonce);
  return items.ok ? { ok: true, value: { type, rate: row.rate, hasList: row.hasList, items: items.value } } : items;
}

/** `expiresAfter` '': it never expires. */
export function batchFields({ rate, items }: HlAction, expiresAfter: string) {
  const tail = packItems(items, putUtf8);
  const fields: Omit<Fields<'BATCH'>, 'mostOpen' | 'mostTriggers' | 'mostPositions'> = {
    validUntil: Number(expiresAfter), items: items.length, itemBytes: tail.length, rate,
  };
  return { code: OK, fields, tail };
}

function groupedItems({ orders, grouping = 'na' }: JsonObject, coins: Coins, nonce: string): Items {
  if (grouping !== 'na' && grouping !== 'normalTpsl' && grouping !== 'positionTpsl') return notHere('Unsupported grouping');
  const isOfPosition = grouping === 'positionTpsl';
  const linkId = `tpsl-${nonce}`;
  return each(orders, (order, at) => (
    orderItem(order, coins, grouping === 'na' ? NO_GROUP : { linkId, isOfPosition, isEntry: at === 0 && !isOfPosition })
  ));
}

function each(sent: unknown, make: (value: unknown, at: number) => Checked<BatchItem>): Items {
  const items: BatchItem[] = [];
  for (const [at, value] of (sent as readonly unknown[]).entries()) {
    const made = make(value, at);
    if (!made.ok) return made;
    items.push(made.value);
  }
  return { ok: true, value: items };
}

function read<S extends Schema>(schema: S, sent: unknown, make: (values: FieldValues<S>) => Checked<BatchItem>): Checked<BatchItem> {
  const values = readStrictBody(schema, sent);
  return values.ok ? make(values.value) : values;
}

function onAsset(asset: number, coins: Coins, kind: number, fields: AnyFields): Checked<BatchItem> {
  const coin = coinOf(asset, coins);
  return coin.ok ? done(kind, fields) : coin;
}

function done(kind: number, fields: AnyFields): Checked<BatchItem> {
  return { ok: true, value: { kind, code: OK, fields } };
}
