// The reader's end of the port to the history thread: one batch on its way at a time (what gathers meanwhile is the next,
// so batches grow with the load), and questions with their answers. It owns no thread and no timer.

import type { Answered, FromHistory, HistoryQuery, ToHistory } from '../../storage/history/protocol.ts';
import { Numbered } from '../../process/numbered.ts';
import { ReadGuard } from '../read-guard.ts';
import type { RecentRows } from './rows.ts';

/** Questions of reads on their way, beyond which they are refused. */
export const MOST_READS = 1_024;
/** Questions that the answer to a command waits for, which reads must not keep out; beyond: the request is to be sent again. */
const MOST_OWED = 8_192;

/** The rows, newest first, as of the seq the store has come to. */
type Take = (rows: readonly object[], appliedSeq: number) => void;
type Asked = { readonly take: Take; readonly isOwed: boolean };

export class HistoryLink {
  /** Answers come back to the read that asked. */
  readonly guard = new ReadGuard();
  readonly #rows: RecentRows;
  readonly #post: (message: ToHistory) => void;
  readonly #waiting = new Numbered<Asked>(MOST_READS + MOST_OWED);
  #reads = 0;
  #owed = 0;
  #sentSeq = 0;
  #committed = 0;
  #onClosed: (() => void) | null = null;

  constructor(rows: RecentRows, post: (message: ToHistory) => void) {
    this.#rows = rows;
    this.#post = post;
    this.#sentSeq = rows.stored;
  }

  /** Everything up to here is on its way or taken. */
  get sentSeq(): number {
    return this.#sentSeq;
  }

  /** The next start finds everything up to here; before the first commit that is told, it may find more. */
  get committed(): number {
    return this.#committed;
  }

  /** Every message of the history but its first, `opened`. */
  receive(message: FromHistory): void {
    switch (message.type) {
      case 'committed':
        this.#committed = message.seq;
        return;
      case 'taken':
        this.#rows.drop(message.seq);
        this.send();
        return;
      case 'answered': this.#answer(message); return;
      case 'closed': this.#onClosed?.(); return;
      case 'opened': throw new Error('the history opened twice');
    }
  }

  /** Sends what has gathered, unless a batch is on its way. */
  send(): void {
    if (this.#rows.stored < this.#sentSeq) return;
    this.#sendNext();
  }

  /** False when too many questions are open; otherwise `take` is called later. `isOwed`: the answer to a command waits for it. */
  ask(query: HistoryQuery, take: Take, isOwed = false): boolean {
    if (isOwed ? this.#owed >= MOST_OWED : this.#reads >= MOST_READS) return false;
    const request = this.#waiting.add({ take: this.guard.bind(take), isOwed });
    if (isOwed) this.#owed++;
    else this.#reads++;
    this.#post({ type: 'ask', request, query });
    return true;
  }

  /** Sends all that is left and tells the history to close; `done` is called when it has committed everything. */
  close(done: () => void): void {
    while (!this.#rows.isSent) this.#sendNext();
    this.#onClosed = done;
    this.#post({ type: 'close' });
  }

  #sendNext(): void {
    const batch = this.#rows.take();
    if (batch === null) return;
    this.#sentSeq = batch.seq;
    this.#post(batch);
  }

  #answer({ request, appliedSeq, rows }: Answered): void {
    const asked = this.#waiting.get(request);
    if (asked === null) throw new Error(`the history answers a question that was not asked: ${request}`);
    this.#waiting.remove(request);
    if (asked.isOwed) this.#owed--;
    else this.#reads--;
    asked.take(rows, appliedSeq);
  }
}
