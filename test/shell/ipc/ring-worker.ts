// A consumer thread of the ring litmus tests: it takes records `first` to `end`, checks each, and posts what it saw. `perTurn` sets its
// speed: how many records it takes per event-loop turn and releases together.

import { parentPort, workerData } from 'node:worker_threads';
import { ringConsumer, type RingDescription } from '../../../shell/ipc/ring.ts';
import { Counter } from '../../../shell/ipc/counters.ts';
import { BULK, fault, lengthOf } from './pattern.ts';

export type RingWorkerData = {
  readonly ring: RingDescription;
  readonly index: number;
  readonly first: number;
  readonly end: number;
  readonly perTurn: number;
  /** Buffer of a watermark that the producer raises after each publish to the last number published; null for none. */
  readonly mark: SharedArrayBuffer | null;
};
export type RingWorkerReport = { readonly taken: number; readonly faults: string[] };

const { ring, index, first, end, perTurn, mark } = workerData as RingWorkerData;
const consumer = ringConsumer(ring, index);
const watermark = mark === null ? null : new Counter(new Uint32Array(mark), 0);
const faults: string[] = [];
let number = first;

function takeOne(): boolean {
  const seen = watermark === null ? number - 1 : watermark.load();
  const at = consumer.next();
  if (at < 0) {
    if (number % BULK !== 0 && number !== first) faults.push(`a bulk ends before record ${number}`);
    if (((seen - number) | 0) >= 0) faults.push(`the watermark ${seen} was seen before record ${number}`);
    return false;
  }
  if (number === end) faults.push(`a record after the last one`);
  const wrong = fault(consumer.views, at, number, lengthOf(number, ring.largest));
  if (wrong !== '') faults.push(wrong);
  number += 1;
  return true;
}

let fruitless = 0;

function turn(): void {
  const before = number;
  for (let i = 0; i < perTurn && takeOne(); i++);
  consumer.release();
  fruitless = number === before ? fruitless + 1 : 0;
  if (number < end && faults.length === 0) {
    // After some fruitless turns the others need the processor more.
    if (fruitless < 10) setImmediate(turn);
    else setTimeout(turn, 1);
    return;
  }
  const report: RingWorkerReport = { taken: number - first, faults };
  parentPort!.postMessage(report);
}

turn();
