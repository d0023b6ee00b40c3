// Writes frames to a connection when they are due, from a thread that sleeps between them: a timer of the event loop would be late by a
// millisecond, which is more than the times that are measured. Times in ms of the machine's monotonic clock.

import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { sharedSteady } from '../shell/process/clock.ts';

/**
 * `ends`: where each frame ends in `bytes`; frame i is due at `from + i * everyMs`. No frame is sent while `most` are unanswered: the venue
 * would close the connection. `answered`: one number, shared.
 */
export type Pacing = {
  readonly fd: number; readonly bytes: Uint8Array; readonly ends: Float64Array; readonly from: number; readonly everyMs: number;
  readonly answered: Int32Array; readonly most: number;
};

const RETRY_MS = 0.05;
/** A frame that waits for answers is late already. */
const LOOK_MS = 1;
const { fd, bytes, ends, from, everyMs, answered, most } = workerData as Pacing;
const nothing = new Int32Array(new SharedArrayBuffer(4));

function write(start: number, end: number): void {
  for (let at = start; at < end;) {
    try {
      at += writeSync(fd, bytes, at, end - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(nothing, 0, 0, RETRY_MS);
    }
  }
}

for (let next = 0; next < ends.length;) {
  const wait = from + next * everyMs - sharedSteady();
  if (wait > 0) Atomics.wait(nothing, 0, 0, wait);
  const seen = Atomics.load(answered, 0);
  const due = Math.min(ends.length, Math.floor((sharedSteady() - from) / everyMs) + 1, seen + most);
  if (due > next) write(next === 0 ? 0 : ends[next - 1]!, ends[due - 1]!);
  else if (seen + most <= next) Atomics.wait(answered, 0, seen, LOOK_MS);
  next = Math.max(next, due);
}
