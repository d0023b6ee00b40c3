// Who takes writes, and who may say how things are now: a process that is the venue itself always, a follower never writes, a leader only
// as long as the log has answered it within a second.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Leadership } from '../../../shell/api/leadership.ts';
import { ROLES, type ClusterStatus } from '../../../shell/ipc/cluster-status.ts';
import { SharedCounters } from '../../../shell/ipc/counters.ts';
import { createSharedValue, SharedValue } from '../../../shell/ipc/shared-value.ts';
import { createWiring, type CounterName } from '../../../shell/process/wiring.ts';

function node() {
  const counters = new SharedCounters<CounterName>(createWiring(1).counters);
  const description = createSharedValue();
  const clock = { now: 0 };
  const leadership = new Leadership(counters, description, () => clock.now);
  const set = (name: CounterName, value: number): void => counters.counter(name).store(value >>> 0);
  return { leadership, clock, set, show: (status: ClusterStatus) => new SharedValue<ClusterStatus>(description).publish(status) };
}

const STATUS: ClusterStatus = {
  node: 'two', role: 'follower', epoch: 3, position: 9, seq: 20, leader: 'http://one', owner: 'one', peers: [],
};

test('a process that is the venue itself takes writes and answers, whatever the counters of a log say', () => {
  const { leadership, clock, set } = node();
  set('quorum', 1);
  clock.now = 1e9;
  assert.equal(leadership.refuseWrite(), null);
  assert.equal(leadership.mayAnswer(), true);
  assert.equal(leadership.status(), null);
});

test('a follower refuses writes and names the leader, if it is known, and answers from what it has', () => {
  const { leadership, set, show } = node();
  set('role', ROLES.follower);
  assert.deepEqual(leadership.refuseWrite(), {
    ok: false, code: 'not_leader', message: 'This node does not lead: another node may', extra: { leader: null },
  });
  show(STATUS);
  assert.deepEqual(leadership.refuseWrite(), {
    ok: false, code: 'not_leader', message: 'This node does not lead: http://one', extra: { leader: 'http://one' },
  });
  assert.equal(leadership.mayAnswer(), true);
  assert.deepEqual(leadership.status(), STATUS);
});

test('a leader answers for a second after what the log accepted last was sent, also across the end of 32 bits', () => {
  const { leadership, clock, set } = node();
  set('role', ROLES.leader);
  for (const sent of [10_000, 2 ** 32 - 500, 2 ** 32 + 5]) {
    set('confirmed', sent % 2 ** 32);
    for (const [after, may] of [[0, true], [999, true], [1_000, false], [60_000, false]] as const) {
      clock.now = sent + after;
      assert.equal(leadership.mayAnswer(), may, `${sent} and ${after}`);
    }
  }
});

test('who is ready to lead is told of now: not a follower, nor a leader after its second is over or without a quorum', () => {
  const { leadership, clock, set } = node();
  assert.equal(leadership.leads(), true, 'the venue itself');
  set('role', ROLES.follower);
  assert.equal(leadership.leads(), false);
  set('role', ROLES.leader);
  set('confirmed', 10_000);
  for (const [now, quorum, leads] of [[10_999, 0, true], [11_000, 0, false], [10_500, 1, false]] as const) {
    clock.now = now;
    set('quorum', quorum);
    assert.equal(leadership.leads(), leads, `${now} ${quorum}`);
  }
});

test('a leader whose log accepts nothing refuses writes, and takes them again when it does', () => {
  const { leadership, set } = node();
  set('role', ROLES.leader);
  assert.equal(leadership.refuseWrite(), null);
  set('quorum', 1);
  assert.equal(leadership.refuseWrite()?.code, 'no_quorum');
  set('quorum', 0);
  assert.equal(leadership.refuseWrite(), null);
});
