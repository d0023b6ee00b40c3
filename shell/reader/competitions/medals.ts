// A wallet's medals, and its rank in the running competition, for GET /profile (wire.md 2.4, decision 5.7). A medal is
// a final rank from 1 to 3 by the win condition.

import { competitionCount, competitionOf, type CompetitionTerms } from '../../../core/registry/competitions.ts';
import type { State } from '../../../core/engine/state.ts';
import { ranked, scoreTexts, winnersOf, type Leaderboards, type WalletStanding } from './leaderboards.ts';
import type { WinCondition } from '../../../core/units.ts';
import type { CompetitionStanding } from '../../http/shapes/account.ts';

/** The rank is in the newest running competition with a score of the wallet. */
export type ProfileMedals = {
  readonly medal: number | null;
  readonly platform_medals: Readonly<Record<WinCondition, number | null>>;
  readonly active_competition_rank?: CompetitionStanding;
};

type Parts = { readonly state: State; readonly competitions: Leaderboards };
type Won = { readonly by: WinCondition; readonly wallets: readonly string[] };

export class Medals {
  readonly #parts: Parts;
  readonly #won = new Map<number, Won>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  of(wallet: string, take: (medals: ProfileMedals | null) => void): void {
    const { state, competitions } = this.#parts;
    const won = new Map(this.#won);
    let active: CompetitionStanding | null = null;
    const open = Array.from({ length: competitionCount(state) }, (_, row) => row + 1).filter((id) => !won.has(id));
    const next = (at: number): void => {
      const competition = at === open.length ? null : competitionOf(state, open[at]!);
      if (competition === null) return take({ ...bestOf(wallet, [...won.values()]), ...(active && { active_competition_rank: active }) });
      competitions.standings(competition, (standings) => {
        if (standings === null) return take(null);
        const { id, primary } = competition;
        const phase = competitions.stateOf(competition);
        if (phase === 'active') active = placeOf(wallet, competition, standings) ?? active;
        if (phase === 'post') won.set(id, { by: primary, wallets: winnersOf(competition, standings) });
        if (competitions.isSettled(competition)) this.#won.set(id, won.get(id)!);
        next(at + 1);
      });
    };
    next(0);
  }
}

function bestOf(wallet: string, won: readonly Won[]): ProfileMedals {
  const best: Record<WinCondition, number | null> = { pnl: null, volume: null, efficiency: null };
  let medal: number | null = null;
  for (const { by, wallets } of won) {
    const place = wallets.indexOf(wallet) + 1;
    if (place === 0) continue;
    best[by] = Math.min(best[by] ?? Infinity, place);
    medal = Math.min(medal ?? Infinity, place);
  }
  return { medal, platform_medals: best };
}

function placeOf(
  wallet: string, { id, name, primary }: CompetitionTerms, standings: readonly WalletStanding[],
): CompetitionStanding | null {
  const place = ranked(standings, primary).findIndex((one) => one.wallet === wallet) + 1;
  if (place === 0) return null;
  const standing = standings.find((one) => one.wallet === wallet)!;
  return { competition_id: id, competition_name: name, competition_state: 'active', rank: place, ...scoreTexts(standing), medal: null };
}
