// `min_seq` in the query of a read: the answer has everything up to that command. Requests that wait here count as in flight, which
// bounds them.

import { INTERNAL, sendError, sendRefusal, type Envelope } from './errors.ts';
import type { Schema } from './fields.ts';
import type { Responder } from './message.ts';

export const MIN_SEQ = {
  min_seq: {
    kind: 'int64', min: 0, optional: true,
    doc: 'The answer has everything up to this command (`X-Strikebook-Seq`). Waits for it for a second, then 503 `behind`.',
  },
} as const satisfies Schema;

const WAIT_MS = 1_000;
const LOOK_EVERY_MS = 5;

type Waiting = {
  readonly seq: number; readonly until: number; readonly go: () => unknown; readonly responder: Responder; readonly envelope: Envelope;
};

export class SeqWaits {
  readonly #isReached: (seq: number) => boolean;
  readonly #steady: () => number;
  readonly #fault: (place: string, error: unknown) => void;
  #waiting: Waiting[] = [];
  #looking: NodeJS.Timeout | null = null;

  constructor(isReached: (seq: number) => boolean, steady: () => number, fault: (place: string, error: unknown) => void) {
    this.#isReached = isReached;
    this.#steady = steady;
    this.#fault = fault;
  }

  /** Calls `go` at once or later, or answers itself. */
  when(seq: number, responder: Responder, envelope: Envelope, go: () => unknown): unknown {
    if (this.#isReached(seq)) return go();
    this.#waiting.push({ seq, until: this.#steady() + WAIT_MS, go, responder, envelope });
    this.#looking ??= setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  close(): void {
    if (this.#looking !== null) clearInterval(this.#looking);
    this.#looking = null;
  }

  #go({ go, responder, envelope }: Waiting): void {
    (async () => { await go(); })().catch((error: unknown) => {
      this.#fault('read', error);
      sendRefusal(responder, envelope, INTERNAL);
    });
  }

  #look(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      if (one.responder.aborted) continue;
      if (this.#isReached(one.seq)) this.#go(one);
      else if (this.#steady() < one.until) this.#waiting.push(one);
      else sendError(one.responder, one.envelope, 'behind', `This node has not reached seq ${one.seq} yet`);
    }
    if (this.#waiting.length === 0) this.close();
  }
}
