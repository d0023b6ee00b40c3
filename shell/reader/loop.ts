// The reader thread's turns: apply the log as far as it is durable, pick up new reads, answer those that need no more of it, hand
// rows to the history, write a snapshot when one is due, end. It waits for nobody: what cannot go on is left where it is (log
// and queries fill up behind it, which closes main's intake and has reads refused) and a ring or a timer wakes it.

import { recordSeq } from '../../core/codec/record.ts';
import { countRows, type FromHistory } from '../storage/history/protocol.ts';
import type { Digest } from '../storage/journal/digests.ts';
import { runConsumer, type ConsumerHandle } from '../ipc/consumer-loop.ts';
import { reached, type Counter } from '../ipc/counters.ts';
import type { Doorbell, Ringer } from '../ipc/doorbell.ts';
import type { RingConsumer } from '../ipc/ring.ts';
import type { ReadQueue } from './read-queue.ts';
import type { Outbox } from './outbox.ts';
import {
  LOOPBACK, QUERY_HEAD_BYTES, QUERY_WORD_BYTES, QUERY_WORD_CHARGE, QUERY_WORD_KIND, QUERY_WORD_REQUEST, QUERY_WORD_SOURCE,
} from '../ipc/queries.ts';
import type { Reader } from './reader.ts';
import type { Snapshots } from './snapshots.ts';
import { textOfBytes } from './text.ts';

/** So many the history takes within a few seconds. */
export const STOP_ROWS = 50_000;
/** How often what the streams hold back is looked at, ms: a small part of how long they do, so that no burst of messages is made. */
const STREAM_MS = 1.25;
/** How long reads are answered on end, ms: then the log, the streams and the event loop have their turns, however dear the reads are. */
export const READ_MS = 5;
/** How often a ring that has no room is tried again. */
const RETRY_MS = 1;

type LoopParts = {
  readonly reader: Reader;
  readonly reads: ReadQueue;
  readonly snapshots: Snapshots;
  readonly log: RingConsumer;
  readonly queries: readonly RingConsumer[];
  readonly outboxes: readonly Outbox[];
  readonly doorbell: Doorbell;
  readonly main: Ringer;
  /** Low words of seqs; `blocked` is 1 while main waits for room in the log. */
  readonly durable: Counter;
  readonly applied: Counter;
  readonly blocked: Counter;
  /** ms of a clock that never goes back. */
  readonly steady: () => number;
  /** Rows that the history is still given at a stop. */
  readonly stopRows?: number;
};

export class ReaderLoop {
  readonly #parts: LoopParts;
  readonly #consumer: ConsumerHandle;
  /** Low word of the seq at which the next snapshot is written; nothing beyond it is applied before. */
  #snapshotAt: number | null = null;
  #retry: NodeJS.Timeout | null = null;
  /** When what streams hold back was looked at last, and the timer that does it next. */
  #streamedAt = -Infinity;
  #streaming: NodeJS.Timeout | null = null;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    this.#consumer = runConsumer({ doorbell: parts.doorbell, drain: (limit) => this.#drain(limit) });
  }

  fromHistory(message: FromHistory): void {
    this.#parts.reader.history.receive(message);
    this.#flush();
    this.#consumer.wake();
  }

  /** Main's output digest. Throws when it is not the reader's own. */
  digest(digest: Digest): void {
    this.#parts.reader.digests.other(digest);
  }

  /**
   * Everything sequenced is durable, and no api thread asks any more. `done` is called when history and snapshot have it all. A
   * history that is far behind stays where it is, or the stop would take minutes: the next start begins with a snapshot that is
   * not ahead of it, so none is written here.
   */
  stop(done: () => void): void {
    const { reader, snapshots } = this.#parts;
    this.#consumer.stop();
    this.#snapshotAt = null;
    while (this.#apply(Infinity) > 0) { /* to the end of the log */ }
    if (this.#retry !== null) clearTimeout(this.#retry);
    if (this.#streaming !== null) clearTimeout(this.#streaming);
    reader.history.close(() => {
      if (!reader.rows.isLeft) snapshots.write(reader.state);
      done();
    });
  }

  #drain(limit: number): number {
    const { reader, reads, outboxes, steady } = this.#parts;
    if (outboxes.some((outbox) => outbox.isFull)) {
      this.#flush();
      return 0;
    }
    const done = this.#apply(limit) + this.#takeQueries(limit);
    const until = steady() + READ_MS;
    const isLong = reads.settle(() => steady() >= until || outboxes.some((outbox) => outbox.isFull));
    reader.history.send();
    this.#stream();
    this.#flush();
    return isLong ? limit : done;
  }

  /** Applies up to `limit` records that are durable; returns how many. */
  #apply(limit: number): number {
    const { reader, log, durable, applied, blocked, main, stopRows = STOP_ROWS } = this.#parts;
    const isStopping = limit === Infinity;
    const upTo = isStopping ? durable.load() : this.#upTo();
    let done = 0;
    while (done < limit && (isStopping || !reader.rows.isFull)) {
      const at = log.peek();
      if (at < 0 || !reached(upTo, recordSeq(log.views, at))) break;
      if (!reader.isReady(log.views, at)) {
        if (!isStopping) break;
        // At a stop nobody is waited for.
        reader.rows.leave();
      }
      if (isStopping && !reader.rows.isLeft && countRows(reader.rows.rows) >= stopRows) reader.rows.leave();
      reader.feed(log.views, at);
      log.advance();
      done++;
    }
    if (done > 0) {
      applied.store(reader.applied);
      log.release();
      if (blocked.load() === 1) main.ring();
    }
    if (!isStopping) this.#snapshot();
    return done;
  }

  /** How far may be applied: to what is durable, which is an end of a frame, and no further than where a snapshot is due. */
  #upTo(): number {
    const { reader, snapshots, durable } = this.#parts;
    if (this.#snapshotAt !== null) return this.#snapshotAt;
    const end = durable.load();
    if (snapshots.isDue(reader.applied, reader.history.committed)) this.#snapshotAt = end;
    return end;
  }

  /** Writes the snapshot that is due once its place is reached. */
  #snapshot(): void {
    const { reader, snapshots } = this.#parts;
    if (this.#snapshotAt === null || (reader.applied >>> 0) !== this.#snapshotAt) return;
    snapshots.write(reader.state);
    this.#snapshotAt = null;
  }

  /** Picks up what the api threads ask, of each up to its part; returns how many. */
  #takeQueries(limit: number): number {
    const { queries, reads } = this.#parts;
    const part = Math.max(1, Math.floor(limit / queries.length));
    let done = 0;
    for (const [api, ring] of queries.entries()) {
      const { u8, u32 } = ring.views;
      for (let count = 0; count < part; count++, done++) {
        const at = ring.next();
        if (at < 0) break;
        const word = at >>> 2;
        const charge = u32[word + QUERY_WORD_CHARGE]!;
        const json = textOfBytes(u8, at + QUERY_HEAD_BYTES, u32[word + QUERY_WORD_BYTES]!);
        reads.take(api, u32[word + QUERY_WORD_REQUEST]!, u32[word + QUERY_WORD_KIND]!, json, {
          charge: charge & ~LOOPBACK, source: u32[word + QUERY_WORD_SOURCE]!, isLoopback: (charge & LOOPBACK) !== 0,
        });
      }
      ring.release();
    }
    return done;
  }

  /** Sends what of the streams is due, unless it was looked at just now: then a timer does, if no turn of the loop comes before it. */
  #stream(): void {
    const { reader: { streams }, outboxes, steady } = this.#parts;
    if (!streams.isPending) return;
    const begun = steady();
    const wait = this.#streamedAt + STREAM_MS - begun;
    if (wait <= 0 && !outboxes.some((outbox) => outbox.isFull)) {
      streams.flush(begun);
      // From when it began, so that the moment is not longer the more there is to send; and half of it is for the rest of the loop.
      this.#streamedAt = Math.max(begun, steady() - STREAM_MS / 2);
      if (!streams.isPending) return;
    }
    this.#streaming ??= setTimeout(() => {
      this.#streaming = null;
      this.#stream();
      this.#flush();
    }, wait > 0 ? wait : STREAM_MS);
  }

  /** Shows what was written; while something waits for room, a timer tries again. */
  #flush(): void {
    let waits = false;
    for (const outbox of this.#parts.outboxes) {
      outbox.flush();
      waits ||= !outbox.isEmpty;
    }
    if (!waits || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#flush();
      this.#consumer.wake();
    }, RETRY_MS);
  }
}
