// Schemas of orders, fills and trades, and of the answers to order requests, single or in bulk.

import {
  ADDRESS, api, BOOL, DECIMAL, described, ID, INTEGER, ISO, list, MILLIS, named, NULL, NUMBER, nullable, oneOf, record, refusable, schemaOf,
  TEXT, type Shape,
} from './shape.ts';
import { HINT } from './error-bodies.ts';
import { FILL_KIND, INSTRUMENT_TYPE, ORDER_STATUS, SIDE, STP, TIF, TRIGGER_BY, TRIGGER_DIRECTION } from './enums.ts';

const ECHOED = schemaOf<string>({
  type: 'string', description: 'In the answer to the request itself: the text as you sent it. Elsewhere: plain decimal text.',
});
export const REASON = described(
  nullable(TEXT), 'Why the request was rejected. For an accepted order: a note that it triggered market-maker protection.',
);
export const MMP_TRIGGERED = described(
  BOOL, 'True if the fills of this order exceeded the market-maker protection limits of its own wallet; the rest of the order is '
  + 'cancelled. Says nothing about the protection of the counterparty.',
);
export const FILLED_IMMEDIATELY = described(NUMBER, 'Contracts filled immediately.');
export const REPLAYED = described(BOOL, 'True if the same request was processed before; this is its original result.');
export const ORDER_STATE = {
  order_status: described(
    nullable(ORDER_STATUS),
    'Status of the order when the answer was made. In the answer to a cancel: of the order to be cancelled, null if it is unknown.',
  ),
  end_reason: described(nullable(TEXT), 'Why that order has ended. Null while it is open.'),
};

export const ORDER_TERMS = {
  post_only: described(schemaOf<true | 'slide'>({ enum: [true, 'slide'] }), 'The order was placed so that it rests whole.'),
  expires_at: described(MILLIS, 'From then on the order trades no more.'),
  stp: described(STP, 'What ends when the order meets one of its own wallet.'),
  trigger: record({ by: TRIGGER_BY, direction: TRIGGER_DIRECTION, price: DECIMAL }),
  link_id: described(TEXT, 'What one order of the link is filled is taken off the size of each other.'),
};

export const ORDER_INFO = named('OrderInfo', record({
  symbol: TEXT, price: ECHOED, size: ECHOED, side: SIDE, tif: TIF, client_id: nullable(TEXT), order_id: nullable(INTEGER), is_perp: BOOL,
  underlying: nullable(TEXT), reduce_only: nullable(BOOL),
  nonce: described(nullable(INTEGER), 'May be above 2^53.'), signature: NULL, mmp_enabled: BOOL, builder_code_address: nullable(TEXT),
}, ORDER_TERMS));
export type OrderInfo = Shape<typeof ORDER_INFO>;

export const ORDER_UPDATE = named('OrderUpdateMessage', record({
  timestamp: MILLIS, info: ORDER_INFO, status: oneOf('ACKED', 'REJECTED', 'CANCELED'), reason: REASON, ...ORDER_STATE,
  filled_size: FILLED_IMMEDIATELY, order_id: nullable(ID), wallet_address: ADDRESS, mmp_triggered: MMP_TRIGGERED,
}));
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
  wallet_address: ADDRESS, scope: TEXT, cancelled: described(INTEGER, 'Number of orders cancelled immediately.'),
  pending: described(BOOL, 'True while more orders are still being cancelled.'),
}));
export const CANCELLED_ALL = refusable(CANCEL_ALL);
export type CancelAllAnswer = Shape<typeof CANCELLED_ALL>;
const QUOTE_SIDE = named('QuoteSideResult', record({
  status: oneOf('UNCHANGED', 'REDUCED', 'OPEN', 'REMOVED', 'REJECTED'),
  order_id: described(nullable(ID), 'A quote keeps its order id for as long as it stands.'),
  reason: described(nullable(TEXT), 'Why the side was refused. Its old quote is gone.'),
}, { price: described(DECIMAL, 'Of a quote that may slide: where it rests.') }));
export const QUOTED = {
  status: oneOf('ACKED', 'REJECTED'), reason: described(nullable(TEXT), 'Why all of it was refused.'),
  counts: described(
    record({ unchanged: INTEGER, reduced: INTEGER, open: INTEGER, removed: INTEGER, rejected: INTEGER }), 'Sides by status.',
  ),
  results: described(
    list(record({ symbol: TEXT, bid: nullable(QUOTE_SIDE), ask: nullable(QUOTE_SIDE) })),
    'A line each, null for a side that was left alone. With `detailed` false: the refused sides only.',
  ),
};
export const MASS_QUOTED = named('MassQuoteResponse', record(QUOTED));
export type QuoteAnswer = Shape<typeof MASS_QUOTED>;
export const CANCEL_QUOTES = named('CancelQuotesData', record({
  wallet_address: ADDRESS, quote_set: TEXT, scope: TEXT, cancelled: described(INTEGER, 'Number of quotes cancelled immediately.'),
  pending: described(BOOL, 'True while more quotes are still being cancelled.'),
}));
export const CANCELLED_QUOTES = refusable(CANCEL_QUOTES);
export type CancelQuotesAnswer = Shape<typeof CANCELLED_QUOTES>;
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
  order_status: ORDER_STATUS, end_reason: described(nullable(TEXT), 'Why the order has ended. Null while it is open.'), created_at: MILLIS,
  updated_at: nullable(ISO), filled_size: DECIMAL, client_id: nullable(TEXT), reduce_only: nullable(BOOL), mmp_enabled: BOOL,
  instrument_type: INSTRUMENT_TYPE,
}, { ...ORDER_TERMS, quote_set: described(TEXT, 'Of a quote: the set that it belongs to. It has no client id.') }));
export type Order = Shape<typeof ORDER>;

const OF_TRADES_ALONE = 'Null unless `kind` is `trade`.';
export const FILL = named('Fill', record({
  fill_id: ID, trade_id: described(nullable(ID), OF_TRADES_ALONE), wallet_address: ADDRESS, symbol: TEXT, price: DECIMAL, size: DECIMAL,
  fee: described(DECIMAL, 'For a fill of a liquidation order, includes its share of the liquidation fee.'), side: SIDE, is_taker: BOOL,
  timestamp: MILLIS, created_at: ISO, builder_code_address: nullable(ADDRESS), builder_code_fee: nullable(DECIMAL),
  realized_pnl: nullable(DECIMAL), explorer_url: nullable(TEXT), instrument_type: INSTRUMENT_TYPE,
  order_id: described(nullable(ID), OF_TRADES_ALONE), kind: FILL_KIND,
}));
export type Fill = Shape<typeof FILL>;
/** `position`: after the fill. */
export type PlacedFill = Fill & { readonly position: string | null };

export const TRADE = named('Trade', record({
  trade_id: ID, symbol: TEXT, price: DECIMAL, size: DECIMAL, maker_address: ADDRESS, taker_address: ADDRESS, maker_fee: DECIMAL,
  taker_fee: DECIMAL, taker_side: SIDE, timestamp: MILLIS, created_at: ISO,
}));
export type Trade = Shape<typeof TRADE>;

export const LIMIT_IV = named('LimitIvApiResponse', api(record({
  symbol: TEXT, iv: NUMBER, limit_price: DECIMAL, theoretical_price: NUMBER, underlying_price: NUMBER, timestamp: MILLIS,
}, { side: SIDE })));
export type LimitIvData = Shape<typeof LIMIT_IV>['data'];
