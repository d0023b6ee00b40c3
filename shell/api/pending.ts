// Requests of this thread that wait for answers of another thread, by request number: one answer, or of a bulk one for each
// of its records, in their order. All wait equally long, so the order of arrival is the order of deadlines. A request whose
// client was answered with a timeout keeps its row until the late answers come, or it is said that none will: the rings have room
// for so many answers and no more. Never answers a client twice: each answer settles or expires. What has been done on the other
// side by a late answer stands there: who asked for something that must be undone then gives `late`.

import { Numbered } from '../process/numbered.ts';

/** `at`: which of the request's answers; `from`: the first of those that did not come in time. */
type Settle<Answer> = (answer: Answer, at: number) => void;
type Expire = (from: number) => void;
type Row<Answer> = {
  readonly deadline: number; readonly answers: number; taken: number; settle: Settle<Answer> | null; readonly expire: Expire;
  readonly late: Settle<Answer> | null; readonly source: number;
};

export class Pending<Answer> {
  readonly #rows: Numbered<Row<Answer>>;
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
    this.#rows = new Numbered(capacity, first);
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

  /**
   * The number of the request; there is room (`hasRoom` said so). `late` is given each answer that comes after `expire`. `source`: whose
   * it is, 0: nobody's.
   */
  add(now: number, settle: Settle<Answer>, expire: Expire, answers = 1, late: Settle<Answer> | null = null, source = 0): number {
    this.#open++;
    this.#awaited += answers;
    return this.#rows.add({ deadline: now + this.#waitMs, answers, taken: 0, settle, expire, late, source });
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
    if (row.settle === null) return row.late?.(answer, at);
    if (isLast) this.#open--;
    row.settle(answer, at);
  }

  /** No answer will come: there is room again, and who waits is answered as if the time were up. */
  giveUp(request: number): void {
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
      if (row !== null && row.settle !== null) {
        if (row.deadline > now) return;
        this.#expire(row);
      }
      this.#swept = next;
    }
  }

  #expire(row: Row<Answer>): void {
    if (row.settle === null) return;
    row.settle = null;
    this.#open--;
    row.expire(row.taken);
  }
}
