// Routes of perps, funding, open interest, the insurance fund, and the venue's time.

import type { ApiContext } from '../context.ts';
import { route, type Route } from '../../http/router.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';
import { readRoute } from './read-route.ts';
import { given, limit, moment, offset, TEXT_BYTES, text, wallet } from './query-fields.ts';

const perp = { kind: 'text', minBytes: 1, maxBytes: TEXT_BYTES, doc: 'A perp.' } as const;
const underlying = { ...text, minBytes: 1, doc: 'Default: all.' } as const;

export function perpRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'api', envelope: 'bare' } as const;
  return [
    readRoute(api, { ...row, path: '/perps', doc: 'The listed perps.', query: { underlying } }, 'perps', ({ query }) => given(query)),
    readRoute(api, {
      ...row, path: '/funding', doc: 'Funding of a perp: rates an hour, and the premium that they come from.', query: { symbol: perp },
    }, 'funding', ({ query }) => query),
    readRoute(api, {
      ...row, path: '/funding/history', doc: 'Hours of funding that were charged, newest first.',
      query: {
        symbol: perp, start_time_ms: { ...moment, doc: 'Earliest end of an hour, inclusive.' },
        end_time_ms: { ...moment, doc: 'Latest end of an hour, inclusive.' }, limit: limit(100, 1_000),
      },
    }, 'fundingHistory', ({ query: { start_time_ms: start, end_time_ms: end, ...query } }) => ({ ...query, ...given({ start, end }) })),
    readRoute(api, {
      ...row, path: '/funding/payments', auth: 'wallet',
      doc: 'Funding that was booked on a wallet, newest first, and what is not booked yet.',
      query: { wallet, symbol: { ...perp, optional: true }, limit: limit(100, 1_000), offset },
    }, 'fundingPayments', ({ query }) => given(query)),
    readRoute(api, {
      ...row, path: '/liquidations', doc: 'Positions that were closed, taken over or deleveraged, newest first.',
      query: { limit: limit(100, 1_000), offset, from_ms: moment, to_ms: moment },
    }, 'liquidations', ({ query: { from_ms: from, to_ms: to, ...query } }) => ({ ...query, ...given({ from, to }) })),
    readRoute(api, {
      ...row, path: '/settlements', doc: 'Settlement prices of expiries, newest first.',
      query: { underlying, limit: limit(100, 1_000), offset },
    }, 'settlements', ({ query }) => given(query)),
    readRoute(api, {
      ...row, path: '/open-interest', doc: 'Open contracts by underlying and expiry.', query: { underlying },
    }, 'openInterest', ({ query }) => given(query)),
    readRoute(api, { ...row, path: '/insurance-fund', doc: 'Balance and positions of the insurance fund.' }, 'insuranceFund', () => ({})),
    route({
      ...row, path: '/time', rate: 'none', doc: 'Time of the venue.',
      handler: (_, responder) => responder.send(200, JSON.stringify({ time_ms: api.now() } satisfies AnswerTo<'GET /time'>)),
    }),
  ];
}
