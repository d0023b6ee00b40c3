// One example request per route, in an order that works on an unused venue: the descriptions show them, and a test
// sends them.

import { DAY } from '../../core/units.ts';
import type { Config } from '../process/config.ts';
import type { StructureName } from '../../core/codec/signed-commands.ts';
import { EXAMPLE_WALLET, type Body } from './signing.ts';

export type Example = {
  readonly row: string;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: Body;
  readonly signed?: StructureName;
  readonly status?: number;
};

/** `symbol`: a listed BTC call. `now`: ms. */
export type VenueFacts = { readonly symbol: string; readonly now: number; readonly feed: Config['feed'] };

const wallet = EXAMPLE_WALLET;
const AGENT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const UNLISTED_STRIKE = '123457';

export function examplesOf(facts: VenueFacts): readonly Example[] {
  const order = { wallet, symbol: facts.symbol, side: 'Buy', size: '0.5', price: '1000', tif: 'gtc' };
  return [
    ...operatorExamples(facts), ...orderExamples(order, facts.now), ...PEOPLE, ...accountReads(facts), ...marketReads(facts), ...SERVICE,
  ];
}

function dateOf(symbol: string): string {
  return symbol.split('-')[1]!.replace(/^(....)(..)(..)$/, '$1-$2-$3');
}

function operatorExamples({ symbol, now, feed }: VenueFacts): readonly Example[] {
  const unlisted = symbol.replace(/-[^-]+-C$/, `-${UNLISTED_STRIKE}-C`);
  const byHand = feed === 'manual' ? {} : { status: 409 };
  return [
    { row: 'GET /admin/status' },
    { row: 'GET /cluster' },
    { row: 'POST /admin/index-price', body: { underlying: 'BTC', price: '100000' }, ...byHand },
    { row: 'POST /admin/vol-surface', body: { underlying: 'BTC', atm_vol: '0.6' }, ...(feed === 'sim' && { status: 409 }) },
    { row: 'POST /admin/settlement-price', body: { underlying: 'BTC', expiry: dateOf(symbol), price: '98765.43' }, status: 409 },
    { row: 'POST /admin/clock', body: { by_ms: 60_000 }, status: 409 },
    { row: 'POST /admin/credit', body: { wallet, amount: '250.5', reason: 'compensation', id: 'ticket-1' }, status: 404 },
    { row: 'POST /admin/halt', body: { scope: 'ETH', mode: 'open' } },
    { row: 'POST /markets', body: { symbol: unlisted } },
    { row: 'DELETE /markets', body: { symbol: unlisted } },
    {
      row: 'POST /competitions',
      body: { name: 'A week', start_ts_ms: now + DAY, end_ts_ms: now + 8 * DAY, win_conditions: ['pnl'], primary_win_condition: 'pnl' },
    },
  ];
}

function orderExamples(order: Body, now: number): readonly Example[] {
  return [
    { row: 'POST /order', signed: 'PlaceOrder', body: { ...order, client_id: 'first', nonce: 1 } },
    { row: 'POST /user-tier', body: { wallet, tier: 'market_maker' } },
    { row: 'POST /admin/block', body: { wallet, mode: 'open' } },
    { row: 'GET /admin/accounts', query: { limit: 10 } },
    { row: 'POST /admin/backup', body: { action: 'begin' } },
    { row: 'GET /admin/backup' },
    { row: 'GET /admin/backup/journal', query: { from_seq: 1 } },
    { row: 'GET /admin/backup/file', query: { id: '0123456789abcdef', name: 'history.db', offset: 0 }, status: 404 },
    { row: 'PUT /order', signed: 'ReplaceOrder', body: { ...order, price: '1100', client_id: 'second', order_id: 1, nonce: 2 } },
    { row: 'POST /amend', signed: 'AmendOrder', body: { wallet, order_id: 2, size: '0.4', price: '1100', nonce: 30 } },
    { row: 'POST /cancel', signed: 'CancelOrder', body: { wallet, order_id: 2, nonce: 3 } },
    { row: 'POST /cancel-by-cloid', signed: 'CancelOrderByClientId', body: { wallet, client_id: 'second', nonce: 4 } },
    { row: 'POST /bulk_order', signed: 'PlaceOrder', body: { orders: [{ ...order, client_id: 'third', nonce: 5 }] } },
    {
      row: 'PUT /bulk_order', signed: 'ReplaceOrder',
      body: { replacements: [{ ...order, price: '1200', client_id: 'fourth', order_id: 3, nonce: 6 }] },
    },
    {
      row: 'PUT /bulk_amend', signed: 'AmendOrder',
      body: { amends: [{ wallet, order_id: 4, size: '0.6', price: '1250', valid_until: 9_000_000_000_000, nonce: 31 }] },
    },
    { row: 'DELETE /bulk_order', signed: 'CancelOrder', body: { cancels: [{ wallet, order_id: 4, nonce: 7 }] } },
    { row: 'DELETE /bulk_order_cloid', signed: 'CancelOrderByClientId', body: { cancels: [{ wallet, client_id: 'fourth', nonce: 8 }] } },
    { row: 'DELETE /order', signed: 'CancelOrder', body: { wallet, order_id: 4, nonce: 9 } },
    { row: 'DELETE /order_cloid', signed: 'CancelOrderByClientId', body: { wallet, client_id: 'fourth', nonce: 10 } },
    { row: 'POST /cancel-all', signed: 'CancelAll', body: { wallet, scope: 'BTC', nonce: 11 } },
    { row: 'POST /cancel-after', signed: 'CancelAfter', body: { wallet, timeout_ms: 60_000, nonce: 26 } },
    { row: 'GET /cancel-after', query: { wallet } },
    {
      row: 'POST /cancel-on-disconnect', signed: 'SetCancelOnDisconnect',
      body: { wallet, enabled: true, grace_ms: 5_000, connection: '', nonce: 27 },
    },
    { row: 'GET /cancel-on-disconnect', query: { wallet } },
    {
      row: 'POST /mass-quote', signed: 'MassQuote',
      body: {
        wallet, quote_set: 'main', valid_until: now + 50_000, crossing: 'reject', nonce: 40,
        quotes: `${String(order['symbol'])} 0.5 900 - -`,
      },
    },
    { row: 'POST /cancel-quotes', signed: 'CancelQuotes', body: { wallet, quote_set: 'main', scope: 'BTC', nonce: 41 } },
    { row: 'POST /void-nonces', signed: 'VoidNonces', body: { wallet, up_to: 11, nonce: 28 } },
    { row: 'POST /admin/cancel', body: { wallet } },
    { row: 'POST /limit_iv', body: { symbol: order['symbol'], iv: 0.55 } },
  ];
}

const PEOPLE: readonly Example[] = [
  { row: 'POST /approve-agent', signed: 'ApproveAgent', body: { agent: AGENT, nonce: 12, wallet } },
  { row: 'GET /authorized-agents', query: { wallet } },
  { row: 'POST /revoke-agent', signed: 'RevokeAgent', body: { agent: AGENT, nonce: 13, wallet } },
  { row: 'DELETE /revoke-agent', signed: 'RevokeAgent', body: { agent: AGENT, nonce: 14, wallet } },
  { row: 'DELETE /revoke-all-agents', signed: 'RevokeAllAgents', body: { nonce: 15, wallet } },
  { row: 'POST /margin-mode', signed: 'SetMarginMode', body: { wallet, margin_mode: 'portfolio', nonce: 16 } },
  {
    row: 'POST /mmp/config', signed: 'SetMmpConfig',
    body: { wallet, currency: 'BTC', interval_ms: 60_000, frozen_time_ms: 300_000, qty_limit: '10', nonce: 17 },
  },
  { row: 'GET /mmp/config', query: { wallet } },
  { row: 'POST /mmp/reset', signed: 'ResetMmp', body: { wallet, currency: 'BTC', nonce: 18 } },
  { row: 'DELETE /mmp/config', signed: 'DeleteMmpConfig', body: { wallet, currency: 'BTC', nonce: 19 } },
  {
    row: 'POST /mmp-config', signed: 'SetMmpConfig',
    body: { wallet, currency: 'BTC', interval_ms: 60_000, frozen_time_ms: 0, delta_limit: '5', nonce: 23 },
  },
  { row: 'POST /mmp-config/reset', signed: 'ResetMmp', body: { wallet, currency: 'BTC', nonce: 24 } },
  { row: 'DELETE /mmp-config', signed: 'DeleteMmpConfig', body: { wallet, currency: 'BTC', nonce: 25 } },
  { row: 'POST /username', signed: 'SetUsername', body: { wallet, username: 'alice', nonce: 20 } },
  {
    row: 'POST /profile/username-request', signed: 'SubmitUsernameRequest', body: { wallet, requested_username: 'alicia', nonce: 21 },
    status: 409,
  },
  { row: 'GET /username', query: { username: 'alice' } },
  { row: 'POST /settlement-payouts/seen', signed: 'SetSettlementPayoutSeen', body: { wallet, ids: [1], nonce: 22 } },
  { row: 'GET /user-tier', query: { wallet } },
];

function accountReads({ symbol }: VenueFacts): readonly Example[] {
  return [
    { row: 'GET /orders', query: { wallet, status: ['canceled'], limit: 10 } },
    { row: 'GET /orders/status', query: { wallet, order_id: 1 } },
    { row: 'GET /trades/{trade_id}', params: { trade_id: 1 }, status: 404 },
    { row: 'GET /trades', query: { underlying: 'BTC', limit: 10 } },
    { row: 'GET /fills', query: { wallet, limit: 10 } },
    { row: 'GET /ledger', query: { wallet, kind: 'opening' } },
    { row: 'GET /portfolio', query: { wallet } },
    { row: 'GET /portfolio/greeks', query: { wallet, simulated_orders: JSON.stringify([{ symbol, side: 'Buy', size: '1' }]) } },
    { row: 'GET /historical-pnl', query: { wallet, interval: '1h', limit: 24 } },
    { row: 'GET /settlement-payouts', query: { wallet } },
    { row: 'GET /profile', query: { wallet } },
    { row: 'GET /profile/trades', query: { wallet, limit: 10 } },
    { row: 'GET /risk/grid', query: { wallet } },
    { row: 'GET /risk/inputs', query: { wallet, symbols: symbol } },
    {
      row: 'POST /risk/simulate/portfolio',
      body: { balance: '1000000', positions: [{ symbol, amount: '-1' }], margin_mode: 'portfolio' },
    },
    { row: 'POST /risk/simulate/orders', body: { wallet, orders: [{ symbol, side: 'Sell', size: '1', price: '4000' }] } },
  ];
}

function marketReads({ symbol, now }: VenueFacts): readonly Example[] {
  const [date, day] = [dateOf(symbol), Math.floor(now / DAY) * DAY];
  return [
    { row: 'GET /instruments', query: { currency: 'BTC' } },
    { row: 'GET /markets', query: { include_instruments: false } },
    { row: 'GET /orderbook', query: { instrument_name: symbol, depth: 10 } },
    { row: 'GET /expiry-summary', query: { currency: 'BTC', expiry: date, depth: 5 } },
    { row: 'GET /options-chain', query: { currency: 'BTC', expiry: date, option_type: 'call' } },
    { row: 'GET /options-summary', query: { currency: 'BTC' } },
    { row: 'GET /greeks', query: { symbol } },
    { row: 'GET /candles', query: { underlying: 'BTC', resolution: '1m', start_time_ms: day, end_time_ms: day + DAY } },
    { row: 'GET /historical-theos', query: { instrument_name: symbol, interval: '5m' } },
    { row: 'GET /historical-greeks', query: { instrument_name: symbol, interval: '1h', limit: 24 } },
    {
      row: 'GET /instrument-candles',
      query: { instrument_name: symbol, resolution: '1h', start_time_ms: day, end_time_ms: day + DAY, price: 'mark' },
    },
    { row: 'GET /vol-index', query: { underlying: 'BTC' } },
    { row: 'GET /vol-index/candles', query: { underlying: 'BTC', resolution: '1m', start_time_ms: day, end_time_ms: day + DAY } },
    { row: 'GET /gas-provider/{chain_id}', params: { chain_id: 998 }, status: 404 },
    { row: 'GET /exchange-info' },
    { row: 'GET /perps' },
    { row: 'GET /funding', query: { symbol: 'BTC-PERP' } },
    { row: 'GET /funding/history', query: { symbol: 'BTC-PERP', limit: 24 } },
    { row: 'GET /funding/payments', query: { wallet, limit: 10 } },
    { row: 'GET /liquidations', query: { limit: 10 } },
    { row: 'GET /settlements', query: { underlying: 'BTC' } },
    { row: 'GET /open-interest', query: { underlying: 'BTC' } },
    { row: 'GET /insurance-fund' },
    { row: 'GET /time' },
    { row: 'GET /competitions', query: { state: 'pre' } },
    { row: 'GET /competitions/{id}', params: { id: 1 } },
    { row: 'GET /competitions/leaderboard', query: { competition_id: 1, wallet } },
  ];
}

const SERVICE: readonly Example[] = [
  { row: 'GET /health' },
  { row: 'GET /ready' },
  { row: 'GET /metrics' },
  { row: 'GET /openapi.json' },
  { row: 'GET /asyncapi.json' },
  { row: 'GET /docs/socket' },
  { row: 'GET /docs' },
  { row: 'GET /docs/{file}', params: { file: 'swagger-ui.css' } },
  { row: 'GET /' },
  { row: 'GET /assets/{file}', params: { file: 'page.js' }, status: 404 },
];
