// The byte rings and doorbells between threads: records of 64 to 576 bytes a second with one and three consumers, and the
// round trip of one record to another thread and back, from idle and back to back. Prints; decides nothing.
//   node bench/transport.ts
// Every record is written whole and published and rung on its own, as a producer of commands does; a consumer reads its
// length and its number. A producer that meets a full ring goes through its event loop, so full rings are in the figures.

import { performance } from 'node:perf_hooks';
import { setImmediate as pass, setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { runConsumer } from '../shell/ipc/consumer-loop.ts';
import { Doorbell, Ringer, createDoorbell, type DoorbellDescription, type RingerDescription } from '../shell/ipc/doorbell.ts';
import { createRing, ringConsumer, ringProducer, type RingDescription, type RingProducer } from '../shell/ipc/ring.ts';
import { figure, heading, spread } from './machine.ts';

const COUNT = 3_000_000;
const RING_BYTES = 1 << 22;
const SMALLEST = 64;
const SIZES = 65;
const LARGEST = SMALLEST + 8 * (SIZES - 1);
const TRIPS_IDLE = 2_000;
const TRIPS_BUSY = 100_000;

/** What a worker is to do: count the records of a ring, or answer each one when `back` is there. */
type Task = {
  readonly ring: RingDescription;
  readonly index: number;
  readonly doorbell: DoorbellDescription;
  readonly count: number;
  readonly back: { readonly ring: RingDescription; readonly ringer: RingerDescription } | null;
};

function write(producer: RingProducer, number: number): boolean {
  const bytes = SMALLEST + 8 * (number % SIZES);
  const at = producer.claim(bytes);
  if (at < 0) return false;
  const { u32 } = producer.views;
  const word = at >>> 2;
  for (let i = 1; i < bytes >>> 2; i++) u32[word + i] = number;
  producer.publish();
  return true;
}

function work({ ring, index, doorbell, count, back }: Task): void {
  const consumer = ringConsumer(ring, index);
  const producer = back === null ? null : ringProducer(back.ring);
  const ringer = back === null ? null : new Ringer(back.ringer);
  let handled = 0;
  const drain = (limit: number): number => {
    let done = 0;
    for (let at = consumer.next(); at >= 0; at = done < limit ? consumer.next() : -1) {
      if (consumer.views.u32[(at >>> 2) + 1] !== handled % 0x1_0000_0000) throw new Error(`not record ${handled}`);
      handled += 1;
      done += 1;
      if (producer !== null && ringer !== null) {
        if (!write(producer, 0)) throw new Error('no room for an answer');
        ringer.ring();
      }
    }
    consumer.release();
    if (done > 0 && handled === count) {
      loop.stop();
      parentPort!.postMessage(handled);
    }
    return done;
  };
  const loop = runConsumer({ doorbell: new Doorbell(doorbell), drain });
}

function start(task: Task): { online: Promise<unknown>; done: Promise<unknown> } {
  const ports = [...task.doorbell.ports, ...(task.back === null ? [] : [task.back.ringer.port])];
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: task, transferList: ports });
  worker.once('error', (error) => {
    throw error;
  });
  return {
    online: new Promise((resolve) => worker.once('online', resolve)),
    done: new Promise((resolve) => worker.once('message', resolve)),
  };
}

/** Records a second through one ring, from the first publish to the last consumer's last record. */
async function throughput(consumers: number): Promise<number> {
  const ring = createRing({ bytes: RING_BYTES, consumers, largest: LARGEST });
  const producer = ringProducer(ring);
  const ringers: Ringer[] = [];
  const workers = [];
  for (let index = 0; index < consumers; index++) {
    const bell = createDoorbell(1);
    ringers.push(new Ringer(bell.ringers[0]!));
    workers.push(start({ ring, index, doorbell: bell.doorbell, count: COUNT, back: null }));
  }
  await Promise.all(workers.map((worker) => worker.online));
  await rest(500);
  const begin = performance.now();
  for (let number = 0; number < COUNT; ) {
    if (!write(producer, number)) {
      await pass();
      continue;
    }
    for (let i = 0; i < ringers.length; i++) ringers[i]!.ring();
    number += 1;
  }
  await Promise.all(workers.map((worker) => worker.done));
  return COUNT / ((performance.now() - begin) / 1000);
}

/** Sorted times in microseconds of `count` round trips, `pauseMs` apart; without a pause the next starts in the answer's turn. */
async function roundTrips(count: number, pauseMs: number): Promise<Float64Array> {
  const there = createRing({ bytes: RING_BYTES, consumers: 1, largest: LARGEST });
  const back = createRing({ bytes: RING_BYTES, consumers: 1, largest: LARGEST });
  const mine = createDoorbell(1);
  const theirs = createDoorbell(1);
  const task = { ring: there, index: 0, doorbell: theirs.doorbell, count, back: { ring: back, ringer: mine.ringers[0]! } };
  const worker = start(task);
  const producer = ringProducer(there);
  const ringer = new Ringer(theirs.ringers[0]!);
  const answers = ringConsumer(back, 0);
  const times = new Float64Array(count);
  let trips = 0;
  let sentAt = 0;
  const send = (): void => {
    sentAt = performance.now();
    if (!write(producer, trips)) throw new Error('no room');
    ringer.ring();
  };
  const drain = (): number => {
    if (answers.next() < 0) return 0;
    answers.release();
    times[trips] = (performance.now() - sentAt) * 1000;
    trips += 1;
    if (trips < count) {
      if (pauseMs > 0) setTimeout(send, pauseMs);
      else send();
    }
    return 1;
  };
  const loop = runConsumer({ doorbell: new Doorbell(mine.doorbell), drain });
  await worker.online;
  await rest(500);
  send();
  await worker.done;
  while (trips < count) await pass();
  loop.stop();
  return times.sort();
}

async function main(): Promise<void> {
  heading(`one producer and its consumers, a thread each; ${COUNT} records of ${SMALLEST} to ${LARGEST} bytes, threads warm, code cold`);
  for (const consumers of [1, 3]) figure(`records to consumers: ${consumers}`, await throughput(consumers), 'records/s', 'one run');
  spread('round trip from idle', await roundTrips(TRIPS_IDLE, 2), 'us', `${TRIPS_IDLE} trips, 2 ms apart`);
  spread('round trip back to back', await roundTrips(TRIPS_BUSY, 0), 'us', `${TRIPS_BUSY} trips`);
}

if (isMainThread) await main();
else work(workerData as Task);
