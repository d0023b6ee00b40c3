// A read is answered once all that was durable when it was taken is applied, so it sees every acknowledged write, on
// any thread. Sources take turns. A full queue refuses reads; a read that waits too long times out.

import { BOUNDS, LIMITS } from '../http/limits.ts';
import { mostOf } from '../http/quota.ts';
import { FairQueue } from '../process/fair-queue.ts';
import { INTERNAL } from '../http/errors.ts';
import { reached } from '../ipc/counters.ts';
import type { ReadBudgets } from './budgets.ts';
import { CHARGE_NONE, READ_TIMED_OUT, QUERIES, type Budget, type Charged, type QueryName, type QueryParameters } from '../ipc/queries.ts';
import { refused, type QueryAnswer } from './answers.ts';
import type { Reader } from './reader.ts';

type Read = {
  readonly api: number; readonly request: number; readonly name: QueryName; readonly parameters: QueryParameters[QueryName];
  readonly charged: Charged; readonly budget: Budget; readonly durable: number;
  readonly until: number;
  next: Read | null;
};

type ReadQueueParts = {
  readonly reader: Reader;
  readonly durable: () => number;
  readonly steady: () => number;
  readonly budgets: ReadBudgets;
  readonly give: (api: number, request: number, answer: QueryAnswer & { readonly seq: number }, budget: Budget) => void;
  readonly fault: (name: QueryName, error: unknown) => void;
};

export class ReadQueue {
  readonly #parts: ReadQueueParts;
  readonly #reads = new FairQueue<number, Read>();

  constructor(parts: ReadQueueParts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#reads.length;
  }

  take(api: number, request: number, kind: number, json: string, charged: Charged): void {
    const { budgets, give, durable, steady } = this.#parts;
    const name = QUERIES[kind];
    if (name === undefined) throw new RangeError(`unknown kind of query: ${kind}`);
    const parameters = JSON.parse(json) as QueryParameters[QueryName];
    const budget = budgets.take(charged, walletOf(parameters));
    if (budget !== null && budget.left < 0) {
      return give(api, request, { status: 429, body: budget.message, seq: 0 }, { ...budget, left: 0 });
    }
    const until = steady() + BOUNDS.readWaitMs;
    const read: Read = { api, request, name, parameters, charged, budget, durable: durable(), until, next: null };
    // Never refused: nobody would repeat it, and the stream would never end.
    if (name === 'unsubscribe') return this.#answer(read);
    const source = charged.charge === CHARGE_NONE ? 0 : charged.source;
    if (this.#reads.length >= BOUNDS.readsWaiting) return this.#give(read, refused('bare', 'engine_busy', 'Too many reads are waiting'));
    if (source !== 0 && this.#reads.lengthOf(source) >= mostOf(LIMITS.sourceReadsWaiting, charged.isLoopback)) {
      return this.#give(read, refused('bare', 'engine_busy', 'Too many reads of this network source are waiting'));
    }
    this.#reads.add(source, read);
  }

  serve(isLong: () => boolean): boolean {
    return this.#reads.serve(this.#isReady, isLong, this.#answer);
  }

  readonly #isReady = (read: Read): boolean => reached(this.#parts.reader.applied, read.durable) || this.#isLate(read);

  #isLate({ until }: Read): boolean {
    return this.#parts.steady() >= until;
  }

  readonly #answer = (read: Read): void => {
    if (this.#isLate(read)) return this.#give(read, { status: READ_TIMED_OUT, body: '' });
    const { reader, fault } = this.#parts;
    const seq = reader.applied;
    let end: 'answered' | 'failed' | null = null;
    const give = (answer: QueryAnswer): void => {
      if (end === 'failed') return;
      end = 'answered';
      this.#give(read, answer, seq);
    };
    reader.history.guard.run(() => reader.answer(read.api, read.name, read.parameters, give), (error) => {
      if (end === 'answered') throw error;
      fault(read.name, error);
      give(refused('bare', INTERNAL.code, INTERNAL.message));
      end = 'failed';
    });
  };

  #give({ api, request, charged, budget }: Read, { status, body }: QueryAnswer, seq = 0): void {
    const { budgets, give } = this.#parts;
    budgets.end(charged);
    give(api, request, { status, body, seq }, budget);
  }
}

function walletOf(parameters: QueryParameters[QueryName]): string | undefined {
  const named: object = 'filter' in parameters ? parameters.filter : parameters;
  return 'wallet' in named ? named.wallet as string | undefined : undefined;
}
