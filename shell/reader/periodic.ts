// Rows at marks of five minutes (equity, theoretical prices with greeks), and of index ticks and competition scores. Starts and ends of
// competitions are marks too. A mark's rows are made before the first command at or after it, so a replay makes the same. The last row at
// or before a mark counts there. Accounts with a position have a row at each mark. A change of cash without a position makes a row dated
// at the next mark. Times ms, values micros.

import { ACCOUNT, ACCOUNT_OPENED, COMPETITION_CREATED, CREDITED, DELEVERAGED, DELEVERAGED_AGAINST, FILL, FILL_MAKER, FILL_TAKER,
  FUNDING_PAID, FUND_POSTED, INDEX_IS_USED, INDEX_MOVED, INDEX_RECEIVED, INDEX_UNDERLYING, OPENED_BALANCE, ORDER_ACCEPTED,
  ORDER_AMENDED, POSITION_SETTLED, TAKEN_OVER } from '../../core/codec/events.ts';
import { CREATE_COMPETITION } from '../../core/codec/commands.ts';
import { recordKind, type Views } from '../../core/codec/record.ts';
import { ACTIVE, instrumentCount } from '../../core/instruments/instruments.ts';
import { fundOf } from '../../core/lifecycle/insurance-fund.ts';
import { equityOf, freshen } from '../../core/margin/account-margin.ts';
import { holdingRows } from '../../core/positions/holdings.ts';
import { MINUTE } from '../../core/units.ts';
import { TIME, type State } from '../../core/engine/state.ts';
import type { FutureEquityRow, Rows, ScoreRow } from '../storage/history/protocol.ts';
import type { Dealings } from './competitions/dealings.ts';
import { CompetitionClock } from './competitions/clock.ts';
import type { HistoryLink } from './history/link.ts';
import type { GreeksCache } from './market/greeks-cache.ts';
import type { CurrentRecord } from './history/rows.ts';
import { scoresOf } from './competitions/scores.ts';
import { accountOfWallet, type Names } from './text.ts';

const MARK_EVERY = 5 * MINUTE;
/** Accounts with a row at one mark; more take turns, except at the start, end and creation of a competition. */
const MOST_ACCOUNTS = 65_536;

type PeriodicParts = {
  readonly state: State; readonly names: Names; readonly rows: Rows; readonly history: HistoryLink;
  readonly dealings: Dealings; readonly greeksCache: GreeksCache; readonly onScore: (row: ScoreRow) => void;
  readonly mostAccounts?: number;
};

export class PeriodicRows {
  readonly #parts: PeriodicParts;
  readonly #mostAccounts: number;
  readonly #clock: CompetitionClock;
  #touched = new Set<number>();
  readonly #ahead = new Set<number>();
  /** Accounts with a position again, whose row for the next mark predates it. */
  readonly #reopened = new Set<number>();
  /** True when `ahead` includes accounts whose rows were made before this start. */
  #isComplete = false;
  #isAsking = false;

  constructor(parts: PeriodicParts) {
    this.#parts = parts;
    this.#clock = new CompetitionClock(parts.state);
    this.#mostAccounts = parts.mostAccounts ?? MOST_ACCOUNTS;
  }

  isReady(views: Views, at: number): boolean {
    if (this.#isComplete || recordKind(views, at) !== CREATE_COMPETITION) return true;
    if (!this.#isAsking) this.#askAhead();
    return false;
  }

  begin({ seq, time }: CurrentRecord): void {
    const { state } = this.#parts;
    // `clear` would allocate a new table for every command and keep the old ones (docs/decisions/speed.md).
    if (this.#touched.size > 0) this.#touched = new Set();
    const before = state.clock[TIME]!;
    if (before === 0) return;
    const mark = this.#markAfter(before);
    if (time >= mark) this.#takeEquity(seq, mark, time >= this.#clock.nextChange(before));
    const fullMark = markAfter(before);
    if (time < fullMark) return;
    this.#takeTheos(seq, fullMark);
    this.#ahead.clear();
    this.#reopened.clear();
    this.#isComplete = true;
  }

  onEvent(kind: number, slots: Float64Array, record: CurrentRecord): void {
    const { state, names, rows, dealings, onScore } = this.#parts;
    const { seq, time } = record;
    switch (kind) {
      case INDEX_MOVED:
        if (slots[INDEX_IS_USED] !== 1 || slots[INDEX_RECEIVED] === 0) return;
        rows.ticks.push({ seq, underlying: names.underlying(slots[INDEX_UNDERLYING]!), time, price: slots[INDEX_RECEIVED]! });
        return;
      case ACCOUNT_OPENED:
        rows.equity.push({ seq, wallet: names.wallet(slots[ACCOUNT]!), time, equity: slots[OPENED_BALANCE]!, credited: 0 });
        return;
      case COMPETITION_CREATED:
        this.#takeEquity(seq, time, true);
        for (const account of this.#ahead) this.#push(seq, time, account, state.accounts.cash[account]!);
        return;
      case ORDER_ACCEPTED: case ORDER_AMENDED:
        dealings.onOrderAccepted(record);
        return;
      case FILL:
        this.#touched.add(slots[FILL_TAKER]!).add(slots[FILL_MAKER]!);
        for (const row of scoresOf({ state, names, dealings }, this.#clock.running(time), slots, seq)) {
          rows.scores.push(row);
          onScore(row);
        }
        return;
      case DELEVERAGED:
        this.#touched.add(slots[ACCOUNT]!).add(slots[DELEVERAGED_AGAINST]!);
        return;
      case TAKEN_OVER: case FUND_POSTED:
        this.#touched.add(slots[ACCOUNT]!).add(fundOf(state));
        return;
      case POSITION_SETTLED: case FUNDING_PAID: case CREDITED:
        this.#touched.add(slots[ACCOUNT]!);
    }
  }

  finish({ seq, time }: CurrentRecord): void {
    const { accounts } = this.#parts.state;
    for (const account of this.#touched) {
      if (accounts.positions[account] === 0) {
        this.#push(seq, this.#markAfter(time), account, accounts.cash[account]!);
        this.#ahead.add(account);
        this.#reopened.delete(account);
      } else if (this.#ahead.delete(account)) this.#reopened.add(account);
    }
  }

  #markAfter(time: number): number {
    return Math.min(markAfter(time), this.#clock.nextChange(time));
  }

  #askAhead(): void {
    const { state, history } = this.#parts;
    this.#isAsking = history.ask({ name: 'futureEquity', time: state.clock[TIME]! }, (rows) => {
      for (const { wallet } of rows as FutureEquityRow[]) {
        const account = accountOfWallet(state, wallet);
        if (state.accounts.positions[account] === 0) this.#ahead.add(account);
      }
      this.#isComplete = true;
    });
  }

  #takeEquity(seq: number, mark: number, isWhole: boolean): void {
    const { state } = this.#parts;
    const { holdings } = state;
    const invested = new Set<number>();
    const end = holdingRows(holdings);
    for (let row = 0; row < end; row++) if (holdings.position[row] !== 0) invested.add(holdings.account[row]!);
    const parts = isWhole ? 1 : Math.ceil(invested.size / this.#mostAccounts);
    const turn = Math.floor(mark / MARK_EVERY) % parts;
    for (const account of invested) {
      if (account % parts !== turn && !this.#reopened.has(account)) continue;
      freshen(state, account);
      this.#push(seq, mark, account, equityOf(state, account));
    }
  }

  #push(seq: number, time: number, account: number, equity: number): void {
    const { names, state } = this.#parts;
    // This row would replace the opening's, which alone has the opening balance.
    if (time === state.accounts.openedAt[account]) return;
    const wallet = names.wallet(account);
    if (!Number.isSafeInteger(equity)) return;
    this.#parts.rows.equity.push({ seq, wallet, time, equity, credited: state.accounts.credited[account]! });
  }

  #takeTheos(seq: number, time: number): void {
    const { state: { instruments, valuation }, names, rows, greeksCache } = this.#parts;
    const end = instrumentCount(instruments);
    for (let slot = 0; slot < end; slot++) {
      if (instruments.status[slot] !== ACTIVE || valuation.markIndex[instruments.underlying[slot]!] === 0) continue;
      rows.theos.push({ seq, symbol: names.symbol(slot), time, price: valuation.theo[slot]!, ...greeksCache.riskOf(slot) });
    }
  }
}

function markAfter(time: number): number {
  return (Math.floor(time / MARK_EVERY) + 1) * MARK_EVERY;
}
