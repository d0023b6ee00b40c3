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
  const leadership = new Leadership({ counters, status: description, steady: () => clock.now, ringer: null });
  const set = (name: CounterName, value: number): void => counters.counter(name).store(value >>> 0);
  return { leadership, clock, set, show: (status: ClusterStatus) => new SharedValue<ClusterStatus>(description).publish(status) };
}

function mayAnswer(leadership: Leadership): boolean {
  const said: boolean[] = [];
  leadership.speak(() => said.push(true), () => said.push(false));
  assert.equal(said.length, 1);
  return said[0]!;
}

function leads(leadership: Leadership): boolean {
  const said: boolean[] = [];
  leadership.tellLead((isSo) => said.push(isSo));
  return said[0]!;
}

const STATUS: ClusterStatus = {
  node: 'two', role: 'follower', epoch: 3, position: 9, seq: 20, leader: 'http://one', owner: 'one', peers: [],
};

test('a process that is the venue itself takes writes and answers, whatever the counters of a log say', () => {
  const { leadership, clock, set } = node();
  set('quorum', 1);
  clock.now = 1e9;
  assert.equal(leadership.refuseWrite(), null);
  assert.equal(mayAnswer(leadership), true);
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
  assert.equal(mayAnswer(leadership), true);
  assert.deepEqual(leadership.status(), STATUS);
});

test('a leader answers for a second after what the log accepted last was sent, also across the end of 32 bits', () => {
  const { leadership, clock, set } = node();
  set('role', ROLES.leader);
  for (const sent of [10_000, 2 ** 32 - 500, 2 ** 32 + 5]) {
    set('confirmed', sent % 2 ** 32);
    for (const [after, may] of [[0, true], [999, true], [1_000, false], [60_000, false]] as const) {
      clock.now = sent + after;
      assert.equal(mayAnswer(leadership), may, `${sent} and ${after}`);
    }
  }
});

test('who is ready to lead is told of now: not a follower, nor a leader after its second is over or without a quorum', () => {
  const { leadership, clock, set } = node();
  assert.equal(leads(leadership), true, 'the venue itself');
  set('role', ROLES.follower);
  assert.equal(leads(leadership), false);
  set('role', ROLES.leader);
  set('confirmed', 10_000);
  for (const [now, quorum, expected] of [[10_999, 0, true], [11_000, 0, false], [10_500, 1, false]] as const) {
    clock.now = now;
    set('quorum', quorum);
    assert.equal(leads(leadership), expected, `${now} ${quorum}`);
  }
});

test('a leader whose log accepts nothing refuses writes, and takes them again when it does', () => {
  const { leadership, set } = node();
  set('role', ROLES.leader);
  assert.equal(leadership.refuseWrite(), null);
  set('quorum', 1);
  assert.equal(leadership.refuseWrite()?.code, 'no_quorum');
  set('quorum', 2);
  assert.equal(leadership.refuseWrite()?.code, 'log_full');
  set('quorum', 0);
  assert.equal(leadership.refuseWrite(), null);
});

test('a leader whose reads go through the log answers what it asked for before, in order, and refuses what is not told in time', () => {
  for (const start of [0, 2 ** 32 - 2]) {
    const counters = new SharedCounters<CounterName>(createWiring(1).counters);
    let [now, rings] = [0, 0];
    const leadership = new Leadership({
      counters, status: createSharedValue(), steady: () => now, ringer: { ring: () => void rings++, close: () => undefined },
    });
    const tell = (count: number): void => {
      counters.counter('told').store((start + count) >>> 0);
      leadership.look();
    };
    const said: string[] = [];
    const ask = (name: string): void => leadership.speak(() => said.push(name), () => said.push(`not ${name}`));
    counters.counter('asked').store(start);
    tell(0);
    ask('follower');
    assert.deepEqual([said.splice(0), rings], [['follower'], 0], 'who follows answers from what it has');
    counters.counter('role').store(ROLES.leader);
    for (const name of ['a', 'b', 'c']) ask(name);
    assert.deepEqual([said, rings, leadership.waiting], [[], 3, 3]);
    tell(2);
    assert.deepEqual(said.splice(0), ['a', 'b']);
    now = 5_000;
    ask('d');
    leadership.look();
    assert.deepEqual(said.splice(0), ['not c']);
    tell(4);
    assert.deepEqual([said, leadership.waiting], [['d'], 0]);
  }
});
