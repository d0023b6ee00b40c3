// A reader that runs on a folder from its start to a sudden end, with a history whose commits the test decides; and the journal it reads,
// written from a venue's log.

import assert from 'node:assert/strict';
import { BEHAVIOUR } from '../../../core/version.ts';
import type { Batch, FromHistory, HistoryQuery, ToHistory } from '../../../shell/storage/history/protocol.ts';
import { HistoryStore } from '../../../shell/storage/history/history-store.ts';
import type { JournalWriter } from '../../../shell/storage/journal/writer.ts';
import type { QueryName, QueryParameters } from '../../../shell/ipc/queries.ts';
import { recoverReader, statisticsOf } from '../../../shell/reader/catch-up.ts';
import type { Statistics } from '../../../shell/reader/market/statistics.ts';
import type { Reader } from '../../../shell/reader/reader.ts';
import { Snapshots } from '../../../shell/reader/snapshots.ts';
import { openWriter } from '../storage/journal/support.ts';
import type { TestVenue } from '../../support/venue.ts';
import { EXCHANGE, VENUE } from './support.ts';

/** A reader on a folder, from its start to a sudden end. */
export class RestartedReader {
  readonly reader: Reader;
  readonly snapshotSeq: number;
  readonly snapshots: Snapshots;
  readonly store: HistoryStore;
  readonly inbox: ToHistory[] = [];
  readonly streamed: string[] = [];
  readonly damaged: string[] = [];
  readonly unpublished: number[] = [];
  readonly #isToCommit: () => boolean;

  private constructor(
    folder: string, venue: TestVenue, recoverTo: number, store: HistoryStore, statistics: Statistics, isToCommit: () => boolean,
  ) {
    this.store = store;
    this.#isToCommit = isToCommit;
    const { reader, snapshotSeq } = recoverReader({
      dataFolder: folder, limits: venue.state.limits, recoverTo, skip: [], historySeq: store.appliedSeq, statistics, exchange: EXCHANGE,
      now: () => venue.now, awaitHistory: (made) => this.runHistory(made, 1), toHistory: (message) => this.inbox.push(message),
      toApi: (_, __, seq, message) => this.streamed.push(`${seq} ${Buffer.from(message).toString()}`),
      onSnapshotDamage: ({ path }) => this.damaged.push(path),
      onPublishError: (seq) => this.unpublished.push(seq),
    });
    this.reader = reader;
    this.snapshotSeq = snapshotSeq;
    this.snapshots = new Snapshots(folder, assert.fail, 1);
  }

  /** `isToCommit`: whether what the history has taken is committed now, asked after each batch. */
  static async begin(folder: string, venue: TestVenue, recoverTo: number, isToCommit = () => true): Promise<RestartedReader> {
    const store = HistoryStore.open(folder, VENUE);
    const statistics = await statisticsOf(async (query) => structuredClone(store.answer(query)));
    return new RestartedReader(folder, venue, recoverTo, store, statistics, isToCommit);
  }

  runHistory(reader: Reader, count = Infinity): void {
    for (let i = 0; i < count && this.inbox.length > 0; i++) {
      for (const answer of this.#answers(this.inbox.shift()!)) reader.history.receive(answer);
    }
  }

  answer<Q extends QueryName>(name: Q, parameters: QueryParameters[Q]): string {
    let given: string | null = null;
    this.reader.answer(0, name, parameters, ({ status, body }) => { given = `${status} ${body}`; });
    this.runHistory(this.reader);
    if (given === null) throw new Error(`${name} was not answered`);
    return given;
  }

  #answers(message: ToHistory): FromHistory[] {
    if (message.type === 'batch') {
      const taken: FromHistory = { type: 'taken', seq: this.store.take([structuredClone(message) as Batch]) };
      return this.#isToCommit() ? [taken, { type: 'committed', seq: this.store.commit() }] : [taken];
    }
    if (message.type === 'close') {
      this.store.finish(message.candles);
      return [{ type: 'closed' }];
    }
    const rows = structuredClone(this.store.answer(message.query as HistoryQuery));
    return [{ type: 'answered', request: message.request, appliedSeq: this.store.appliedSeq, rows }];
  }
}

/** The records of a venue's log, in frames of the journal; and to whoever reads along. */
export class Log {
  readonly #writer: JournalWriter;
  readonly #venue: TestVenue;
  #written = 0;

  /** `written`: records that the journal has already. */
  constructor(folder: string, venue: TestVenue, behaviour = BEHAVIOUR, written = 0) {
    this.#venue = venue;
    this.#written = written;
    this.#writer = openWriter(folder, { venue: VENUE, behaviour });
  }

  close(): void {
    this.#writer.close();
  }

  /** Commits what was sequenced since the last time as one frame; returns the records. */
  commit(digests: readonly { seq: number; low: number; high: number }[] = []): Uint8Array[] {
    const fresh = this.#venue.log.kept.slice(this.#written);
    const first = this.#written + 1;
    this.#written += fresh.length;
    if (fresh.length > 0) this.#writer.append(Buffer.concat(fresh), first, this.#written, digests);
    return fresh;
  }

  get seq(): number {
    return this.#written;
  }
}
