// Limits the snapshot requests that a network source has in flight on this thread. The rest wait in order. Each
// connection has the same limit, so that two with a thousand symbols each take turns.

import { BOUNDS } from '../http/limits.ts';

type SnapshotRequest = (done: () => void) => void;
type SourceQueue = { inFlight: number; isRunning: boolean; readonly waiting: SnapshotRequest[] };

export class SnapshotQueue {
  readonly #rows = new Map<string, SourceQueue>();

  request(source: string, request: SnapshotRequest): void {
    const row = this.#rows.get(source) ?? { inFlight: 0, isRunning: false, waiting: [] };
    this.#rows.set(source, row);
    row.waiting.push(request);
    this.#run(source, row);
  }

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
