// One competition as clients see it, CompetitionData of wire.md 2.6. Its state follows the clock: pre before the start, active
// until the end, then post. A definition never changes, so it was updated when it was created. Times ms.

import type { Competition } from '../../../core/registry/competitions.ts';

export function competitionData(competition: Competition, time: number): object {
  const { id, name, start, end, createdAt, conditions, primary } = competition;
  const made = new Date(createdAt).toISOString();
  return {
    id, name, description: competition.description || null, rules_url: competition.rulesUrl || null,
    rules_content: competition.rulesContent || null, win_conditions: conditions, primary_win_condition: primary, start_ts_ms: start,
    end_ts_ms: end, state: time < start ? 'pre' : time < end ? 'active' : 'post', created_at: made, updated_at: made,
  };
}
