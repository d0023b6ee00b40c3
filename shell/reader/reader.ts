// The reader: a second core that applies log records, which must be durable, and everything made from it: history rows,
// statistics, streams, answers. If its output digest differs from main's, the venue ends.

import {
  ACCOUNT, ACCOUNT_OPENED, BATCH_ITEM, FILL, FILL_INSTRUMENT, FILL_PRICE, FILL_SIZE, NONCE_TAKEN,
} from '../../core/codec/events.ts';
import { recordSeq, recordTime, type Views } from '../../core/codec/record.ts';
import { apply } from '../../core/engine/apply.ts';
import { SEQ, TIME, type State } from '../../core/engine/state.ts';
import type { CandlePart, ToHistory } from '../storage/history/protocol.ts';
import { AgentWallets } from './account/agent-wallets.ts';
import type { GiveAnswer } from './answers.ts';
import { CandleParts } from './history/candle-parts.ts';
import { CandleQueries } from './candle-queries.ts';
import { Dealings } from './competitions/dealings.ts';
import { CompetitionMessages } from './competitions/competition-messages.ts';
import { Backups } from './history/backups.ts';
import { DayAgoPrices } from './history/day-ago-prices.ts';
import { DigestCheck } from './digest-check.ts';
import { Exports } from './history/exports.ts';
import { HistoryLink } from './history/link.ts';
import { MessageRows } from './history/message-rows.ts';
import { Leaderboards } from './competitions/leaderboards.ts';
import { TradingHistory } from './history/trading-history.ts';
import { VenueHistory } from './history/venue-history.ts';
import { Medals } from './competitions/medals.ts';
import { GreeksCache } from './market/greeks-cache.ts';
import { Queries, type ExchangeFacts } from './queries.ts';
import type { QueryName, QueryParameters } from '../ipc/queries.ts';
import { OrderEnds } from './history/order-ends.ts';
import { HistoricalQueries } from './historical.ts';
import { PeriodicRows } from './periodic.ts';
import { RecentRows, type CurrentRecord } from './history/rows.ts';
import { Statistics } from './market/statistics.ts';
import type { Send } from './channels/source.ts';
import { StreamPublisher } from './stream-publisher.ts';
import { Names } from './text.ts';

export type ReaderOptions = {
  readonly state: State;
  /** Up to here the history has the rows. */
  readonly historySeq: number;
  readonly statistics: Statistics;
  readonly toHistory: (message: ToHistory) => void;
  readonly toApi: Send;
  readonly exchange: ExchangeFacts;
  readonly now: () => number;
  readonly mostRows?: number;
  readonly mostAccounts?: number;
  /** During recovery: an applied command could not be published; that output is skipped. */
  readonly onPublishError?: (seq: number, error: unknown) => void;
};

export class Reader {
  readonly state: State;
  readonly rows: RecentRows;
  readonly history: HistoryLink;
  readonly streams: StreamPublisher;
  readonly digests = new DigestCheck();
  readonly #names: Names;
  readonly #agentWallets: AgentWallets;
  readonly #statistics: Statistics;
  readonly #periodic: PeriodicRows;
  readonly #candleParts: CandleParts;
  readonly #messages: MessageRows;
  readonly #competitionMessages: CompetitionMessages;
  readonly #dealings: Dealings;
  readonly #ends: OrderEnds;
  readonly #queries: Queries;
  readonly #historySeq: number;
  #onPublishError: ReaderOptions['onPublishError'];
  #record: CurrentRecord | null = null;
  #item: CurrentRecord | null = null;

  constructor(options: ReaderOptions) {
    const { state, historySeq, statistics, now } = options;
    const names = new Names(state);
    this.state = state;
    this.#names = names;
    this.#historySeq = historySeq;
    this.#onPublishError = options.onPublishError;
    this.#statistics = statistics;
    this.rows = new RecentRows(state, names, historySeq, state.clock[SEQ]!, options.mostRows);
    this.history = new HistoryLink(this.rows, options.toHistory);
    const greeksCache = new GreeksCache(state);
    const tradingHistory = new TradingHistory(state, names, this.rows, this.history);
    const venueHistory = new VenueHistory({ state, names, rows: this.rows, history: this.history });
    const ends = this.#ends = new OrderEnds(state, tradingHistory);
    this.#messages = new MessageRows(state, names, this.rows.rows, ends);
    const time = (): number => Math.max(now(), state.clock[TIME]!);
    const pastParts = { state, names, rows: this.rows.rows, history: this.history, time };
    const competitions = new Leaderboards(pastParts);
    this.#competitionMessages = new CompetitionMessages({ ...pastParts, competitions });
    this.#dealings = new Dealings(pastParts);
    const candleParts = this.#candleParts = new CandleParts(state, names, this.rows.rows);
    const streamParts = {
      state, names, greeksCache, statistics, candleParts, rows: this.rows.rows, history: this.history,
      competitionMessages: this.#competitionMessages, ends,
    };
    this.streams = new StreamPublisher(streamParts, options.toApi);
    const past = new HistoricalQueries({ ...pastParts, medals: new Medals({ state, competitions }) });
    const dayAgo = new DayAgoPrices(pastParts);
    this.#periodic = new PeriodicRows({
      state, names, rows: this.rows.rows, history: this.history, dealings: this.#dealings, greeksCache,
      onScore: (row) => competitions.addScore(row),
      ...(options.mostAccounts === undefined ? {} : { mostAccounts: options.mostAccounts }),
    });
    const agentWallets = this.#agentWallets = new AgentWallets(state);
    const exports = new Exports(state, tradingHistory, time);
    this.#queries = new Queries({
      state, names, greeksCache, statistics, tradingHistory, venueHistory, past, dayAgo, competitions, exports, streams: this.streams,
      candles: new CandleQueries({ ...pastParts, candleParts }),
      exchange: options.exchange, backups: new Backups(this.history, options.exchange.head), agentWallets, time,
    });
    state.events.listener = (kind, slots) => this.#onEvent(kind, slots);
  }

  get applied(): number {
    return this.state.clock[SEQ]!;
  }

  isReady(views: Views, at: number): boolean {
    if (!this.rows.needsRows(recordSeq(views, at))) return true;
    const time = recordTime(views, at);
    return this.#competitionMessages.isReady(time) && this.#dealings.isReady(time) && this.#periodic.isReady(views, at)
      && this.#ends.isReady(views, at);
  }

  /** The record must be durable and ready. */
  feed(views: Views, at: number): void {
    this.begin(views, at);
    apply(this.state, views, at);
    this.finish();
  }

  begin(views: Views, at: number): void {
    const record = this.#record = { views, at, seq: recordSeq(views, at), time: recordTime(views, at) };
    this.#item = null;
    if (!this.rows.needsRows(record.seq)) return;
    this.#periodic.begin(record);
    this.#candleParts.begin(record);
    this.#competitionMessages.begin(record);
  }

  finish(): void {
    const record = this.#record;
    this.#record = null;
    try {
      if (record !== null && this.rows.needsRows(record.seq)) this.#periodic.finish(record);
      this.rows.finish(this.applied);
      if (record !== null) this.streams.finish(record);
    } catch (error) {
      this.#publishFailed(error);
    }
    if (record !== null) this.digests.own(this.applied, this.state.events.digest);
  }

  /** Stores the marks gathered so far. Rows of the last command must not have been sent. */
  keepCandles(): void {
    if (this.rows.needsRows(this.applied)) for (const part of this.candlesSoFar()) this.rows.rows.candleParts.push(part);
  }

  candlesSoFar(): CandlePart[] {
    return this.rows.isAbandoned ? [] : this.#candleParts.marks.all(this.applied);
  }

  endRecovery(): void {
    this.#onPublishError = undefined;
  }

  answer<Q extends QueryName>(api: number, name: Q, parameters: QueryParameters[Q], give: GiveAnswer): void {
    this.#queries.answer(api, name, parameters, give);
  }

  #onEvent(kind: number, slots: Float64Array): void {
    const record = this.#recordOf(kind);
    this.#agentWallets.onEvent(kind, slots);
    if (kind === ACCOUNT_OPENED) this.#names.forgetWallet(slots[ACCOUNT]!);
    if (record === null) return;
    try {
      this.#ends.onEvent(kind, slots);
      if (this.rows.needsRows(record.seq)) {
        this.rows.onEvent(kind, slots, record);
        this.#messages.onEvent(kind, slots, record);
        this.#periodic.onEvent(kind, slots, record);
      }
      this.#candleParts.onEvent(kind, slots, record, this.rows.needsRows(record.seq));
      if (kind === FILL && record.seq > this.#historySeq) {
        this.#statistics.add(this.#names.symbol(slots[FILL_INSTRUMENT]!), record.time, slots[FILL_PRICE]!, slots[FILL_SIZE]!);
      }
      this.streams.onEvent(kind, slots, record);
    } catch (error) {
      this.#publishFailed(error);
    }
  }

  /** Of an event within a batch: its item. The nonce is the batch's own. */
  #recordOf(kind: number): CurrentRecord | null {
    const record = this.#record;
    if (record === null) return null;
    if (kind === BATCH_ITEM) this.#item = { ...record, views: this.state.item, at: 0 };
    return kind === NONCE_TAKEN ? record : this.#item ?? record;
  }

  /** The next start meets the command again and skips its output, or no start would ever succeed. */
  #publishFailed(error: unknown): void {
    if (this.#onPublishError === undefined) throw error;
    this.#onPublishError(this.applied, error);
  }
}
