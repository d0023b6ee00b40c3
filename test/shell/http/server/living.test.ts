// What lives on an edge: each is told once a time, whatever is added or removed by the one that was told before it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Living, type Live } from '../../../../shell/http/server/living.ts';

type Named = Live & { readonly name: string };

function livingOf(names: readonly string[]): { living: Living; items: Named[]; told: () => string } {
  const living = new Living();
  const items = names.map((name) => ({ name, place: -1, onTick: () => undefined, onClose: () => undefined }));
  for (const item of items) living.add(item);
  const told = () => {
    let all = '';
    living.tell((item) => { all += (item as Named).name; });
    return [...all].sort().join('');
  };
  return { living, items, told };
}

test('whoever is removed, first, last, between or twice, is told no more, and all others are', () => {
  const { living, items: [a, b, c, d, e], told } = livingOf(['a', 'b', 'c', 'd', 'e']);
  assert.equal(told(), 'abcde');
  for (const [item, left] of [[a, 'bcde'], [e, 'bcd'], [e, 'bcd'], [c, 'bd'], [a, 'bd'], [b, 'd'], [d, ''], [d, '']] as const) {
    living.remove(item!);
    assert.equal(told(), left);
  }
  living.add(c!);
  assert.equal(told(), 'c');
});

test('who removes itself or others while all are told leaves nobody out, and whom it removes is not told', () => {
  const { living, items: [a, , c], told } = livingOf(['a', 'b', 'c', 'd']);
  let all = '';
  living.tell((item) => {
    all += (item as Named).name;
    living.remove(item);
    if (item === a) living.remove(c!);
  });
  assert.deepEqual([all, told()], ['abd', '']);
});

test('one that is added while all are told has its turn the next time', () => {
  const { living, items: [a], told } = livingOf(['a', 'b']);
  const late: Named = { name: 'z', place: -1, onTick: () => undefined, onClose: () => undefined };
  let all = '';
  living.tell((item) => {
    all += (item as Named).name;
    if (item === a) living.add(late);
  });
  assert.deepEqual([all, told()], ['ab', 'abz']);
});
