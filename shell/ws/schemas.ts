// The messages of the socket, both ways, as JSON Schema by their type: what a client may send has the fields that the venue checks,
// most of them those of the REST request of the same name; what the venue sends is described here and made elsewhere, and a
// test compares both. Money, prices and sizes of accounts and books are decimal texts. The description of the interface derives
// from these and the channel table.

import { BULK_ITEMS } from '../../core/limits.ts';
import { CANCEL, CANCEL_BY_CLOID } from '../api/routes/cancels.ts';
import { PLACE_BY_SOCKET, REPLACE_BY_SOCKET } from '../api/routes/orders.ts';
import { CANCEL_AFTER_FIELDS, CANCEL_ALL_FIELDS, DISCONNECT_FIELDS, VOID_FIELDS } from '../api/routes/safety.ts';
import { STATUS } from '../http/errors.ts';
import type { Schema } from '../http/fields.ts';
import {
  ADDRESS, BOOL, DECIMAL, HINT, ID, INTEGER, list, MILLIS, MMP_TRIGGERED, NAMED_STANDING, NUMBER, nullable, oneOf, record, ref,
  schemaOfFields, SECONDS, TEXT, UPDATE_REASON, type Json,
} from '../http/json-schema.ts';
import { MARGIN_MODES, SIDES, TIFS } from '../ipc/enum-names.ts';
import { AUTHENTICATE, SUBSCRIBE, SYMBOL_CHARS } from './connection.ts';
import { ID_CHARS, MOST_ID } from './request-id.ts';

/** What a client sends: `answers` are the types of what comes back; `like`: the row of the route table that takes the same. */
type Request = { readonly doc: string; readonly payload: Json; readonly answers: readonly string[]; readonly like?: string };
/** What the venue sends. */
type Message = { readonly doc: string; readonly payload: Json };

const SIDE = oneOf(...SIDES);
const INSTRUMENT_TYPE = oneOf('option', 'perp');
const SEQ: Json = { type: 'integer', minimum: 0, description: 'Number in its stream, the same after a restart.' };
const REQUEST_ID: Json = {
  description: 'Comes back with the answer.',
  anyOf: [{ ...INTEGER, minimum: -MOST_ID, maximum: MOST_ID }, { ...TEXT, minLength: 1, maxLength: ID_CHARS }],
};
const SYMBOL: Json = { ...TEXT, minLength: 1, maxLength: SYMBOL_CHARS };
const CONNECTION: Json = { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Names this connection.' };
const LEVELS = list({ type: 'array', items: DECIMAL, minItems: 2, maxItems: 2, description: '[price, size in contracts], best first' });

function typed(type: string, fields: Json, optional: Json = {}): Json {
  return record({ type: { const: type }, ...fields }, optional);
}

/** One request of order entry, or many as a list of its fields. */
function entry(type: string, doc: string, fields: Schema, like: string): Readonly<Record<string, Request>> {
  return { [type]: { doc, like, payload: requestOf(type, schemaOfFields(fields)), answers: ['OrderResult'] } };
}

function bulk(type: string, doc: string, of: string, fields: Schema, like: string): Readonly<Record<string, Request>> {
  const items = schemaOfFields(fields);
  const payload = requestOf(type, { properties: { [of]: { type: 'array', items, minItems: 1, maxItems: BULK_ITEMS } }, required: [of] });
  return { [type]: { doc, like, payload, answers: ['BulkOrderResult', 'OrderResult'] } };
}

function safety(type: string, doc: string, fields: Schema, like: string): Readonly<Record<string, Request>> {
  return { [type]: { doc, like, payload: requestOf(type, schemaOfFields(fields)), answers: ['ActionResult'] } };
}

function requestOf(type: string, { properties, required }: Json): Json {
  return {
    type: 'object', properties: { type: { const: type }, id: REQUEST_ID, ...properties as Json },
    required: ['type', ...(required ?? []) as readonly string[]],
  };
}

const { from_seq: _, ...UNSUBSCRIBE } = SUBSCRIBE;

/** Requests by their type. */
export const REQUESTS: Readonly<Record<string, Request>> = {
  Subscribe: {
    doc: 'Asks for a channel. What stands comes first, then what changes; with `from_seq` what came after that number, then what comes. '
      + 'Symbols are added to those of before, also on `fills` and `order_updates`; without them it is all.',
    payload: controlOf('Subscribe', SUBSCRIBE, SYMBOL), answers: ['Subscribed', 'Error'],
  },
  Unsubscribe: {
    doc: 'Ends all of a channel, or with symbols those. Where each symbol has a stream, an empty text among them ends the one of all.',
    payload: controlOf('Unsubscribe', UNSUBSCRIBE, { ...SYMBOL, minLength: 0 }), answers: ['Unsubscribed', 'Error'],
  },
  Authenticate: {
    doc: 'Names the wallet of the connection, as `?wallet=` does. It is not proved: what a wallet does is signed by itself. Another wallet '
      + 'than before ends the subscriptions of that one: `Unsubscribed` comes for each of its channels first.',
    payload: controlOf('Authenticate', AUTHENTICATE, SYMBOL), answers: ['Authenticated', 'Error'],
  },
  ...entry('PlaceOrder', 'Places an order.', PLACE_BY_SOCKET, 'POST /order'),
  ...entry('ReplaceOrder', 'Cancels an open order and places another in one step.', REPLACE_BY_SOCKET, 'PUT /order'),
  ...entry('CancelOrder', 'Cancels an open order by its id.', CANCEL, 'POST /cancel'),
  ...entry('CancelOrderByClientId', 'Cancels an open order by its client id.', CANCEL_BY_CLOID, 'POST /cancel-by-cloid'),
  ...bulk('BulkPlaceOrder', 'Places many orders, each signed by itself.', 'orders', PLACE_BY_SOCKET, 'POST /bulk_order'),
  ...bulk('BulkReplaceOrder', 'Replaces many orders.', 'replacements', REPLACE_BY_SOCKET, 'PUT /bulk_order'),
  ...bulk('BulkCancelOrder', 'Cancels many orders by their ids.', 'cancels', CANCEL, 'DELETE /bulk_order'),
  ...bulk('BulkCancelOrderByClientId', 'Cancels many orders by their client ids.', 'cancels', CANCEL_BY_CLOID, 'DELETE /bulk_order_cloid'),
  ...safety('CancelAll', 'Cancels every open order, or those of an underlying or a symbol.', CANCEL_ALL_FIELDS, 'POST /cancel-all'),
  ...safety('VoidNonces', 'Voids every nonce of the wallet up to one.', VOID_FIELDS, 'POST /void-nonces'),
  ...safety('CancelAfter', 'Cancels every open order unless another of these comes in time.', CANCEL_AFTER_FIELDS, 'POST /cancel-after'),
  ...safety(
    'SetCancelOnDisconnect', 'Whether every open order is cancelled when the connection is gone.', DISCONNECT_FIELDS,
    'POST /cancel-on-disconnect',
  ),
};

function controlOf(type: string, fields: Schema, item: Json): Json {
  const { properties, required = [] } = schemaOfFields(fields, item);
  return {
    type: 'object', properties: { type: { const: type }, id: REQUEST_ID, ...properties as Json },
    required: ['type', ...required as readonly string[]],
  };
}

/** What a refusal adds that has more to say than its text. */
const REFUSAL: Json = {
  hint: HINT, retry_after_secs: INTEGER, limit: INTEGER, digest: TEXT, struct_hash: TEXT, recovered: nullable(TEXT),
  domain: record({ name: TEXT, version: TEXT, chainId: INTEGER, verifyingContract: TEXT }),
};
const ANSWERED_ID: Json = { ...REQUEST_ID, anyOf: [INTEGER, TEXT, { type: 'null' }] };

const CONTROL: Readonly<Record<string, Message>> = {
  Hello: {
    doc: 'The first message of a connection.',
    payload: typed('Hello', { connection: CONNECTION, venue_id: { type: 'string', pattern: '^[0-9a-f]{16}$' }, server_at: MILLIS }),
  },
  Subscribed: {
    doc: 'What stands in the channel follows, unless it was there already. `seq`: where its stream stands, if it is one.',
    payload: typed('Subscribed', { channel: TEXT }, { seq: SEQ, id: REQUEST_ID }),
  },
  Unsubscribed: {
    doc: 'Nothing more follows of what the client has ended, or of a wallet in whose place it named another.',
    payload: typed('Unsubscribed', { channel: TEXT }, { id: REQUEST_ID }),
  },
  Authenticated: {
    doc: 'The wallet that the connection is taken for.', payload: typed('Authenticated', { wallet: ADDRESS }, { id: REQUEST_ID }),
  },
  Error: {
    doc: 'A message that was not taken, or a subscription that is none. `id` is that of the request, null where it has none, and where '
      + 'nothing is answered: a subscription was lost.',
    payload: typed('Error', { code: oneOf(...Object.keys(STATUS)), message: TEXT, id: ANSWERED_ID }, REFUSAL),
  },
  OrderResult: {
    doc: 'The outcome of a request about one order, in the order of the requests. What REST answers with an error is REJECTED here. '
      + 'Of a source that has spent its requests of the minute an order may be refused unread: `symbol` to `size` are missing then.',
    payload: typed('OrderResult', {
      id: ANSWERED_ID, order_id: nullable(ID), status: oneOf('ACKED', 'REJECTED', 'CANCELED'), reason: UPDATE_REASON,
      ...NAMED_STANDING, filled_size: { ...NUMBER, description: 'Contracts filled at once.' },
    }, {
      symbol: TEXT, side: TEXT, price: TEXT, size: TEXT, timestamp: MILLIS, info: ref('OrderInfo'), wallet_address: ADDRESS,
      mmp_triggered: MMP_TRIGGERED, replayed: { ...BOOL, description: 'The first outcome of a request that came before.' },
      error: { ...TEXT, description: 'The code of a refusal, as REST has it.' }, ...REFUSAL,
    }),
  },
  BulkOrderResult: {
    doc: 'The outcomes of a bulk, by the place of each item.',
    payload: typed('BulkOrderResult', { id: ANSWERED_ID, results: list(ref('BulkOrderResult')) }, REFUSAL),
  },
  ActionResult: {
    doc: 'The outcome of what is about all of a wallet: the answer of REST, with the type of the request.',
    payload: typed('ActionResult', {
      id: ANSWERED_ID, action: oneOf('CancelAll', 'VoidNonces', 'CancelAfter', 'SetCancelOnDisconnect'), success: BOOL,
      data: {
        anyOf: [
          ref('CancelAllData'), ref('VoidNoncesData'), ref('CancelAfterData'), ref('CancelOnDisconnectData'), { type: 'null' },
        ],
      },
      error: nullable(TEXT),
    }, { message: TEXT, replayed: BOOL, ...REFUSAL }),
  },
};

const MARKET_DATA: Readonly<Record<string, Message>> = {
  OrderbookUpdate: {
    doc: 'The best 20 levels of a book.',
    payload: typed('OrderbookUpdate', {
      symbol: TEXT, option_token_address: nullable(ADDRESS), bids: LEVELS, asks: LEVELS, timestamp: MILLIS, seq: SEQ,
    }),
  },
  BookUpdate: {
    doc: 'A snapshot of a book, or the levels that have changed since the message before; size "0" is a level that is gone.',
    payload: typed('BookUpdate', {
      is_snapshot: BOOL, symbol: TEXT, seq: SEQ,
      prev_seq: { ...nullable(INTEGER), description: 'That of the message before; null in a snapshot.' }, bids: LEVELS, asks: LEVELS,
      checksum: {
        type: 'integer', minimum: 0, maximum: 4_294_967_295,
        description: 'CRC-32 of the best 25 levels as they stand then: `bid price:bid size:ask price:ask size:...` by rank, what is '
          + 'missing left out.',
      },
      timestamp: MILLIS,
    }),
  },
  Trade: {
    doc: 'A trade, with the side of its taker.',
    payload: typed('Trade', {
      symbol: TEXT, price: DECIMAL, size: DECIMAL, side: oneOf('buy', 'sell'), timestamp: MILLIS, trade_id: ID, seq: SEQ,
    }),
  },
  IndexPriceUpdate: {
    doc: 'Prices of indices.',
    payload: typed('IndexPriceUpdate', {
      prices: list(record({ underlying: TEXT, price: DECIMAL, timestamp: MILLIS })), timestamp: MILLIS, seq: SEQ,
    }),
  },
  MarketUpdate: {
    doc: 'An option was listed, has expired or was deleted, which has its symbol alone.',
    payload: typed('MarketUpdate', { action: oneOf('Created', 'Expired', 'Deleted'), symbol: TEXT, timestamp: MILLIS, seq: SEQ }, {
      strike: DECIMAL, is_call: BOOL, underlying: TEXT, expiry: SECONDS,
    }),
  },
  OptionsChainUpdate: {
    doc: 'A row of the chain as it stands, or a contract that is gone.',
    payload: {
      oneOf: [
        typed('OptionsChainUpdate', {
          action: { const: 'Upsert' }, currency: TEXT, expiry: SECONDS,
          row: record({ strike: NUMBER }, { call: ref('OptionsChainLeg'), put: ref('OptionsChainLeg') }), timestamp: MILLIS, seq: SEQ,
        }),
        typed('OptionsChainUpdate', {
          action: { const: 'Remove' }, currency: TEXT, expiry: SECONDS, strike: NUMBER, option_type: oneOf('call', 'put'), symbol: TEXT,
          timestamp: MILLIS, seq: SEQ,
        }),
      ],
    },
  },
  CandleUpdate: {
    doc: 'A candle as far as it has come.',
    payload: typed('CandleUpdate', {
      underlying: TEXT, resolution: ref('CandleResolution'), start_time_ms: MILLIS, end_time_ms: MILLIS, open: NUMBER, high: NUMBER,
      low: NUMBER,
      close: NUMBER, volume: NUMBER, seq: SEQ,
    }),
  },
};

function portfolioUpdate(type: string, fields: Json, optional: Json = {}): Json {
  return typed('PortfolioUpdate', { update_type: { const: type }, ...fields, timestamp: MILLIS, seq: SEQ }, optional);
}

const MARGIN: Json = {
  total_margin_used: DECIMAL, available_balance: DECIMAL, margin_mode: oneOf(...MARGIN_MODES), margin_summary: ref('MarginSummary'),
};
const AMOUNT = nullable(DECIMAL);
const UNTOLD = 'Null: an amount of the account is beyond 2^53 millionths.';
const TOLD = { ...AMOUNT, description: UNTOLD };
const TOLD_MARGIN: Json = {
  total_margin_used: TOLD, available_balance: TOLD, margin_mode: oneOf(...MARGIN_MODES),
  margin_summary: { ...nullable(ref('MarginSummary')), description: UNTOLD },
};

const WALLET: Readonly<Record<string, Message>> = {
  OrderUpdate: {
    doc: 'What became of an order: ACKED when it is taken, OPEN when it rests, then each change.',
    payload: typed('OrderUpdate', {
      order_id: nullable(ID),
      request: record({ price: DECIMAL, size: DECIMAL, symbol: TEXT, side: SIDE, tif: oneOf(...TIFS), client_id: TEXT }),
      status: oneOf('ACKED', 'OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'REJECTED'),
      filled_size: { ...DECIMAL, description: 'All that was filled of it.' }, timestamp: MILLIS, reason: nullable(TEXT),
      wallet_address: ADDRESS, instrument_type: INSTRUMENT_TYPE, seq: SEQ,
    }),
  },
  Fill: {
    doc: 'A fill of the wallet, before the OrderUpdate that it makes. A liquidation’s fee is in the `fee` of its orders’ fills.',
    payload: typed('Fill', {
      order_id: ID, fill_id: ID, symbol: TEXT, side: SIDE, price: DECIMAL, size: DECIMAL, timestamp: MILLIS, wallet_address: ADDRESS,
      fee: DECIMAL, trade_id: ID, is_taker: BOOL, builder_code_address: nullable(ADDRESS), builder_code_fee: AMOUNT,
      instrument_type: INSTRUMENT_TYPE, seq: SEQ,
    }),
  },
  PortfolioUpdate: {
    doc: 'A part of the portfolio as it stands, by `update_type`: all of it first, then a position, the balance, margin, greeks.',
    payload: {
      oneOf: [
        portfolioUpdate('Initial', { wallet_address: ADDRESS, positions: list(ref('Position')), ...MARGIN }, {
          withdrawable_usdc: DECIMAL, portfolio_snapshot_timestamp_ms: nullable(INTEGER), span_margin: ref('SpanMargin'),
        }),
        portfolioUpdate('PositionUpdate', { position: ref('Position') }),
        portfolioUpdate('BalanceUpdate', { total_margin_used: TOLD, available_balance: TOLD, balance: DECIMAL }),
        portfolioUpdate('MarginUpdate', TOLD_MARGIN, { span_margin: { ...nullable(ref('SpanMargin')), description: UNTOLD } }),
        portfolioUpdate('GreeksUpdate', {
          per_leg: list(record({ symbol: TEXT, quantity: DECIMAL, delta: NUMBER, gamma: NUMBER, theta: NUMBER, vega: NUMBER, iv: NUMBER })),
          aggregate: nullable(record({ delta: NUMBER, gamma: NUMBER, theta: NUMBER, vega: NUMBER, iv: nullable(NUMBER) })),
        }),
      ],
    },
  },
  PositionExpired: {
    doc: 'A position was paid out at its settlement.',
    payload: typed('PositionExpired', {
      wallet_address: ADDRESS, symbol: TEXT, position_size: DECIMAL, settlement_price: DECIMAL, settlement_value: DECIMAL,
      settlement_entry_price: AMOUNT, cost_basis: AMOUNT, net_pnl: AMOUNT, timestamp: MILLIS, seq: SEQ,
    }),
  },
  LiquidationStateChange: {
    doc: 'The account has come into another state of its liquidation.',
    payload: typed('LiquidationStateChange', {
      wallet_address: ADDRESS, previous_state: ref('LiquidationState'), new_state: ref('LiquidationState'),
      liquidation_mode: nullable(oneOf('partial', 'full')), margin_mode: oneOf(...MARGIN_MODES), equity: TOLD,
      mm_required: TOLD, maintenance_margin: { ...AMOUNT, description: `Equity beyond the requirement. ${UNTOLD}` }, shortfall: TOLD,
      partial_liquidation: nullable(record({
        entered_at: MILLIS, target_equity: TOLD, mm_shortfall: TOLD, escalation_deadline: MILLIS,
      })),
      full_liquidation: nullable(record({ liquidated_at: MILLIS, winner: nullable(ADDRESS), bonus: AMOUNT })), timestamp: MILLIS, seq: SEQ,
    }),
  },
};

function competition(type: string, doc: string, fields: Json): Readonly<Record<string, Message>> {
  return { [type]: { doc, payload: typed(type, { wallet_address: ADDRESS, ...fields, timestamp: MILLIS, seq: SEQ }) } };
}

const PLACE: Json = { competition_id: ID, rank: ID };
const SCORES: Json = { pnl: DECIMAL, volume: DECIMAL, efficiency: DECIMAL };
const FINAL: Json = { ...PLACE, ...SCORES, medal: nullable(oneOf(1, 2, 3)) };
const COMPETITION: Readonly<Record<string, Message>> = {
  ...competition('CompetitionUpdate', 'How the wallet stands.', { ...PLACE, ...SCORES }),
  ...competition('CompetitionRankChange', 'It has another rank than it was told last.', {
    competition_id: ID, from_rank: ID, to_rank: ID, delta_places: { ...INTEGER, description: 'Places won; negative: lost.' }, pnl: DECIMAL,
  }),
  ...competition('CompetitionGapUpdate', 'What it lacks to the rank before it, in what the competition is won by.', {
    ...PLACE, next_rank: nullable(ID), gap_metric_value: AMOUNT,
  }),
  ...competition('CompetitionPnlSummary', 'What the wallet has realised in all, and how it stands.', {
    lifetime_realized_pnl: DECIMAL, active_competition: nullable(ref('Standing')),
  }),
  ...competition('CompetitionFinalStats', 'How the competition has ended for the wallet.', FINAL),
  ...competition('CompetitionFinalStanding', 'The same, as what holds from now on.', FINAL),
};

/** Messages by their type. */
export const MESSAGES: Readonly<Record<string, Message>> = { ...CONTROL, ...MARKET_DATA, ...WALLET, ...COMPETITION };
