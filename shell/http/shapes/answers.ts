// For each route, its answer with status 200 and facts that the route table lacks. A test requires an entry for each
// row.

import {
  ACCOUNT_ROWS, CANCELLED_WALLET, COMPETITION, CONNECTED_USER, LEADERBOARD_ROW, LEDGER_ENTRY, MARGIN_MODE_CHANGED, MMP_CONFIG, MMP_STATE,
  PAYOUT, PAYOUTS_SEEN, PNL, PORTFOLIO, PORTFOLIO_GREEKS, PROFILE, RESTRICTED_WALLET, RISK_GRID, RISK_INPUTS, USER_TIER,
  USERNAME, USERNAME_REQUESTED,
} from './account.ts';
import { BACKUP_FILE, BACKUP_JOURNAL, BACKUP_STATUS } from './backup.ts';
import { DONE } from './error-bodies.ts';
import {
  CANDLES, CHANGED_MARKET, GAS, HALTED_MARKET, INSTRUMENT, INSTRUMENT_CANDLES, INSTRUMENT_WITH_BOOK, MARKET, OPTION_SUMMARY,
  OPTIONS_CHAIN, ORDER_BOOK, PAST_GREEKS, SYMBOL_GREEKS, THEOS, VOL_INDEX,
} from './markets.ts';
import {
  FUNDING, FUNDING_HOUR, FUNDING_PAYMENTS, INSURANCE_FUND, LIQUIDATION, OPEN_INTEREST, PERP, SETTLEMENT, VENUE_TIME,
} from './perps.ts';
import { CLUSTER, EXCHANGE_INFO, READY, VENUE_STATUS } from './service.ts';
import {
  ADDRESS, ANY_OBJECT, api, BOOL, DECIMAL, described, INTEGER, ISO, list, listed, MILLIS, named, NUMBER, nullable, one, only, PAGINATION,
  paged, record, TEXT, type Json, type JsonSchema, type Shape,
} from './shape.ts';
import { BULK_CANCELLED, BULK_PLACED, CANCEL_AFTER, CANCEL_ON_DISCONNECT, CANCELLED, CANCELLED_ALL, CANCELLED_QUOTES, FILL, LIMIT_IV,
  MASS_QUOTED, ORDER, ORDER_UPDATE, TRADE, VOID_NONCES } from './trading.ts';
import { ENUMS, SIDE } from './enums.ts';

export type RouteAnswer = {
  readonly body: JsonSchema | null;
  readonly request?: string;
  readonly exports?: true;
  readonly items?: 'POST /order' | 'PUT /order' | 'POST /amend' | 'POST /cancel' | 'POST /cancel-by-cloid' | JsonSchema;
  readonly also?: readonly number[];
  /** Statuses with the envelope {success, data, error}, which the row's other answers lack. */
  readonly wrapped?: readonly number[];
  readonly security?: readonly Json[];
  readonly isOld?: true;
  readonly media?: string;
};

const APPROVED = named('ApproveAgentResponse', DONE);
const REVOKED = named('RevokeAgentResponse', DONE);
export type AgentAnswer = Shape<typeof DONE>;

const AGENTS = {
  'POST /approve-agent': { request: 'ApproveAgentRequest', body: APPROVED },
  'POST /revoke-agent': { request: 'RevokeAgentRequest', body: REVOKED },
  'DELETE /revoke-agent': { request: 'RevokeAgentRequest', body: REVOKED },
  'DELETE /revoke-all-agents': { request: 'RevokeAllAgentsRequest', body: REVOKED },
  'GET /authorized-agents': { body: named('AuthorizedAgentsResponse', record({ agents: list(ADDRESS) })) },
} as const satisfies Readonly<Record<string, RouteAnswer>>;

const TRADING = {
  'POST /order': { request: 'PlaceOrderRequest', body: ORDER_UPDATE },
  'PUT /order': { request: 'ReplaceOrderRequest', body: ORDER_UPDATE },
  'POST /amend': { request: 'AmendOrderRequest', body: ORDER_UPDATE },
  'DELETE /order': { request: 'CancelOrderRequest', body: CANCELLED },
  'DELETE /order_cloid': { request: 'CancelOrderByCloidRequest', body: CANCELLED },
  'POST /cancel': { request: 'CancelOrderRequest', body: ORDER_UPDATE },
  'POST /cancel-by-cloid': { request: 'CancelOrderByCloidRequest', body: ORDER_UPDATE },
  'POST /cancel-all': { body: CANCELLED_ALL },
  'POST /mass-quote': { request: 'MassQuoteRequest', body: MASS_QUOTED },
  'POST /cancel-quotes': { body: CANCELLED_QUOTES },
  'POST /void-nonces': { body: api(VOID_NONCES) },
  'POST /cancel-after': { body: api(CANCEL_AFTER) },
  'GET /cancel-after': { body: api(CANCEL_AFTER) },
  'POST /cancel-on-disconnect': { body: api(CANCEL_ON_DISCONNECT) },
  'GET /cancel-on-disconnect': { body: api(CANCEL_ON_DISCONNECT) },
  'POST /bulk_order': { request: 'BulkPlaceOrderRequest', body: BULK_PLACED, items: 'POST /order' },
  'PUT /bulk_order': { request: 'BulkReplaceOrderRequest', body: BULK_PLACED, items: 'PUT /order' },
  'PUT /bulk_amend': { request: 'BulkAmendOrderRequest', body: BULK_PLACED, items: 'POST /amend' },
  'DELETE /bulk_order': { request: 'BulkCancelOrderRequest', body: BULK_CANCELLED, items: 'POST /cancel' },
  'DELETE /bulk_order_cloid': { request: 'BulkCancelOrderByCloidRequest', body: BULK_CANCELLED, items: 'POST /cancel-by-cloid' },
  'POST /limit_iv': { request: 'LimitIvRequest', body: LIMIT_IV },
  'GET /orders': { body: named('OrdersResponse', paged(ORDER)), exports: true, also: [409] },
  'GET /orders/status': { body: one(nullable(ORDER)) },
  'GET /trades': { body: named('TradesResponse', paged(TRADE)), exports: true, also: [409] },
  'GET /trades/{trade_id}': { body: one(TRADE), also: [404] },
} as const satisfies Readonly<Record<string, RouteAnswer>>;

const MARKETS = {
  'GET /instruments': { body: list(INSTRUMENT) },
  'GET /markets': { body: named('MarketsResponse', listed(MARKET)) },
  'POST /markets': { body: CHANGED_MARKET, also: [409] },
  'DELETE /markets': { body: CHANGED_MARKET, also: [404, 409] },
  'GET /orderbook': { body: ORDER_BOOK, also: [404] },
  'GET /expiry-summary': { body: list(INSTRUMENT_WITH_BOOK) },
  'GET /options-chain': { body: OPTIONS_CHAIN },
  'GET /options-summary': { body: list(OPTION_SUMMARY) },
  'GET /greeks': { body: SYMBOL_GREEKS, also: [404] },
  'GET /candles': { body: CANDLES, also: [502] },
  'GET /historical-theos': { body: THEOS, also: [404] },
  'GET /perps': { body: named('PerpsResponse', listed(PERP)) },
  'GET /funding': { body: FUNDING, also: [404] },
  'GET /funding/history': { body: named('FundingHistoryResponse', listed(FUNDING_HOUR)), also: [404] },
  'GET /funding/payments': { body: FUNDING_PAYMENTS, also: [404] },
  'GET /liquidations': { body: named('LiquidationsResponse', paged(LIQUIDATION)) },
  'GET /settlements': { body: named('SettlementsResponse', paged(SETTLEMENT)) },
  'GET /open-interest': { body: named('OpenInterestResponse', listed(OPEN_INTEREST)) },
  'GET /insurance-fund': { body: one(INSURANCE_FUND) },
  'GET /time': { body: VENUE_TIME },
  'GET /historical-greeks': { body: PAST_GREEKS, also: [404] },
  'GET /instrument-candles': { body: INSTRUMENT_CANDLES, also: [404] },
  'GET /vol-index': { body: VOL_INDEX },
  'GET /vol-index/candles': { body: CANDLES },
  'GET /gas-provider/{chain_id}': { body: GAS, also: [404] },
  'GET /exchange-info': { body: EXCHANGE_INFO },
} as const satisfies Readonly<Record<string, RouteAnswer>>;

const ACCOUNT = {
  'GET /portfolio': { body: PORTFOLIO, wrapped: [503] },
  'GET /portfolio/greeks': { body: PORTFOLIO_GREEKS },
  'GET /fills': { body: named('FillsResponse', paged(FILL)), exports: true, also: [409] },
  'GET /ledger': { body: named('LedgerResponse', paged(LEDGER_ENTRY)), exports: true, also: [409] },
  'GET /historical-pnl': { body: PNL },
  'GET /settlement-payouts': { body: named('SettlementPayoutsResponse', paged(PAYOUT)) },
  'POST /settlement-payouts/seen': { request: 'SettlementPayoutSeenRequest', body: PAYOUTS_SEEN },
  'POST /margin-mode': { request: 'SetMarginModeRequest', body: MARGIN_MODE_CHANGED },
  'GET /profile': { body: named('ProfileResponse', one(PROFILE)) },
  'GET /profile/trades': { body: named('ProfileTradesResponse', paged(FILL)) },
  'POST /profile/username-request': {
    request: 'UsernameChangeRequestSubmit', body: USERNAME_REQUESTED, also: [409],
  },
  'GET /username': { body: USERNAME, also: [404] },
  'POST /username': { request: 'SetUsernameRequest', body: USERNAME, also: [409] },
  'GET /user-tier': { body: USER_TIER },
  'POST /user-tier': { body: USER_TIER },
} as const satisfies Readonly<Record<string, RouteAnswer>>;

const MMP = {
  set: { request: 'SetMmpConfigRequest', body: MMP_CONFIG },
  delete: { request: 'DeleteMmpConfigRequest', body: null },
  reset: { request: 'ResetMmpRequest', body: null },
} as const;
const PROTECTION = {
  'GET /mmp/config': { body: named('MmpConfigResponse', listed(MMP_STATE)) },
  'POST /mmp/config': MMP.set,
  'DELETE /mmp/config': MMP.delete,
  'POST /mmp/reset': MMP.reset,
  'POST /mmp-config': { ...MMP.set, isOld: true },
  'DELETE /mmp-config': { ...MMP.delete, isOld: true },
  'POST /mmp-config/reset': { ...MMP.reset, isOld: true },
} as const satisfies Readonly<Record<string, RouteAnswer>>;

const RISK = {
  'GET /risk/grid': { body: api(RISK_GRID) },
  'GET /risk/inputs': { body: api(RISK_INPUTS) },
  'POST /risk/simulate/portfolio': { body: api(RISK_GRID), items: record({ symbol: TEXT, amount: DECIMAL }, { entry_price: DECIMAL }) },
  'POST /risk/simulate/orders': {
    body: api(record({ before: RISK_GRID, after: RISK_GRID, filled: RISK_GRID })),
    items: record({ symbol: TEXT, side: SIDE, size: DECIMAL }, { price: DECIMAL }),
  },
} as const satisfies Readonly<Record<string, RouteAnswer>>;

const LEADERBOARD = named('CompetitionLeaderboardResponse', record({
  success: BOOL, competition_id: INTEGER, sort_by: ENUMS.CompetitionSortByValue, sort_order: ENUMS.CompetitionSortOrderValue,
  data: list(LEADERBOARD_ROW), connected_user: nullable(CONNECTED_USER), pagination: PAGINATION,
}));
export type Leaderboard = Shape<typeof LEADERBOARD>;
const COMPETITIONS = {
  'GET /competitions': { body: named('CompetitionsResponse', paged(COMPETITION)) },
  'POST /competitions': { body: one(COMPETITION), items: ENUMS.CompetitionSortByValue },
  'GET /competitions/{id}': { body: named('CompetitionResponse', one(COMPETITION)), also: [404] },
  'GET /competitions/leaderboard': { body: LEADERBOARD, also: [404] },
} as const satisfies Readonly<Record<string, RouteAnswer>>;

const CREDIT_MADE = one(record({
  id: TEXT, wallet: ADDRESS, amount: DECIMAL, balance: described(DECIMAL, 'Cash after it.'), created_at: ISO,
}));
export type CreditAnswer = Shape<typeof CREDIT_MADE>;

const SERVICE = {
  'GET /health': { body: named('HealthResponse', record({ status: only('ok') })) },
  'GET /ready': { body: READY },
  'GET /cluster': { body: CLUSTER },
  'GET /metrics': { body: TEXT, media: 'text/plain', also: [401], security: [{}, { admin: [] }] },
  'GET /openapi.json': { body: ANY_OBJECT },
  'GET /asyncapi.json': { body: ANY_OBJECT },
  'GET /docs/socket': { body: TEXT, media: 'text/html' },
  'GET /docs': { body: TEXT, media: 'text/html' },
  'GET /docs/{file}': { body: TEXT, media: '*/*', also: [404] },
  'GET /': { body: TEXT, media: 'text/html' },
  'GET /assets/{file}': { body: TEXT, media: '*/*', also: [404] },
  'GET /admin/status': { body: one(VENUE_STATUS) },
  'POST /admin/halt': { body: one(HALTED_MARKET), also: [404] },
  'POST /admin/block': { body: one(RESTRICTED_WALLET), also: [404] },
  'POST /admin/cancel': { body: one(CANCELLED_WALLET), also: [404] },
  'GET /admin/accounts': { body: ACCOUNT_ROWS },
  'GET /admin/backup': { body: one(BACKUP_STATUS) },
  'POST /admin/backup': { body: one(BACKUP_STATUS) },
  'GET /admin/backup/file': { body: one(BACKUP_FILE), also: [404] },
  'GET /admin/backup/journal': { body: one(BACKUP_JOURNAL), also: [404] },
  'POST /admin/index-price': { body: one(record({ underlying: TEXT, price: TEXT, stale: BOOL })), also: [409] },
  'POST /admin/settlement-price': { body: one(record({ underlying: TEXT, expiry: MILLIS, price: TEXT })), also: [409] },
  'POST /admin/clock': { body: one(record({ time_ms: MILLIS })), also: [409] },
  'POST /admin/credit': { body: CREDIT_MADE, also: [404, 409] },
  'POST /admin/vol-surface': {
    body: one(record({ underlying: TEXT, atm_vol: NUMBER, skew: NUMBER, curvature: NUMBER }, { expiry: MILLIS })), also: [409],
  },
} as const satisfies Readonly<Record<string, RouteAnswer>>;

export const ANSWERS = { ...AGENTS, ...TRADING, ...MARKETS, ...ACCOUNT, ...PROTECTION, ...RISK, ...COMPETITIONS, ...SERVICE } as const;
type Bodies = { readonly [R in keyof typeof ANSWERS]: (typeof ANSWERS)[R]['body'] };
export type AnswerTo<R extends keyof Bodies> = Bodies[R] extends JsonSchema ? Shape<Bodies[R]> : null;
