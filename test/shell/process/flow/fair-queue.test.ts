// The fair queue: its lines take turns, each line keeps its order, and nothing that was served is kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from '../../../../shell/process/fair-queue.ts';

type Item = { readonly name: string; next: Item | null };

function queueOf(lines: Readonly<Record<string, readonly string[]>>): { queue: FairQueue<string, Item>; items: Item[] } {
  const queue = new FairQueue<string, Item>();
  const items: Item[] = [];
  for (const [key, names] of Object.entries(lines)) {
    for (const name of names) {
      const item: Item = { name, next: null };
      items.push(item);
      queue.add(key, item);
    }
  }
  return { queue, items };
}

test('lines take turns, and a served item keeps no reference to those behind it', () => {
  const { queue, items } = queueOf({ a: ['a1', 'a2', 'a3'], b: ['b1', 'b2'] });
  const served: string[] = [];
  const isMore = queue.serve(() => true, () => served.length === 3, (item) => {
    assert.equal(item.next, null);
    served.push(item.name);
  });
  assert.deepEqual([isMore, served, queue.length], [true, ['a1', 'b1', 'a2'], 2]);
  queue.serve(() => true, () => false, ({ name }) => served.push(name));
  assert.deepEqual([served, queue.length], [['a1', 'b1', 'a2', 'b2', 'a3'], 0]);
  assert.deepEqual(items.filter(({ next }) => next !== null), []);
});
