// Answers and stream messages to one api thread, in order, through one ring, with a bounded backlog. If that thread makes no progress for
// 5 s while messages wait, the venue ends. A body larger than a record goes by MessagePort, with a record in its place.

import type { MessagePort } from 'node:worker_threads';
import { alignUp, HIGH } from '../../core/codec/record.ts';
import type { Ringer } from '../ipc/doorbell.ts';
import type { HeartbeatWatch } from '../ipc/counters.ts';
import type { RingProducer } from '../ipc/ring.ts';
import {
  ANSWER, ANSWER_HEAD_BYTES, ANSWER_WORD_BYTES, ANSWER_WORD_KIND, ANSWER_WORD_NUMBER, ANSWER_WORD_STATUS, LARGE, STREAM, type Answer,
  type Large,
} from '../ipc/queries.ts';

/** Bound of the backlog; above it the reader takes no new work. */
export const MOST_BYTES = 67_108_864;
const STALLED_MS = 5_000;

type Entry = {
  readonly kind: number; readonly number: number; readonly words: readonly number[]; readonly body: Uint8Array;
};

export class Outbox {
  readonly #ring: RingProducer;
  readonly #port: MessagePort;
  readonly #ringer: Ringer;
  readonly #watch: HeartbeatWatch;
  readonly #steady: () => number;
  #queue: Entry[] = [];
  #queuedBytes = 0;
  #isDirty = false;

  constructor(ring: RingProducer, port: MessagePort, ringer: Ringer, watch: HeartbeatWatch, steady: () => number) {
    this.#ring = ring;
    this.#port = port;
    this.#ringer = ringer;
    this.#watch = watch;
    this.#steady = steady;
  }

  answer(request: number, status: number, body: Uint8Array, { budget = null, seq = 0 }: Partial<Answer> = {}): void {
    const words = [status, budget?.limit ?? 0, budget?.left ?? 0, budget?.windowEnd ?? 0, seq >>> 0, Math.floor(seq / HIGH)];
    this.#put({ kind: ANSWER, number: request, words, body });
  }

  stream(topic: number, seq: number, body: Uint8Array, also = 0): void {
    this.#put({ kind: STREAM, number: topic, words: [seq >>> 0, Math.floor(seq / HIGH), also, 0, 0, 0], body });
  }

  get isFull(): boolean {
    return this.#queuedBytes > MOST_BYTES;
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  flush(): void {
    let moved = 0;
    while (moved < this.#queue.length && this.#write(this.#queue[moved]!)) this.#queuedBytes -= this.#queue[moved++]!.body.length;
    if (moved > 0) this.#queue.splice(0, moved);
    if (this.#queue.length > 0 && this.#silentMs() > STALLED_MS) {
      throw new Error(`an api thread made no progress for ${STALLED_MS} ms while messages waited for it`);
    }
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#ring.publish();
    this.#ringer.ring();
  }

  close(): void {
    this.#port.close();
    this.#ringer.close();
  }

  #silentMs(): number {
    return this.#watch.silentMs(this.#steady());
  }

  #put(entry: Entry): void {
    if (this.#queue.length === 0) {
      if (this.#write(entry)) return;
      this.#silentMs();
    }
    // `slice` of a Buffer would not copy.
    this.#queue.push({ ...entry, body: new Uint8Array(entry.body) });
    this.#queuedBytes += entry.body.length;
  }

  #write(entry: Entry): boolean {
    const { kind, number, words, body } = entry;
    const bytes = alignUp(ANSWER_HEAD_BYTES + body.length);
    if (bytes > this.#ring.largest) return this.#writeLarge(entry);
    const at = this.#ring.claim(bytes);
    if (at < 0) return false;
    const { u8, u32 } = this.#ring.views;
    const word = at >>> 2;
    u32[word + ANSWER_WORD_KIND] = kind;
    u32[word + ANSWER_WORD_NUMBER] = number;
    u32[word + ANSWER_WORD_BYTES] = body.length;
    for (let i = 0; i < words.length; i++) u32[word + ANSWER_WORD_STATUS + i] = words[i]!;
    u8.set(body, at + ANSWER_HEAD_BYTES);
    this.#isDirty = true;
    return true;
  }

  /** The record claims the largest size, which bounds the port's queue. */
  #writeLarge({ kind, number, words, body }: Entry): boolean {
    const at = this.#ring.claim(this.#ring.largest);
    if (at < 0) return false;
    const { u32 } = this.#ring.views;
    u32[(at >>> 2) + ANSWER_WORD_KIND] = LARGE;
    u32[(at >>> 2) + ANSWER_WORD_NUMBER] = number;
    const copy = new Uint8Array(body);
    const large: Large = kind === STREAM ? { topic: number, also: words[2]!, body: copy }
      : { request: number, answer: answerOf(words, copy) };
    // Cloned: detaching a buffer costs this thread more (docs/decisions/speed.md).
    this.#port.postMessage(large);
    this.#isDirty = true;
    return true;
  }
}

function answerOf(words: Entry['words'], body: Uint8Array): Answer {
  const [status, limit, left, windowEnd, low, high] = words as [number, number, number, number, number, number];
  return { status, body, budget: windowEnd === 0 ? null : { limit, left, windowEnd }, seq: high * HIGH + low };
}
