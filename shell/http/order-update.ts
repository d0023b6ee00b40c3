// The order update message (wire contract 1.2, 1.3): the answer to an order and to a cancel. Price and size echo the
// client's text in the answer to the request that carried it and are canonical elsewhere (decision 6.10); filled_size is
// a JSON number; signatures are never repeated. Ids and nonces of clients keep every digit.

import type { OrderFacts } from '../reader/protocol.ts';

/** Ids above 2^53 are texts of digits. */
export type OrderInfo = {
  readonly symbol: string; readonly price: string; readonly size: string; readonly side: string; readonly tif: string;
  readonly clientId: string | null; readonly orderId: number | string | null; readonly nonce: string | null; readonly mmpEnabled: boolean;
};

type OrderUpdate = {
  readonly time: number; readonly wallet: string; readonly info: OrderInfo; readonly status: 'ACKED' | 'REJECTED' | 'CANCELED';
  readonly reason: string | null;
  /** Size units of 1e-6 contracts. */
  readonly filled: number; readonly orderId: number | null; readonly isMmpTriggered: boolean;
};

const SIZE_UNITS = 1_000_000;

type RawJson = { rawJSON(text: string): unknown };

/** A number of JSON with exactly these digits. */
function digits(text: number | string | null): unknown {
  return typeof text === 'string' ? (JSON as unknown as RawJson).rawJSON(text) : text;
}

/** The message as JSON text. */
export function orderUpdate({ time, wallet, info, status, reason, filled, orderId, isMmpTriggered }: OrderUpdate): string {
  return JSON.stringify({
    timestamp: time,
    info: {
      symbol: info.symbol, price: info.price, size: info.size, side: info.side, tif: info.tif, client_id: info.clientId,
      order_id: digits(info.orderId), is_perp: false, underlying: null, reduce_only: null, nonce: digits(info.nonce), signature: null,
      mmp_enabled: info.mmpEnabled, builder_code_address: null,
    },
    status, reason, filled_size: filled / SIZE_UNITS, order_id: orderId, wallet_address: wallet, mmp_triggered: isMmpTriggered,
  });
}

/** `info` of an order the venue knows. */
export function infoOfOrder(order: OrderFacts): OrderInfo {
  return {
    symbol: order.symbol, price: order.price, size: order.size, side: order.side, tif: order.tif, clientId: order.client_id,
    orderId: order.order_id, nonce: null, mmpEnabled: order.mmp_enabled,
  };
}

/** `info` of an order the venue does not know: what the request named, the rest empty. */
export function infoOfNothing(clientId: string | null, orderId: string | null): OrderInfo {
  return { symbol: '', price: '0', size: '0', side: 'Buy', tif: 'gtc', clientId, orderId, nonce: null, mmpEnabled: false };
}
