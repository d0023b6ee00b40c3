// Orders and what becomes of them: answers to writes, rows of listings, fills, trades; and what a wallet ends all at once.

import {
  ADDRESS, api, BOOL, DECIMAL, described, ID, INTEGER, ISO, list, MILLIS, named, NULL, NUMBER, nullable, oneOf, record, refusable, schemaOf,
  TEXT, type Shape,
} from './shape.ts';
import { HINT } from './errors.ts';
import { FILL_KIND, INSTRUMENT_TYPE, ORDER_STATUS, SIDE, TIF } from './words.ts';

/** The client's own text in the answer to the request that carried it. */
const ECHOED = schemaOf<string>({
  type: 'string', description: 'As sent in the answer to the request that carried it, else plain decimal text.',
});
export const REASON = described(
  nullable(TEXT), 'Why a request was rejected, or that an accepted order triggered market-maker protection.',
);
export const MMP_TRIGGERED = described(
  BOOL, 'The fills of this order breached the limits of its own wallet: what was left of it is cancelled. A trigger of the counterparty’s '
  + 'protection is not told here.',
);
export const FILLED_AT_ONCE = described(NUMBER, 'Contracts filled at once.');
export const REPLAYED = described(BOOL, 'The first outcome of a request that came before.');
/** How an order stands (decision 3.1), in the answer to a request. */
export const NAMED_STANDING = {
  order_status: described(
    nullable(ORDER_STATUS),
    'How the order stood when it was answered: that of the request, or the one that a cancel names (null: not known).',
  ),
  end_reason: described(nullable(TEXT), 'Why that order is over: null while it is open.'),
};

export const ORDER_INFO = named('OrderInfo', record({
  symbol: TEXT, price: ECHOED, size: ECHOED, side: SIDE, tif: TIF, client_id: nullable(TEXT), order_id: nullable(INTEGER), is_perp: BOOL,
  underlying: nullable(TEXT), reduce_only: nullable(BOOL),
  nonce: described(nullable(INTEGER), 'May be above 2^53.'), signature: NULL, mmp_enabled: BOOL, builder_code_address: nullable(TEXT),
}));
export type OrderInfo = Shape<typeof ORDER_INFO>;

export const ORDER_UPDATE = named('OrderUpdateMessage', record({
  timestamp: MILLIS, info: ORDER_INFO, status: oneOf('ACKED', 'REJECTED', 'CANCELED'), reason: REASON, ...NAMED_STANDING,
  filled_size: FILLED_AT_ONCE, order_id: nullable(ID), wallet_address: ADDRESS, mmp_triggered: MMP_TRIGGERED,
}));
/** Of an order, a replace or a cancel. REJECTED comes with a reason and without an order id: it is an answer, not an error. */
export type OrderUpdate = Shape<typeof ORDER_UPDATE>;
export const CANCELLED = named('CancelOrderApiResponse', refusable(ORDER_UPDATE));

export const BULK_RESULT = named('BulkOrderResult', record({ index: INTEGER, success: BOOL }, {
  data: ORDER_UPDATE, error: TEXT, hint: HINT, replayed: REPLAYED,
}));
export type BulkResult = Shape<typeof BULK_RESULT>;
const BULK = record({ results: list(BULK_RESULT) });
export const BULK_PLACED = named('BulkPlaceOrderResponse', BULK);
export const BULK_CANCELLED = named('BulkCancelOrderResponse', BULK);
export type BulkAnswer = Shape<typeof BULK>;

export const CANCEL_ALL = named('CancelAllData', record({
  wallet_address: ADDRESS, scope: TEXT, cancelled: described(INTEGER, 'Orders cancelled at once.'),
  pending: described(BOOL, 'The rest is being cancelled.'),
}));
export const CANCELLED_ALL = refusable(CANCEL_ALL);
export type CancelAllAnswer = Shape<typeof CANCELLED_ALL>;
export const VOID_NONCES = named('VoidNoncesData', record({
  wallet_address: ADDRESS, up_to: described(INTEGER, 'May be above 2^53.'),
}));
export type VoidNoncesData = Shape<typeof VOID_NONCES>;
export const CANCEL_AFTER = named('CancelAfterData', record({
  wallet_address: ADDRESS, timeout_ms: INTEGER, cancel_at: nullable(MILLIS),
}));
export type CancelAfterData = Shape<typeof CANCEL_AFTER>;
export const CANCEL_ON_DISCONNECT = named('CancelOnDisconnectData', record({
  wallet_address: ADDRESS, enabled: BOOL, grace_ms: INTEGER, connection: TEXT, cancel_at: nullable(MILLIS),
}));
export type CancelOnDisconnectData = Shape<typeof CANCEL_ON_DISCONNECT>;

export const ORDER = named('Order', record({
  order_id: ID, wallet_address: ADDRESS, symbol: TEXT, side: SIDE, price: DECIMAL, size: DECIMAL, tif: TIF, status: ORDER_STATUS,
  order_status: ORDER_STATUS, end_reason: described(nullable(TEXT), 'Why the order is over: null while it is open.'), created_at: MILLIS,
  updated_at: nullable(ISO), filled_size: DECIMAL, client_id: nullable(TEXT), reduce_only: nullable(BOOL), mmp_enabled: BOOL,
  instrument_type: INSTRUMENT_TYPE,
}));
export type Order = Shape<typeof ORDER>;

const OF_TRADES_ALONE = 'Null of other kinds than `trade`.';
export const FILL = named('Fill', record({
  fill_id: ID, trade_id: described(nullable(ID), OF_TRADES_ALONE), wallet_address: ADDRESS, symbol: TEXT, price: DECIMAL, size: DECIMAL,
  fee: described(DECIMAL, 'Of a fill of a liquidation’s order its part of the liquidation fee is in it.'), side: SIDE, is_taker: BOOL,
  timestamp: MILLIS, created_at: ISO, builder_code_address: nullable(ADDRESS), builder_code_fee: nullable(DECIMAL),
  realized_pnl: nullable(DECIMAL), explorer_url: nullable(TEXT), instrument_type: INSTRUMENT_TYPE,
  order_id: described(nullable(ID), OF_TRADES_ALONE), kind: FILL_KIND,
}));
export type Fill = Shape<typeof FILL>;

export const TRADE = named('Trade', record({
  trade_id: ID, symbol: TEXT, price: DECIMAL, size: DECIMAL, maker_address: ADDRESS, taker_address: ADDRESS, maker_fee: DECIMAL,
  taker_fee: DECIMAL, taker_side: SIDE, timestamp: MILLIS, created_at: ISO,
}));
export type Trade = Shape<typeof TRADE>;

export const LIMIT_IV = named('LimitIvApiResponse', api(record({
  symbol: TEXT, iv: NUMBER, limit_price: DECIMAL, theoretical_price: NUMBER, underlying_price: NUMBER, timestamp: MILLIS,
}, { side: SIDE })));
export type LimitIvData = Shape<typeof LIMIT_IV>['data'];
