// What connections of one thread share: the turns in which the reader is asked for snapshots.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SNAPSHOTS_ASKED } from '../../shell/bounds/api.ts';
import { Scripted } from './scripted.ts';

const symbols = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}${i}-PERP`);
const keys = ({ asked }: Scripted): string[] => asked.filter(({ query }) => query === 'subscribe').map(({ parameters }) => parameters.key);

test('all connections of a network source have the reader make a few snapshots at a time, in turns; another source does not wait', () => {
  const first = new Scripted();
  const own = Array.from({ length: 20 }, () => new Scripted(null, first));
  const many = 3 * SNAPSHOTS_ASKED;
  first.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('A', many) });
  for (const one of own) one.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('B', many) });
  assert.deepEqual(keys(first), symbols('A', SNAPSHOTS_ASKED));
  new Scripted(null, first, '203.0.113.2').say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('C', many) });
  assert.deepEqual(keys(first), [...symbols('A', SNAPSHOTS_ASKED), ...symbols('C', SNAPSHOTS_ASKED)]);
  for (const { answer } of first.asked.splice(0, SNAPSHOTS_ASKED)) answer(1);
  first.asked.splice(0, SNAPSHOTS_ASKED);
  assert.deepEqual(keys(first), symbols('B', SNAPSHOTS_ASKED), 'the next connection, not the next of the first');
  // Those of connections that are gone are not asked for.
  for (const one of own) one.connection.close();
  for (const { answer } of first.asked.splice(0, SNAPSHOTS_ASKED)) answer(1);
  assert.deepEqual(keys(first), symbols('A', 2 * SNAPSHOTS_ASKED).slice(SNAPSHOTS_ASKED));
  for (let left = first.asked.splice(0); left.length > 0; left = first.asked.splice(0)) for (const { answer } of left) answer(1);
  assert.deepEqual(first.read(), [{ type: 'Subscribed', channel: 'orderbook' }]);
});

test('a snapshot that the reader has no room to be asked for leaves its turn to the next', () => {
  const one = new Scripted();
  const other = new Scripted(null, one);
  one.hasRoom = false;
  one.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('A', 3 * SNAPSHOTS_ASKED) });
  assert.equal(one.read().length, 3 * SNAPSHOTS_ASKED);
  one.hasRoom = true;
  other.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('B', 1) });
  assert.deepEqual(keys(one), symbols('B', 1));
});
