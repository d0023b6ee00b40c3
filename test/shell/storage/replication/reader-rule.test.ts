// Which messages of the log count: the verdicts on each kind of message, one by one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind, Message } from '../../../../shell/storage/replication/message.ts';
import { judge, startReader, type Halt, type ReaderState } from '../../../../shell/storage/replication/reader-rule.ts';

const START = { position: 0, hash: 'start', seq: 0, epoch: 0, owner: null };

function message(kind: Kind, at: number, prev: string, changes: Partial<Message> = {}): Message {
  const seq = kind === 'lead' || kind === 'frame' ? at : 0;
  return {
    kind, at, prev, hash: `${kind} ${at}`, epoch: 1, node: 'one', instance: 'a', first: seq, last: seq, behaviour: 1, codec: 1, digests: [],
    bytes: new Uint8Array(), ...changes,
  };
}

/** Has accepted a LEAD at 1 and a frame at 2. */
function led(): ReaderState {
  const state = startReader(START);
  assert.equal(judge(state, message('lead', 1, 'start')), 'accepted');
  assert.equal(judge(state, message('frame', 2, 'lead 1')), 'accepted');
  return state;
}

test('a LEAD, its frames, an EMPTY and a RESIGN of its sender are accepted in order', () => {
  const state = led();
  assert.equal(judge(state, message('empty', 3, 'frame 2')), 'accepted');
  assert.equal(judge(state, message('resign', 4, 'empty 3')), 'accepted');
  assert.deepEqual([state.position, state.seq, state.epoch, state.owner], [4, 2, 1, null]);
  assert.equal(judge(state, message('lead', 5, 'resign 4', { epoch: 2, node: 'two', first: 3, last: 3 })), 'accepted');
  assert.deepEqual(state.owner, { node: 'two', instance: 'a' });
});

test('a message that does not follow the newest accepted one is stale and counted', () => {
  const state = led();
  assert.equal(judge(state, message('empty', 3, 'lead 1')), 'skipped');
  assert.equal(judge(state, message('lead', 4, 'start', { epoch: 2 })), 'skipped');
  assert.deepEqual([state.stale, state.position, state.next], [2, 2, 5]);
});

test('a message that was meant for another position is not accepted', () => {
  const state = led();
  assert.equal(judge(state, message('empty', 9, 'frame 2')), 'skipped');
  assert.equal(state.position, 2);
});

test('a message of another node, another start of the node or another epoch is not accepted', () => {
  for (const changes of [{ node: 'two' }, { instance: 'b' }, { epoch: 0 }, { epoch: 2 }]) {
    assert.equal(judge(led(), message('frame', 3, 'frame 2', changes)), 'skipped');
  }
  for (const epoch of [0, 1, 3]) assert.equal(judge(led(), message('lead', 3, 'frame 2', { epoch, node: 'two' })), 'skipped');
});

test('after a RESIGN nothing but a LEAD is accepted', () => {
  const state = led();
  judge(state, message('resign', 3, 'frame 2'));
  assert.equal(judge(state, message('frame', 4, 'resign 3', { first: 3, last: 3 })), 'skipped');
});

test('a message after an unknown one is read again from the newest accepted one, and halts the second time', () => {
  const state = led();
  const unknown = message('frame', 3, 'elsewhere');
  assert.equal(judge(state, unknown), 'again');
  assert.equal(state.next, 2);
  assert.equal(judge(state, message('frame', 2, 'lead 1')), 'skipped');
  const halt = judge(state, unknown) as Halt;
  assert.equal(halt.name, 'log_rewritten');
  assert.match(halt.detail, /position 3 \(seq 3 to 3 of one\) follows a message that was never read; .* position 2, seq 2/);
});

test('a message that was read wrong is accepted when the log is read again', () => {
  const state = led();
  assert.equal(judge(state, null), 'skipped');
  assert.equal(state.unreadable, 3);
  assert.equal(judge(state, message('frame', 4, 'empty 3', { first: 3, last: 3 })), 'again');
  judge(state, message('frame', 2, 'lead 1'));
  assert.equal(judge(state, message('empty', 3, 'frame 2')), 'accepted');
  assert.equal(judge(state, message('frame', 4, 'empty 3', { first: 3, last: 3 })), 'accepted');
  assert.equal(state.unreadable, 0);
});

test('an unreadable message that an accepted one should follow halts by that name', () => {
  const state = led();
  judge(state, null);
  judge(state, message('frame', 4, 'empty 3', { first: 3, last: 3 }));
  judge(state, message('frame', 2, 'lead 1'));
  judge(state, null);
  assert.equal((judge(state, message('frame', 4, 'empty 3')) as Halt).name, 'log_unreadable');
});

test('another message at an accepted position is a lost log, with the seqs', () => {
  const state = startReader({ position: 2, hash: 'frame 2', seq: 2, epoch: 1, owner: { node: 'one', instance: 'a' } });
  const halt = judge(state, message('lead', 2, 'lead 1', { epoch: 2, node: 'two' })) as Halt;
  assert.equal(halt.name, 'log_lost');
  assert.match(halt.detail, /position 2 holds seq 2 to 2 of two, not what was accepted there; the newest accepted seq is 2/);
});

test('a frame in turn whose seqs do not follow halts', () => {
  assert.equal((judge(led(), message('frame', 3, 'frame 2', { first: 5, last: 5 })) as Halt).name, 'log_out_of_order');
});
