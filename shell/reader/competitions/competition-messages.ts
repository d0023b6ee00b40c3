// Messages of the competition channel: a wallet's standing at every full minute and at the end, from the state before the first command
// at or after that time, so a replay makes the same. The core does not count this stream, so numbers are stored with the standing.
// Micros; times ms.

import { PERP } from '../../../core/codec/commands.ts';
import { pendingFunding } from '../../../core/positions/funding.ts';
import { competitionOf, type CompetitionTerms } from '../../../core/registry/competitions.ts';
import { MINUTE } from '../../../core/units.ts';
import { SEQ, TIME, type State } from '../../../core/engine/state.ts';
import type { LastSentStanding, Rows } from '../../storage/history/protocol.ts';
import { CompetitionClock } from './clock.ts';
import type { HistoryLink } from '../history/link.ts';
import { ranked, scoreTexts, winnersOf, type Leaderboards, type WalletStanding } from './leaderboards.ts';
import type { CurrentRecord } from '../history/rows.ts';
import { MICROS_A_CENT } from './scores.ts';
import { accountOfWallet, micro } from '../text.ts';
import type { MessageIn, MessageNamed } from '../../http/shapes/messages.ts';

type Parts = { readonly state: State; readonly rows: Rows; readonly history: HistoryLink; readonly competitions: Leaderboards };
type SentStanding = NonNullable<LastSentStanding['standing']>;
type Place = { readonly standing: WalletStanding; readonly rank: number; readonly gap: number | null };
type DueCompetition = { readonly competition: CompetitionTerms; readonly isOver: boolean };
type Found = DueCompetition & { readonly standings: readonly WalletStanding[] };

const EFFICIENCY = 1e6;

export class CompetitionMessages {
  readonly #parts: Parts;
  readonly #clock: CompetitionClock;
  readonly #sent = new Map<number, Map<string, SentStanding | null>>();
  readonly #numbers = new Map<string, number>();
  #isAsking = false;
  #found: { readonly after: number; readonly all: readonly Found[] } | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#clock = new CompetitionClock(parts.state);
  }

  isReady(time: number): boolean {
    const due = this.#due(time);
    if (due.length === 0 || this.#isFound) return true;
    if (!this.#isAsking) this.#find(due);
    return this.#isFound;
  }

  begin({ seq, time }: CurrentRecord): void {
    const due = this.#due(time);
    if (due.length === 0) return;
    if (!this.#isFound) throw new Error('competition messages: the standings were not loaded before the record');
    for (const found of this.#found!.all) this.#addMessages(found, seq, found.isOver ? found.competition.end : time - time % MINUTE);
    this.#found = null;
  }

  known(wallet: string): number | undefined {
    return this.#numbers.get(wallet);
  }

  number(wallet: string, take: (number: number | null) => void): void {
    const known = this.#numbers.get(wallet);
    if (known !== undefined) return take(known);
    const isAsked = this.#parts.history.ask({ name: 'sentStandings', competition: 0, wallets: [wallet] }, (rows) => {
      take(this.#numbers.get(wallet) ?? (rows as LastSentStanding[])[0]!.number);
    });
    if (!isAsked) take(null);
  }

  get #isFound(): boolean {
    return this.#found?.after === this.#parts.state.clock[SEQ];
  }

  #due(time: number): readonly DueCompetition[] {
    const { state } = this.#parts;
    const before = state.clock[TIME]!;
    const running = before === 0 ? [] : this.#clock.running(before);
    if (running.length === 0) return [];
    const isMinute = Math.floor(time / MINUTE) > Math.floor(before / MINUTE);
    return running.map((id) => competitionOf(state, id)!).map((competition) => ({ competition, isOver: time >= competition.end }))
      .filter(({ isOver }) => isOver || isMinute);
  }

  #find(due: readonly DueCompetition[]): void {
    const after = this.#parts.state.clock[SEQ]!;
    const all: Found[] = [];
    this.#isAsking = true;
    const end = (): void => { this.#isAsking = false; };
    const next = (): void => {
      const one = due[all.length];
      if (one === undefined) {
        this.#found = { after, all };
        return end();
      }
      this.#parts.competitions.standings(one.competition, (standings) => {
        if (standings === null) return end();
        this.#recall(one.competition.id, standings, (isDone) => {
          if (!isDone) return end();
          all.push({ ...one, standings });
          next();
        });
      });
    };
    next();
  }

  #recall(id: number, standings: readonly WalletStanding[], done: (isDone: boolean) => void): void {
    let sent = this.#sent.get(id);
    if (sent === undefined) this.#sent.set(id, sent = new Map());
    const known = sent;
    const wallets = standings.map(({ wallet }) => wallet).filter((wallet) => !known.has(wallet));
    if (wallets.length === 0) return done(true);
    const isAsked = this.#parts.history.ask({ name: 'sentStandings', competition: id, wallets }, (rows) => {
      for (const { wallet, number, standing: last } of rows as LastSentStanding[]) {
        known.set(wallet, last);
        if (!this.#numbers.has(wallet)) this.#numbers.set(wallet, number);
      }
      done(true);
    });
    if (!isAsked) done(false);
  }

  #addMessages({ competition, isOver, standings }: Found, seq: number, time: number): void {
    const { id } = competition;
    const sent = this.#sent.get(id)!;
    const winners = isOver ? winnersOf(competition, standings) : [];
    for (const place of placesOf(competition, standings)) {
      const { wallet, pnl, volume } = place.standing;
      const before = sent.get(wallet) ?? null;
      const now = { rank: place.rank, pnl, volume, gap: place.gap };
      const bodies = isOver ? finalBodies(competition, place, winners) : this.#bodies(competition, place, before);
      if (bodies.length === 0) continue;
      let number = this.#numbers.get(wallet)!;
      for (const { type, ...fields } of bodies) {
        const text = JSON.stringify({ type, wallet_address: wallet, ...fields, timestamp: time, seq: ++number });
        this.#parts.rows.messages.push({ seq, wallet, channel: 'competition', number, text });
      }
      this.#numbers.set(wallet, number);
      sent.set(wallet, now);
      this.#parts.rows.sentStandings.push({ seq, competition: id, wallet, ...now, number });
    }
    if (isOver) this.#sent.delete(id);
  }

  #bodies(competition: CompetitionTerms, { standing, rank, gap }: Place, before: SentStanding | null): Body[] {
    const { id, name } = competition;
    const { pnl, volume, efficiency } = scoreTexts(standing);
    const isGap = before === null || before.rank !== rank || before.gap !== gap;
    if (!isGap && before.pnl === standing.pnl && before.volume === standing.volume) return [];
    const place = { competition_id: id, rank, pnl, volume, efficiency };
    const bodies: Body[] = [{ type: 'CompetitionUpdate', ...place }];
    if (before !== null && before.rank !== rank) {
      bodies.push({
        type: 'CompetitionRankChange', competition_id: id, from_rank: before.rank, to_rank: rank, delta_places: before.rank - rank, pnl,
      });
    }
    if (isGap) {
      bodies.push({
        type: 'CompetitionGapUpdate', competition_id: id, rank, next_rank: rank === 1 ? null : rank - 1,
        gap_metric_value: gap === null ? null : micro(gap),
      });
    }
    bodies.push({
      type: 'CompetitionPnlSummary', lifetime_realized_pnl: micro(this.#realized(standing)),
      active_competition: {
        competition_id: id, competition_name: name, competition_state: 'active', rank, pnl, volume, efficiency, medal: null,
      },
    });
    return bodies;
  }

  /** Cash less due funding, plus the cost of held options, less the opening balance. */
  #realized({ wallet, received }: WalletStanding): number {
    const { state } = this.#parts;
    const { accounts, funding, holdings, instruments } = state;
    const account = accountOfWallet(state, wallet);
    let sum = accounts.cash[account]! - accounts.credited[account]! - received;
    for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
      const row = link - 1;
      if (instruments.kind[holdings.instrument[row]!] === PERP) sum -= pendingFunding(funding, holdings, row);
      else sum += holdings.cost[row]!;
    }
    return sum;
  }
}

type Types = MessageIn<'competition'>['type'];
type Body = { [T in Types]: Omit<MessageNamed<T>, 'wallet_address' | 'timestamp' | 'seq'> }[Types];

function finalBodies({ id }: CompetitionTerms, { standing, rank }: Place, winners: readonly string[]): Body[] {
  const medal = winners.indexOf(standing.wallet) + 1;
  const final = { competition_id: id, rank, ...scoreTexts(standing), medal: medal === 0 ? null : medal };
  return [{ type: 'CompetitionFinalStats', ...final }, { type: 'CompetitionFinalStanding', ...final }];
}

function placesOf({ primary }: CompetitionTerms, standings: readonly WalletStanding[]): Place[] {
  const by = primary;
  const unit = by === 'pnl' ? 1 : by === 'volume' ? MICROS_A_CENT : EFFICIENCY;
  return ranked(standings, by).map((standing, at, all) => ({
    standing, rank: at + 1, gap: at === 0 ? null : Math.round((all[at - 1]![by] - standing[by]) * unit),
  }));
}
