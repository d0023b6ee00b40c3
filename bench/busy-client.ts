// The other client of the open loops: it writes each frame when it is due and reads what has come, over and over, and never sleeps. So
// what it measures holds no wake-up of its own: a client that sleeps sends when its timer has woken it and hears of an answer when the
// system has, some 50 us each. It costs the core that it runs on. Times in ms of the machine's monotonic clock.

import { readSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { sharedSteady } from '../shell/clock.ts';
import { closedByVenue, eachFrame } from './socket-load.ts';
import type { Pacing } from './pacer.ts';

/** What has been read, and when. */
export type Heard = { readonly bytes: Uint8Array; readonly ends: readonly number[]; readonly times: readonly number[] };

/** An answer has some 200 bytes. */
const BYTES_AN_ANSWER = 1_024;
/** Longer than a read that finds nothing: none is begun so shortly before a frame is due. */
const READ_MS = 0.01;
/** For answers that are late, after the last frame is sent. */
const PATIENCE_MS = 10_000;

const { fd, bytes, ends, from, everyMs, answers } = workerData as Pacing & { readonly answers: number };
// Most reads find nothing, which Node says by an exception.
Error.stackTraceLimit = 0;

/** Bytes read into `buffer` from `at` on; 0: nothing has come. */
function read(buffer: Uint8Array, at: number): number {
  try {
    const length = readSync(fd, buffer, at, buffer.length - at, null);
    if (length === 0) throw closedByVenue('');
    return length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    return 0;
  }
}

function converse(): Heard {
  const heard = Buffer.alloc(answers * BYTES_AN_ANSWER);
  const endsOfReads: number[] = [];
  const times: number[] = [];
  let length = 0;
  let sent = 0;
  let parsed = 0;
  let answered = 0;
  while (answered < answers) {
    const now = sharedSteady();
    const wait = sent < ends.length ? from + sent * everyMs - now : Infinity;
    if (wait <= 0) {
      const start = sent === 0 ? 0 : ends[sent - 1]!;
      if (writeSync(fd, bytes, start, ends[sent]! - start) !== ends[sent]! - start) throw new Error('the connection takes no more');
      sent++;
      continue;
    }
    if (wait < READ_MS) continue;
    const more = read(heard, length);
    if (more === 0) {
      if (now > from + ends.length * everyMs + PATIENCE_MS) throw new Error(`${answers - answered} orders have no answer`);
      continue;
    }
    times.push(sharedSteady());
    length += more;
    endsOfReads.push(length);
    const unparsed = eachFrame(heard.subarray(parsed, length), () => { answered++; }, (reason) => { throw closedByVenue(reason); });
    parsed = length - unparsed.length;
  }
  return { bytes: heard.subarray(0, length), ends: endsOfReads, times };
}

parentPort!.postMessage(converse());
