// The other thread of the doorbell litmus tests: it answers every record with the same number after a pause of varying length, so that
// its publishes fall on every moment of the first thread's way to sleep.

import { parentPort, workerData } from 'node:worker_threads';
import { runConsumer } from '../../../shell/ipc/consumer-loop.ts';
import { Doorbell, Ringer, type DoorbellDescription, type RingerDescription } from '../../../shell/ipc/doorbell.ts';
import { ringConsumer, ringProducer, type RingDescription } from '../../../shell/ipc/ring.ts';

export type DoorbellWorkerData = {
  readonly inward: RingDescription;
  readonly outward: RingDescription;
  readonly doorbell: DoorbellDescription;
  readonly ringer: RingerDescription;
  /** Ends after this many records; never when 0. */
  readonly count: number;
  /** Longest pause before an answer, in turns of an empty loop. */
  readonly pause: number;
};
export type DoorbellWorkerReport = { readonly handled: number };

const data = workerData as DoorbellWorkerData;
const inward = ringConsumer(data.inward, 0);
const outward = ringProducer(data.outward);
const ringer = new Ringer(data.ringer);
let handled = 0;

function pause(number: number): void {
  const turns = data.pause === 0 ? 0 : (Math.imul(number, 0x9e37_79b1) >>> 0) % data.pause;
  for (let i = 0; i < turns; i++);
}

function drain(limit: number): number {
  let done = 0;
  for (let from = inward.next(); from >= 0; from = done < limit ? inward.next() : -1) {
    const number = inward.views.u32[(from >>> 2) + 1]!;
    pause(number);
    const at = outward.claim(16);
    if (at < 0) throw new Error('no room for an answer');
    outward.views.u32[(at >>> 2) + 1] = number;
    outward.publish();
    ringer.ring();
    done += 1;
  }
  inward.release();
  handled += done;
  if (handled === data.count) finish();
  return done;
}

function finish(): void {
  consumer.stop();
  ringer.close();
  const report: DoorbellWorkerReport = { handled };
  parentPort!.postMessage(report);
}

const consumer = runConsumer({ doorbell: new Doorbell(data.doorbell), drain });
