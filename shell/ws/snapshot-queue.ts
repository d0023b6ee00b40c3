// Whose turn it is to ask the reader for a snapshot. A network source has a few under way on this thread, however many connections
// it has: the rest waits here in the order it came. A connection itself asks for as few at a time (subscriptions.ts), so of two with a
// thousand symbols each gets a few in turns, and between another's read and its answer stand a few of each source.

import { BOUNDS } from '../http/limits.ts';

/** What asks; `heard` is called once, now or later, when the answer is here or none will come. */
type SnapshotRequest = (heard: () => void) => void;
type SourceQueue = { inFlight: number; isRunning: boolean; readonly waiting: SnapshotRequest[] };

export class SnapshotQueue {
  readonly #rows = new Map<string, SourceQueue>();

  /** `ask` is called now or in its turn. */
  request(source: string, request: SnapshotRequest): void {
    const row = this.#rows.get(source) ?? { inFlight: 0, isRunning: false, waiting: [] };
    this.#rows.set(source, row);
    row.waiting.push(request);
    this.#run(source, row);
  }

  /** A loop and no recursion: some are heard at once. */
  #run(source: string, row: SourceQueue): void {
    if (row.isRunning) return;
    row.isRunning = true;
    while (row.inFlight < BOUNDS.snapshotsAsked && row.waiting.length > 0) {
      row.inFlight++;
      row.waiting.shift()!(() => {
        row.inFlight--;
        this.#run(source, row);
      });
    }
    row.isRunning = false;
    if (row.inFlight === 0) this.#rows.delete(source);
  }
}
