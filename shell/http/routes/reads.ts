// Routes that read. Parameters are checked here; the reader answers with status and body as they go to the client, and
// only what is durable. Listings clamp a limit above their maximum (decision 6.5).

import { sendBusy, sendTimeout, type Api } from '../../api/context.ts';
import { canonicalSymbol } from '../../api/values.ts';
import type { QueryName, QueryParameters } from '../../reader/protocol.ts';
import { sendError } from '../errors.ts';
import type { Responder } from '../message.ts';
import { route, type Route } from '../router.ts';

const MAX_DEPTH = 500;
const DEFAULT_DEPTH = 20;
const TEXT_BYTES = 256;

const wallet = { kind: 'address' } as const;
const offset = { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 } as const;
const text = { kind: 'text', maxBytes: TEXT_BYTES, optional: true } as const;
const limit = <const D extends number, const M extends number>(standard: D, max: M) => (
  { kind: 'integer', min: 0, max, default: standard, clamp: true } as const
);

export function readRoutes(api: Api): readonly Route[] {
  return [...accountRoutes(api), ...marketRoutes(api)];
}

function accountRoutes(api: Api): readonly Route[] {
  const row = { method: 'GET', auth: 'wallet', rate: 'api', envelope: 'bare' } as const;
  return [
    route({
      ...row, path: '/authorized-agents', doc: 'Active agents of a wallet.', query: { wallet },
      handler: ({ query }, responder) => ask(api, responder, 'agents', { wallet: query.wallet }),
    }),
    route({
      ...row, path: '/orders', doc: 'Orders of a wallet, newest first.', query: { wallet, status: text, limit: limit(50, 50), offset },
      handler: ({ query }, responder) => ask(api, responder, 'orders', given(query)),
    }),
    route({
      ...row, path: '/fills', doc: 'Fills of a wallet, newest first.', query: { wallet, limit: limit(100, 1_000), offset },
      handler: ({ query }, responder) => ask(api, responder, 'fills', query),
    }),
    route({
      ...row, path: '/portfolio', doc: 'Positions and margin of a wallet.', query: { wallet },
      handler: ({ query }, responder) => ask(api, responder, 'portfolio', query),
    }),
    route({
      ...row, path: '/user-tier', doc: 'Tier of a wallet.', query: { wallet },
      handler: ({ query }, responder) => ask(api, responder, 'tier', query),
    }),
    route({
      ...row, path: '/mmp/config', doc: 'Market-maker protections of a wallet.', query: { wallet, currency: text },
      handler: ({ query }, responder) => ask(api, responder, 'mmp', given(query)),
    }),
  ];
}

function marketRoutes(api: Api): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'api', envelope: 'bare' } as const;
  const listed = { kind: 'text', maxBytes: TEXT_BYTES } as const;
  return [
    route({
      ...row, path: '/trades', doc: 'Trades, newest first.', query: { limit: limit(100, 1_000), offset, symbol: text, underlying: text },
      handler: ({ query }, responder) => {
        const symbol = query.symbol === undefined ? undefined : canonicalSymbol(query.symbol);
        return ask(api, responder, 'trades', given({ ...query, symbol }));
      },
    }),
    route({
      ...row, path: '/instruments', doc: 'Instruments of an underlying.',
      query: { currency: { ...listed, optional: true }, status: { ...listed, optional: true } },
      handler: ({ query }, responder) => {
        const { currency = 'BTC', status = 'ACTIVE' } = query;
        return ask(api, responder, 'instruments', { currency, status });
      },
    }),
    route({
      ...row, path: '/markets', doc: 'Underlyings and expiries with their instruments.',
      query: { include_instruments: { kind: 'boolean', default: true } },
      handler: ({ query }, responder) => ask(api, responder, 'markets', query),
    }),
    route({
      ...row, path: '/orderbook', doc: 'Book of one instrument.',
      query: {
        instrument_id: text, instrument_name: text,
        depth: { kind: 'integer', min: 1, max: MAX_DEPTH, default: DEFAULT_DEPTH, clamp: true },
      },
      handler: ({ query }, responder) => {
        const { instrument_id: id, instrument_name: name, depth } = query;
        if (id === undefined && name === undefined) {
          return sendError(responder, 'bare', 'missing_field', 'One of instrument_id and instrument_name is required');
        }
        if (id !== undefined && /^[0-9]{1,15}$/.test(id)) return ask(api, responder, 'orderbook', { instrument_id: Number(id), depth });
        // Live clients send a name as the id (wire contract 0.3, 14).
        return ask(api, responder, 'orderbook', { instrument_name: canonicalSymbol(id ?? name ?? ''), depth });
      },
    }),
    route({
      ...row, path: '/exchange-info', doc: 'Signing domain, venue id and head of the journal.',
      handler: (_, responder) => ask(api, responder, 'exchange', {}),
    }),
  ];
}

type Given<T> = { [N in keyof T]: Exclude<T[N], undefined> };

/** The same without the fields that are undefined. */
function given<T extends object>(query: T): Given<T> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Given<T>;
}

function ask<Q extends QueryName>(api: Api, responder: Responder, query: Q, parameters: QueryParameters[Q]): void {
  const client = { responder, envelope: 'bare' } as const;
  const sent = api.reads.ask(query, parameters, ({ status, body }) => responder.send(status, body), () => sendTimeout(client));
  if (!sent) sendBusy(client);
}
