// The reader thread's loop: applies durable log records, answers reads, sends rows to the history, writes snapshots. It never blocks:
// work that cannot go on stays in its ring until a ring or a timer wakes the loop.

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

export const STOP_ROWS = 50_000;
/** Far below the conflation time, so that messages do not go out in bursts. */
const STREAM_MS = 1.25;
/** Time for reads in one turn, ms. */
export const READ_MS = 5;
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
  /** `blocked` is 1 while main waits for room in the log. */
  readonly durable: Counter;
  readonly applied: Counter;
  readonly blocked: Counter;
  readonly steady: () => number;
  readonly stopRows?: number;
};

export class ReaderLoop {
  readonly #parts: LoopParts;
  readonly #consumer: ConsumerHandle;
  /** Low word; no later record is applied before this snapshot is written. */
  #snapshotAt: number | null = null;
  #retry: NodeJS.Timeout | null = null;
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

  digest(digest: Digest): void {
    this.#parts.reader.digests.other(digest);
  }

  /**
   * Call when everything sequenced is durable. A history far behind would take minutes and is not waited for; then no
   * snapshot is written, since the next start needs one not ahead of the history.
   */
  stop(done: () => void): void {
    const { reader, snapshots } = this.#parts;
    this.#consumer.stop();
    this.#snapshotAt = null;
    while (this.#apply(Infinity) > 0) { /* to the end of the log */ }
    if (this.#retry !== null) clearTimeout(this.#retry);
    if (this.#streaming !== null) clearTimeout(this.#streaming);
    reader.history.close(() => {
      if (!reader.rows.isAbandoned) snapshots.write(reader.state);
      done();
    }, reader.candlesSoFar());
  }

  #drain(limit: number): number {
    const { reader, reads, outboxes, steady } = this.#parts;
    if (outboxes.some((outbox) => outbox.isFull)) {
      this.#flush();
      return 0;
    }
    const done = this.#apply(limit) + this.#takeQueries(limit);
    const until = steady() + READ_MS;
    const isLong = reads.serve(() => steady() >= until || outboxes.some((outbox) => outbox.isFull));
    reader.history.send();
    this.#stream();
    this.#flush();
    return isLong ? limit : done;
  }

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
        reader.rows.abandon();
      }
      if (isStopping && !reader.rows.isAbandoned && countRows(reader.rows.rows) >= stopRows) reader.rows.abandon();
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

  #upTo(): number {
    const { reader, snapshots, durable } = this.#parts;
    if (this.#snapshotAt !== null) return this.#snapshotAt;
    const end = durable.load();
    if (end !== reader.applied >>> 0 && snapshots.isDue(reader.applied, reader.history.committed)) this.#snapshotAt = end;
    return end;
  }

  #snapshot(): void {
    const { reader, snapshots } = this.#parts;
    if (this.#snapshotAt === null || (reader.applied >>> 0) !== this.#snapshotAt) return;
    reader.keepCandles();
    snapshots.write(reader.state);
    this.#snapshotAt = null;
  }

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

  #stream(): void {
    const { reader: { streams }, outboxes, steady } = this.#parts;
    if (!streams.isPending) return;
    const begun = steady();
    const wait = this.#streamedAt + STREAM_MS - begun;
    if (wait <= 0 && !outboxes.some((outbox) => outbox.isFull)) {
      streams.flush(begun);
      // Counted from the start of the flush, but the rest of the loop gets at least half of STREAM_MS.
      this.#streamedAt = Math.max(begun, steady() - STREAM_MS / 2);
      if (!streams.isPending) return;
    }
    this.#streaming ??= setTimeout(() => {
      this.#streaming = null;
      this.#stream();
      this.#flush();
    }, wait > 0 ? wait : STREAM_MS);
  }

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
