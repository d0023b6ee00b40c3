// Requests of this thread that wait for answers of another thread, by request number: one answer, or of a bulk one for each
// of its records, in their order. All wait equally long, so the order of arrival is the order of deadlines. A request whose
// client was answered with a timeout keeps its row until the late answers come, or it is said that none will: the rings have room
// for so many answers and no more. Never answers a client twice: each answer settles or expires.

import { WrappingIdTable } from '../process/wrapping-id-table.ts';

/** Who waits for the answers to a request. */
export type Waiter<Answer> = {
  /** An answer has come in time; `at`: which of them. */
  settle(answer: Answer, at: number): void;
  /** The time is up; `from`: the first answer that has not come. */
  expire(from: number): void;
  /** An answer has come after `expire`, and what it tells of has to be undone. */
  late?: ((answer: Answer) => void) | undefined;
};

/** `source`: whose request it is, 0: nobody's. */
type PendingRequest<Answer> = {
  readonly waiter: Waiter<Answer>; readonly deadline: number; readonly answers: number; readonly source: number; taken: number;
  isExpired: boolean;
};

export class PendingRequests<Answer> {
  readonly #rows: WrappingIdTable<PendingRequest<Answer>>;
  readonly #capacity: number;
  readonly #waitMs: number;
  /** All up to this one have come in time, or their time was up. */
  #swept: number;
  #open = 0;
  #awaited = 0;

  /** `first` is the number of the first request; tests begin below the wrap at 2^32. */
  constructor(capacity: number, waitMs: number, first = 1) {
    this.#capacity = capacity;
    this.#waitMs = waitMs;
    this.#rows = new WrappingIdTable(capacity, first);
    this.#swept = this.#rows.last;
  }

  get isFull(): boolean {
    return !this.hasRoom(1);
  }

  hasRoom(answers: number): boolean {
    return this.#awaited + answers <= this.#capacity;
  }

  /** Answers awaited, late ones included. */
  get size(): number {
    return this.#awaited;
  }

  /** Clients that still wait. */
  get open(): number {
    return this.#open;
  }

  /** The number of the request; there is room (`hasRoom` said so). */
  add(now: number, waiter: Waiter<Answer>, answers = 1, source = 0): number {
    this.#open++;
    this.#awaited += answers;
    return this.#rows.add({ waiter, deadline: now + this.#waitMs, answers, source, taken: 0, isExpired: false });
  }

  /** Whose request it is; 0: nobody's, or none that waits. */
  sourceOf(request: number): number {
    return this.#rows.get(request)?.source ?? 0;
  }

  /** Gives the answer to whoever waits for it, or for its coming late; an answer that nobody waits for is dropped. */
  settle(request: number, answer: Answer): void {
    const row = this.#rows.get(request);
    if (row === null) return;
    const at = row.taken++;
    const isLast = row.taken === row.answers;
    this.#awaited--;
    if (isLast) this.#rows.remove(request);
    if (row.isExpired) return row.waiter.late?.(answer);
    if (isLast) this.#open--;
    row.waiter.settle(answer, at);
  }

  /** No answer will come: there is room again, and who waits is answered as if the time were up. */
  abandon(request: number): void {
    const row = this.#rows.get(request);
    if (row === null) return;
    this.#rows.remove(request);
    this.#awaited -= row.answers - row.taken;
    this.#expire(row);
  }

  /** Answers those whose time is up by `now`, or all of them. */
  sweep(now: number): void {
    while (this.#swept !== this.#rows.last) {
      const next = (this.#swept + 1) >>> 0;
      const row = this.#rows.get(next);
      if (row !== null && !row.isExpired) {
        if (row.deadline > now) return;
        this.#expire(row);
      }
      this.#swept = next;
    }
  }

  #expire(row: PendingRequest<Answer>): void {
    if (row.isExpired) return;
    row.isExpired = true;
    this.#open--;
    row.waiter.expire(row.taken);
  }
}
