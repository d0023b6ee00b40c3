// Queries to the reader, answers and stream messages. A large body is posted to a port before its record is published,
// which keeps the order. An answer's body is valid only while `settle` runs.

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { alignUp, HIGH } from '../../core/codec/record.ts';
import {
  ANSWER, ANSWER_HEAD_BYTES, ANSWER_WORD_BYTES, ANSWER_WORD_KIND, ANSWER_WORD_LEFT, ANSWER_WORD_LIMIT, ANSWER_WORD_NUMBER, ANSWER_WORD_SEQ,
  ANSWER_WORD_STATUS, ANSWER_WORD_WINDOW_END, CHARGE_NONE, READ_TIMED_OUT, LARGE, LOOPBACK, QUERIES, QUERY_HEAD_BYTES, QUERY_WORD_BYTES,
  QUERY_WORD_CHARGE, QUERY_WORD_KIND, QUERY_WORD_REQUEST, QUERY_WORD_SOURCE, STREAM, STREAM_WORD_ALSO, type Answer, type Budget, type Large,
  type QueryName, type QueryParameters,
} from '../ipc/queries.ts';
import { Quota } from '../http/quota.ts';
import type { Source } from '../http/source.ts';
import { IN_FLIGHT } from '../process/wiring.ts';
import type { Ringer } from '../ipc/doorbell.ts';
import type { RingConsumer, RingProducer } from '../ipc/ring.ts';
import { BOUNDS, partsOf } from '../http/limits.ts';
import { PendingRequests } from './pending-requests.ts';

type Charge = { readonly charge: number; readonly source: Source };

type ReadParts = {
  readonly queries: RingProducer;
  readonly answers: RingConsumer;
  readonly large: MessagePort;
  readonly ringReader: Ringer;
  readonly steady: () => number;
  /** `body`: a copy. `also`: a second topic, or 0. */
  readonly onStream: (topic: number, body: Uint8Array, also: number) => void;
};

export function bodyJson(body: Uint8Array): unknown {
  return JSON.parse(Buffer.from(body).toString('utf8'));
}

export class ReaderClient {
  readonly pending = new PendingRequests<Answer>(IN_FLIGHT, BOUNDS.answerMs);
  readonly #parts: ReadParts;
  readonly #inFlight = new Quota<number>(partsOf(IN_FLIGHT));

  constructor(parts: ReadParts) {
    this.#parts = parts;
  }

  /** Later calls `settle` or `expire`; after `expire`, `late` if the answer still comes. False if there is no room. */
  ask<Q extends QueryName>(
    query: Q, parameters: QueryParameters[Q], settle: (answer: Answer) => void, expire: () => void, charged: Charge | null = null,
    late?: (answer: Answer) => void,
  ): boolean {
    const { queries, ringReader, steady } = this.#parts;
    if (this.pending.isFull || (charged !== null && this.#inFlight.left(charged.source.digest, charged.source.loopback) <= 0)) return false;
    const json = Buffer.from(JSON.stringify(parameters));
    const bytes = alignUp(QUERY_HEAD_BYTES + json.length);
    if (bytes > queries.largest) return false;
    const at = queries.claim(bytes);
    if (at < 0) return false;
    const { u8, u32 } = queries.views;
    const word = at >>> 2;
    u32[word + QUERY_WORD_KIND] = QUERIES.indexOf(query);
    const source = charged?.source.digest ?? 0;
    u32[word + QUERY_WORD_REQUEST] = this.pending.add(steady(), { settle, expire, late }, 1, source);
    u32[word + QUERY_WORD_BYTES] = json.length;
    u32[word + QUERY_WORD_SOURCE] = source;
    u32[word + QUERY_WORD_CHARGE] = charged === null ? CHARGE_NONE : charged.charge | (charged.source.loopback ? LOOPBACK : 0);
    u8.set(json, at + QUERY_HEAD_BYTES);
    queries.publish();
    ringReader.ringSoon();
    if (charged !== null) this.#inFlight.add(source);
    return true;
  }

  #freePlace(request: number): void {
    const source = this.pending.sourceOf(request);
    if (source !== 0) this.#inFlight.give(source);
  }

  sweep(now: number): void {
    this.pending.sweep(now);
  }

  get end(): number {
    return this.#parts.answers.end();
  }

  drain(limit: number, until: number, end = this.end): number {
    const { answers, steady } = this.#parts;
    let done = 0;
    while (done < limit && !answers.hasTaken(end)) {
      const at = answers.next();
      if (at < 0) break;
      done++;
      this.#take(at);
      if (steady() >= until) done = limit;
    }
    answers.release();
    return done;
  }

  #take(at: number): void {
    const { answers, onStream } = this.#parts;
    const { u8, u32 } = answers.views;
    const word = at >>> 2;
    const kind = u32[word + ANSWER_WORD_KIND]!;
    const number = u32[word + ANSWER_WORD_NUMBER]!;
    if (kind === LARGE) return this.#takeLarge();
    const body = u8.subarray(at + ANSWER_HEAD_BYTES, at + ANSWER_HEAD_BYTES + u32[word + ANSWER_WORD_BYTES]!);
    const status = u32[word + ANSWER_WORD_STATUS]!;
    if (kind === ANSWER) this.#freePlace(number);
    if (kind === ANSWER && status === READ_TIMED_OUT) this.pending.abandon(number);
    else if (kind === ANSWER) this.pending.settle(number, { status, body, budget: this.#budgetAt(word), seq: this.#seqAt(word) });
    else if (kind === STREAM) onStream(number, Buffer.from(body), u32[word + STREAM_WORD_ALSO]!);
    else throw new RangeError(`the reader sent a record of kind ${kind}`);
  }

  #budgetAt(word: number): Budget {
    const { u32 } = this.#parts.answers.views;
    const windowEnd = u32[word + ANSWER_WORD_WINDOW_END]!;
    // A tier without reads has limit 0.
    return windowEnd === 0 ? null : { limit: u32[word + ANSWER_WORD_LIMIT]!, left: u32[word + ANSWER_WORD_LEFT]!, windowEnd };
  }

  #seqAt(word: number): number {
    const { u32 } = this.#parts.answers.views;
    return u32[word + ANSWER_WORD_SEQ]! + u32[word + ANSWER_WORD_SEQ + 1]! * HIGH;
  }

  #takeLarge(): void {
    const posted = receiveMessageOnPort(this.#parts.large) as { message: Large } | undefined;
    if (posted === undefined) throw new RangeError('the reader announced a large body and posted none');
    const { message } = posted;
    if ('topic' in message) this.#parts.onStream(message.topic, message.body, message.also);
    else {
      this.#freePlace(message.request);
      this.pending.settle(message.request, message.answer);
    }
  }
}
