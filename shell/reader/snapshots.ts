// Writes the reader's snapshots where a frame ends, because they name the journal's head hash. Two are kept. A new one
// waits until the history has committed the newest one's seq, so one is never ahead of the history.

import { SEQ, TIME, type State } from '../../core/engine/state.ts';
import { BEHAVIOUR, CODEC } from '../../core/version.ts';
import { hashAt } from '../storage/journal/read.ts';
import { listSnapshots } from '../storage/journal/snapshot-read.ts';
import { writeSnapshot } from '../storage/journal/snapshot-write.ts';
import { snapshotSections } from '../storage/recovery.ts';

const EVERY = 100_000;

export class Snapshots {
  readonly #dataFolder: string;
  readonly #every: number;
  readonly #notice: (line: string) => void;
  #last: number;

  constructor(dataFolder: string, notice: (line: string) => void, every = EVERY) {
    this.#notice = notice;
    this.#dataFolder = dataFolder;
    this.#last = listSnapshots(dataFolder)[0]?.seq ?? 0;
    this.#every = every;
  }

  skip(seq: number): void {
    this.#last = seq;
  }

  isDue(applied: number, historySeq: number): boolean {
    return applied - this.#last >= this.#every && historySeq >= this.#last;
  }

  /** Throws if no frame ends here. */
  write(state: State): void {
    const seq = state.clock[SEQ]!;
    if (seq === this.#last) return;
    const headHash = hashAt(this.#dataFolder, seq);
    if (headHash === null) throw new Error(`no frame of the journal ends at seq ${seq}`);
    const [low, high] = state.events.digest;
    const head = { seq, headHash, behaviour: BEHAVIOUR, codec: CODEC, digest: [low!, high!] as const, meta: { time: state.clock[TIME]! } };
    // Trading goes on: the next start replays more.
    try {
      writeSnapshot(this.#dataFolder, head, snapshotSections(state));
    } catch (error) {
      this.#notice(`the snapshot at seq ${seq} could not be written: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#last = seq;
  }
}
