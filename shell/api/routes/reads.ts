// Routes that read accounts and trades. The reader makes the answers. A limit above its maximum is reduced to it (decision 6.5).

import type { ApiContext } from '../context.ts';
import { canonicalSymbol } from '../values.ts';
import { ORDER_FILTERS } from '../../ipc/enum-names.ts';
import { sendError } from '../../http/errors.ts';
import { route, type Route } from '../../http/router.ts';
import { readRoute } from './read-route.ts';
import { EXPORT, sendListing } from './exports.ts';
import { given, limit, offset, text, TEXT_BYTES, wallet } from './query-fields.ts';

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
      query: { wallet, status, limit: limit(50, 50), offset, ...EXPORT },
      handler: ({ request, query: { export: whole, ...query } }, responder) => {
        const filter = given({ list: 'orders' as const, wallet: query.wallet, status: query.status });
        return sendListing({ api, request, responder }, 'orders', given(query), filter, whole === 'all');
      },
    }),
    readRoute(api, {
      ...row, path: '/orders/status', doc: 'Current or final state of one order of a wallet. Null if unknown.',
      query: { wallet, order_id: { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES, doc: 'An order id or a client id.' } },
    }, 'orderStatus', ({ query }) => ({ wallet: query.wallet, name: query.order_id })),
    route({
      ...row, path: '/fills', doc: 'Fills of a wallet, newest first.',
      query: { wallet, kind: fillKind, limit: limit(100, 1_000), offset, ...EXPORT },
      handler: ({ request, query: { export: whole, ...query } }, responder) => {
        const filter = { list: 'fills', wallet: query.wallet, isAll: query.kind === 'all' } as const;
        return sendListing({ api, request, responder }, 'fills', given(query), filter, whole === 'all');
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
        account: { ...wallet, optional: true, doc: 'Maker or taker.' },
        after_trade_id: { kind: 'int64', min: 0, optional: true, doc: 'Cannot be combined with offset and filters.' },
        ...EXPORT,
      },
      handler: ({ request, query }, responder) => {
        const { export: whole, symbol, underlying, account, after_trade_id: after, ...page } = query;
        const fault = tradesFault(query);
        if (fault !== null) return sendError(responder, 'bare', 'invalid_parameter', `Invalid parameter: ${fault}`);
        const filter = given({ symbol: symbol === undefined ? undefined : canonicalSymbol(symbol), underlying });
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

type TradesQuery = { readonly [name in 'symbol' | 'underlying' | 'account' | 'after_trade_id' | 'offset' | 'export']?: unknown };

function tradesFault({ symbol, underlying, account, after_trade_id: after, offset: from, export: whole }: TradesQuery): string | null {
  const isFiltered = symbol !== undefined || underlying !== undefined;
  if (account !== undefined && isFiltered) return 'account cannot be combined with symbol or underlying';
  if (after !== undefined && (isFiltered || account !== undefined || from !== 0)) {
    return 'after_trade_id cannot be combined with offset or filters';
  }
  const isUnfit = whole !== undefined && (account !== undefined || after !== undefined);
  return isUnfit ? 'export cannot be combined with account or after_trade_id' : null;
}
