// Requests that await answers of another thread; a bulk awaits one per record. All have the same timeout. A request that timed out keeps
// its place until its late answers come. Each answer settles or expires, never both.

import { WrappingIdTable } from '../process/wrapping-id-table.ts';

export type Waiter<Answer> = {
  /** `at`: its position. */
  settle(answer: Answer, at: number): void;
  /** `from`: position of the first missing answer. */
  expire(from: number): void;
  /** An answer came after `expire`: its effect must be undone. */
  late?: ((answer: Answer) => void) | undefined;
};

type PendingRequest<Answer> = {
  readonly waiter: Waiter<Answer>; readonly deadline: number; readonly answers: number; readonly source: number;
  /** Places taken beside one for each answer. */
  readonly extra: number; taken: number;
  isExpired: boolean;
};

export class PendingRequests<Answer> {
  readonly #rows: WrappingIdTable<PendingRequest<Answer>>;
  readonly #capacity: number;
  readonly #waitMs: number;
  /** Up to this number, requests have been answered or have expired. */
  #swept: number;
  #open = 0;
  #awaited = 0;

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

  get size(): number {
    return this.#awaited;
  }

  get open(): number {
    return this.#open;
  }

  /** Check `hasRoom` first. */
  add(now: number, waiter: Waiter<Answer>, answers = 1, source = 0, extra = 0): number {
    this.#open++;
    this.#awaited += answers + extra;
    return this.#rows.add({ waiter, deadline: now + this.#waitMs, answers, source, extra, taken: 0, isExpired: false });
  }

  sourceOf(request: number): number {
    return this.#rows.get(request)?.source ?? 0;
  }

  settle(request: number, answer: Answer): void {
    const row = this.#rows.get(request);
    if (row === null) return;
    const at = row.taken++;
    const isLast = row.taken === row.answers;
    this.#awaited -= isLast ? 1 + row.extra : 1;
    if (isLast) this.#rows.remove(request);
    if (row.isExpired) return row.waiter.late?.(answer);
    if (isLast) this.#open--;
    row.waiter.settle(answer, at);
  }

  abandon(request: number): void {
    const row = this.#rows.get(request);
    if (row === null) return;
    this.#rows.remove(request);
    this.#awaited -= row.answers - row.taken + row.extra;
    this.#expire(row);
  }

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
