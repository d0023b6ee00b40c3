// The board: what is read is always one whole text of the writer, the newest or one just before it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { Board, createBoard } from '../../../shell/ipc/board.ts';

const LOOKS = 20_000;

test('a board says nothing before the first text, then the last one; one that has no room is refused and changes nothing', () => {
  const description = createBoard();
  const [writer, reader] = [new Board<object>(description), new Board<object>(description)];
  assert.equal(reader.look(), null);
  writer.show({ first: '€' });
  assert.deepEqual(reader.look(), { first: '€' });
  writer.show({ second: [1, null, 'x'.repeat(30_000)] });
  assert.deepEqual(reader.look(), { second: [1, null, 'x'.repeat(30_000)] });
  writer.show({});
  assert.throws(() => writer.show({ long: 'x'.repeat(40_000) }), RangeError);
  assert.deepEqual(reader.look(), {});
});

test('while another thread writes on end, no text is torn and none comes before one that was seen', async (t) => {
  const description = createBoard();
  const worker = new Worker(new URL('./board-worker.ts', import.meta.url), { workerData: description });
  t.after(() => worker.terminate());
  const board = new Board<{ count: number; length: number; text: string }>(description);
  while (board.look() === null) await new Promise((resolve) => setImmediate(resolve));
  let last = 0;
  let changes = 0;
  for (let look = 0; look < LOOKS || changes < 50; look++) {
    const { count, length, text } = board.look()!;
    assert.ok(count >= last, `${count} after ${last}`);
    assert.equal(text, '€'.repeat(length / 3));
    if (count > last) changes++;
    last = count;
  }
  worker.postMessage('stop');
  await once(worker, 'exit');
});
