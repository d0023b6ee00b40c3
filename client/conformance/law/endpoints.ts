// Every endpoint: who may ask, its query parameters with defaults and maxima, its statuses, and the fields of its 200.

import {
  api, BULK, CANDLES, COMPETITION, EQUITY, EXCHANGE_INFO, FILL, GAS, GREEKS_OF, INSTRUMENT, LEADERBOARD, LIMIT_IV, list, MARKET, MMP,
  MMP_STATE,
  OPTION_SUMMARY, OPTIONS_CHAIN, ORDER, ORDER_BOOK, ORDER_UPDATE, paged, PAYOUT, PORTFOLIO, PORTFOLIO_GREEKS, PROFILE, READY, RISK_GRID,
  THEOS, TIER, TRADE, USERNAME, USERNAME_REQUEST, type Shape,
} from './shapes.ts';
import { doubled, type Shown } from './shown.ts';

/** A parameter without a default is required or optional; `values` are all that it takes. */
export type Parameter = {
  readonly required?: true; readonly default?: string | number | boolean; readonly max?: number; readonly values?: readonly string[];
};

export type Endpoint = {
  readonly section: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** `sig`: signed. `wallet`: an unverified wallet in the query. `admin`: the operator's token. */
  readonly auth: 'sig' | 'wallet' | 'none' | 'admin';
  readonly query: { readonly [name: string]: Parameter };
  /** All but 200, and 429, 500 and 503, which every endpoint has. */
  readonly statuses: readonly number[];
  /** Of the 200; '' for one without a body. */
  readonly shape: Shape;
  /** Where its 200 is shown when the venue of the report cannot give one. */
  readonly shown?: Shown;
};

type Row = readonly [
  what: `${Endpoint['method']} ${string}`, auth: Endpoint['auth'], query: Endpoint['query'], statuses: readonly number[], shape: Shape,
  shown?: Shown,
];

const required = { required: true } as const;
const optional = {} as const;
const offset = { default: 0 } as const;
const limit = (standard: number, max: number) => ({ default: standard, max });
const interval = { required: true, values: ['5m', '1h', '1d'] } as const;
const wrapped = api(ORDER_UPDATE);

function section(name: string, rows: readonly Row[]): Endpoint[] {
  return rows.map(([what, auth, query, statuses, shape, shown]) => {
    const [method, path] = what.split(' ') as [Endpoint['method'], string];
    return { section: name, method, path, auth, query, statuses, shape, ...(shown && { shown }) };
  });
}

const AGENT = { success: 'true', error: 'null' } as const;

const AGENTS = section('Agents', [
  ['POST /approve-agent', 'sig', {}, [400, 403], AGENT],
  ['POST /revoke-agent', 'sig', {}, [400, 403], AGENT],
  ['DELETE /revoke-agent', 'sig', {}, [400, 403], AGENT],
  ['DELETE /revoke-all-agents', 'sig', {}, [400, 403], AGENT],
  ['GET /authorized-agents', 'wallet', { wallet: required }, [400], { agents: ['addr'] }],
]);

const SWITCH = { wallet_address: 'addr', timeout_ms: 'int', cancel_at: 'int?' } as const;
const ON_DISCONNECT = { wallet_address: 'addr', enabled: 'bool', grace_ms: 'int', connection: 'str', cancel_at: 'int?' } as const;

const TRADING = section('Trading', [
  ['POST /order', 'sig', {}, [400, 401, 403], ORDER_UPDATE],
  ['PUT /order', 'sig', {}, [400, 401, 403], ORDER_UPDATE],
  ['POST /amend', 'sig', {}, [400, 401, 403], ORDER_UPDATE],
  ['DELETE /order', 'sig', {}, [400, 401, 403], wrapped],
  ['DELETE /order_cloid', 'sig', {}, [400, 401, 403], wrapped],
  ['POST /cancel', 'sig', {}, [400, 401, 403], ORDER_UPDATE],
  ['POST /cancel-by-cloid', 'sig', {}, [400, 401, 403], ORDER_UPDATE],
  ['POST /cancel-all', 'sig', {}, [400, 401, 403], api({ wallet_address: 'addr', scope: 'str', cancelled: 'int', pending: 'bool' })],
  ['POST /void-nonces', 'sig', {}, [400, 401, 403], api({ wallet_address: 'addr', up_to: 'int' })],
  ['POST /cancel-after', 'sig', {}, [400, 401, 403], api(SWITCH)],
  ['GET /cancel-after', 'wallet', { wallet: required }, [400], api(SWITCH)],
  ['POST /cancel-on-disconnect', 'sig', {}, [400, 401, 403], api(ON_DISCONNECT)],
  ['GET /cancel-on-disconnect', 'wallet', { wallet: required }, [400], api(ON_DISCONNECT)],
  ['POST /bulk_order', 'sig', {}, [400, 401], BULK],
  ['PUT /bulk_order', 'sig', {}, [400, 401], BULK],
  ['PUT /bulk_amend', 'sig', {}, [400, 401], BULK],
  ['DELETE /bulk_order', 'sig', {}, [400, 401], BULK],
  ['DELETE /bulk_order_cloid', 'sig', {}, [400, 401], BULK],
  ['POST /limit_iv', 'none', {}, [400], api(LIMIT_IV)],
  ['GET /orders', 'wallet', { wallet: required, status: optional, limit: limit(50, 50), offset }, [400, 409], paged(ORDER)],
  ['GET /orders/status', 'wallet', { wallet: required, order_id: required }, [400], { success: 'true', data: ORDER }],
  ['GET /trades/{trade_id}', 'none', {}, [400, 404], { success: 'true', data: TRADE }],
  ['GET /trades', 'none', { limit: limit(100, 1_000), offset, symbol: optional, underlying: optional }, [400, 409], paged(TRADE)],
]);

const MARKETS = section('Markets', [
  ['GET /instruments', 'none', { currency: { default: 'BTC' }, _kind: optional, status: { default: 'ACTIVE' } }, [400], [INSTRUMENT]],
  ['GET /markets', 'none', { include_instruments: { default: true } }, [400], list(MARKET)],
  [
    'GET /orderbook', 'none', { instrument_id: optional, instrument_name: optional, depth: { default: 20, max: 500 } }, [400, 404],
    ORDER_BOOK,
  ],
  [
    'GET /expiry-summary', 'none', { currency: required, expiry: required, depth: { default: 20, max: 500 } }, [400],
    [{ instrument: INSTRUMENT, orderbook: ORDER_BOOK }],
  ],
  [
    'GET /options-chain', 'none',
    {
      currency: required, expiry: required, option_type: { default: 'both', values: ['call', 'put', 'both'] },
      side: { default: 'both', values: ['buy', 'sell', 'both'] },
    }, [400], OPTIONS_CHAIN,
  ],
  ['GET /options-summary', 'none', { currency: optional, kind: optional }, [400], [OPTION_SUMMARY]],
  ['GET /greeks', 'none', { symbol: required }, [400, 404], api(GREEKS_OF)],
  [
    'GET /candles', 'none',
    {
      underlying: optional, instrument_name: optional, resolution: { required: true, values: ['1m', '5m', '15m', '1h', '4h', '1d'] },
      start_time_ms: required, end_time_ms: required,
    }, [400, 502], api(CANDLES),
  ],
  ['GET /historical-theos', 'none', { instrument_name: required, interval, limit: limit(100, 100) }, [400, 404], api(THEOS)],
  [
    'GET /gas-provider/{chain_id}', 'none', {}, [400, 404], GAS,
    doubled(
      'e2e/rest/gas', 'a venue with a node answers for its chain only, in wei, and reports when the node fails',
      'the node of a chain, played by the test: there is none here, and it has to fail on demand',
    ),
  ],
  ['GET /exchange-info', 'none', {}, [400], EXCHANGE_INFO],
  ['POST /markets', 'admin', {}, [400, 401, 409], { success: 'true', message: 'str', data: 'any' }],
  ['DELETE /markets', 'admin', {}, [400, 401, 404, 409], { success: 'true', message: 'str', data: 'any' }],
]);

const PORTFOLIO_ROWS = section('Portfolio and account', [
  ['GET /portfolio', 'wallet', { wallet: required }, [400, 503], PORTFOLIO],
  ['GET /portfolio/greeks', 'wallet', { wallet: required, simulated_orders: optional }, [400], api(PORTFOLIO_GREEKS)],
  ['GET /fills', 'wallet', { wallet: required, limit: limit(100, 1_000), offset }, [400, 409], paged(FILL)],
  ['GET /historical-pnl', 'wallet', { wallet: required, interval, limit: limit(100, 100) }, [400], api(EQUITY)],
  [
    'GET /settlement-payouts', 'wallet', { wallet: required, limit: limit(50, 100), offset, symbol: optional, ledger_applied: optional },
    [400], paged(PAYOUT, { 'error?': 'null' }),
  ],
  [
    'POST /settlement-payouts/seen', 'sig', { wallet: optional }, [400, 401, 403],
    { success: 'true', requested: 'int', affected: 'int', error: 'null' },
  ],
  [
    'POST /margin-mode', 'sig', {}, [400, 401, 403],
    api({ wallet: 'addr', margin_mode: 'standard|portfolio', previous_mode: 'standard|portfolio' }),
  ],
  ['GET /profile', 'wallet', { wallet: required }, [400], { success: 'true', data: PROFILE }],
  [
    'GET /profile/trades', 'wallet',
    { wallet: required, limit: optional, offset: optional, competition_id: optional, from_ts_ms: optional, to_ts_ms: optional }, [400],
    paged(FILL),
  ],
  ['POST /profile/username-request', 'sig', {}, [400, 401, 403, 409], api(USERNAME_REQUEST)],
  ['GET /username', 'none', { wallet: optional, username: optional }, [400, 404], api(USERNAME)],
  ['POST /username', 'sig', {}, [400, 401, 403, 409], api(USERNAME)],
]);

const MMP_ROWS = section('MMP', [
  ['GET /mmp/config', 'wallet', { wallet: required, currency: optional }, [400], list(MMP_STATE)],
  ['POST /mmp/config', 'sig', { wallet: optional }, [400, 401, 403], MMP],
  ['DELETE /mmp/config', 'sig', { wallet: optional }, [400, 401, 403], ''],
  ['POST /mmp/reset', 'sig', { wallet: optional }, [400, 401, 403], ''],
]);

const COMPETITIONS = section('Competitions', [
  [
    'GET /competitions', 'none',
    { state: optional, from_ts_ms: optional, to_ts_ms: optional, limit: optional, offset: optional }, [400], paged(COMPETITION),
  ],
  [
    'GET /competitions/leaderboard', 'none',
    {
      competition_id: required, sort_by: { values: ['pnl', 'volume', 'efficiency'] }, sort_order: { values: ['asc', 'desc'] },
      limit: optional, offset: optional, wallet: optional,
    }, [400, 404], LEADERBOARD,
  ],
  ['GET /competitions/{id}', 'none', {}, [400, 404], { success: 'true', data: COMPETITION }],
  ['POST /competitions', 'admin', {}, [400, 401], { success: 'true', data: COMPETITION }],
]);

const OTHERS = section('Tiers, risk, health', [
  ['GET /user-tier', 'wallet', { wallet: required }, [400], { success: 'true', data: TIER }],
  ['POST /user-tier', 'admin', {}, [400, 401, 403], { success: 'true', data: TIER }],
  ['GET /risk/grid', 'wallet', { wallet: required }, [400, 503], api(RISK_GRID)],
  ['POST /risk/simulate/portfolio', 'none', {}, [400], api(RISK_GRID)],
  ['POST /risk/simulate/orders', 'none', {}, [400], api({ before: RISK_GRID, after: RISK_GRID, filled: RISK_GRID })],
  ['GET /health', 'none', {}, [], { status: 'ok' }],
  ['GET /ready', 'none', {}, [503], READY],
]);

export const ENDPOINTS: readonly Endpoint[] = [
  ...AGENTS, ...TRADING, ...MARKETS, ...PORTFOLIO_ROWS, ...MMP_ROWS, ...COMPETITIONS, ...OTHERS,
];
