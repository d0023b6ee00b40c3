// One node of a replicated log, fed by hand: from when a message counts, when silence is told, and what a refused LEAD means.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasQuorum, isSilent } from '../../../../shell/storage/replication/append.ts';
import { hashOf } from '../../../../shell/storage/replication/message.ts';
import {
  canLead, lead, mayAnswer, offer, onGap, onRead, onResult, onTick, startReplica, ticket, type Out, type Replica,
} from '../../../../shell/storage/replication/replica.ts';

const FROM = { position: 0, hash: '0'.repeat(64), seq: 0, epoch: 0, owner: null };
const FIT = { isApplied: true, isAlike: true, isSound: true };

function start(): Replica {
  const me = { node: 'one', instance: 'a'.repeat(16) };
  return startReplica({ me, versions: { behaviour: 1, codec: 1 }, hashOf, from: FROM, firstPosition: 1, heard: 0, now: 0 });
}

function frame(seq: number): Parameters<typeof offer>[1] {
  return { first: seq, last: seq, bytes: new Uint8Array(8), digests: [] };
}

/** Publishes of an action, as id and position. */
function published(act: (out: Out) => void): [id: number, at: number][] {
  const out: Out = [];
  act(out);
  return out.flatMap((effect) => (effect.type === 'publish' ? [[effect.id, effect.message.at] as [number, number]] : []));
}

function leader(): Replica {
  const replica = start();
  const [[id]] = published((out) => lead(replica, frame(1), 100, out)) as [[number, number]];
  onResult(replica, id, { type: 'accepted', position: 1 }, 101, []);
  assert.ok(replica.isLeading);
  return replica;
}

test('a message that was sent twice to one position counts from its first attempt', () => {
  const replica = leader();
  const first = ticket(replica);
  assert.deepEqual(published((out) => offer(replica, frame(2), 1_000, out)), [[first, 2]]);
  onResult(replica, first, { type: 'unknown' }, 1_100, []);
  assert.deepEqual(published((out) => onTick(replica, 1_200, out)), [], 'not at once');
  assert.deepEqual(published((out) => onTick(replica, 1_300, out)), [[first + 1, 2]]);
  onResult(replica, first + 1, { type: 'accepted', position: 2 }, 1_310, []);
  assert.deepEqual([replica.confirmed, replica.confirmedId], [1_000, first]);
  assert.ok(mayAnswer(replica, 1_999) && !mayAnswer(replica, 2_000));
});

test('an answer to an earlier publish, and one for another position, change nothing', () => {
  const replica = leader();
  const [[id]] = published((out) => offer(replica, frame(2), 1_000, out)) as [[number, number]];
  onResult(replica, id - 1, { type: 'accepted', position: 2 }, 1_001, []);
  assert.equal(replica.reader.position, 1);
  onResult(replica, id, { type: 'accepted', position: 3 }, 1_002, []);
  assert.equal(replica.reader.position, 1);
  assert.notEqual(replica.append.pending, null);
});

test('after a second of silence there is no quorum, after ten nothing is said, and both end with the acceptance', () => {
  const replica = leader();
  const [[id]] = published((out) => offer(replica, frame(2), 1_000, out)) as [[number, number]];
  assert.ok(hasQuorum(replica.append, 1_999) && !hasQuorum(replica.append, 2_000));
  assert.ok(!isSilent(replica.append, 10_999) && isSilent(replica.append, 11_000));
  onResult(replica, id, { type: 'accepted', position: 2 }, 12_000, []);
  assert.ok(hasQuorum(replica.append, 20_000) && !isSilent(replica.append, 20_000));
});

test('who is refused as a leader waits anew', () => {
  const replica = start();
  replica.reader.owner = { node: 'two', instance: 'b'.repeat(16) };
  assert.ok(!canLead(replica, 1_999, FIT) && canLead(replica, 2_000, FIT));
  const [[id]] = published((out) => lead(replica, frame(1), 2_000, out)) as [[number, number]];
  onResult(replica, id, { type: 'refused', last: 1 }, 2_100, []);
  assert.ok(!canLead(replica, 4_099, FIT) && canLead(replica, 4_100, FIT));
});

test('without anybody to wait for, a node leads at once', () => {
  assert.ok(canLead(start(), 0, FIT));
  for (const unfit of [{ isApplied: false }, { isAlike: false }, { isSound: false }]) assert.ok(!canLead(start(), 0, { ...FIT, ...unfit }));
});

test('the newest accepted message may have left the log with age, alone, also after the start; what follows it may not', () => {
  const from = { position: 4, hash: '1'.repeat(64), seq: 4, epoch: 1, owner: { node: 'two', instance: 'b'.repeat(16) } };
  for (const [firstPosition, next, isGap] of [[1, 5, false], [1, 6, true], [4, 5, false], [5, 6, true]] as const) {
    const replica = startReplica({ me: start().me, versions: { behaviour: 1, codec: 1 }, hashOf, from, firstPosition, heard: 0, now: 0 });
    assert.equal(replica.reader.next, firstPosition > 4 ? 5 : 4);
    onGap(replica, replica.reader.next, next, []);
    assert.deepEqual([replica.halted?.name ?? null, replica.reader.next], isGap ? ['log_gap', firstPosition > 4 ? 5 : 4] : [null, 5]);
  }
});

test('a frame of another version halts the node before it is handed on', () => {
  const replica = start();
  const content = {
    kind: 'lead', node: 'two', instance: 'b'.repeat(16), epoch: 1, first: 1, last: 1, prev: FROM.hash, behaviour: 2, codec: 1, digests: [],
    bytes: new Uint8Array(8),
  } as const;
  const out: Out = [];
  onRead(replica, 1, { ...content, at: 1, hash: hashOf(content) }, 10, out);
  assert.deepEqual(out.map(({ type }) => type), ['halted']);
  assert.equal(replica.halted?.name, 'other_version');
  assert.match(replica.halted.detail, /seq 1 has BEHAVIOUR 2 and CODEC 1, this node has 1 and 1/);
});
