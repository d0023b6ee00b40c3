// The consumer of the litmus test of falling asleep: in every round it raises its flag and looks once more, at the moment when the other
// thread publishes and rings, and counts the four outcomes.

import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import { SharedCounters, type CountersDescription } from '../../../shell/ipc/counters.ts';
import { Doorbell } from '../../../shell/ipc/doorbell.ts';
import { ringConsumer, type RingDescription } from '../../../shell/ipc/ring.ts';
import { awaitRound, jitter, type RoundName } from './rounds.ts';

export type SleepWorkerData = {
  readonly ring: RingDescription;
  readonly counters: CountersDescription<RoundName>;
  readonly flag: SharedArrayBuffer;
  readonly rounds: number;
};
/** How often the news was found by the last look, rung for, both, neither. */
export type SleepWorkerReport = { found: number; rung: number; both: number; neither: number };

const { ring, counters, flag, rounds } = workerData as SleepWorkerData;
const shared = new SharedCounters(counters);
const [ready, done, theirReady, theirDone, rings] = [
  shared.counter('consumerReady'), shared.counter('consumerDone'), shared.counter('producerReady'), shared.counter('producerDone'),
  shared.counter('rings'),
];
const consumer = ringConsumer(ring, 0);
const { port1, port2 } = new MessageChannel();
const doorbell = new Doorbell({ flag, ports: [port1] });
const report: SleepWorkerReport = { found: 0, rung: 0, both: 0, neither: 0 };

let heard = 0;
for (let round = 1; round <= rounds; round++) {
  ready.store(round);
  awaitRound(theirReady, round);
  jitter(round ^ 0x5555);
  doorbell.sleep();
  const found = consumer.peek() >= 0;
  awaitRound(theirDone, round);
  const rung = rings.load() !== heard;
  heard = rings.load();
  if (found && rung) report.both += 1;
  else if (found) report.found += 1;
  else if (rung) report.rung += 1;
  else report.neither += 1;
  doorbell.awake();
  consumer.next();
  consumer.release();
  done.store(round);
}
doorbell.close();
port2.close();
parentPort!.postMessage(report);
