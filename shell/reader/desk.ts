// Reads, from the ring to their answers. A read that is picked up loads `durable` then, and is answered when the reader has
// applied at least that much: whoever was told of a write finds it in every later read, on any thread. `durable` only
// grows, so the reads that wait are in the order of what they wait for. Bounded: beyond it a read is refused.

import { reached } from '../transport/counters.ts';
import type { ReadBudgets } from './budgets.ts';
import { QUERIES, type Budget, type Charged, type QueryName, type QueryParameters } from '../protocol/reads.ts';
import { refused, type Answer } from './answers.ts';
import type { Reader } from './reader.ts';

/** Reads that wait for the reader to catch up. */
const MOST_WAITING = 8_192;

type Read = {
  readonly api: number; readonly request: number; readonly name: QueryName; readonly parameters: QueryParameters[QueryName];
  readonly charged: Charged; readonly budget: Budget; readonly durable: number;
};

type DeskParts = {
  readonly reader: Reader;
  /** Low word of the last durable seq. */
  readonly durable: () => number;
  readonly budgets: ReadBudgets;
  readonly give: (api: number, request: number, answer: Answer, budget: Budget) => void;
};

export class Desk {
  readonly #parts: DeskParts;
  #waiting: Read[] = [];
  /** Reads at the head of `waiting` that have been answered. */
  #answered = 0;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting.length - this.#answered;
  }

  /**
   * Picks one read up: `kind` is an index into QUERIES, `json` its parameters. One beyond its budget is answered 429 with the
   * text of the refusal; the api thread makes the body.
   */
  take(api: number, request: number, kind: number, json: string, charged: Charged): void {
    const { budgets, give, durable } = this.#parts;
    const name = QUERIES[kind];
    if (name === undefined) throw new RangeError(`no query is of kind ${kind}`);
    const parameters = JSON.parse(json) as QueryParameters[QueryName];
    const budget = budgets.take(charged, walletOf(parameters));
    if (budget !== null && budget.left < 0) return give(api, request, { status: 429, body: budget.message }, { ...budget, left: 0 });
    const read: Read = { api, request, name, parameters, charged, budget, durable: durable() };
    if (this.waiting === 0 && this.#isReached(read)) this.#answer(read);
    else if (this.waiting < MOST_WAITING) this.#waiting.push(read);
    else this.#give(read, refused('bare', 'engine_busy', 'Too many reads are waiting'));
  }

  /** Answers those that waited for what has been applied by now. */
  settle(): void {
    while (this.waiting > 0 && this.#isReached(this.#waiting[this.#answered]!)) this.#answer(this.#waiting[this.#answered++]!);
    if (this.#answered === this.#waiting.length) this.#waiting = [];
    else if (this.#answered > MOST_WAITING) this.#waiting = this.#waiting.slice(this.#answered);
    else return;
    this.#answered = 0;
  }

  #isReached({ durable }: Read): boolean {
    return reached(this.#parts.reader.applied, durable);
  }

  #answer(read: Read): void {
    this.#parts.reader.answer(read.api, read.name, read.parameters, (answer) => this.#give(read, answer));
  }

  #give({ api, request, charged, budget }: Read, answer: Answer): void {
    const { budgets, give } = this.#parts;
    budgets.end(charged);
    give(api, request, answer, budget);
  }
}

/** Whose read it is, as far as it names one; an export names it in its filter. */
function walletOf(parameters: QueryParameters[QueryName]): string | undefined {
  const named: object = 'filter' in parameters ? parameters.filter : parameters;
  return 'wallet' in named ? named.wallet as string | undefined : undefined;
}
