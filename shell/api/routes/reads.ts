// Routes that read accounts and trades. A limit above its maximum is reduced to it (decision 6.5).

import type { ApiContext } from '../context.ts';
import { canonicalSymbol } from '../values.ts';
import { ORDER_FILTERS } from '../../ipc/enum-names.ts';
import { sendError } from '../../http/errors.ts';
import { route, type Route } from '../../http/router.ts';
import { readRoute } from './read-route.ts';
import { EXPORT, sendListing } from './exports.ts';
import { given, limit, moment, offset, text, TEXT_BYTES, wallet } from './query-fields.ts';

const status = {
  kind: 'choices', values: ORDER_FILTERS, optional: true,
  doc: 'Comma-separated list. Default: all orders. `open`: every order in the book, including partly filled ones. `working`: these and '
    + 'orders that wait for a trigger. The other values match exactly.',
} as const;

const fillKind = {
  kind: 'choice', values: ['trade', 'all'], optional: true,
  doc: '`all` also returns positions that moved without a trade: to the insurance fund (`takeover`), or to a holder of the opposite side '
    + '(`deleveraging`). Their `trade_id` and `order_id` are null.',
} as const;

const changed = { ...moment, doc: 'Bound of the last change (`updated_at`), inclusive.' } as const;
const underlyingName = { ...text, minBytes: 1 } as const;

export function readRoutes(api: ApiContext): readonly Route[] {
  return [...accountRoutes(api), ...tradeRoutes(api)];
}

function accountRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'GET', auth: 'wallet', rate: 'api', envelope: 'bare' } as const;
  return [
    readRoute(api, {
      ...row, path: '/authorized-agents', doc: 'Active agents of a wallet.', query: { wallet },
    }, 'agents', ({ query }) => ({ wallet: query.wallet })),
    route({
      ...row, path: '/orders', doc: 'Orders of a wallet: open ones, newest first, then ended ones, latest first.',
      query: {
        wallet, status, client_id: { ...text, minBytes: 1, doc: 'Only orders with this client id.' }, from_ms: changed, to_ms: changed,
        limit: limit(50, 50), offset, ...EXPORT,
      },
      handler: ({ request, query }, responder) => {
        const { export: whole, wallet: owner, status: wanted, client_id: clientId, from_ms: from, to_ms: to, ...page } = query;
        const fault = deepFault('client_id', clientId, page.offset);
        if (fault !== null) return sendError(responder, 'bare', 'invalid_parameter', fault);
        const filter = given({ wallet: owner, status: wanted, clientId, from, to });
        return sendListing({ api, request, responder }, 'orders', { ...page, ...filter }, { list: 'orders', ...filter }, whole === 'all');
      },
    }),
    readRoute(api, {
      ...row, path: '/orders/status', doc: 'Current or final state of one order of a wallet. Null if unknown.',
      query: { wallet, order_id: { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES, doc: 'An order id or a client id.' } },
    }, 'orderStatus', ({ query }) => ({ wallet: query.wallet, name: query.order_id })),
    route({
      ...row, path: '/fills', doc: 'Fills of a wallet, newest first.',
      query: {
        wallet, kind: fillKind, order_id: { kind: 'int64', min: 1, optional: true, doc: 'Only fills of this order.' }, from_ms: moment,
        to_ms: moment, limit: limit(100, 1_000), offset, ...EXPORT,
      },
      handler: ({ request, query }, responder) => {
        const { export: whole, wallet: owner, kind, order_id: orderId, from_ms: from, to_ms: to, ...page } = query;
        const fault = deepFault('order_id', orderId, page.offset);
        if (fault !== null) return sendError(responder, 'bare', 'invalid_parameter', fault);
        const filter = given({ wallet: owner, orderId, from, to });
        const all = { list: 'fills', ...filter, isAll: kind === 'all' } as const;
        return sendListing({ api, request, responder }, 'fills', { ...page, ...filter, ...given({ kind }) }, all, whole === 'all');
      },
    }),
    readRoute(api, {
      ...row, path: '/portfolio', compat: 'api', doc: 'Positions and margin of a wallet.', query: { wallet },
    }, 'portfolio', ({ query }) => query),
    readRoute(api, { ...row, path: '/user-tier', doc: 'Tier of a wallet.', query: { wallet } }, 'tier', ({ query }) => query),
    readRoute(api, {
      ...row, path: '/mmp/config', doc: 'Market-maker protections of a wallet.', query: { wallet, currency: underlyingName },
    }, 'mmp', ({ query }) => given(query)),
  ];
}

function tradeRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'api', envelope: 'bare' } as const;
  return [
    route({
      ...row, path: '/trades', doc: 'Trades, newest first. With `after_trade_id`: later trades, oldest first.',
      query: {
        limit: limit(100, 1_000), offset, symbol: text, underlying: underlyingName,
        account: { ...wallet, optional: true, doc: 'Maker or taker.' }, from_ms: moment, to_ms: moment,
        after_trade_id: { kind: 'int64', min: 0, optional: true, doc: 'Cannot be combined with offset and filters.' },
        ...EXPORT,
      },
      handler: ({ request, query }, responder) => {
        const { export: whole, symbol, underlying, account, after_trade_id: after, from_ms: from, to_ms: to, ...page } = query;
        const fault = tradesFault(query);
        if (fault !== null) return sendError(responder, 'bare', 'invalid_parameter', `Invalid parameter: ${fault}`);
        const filter = given({ symbol: symbol === undefined ? undefined : canonicalSymbol(symbol), underlying, from, to });
        const asked = { ...page, ...filter, ...given({ account, after }) };
        return sendListing({ api, request, responder }, 'trades', asked, { list: 'trades', ...filter }, whole === 'all');
      },
    }),
    readRoute(api, {
      ...row, path: '/trades/{trade_id}', doc: 'One trade.',
      params: { trade_id: { kind: 'int64', min: 1 } },
    }, 'trade', ({ params }) => ({ id: params.trade_id })),
  ];
}

/** With a filter whose rows are not numbered: they are skipped one by one. */
const MOST_SKIPPED = 10_000;

function deepFault(name: string, filter: unknown, skipped: number): string | null {
  if (filter === undefined || skipped <= MOST_SKIPPED) return null;
  return `Invalid parameter: with ${name} offset is at most ${MOST_SKIPPED}`;
}

type TradesField = 'symbol' | 'underlying' | 'account' | 'after_trade_id' | 'offset' | 'export' | 'from_ms' | 'to_ms';
type TradesQuery = { readonly [name in TradesField]?: unknown };

function tradesFault(query: TradesQuery): string | null {
  const { symbol, underlying, account, after_trade_id: after, offset: from, export: whole } = query;
  const isFiltered = symbol !== undefined || underlying !== undefined;
  if (account !== undefined && isFiltered) return 'account cannot be combined with symbol or underlying';
  const isTimed = query.from_ms !== undefined || query.to_ms !== undefined;
  if (after !== undefined && (isFiltered || isTimed || account !== undefined || from !== 0)) {
    return 'after_trade_id cannot be combined with offset or filters';
  }
  const isUnfit = whole !== undefined && (account !== undefined || after !== undefined);
  return isUnfit ? 'export cannot be combined with account or after_trade_id' : null;
}
