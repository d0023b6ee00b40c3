// Routes that read competitions: which there are, what one is about, and who leads it (wire.md 2.6). The path of the leaderboard
// is matched before that of one competition.

import { WIN_CONDITIONS } from '../../core/registry/competitions.ts';
import type { Api } from '../api/context.ts';
import { COMPETITION_STATES } from '../protocol/queries.ts';
import { route, type Route } from '../http/router.ts';
import { ask } from './ask.ts';
import { given, limit, offset, wallet } from './paging.ts';

const moment = { kind: 'millis', optional: true } as const;
const id = { kind: 'int64', min: 0 } as const;

export function competitionRoutes(api: Api): readonly Route[] {
  const row = { method: 'GET', auth: 'none', rate: 'api', envelope: 'bare' } as const;
  return [
    route({
      ...row, path: '/competitions', doc: 'Competitions, newest first.',
      query: {
        state: { kind: 'choice', values: COMPETITION_STATES, optional: true },
        from_ts_ms: { ...moment, doc: 'Without those that ended before.' }, to_ts_ms: { ...moment, doc: 'Without those that start later.' },
        limit: limit(50, 100), offset,
      },
      handler: ({ request, query }, responder) => {
        const { from_ts_ms: from, to_ts_ms: to, ...rest } = query;
        return ask(api, request, responder, 'competitions', given({ ...rest, from, to }));
      },
    }),
    route({
      ...row, path: '/competitions/leaderboard', doc: 'Who leads a competition.',
      query: {
        competition_id: id,
        sort_by: { kind: 'choice', values: WIN_CONDITIONS, optional: true, doc: 'Without it the primary win condition.' },
        sort_order: { kind: 'choice', values: ['asc', 'desc'], default: 'desc' }, limit: limit(100, 1_000), offset,
        wallet: { ...wallet, optional: true, doc: 'Whose own standing is told too.' },
      },
      handler: ({ request, query }, responder) => ask(api, request, responder, 'leaderboard', given(query)),
    }),
    route({
      ...row, path: '/competitions/{id}', doc: 'One competition.', params: { id },
      handler: ({ request, params }, responder) => ask(api, request, responder, 'competition', { id: params.id }),
    }),
  ];
}
