// Whether what clients saw at all nodes of a cluster is linearizable. Every state is a prefix of one log, named by its last seq, so an
// answer of a leader that was asked for after another of a leader had come must not be of an earlier seq, nor of an earlier leader. A node
// that follows may be behind the leader, or ahead of what the leader has heard to be accepted, and never behind itself. Pure: times are
// given.

export type Observed = {
  /** The process that answered. */
  readonly by: string;
  /** It led before this was sent. */
  readonly isLeading: boolean;
  /** When the request was sent and when its answer was there, ms of one steady clock. */
  readonly sent: number;
  readonly came: number;
  /** 0: it tells none. */
  readonly seq: number;
  readonly epoch: number;
  /** The seq is the command's own; a command that is sent again has an old one. */
  readonly isWrite: boolean;
};

/** The newest that had been seen at a time. */
type Mark = { readonly came: number; readonly value: number; readonly by: string };

/** Requests take no longer. */
const KEPT_MS = 120_000;
const PRUNE_AT = 20_000;

class Marks {
  #marks: Mark[] = [];

  /** `came` never goes back. */
  add(came: number, value: number, by: string): void {
    if (value <= (this.#marks.at(-1)?.value ?? -1)) return;
    this.#marks.push({ came, value, by });
    if (this.#marks.length > PRUNE_AT) this.#marks = this.#marks.slice(this.#marks.findIndex((mark) => mark.came > came - KEPT_MS));
  }

  /** The greatest that had come before `at`; null: none. */
  before(at: number): Mark | null {
    let [low, high] = [0, this.#marks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#marks[middle]!.came < at) low = middle + 1;
      else high = middle;
    }
    return this.#marks[low - 1] ?? null;
  }
}

export class Observations {
  readonly faults: string[] = [];
  /** How many could have shown a fault: something newer had come before. */
  judged = 0;
  readonly #seqs = new Marks();
  readonly #epochs = new Marks();
  readonly #own = new Map<string, Marks>();

  /** In the order in which they came. */
  add(observed: Observed): void {
    const { by, isLeading, came, seq, epoch, isWrite } = observed;
    const own = this.#own.get(by) ?? new Marks();
    this.#own.set(by, own);
    if (seq > 0 && !isWrite) {
      this.#judge('behind itself', own, observed, seq);
      if (isLeading) this.#judge('not of now', this.#seqs, observed, seq);
    }
    if (isLeading && epoch > 0) this.#judge('of an earlier leader', this.#epochs, observed, epoch);
    own.add(came, seq, by);
    if (!isLeading) return;
    this.#seqs.add(came, seq, by);
    this.#epochs.add(came, epoch, by);
  }

  #judge(what: string, marks: Marks, { by, sent, came, seq, epoch }: Observed, value: number): void {
    const newest = marks.before(sent);
    if (newest === null) return;
    this.judged++;
    if (value >= newest.value) return;
    const told = `${by} answered at ${came.toFixed(1)} with seq ${seq} of epoch ${epoch} what was asked at ${sent.toFixed(1)}`;
    this.faults.push(`${what}: ${told}; ${newest.by} had answered with ${newest.value} at ${newest.came.toFixed(1)}`);
  }
}
