// Main while this node follows: applies what the log accepted, and passes it on through the log ring to the journal and the reader, which
// then work as ever. It stops before MainLoop begins, because a ring has one producer.

import { apply } from '../../../core/engine/apply.ts';
import { SEQ, type State } from '../../../core/engine/state.ts';
import { RECORD_BYTES } from '../../../core/limits.ts';
import { isSignedKind } from '../../../core/codec/commands.ts';
import { recordKind, viewsOf, type Views } from '../../../core/codec/record.ts';
import { CONNECTION_OPENED, connectionOf } from '../../ipc/command-ring.ts';
import { Ringer } from '../../ipc/doorbell.ts';
import { ringConsumer, ringProducer, type RingConsumer, type RingProducer } from '../../ipc/ring.ts';
import { sharedSteady } from '../clock.ts';
import type { Meters } from '../observability/meters.ts';
import { DIGEST_EVERY, type MainWiring } from '../wiring.ts';

const RETRY_MS = 1;
const DROP_EVERY_MS = 50;

type FollowerOptions = {
  readonly wiring: MainWiring;
  readonly state: State;
  readonly meters: Meters;
  readonly onDigest: (digest: { seq: number; low: number; high: number }) => void;
};
type Accepted = { readonly bytes: Uint8Array; readonly done: () => void; then?: () => void };

export class Follower {
  readonly #options: FollowerOptions;
  readonly #log: RingProducer;
  readonly #commands: readonly RingConsumer[];
  readonly #journal: Ringer;
  readonly #dropping: NodeJS.Timeout;
  /** Notices of the connections that are open, by api thread and number: who leads must know them. */
  readonly #opened: readonly Map<number, Views>[];
  #queue: Accepted[] = [];
  #at = 0;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#log = ringProducer(options.wiring.log);
    this.#journal = new Ringer(options.wiring.ringJournal);
    this.#commands = options.wiring.commands.map((ring) => ringConsumer(ring, 0));
    this.#opened = this.#commands.map(() => new Map<number, Views>());
    this.#dropping = setInterval(() => this.#drop(), DROP_EVERY_MS);
  }

  whenIdle(then: () => void): void {
    if (this.#queue.length === 0) then();
    else this.#queue.at(-1)!.then = then;
  }

  /** `bytes` are 8-byte aligned. */
  push(bytes: Uint8Array, done: () => void): void {
    this.#queue.push({ bytes, done });
    if (this.#retry === null && this.#queue.length === 1) this.#applyAll();
  }

  stop(): readonly (readonly Views[])[] {
    this.#drop();
    clearInterval(this.#dropping);
    if (this.#retry !== null) clearTimeout(this.#retry);
    return this.#opened.map((connections) => [...connections.values()]);
  }

  #applyAll(): void {
    this.#retry = null;
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (!this.#apply(next.bytes)) {
        this.#retry = setTimeout(() => this.#applyAll(), RETRY_MS);
        break;
      }
      this.#at = 0;
      this.#queue.shift();
      next.done();
      next.then?.();
    }
    this.#journal.ring();
  }

  #apply(bytes: Uint8Array): boolean {
    const { state, meters, onDigest } = this.#options;
    const log = this.#log;
    const { u32 } = viewsOf(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    while (this.#at < bytes.length) {
      if (log.room() < RECORD_BYTES) return false;
      const length = u32[this.#at >>> 2]!;
      const to = log.claim(length);
      log.views.u8.set(bytes.subarray(this.#at, this.#at + length), to);
      apply(state, log.views, to);
      const seq = state.clock[SEQ]!;
      meters.setTimestamp(seq, sharedSteady());
      log.publish();
      this.#at += length;
      meters.set('seq', seq);
      const [low, high] = state.events.digest;
      if (seq % DIGEST_EVERY === 0) onDigest({ seq, low: low!, high: high! });
    }
    return true;
  }

  #drop(): void {
    for (const [api, ring] of this.#commands.entries()) {
      const { views } = ring;
      for (let at = ring.next(); at >= 0; at = ring.next()) {
        if (isSignedKind(recordKind(views, at))) continue;
        const number = connectionOf(views, at);
        const bytes = views.u8.slice(at, at + views.u32[at >>> 2]!);
        if (recordKind(views, at) === CONNECTION_OPENED) this.#opened[api]!.set(number, viewsOf(bytes.buffer));
        else this.#opened[api]!.delete(number);
      }
      ring.release();
    }
  }
}
