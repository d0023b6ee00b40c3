// Routes that read. Parameters are checked here; the reader answers with status and body as they go to the client, and
// only what is durable. Listings clamp a limit above their maximum (decision 6.5).

import type { Api } from '../../api/context.ts';
import { canonicalSymbol } from '../../api/values.ts';
import { route, type Route } from '../router.ts';
import { ask } from './ask.ts';
import { EXPORT, sendListing } from './exports.ts';
import { given, limit, offset, text, wallet } from './paging.ts';

export function readRoutes(api: Api): readonly Route[] {
  return [...accountRoutes(api), ...tradeRoutes(api)];
}

function accountRoutes(api: Api): readonly Route[] {
  const row = { method: 'GET', auth: 'wallet', rate: 'api', envelope: 'bare' } as const;
  return [
    route({
      ...row, path: '/authorized-agents', doc: 'Active agents of a wallet.', query: { wallet },
      handler: ({ request, query }, responder) => ask(api, request, responder, 'agents', { wallet: query.wallet }),
    }),
    route({
      ...row, path: '/orders', doc: 'Orders of a wallet, newest first.',
      query: { wallet, status: text, limit: limit(50, 50), offset, ...EXPORT },
      handler: ({ request, query: { export: whole, ...query } }, responder) => {
        const filter = given({ list: 'orders' as const, wallet: query.wallet, status: query.status });
        return sendListing({ api, request, responder }, 'orders', given(query), filter, whole === 'all');
      },
    }),
    route({
      ...row, path: '/fills', doc: 'Fills of a wallet, newest first.',
      query: { wallet, limit: limit(100, 1_000), offset, ...EXPORT },
      handler: ({ request, query: { export: whole, ...query } }, responder) => {
        const filter = { list: 'fills', wallet: query.wallet } as const;
        return sendListing({ api, request, responder }, 'fills', query, filter, whole === 'all');
      },
    }),
    route({
      ...row, path: '/portfolio', compat: 'api', doc: 'Positions and margin of a wallet.', query: { wallet },
      handler: ({ request, query }, responder) => ask(api, request, responder, 'portfolio', query),
    }),
    route({
      ...row, path: '/user-tier', doc: 'Tier of a wallet.', query: { wallet },
      handler: ({ request, query }, responder) => ask(api, request, responder, 'tier', query),
    }),
    route({
      ...row, path: '/mmp/config', doc: 'Market-maker protections of a wallet.', query: { wallet, currency: text },
      handler: ({ request, query }, responder) => ask(api, request, responder, 'mmp', given(query)),
    }),
  ];
}

function tradeRoutes(api: Api): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'api', envelope: 'bare' } as const;
  return [
    route({
      ...row, path: '/trades', doc: 'Trades, newest first.',
      query: { limit: limit(100, 1_000), offset, symbol: text, underlying: text, ...EXPORT },
      handler: ({ request, query: { export: whole, symbol, underlying, ...page } }, responder) => {
        const filter = given({ symbol: symbol === undefined ? undefined : canonicalSymbol(symbol), underlying });
        return sendListing({ api, request, responder }, 'trades', { ...page, ...filter }, { list: 'trades', ...filter }, whole === 'all');
      },
    }),
  ];
}
