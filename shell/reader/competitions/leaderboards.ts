// Competitions and their rankings (wire.md 2.6, decision 5.7). Profit is the change of equity less balances received
// (opening balance, credits of the operator), plus adjustments of fills (scores.ts). Micros; volume in 1e-2 USDC.

import { competitionCount, competitionOf, type CompetitionTerms } from '../../../core/registry/competitions.ts';
import { usernameOf } from '../../../core/registry/usernames.ts';
import { isSafe } from '../../../core/math/exact.ts';
import { equityOf, freshen } from '../../../core/margin/account-margin.ts';
import { TIME, type State } from '../../../core/engine/state.ts';
import type { Rows, ScoreRow, StandingRow } from '../../storage/history/protocol.ts';
import { competitionData } from '../../http/bodies/account.ts';
import type { HistoryLink } from '../history/link.ts';
import type { WinCondition } from '../../../core/units.ts';
import type { QueryParameters } from '../../ipc/queries.ts';
import { historyBusy, ok, pagination, refused, type QueryAnswer, type GiveAnswer } from '../answers.ts';
import { MICROS_A_CENT } from './scores.ts';
import { accountOfWallet, micro } from '../text.ts';
import type { Leaderboard } from '../../http/shapes/answers.ts';
import type { Competition as CompetitionBody } from '../../http/shapes/account.ts';

const MEDALS = 3;
const MOST_LOADED = 16;

type LeaderboardParts = {
  readonly state: State; readonly rows: Rows; readonly history: HistoryLink;
  readonly time: () => number;
};
type Sums = {
  readonly wallet: string; volume: number; adjustment: number; readonly before: number; readonly atEnd: number | null;
  readonly received: number;
};
type Loaded = { readonly isFinal: boolean; readonly sums: Map<string, Sums> };
export type WalletStanding = {
  readonly wallet: string; readonly pnl: number; readonly volume: number; readonly efficiency: number; readonly received: number;
};

export class Leaderboards {
  readonly #parts: LeaderboardParts;
  readonly #loaded = new Map<number, Loaded>();

  constructor(parts: LeaderboardParts) {
    this.#parts = parts;
  }

  /** A wallet's first score needs its equity at the start, so all sums are loaded again. */
  addScore({ competition, wallet, volume, adjustment }: ScoreRow): void {
    const sums = this.#loaded.get(competition)?.sums.get(wallet);
    if (sums === undefined) {
      this.#loaded.delete(competition);
      return;
    }
    sums.volume += volume;
    sums.adjustment += adjustment;
  }

  list({ state: wanted, from = -Infinity, to = Infinity, limit, offset }: QueryParameters['competitions']): string {
    const found: CompetitionBody[] = [];
    for (let id = competitionCount(this.#parts.state), skipped = 0; id >= 1 && found.length < limit; id--) {
      const competition = competitionOf(this.#parts.state, id)!;
      if (competition.end < from || competition.start > to || (wanted !== undefined && wanted !== this.stateOf(competition))) continue;
      if (skipped++ >= offset) found.push(competitionData(competition, this.#parts.time()));
    }
    return JSON.stringify({ success: true, data: found, pagination: pagination(limit, offset, found.length) });
  }

  one(id: number): QueryAnswer {
    const competition = competitionOf(this.#parts.state, id);
    if (competition === null) return unknown(id);
    return ok(JSON.stringify({ success: true, data: competitionData(competition, this.#parts.time()) }));
  }

  leaderboard(parameters: QueryParameters['leaderboard'], give: GiveAnswer): void {
    const competition = competitionOf(this.#parts.state, parameters.competition_id);
    if (competition === null) return give(unknown(parameters.competition_id));
    this.standings(competition, (standings) => {
      if (standings === null) give(historyBusy('bare'));
      else give(this.#page(competition, standings, parameters));
    });
  }

  standings(competition: CompetitionTerms, take: (standings: readonly WalletStanding[] | null) => void): void {
    if (this.stateOf(competition) === 'pre') return take([]);
    const loaded = this.#loaded.get(competition.id);
    if (loaded !== undefined && loaded.isFinal === this.isSettled(competition)) return take(this.#standings(loaded));
    this.#load(competition, (fresh) => take(fresh && this.#standings(fresh)));
  }

  #load(competition: CompetitionTerms, take: (loaded: Loaded | null) => void): void {
    const { id, start, end } = competition;
    const { rows, history } = this.#parts;
    const scores = (): ScoreRow[] => rows.scores.filter((row) => row.competition === id);
    const wallets = [...new Set(scores().map(({ wallet }) => wallet))];
    const isAsked = history.ask({ name: 'standings', competition: id, start, end, wallets }, (stored, appliedSeq) => {
      const standings = new Map((stored as StandingRow[]).map((row) => [row.wallet, { ...row }]));
      const recent = scores().filter(({ seq }) => seq > appliedSeq);
      if (recent.some(({ wallet }) => !standings.has(wallet))) return this.#load(competition, take);
      for (const { wallet, volume, adjustment } of recent) {
        const standing = standings.get(wallet)!;
        standing.volume += volume;
        standing.adjustment += adjustment;
      }
      for (const { seq, wallet, time: at, equity: whole, credited } of rows.equity) {
        const equity = whole - credited;
        const standing = standings.get(wallet);
        if (standing === undefined || seq <= appliedSeq) continue;
        standing.opening ??= equity;
        if (at <= start) standing.atStart = equity;
        if (at <= end) standing.atEnd = equity;
      }
      const loaded = { isFinal: this.isSettled(competition), sums: new Map([...standings].map(([wallet, row]) => [wallet, sumsOf(row)])) };
      if (this.#loaded.size >= MOST_LOADED) this.#loaded.delete(this.#loaded.keys().next().value!);
      this.#loaded.set(id, loaded);
      take(loaded);
    });
    if (!isAsked) take(null);
  }

  #standings({ isFinal, sums }: Loaded): WalletStanding[] {
    return [...sums.values()].map(({ wallet, volume, adjustment, before, atEnd, received }) => {
      const equity = (isFinal ? null : this.#equityOf(wallet)) ?? atEnd ?? before;
      const pnl = equity - before + adjustment;
      return { wallet, pnl, volume, efficiency: volume === 0 ? 0 : pnl / (volume * MICROS_A_CENT), received };
    });
  }

  #equityOf(wallet: string): number | null {
    const { state } = this.#parts;
    const account = accountOfWallet(state, wallet);
    freshen(state, account);
    const equity = equityOf(state, account);
    return isSafe(equity) ? equity - state.accounts.credited[account]! : null;
  }

  #page(competition: CompetitionTerms, standings: readonly WalletStanding[], parameters: QueryParameters['leaderboard']): QueryAnswer {
    const { id } = competition;
    const { sort_by: by = competition.primary, sort_order: order, limit, offset, wallet } = parameters;
    const isOver = this.stateOf(competition) === 'post';
    const winners = isOver ? winnersOf(competition, standings) : [];
    const rows = ranked(standings, by).map((one, at) => ({
      rank: at + 1, ...this.#row(one), medal: winners.includes(one.wallet) ? winners.indexOf(one.wallet) + 1 : null,
    }));
    const connected = wallet === undefined ? null : rows.find((row) => row.wallet === wallet) ?? {
      rank: null, wallet, username: this.#usernameOf(wallet), pnl: null, volume: null, efficiency: null, medal: null,
    };
    const data = (order === 'asc' ? rows.reverse() : rows).slice(offset, offset + limit);
    return ok(JSON.stringify({
      success: true, competition_id: id, sort_by: by, sort_order: order, data, connected_user: connected,
      pagination: pagination(limit, offset, data.length),
    } satisfies Leaderboard));
  }

  #row(standing: WalletStanding): { [name in 'wallet' | 'username' | 'pnl' | 'volume' | 'efficiency']: string } {
    const { wallet } = standing;
    return { wallet, username: this.#usernameOf(wallet), ...scoreTexts(standing) };
  }

  #usernameOf(wallet: string): string {
    return usernameOf(this.#parts.state, accountOfWallet(this.#parts.state, wallet));
  }

  isSettled({ end }: CompetitionTerms): boolean {
    return this.#parts.state.clock[TIME]! >= end;
  }

  stateOf({ start, end }: CompetitionTerms): 'pre' | 'active' | 'post' {
    const time = this.#parts.time();
    return time < start ? 'pre' : time < end ? 'active' : 'post';
  }
}

/** A wallet without an account at the start has received its opening balance since. */
function sumsOf({ wallet, volume, adjustment, atStart, atEnd, opening }: StandingRow): Sums {
  return { wallet, volume, adjustment, before: atStart ?? opening ?? 0, atEnd, received: opening ?? 0 };
}

export function scoreTexts({ pnl, volume, efficiency }: WalletStanding): { [name in 'pnl' | 'volume' | 'efficiency']: string } {
  return { pnl: micro(pnl), volume: micro(volume * MICROS_A_CENT), efficiency: micro(Math.round(efficiency * 1e6) + 0) };
}

export function winnersOf({ primary }: CompetitionTerms, standings: readonly WalletStanding[]): string[] {
  return ranked(standings, primary).slice(0, MEDALS).map(({ wallet }) => wallet);
}

/** Ties in the order of addresses, so every rank is unique. */
export function ranked(standings: readonly WalletStanding[], by: WinCondition): WalletStanding[] {
  return [...standings].sort((a, b) => b[by] - a[by] || (a.wallet < b.wallet ? -1 : 1));
}

function unknown(id: number): QueryAnswer {
  return refused('bare', 'not_found', `Competition not found: ${id}`);
}
