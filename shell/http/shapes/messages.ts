// Messages of the socket by type. `seq` counts the messages of one stream without gaps, across restarts. Exceptions: in books it may
// jump; rows of the options chain that changed together share a number. Amounts of accounts and books are decimal strings.

import type { CHANNELS, ChannelKind } from '../../ipc/channels.ts';
import { LIQUIDATION_STATES } from '../../ipc/enum-names.ts';
import { ID_CHARS, MOST_ID } from '../limits.ts';
import {
  LEDGER_FIELDS, MARGIN_SUMMARY, MEDAL, OUT_OF_RANGE, PORTFOLIO_FIELDS, PORTFOLIO_OPTIONAL, SCORES, SPAN_MARGIN, STANDING, STREAM_AMOUNT,
  STREAMED_POSITION,
} from './account.ts';
import { CODES } from './error-codes.ts';
import { REFUSAL } from './error-bodies.ts';
import { FUNDING_FIELDS, PAYMENT_FIELDS, PERP_FIELDS } from './perps.ts';
import { CANDLE_FIELDS, CANDLE_OF_CONTRACT, CHAIN_ROW, SUMMED_GREEKS, VOL_INDEXES } from './markets.ts';
import {
  ADDRESS, BOOL, COUNT, DECIMAL, described, either, ID, INTEGER, list, MILLIS, named, NULL, NUMBER, nullable, oneOf, only, record, schemaOf,
  SECONDS, TEXT, type Decimal, type ObjectFields, type JsonSchema, type Shape,
} from './shape.ts';
import {
  BULK_RESULT, CANCEL_AFTER, CANCEL_ALL, CANCEL_ON_DISCONNECT, CANCEL_QUOTES, FILLED_IMMEDIATELY, MMP_TRIGGERED, ORDER_INFO, ORDER_STATE,
  ORDER_TERMS, QUOTED, REASON, REPLAYED, VOID_NONCES,
} from './trading.ts';
import { INSTRUMENT_TYPE, MARGIN_MODE, OPTION_TYPE, SIDE, TIF, TRADING_MODE } from './enums.ts';

export type MessageSchema = { readonly doc: string; readonly payload: JsonSchema };

const COMMAND_SEQ = { command_seq: described(COUNT, 'Of a node of a cluster: the answer has everything up to this command.') };
const SEQ = described(COUNT, 'Sequence number in the stream. It does not change when the venue restarts.');
const CONNECTION = schemaOf<string>({ type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Identifies this connection.' });
const LEVELS = list(schemaOf<readonly [price: Decimal, size: Decimal]>({
  type: 'array', items: DECIMAL, minItems: 2, maxItems: 2, description: '[price, size in contracts], best first',
}));
const AMOUNT = nullable(DECIMAL);

export const REQUEST_ID = schemaOf<number | string>({
  description: 'Returned in the answer.',
  anyOf: [{ ...INTEGER, minimum: -MOST_ID, maximum: MOST_ID }, { ...TEXT, minLength: 1, maxLength: ID_CHARS }],
});
const ANSWERED_ID = schemaOf<number | string | null>({ ...REQUEST_ID, anyOf: [INTEGER, TEXT, NULL] });

function typed<const T extends string, R extends ObjectFields, O extends ObjectFields = {}>(type: T, fields: R, optional?: O) {
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
    doc: 'You are subscribed. A snapshot follows, unless you were already subscribed. `seq` is the current number of the stream, if the '
      + 'channel has a single one.',
    payload: typed('Subscribed', { channel: TEXT }, { seq: SEQ, id: REQUEST_ID }),
  },
  Unsubscribed: {
    doc: 'No more messages follow from what you unsubscribed from, or from the channels of a wallet that you replaced by another.',
    payload: typed('Unsubscribed', { channel: TEXT }, { id: REQUEST_ID }),
  },
  Authenticated: {
    doc: 'The wallet that this connection now belongs to.', payload: typed('Authenticated', { wallet: ADDRESS }, { id: REQUEST_ID }),
  },
  Error: {
    doc: 'A message was refused, or a subscription failed. `id` is the id of the request. It is null if the request has none, or if no '
      + 'request failed but a subscription was lost.',
    payload: typed('Error', { code: oneOf(...CODES), message: TEXT, id: ANSWERED_ID }, REFUSAL),
  },
  OrderResult: {
    doc: 'The result of a request about one order. Results come in the order of the requests. What REST answers with an error is REJECTED '
      + 'here. An order from a source that has exceeded its requests per minute may be refused without being read: then `symbol` to `size` '
      + 'are missing.',
    payload: typed('OrderResult', {
      id: ANSWERED_ID, order_id: nullable(ID), status: oneOf('ACKED', 'REJECTED', 'CANCELED'), reason: REASON, ...ORDER_STATE,
      filled_size: FILLED_IMMEDIATELY,
    }, {
      symbol: TEXT, side: TEXT, price: TEXT, size: TEXT, timestamp: MILLIS, info: ORDER_INFO, wallet_address: ADDRESS,
      mmp_triggered: MMP_TRIGGERED, replayed: REPLAYED, error: described(TEXT, 'The error code that REST would answer with.'),
      ...COMMAND_SEQ, ...REFUSAL,
    }),
  },
  BulkOrderResult: {
    doc: 'The results of a bulk. `index` is the position of the item in the request.',
    payload: typed('BulkOrderResult', { id: ANSWERED_ID, results: list(BULK_RESULT) }, { ...COMMAND_SEQ, ...REFUSAL }),
  },
  QuoteResult: {
    doc: 'The result of a mass quote: the answer of REST. What REST answers with an error is REJECTED here.',
    payload: typed('QuoteResult', {
      id: ANSWERED_ID, ...QUOTED,
    }, { replayed: REPLAYED, error: described(TEXT, 'The error code that REST would answer with.'), ...COMMAND_SEQ, ...REFUSAL }),
  },
  ActionResult: {
    doc: 'The result of a request about the whole wallet: the answer of REST, with the type of the request in `action`.',
    payload: typed('ActionResult', {
      id: ANSWERED_ID, action: oneOf('CancelAll', 'CancelQuotes', 'VoidNonces', 'CancelAfter', 'SetCancelOnDisconnect'), success: BOOL,
      data: schemaOf<Shape<
        typeof CANCEL_ALL | typeof CANCEL_QUOTES | typeof VOID_NONCES | typeof CANCEL_AFTER | typeof CANCEL_ON_DISCONNECT
      > | null>({
        anyOf: [CANCEL_ALL, CANCEL_QUOTES, VOID_NONCES, CANCEL_AFTER, CANCEL_ON_DISCONNECT, NULL],
      }),
      error: nullable(TEXT),
    }, { message: TEXT, replayed: BOOL, ...COMMAND_SEQ, ...REFUSAL }),
  },
} as const satisfies Readonly<Record<string, MessageSchema>>;

const STREAMED = { timestamp: MILLIS, seq: SEQ };
const MARKET_CHANGE = { symbol: TEXT, ...STREAMED };
const CHAIN = { currency: TEXT, expiry: SECONDS, ...STREAMED };
const LAST_COMMAND = described(COUNT, 'Number of the last command. It ascends and skips.');
const MARKET_DATA = {
  OrderbookUpdate: {
    doc: 'The best 20 levels of a book.',
    payload: typed('OrderbookUpdate', { symbol: TEXT, option_token_address: nullable(ADDRESS), bids: LEVELS, asks: LEVELS, ...STREAMED }),
  },
  BookUpdate: {
    doc: 'A snapshot of a book, or the levels that changed since the previous message. Size "0" means that the level is gone.',
    payload: typed('BookUpdate', {
      is_snapshot: BOOL, symbol: TEXT, prev_seq: described(nullable(INTEGER), '`seq` of the previous message. Null in a snapshot.'),
      bids: LEVELS, asks: LEVELS,
      checksum: schemaOf<number>({
        type: 'integer', minimum: 0, maximum: 4_294_967_295,
        description: 'CRC-32 of the best 25 levels after this message, written as `bid price:bid size:ask price:ask size:...`, best level '
          + 'first. Missing levels are left out.',
      }),
      ...STREAMED,
    }),
  },
  Trade: {
    doc: 'A trade. `side` is the side of the taker.',
    payload: typed('Trade', { symbol: TEXT, price: DECIMAL, size: DECIMAL, side: oneOf('buy', 'sell'), trade_id: ID, ...STREAMED }, {
      maker_address: ADDRESS, taker_address: ADDRESS,
    }),
  },
  IndexPriceUpdate: {
    doc: 'Index prices.',
    payload: typed('IndexPriceUpdate', {
      prices: list(record({ underlying: TEXT, price: DECIMAL, timestamp: MILLIS })), ...STREAMED,
    }),
  },
  FundingUpdate: {
    doc: 'Funding of a perp.', payload: typed('FundingUpdate', { ...FUNDING_FIELDS, timestamp: MILLIS, seq: LAST_COMMAND }),
  },
  PerpTickerUpdate: {
    doc: 'The state of a perp.', payload: typed('PerpTickerUpdate', { ...PERP_FIELDS, timestamp: MILLIS, seq: LAST_COMMAND }),
  },
  MarketUpdate: {
    doc: 'An option was listed, has expired or was deleted (`Deleted` has the symbol only), or the operator has set a trading mode. '
      + '`scope` is an underlying, a symbol, or empty for the venue. The strictest mode of venue, underlying and contract applies.',
    payload: either(
      typed('MarketUpdate', {
        action: oneOf('Created', 'Expired'), strike: DECIMAL, is_call: BOOL, underlying: TEXT, expiry: SECONDS, ...MARKET_CHANGE,
      }),
      typed('MarketUpdate', { action: only('Deleted'), ...MARKET_CHANGE }),
      typed('MarketUpdate', { action: only('TradingMode'), scope: TEXT, trading_mode: TRADING_MODE, ...STREAMED }),
    ),
  },
  OptionsChainUpdate: {
    doc: 'The new state of a row of the chain, or a contract that was removed.',
    payload: either(
      typed('OptionsChainUpdate', { action: only('Upsert'), row: CHAIN_ROW, ...CHAIN }),
      typed('OptionsChainUpdate', { action: only('Remove'), strike: NUMBER, option_type: OPTION_TYPE, symbol: TEXT, ...CHAIN }),
    ),
  },
  CandleUpdate: {
    doc: 'The current state of a candle. `instrument_name` and `price` with those of a contract.',
    payload: typed('CandleUpdate', { ...CANDLE_FIELDS, seq: SEQ }, CANDLE_OF_CONTRACT),
  },
  VolIndexUpdate: {
    doc: 'Volatility indexes of all underlyings. Null while an expiry that one needs is stale.',
    payload: typed('VolIndexUpdate', { indexes: VOL_INDEXES, ...STREAMED }),
  },
} as const satisfies Readonly<Record<string, MessageSchema>>;

function portfolioUpdate<const T extends string, R extends ObjectFields, O extends ObjectFields = {}>(type: T, fields: R, optional?: O) {
  return typed('PortfolioUpdate', { update_type: only(type), ...fields, ...STREAMED }, optional);
}

const LIQUIDATION_STATE = named('LiquidationState', oneOf(...LIQUIDATION_STATES));
const WALLET = {
  OrderUpdate: {
    doc: 'The new state of an order: ACKED when it is accepted, OPEN when it rests in the book, then each change. '
      + 'An order with a trigger: UNTRIGGERED while it waits, TRIGGERED when it fires, then as any other.',
    payload: typed('OrderUpdate', {
      order_id: nullable(ID),
      request: record({ price: DECIMAL, size: DECIMAL, symbol: TEXT, side: SIDE, tif: TIF, client_id: TEXT }, {
        ...ORDER_TERMS, reduce_only: described(only(true), 'The order only reduces a position.'),
      }),
      status: oneOf('ACKED', 'OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'REJECTED', 'UNTRIGGERED', 'TRIGGERED'),
      filled_size: described(DECIMAL, 'Size filled so far.'), reason: nullable(TEXT), wallet_address: ADDRESS,
      instrument_type: INSTRUMENT_TYPE, ...STREAMED,
    }),
  },
  QuotesUpdate: {
    doc: 'Quotes that one command changed, or all open ones in a snapshot. `size` is what rests now.',
    payload: typed('QuotesUpdate', {
      wallet_address: ADDRESS, is_snapshot: BOOL,
      quotes: list(record({
        quote_set: TEXT, symbol: TEXT, side: SIDE, status: oneOf('OPEN', 'REDUCED', 'REMOVED'), order_id: ID, price: DECIMAL, size: DECIMAL,
      })),
      ...STREAMED,
    }),
  },
  Fill: {
    doc: 'A fill of the wallet. It comes before the OrderUpdate that it causes. The `fee` of a liquidation order’s fill includes the '
      + 'liquidation fee.',
    payload: typed('Fill', {
      order_id: ID, fill_id: ID, symbol: TEXT, side: SIDE, price: DECIMAL, size: DECIMAL, wallet_address: ADDRESS, fee: DECIMAL,
      trade_id: ID, is_taker: BOOL, builder_code_address: nullable(ADDRESS), builder_code_fee: AMOUNT,
      instrument_type: INSTRUMENT_TYPE, ...STREAMED,
    }, { realized_pnl: described(DECIMAL, 'Profit that it realized.'), position: described(DECIMAL, 'Position after it.') }),
  },
  PortfolioUpdate: {
    doc: 'The new state of a part of the portfolio. `update_type` says which: first all of it, then a position, a funding payment, the '
      + 'balance, margin or greeks.',
    payload: either(
      portfolioUpdate('Initial', { ...PORTFOLIO_FIELDS, margin_summary: MARGIN_SUMMARY }, PORTFOLIO_OPTIONAL),
      portfolioUpdate('PositionUpdate', { position: STREAMED_POSITION }),
      portfolioUpdate('BalanceUpdate', {
        total_margin_used: STREAM_AMOUNT, available_balance: STREAM_AMOUNT, balance: described(DECIMAL, 'Cash.'),
      }),
      portfolioUpdate('MarginUpdate', {
        total_margin_used: STREAM_AMOUNT, available_balance: STREAM_AMOUNT, margin_mode: MARGIN_MODE,
        margin_summary: described(nullable(MARGIN_SUMMARY), OUT_OF_RANGE),
      }, { span_margin: described(nullable(SPAN_MARGIN), OUT_OF_RANGE) }),
      portfolioUpdate('FundingUpdate', PAYMENT_FIELDS),
      portfolioUpdate('GreeksUpdate', {
        per_leg: list(record({ symbol: TEXT, quantity: DECIMAL, ...SUMMED_GREEKS, iv: NUMBER })),
        aggregate: nullable(record({ ...SUMMED_GREEKS, iv: nullable(NUMBER) })),
      }),
    ),
  },
  PositionExpired: {
    doc: 'An option has expired and the position was settled in cash.',
    payload: typed('PositionExpired', {
      wallet_address: ADDRESS, symbol: TEXT, position_size: DECIMAL, settlement_price: DECIMAL, settlement_value: DECIMAL,
      settlement_entry_price: AMOUNT, cost_basis: AMOUNT, net_pnl: AMOUNT, ...STREAMED,
    }),
  },
  LedgerUpdate: {
    doc: 'A movement of the wallet’s cash, as in GET /ledger.', payload: typed('LedgerUpdate', { ...LEDGER_FIELDS, ...STREAMED }),
  },
  LiquidationStateChange: {
    doc: 'The liquidation state of the account changed.',
    payload: typed('LiquidationStateChange', {
      wallet_address: ADDRESS, previous_state: LIQUIDATION_STATE, new_state: LIQUIDATION_STATE,
      liquidation_mode: nullable(oneOf('partial', 'full')), margin_mode: MARGIN_MODE, equity: STREAM_AMOUNT, mm_required: STREAM_AMOUNT,
      maintenance_margin: described(AMOUNT, `Equity minus the maintenance requirement. ${OUT_OF_RANGE}`), shortfall: STREAM_AMOUNT,
      partial_liquidation: nullable(record({
        entered_at: MILLIS, target_equity: STREAM_AMOUNT, mm_shortfall: STREAM_AMOUNT, escalation_deadline: MILLIS,
      })),
      full_liquidation: nullable(record({ liquidated_at: MILLIS, winner: nullable(ADDRESS), bonus: AMOUNT })), ...STREAMED,
    }),
  },
} as const satisfies Readonly<Record<string, MessageSchema>>;

function competition<const T extends string, R extends ObjectFields>(type: T, fields: R) {
  return typed(type, { wallet_address: ADDRESS, ...fields, ...STREAMED });
}

const PLACE = { competition_id: ID, rank: ID };
const FINAL = { ...PLACE, ...SCORES, medal: MEDAL };
const COMPETITION = {
  CompetitionUpdate: { doc: 'Rank and score of the wallet.', payload: competition('CompetitionUpdate', { ...PLACE, ...SCORES }) },
  CompetitionRankChange: {
    doc: 'The rank of the wallet changed since the last message.',
    payload: competition('CompetitionRankChange', {
      competition_id: ID, from_rank: ID, to_rank: ID, delta_places: described(INTEGER, 'Places gained; negative: lost.'), pnl: DECIMAL,
    }),
  },
  CompetitionGapUpdate: {
    doc: 'The distance to the next better rank, in the competition’s primary win condition.',
    payload: competition('CompetitionGapUpdate', { ...PLACE, next_rank: nullable(ID), gap_metric_value: AMOUNT }),
  },
  CompetitionPnlSummary: {
    doc: 'Lifetime realised profit of the wallet, and its rank in the active competition.',
    payload: competition('CompetitionPnlSummary', { lifetime_realized_pnl: DECIMAL, active_competition: nullable(STANDING) }),
  },
  CompetitionFinalStats: {
    doc: 'The final rank and scores of the wallet when the competition ends.', payload: competition('CompetitionFinalStats', FINAL),
  },
  CompetitionFinalStanding: {
    doc: 'The same values once more, as the permanent result.', payload: competition('CompetitionFinalStanding', FINAL),
  },
} as const satisfies Readonly<Record<string, MessageSchema>>;

export const MESSAGES = { ...CONTROL, ...MARKET_DATA, ...WALLET, ...COMPETITION } as const;
export type MessageType = keyof typeof MESSAGES;
export type MessageNamed<T extends MessageType> = Shape<(typeof MESSAGES)[T]['payload']>;

type PortfolioUpdate = MessageNamed<'PortfolioUpdate'>;
export type PortfolioPart<T extends PortfolioUpdate['update_type']> = Omit<
  Extract<PortfolioUpdate, { readonly update_type: T }>, 'type' | 'update_type' | 'timestamp' | 'seq'
>;

type Row<C extends ChannelKind> = Extract<(typeof CHANNELS)[number], { readonly name: C }>;
export type MessageIn<C extends ChannelKind> = MessageNamed<Row<C>['messages'][number]>;
