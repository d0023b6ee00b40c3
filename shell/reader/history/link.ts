// The reader's end of the port to the history thread: row batches, one at a time, so they grow with the load, and
// queries.

import type { BackupQuery } from '../../ipc/backup.ts';
import type { Answered, CandlePart, FromHistory, HistoryQuery, ToHistory } from '../../storage/history/protocol.ts';
import { WrappingIdTable } from '../../process/wrapping-id-table.ts';
import { ReadGuard } from '../read-guard.ts';
import type { RecentRows } from './rows.ts';

export const MOST_READS = 1_024;
/** Queries that commands wait for: reads cannot take their room. */
const MOST_FOR_COMMANDS = 8_192;

/** `appliedSeq`: the store has rows up to it. */
type Take = (rows: readonly object[], appliedSeq: number) => void;
type Asked = { readonly take: Take; readonly isForCommand: boolean };

export class HistoryLink {
  readonly guard = new ReadGuard();
  readonly #rows: RecentRows;
  readonly #post: (message: ToHistory) => void;
  readonly #waiting = new WrappingIdTable<Asked>(MOST_READS + MOST_FOR_COMMANDS);
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

  get sentSeq(): number {
    return this.#sentSeq;
  }

  /** Up to here all survives a crash; 0 until the first commit of this run. */
  get committed(): number {
    return this.#committed;
  }

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

  send(): void {
    if (this.#rows.stored < this.#sentSeq) return;
    this.#sendNext();
  }

  ask(query: HistoryQuery | BackupQuery, take: Take, isForCommand = false): boolean {
    if (isForCommand ? this.#owed >= MOST_FOR_COMMANDS : this.#reads >= MOST_READS) return false;
    const request = this.#waiting.add({ take: this.guard.bind(take), isForCommand });
    if (isForCommand) this.#owed++;
    else this.#reads++;
    this.#post({ type: 'ask', request, query });
    return true;
  }

  close(done: () => void, candles: readonly CandlePart[] = []): void {
    while (!this.#rows.isSent) this.#sendNext();
    this.#onClosed = done;
    this.#post({ type: 'close', candles });
  }

  #sendNext(): void {
    const batch = this.#rows.take();
    if (batch === null) return;
    this.#sentSeq = batch.seq;
    this.#post(batch);
  }

  #answer({ request, appliedSeq, rows }: Answered): void {
    const asked = this.#waiting.get(request);
    if (asked === null) throw new Error(`the history answered an unknown query: ${request}`);
    this.#waiting.remove(request);
    if (asked.isForCommand) this.#owed--;
    else this.#reads--;
    asked.take(rows, appliedSeq);
  }
}
