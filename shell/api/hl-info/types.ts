// The requests of POST /hl/info by type: their fields, what the reader is asked, and the body made of its answers.

import type { ApiContext } from '../context.ts';
import type { Order, PlacedFill, Trade } from '../../http/shapes/trading.ts';
import type { Portfolio, TierAnswer } from '../../http/shapes/account.ts';
import { refuse, type Refused } from '../../http/errors.ts';
import type { FieldValues, Schema } from '../../http/fields.ts';
import type { FundingHour, FundingPayments, PerpBook, PerpMarket } from '../../http/shapes/perps.ts';
import { MAX_DEPTH, type NamedAgents, type QueryName, type QueryParameters, type SignerFacts } from '../../ipc/queries.ts';
import { assetData, clearinghouseState, feesOf, paymentOf, rateLimitOf } from './account.ts';
import {
  bookOf, CANDLE_INTERVALS, candlesOf, contextOf, fundingsOf, LEVELS, marginTable, metaOf, midsOf, pastFunding, SPOT_META, SPOT_STATE,
  tradeOf,
} from './market.ts';
import { fieldsOf, fillOf, frontendOrder, isPerp, openOrder, orderState } from './orders.ts';
import { symbolOf } from './texts.ts';

export type Question = { readonly [Q in QueryName]: readonly [query: Q, parameters: QueryParameters[Q]] }[QueryName];
type InfoContext = Pick<ApiContext, 'underlyings' | 'now'>;

type InfoType = {
  readonly fields: Schema;
  readonly questions: (fields: any, api: InfoContext) => readonly Question[] | Refused;
  readonly body: (answers: any, fields: any, api: InfoContext) => unknown;
};

type Typed<S extends Schema, A extends readonly unknown[]> = {
  readonly fields: S;
  readonly questions: (fields: FieldValues<S>, api: InfoContext) => readonly Question[] | Refused;
  readonly body: (answers: A, fields: FieldValues<S>, api: InfoContext) => unknown;
};

function info<const S extends Schema, A extends readonly unknown[]>(type: Typed<S, A>): InfoType {
  return type;
}

type Rows<T> = { readonly data: readonly T[] };
type Found<T> = { readonly data: T | null };

const COIN_BYTES = 32;
const NAME_BYTES = 64;
const MOST_ORDERS = 5_000;
const MOST_PAST = 2_000;
const MOST_HOURS = 500;
const MOST_TRADES = 10;
const MOST_CANDLES = 5_000;

const ignored = { kind: 'ignored', optional: true } as const;
const dex = ignored;
const user = { kind: 'address' } as const;
const coin = { kind: 'text', minBytes: 1, maxBytes: COIN_BYTES } as const;
const startTime = { kind: 'millis', min: 0 } as const;
const endTime = { kind: 'millis', min: 0, optional: true } as const;

const interval = { kind: 'choice', values: Object.keys(CANDLE_INTERVALS) } as const;

const MARKET: readonly Question[] = [['perpMarket', {}]];
const accountOf = (wallet: string): readonly Question[] => [['portfolio', { wallet }], ['perpMarket', { wallet }]];
const none = (): readonly Question[] => [];

function unknownCoin(name: string, { underlyings }: InfoContext): Refused | null {
  return underlyings.includes(name) ? null : refuse('invalid_parameter', `Unknown coin: ${name}`);
}

function fixed(body: unknown, fields: Schema = {}): InfoType {
  return info({ fields: { dex, ...fields }, questions: none, body: () => body });
}

function ofMarket(body: (market: PerpMarket) => unknown, fields: Schema = {}): InfoType {
  return info({ fields: { dex, ...fields }, questions: () => MARKET, body: ([market]: readonly [PerpMarket]) => body(market) });
}

function ofAccount(body: (portfolio: Portfolio, market: PerpMarket) => unknown): InfoType {
  return info({
    fields: { user, dex }, questions: ({ user: wallet }) => accountOf(wallet),
    body: ([portfolio, market]: readonly [Portfolio, PerpMarket]) => body(portfolio, market),
  });
}

function namelessAgent(agents: NamedAgents): object {
  const agent = agents.find(({ name }) => name === '');
  const until = agent === undefined || agent.expires === 0 ? null : agent.expires;
  return { agentAddress: agent?.address ?? null, agentValidUntil: until };
}

function openOrdersOf(wallet: string): Question {
  return ['orders', { wallet, status: ['working'], limit: MOST_ORDERS, offset: 0 }];
}

function ofOpenOrders(row: (order: Order) => object): InfoType {
  return info({
    fields: { user, dex }, questions: ({ user: wallet }) => [openOrdersOf(wallet)],
    body: ([{ data }]: readonly [Rows<Order>]) => data.filter(isPerp).map(row),
  });
}

const candleSnapshot = info({
  fields: { req: { kind: 'object', fields: { coin, interval, startTime, endTime } } },
  questions: ({ req: { coin: name, interval: length, startTime: start, endTime: end } }, api) => {
    const { from, startOf } = CANDLE_INTERVALS[length]!;
    const span = { instrument_name: symbolOf(name), price: 'trade', resolution: from, start: startOf(start) } as const;
    return unknownCoin(name, api) ?? [['instrumentCandles', { ...span, end: (end ?? api.now()) + 1 }]];
  },
  body: ([{ data }]: readonly [{ readonly data: { readonly candles: Parameters<typeof candlesOf>[2] } }], { req }) => (
    candlesOf(req.coin, req.interval, data.candles).slice(-MOST_CANDLES)
  ),
});

const l2Book = info({
  fields: {
    coin, nSigFigs: { kind: 'integer', min: 2, max: 5, optional: true }, mantissa: { kind: 'integer', min: 1, max: 5, optional: true },
  },
  questions: ({ coin: name, nSigFigs }, api) => (
    unknownCoin(name, api) === null
      ? [['perpBook', { underlying: name, depth: nSigFigs === undefined ? LEVELS : MAX_DEPTH }]] : []
  ),
  body: ([book]: readonly [PerpBook?], { coin: name, nSigFigs = null, mantissa = null }) => (
    book === undefined ? null : bookOf(name, book, { nSigFigs, mantissa })
  ),
});

const orderStatus = info({
  fields: { user, oid: { kind: 'ignored' } },
  questions: ({ user: wallet, oid }) => {
    const name = typeof oid === 'number' || typeof oid === 'string' ? String(oid) : '';
    const isName = name !== '' && Buffer.byteLength(name) <= NAME_BYTES;
    return isName ? [['orderStatus', { wallet, name }]] : refuse('invalid_parameter', 'oid must be an order id or a cloid');
  },
  body: ([{ data }]: readonly [Found<Order>]) => (
    data === null || !isPerp(data) ? { status: 'unknownOid' } : { status: 'order', order: orderState(data) }
  ),
});

export const INFO_TYPES: Readonly<Record<string, InfoType>> = {
  meta: ofMarket(metaOf),
  metaAndAssetCtxs: ofMarket((market) => [metaOf(market), market.perps.map(contextOf)]),
  allMids: ofMarket(midsOf),
  predictedFundings: ofMarket(fundingsOf),
  perpDexs: fixed([null]),
  spotMeta: fixed(SPOT_META),
  spotMetaAndAssetCtxs: fixed([SPOT_META, []]),
  marginTable: info({
    fields: { id: { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER }, dex }, questions: none,
    body: (_: readonly [], { id }) => marginTable(id),
  }),
  exchangeStatus: info({ fields: {}, questions: none, body: (_: readonly [], __, { now }) => ({ time: now(), specialStatuses: null }) }),
  l2Book, candleSnapshot, orderStatus,
  recentTrades: info({
    fields: { coin },
    questions: ({ coin: name }, api) => unknownCoin(name, api) ?? [['trades', { symbol: symbolOf(name), limit: MOST_TRADES, offset: 0 }]],
    body: ([{ data }]: readonly [Rows<Trade>]) => data.map((trade) => tradeOf(trade, trade.taker_side === 'Buy')),
  }),
  fundingHistory: info({
    fields: { coin, startTime, endTime },
    questions: ({ coin: name, startTime: start, endTime: end }, api) => (
      unknownCoin(name, api)
        ?? [['fundingHistory', { symbol: symbolOf(name), start, ...(end !== undefined && { end }), limit: MOST_HOURS, isOldest: true }]]
    ),
    body: ([{ data }]: readonly [Rows<FundingHour>], { coin: name }) => pastFunding(name, data),
  }),
  userFunding: info({
    fields: { user, startTime: { ...startTime, optional: true }, endTime },
    questions: ({ user: wallet, startTime: from = 0, endTime: to }) => (
      [['fundingPayments', { wallet, from, ...(to !== undefined && { to }), limit: MOST_HOURS, offset: 0, isOldest: true }]]
    ),
    body: ([{ data }]: readonly [FundingPayments]) => data.map(paymentOf),
  }),
  clearinghouseState: ofAccount((portfolio, market) => clearinghouseState({ portfolio, market })),
  activeAssetData: info({
    fields: { user, coin },
    questions: ({ user: wallet, coin: name }, api) => unknownCoin(name, api) ?? accountOf(wallet),
    body: ([portfolio, market]: readonly [Portfolio, PerpMarket], { user: wallet, coin: name }) => (
      assetData(wallet, name, { portfolio, market })
    ),
  }),
  webData2: info({
    fields: { user },
    questions: ({ user: wallet }) => [...accountOf(wallet), openOrdersOf(wallet), ['namedAgents', { wallet }]],
    body: ([portfolio, market, { data }, agents]: readonly [Portfolio, PerpMarket, Rows<Order>, NamedAgents], { user: wallet }) => ({
      clearinghouseState: clearinghouseState({ portfolio, market }), leadingVaults: [], totalVaultEquity: '0',
      openOrders: data.filter(isPerp).map((order) => frontendOrder(fieldsOf(order))), ...namelessAgent(agents),
      cumLedger: '0', meta: metaOf(market), assetCtxs: market.perps.map(contextOf), serverTime: market.time, isVault: false, user: wallet,
      twapStates: [], spotState: SPOT_STATE, spotAssetCtxs: [],
    }),
  }),
  spotClearinghouseState: fixed(SPOT_STATE, { user }),
  openOrders: ofOpenOrders((order) => openOrder(fieldsOf(order))),
  frontendOpenOrders: ofOpenOrders((order) => frontendOrder(fieldsOf(order))),
  historicalOrders: info({
    fields: { user }, questions: ({ user: wallet }) => [['orders', { wallet, limit: MOST_PAST, offset: 0 }]],
    body: ([{ data }]: readonly [Rows<Order>]) => data.filter(isPerp).map(orderState),
  }),
  userFills: info({
    fields: { user, aggregateByTime: ignored },
    questions: ({ user: wallet }) => [['fills', { wallet, limit: MOST_PAST, offset: 0, order: 'newest' }]],
    body: ([{ data }]: readonly [Rows<PlacedFill>]) => data.filter(isPerp).map(fillOf),
  }),
  userFillsByTime: info({
    fields: { user, startTime, endTime, aggregateByTime: ignored, reversed: { kind: 'boolean', default: false } },
    questions: ({ user: wallet, startTime: from, endTime: to, reversed }) => (
      [['fills', {
        wallet, from, ...(to !== undefined && { to }), limit: MOST_PAST, offset: 0, order: reversed ? 'newest' : 'oldest',
      }]]
    ),
    body: ([{ data }]: readonly [Rows<PlacedFill>]) => data.filter(isPerp).map(fillOf),
  }),
  userFees: ofMarket(feesOf, { user }),
  userRateLimit: info({
    fields: { user }, questions: ({ user: wallet }) => [['tier', { wallet }], ['ordersUsed', { wallet }]],
    body: ([{ data }, { used }]: readonly [TierAnswer, { readonly used: number }]) => rateLimitOf(data, used),
  }),
  extraAgents: info({
    fields: { user }, questions: ({ user: wallet }) => [['namedAgents', { wallet }]],
    body: ([agents]: readonly [NamedAgents]) => (
      agents.map(({ address, expires, name }) => ({ address, name, validUntil: expires === 0 ? null : expires }))
    ),
  }),
  userRole: info({
    fields: { user }, questions: ({ user: signer }) => [['agentOf', { signer }]],
    body: ([{ isWallet, wallets: [wallet] }]: readonly [SignerFacts]) => (
      isWallet ? { role: 'user' } : wallet === undefined ? { role: 'missing' } : { role: 'agent', data: { user: wallet } }
    ),
  }),
  subAccounts: fixed(null, { user }),
  userAbstraction: fixed('default', { user }),
};
