// Litmus tests of the ring between threads: this thread produces, workers consume and check. Titles name allowed and forbidden outcomes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as pass, setTimeout as rest } from 'node:timers/promises';
import { Counter } from '../../../shell/ipc/counters.ts';
import { createRing, ringProducer } from '../../../shell/ipc/ring.ts';
import type { RingWorkerData, RingWorkerReport } from './ring-worker.ts';
import { publishBulk } from './pattern.ts';
import { startWorker, type Started } from './threads.ts';

type Run = {
  readonly bytes: number;
  readonly largest: number;
  readonly start: number;
  readonly count: number;
  /** One consumer for each: records it takes between two passes of its event loop. */
  readonly speeds: readonly number[];
  readonly first?: number;
  readonly withMark?: boolean;
};

/** Publishes `count` records as fast as room allows; how often the ring refused a bulk. */
async function run({ bytes, largest, start, count, speeds, first = 0, withMark = false }: Run): Promise<number> {
  const ring = createRing({ bytes, consumers: speeds.length, largest, start });
  const mark = withMark ? new SharedArrayBuffer(4) : null;
  const watermark = mark === null ? null : new Counter(new Uint32Array(mark), 0);
  watermark?.store(first - 1);
  const end = first + count;
  const producer = ringProducer(ring);
  const workers: Started<RingWorkerReport>[] = speeds.map((perTurn, index) => {
    const data: RingWorkerData = { ring, index, first, end, perTurn, mark };
    return startWorker<RingWorkerReport>('./ring-worker.ts', data);
  });
  let failed = false;
  for (const { answer } of workers) answer.then((report) => (failed ||= report.faults.length > 0), () => (failed = true));
  let refusals = 0;
  let fruitless = 0;
  for (let number = first; number < end && !failed; ) {
    const after = publishBulk(producer, number, end);
    if (after === number) {
      refusals += 1;
      fruitless += 1;
      await (fruitless < 10 ? pass() : rest(1));
    } else {
      fruitless = 0;
      number = after;
      watermark?.store(number - 1);
    }
  }
  try {
    for (const { answer } of workers) assert.deepEqual(await answer, { taken: count, faults: [] });
    assert.equal(producer.released(), producer.published());
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
  return refusals;
}

const FORBIDDEN = 'forbidden: lost, repeated, reordered, torn, half a bulk';

test(`one consumer, counters across 2^31; allowed: late records; ${FORBIDDEN}`, async () => {
  await run({ bytes: 1 << 16, largest: 576, start: 2 ** 31 - 4096, count: 400_000, speeds: [1000] });
});

test(`one consumer, counters across 2^32, a ring of few records; allowed: refusals; ${FORBIDDEN}`, async () => {
  const refusals = await run({ bytes: 1024, largest: 128, start: 2 ** 32 - 512, count: 20_000, speeds: [64] });
  assert.ok(refusals > 0, 'the producer never met a full ring');
});

test(`three consumers of different speeds; allowed: the slowest stops the producer; ${FORBIDDEN}`, async () => {
  const refusals = await run({ bytes: 1 << 15, largest: 576, start: 2 ** 31 - 64, count: 60_000, speeds: [1000, 150, 20] });
  assert.ok(refusals > 0, 'the producer never met a full ring');
});

test('a watermark stored after a publish, across 2^31; allowed: record without mark; forbidden: the reverse', async () => {
  const first = 2 ** 31 - 100_000;
  await run({ bytes: 1 << 15, largest: 128, start: 0, count: 200_000, speeds: [500, 50], first, withMark: true });
});
