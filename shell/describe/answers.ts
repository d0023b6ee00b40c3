// What each row of the route table answers with status 200, by method and path, and what the table itself does not know:
// refusals of its own. A row without an entry here fails a test.

import {
  ADDRESS, ANY_OBJECT, BOOL, DECIMAL, INTEGER, list, MILLIS, NUMBER, nullable, oneOf, record, ref, SECONDS, TEXT, type Json,
} from '../http/json-schema.ts';
import { MARGIN_MODES, SIDES } from '../ipc/enum-names.ts';

export type Answer = {
  /** The schema of the body; null: the body is empty. */
  readonly body: Json | null;
  /** Media types besides JSON that `Accept` may ask for. */
  readonly exports?: true;
  /** What an item of the body's list is: the body of another row, or a schema. */
  readonly items?: string | Json;
  /** Statuses beyond those that every row of its kind has. */
  readonly also?: readonly number[];
  /** Statuses that come as {success, data, error}, though the row's other answers do not. */
  readonly wrapped?: readonly number[];
  /** Who may ask, where the row does not say it. */
  readonly security?: readonly Json[];
  /** Another path has taken its place. */
  readonly isOld?: true;
  /** The answer is no JSON. */
  readonly media?: string;
};

const paged = (items: Json): Json => record({ success: BOOL, data: list(items), pagination: ref('Pagination') });
const listed = (items: Json): Json => record({ success: BOOL, data: list(items) });
const wrapped = (data: Json): Json => record({ success: BOOL, data }, { error: nullable(TEXT) });
const apiResponse = (data: Json): Json => record({ success: BOOL, data: nullable(data), error: nullable(TEXT) });
const DONE = record({ success: BOOL }, { error: nullable(TEXT) });
const BULK = record({ results: list(ref('BulkOrderResult')) });
const CANCELLED = record({ success: BOOL, data: nullable(ref('OrderUpdateMessage')) }, { error: nullable(TEXT) });
const CHANGED_MARKET = record({
  success: BOOL, message: TEXT,
  data: record({
    market: record({ symbol: TEXT, underlying: TEXT, expiry: SECONDS, strike: DECIMAL, option_type: oneOf('call', 'put') }),
    status: oneOf('MARKET_CREATED', 'MARKET_DELETED'), timestamp: MILLIS,
  }),
});

const AGENTS: Readonly<Record<string, Answer>> = {
  'POST /approve-agent': { body: DONE },
  'POST /revoke-agent': { body: DONE },
  'DELETE /revoke-agent': { body: DONE },
  'DELETE /revoke-all-agents': { body: DONE },
  'GET /authorized-agents': { body: record({ agents: list(ADDRESS) }) },
};

const TRADING: Readonly<Record<string, Answer>> = {
  'POST /order': { body: ref('OrderUpdateMessage') },
  'PUT /order': { body: ref('OrderUpdateMessage') },
  'DELETE /order': { body: CANCELLED },
  'DELETE /order_cloid': { body: CANCELLED },
  'POST /cancel': { body: ref('OrderUpdateMessage') },
  'POST /cancel-by-cloid': { body: ref('OrderUpdateMessage') },
  'POST /cancel-all': { body: apiResponse(ref('CancelAllData')) },
  'POST /void-nonces': { body: apiResponse(ref('VoidNoncesData')) },
  'POST /cancel-after': { body: apiResponse(ref('CancelAfterData')) },
  'GET /cancel-after': { body: apiResponse(ref('CancelAfterData')) },
  'POST /cancel-on-disconnect': { body: apiResponse(ref('CancelOnDisconnectData')) },
  'GET /cancel-on-disconnect': { body: apiResponse(ref('CancelOnDisconnectData')) },
  'POST /bulk_order': { body: BULK, items: 'POST /order' },
  'PUT /bulk_order': { body: BULK, items: 'PUT /order' },
  'DELETE /bulk_order': { body: BULK, items: 'POST /cancel' },
  'DELETE /bulk_order_cloid': { body: BULK, items: 'POST /cancel-by-cloid' },
  'POST /limit_iv': {
    body: apiResponse(record({
      symbol: TEXT, iv: NUMBER, limit_price: DECIMAL, theoretical_price: NUMBER, underlying_price: NUMBER, timestamp: MILLIS,
    }, { side: oneOf(...SIDES) })),
  },
  'GET /orders': { body: paged(ref('Order')), exports: true, also: [409] },
  'GET /orders/status': { body: wrapped(nullable(ref('Order'))) },
  'GET /trades': { body: paged(ref('Trade')), exports: true, also: [409] },
  'GET /trades/{trade_id}': { body: wrapped(ref('Trade')), also: [404] },
};

const MARKETS: Readonly<Record<string, Answer>> = {
  'GET /instruments': { body: list(ref('InstrumentResponse')) },
  'GET /markets': { body: listed(ref('Market')) },
  'POST /markets': { body: CHANGED_MARKET, also: [409] },
  'DELETE /markets': { body: CHANGED_MARKET, also: [404, 409] },
  'GET /orderbook': { body: ref('OrderBookResponse'), also: [404] },
  'GET /expiry-summary': { body: list(ref('InstrumentWithOrderbook')) },
  'GET /options-chain': { body: ref('OptionsChainSnapshotResponse') },
  'GET /options-summary': { body: list(ref('OptionSummary')) },
  'GET /greeks': { body: apiResponse(ref('Greeks')), also: [404] },
  'GET /candles': {
    body: apiResponse(record({ underlying: TEXT, resolution: ref('CandleResolution'), candles: list(ref('Candle')) })), also: [502],
  },
  'GET /historical-theos': {
    body: apiResponse(record({
      instrument_name: TEXT, interval: ref('HistoricalTheoInterval'),
      points: list(record({ timestamp: MILLIS, theoretical_price: NUMBER })),
    })),
    also: [404],
  },
  'GET /gas-provider/{chain_id}': { body: ref('GasProviderResponse'), also: [404] },
  'GET /exchange-info': {
    body: record({
      exchange_address: ADDRESS, chain_id: INTEGER, signing_domain: record({ name: TEXT, version: TEXT }),
      perp_signing_domain: record({ name: TEXT, version: TEXT, chain_id: INTEGER }), perp_source: TEXT, venue_id: TEXT, head_seq: INTEGER,
      head_hash: TEXT, perp_assets: list(record({ underlying: TEXT, symbol: TEXT, asset: INTEGER })),
    }),
  },
};

const ACCOUNT: Readonly<Record<string, Answer>> = {
  'GET /portfolio': { body: ref('Portfolio'), wrapped: [503] },
  'GET /portfolio/greeks': {
    body: apiResponse(record({
      wallet_address: ADDRESS,
      per_leg: list(record({
        symbol: TEXT, quantity: DECIMAL, delta: NUMBER, gamma: NUMBER, theta: NUMBER, vega: NUMBER, iv: nullable(NUMBER),
      }, { rho: NUMBER })),
    }, {
      aggregate: record({ delta: NUMBER, gamma: NUMBER, theta: NUMBER, vega: NUMBER }, { iv: nullable(NUMBER), rho: NUMBER }),
    })),
  },
  'GET /fills': { body: paged(ref('Fill')), exports: true, also: [409] },
  'GET /historical-pnl': { body: apiResponse(record({
    wallet_address: ADDRESS, interval: ref('HistoricalPnlInterval'), points: list(ref('EquityPoint')),
  })) },
  'GET /settlement-payouts': {
    body: record({ success: BOOL, data: list(ref('SettlementPayout')), pagination: ref('Pagination') }, { error: nullable(TEXT) }),
  },
  'POST /settlement-payouts/seen': {
    body: record({ success: BOOL, requested: INTEGER, affected: INTEGER }, { error: nullable(TEXT) }),
  },
  'POST /margin-mode': {
    body: apiResponse(record({ wallet: ADDRESS, margin_mode: oneOf(...MARGIN_MODES), previous_mode: oneOf(...MARGIN_MODES) })),
  },
  'GET /profile': { body: wrapped(ref('ProfileData')) },
  'GET /profile/trades': { body: paged(ref('Fill')) },
  'POST /profile/username-request': { body: apiResponse(ref('UsernameRequest')), also: [409] },
  'GET /username': { body: wrapped(ref('Username')), also: [404] },
  'POST /username': { body: wrapped(ref('Username')), also: [409] },
  'GET /user-tier': { body: wrapped(ref('UserTier')) },
  'POST /user-tier': { body: wrapped(ref('UserTier')), also: [404] },
};

const PROTECTION: Readonly<Record<string, Answer>> = {
  'GET /mmp/config': { body: listed(ref('MmpConfigData')) },
  'POST /mmp/config': { body: ref('MmpConfigData') },
  'DELETE /mmp/config': { body: null },
  'POST /mmp/reset': { body: null },
  'POST /mmp-config': { body: ref('MmpConfigData'), isOld: true },
  'DELETE /mmp-config': { body: null, isOld: true },
  'POST /mmp-config/reset': { body: null, isOld: true },
};

const RISK: Readonly<Record<string, Answer>> = {
  'GET /risk/grid': { body: apiResponse(ref('RiskGrid')) },
  'POST /risk/simulate/portfolio': {
    body: apiResponse(ref('RiskGrid')), items: record({ symbol: TEXT, amount: DECIMAL }, { entry_price: DECIMAL }),
  },
  'POST /risk/simulate/orders': {
    body: apiResponse(record({ before: ref('RiskGrid'), after: ref('RiskGrid'), filled: ref('RiskGrid') })),
    items: record({ symbol: TEXT, side: oneOf(...SIDES), size: DECIMAL }, { price: DECIMAL }),
  },
};

const COMPETITIONS: Readonly<Record<string, Answer>> = {
  'GET /competitions': { body: paged(ref('Competition')) },
  'POST /competitions': { body: wrapped(ref('Competition')), items: ref('CompetitionSortByValue') },
  'GET /competitions/{id}': { body: wrapped(ref('Competition')), also: [404] },
  'GET /competitions/leaderboard': {
    body: record({
      success: BOOL, competition_id: INTEGER, sort_by: ref('CompetitionSortByValue'), sort_order: ref('CompetitionSortOrderValue'),
      data: list(ref('LeaderboardRow')),
      connected_user: nullable(ref('ConnectedUser')), pagination: ref('Pagination'),
    }),
    also: [404],
  },
};

const SERVICE: Readonly<Record<string, Answer>> = {
  'GET /health': { body: record({ status: { const: 'ok' } }) },
  'GET /ready': { body: ref('ReadyResponse') },
  // Without the token it is for loopback.
  'GET /metrics': { body: TEXT, media: 'text/plain', also: [401], security: [{}, { admin: [] }] },
  'GET /openapi.json': { body: ANY_OBJECT },
  'GET /asyncapi.json': { body: ANY_OBJECT },
  'GET /docs/socket': { body: TEXT, media: 'text/html' },
  'GET /docs': { body: TEXT, media: 'text/html' },
  'GET /': { body: TEXT, media: 'text/html' },
  'GET /docs/{file}': { body: TEXT, media: '*/*', also: [404] },
  'GET /admin/status': { body: wrapped(ref('VenueStatus')) },
  'POST /admin/index-price': { body: wrapped(record({ underlying: TEXT, price: TEXT, stale: BOOL })), also: [409] },
  'POST /admin/settlement-price': { body: wrapped(record({ underlying: TEXT, expiry: MILLIS, price: TEXT })), also: [409] },
  'POST /admin/vol-surface': {
    body: wrapped(record({ underlying: TEXT, atm_vol: NUMBER, skew: NUMBER, curvature: NUMBER }, { expiry: MILLIS })), also: [409],
  },
};

export const ANSWERS: Readonly<Record<string, Answer>> = {
  ...AGENTS, ...TRADING, ...MARKETS, ...ACCOUNT, ...PROTECTION, ...RISK, ...COMPETITIONS, ...SERVICE,
};
