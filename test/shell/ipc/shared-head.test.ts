// The journal head that the journal thread publishes in shared memory: no reader ever sees the words of two heads in one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedHead, SharedHead } from '../../../shell/ipc/shared-head.ts';
import { startWorker } from './threads.ts';
import { headOf, type HeadWorkerData, type HeadWorkerReport } from './heads.ts';

test('before the first head the seq is 0, then the last one published, also when the version wraps', () => {
  const shown = createSharedHead();
  const [written, seen] = [new SharedHead(shown), new SharedHead(shown)];
  assert.equal(seen.read().seq, 0);
  new Uint32Array(shown)[0] = 0xffff_fffe;
  for (const seq of [1, 2, 0xffff_ffff, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    written.publish(headOf(seq));
    assert.deepEqual(seen.read(), headOf(seq));
  }
});

test('while another thread publishes heads, a reader sees only whole ones, and never an earlier one', async () => {
  const shown = createSharedHead();
  const own = new SharedHead(shown);
  const worker = startWorker<HeadWorkerReport>('head-worker.ts', { shown, last: 50_000 } satisfies HeadWorkerData);
  let latest = 0;
  const seen = new Set<number>();
  while (latest < 50_000) {
    const head = own.read();
    if (head.seq !== 0) assert.deepEqual(head, headOf(head.seq));
    assert.ok(head.seq >= latest, `${head.seq} after ${latest}`);
    latest = head.seq;
    seen.add(latest);
    // The other thread has this core too, where there is no second one.
    if (seen.size % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await worker.answer, { said: 50_000 });
});
