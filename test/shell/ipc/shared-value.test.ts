// A shared value: a read returns one whole text of the writer, the newest or one just before it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { SharedValue, createSharedValue } from '../../../shell/ipc/shared-value.ts';

const LOOKS = 20_000;

test('a shared value is null before the first write, then the last value; a too long one changes nothing', () => {
  const description = createSharedValue();
  const [writer, reader] = [new SharedValue<object>(description), new SharedValue<object>(description)];
  assert.equal(reader.read(), null);
  writer.publish({ first: '€' });
  assert.deepEqual(reader.read(), { first: '€' });
  writer.publish({ second: [1, null, 'x'.repeat(30_000)] });
  assert.deepEqual(reader.read(), { second: [1, null, 'x'.repeat(30_000)] });
  writer.publish({});
  assert.throws(() => writer.publish({ long: 'x'.repeat(40_000) }), RangeError);
  assert.deepEqual(reader.read(), {});
});

test('while another thread writes without pause, no text is torn and none is older than one seen before', async (t) => {
  const description = createSharedValue();
  const worker = new Worker(new URL('./shared-value-worker.ts', import.meta.url), { workerData: description });
  t.after(() => worker.terminate());
  const value = new SharedValue<{ count: number; length: number; text: string }>(description);
  while (value.read() === null) await new Promise((resolve) => setImmediate(resolve));
  let last = 0;
  let changes = 0;
  for (let look = 0; look < LOOKS || changes < 50; look++) {
    const { count, length, text } = value.read()!;
    assert.ok(count >= last, `${count} after ${last}`);
    assert.equal(text, '€'.repeat(length / 3));
    if (count > last) changes++;
    last = count;
  }
  worker.postMessage('stop');
  await once(worker, 'exit');
});
