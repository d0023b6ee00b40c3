// The list of live connections: each is visited once per round, whatever an earlier visit adds or removes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ActiveList, type ActiveItem } from '../../../../shell/http/server/active-list.ts';

type Named = ActiveItem & { readonly name: string };

function listOf(names: readonly string[]): { list: ActiveList; items: Named[]; told: () => string } {
  const list = new ActiveList();
  const items = names.map((name) => ({ name, place: -1, onTick: () => undefined, onClose: () => undefined }));
  for (const item of items) list.add(item);
  const told = () => {
    let all = '';
    list.forEach((item) => { all += (item as Named).name; });
    return [...all].sort().join('');
  };
  return { list, items, told };
}

test('a removed item, first, last, middle or twice, is no longer visited, and all others are', () => {
  const { list, items: [a, b, c, d, e], told } = listOf(['a', 'b', 'c', 'd', 'e']);
  assert.equal(told(), 'abcde');
  for (const [item, left] of [[a, 'bcde'], [e, 'bcd'], [e, 'bcd'], [c, 'bd'], [a, 'bd'], [b, 'd'], [d, ''], [d, '']] as const) {
    list.remove(item!);
    assert.equal(told(), left);
  }
  list.add(c!);
  assert.equal(told(), 'c');
});

test('items that are removed during a round are not visited later in it, and no other is left out', () => {
  const { list, items: [a, , c], told } = listOf(['a', 'b', 'c', 'd']);
  let all = '';
  list.forEach((item) => {
    all += (item as Named).name;
    list.remove(item);
    if (item === a) list.remove(c!);
  });
  assert.deepEqual([all, told()], ['abd', '']);
});

test('an item that is added during a round is visited from the next round on', () => {
  const { list, items: [a], told } = listOf(['a', 'b']);
  const late: Named = { name: 'z', place: -1, onTick: () => undefined, onClose: () => undefined };
  let all = '';
  list.forEach((item) => {
    all += (item as Named).name;
    if (item === a) list.add(late);
  });
  assert.deepEqual([all, told()], ['ab', 'abz']);
});
