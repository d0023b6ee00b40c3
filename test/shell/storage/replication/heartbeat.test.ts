// Heartbeats of the nodes of a cluster: their bytes, whose clock is off, and when a node must stop for what it hears.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  conflictOf, decodeHeartbeat, encodeHeartbeat, hear, isClockOff, isPresent, type Heartbeat, type Peers,
} from '../../../../shell/storage/replication/heartbeat.ts';
import { startReader, type ReaderState } from '../../../../shell/storage/replication/reader-rule.ts';

const IDENTITY = { venue: '0123456789abcdef', key: Buffer.alloc(32, 3) };
const BEAT: Heartbeat = {
  node: 'two', instance: 'b', epoch: 3, isLeading: false, position: 9, head: 'aa', seq: 40, time: 1_000, url: 'https://two.example',
};
const ME = { node: 'one', instance: 'a', isLeading: true };

function readerAt(position: number, ...hashes: string[]): ReaderState {
  const state = startReader({ position: position - hashes.length, hash: 'oldest', seq: 30, epoch: 3, owner: null });
  for (const hash of hashes) {
    state.position++;
    state.accepted.set(hash, state.position);
  }
  return state;
}

test('a heartbeat comes back from its bytes, and one that was changed, of another key or another venue does not', () => {
  const data = encodeHeartbeat(BEAT, IDENTITY);
  assert.deepEqual(decodeHeartbeat(data, IDENTITY), BEAT);
  for (let at = 0; at < data.length; at++) {
    assert.equal(decodeHeartbeat(data.map((byte, index) => (index === at ? byte ^ 1 : byte)), IDENTITY), null);
  }
  assert.equal(decodeHeartbeat(data, { ...IDENTITY, key: Buffer.alloc(32, 4) }), null);
  assert.equal(decodeHeartbeat(encodeHeartbeat(BEAT, { ...IDENTITY, venue: 'f'.repeat(16) }), IDENTITY), null);
  for (const size of [0, 32, 5_000]) assert.equal(decodeHeartbeat(new Uint8Array(size), IDENTITY), null);
});

test('a node whose head was never accepted here holds another chain, unless it is ahead or too far behind to tell', () => {
  const reader = readerAt(10, 'aa', 'bb');
  assert.equal(conflictOf(BEAT, ME, reader), null);
  assert.equal(conflictOf({ ...BEAT, head: 'cc' }, ME, reader)?.name, 'log_diverged');
  assert.equal(conflictOf({ ...BEAT, head: 'cc', position: 11 }, ME, reader), null);
  assert.equal(conflictOf({ ...BEAT, head: 'cc', position: 7 }, ME, reader), null);
});

test('of two nodes with one name the follower stops, of two followers one', () => {
  const reader = readerAt(10, 'aa', 'bb');
  const twin = { ...BEAT, node: 'one' };
  assert.equal(conflictOf(twin, ME, reader), null);
  assert.equal(conflictOf({ ...twin, isLeading: true }, { ...ME, isLeading: false }, reader)?.name, 'node_name_in_use');
  const follower = { ...ME, isLeading: false };
  const both = [conflictOf(twin, follower, reader), conflictOf({ ...twin, instance: 'a' }, { ...follower, instance: 'b' }, reader)];
  assert.equal(both.filter((halt) => halt !== null).length, 1);
});

test('the clock that differs from most is off, and nodes that are gone have no say', () => {
  const skewed = (...skews: number[]): Peers => {
    const peers: Peers = new Map();
    skews.forEach((skew, index) => hear(peers, { ...BEAT, node: `n${index}`, time: 1_000 + skew }, 5_000, 1_000));
    return peers;
  };
  assert.ok(!isClockOff(skewed(), 5_000));
  assert.ok(!isClockOff(skewed(3_600_000), 5_000), 'of two, nobody can tell');
  assert.ok(!isClockOff(skewed(3_600_000, 10), 5_000));
  assert.ok(isClockOff(skewed(-3_600_000, -3_600_010), 5_000));
  assert.ok(!isClockOff(skewed(-3_600_000, -3_600_010), 7_000));
  assert.ok(isPresent({ ...BEAT, received: 5_000, skewMs: 0, offSince: null }, 6_999));
});

test('heartbeats that come late in one go do not make a leader think that its clock is off, a wrong clock does', () => {
  const peers: Peers = new Map();
  const hearBoth = (received: number, skew: number): void => {
    for (const node of ['n0', 'n1']) hear(peers, { ...BEAT, node, time: 1_000 + skew }, received, 1_000);
  };
  for (let late = 5_000; late > 1_000; late -= 250) {
    hearBoth(10_000, -late);
    assert.ok(isClockOff(peers, 10_000), 'who does not lead yet waits');
    assert.ok(!isClockOff(peers, 10_000, 1_000));
  }
  hearBoth(10_000, 0);
  assert.ok(!isClockOff(peers, 11_500, 1_000) && !isClockOff(peers, 11_500));
  for (let at = 12_000; at <= 13_000; at += 250) hearBoth(at, -5_000);
  assert.ok(!isClockOff(peers, 12_999, 1_000));
  assert.ok(isClockOff(peers, 13_000, 1_000));
});

test('no more than a bounded number of nodes is remembered', () => {
  const peers: Peers = new Map();
  for (let nth = 0; nth < 100; nth++) hear(peers, { ...BEAT, node: `n${nth}` }, 0, 0);
  assert.equal(peers.size, 16);
});

test('a node that was not heard for two seconds makes room for one with a new name', () => {
  const peers: Peers = new Map();
  for (let nth = 0; nth < 16; nth++) hear(peers, { ...BEAT, node: `n${nth}` }, nth === 5 ? 0 : 1_999, 0);
  hear(peers, { ...BEAT, node: 'early' }, 1_999, 0);
  hear(peers, { ...BEAT, node: 'late' }, 2_000, 0);
  assert.deepEqual([peers.size, peers.has('early'), peers.has('late'), peers.has('n5')], [16, false, true, false]);
});
