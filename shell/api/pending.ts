// Requests of this thread that wait for an answer of another thread, by request number. All wait equally long, so the
// order of arrival is the order of deadlines. A request whose client was answered with a timeout keeps its row until
// the late answer comes: the rings have room for the answers of so many requests and no more.
// Never answers a client twice: a row settles once or expires once.

type Row<Answer> = { readonly deadline: number; settle: ((answer: Answer) => void) | null; readonly expire: () => void };

export class Pending<Answer> {
  readonly #rows = new Map<number, Row<Answer>>();
  readonly #capacity: number;
  readonly #waitMs: number;
  #last: number;
  #open = 0;

  /** `first` is the number of the first request; tests begin below the wrap at 2^32. */
  constructor(capacity: number, waitMs: number, first = 1) {
    this.#capacity = capacity;
    this.#waitMs = waitMs;
    this.#last = (first - 1) >>> 0;
  }

  get isFull(): boolean {
    return this.#rows.size >= this.#capacity;
  }

  /** Rows held, late ones included. */
  get size(): number {
    return this.#rows.size;
  }

  /** Clients that still wait. */
  get open(): number {
    return this.#open;
  }

  /** The number of the request; there is room (`isFull` said so). */
  add(now: number, settle: (answer: Answer) => void, expire: () => void): number {
    do this.#last = (this.#last + 1) >>> 0; while (this.#rows.has(this.#last));
    this.#rows.set(this.#last, { deadline: now + this.#waitMs, settle, expire });
    this.#open++;
    return this.#last;
  }

  /** Gives the answer to whoever waits for it; an answer nobody waits for is dropped. */
  settle(request: number, answer: Answer): void {
    const row = this.#rows.get(request);
    if (row === undefined) return;
    this.#rows.delete(request);
    if (row.settle === null) return;
    this.#open--;
    row.settle(answer);
  }

  /** Answers those whose time is up by `now`, or all of them. */
  sweep(now: number): void {
    for (const row of this.#rows.values()) {
      if (row.deadline > now) return;
      if (row.settle === null) continue;
      row.settle = null;
      this.#open--;
      row.expire();
    }
  }
}
