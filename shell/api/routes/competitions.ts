// Routes that read competitions (wire.md 2.6): the list, one competition, and its leaderboard by win condition.

import { WIN_CONDITIONS } from '../../../core/units.ts';
import type { ApiContext } from '../context.ts';
import { COMPETITION_STATES, SORT_ORDERS } from '../../ipc/enum-names.ts';
import type { Route } from '../../http/router.ts';
import { readRoute } from './read-route.ts';
import { given, limit, offset, wallet } from './query-fields.ts';

const moment = { kind: 'millis', optional: true } as const;
const id = { kind: 'int64', min: 0 } as const;

export function competitionRoutes(api: ApiContext): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'api', envelope: 'bare' } as const;
  return [
    readRoute(api, {
      ...row, path: '/competitions', doc: 'Competitions, newest first.',
      query: {
        state: { kind: 'choice', values: COMPETITION_STATES, named: 'CompetitionStateValue', optional: true },
        from_ts_ms: { ...moment, doc: 'Leaves out competitions that ended earlier.' },
        to_ts_ms: { ...moment, doc: 'Leaves out competitions that start later.' },
        limit: limit(50, 100), offset,
      },
    }, 'competitions', ({ query }) => {
      const { from_ts_ms: from, to_ts_ms: to, ...rest } = query;
      return given({ ...rest, from, to });
    }),
    readRoute(api, {
      ...row, path: '/competitions/leaderboard',
      doc: 'Ranking of a competition. The price of a fill counts only up to a limit away from the mark, and the total such difference '
        + 'between the same two wallets up to 1,000 USDC (unless the operator has set another amount). Fills between wallets for which the '
        + 'same agent has signed orders count at the mark, without volume.',
      query: {
        competition_id: id,
        sort_by: {
          kind: 'choice', values: WIN_CONDITIONS, named: 'CompetitionSortByValue', optional: true,
          doc: 'Default: the primary win condition.',
        },
        sort_order: { kind: 'choice', values: SORT_ORDERS, named: 'CompetitionSortOrderValue', default: 'desc' },
        limit: limit(100, 1_000), offset,
        wallet: { ...wallet, optional: true, doc: 'A wallet whose own row is added.' },
      },
    }, 'leaderboard', ({ query }) => given(query)),
    readRoute(api, {
      ...row, path: '/competitions/{id}', doc: 'One competition.', params: { id },
    }, 'competition', ({ params }) => ({ id: params.id })),
  ];
}
