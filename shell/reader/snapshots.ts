// When the reader writes a snapshot, and the writing. A snapshot stands where a frame of the journal ends, for it names the
// head hash there: the reader stops at such a seq first. Two are kept, so a new one waits until the history has committed
// what the newest one holds: one of the two is then never ahead of the history, and recovery can begin with it. After a crash
// the newest may be another than the one that recovery began with.

import { SEQ, TIME, type State } from '../../core/engine/state.ts';
import { BEHAVIOUR, CODEC } from '../../core/version.ts';
import { hashAt } from '../storage/journal/read.ts';
import { listSnapshots } from '../storage/journal/snapshot-read.ts';
import { writeSnapshot } from '../storage/journal/snapshot-write.ts';
import { snapshotSections } from '../storage/recovery.ts';

/** Commands between two snapshots. */
const EVERY = 100_000;

export class Snapshots {
  readonly #dataFolder: string;
  readonly #every: number;
  readonly #notice: (line: string) => void;
  #last: number;

  /** Of a folder that has been recovered: no snapshot there is damaged. `notice` is told of one that could not be written. */
  constructor(dataFolder: string, notice: (line: string) => void, every = EVERY) {
    this.#notice = notice;
    this.#dataFolder = dataFolder;
    this.#last = listSnapshots(dataFolder)[0]?.seq ?? 0;
    this.#every = every;
  }

  /** The state at `seq` is not to be kept. */
  leaveOut(seq: number): void {
    this.#last = seq;
  }

  isDue(applied: number, historySeq: number): boolean {
    return applied - this.#last >= this.#every && historySeq >= this.#last;
  }

  /** Writes the state as it stands, at the end of a frame; nothing when there is one of this seq. Throws when no frame ends there. */
  write(state: State): void {
    const seq = state.clock[SEQ]!;
    if (seq === this.#last) return;
    const headHash = hashAt(this.#dataFolder, seq);
    if (headHash === null) throw new Error(`no frame of the journal ends at seq ${seq}`);
    const [low, high] = state.events.digest;
    const head = { seq, headHash, behaviour: BEHAVIOUR, codec: CODEC, digest: [low!, high!] as const, meta: { time: state.clock[TIME]! } };
    // Without it the next start replays more: no reason to stop trading. The older ones are as they were.
    try {
      writeSnapshot(this.#dataFolder, head, snapshotSections(state));
    } catch (error) {
      this.#notice(`no snapshot at seq ${seq}: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#last = seq;
  }
}
