// Answers about the past: equity, theoretical prices, greeks, and the profile, from rows in memory and the history. Units 1e-6, times ms.

import { DEFAULT_BALANCE } from '../../core/settings.ts';
import { usernameOf } from '../../core/registry/usernames.ts';
import { DAY, USDC } from '../../core/units.ts';
import type { State } from '../../core/engine/state.ts';
import type { ContractPointRow, EquityPointRow, PointRow, Rows } from '../storage/history/protocol.ts';
import type { HistoryLink } from './history/link.ts';
import type { ProfileMedals, Medals } from './competitions/medals.ts';
import { INTERVALS } from '../ipc/enum-names.ts';
import type { QueryParameters } from '../ipc/queries.ts';
import { historyBusy, ok, okData, refused, type QueryAnswer, type GiveAnswer } from './answers.ts';
import { accountOfWallet, canonicalSymbol, micro, slotOfSymbol, type Names } from './text.ts';
import { INEXACT, isExact, totalsOf, totalsOfCash, unrealizedOf, type Totals } from './account/totals.ts';
import type { PnlData, Profile } from '../http/shapes/account.ts';
import type { PastGreeksData, TheosData } from '../http/shapes/markets.ts';

const MOST_POINTS = 100;

type HistoricalParts = {
  readonly state: State; readonly names: Names; readonly rows: Rows; readonly history: HistoryLink;
  readonly medals: Medals;
  readonly time: () => number;
};

/** `credited`: given by the operator, which is no profit. */
type Worth = { readonly totals: Totals; readonly unrealized: number; readonly credited: number };

export class HistoricalQueries {
  readonly #parts: HistoricalParts;

  constructor(parts: HistoricalParts) {
    this.#parts = parts;
  }

  pnl({ wallet, interval, limit }: QueryParameters['historicalPnl'], give: GiveAnswer): void {
    const { rows, history } = this.#parts;
    const span = this.#span(INTERVALS[interval], limit);
    const isAsked = history.ask({ name: 'equity', wallet, ...span }, (stored, appliedSeq) => {
      const recent = rows.equity.filter((row) => row.wallet === wallet && row.seq > appliedSeq)
        .map(({ seq, time, equity, credited }) => ({ seq, time, value: equity, credited }));
      const points = lastOfEach([...stored as EquityPointRow[], ...recent], span)
        .map(({ timestamp, row }) => ({ timestamp, equity: micro(row.value), net_deposits: micro(row.credited) }));
      give(okData<PnlData>({ wallet_address: wallet, interval, points }));
    });
    if (!isAsked) give(historyBusy('api'));
  }

  theos({ instrument_name: name, interval, limit }: QueryParameters['historicalTheos'], give: GiveAnswer): void {
    this.#pointsOf(name, INTERVALS[interval], limit, give, (symbol, shown) => {
      const points = shown.map(({ timestamp, row }) => ({ timestamp, theoretical_price: row.value / USDC }));
      return okData<TheosData>({ instrument_name: symbol, interval, points });
    });
  }

  greeks({ instrument_name: name, interval, limit }: QueryParameters['historicalGreeks'], give: GiveAnswer): void {
    this.#pointsOf(name, INTERVALS[interval], limit, give, (symbol, shown) => {
      const points = shown.map(({ timestamp, row: { markIv, bidIv, askIv, delta, gamma, theta, vega, openInterest } }) => (
        { timestamp, mark_iv: markIv, bid_iv: bidIv, ask_iv: askIv, delta, gamma, theta, vega, open_interest: openInterest / USDC }
      ));
      return okData<PastGreeksData>({ instrument_name: symbol, interval, points });
    });
  }

  #pointsOf(
    name: string, interval: number, limit: number, give: GiveAnswer,
    answer: (symbol: string, points: readonly Point<ContractPointRow>[]) => QueryAnswer,
  ): void {
    const { state, rows, history } = this.#parts;
    const symbol = canonicalSymbol(name);
    if (symbol === null) return give(refused('api', 'invalid_parameter', `Invalid instrument_name: ${name}`));
    const span = this.#span(interval, limit);
    const isAsked = history.ask({ name: 'theos', symbol, ...span }, (stored, appliedSeq) => {
      const recent = rows.theos.filter((row) => row.symbol === symbol && row.seq > appliedSeq)
        .map(({ price, ...row }) => ({ ...row, value: price }));
      const all = [...stored as ContractPointRow[], ...recent];
      if (all.length === 0 && slotOfSymbol(state, symbol) < 0) return give(refused('api', 'not_found', `Instrument not found: ${name}`));
      const points = lastOfEach(all, span);
      // The history thins out old points and memory does not, so the page is cut by age.
      const oldest = (points.at(-1)?.timestamp ?? 0) - MOST_POINTS * interval;
      give(answer(symbol, points.filter(({ timestamp }) => timestamp > oldest)));
    });
    if (!isAsked) give(historyBusy('api'));
  }

  profile(wallet: string, give: GiveAnswer): void {
    const { state, history, rows, time } = this.#parts;
    const account = accountOfWallet(state, wallet);
    if (account < 0) {
      const balance = state.settings.values[DEFAULT_BALANCE]!;
      const worth = { totals: totalsOfCash(balance), unrealized: 0, credited: 0 };
      return this.#withMedals(wallet, give, (medals) => this.#profile(wallet, medals, null, worth, balance, balance));
    }
    const openedAt = state.accounts.openedAt[account]!;
    const times = [openedAt, Math.max(openedAt, time() - DAY)];
    const isAsked = history.ask({ name: 'equityAt', wallet, times }, (stored, appliedSeq) => {
      const recent = rows.equity.filter((row) => row.wallet === wallet && row.seq > appliedSeq);
      const [received, yesterday] = times.map((at, i) => {
        const { point } = stored[i] as { point: EquityPointRow | null };
        const newer = recent.findLast((row) => row.time <= at);
        return newer !== undefined ? newer.equity - newer.credited : point === null ? 0 : point.value - point.credited;
      });
      this.#withMedals(wallet, give, (medals) => (
        this.#profile(wallet, medals, openedAt, this.#worth(account), received!, yesterday!)
      ));
    });
    if (!isAsked) give(historyBusy('bare'));
  }

  #withMedals(wallet: string, give: GiveAnswer, make: (medals: ProfileMedals) => QueryAnswer): void {
    this.#parts.medals.of(wallet, (medals) => give(medals === null ? historyBusy('bare') : make(medals)));
  }

  #profile(wallet: string, medals: ProfileMedals, openedAt: number | null, worth: Worth, received: number, yesterday: number): QueryAnswer {
    const { state } = this.#parts;
    const { totals: { collateral, equity, used }, unrealized, credited } = worth;
    const available = Math.max(0, collateral - used);
    const own = equity - credited;
    const numbers = { equity, unrealized, total: used + available, gained: own - yesterday, realized: own - unrealized - received };
    if (!isExact(numbers)) return refused('bare', 'margin_unavailable', INEXACT);
    const data: Profile = {
      wallet, account_wallet: wallet, username: usernameOf(state, accountOfWallet(state, wallet)), account_first_seen_ts_ms: openedAt,
      account_age_days: openedAt === null ? null : Math.floor((this.#parts.time() - openedAt) / DAY),
      margin: {
        in_use: micro(used), available: micro(available), total: micro(numbers.total), deposits: micro(received + Math.max(0, credited)),
        withdraws: micro(Math.max(0, -credited)),
      },
      pnl: {
        unrealized: micro(unrealized), pnl_24h: micro(numbers.gained), lifetime_realized: micro(numbers.realized),
      },
      profile_image_url: null, ...medals,
    };
    return ok(JSON.stringify({ success: true, data }));
  }

  #worth(account: number): Worth {
    const { state } = this.#parts;
    const { accounts, holdings } = state;
    let unrealized = 0;
    for (let link = accounts.holdingHead[account]!; link !== 0; link = holdings.next[link - 1]!) {
      unrealized += unrealizedOf(state, link - 1);
    }
    return { totals: totalsOf(state, account), unrealized, credited: accounts.credited[account]! };
  }

  #span(interval: number, limit: number): { interval: number; to: number; limit: number } {
    return { interval, to: Math.floor(this.#parts.time() / interval) * interval, limit };
  }
}

type Point<Row> = { readonly timestamp: number; readonly row: Row };

/** The newest `limit` points, ascending, each at its interval's end. */
function lastOfEach<Row extends PointRow>(
  rows: readonly Row[], { interval, to, limit }: { interval: number; to: number; limit: number },
): Point<Row>[] {
  const last = new Map<number, Row>();
  for (const row of rows) {
    const end = Math.ceil(row.time / interval) * interval;
    const before = last.get(end);
    if (row.time > to || (before !== undefined && (before.time > row.time || (before.time === row.time && before.seq > row.seq)))) continue;
    last.set(end, row);
  }
  const points = [...last].map(([timestamp, row]) => ({ timestamp, row })).sort((a, b) => a.timestamp - b.timestamp);
  return limit === 0 ? [] : points.slice(-limit);
}
