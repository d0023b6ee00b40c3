// Routes of perps and of what the venue as a whole owes and holds: funding, open interest, the insurance fund. And the venue's time.

import type { ApiContext } from '../context.ts';
import { route, type Route } from '../../http/router.ts';
import type { AnswerTo } from '../../http/shapes/answers.ts';
import { readRoute } from './read-route.ts';
import { given, TEXT_BYTES, text } from './query-fields.ts';

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
      ...row, path: '/open-interest', doc: 'Open contracts by underlying and expiry.', query: { underlying },
    }, 'openInterest', ({ query }) => given(query)),
    readRoute(api, { ...row, path: '/insurance-fund', doc: 'Balance and positions of the insurance fund.' }, 'insuranceFund', () => ({})),
    route({
      ...row, path: '/time', rate: 'none', doc: 'Time of the venue.',
      handler: (_, responder) => responder.send(200, JSON.stringify({ time_ms: api.now() } satisfies AnswerTo<'GET /time'>)),
    }),
  ];
}
