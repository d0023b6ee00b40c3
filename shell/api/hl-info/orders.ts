// Orders and fills in the dialect's shapes, from rows of GET /orders and GET /fills, or from stream messages.

import type { Order, PlacedFill } from '../../http/shapes/trading.ts';
import type { OrderTerms } from '../../ipc/order-terms.ts';
import { coinOf, HASH, lessBy } from './texts.ts';

export type OrderFields = {
  readonly symbol: string; readonly side: 'Buy' | 'Sell'; readonly price: string; readonly size: string; readonly filled: string;
  readonly oid: number | null; readonly created: number; readonly tif: string; readonly clientId: string | null;
  readonly reduceOnly: boolean; readonly terms: Pick<OrderTerms, 'post_only' | 'trigger'>;
};

/** Ours by the text of the end; any other end is a plain cancel. */
const ENDS: Readonly<Record<string, string>> = {
  Filled: 'filled', 'Self-trade prevention': 'selfTradeCanceled', 'Reduce-only order has nothing to reduce': 'reduceOnlyCanceled',
  'Linked order executed': 'siblingFilledCanceled', 'Market deleted': 'delistedCanceled', Liquidation: 'liquidatedCanceled',
  'Insufficient margin': 'marginCanceled', 'Order canceled by CancelAfter': 'scheduledCancel',
};
const IOC_REST = 'Immediate-or-cancel remainder';

export function endStatus(reason: string | null, filled: string): string {
  if (reason === IOC_REST && filled === '0') return 'iocCancelRejected';
  return ENDS[reason ?? ''] ?? 'canceled';
}

export function fieldsOf(order: Order): OrderFields {
  return {
    symbol: order.symbol, side: order.side, price: order.price, size: order.size, filled: order.filled_size, oid: order.order_id,
    created: order.created_at, tif: order.tif, clientId: order.client_id, reduceOnly: order.reduce_only === true, terms: order,
  };
}

export function isPerp({ symbol }: { readonly symbol: string }): boolean {
  return coinOf(symbol) !== null;
}

const CLOID = /^0x[0-9a-f]{32}$/;

function cloidOf(clientId: string | null): string | null {
  const text = clientId?.toLowerCase() ?? '';
  return CLOID.test(text) ? text : null;
}

export function openOrder(order: OrderFields): object {
  const cloid = cloidOf(order.clientId);
  return {
    coin: coinOf(order.symbol), side: order.side === 'Buy' ? 'B' : 'A', limitPx: order.price, sz: lessBy(order.size, order.filled),
    oid: order.oid ?? 0, timestamp: order.created, origSz: order.size, ...(cloid !== null && { cloid }),
    ...(order.reduceOnly && { reduceOnly: true }),
  };
}

export function frontendOrder(order: OrderFields): object {
  const { trigger } = order.terms;
  return {
    ...openOrder(order), triggerCondition: conditionOf(trigger), isTrigger: trigger !== undefined, triggerPx: trigger?.price ?? '0',
    children: [], isPositionTpsl: false, reduceOnly: order.reduceOnly, orderType: typeOf(order), tif: tifOf(order),
    cloid: cloidOf(order.clientId),
  };
}

function conditionOf(trigger: OrderTerms['trigger']): string {
  return trigger === undefined ? 'N/A' : `Price ${trigger.direction} ${trigger.price}`;
}

/** A buy above the price, or a sell below it, stops a loss. */
function typeOf({ side, tif, terms: { trigger } }: OrderFields): string {
  if (trigger === undefined) return 'Limit';
  const isStop = (side === 'Buy') === (trigger.direction === 'above');
  return `${isStop ? 'Stop' : 'Take Profit'} ${tif === 'gtc' ? 'Limit' : 'Market'}`;
}

function tifOf({ tif, terms }: OrderFields): string {
  if (terms.post_only !== undefined) return 'Alo';
  return tif === 'gtc' ? 'Gtc' : 'Ioc';
}

export function orderState(order: Order): object {
  const { status } = order;
  const shown = status === 'filled' ? status : status === 'canceled' ? endStatus(order.end_reason, order.filled_size) : 'open';
  return { order: frontendOrder(fieldsOf(order)), status: shown, statusTimestamp: Date.parse(order.updated_at ?? '') || order.created_at };
}

type FillFields = Pick<
  PlacedFill,
  'symbol' | 'price' | 'size' | 'side' | 'timestamp' | 'order_id' | 'is_taker' | 'fee' | 'trade_id' | 'realized_pnl' | 'position'
>;

export function fillOf(fill: FillFields): object {
  const isBuy = fill.side === 'Buy';
  const after = fill.position ?? '0';
  const start = lessBy(after, isBuy ? fill.size : `-${fill.size}`);
  return {
    coin: coinOf(fill.symbol), px: fill.price, sz: fill.size, side: isBuy ? 'B' : 'A', time: fill.timestamp, startPosition: start,
    dir: directionOf(isBuy, Number(start), Number(after)), closedPnl: fill.realized_pnl ?? '0', hash: HASH, oid: fill.order_id,
    crossed: fill.is_taker, fee: fill.fee, tid: fill.trade_id, feeToken: 'USDC', twapId: null,
  };
}

function directionOf(isBuy: boolean, start: number, after: number): string {
  if (start * after < 0) return start > 0 ? 'Long > Short' : 'Short > Long';
  const isOpening = isBuy ? start >= 0 : start <= 0;
  const isLong = isOpening ? isBuy : start > 0;
  return `${isOpening ? 'Open' : 'Close'} ${isLong ? 'Long' : 'Short'}`;
}
