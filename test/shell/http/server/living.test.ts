// The list of live connections: each is visited once per round, whatever an earlier visit adds or removes.

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

test('a removed item, first, last, middle or twice, is no longer visited, and all others are', () => {
  const { living, items: [a, b, c, d, e], told } = livingOf(['a', 'b', 'c', 'd', 'e']);
  assert.equal(told(), 'abcde');
  for (const [item, left] of [[a, 'bcde'], [e, 'bcd'], [e, 'bcd'], [c, 'bd'], [a, 'bd'], [b, 'd'], [d, ''], [d, '']] as const) {
    living.remove(item!);
    assert.equal(told(), left);
  }
  living.add(c!);
  assert.equal(told(), 'c');
});

test('items that are removed during a round are not visited later in it, and no other is left out', () => {
  const { living, items: [a, , c], told } = livingOf(['a', 'b', 'c', 'd']);
  let all = '';
  living.tell((item) => {
    all += (item as Named).name;
    living.remove(item);
    if (item === a) living.remove(c!);
  });
  assert.deepEqual([all, told()], ['abd', '']);
});

test('an item that is added during a round is visited from the next round on', () => {
  const { living, items: [a], told } = livingOf(['a', 'b']);
  const late: Named = { name: 'z', place: -1, onTick: () => undefined, onClose: () => undefined };
  let all = '';
  living.tell((item) => {
    all += (item as Named).name;
    if (item === a) living.add(late);
  });
  assert.deepEqual([all, told()], ['ab', 'abz']);
});
