// The reader: a second core that applies log records, and everything made from it: history rows, statistics, streams,
// answers. It knows nothing of rings and threads; its caller passes durable records only. If its output digest
// differs from main's, the venue ends.

import { ACCOUNT, ACCOUNT_OPENED, FILL, FILL_INSTRUMENT, FILL_PRICE, FILL_SIZE } from '../../core/codec/events.ts';
import { recordSeq, recordTime, type Views } from '../../core/codec/record.ts';
import { apply } from '../../core/engine/apply.ts';
import { SEQ, TIME, type State } from '../../core/engine/state.ts';
import type { ToHistory } from '../storage/history/protocol.ts';
import type { GiveAnswer } from './answers.ts';
import { Dealings } from './competitions/dealings.ts';
import { CompetitionMoments } from './competitions/moments.ts';
import { DayAgo } from './history/day-ago.ts';
import { DigestCheck } from './digest-check.ts';
import { Exports } from './history/exports.ts';
import { HistoryLink } from './history/link.ts';
import { KeptMessages } from './history/kept-messages.ts';
import { Leaderboards } from './competitions/leaderboards.ts';
import { Listings } from './history/listings.ts';
import { Medals } from './competitions/medals.ts';
import { Measures } from './market/measures.ts';
import { Queries, type ExchangeFacts } from './queries.ts';
import type { QueryName, QueryParameters } from '../ipc/queries.ts';
import { OrderEnds } from './history/order-ends.ts';
import { Past } from './past.ts';
import { PeriodicRows } from './periodic.ts';
import { RecentRows, type RecordInHand } from './history/rows.ts';
import { Statistics } from './market/statistics.ts';
import type { Send } from './channels/source.ts';
import { Streams } from './streams.ts';
import { Names } from './text.ts';

export type ReaderOptions = {
  readonly state: State;
  /** The history has everything up to this seq; no rows are made for it. */
  readonly historySeq: number;
  /** Includes the trades up to `historySeq`. */
  readonly statistics: Statistics;
  readonly toHistory: (message: ToHistory) => void;
  readonly toApi: Send;
  readonly exchange: ExchangeFacts;
  readonly now: () => number;
  /** Bound of rows in memory. While it is reached, nothing is applied. */
  readonly mostRows?: number;
  /** Accounts with an equity row at one mark. */
  readonly mostAccounts?: number;
  /** Called during recovery when an applied command could not be published; that output is skipped. */
  readonly onUntold?: (seq: number, error: unknown) => void;
};

export class Reader {
  readonly state: State;
  readonly rows: RecentRows;
  readonly history: HistoryLink;
  readonly streams: Streams;
  readonly digests = new DigestCheck();
  readonly #names: Names;
  readonly #statistics: Statistics;
  readonly #periodic: PeriodicRows;
  readonly #messages: KeptMessages;
  readonly #moments: CompetitionMoments;
  readonly #dealings: Dealings;
  readonly #ends: OrderEnds;
  readonly #queries: Queries;
  readonly #historySeq: number;
  #onUntold: ReaderOptions['onUntold'];
  #record: RecordInHand | null = null;

  constructor(options: ReaderOptions) {
    const { state, historySeq, statistics, now } = options;
    const names = new Names(state);
    this.state = state;
    this.#names = names;
    this.#historySeq = historySeq;
    this.#onUntold = options.onUntold;
    this.#statistics = statistics;
    this.rows = new RecentRows(state, names, historySeq, state.clock[SEQ]!, options.mostRows);
    this.history = new HistoryLink(this.rows, options.toHistory);
    const measures = new Measures(state);
    const listings = new Listings(state, names, this.rows, this.history);
    const ends = this.#ends = new OrderEnds(state, listings);
    this.#messages = new KeptMessages(state, names, this.rows.rows, ends);
    const time = (): number => Math.max(now(), state.clock[TIME]!);
    const pastParts = { state, names, rows: this.rows.rows, history: this.history, time };
    const competitions = new Leaderboards(pastParts);
    this.#moments = new CompetitionMoments({ ...pastParts, competitions });
    this.#dealings = new Dealings(pastParts);
    const streamParts = { state, names, measures, rows: this.rows.rows, history: this.history, moments: this.#moments, ends };
    this.streams = new Streams(streamParts, options.toApi);
    const past = new Past({ ...pastParts, medals: new Medals({ state, competitions }) });
    const dayAgo = new DayAgo(pastParts);
    this.#periodic = new PeriodicRows({
      state, names, rows: this.rows.rows, history: this.history, dealings: this.#dealings, onScore: (row) => competitions.note(row),
      ...(options.mostAccounts === undefined ? {} : { mostAccounts: options.mostAccounts }),
    });
    const exports = new Exports(state, listings, time);
    this.#queries = new Queries({
      state, names, measures, statistics, listings, past, dayAgo, competitions, exports, streams: this.streams,
      exchange: options.exchange, time,
    });
    state.events.listener = (kind, slots) => this.#note(kind, slots);
  }

  get applied(): number {
    return this.state.clock[SEQ]!;
  }

  /** False while the record at `at` must wait for an answer of the history. */
  isReady(views: Views, at: number): boolean {
    if (!this.rows.isWanted(recordSeq(views, at))) return true;
    const time = recordTime(views, at);
    return this.#moments.isReady(time) && this.#dealings.isReady(time) && this.#periodic.isReady(views, at)
      && this.#ends.isReady(views, at);
  }

  /** Applies the record at `at`, which is durable and ready. */
  feed(views: Views, at: number): void {
    this.begin(views, at);
    apply(this.state, views, at);
    this.settle();
  }

  /** Called before the record at `at` is applied, by `feed` or by recovery. */
  begin(views: Views, at: number): void {
    const record = this.#record = { views, at, seq: recordSeq(views, at), time: recordTime(views, at) };
    if (!this.rows.isWanted(record.seq)) return;
    this.#periodic.begin(record);
    this.#moments.begin(record);
  }

  /** Called after a record has been applied; does nothing without one. */
  settle(): void {
    const record = this.#record;
    this.#record = null;
    try {
      if (record !== null && this.rows.isWanted(record.seq)) this.#periodic.settle(record);
      this.rows.settle(this.applied);
      if (record !== null) this.streams.settle(record);
    } catch (error) {
      this.#untold(error);
    }
    if (record !== null) this.digests.own(this.applied, this.state.events.digest);
  }

  standUp(): void {
    this.#onUntold = undefined;
  }

  /** Calls `give` exactly once, now or when the history has answered. */
  answer<Q extends QueryName>(api: number, name: Q, parameters: QueryParameters[Q], give: GiveAnswer): void {
    this.#queries.answer(api, name, parameters, give);
  }

  #note(kind: number, slots: Float64Array): void {
    const record = this.#record;
    if (kind === ACCOUNT_OPENED) this.#names.forgetWallet(slots[ACCOUNT]!);
    // A command that recovery skips has events but no record; nothing is published for it.
    if (record === null) return;
    try {
      this.#ends.note(kind, slots);
      if (this.rows.isWanted(record.seq)) {
        this.rows.note(kind, slots, record);
        this.#messages.note(kind, slots, record);
        this.#periodic.note(kind, slots, record);
      }
      if (kind === FILL && record.seq > this.#historySeq) {
        this.#statistics.add(this.#names.symbol(slots[FILL_INSTRUMENT]!), record.time, slots[FILL_PRICE]!, slots[FILL_SIZE]!);
      }
      this.streams.note(kind, slots, record);
    } catch (error) {
      this.#untold(error);
    }
  }

  /**
   * A failure to publish ends the venue once. The next start meets the command again and skips its output, or no
   * start would ever succeed.
   */
  #untold(error: unknown): void {
    if (this.#onUntold === undefined) throw error;
    this.#onUntold(this.applied, error);
  }
}
