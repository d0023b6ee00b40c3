// What connections of one thread share: turns in asking the reader for snapshots, the bytes of snapshots their clients have not read, and
// the bound on all of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOUNDS } from '../../../shell/http/limits.ts';
import { Scripted } from './scripted.ts';

const symbols = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}${i}-PERP`);
const keys = ({ asked }: Scripted): string[] => asked.filter(({ query }) => query === 'subscribe').map(({ parameters }) => parameters.key);

test('connections of one source request a few snapshots at a time, in turns; another source does not wait', () => {
  const first = new Scripted();
  const own = Array.from({ length: 20 }, () => new Scripted(null, first));
  const many = 3 * BOUNDS.snapshotsAsked;
  first.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('A', many) });
  for (const one of own) one.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('B', many) });
  assert.deepEqual(keys(first), symbols('A', BOUNDS.snapshotsAsked));
  new Scripted(null, first, '203.0.113.2').say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('C', many) });
  assert.deepEqual(keys(first), [...symbols('A', BOUNDS.snapshotsAsked), ...symbols('C', BOUNDS.snapshotsAsked)]);
  for (const { answer } of first.asked.splice(0, BOUNDS.snapshotsAsked)) answer(1);
  first.asked.splice(0, BOUNDS.snapshotsAsked);
  assert.deepEqual(keys(first), symbols('B', BOUNDS.snapshotsAsked), 'the next connection, not the next of the first');
  // Those of connections that are gone are not asked for.
  for (const one of own) one.connection.close();
  for (const { answer } of first.asked.splice(0, BOUNDS.snapshotsAsked)) answer(1);
  assert.deepEqual(keys(first), symbols('A', 2 * BOUNDS.snapshotsAsked).slice(BOUNDS.snapshotsAsked));
  for (let left = first.asked.splice(0); left.length > 0; left = first.asked.splice(0)) for (const { answer } of left) answer(1);
  assert.deepEqual(first.read(), [{ type: 'Subscribed', channel: 'orderbook' }]);
});

test('a snapshot request for which the reader has no room passes its turn on', () => {
  const one = new Scripted();
  const other = new Scripted(null, one);
  one.hasRoom = false;
  one.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('A', 3 * BOUNDS.snapshotsAsked) });
  assert.equal(one.read().length, 3 * BOUNDS.snapshotsAsked);
  one.hasRoom = true;
  other.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('B', 1) });
  assert.deepEqual(keys(one), symbols('B', 1));
});

test('when many subscriptions end at once, the reader gets a few requests, one per topic', () => {
  const first = new Scripted();
  const all = [first, ...Array.from({ length: 199 }, () => new Scripted(null, first))];
  const listen = (): void => {
    for (const one of all) one.say({ type: 'Subscribe', channel: 'orderbook', symbols: symbols('A', 10) });
    for (let left = first.asked.splice(0); left.length > 0; left = first.asked.splice(0)) for (const { answer } of left) answer(1);
    assert.equal(first.topics.size, 10);
  };
  const leave = (): void => all.forEach((one) => one.say({ type: 'Unsubscribe', channel: 'orderbook' }));
  const told: { topic: number; count: number }[] = [];
  const tellAll = (): number => {
    let questions = 0;
    for (let left = first.asked.splice(0); left.length > 0; left = first.asked.splice(0)) {
      assert.ok(left.every(({ query }) => query === 'unsubscribe') && left.length <= BOUNDS.endsTold, `${left.length} at a time`);
      for (const { parameters, answer } of left) {
        told.push(parameters);
        answer(null);
      }
      questions += left.length;
    }
    const counts = new Map<number, number>();
    for (const { topic, count } of told.splice(0)) counts.set(topic, (counts.get(topic) ?? 0) + count);
    assert.deepEqual([...counts.values()], Array.from({ length: 10 }, () => all.length));
    return questions;
  };
  listen();
  leave();
  assert.ok(tellAll() <= BOUNDS.endsTold + 10);
  listen();
  first.hasRoom = false;
  leave();
  assert.deepEqual(first.asked, []);
  first.hasRoom = true;
  first.topics.flush();
  assert.equal(tellAll(), 10);
});

const MESSAGES = 100;
/** What stands on a chain: 100 KB. */
const chain = (name: string): object[] => (
  Array.from({ length: MESSAGES }, (_, row) => ({ type: 'OptionsChainUpdate', row, filler: name.repeat(1_000) }))
);

/** All that waits for the client: what it reads first lets the rest come. */
const readAll = (one: Scripted): any[] => [...one.read(), ...one.read()];

/** Subscribes and is given these; its client reads nothing of them. */
function unread(one: Scripted, messages: readonly object[]): Scripted {
  one.unread = BOUNDS.bookBacklog + 1;
  one.say({ type: 'Subscribe', channel: 'options_chain' });
  one.asked.pop()!.answer(null, messages as object[]);
  return one;
}

test('identical messages are held once until the last client has read or left; different ones have own bytes', () => {
  const first = unread(new Scripted(), chain('a'));
  const one = first.held.bytes;
  assert.ok(one > 100_000, String(one));
  const others = Array.from({ length: 9 }, () => unread(new Scripted(null, first), chain('a')));
  assert.ok(first.held.bytes < 2 * one, `${first.held.bytes} bytes of ten, ${one} of one`);
  const changed = unread(new Scripted(null, first), chain('b'));
  assert.ok(first.held.bytes > 2 * one);
  const again = unread(new Scripted(null, first), chain('a'));
  const subscribed = { type: 'Subscribed', channel: 'options_chain' };
  assert.deepEqual(readAll(first), [subscribed, ...chain('a')]);
  assert.deepEqual(readAll(changed), [subscribed, ...chain('b')]);
  first.topics.flush();
  assert.deepEqual(readAll(again), [subscribed, ...chain('a')]);
  for (const other of others.slice(1)) other.connection.close();
  assert.deepEqual(readAll(others[0]!), [subscribed, ...chain('a')]);
  first.topics.flush();
  assert.equal(first.held.bytes, 0);
});

test('beyond the thread\'s bound the client that has been idle longest is closed with a reason, and no other', () => {
  const first = unread(new Scripted(null, null, '', 350_000), chain('a'));
  const [second, third, fourth] = ['b', 'c', 'd'].map((name) => {
    const one = unread(new Scripted(null, first), chain(name));
    // The first reads some, and not all of it.
    first.unread = BOUNDS.bookBacklog - 1_500;
    first.connection.drain();
    return one;
  });
  const reason = JSON.stringify({ reason: 'slow consumer', thread_held_bytes: BOUNDS.threadHeldBytes });
  assert.deepEqual([first, second, third, fourth].map((one) => one!.closed), [null, [1008, reason], null, null]);
  assert.deepEqual(readAll(third!), [{ type: 'Subscribed', channel: 'options_chain' }, ...chain('c')]);
  fourth!.connection.close();
  for (let part = first.read(); part.length > 0; part = first.read()) assert.ok(part.length <= MESSAGES + 1);
  assert.equal(first.held.bytes, 0);
});

test('a client that alone exceeds the bound is closed itself', () => {
  const one = unread(new Scripted(null, null, '', 50_000), chain('a'));
  assert.equal(one.closed?.[0], 1008);
  assert.deepEqual([one.frames, one.held.bytes], [[], 0]);
});

test('a client closed by its own answer while resuming a stream leaves nothing behind', () => {
  for (const isPart of [false, true]) {
    const one = new Scripted(`0x${'ab'.repeat(20)}`, null, '', 50);
    one.say({ type: 'Subscribe', channel: 'fills', from_seq: 5 });
    const [asked] = one.asked.splice(0);
    if (isPart) asked!.part(5, [{ type: 'Fill', seq: 6 }]);
    else asked!.answer(5, [{ type: 'Fill', seq: 6 }]);
    assert.deepEqual([one.closed?.[0], one.frames, one.held.bytes, one.topics.size], [1008, [], 0, 0]);
    assert.deepEqual(one.asked.map(({ query }) => query), isPart ? [] : ['unsubscribe'], 'the reader is told, and asked nothing more');
  }
});
