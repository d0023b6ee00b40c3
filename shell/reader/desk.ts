// Reads, from the ring to their answers. A read that is picked up loads `durable` then, and is answered when the reader has
// applied at least that much: whoever was told of a write finds it in every later read, on any thread. Each network source has a
// line of its own, and the lines have turns, so a thousand dear reads of one are in nobody else's way. `durable` only grows, so
// the reads of a line are in the order of what they wait for. Bounded: beyond it a read is refused.

import { reached } from '../transport/counters.ts';
import type { ReadBudgets } from './budgets.ts';
import { CHARGE_NONE, QUERIES, type Budget, type Charged, type QueryName, type QueryParameters } from '../protocol/reads.ts';
import { refused, type Answer } from './answers.ts';
import type { Reader } from './reader.ts';

/** Reads that wait to be answered. */
const MOST_WAITING = 8_192;
/** Those of one network source that is not loopback. */
const MOST_OF_SOURCE = 256;

type Read = {
  readonly api: number; readonly request: number; readonly name: QueryName; readonly parameters: QueryParameters[QueryName];
  readonly charged: Charged; readonly budget: Budget; readonly durable: number;
  /** The one behind it in its line. */
  next: Read | null;
};

type Line = { first: Read; last: Read; length: number };

type DeskParts = {
  readonly reader: Reader;
  /** Low word of the last durable seq. */
  readonly durable: () => number;
  readonly budgets: ReadBudgets;
  readonly give: (api: number, request: number, answer: Answer, budget: Budget) => void;
};

export class Desk {
  readonly #parts: DeskParts;
  /** By network source, in the order of their turns; what the api threads ask for themselves is one line. None is empty. */
  readonly #lines = new Map<number, Line>();
  #waiting = 0;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting;
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
    const read: Read = { api, request, name, parameters, charged, budget, durable: durable(), next: null };
    const source = charged.charge === CHARGE_NONE ? 0 : charged.source;
    const line = this.#lines.get(source);
    const isBound = source !== 0 && !charged.isLoopback;
    if (this.#waiting >= MOST_WAITING) return this.#give(read, refused('bare', 'engine_busy', 'Too many reads are waiting'));
    if (isBound && line !== undefined && line.length >= MOST_OF_SOURCE) {
      return this.#give(read, refused('bare', 'engine_busy', 'Too many reads of this network source are waiting'));
    }
    this.#waiting++;
    if (line === undefined) {
      this.#lines.set(source, { first: read, last: read, length: 1 });
    } else {
      line.last.next = read;
      line.last = read;
      line.length++;
    }
  }

  /**
   * Answers those for which enough has been applied by now, one of each line in turn, until `isLong` says that it takes long: then
   * true, and there are more.
   */
  settle(isLong: () => boolean): boolean {
    // A line that is put back stands behind the others, and the loop comes by it again.
    for (const [source, line] of this.#lines) {
      const { first } = line;
      if (!this.#isReached(first)) continue;
      if (isLong()) return true;
      this.#lines.delete(source);
      if (first.next !== null) {
        line.first = first.next;
        line.length--;
        this.#lines.set(source, line);
      }
      this.#waiting--;
      this.#answer(first);
    }
    return false;
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
