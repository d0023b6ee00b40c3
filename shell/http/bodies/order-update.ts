// The order update: the answer to an order and to a cancel (wire contract 1.2, 1.3).

import { underlyingOfPerp } from '../../../core/instruments/symbol.ts';
import { termsIn, type OrderTerms } from '../../ipc/order-terms.ts';
import type { OrderFacts } from '../../ipc/queries.ts';
import { endedStatus, openStatus, UNTRIGGERED, type Standing } from './order-status.ts';
import type { OrderUpdate as OrderUpdateBody } from '../shapes/trading.ts';
import type { Side, Tif } from '../shapes/enums.ts';

/** Ids above 2^53 are strings of digits. `underlying` is set for perps. */
export type OrderInfoParts = {
  readonly symbol: string; readonly price: string; readonly size: string; readonly side: string; readonly tif: string;
  readonly clientId: string | null; readonly orderId: number | string | null; readonly isPerp: boolean; readonly underlying: string | null;
  readonly reduceOnly: boolean | null; readonly nonce: string | null; readonly mmpEnabled: boolean;
  readonly terms?: OrderTerms;
};

type OrderUpdate = {
  readonly time: number; readonly wallet: string; readonly info: OrderInfoParts; readonly status: 'ACKED' | 'REJECTED' | 'CANCELED';
  readonly reason: string | null;
  /** 1e-6 contracts. */
  readonly filled: number; readonly orderId: number | null; readonly isMmpTriggered: boolean;
  readonly standing: Standing | null;
};

const SIZE_UNITS = 1_000_000;
const MMP_TRIGGERED = 'MMP triggered during fill processing';

type RawJson = { rawJSON(text: string): unknown };

/** A JSON number with exactly these digits. */
function digits(text: number | string | null): number | null {
  return typeof text === 'string' ? (JSON as unknown as RawJson).rawJSON(text) as number : text;
}

export function orderUpdate(
  { time, wallet, info, status, reason, filled, orderId, isMmpTriggered, standing }: OrderUpdate, orderIdOfInfo = info.orderId,
): string {
  return JSON.stringify({
    timestamp: time,
    info: {
      symbol: info.symbol, price: info.price, size: info.size, side: info.side as Side, tif: info.tif as Tif, client_id: info.clientId,
      order_id: digits(orderIdOfInfo), is_perp: info.isPerp, underlying: info.underlying, reduce_only: info.reduceOnly,
      nonce: digits(info.nonce), signature: null, mmp_enabled: info.mmpEnabled, builder_code_address: null,
      ...info.terms,
    },
    status, reason, order_status: standing?.status ?? null, end_reason: standing?.endReason ?? null, filled_size: filled / SIZE_UNITS,
    order_id: orderId, wallet_address: wallet, mmp_triggered: isMmpTriggered,
  } satisfies OrderUpdateBody);
}

type Accepted = { readonly time: number; readonly numbers: readonly number[]; readonly isMmpTriggered: boolean };

export function ackedUpdate(wallet: string, info: OrderInfoParts, waits: boolean, accepted: Accepted): string {
  const [, filled, , ended] = accepted.numbers as [number, number, number, number];
  return acceptedUpdate(wallet, info, accepted, waits ? UNTRIGGERED : ended === 0 ? openStatus(filled) : endedStatus(ended));
}

export function acceptedUpdate(
  wallet: string, info: OrderInfoParts, { time, numbers, isMmpTriggered }: Accepted, standing: Standing,
): string {
  const [orderId, filled] = numbers as [number, number];
  const reason = isMmpTriggered ? MMP_TRIGGERED : null;
  return orderUpdate({ time, wallet, info, status: 'ACKED', reason, filled, orderId, isMmpTriggered, standing }, orderId);
}

export function rejectedUpdate(wallet: string, info: OrderInfoParts, time: number, reason: string): string {
  return refusedUpdate(wallet, info, time, reason, { status: 'rejected', endReason: reason });
}

export function refusedUpdate(wallet: string, info: OrderInfoParts, time: number, reason: string, standing: Standing | null): string {
  return orderUpdate({ time, wallet, info, status: 'REJECTED', reason, filled: 0, orderId: null, isMmpTriggered: false, standing });
}

export function infoOfOrder(order: OrderFacts): OrderInfoParts {
  const underlying = underlyingOfPerp(order.symbol);
  return {
    symbol: order.symbol, price: order.price, size: order.size, side: order.side, tif: order.tif, clientId: order.client_id,
    orderId: order.order_id, isPerp: underlying !== null, underlying, reduceOnly: order.reduce_only, nonce: null,
    mmpEnabled: order.mmp_enabled, terms: termsIn(order),
  };
}

export function infoOfUnknown(clientId: string | null, orderId: string | null): OrderInfoParts {
  return {
    symbol: '', price: '0', size: '0', side: 'Buy', tif: 'gtc', clientId, orderId, isPerp: false, underlying: null, reduceOnly: null,
    nonce: null, mmpEnabled: false,
  };
}
