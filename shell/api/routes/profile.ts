// Routes about the owner of a wallet: the profile, and the fills within a time or a competition.

import type { Api } from '../context.ts';
import type { Route } from '../../http/router.ts';
import { readRoute } from './ask.ts';
import { given, limit, offset, text, wallet } from './paging.ts';

export function profileRoutes(api: Api): readonly Route[] {
  const row = { method: 'GET', auth: 'wallet', rate: 'api', envelope: 'bare' } as const;
  const moment = { kind: 'millis', optional: true } as const;
  return [
    readRoute(api, {
      ...row, path: '/profile', doc: 'Margin, profit and account age of a wallet.', query: { wallet },
    }, 'profile', ({ query }) => query),
    readRoute(api, {
      ...row, path: '/profile/trades', doc: 'Fills of a wallet in a time range, newest first.',
      query: {
        wallet, limit: limit(100, 1_000), offset, symbol: text,
        competition_id: { kind: 'int64', min: 0, optional: true, doc: 'Only fills while this competition ran.' },
        from_ts_ms: { ...moment, doc: 'Start of the range, inclusive.' }, to_ts_ms: { ...moment, doc: 'End of the range, inclusive.' },
      },
    }, 'fills', ({ query }) => {
      const { from_ts_ms: from, to_ts_ms: to, ...rest } = query;
      return given({ ...rest, from, to });
    }),
  ];
}
