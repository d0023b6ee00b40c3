// The messages that the venue sends by socket, by their type. `seq` counts the messages of one stream, which is a symbol, a wallet or the
// venue: it rises by one, across reconnects and restarts. That of a book counts its changes and may jump; rows of the options chain that
// changed together share one. Money, prices and sizes of accounts and books are decimal texts.

import type { CHANNELS, ChannelName } from '../../ipc/channels.ts';
import { LIQUIDATION_STATES } from '../../ipc/enum-names.ts';
import { ID_CHARS, MOST_ID } from '../limits.ts';
import {
  MARGIN_SUMMARY, MEDAL, PORTFOLIO_FIELDS, PORTFOLIO_OPTIONAL, SCORES, SPAN_MARGIN, STANDING, STREAMED_POSITION, TOLD, UNTOLD,
} from './account.ts';
import { CODES } from './codes.ts';
import { REFUSAL } from './errors.ts';
import { CANDLE_FIELDS, CHAIN_ROW, SUMMED_GREEKS } from './markets.ts';
import {
  ADDRESS, BOOL, COUNT, DECIMAL, described, either, ID, INTEGER, list, MILLIS, named, NULL, NUMBER, nullable, oneOf, only, record, schemaOf,
  SECONDS, TEXT, type Decimal, type Fields, type JsonSchema, type Shape,
} from './shape.ts';
import {
  BULK_RESULT, CANCEL_AFTER, CANCEL_ALL, CANCEL_ON_DISCONNECT, FILLED_AT_ONCE, MMP_TRIGGERED, NAMED_STANDING, ORDER_INFO, REASON, REPLAYED,
  VOID_NONCES,
} from './trading.ts';
import { INSTRUMENT_TYPE, MARGIN_MODE, OPTION_TYPE, SIDE, TIF } from './words.ts';

/** What the venue sends. */
export type Message = { readonly doc: string; readonly payload: JsonSchema };

const SEQ = described(COUNT, 'Number in its stream, the same after a restart.');
const CONNECTION = schemaOf<string>({ type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Names this connection.' });
const LEVELS = list(schemaOf<readonly [price: Decimal, size: Decimal]>({
  type: 'array', items: DECIMAL, minItems: 2, maxItems: 2, description: '[price, size in contracts], best first',
}));
const AMOUNT = nullable(DECIMAL);

export const REQUEST_ID = schemaOf<number | string>({
  description: 'Comes back with the answer.',
  anyOf: [{ ...INTEGER, minimum: -MOST_ID, maximum: MOST_ID }, { ...TEXT, minLength: 1, maxLength: ID_CHARS }],
});
const ANSWERED_ID = schemaOf<number | string | null>({ ...REQUEST_ID, anyOf: [INTEGER, TEXT, NULL] });

function typed<const T extends string, R extends Fields, O extends Fields = {}>(type: T, fields: R, optional?: O) {
  return record({ type: only(type), ...fields }, optional);
}

const CONTROL = {
  Hello: {
    doc: 'The first message of a connection.',
    payload: typed('Hello', {
      connection: CONNECTION, venue_id: schemaOf<string>({ type: 'string', pattern: '^[0-9a-f]{16}$' }), server_at: MILLIS,
    }),
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
    payload: typed('Error', { code: oneOf(...CODES), message: TEXT, id: ANSWERED_ID }, REFUSAL),
  },
  OrderResult: {
    doc: 'The outcome of a request about one order, in the order of the requests. What REST answers with an error is REJECTED here. '
      + 'Of a source that has spent its requests of the minute an order may be refused unread: `symbol` to `size` are missing then.',
    payload: typed('OrderResult', {
      id: ANSWERED_ID, order_id: nullable(ID), status: oneOf('ACKED', 'REJECTED', 'CANCELED'), reason: REASON, ...NAMED_STANDING,
      filled_size: FILLED_AT_ONCE,
    }, {
      symbol: TEXT, side: TEXT, price: TEXT, size: TEXT, timestamp: MILLIS, info: ORDER_INFO, wallet_address: ADDRESS,
      mmp_triggered: MMP_TRIGGERED, replayed: REPLAYED, error: described(TEXT, 'The code of a refusal, as REST has it.'), ...REFUSAL,
    }),
  },
  BulkOrderResult: {
    doc: 'The outcomes of a bulk, by the place of each item.',
    payload: typed('BulkOrderResult', { id: ANSWERED_ID, results: list(BULK_RESULT) }, REFUSAL),
  },
  ActionResult: {
    doc: 'The outcome of what is about all of a wallet: the answer of REST, with the type of the request.',
    payload: typed('ActionResult', {
      id: ANSWERED_ID, action: oneOf('CancelAll', 'VoidNonces', 'CancelAfter', 'SetCancelOnDisconnect'), success: BOOL,
      data: schemaOf<Shape<typeof CANCEL_ALL | typeof VOID_NONCES | typeof CANCEL_AFTER | typeof CANCEL_ON_DISCONNECT> | null>({
        anyOf: [CANCEL_ALL, VOID_NONCES, CANCEL_AFTER, CANCEL_ON_DISCONNECT, NULL],
      }),
      error: nullable(TEXT),
    }, { message: TEXT, replayed: BOOL, ...REFUSAL }),
  },
} as const satisfies Readonly<Record<string, Message>>;

const STREAMED = { timestamp: MILLIS, seq: SEQ };
const MARKET_CHANGE = { symbol: TEXT, ...STREAMED };
const CHAIN = { currency: TEXT, expiry: SECONDS, ...STREAMED };
const MARKET_DATA = {
  OrderbookUpdate: {
    doc: 'The best 20 levels of a book.',
    payload: typed('OrderbookUpdate', { symbol: TEXT, option_token_address: nullable(ADDRESS), bids: LEVELS, asks: LEVELS, ...STREAMED }),
  },
  BookUpdate: {
    doc: 'A snapshot of a book, or the levels that have changed since the message before; size "0" is a level that is gone.',
    payload: typed('BookUpdate', {
      is_snapshot: BOOL, symbol: TEXT, prev_seq: described(nullable(INTEGER), 'That of the message before; null in a snapshot.'),
      bids: LEVELS, asks: LEVELS,
      checksum: schemaOf<number>({
        type: 'integer', minimum: 0, maximum: 4_294_967_295,
        description: 'CRC-32 of the best 25 levels as they stand then: `bid price:bid size:ask price:ask size:...` by rank, what is '
          + 'missing left out.',
      }),
      ...STREAMED,
    }),
  },
  Trade: {
    doc: 'A trade, with the side of its taker.',
    payload: typed('Trade', { symbol: TEXT, price: DECIMAL, size: DECIMAL, side: oneOf('buy', 'sell'), trade_id: ID, ...STREAMED }),
  },
  IndexPriceUpdate: {
    doc: 'Prices of indices.',
    payload: typed('IndexPriceUpdate', {
      prices: list(record({ underlying: TEXT, price: DECIMAL, timestamp: MILLIS })), ...STREAMED,
    }),
  },
  MarketUpdate: {
    doc: 'An option was listed, has expired or was deleted, which has its symbol alone.',
    payload: either(
      typed('MarketUpdate', {
        action: oneOf('Created', 'Expired'), strike: DECIMAL, is_call: BOOL, underlying: TEXT, expiry: SECONDS, ...MARKET_CHANGE,
      }),
      typed('MarketUpdate', { action: only('Deleted'), ...MARKET_CHANGE }),
    ),
  },
  OptionsChainUpdate: {
    doc: 'A row of the chain as it stands, or a contract that is gone.',
    payload: either(
      typed('OptionsChainUpdate', { action: only('Upsert'), row: CHAIN_ROW, ...CHAIN }),
      typed('OptionsChainUpdate', { action: only('Remove'), strike: NUMBER, option_type: OPTION_TYPE, symbol: TEXT, ...CHAIN }),
    ),
  },
  CandleUpdate: { doc: 'A candle as far as it has come.', payload: typed('CandleUpdate', { ...CANDLE_FIELDS, seq: SEQ }) },
} as const satisfies Readonly<Record<string, Message>>;

function portfolioUpdate<const T extends string, R extends Fields, O extends Fields = {}>(type: T, fields: R, optional?: O) {
  return typed('PortfolioUpdate', { update_type: only(type), ...fields, ...STREAMED }, optional);
}

const LIQUIDATION_STATE = named('LiquidationState', oneOf(...LIQUIDATION_STATES));
const WALLET = {
  OrderUpdate: {
    doc: 'What became of an order: ACKED when it is taken, OPEN when it rests, then each change.',
    payload: typed('OrderUpdate', {
      order_id: nullable(ID),
      request: record({ price: DECIMAL, size: DECIMAL, symbol: TEXT, side: SIDE, tif: TIF, client_id: TEXT }),
      status: oneOf('ACKED', 'OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'REJECTED'),
      filled_size: described(DECIMAL, 'All that was filled of it.'), reason: nullable(TEXT), wallet_address: ADDRESS,
      instrument_type: INSTRUMENT_TYPE, ...STREAMED,
    }),
  },
  Fill: {
    doc: 'A fill of the wallet, before the OrderUpdate that it makes. A liquidation’s fee is in the `fee` of its orders’ fills.',
    payload: typed('Fill', {
      order_id: ID, fill_id: ID, symbol: TEXT, side: SIDE, price: DECIMAL, size: DECIMAL, wallet_address: ADDRESS, fee: DECIMAL,
      trade_id: ID, is_taker: BOOL, builder_code_address: nullable(ADDRESS), builder_code_fee: AMOUNT,
      instrument_type: INSTRUMENT_TYPE, ...STREAMED,
    }),
  },
  PortfolioUpdate: {
    doc: 'A part of the portfolio as it stands, by `update_type`: all of it first, then a position, the balance, margin, greeks.',
    payload: either(
      portfolioUpdate('Initial', { ...PORTFOLIO_FIELDS, margin_summary: MARGIN_SUMMARY }, PORTFOLIO_OPTIONAL),
      portfolioUpdate('PositionUpdate', { position: STREAMED_POSITION }),
      portfolioUpdate('BalanceUpdate', { total_margin_used: TOLD, available_balance: TOLD, balance: described(DECIMAL, 'Cash.') }),
      portfolioUpdate('MarginUpdate', {
        total_margin_used: TOLD, available_balance: TOLD, margin_mode: MARGIN_MODE,
        margin_summary: described(nullable(MARGIN_SUMMARY), UNTOLD),
      }, { span_margin: described(nullable(SPAN_MARGIN), UNTOLD) }),
      portfolioUpdate('GreeksUpdate', {
        per_leg: list(record({ symbol: TEXT, quantity: DECIMAL, ...SUMMED_GREEKS, iv: NUMBER })),
        aggregate: nullable(record({ ...SUMMED_GREEKS, iv: nullable(NUMBER) })),
      }),
    ),
  },
  PositionExpired: {
    doc: 'A position was paid out at its settlement.',
    payload: typed('PositionExpired', {
      wallet_address: ADDRESS, symbol: TEXT, position_size: DECIMAL, settlement_price: DECIMAL, settlement_value: DECIMAL,
      settlement_entry_price: AMOUNT, cost_basis: AMOUNT, net_pnl: AMOUNT, ...STREAMED,
    }),
  },
  LiquidationStateChange: {
    doc: 'The account has come into another state of its liquidation.',
    payload: typed('LiquidationStateChange', {
      wallet_address: ADDRESS, previous_state: LIQUIDATION_STATE, new_state: LIQUIDATION_STATE,
      liquidation_mode: nullable(oneOf('partial', 'full')), margin_mode: MARGIN_MODE, equity: TOLD, mm_required: TOLD,
      maintenance_margin: described(AMOUNT, `Equity beyond the requirement. ${UNTOLD}`), shortfall: TOLD,
      partial_liquidation: nullable(record({ entered_at: MILLIS, target_equity: TOLD, mm_shortfall: TOLD, escalation_deadline: MILLIS })),
      full_liquidation: nullable(record({ liquidated_at: MILLIS, winner: nullable(ADDRESS), bonus: AMOUNT })), ...STREAMED,
    }),
  },
} as const satisfies Readonly<Record<string, Message>>;

function competition<const T extends string, R extends Fields>(type: T, fields: R) {
  return typed(type, { wallet_address: ADDRESS, ...fields, ...STREAMED });
}

const PLACE = { competition_id: ID, rank: ID };
const FINAL = { ...PLACE, ...SCORES, medal: MEDAL };
const COMPETITION = {
  CompetitionUpdate: { doc: 'How the wallet stands.', payload: competition('CompetitionUpdate', { ...PLACE, ...SCORES }) },
  CompetitionRankChange: {
    doc: 'It has another rank than it was told last.',
    payload: competition('CompetitionRankChange', {
      competition_id: ID, from_rank: ID, to_rank: ID, delta_places: described(INTEGER, 'Places won; negative: lost.'), pnl: DECIMAL,
    }),
  },
  CompetitionGapUpdate: {
    doc: 'What it lacks to the rank before it, in what the competition is won by.',
    payload: competition('CompetitionGapUpdate', { ...PLACE, next_rank: nullable(ID), gap_metric_value: AMOUNT }),
  },
  CompetitionPnlSummary: {
    doc: 'What the wallet has realised in all, and how it stands.',
    payload: competition('CompetitionPnlSummary', { lifetime_realized_pnl: DECIMAL, active_competition: nullable(STANDING) }),
  },
  CompetitionFinalStats: { doc: 'How the competition has ended for the wallet.', payload: competition('CompetitionFinalStats', FINAL) },
  CompetitionFinalStanding: {
    doc: 'The same, as what holds from now on.', payload: competition('CompetitionFinalStanding', FINAL),
  },
} as const satisfies Readonly<Record<string, Message>>;

/** Messages by their type. */
export const MESSAGES = { ...CONTROL, ...MARKET_DATA, ...WALLET, ...COMPETITION } as const;
export type MessageType = keyof typeof MESSAGES;
/** A message of this type: `MessageNamed<'Fill'>`. */
export type MessageNamed<T extends MessageType> = Shape<(typeof MESSAGES)[T]['payload']>;

type PortfolioUpdate = MessageNamed<'PortfolioUpdate'>;
/** What a PortfolioUpdate of this `update_type` tells. */
export type PortfolioPart<T extends PortfolioUpdate['update_type']> = Omit<
  Extract<PortfolioUpdate, { readonly update_type: T }>, 'type' | 'update_type' | 'timestamp' | 'seq'
>;

type Row<C extends ChannelName> = Extract<(typeof CHANNELS)[number], { readonly name: C }>;
/** What a channel of the table sends; does not compile where a channel names a message that is not here. */
export type MessageIn<C extends ChannelName> = MessageNamed<Row<C>['messages'][number]>;
