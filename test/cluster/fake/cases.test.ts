// The named cases of replication: whole nodes on a log in memory that misbehaves on demand, in simulated time.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promises } from '../port-promises.ts';
import { randomFrom } from '../random.ts';
import { FakeLog } from './fake-log.ts';
import { Cluster, TestNode } from './members.ts';
import { Simulation } from './simulation.ts';

type TestCluster = Cluster<Simulation, FakeLog>;

function clusterOf(...names: string[]): TestCluster {
  const simulation = new Simulation();
  return new Cluster(simulation, new FakeLog(simulation, randomFrom(1)), names);
}

type Led = { cluster: TestCluster; leader: TestNode; others: TestNode[] };

/** A cluster whose first leader has accepted one number, known to all. */
async function ledCluster(names: readonly string[] = ['one', 'two', 'three']): Promise<Led> {
  const cluster = clusterOf(...names);
  const leader = await cluster.untilLed();
  await cluster.mustWrite(leader);
  await cluster.time.run(500);
  return { cluster, leader, others: cluster.nodes.filter((node) => node !== leader) };
}

promises('log in memory', async (work) => {
  const simulation = new Simulation();
  const log = new FakeLog(simulation, randomFrom(1));
  let isDone = false;
  const until = (isTrue: () => boolean, left = 100): Promise<boolean> => (isTrue() || left === 0 ? Promise.resolve(isTrue())
    : new Promise((resolve) => simulation.after(10, () => resolve(until(isTrue, left - 1)))));
  const working = work({ one: log.port(), two: log.port(), until }).finally(() => { isDone = true; });
  while (!isDone) await simulation.run(10);
  await working;
});

test('one node leads, the others follow, and all hold the same', async () => {
  const { cluster, leader, others } = await ledCluster();
  for (let count = 0; count < 10; count++) await cluster.mustWrite(leader);
  await cluster.time.run(500);
  for (const node of others) assert.deepEqual(node.values, leader.values);
  assert.equal(leader.values.length, 11);
  assert.deepEqual(others.flatMap(({ events }) => events), []);
  cluster.check();
});

test('when the leader dies, another leads within four seconds and has every accepted number', async () => {
  const { cluster, leader } = await ledCluster();
  leader.kill();
  cluster.nodes.splice(cluster.nodes.indexOf(leader), 1);
  const next = await cluster.untilLed(4_000);
  await cluster.mustWrite(next);
  cluster.check();
});

test('an idle leader goes on leading', async () => {
  const { cluster, leader, others } = await ledCluster();
  await cluster.time.run(60_000);
  assert.equal(cluster.leader, leader);
  assert.deepEqual(others.flatMap(({ events }) => events), []);
  assert.equal(cluster.readNow(leader), 1);
});

for (const [fault, title] of [
  ['loseRequest', 'a frame whose request is lost is sent again and counts once'],
  ['loseAnswer', 'a frame whose answer is lost is found in the log and counts once'],
  ['landLate', 'a frame that lands seconds late, after it was sent again, counts once'],
  ['double', 'a frame that comes twice counts once'],
  ['unchecked', 'a frame that lands without a check of its position counts once'],
] as const) {
  test(title, async () => {
    const { cluster, leader } = await ledCluster();
    cluster.log.appendFaults.push(fault, fault, null);
    const value = await cluster.mustWrite(leader);
    await cluster.mustWrite(leader);
    await cluster.time.run(5_000);
    for (const node of cluster.nodes) assert.equal(node.values.filter((each) => each === value).length, 1);
    cluster.check();
  });
}

test('a log without room refuses new numbers, deposes nobody, and goes on when there is room', async () => {
  const { cluster, leader, others } = await ledCluster();
  cluster.log.odds = { full: 1_000 };
  const value = cluster.write(leader) ?? await cluster.mustWrite(leader);
  // Longer than heartbeats go on in silence.
  await cluster.time.run(60_000);
  assert.equal(leader.node.isWithoutRoom, true);
  assert.deepEqual(others.flatMap(({ events }) => events), []);
  cluster.log.odds = {};
  assert.ok(await cluster.time.until(() => cluster.accepted.includes(value), 5_000));
  assert.equal(cluster.leader, leader);
  assert.equal(leader.node.isWithoutRoom, false);
  cluster.check();
});

test('a log that is silent for six seconds stops the intake and deposes nobody', async () => {
  const { cluster, leader } = await ledCluster();
  cluster.log.isPaused = true;
  await cluster.time.run(6_000);
  assert.equal(leader.node.hasQuorum, false);
  assert.equal(cluster.readNow(leader), null);
  cluster.log.goOn();
  await cluster.mustWrite(leader);
  assert.deepEqual(leader.events, ['leads 1']);
  cluster.check();
});

test('a log that is silent for half a minute is led again when it goes on, and nothing is lost', async () => {
  const { cluster, leader } = await ledCluster();
  const value = cluster.write(leader);
  cluster.log.isPaused = true;
  await cluster.time.run(30_000);
  cluster.log.goOn();
  await cluster.time.run(5_000);
  await cluster.mustWrite(await cluster.untilLed());
  await cluster.time.run(1_000);
  assert.ok(value === null || cluster.accepted.includes(value) || cluster.refused.includes(value));
  cluster.check();
});

test('old answers of a broker change nothing', async () => {
  const { cluster, leader } = await ledCluster();
  cluster.log.odds = { notYet: 500 };
  for (let count = 0; count < 5; count++) await cluster.mustWrite(leader);
  cluster.log.odds = {};
  await cluster.time.run(2_000);
  for (const node of cluster.nodes) assert.deepEqual(node.values, leader.values);
  cluster.check();
});

test('a leader that is stopped and goes on after a takeover is deposed, answers no read of the present, and follows', async () => {
  const { cluster, leader } = await ledCluster();
  await cluster.time.until(() => leader.node.canOffer(), 2_000);
  const value = cluster.write(leader);
  leader.isPaused = true;
  const next = await cluster.untilLed();
  await cluster.mustWrite(next);
  leader.goOn();
  cluster.readNow(leader);
  await cluster.time.run(2_000);
  cluster.readNow(leader);
  assert.equal(leader.node.isLeading, false);
  assert.ok(value !== null && (cluster.accepted.includes(value) || cluster.refused.includes(value)));
  assert.deepEqual(leader.values, next.values);
  cluster.check();
});

test('a leader that resigns is followed at once', async () => {
  const { cluster, leader } = await ledCluster();
  leader.fitness = { ...leader.fitness, isSound: false };
  leader.node.resign();
  assert.equal(cluster.readNow(leader), null);
  assert.ok(await cluster.time.until(() => ![undefined, leader].includes(cluster.leader), 1_000));
  assert.deepEqual(leader.events, ['leads 1', 'resigned']);
  await cluster.mustWrite(cluster.leader!);
  cluster.check();
});

test('a log that lost its end halts the leader that reads on, with the seqs', async () => {
  const { cluster, leader } = await ledCluster();
  await cluster.time.run(2_000);
  cluster.log.loseEnd(2);
  await cluster.time.run(2_000);
  assert.equal(leader.halted?.name, 'log_lost');
  assert.match(leader.halted.detail, /the log ends at position \d+, position \d+ was read; the newest accepted seq is 2/);
});

test('a node that was behind does not lead past what another said it has accepted and the log has lost', async () => {
  const { cluster, leader, others: [other] } = await ledCluster(['one', 'two']);
  const behind = other!.values.length;
  cluster.log.odds = { notYet: 1_000 };
  for (let count = 0; count < 5; count++) await cluster.mustWrite(leader);
  await cluster.time.run(600);
  leader.kill();
  assert.equal(other!.values.length, behind, 'it could not read what the leader has told');
  cluster.log.loseEnd(leader.journal.at(-1)!.from.position - other!.node.state.reader.position);
  cluster.log.odds = {};
  for (const isNew of [false, true]) {
    if (isNew) {
      other!.kill();
      other!.start();
    }
    await cluster.time.run(20_000);
    assert.equal(other!.node.isLeading, false, isNew ? 'after a restart' : 'without one');
    assert.equal(other!.node.missing, leader.node.state.reader.position);
  }
});

test('a node that was behind leads once it has read what another said it has accepted', async () => {
  const { cluster, leader, others: [other] } = await ledCluster(['one', 'two']);
  cluster.log.odds = { notYet: 1_000 };
  for (let count = 0; count < 5; count++) await cluster.mustWrite(leader);
  await cluster.time.run(600);
  leader.kill();
  cluster.nodes.splice(cluster.nodes.indexOf(leader), 1);
  cluster.log.odds = {};
  assert.equal(await cluster.untilLed(), other);
  assert.equal(other!.node.missing, null);
  cluster.check();
});

test('other bytes at an accepted position halt the node that starts again and finds them', async () => {
  const { cluster, others: [other] } = await ledCluster();
  other!.kill();
  const at = other!.journal.at(-1)!.from.position;
  cluster.log.messages[at - 1] = cluster.log.messages[0];
  other!.start();
  await cluster.time.run(500);
  assert.equal(other!.halted?.name, 'log_lost');
});

test('a log whose old messages leave it goes on, and a node that stopped before them halts by name', async () => {
  const { cluster, leader, others: [late, other] } = await ledCluster();
  late!.kill();
  for (let count = 0; count < 5; count++) await cluster.mustWrite(leader);
  await cluster.time.run(500);
  const { position } = other!.journal.at(-1)!.from;
  cluster.log.cut(position + 1);
  other!.kill();
  other!.start();
  await cluster.mustWrite(leader);
  await cluster.time.run(500);
  assert.deepEqual([other!.halted, other!.values], [null, leader.values], 'it goes on after the last that it has');
  late!.start();
  await cluster.time.run(500);
  assert.equal(late!.halted?.name, 'log_gap');
  cluster.check();
});

test('nodes that all stopped before every message left the log go on with what they have', async () => {
  const { cluster, leader } = await ledCluster(['one', 'two']);
  for (let count = 0; count < 5; count++) await cluster.mustWrite(leader);
  assert.ok(await cluster.time.until(() => cluster.nodes.every(({ values }) => values.length === 6), 5_000));
  for (const node of cluster.nodes) node.kill();
  cluster.log.messages.length = leader.journal.at(-1)!.from.position;
  cluster.log.cut(cluster.log.messages.length + 1);
  for (const node of cluster.nodes) node.start();
  await cluster.mustWrite(await cluster.untilLed());
  await cluster.time.run(500);
  assert.deepEqual(cluster.nodes.map(({ halted, values }) => [halted, values.length]), [[null, 7], [null, 7]]);
  cluster.check();
});

test('a gap in the log halts who comes to it', async () => {
  const { cluster, leader } = await ledCluster();
  await cluster.mustWrite(leader);
  cluster.log.messages[1] = undefined;
  const late = new TestNode(cluster, 'late');
  late.start();
  await cluster.time.run(500);
  assert.equal(late.halted?.name, 'log_gap');
  assert.match(late.halted.detail, /positions 2 to 2 are not in the log/);
});

test('bytes that are damaged in the log halt a node when what follows builds on them', async () => {
  const { cluster, leader } = await ledCluster();
  await cluster.mustWrite(leader);
  cluster.log.messages[1] = cluster.log.messages[1]!.map((byte, at) => (at === 40 ? byte ^ 4 : byte));
  const late = new TestNode(cluster, 'late');
  late.start();
  await cluster.time.run(500);
  assert.equal(late.halted?.name, 'log_unreadable');
});

test('a frame of somebody without the key is passed over by all, and the leader goes on', async () => {
  const { cluster, leader, others } = await ledCluster();
  const rogue = cluster.log.messages.at(-1)!.map((byte, at) => (at === 24 ? byte + 1 : byte));
  cluster.log.messages.push(rogue, Uint8Array.of(1, 2, 3));
  await cluster.mustWrite(leader);
  await cluster.time.run(1_000);
  for (const node of others) assert.deepEqual(node.values, leader.values);
  assert.deepEqual(leader.events, ['leads 1']);
});

test('with the leader dead, nobody leads past a last message that cannot be read, until it can', async () => {
  const { cluster, leader, others } = await ledCluster();
  leader.kill();
  cluster.nodes.splice(cluster.nodes.indexOf(leader), 1);
  const whole = cluster.log.messages.at(-1)!;
  cluster.log.messages.push(Uint8Array.of(1));
  await cluster.time.run(20_000);
  assert.ok(others.every(({ node }) => !node.isLeading && node.state.reader.unreadable > 0));
  cluster.log.messages[cluster.log.messages.length - 1] = whole;
  await cluster.time.run(10_000);
  assert.equal(cluster.leader, undefined, 'a copy of an earlier message is no reason to lead either');
});

test('a message that was read wrong once is read again', async () => {
  const { cluster, leader, others } = await ledCluster();
  cluster.log.readFaults.push('misread', 'misread', 'misread');
  await cluster.mustWrite(leader);
  await cluster.mustWrite(leader);
  await cluster.time.run(2_000);
  for (const node of others) assert.deepEqual(node.values, leader.values);
  assert.ok(cluster.nodes.every(({ halted }) => halted === null));
});

test('of two nodes with one name, the one that leads stays', async () => {
  const { cluster, leader } = await ledCluster();
  const twin = new TestNode(cluster, leader.name);
  twin.start();
  twin.kill();
  twin.start();
  await cluster.time.run(1_000);
  assert.equal(twin.halted?.name, 'node_name_in_use');
  assert.equal(leader.halted, null);
});

test('a node with other settings, one that lags and a replica never lead', async () => {
  const { cluster, leader, others: [one, two] } = await ledCluster();
  one!.fitness = { ...one!.fitness, isAlike: false };
  two!.fitness = { ...two!.fitness, isApplied: false };
  const replica = new TestNode(cluster, 'replica');
  replica.start(false);
  leader.kill();
  cluster.nodes.splice(cluster.nodes.indexOf(leader), 1);
  await cluster.time.run(10_000);
  assert.equal(cluster.leader, undefined);
  one!.fitness = { ...one!.fitness, isAlike: true };
  assert.equal(await cluster.untilLed(1_000), one);
});

test('a node whose clock is an hour ahead does not lead', async () => {
  const { cluster, leader, others: [one, two] } = await ledCluster(['one', 'two', 'three', 'four']);
  one!.clockOffMs = 3_600_000;
  await cluster.time.run(1_000);
  assert.ok(one!.node.isClockOff && !two!.node.isClockOff && !leader.node.isClockOff);
  two!.fitness = { ...two!.fitness, isSound: false };
  cluster.nodes[3]!.fitness = { ...two!.fitness };
  leader.fitness = { ...two!.fitness };
  leader.node.resign();
  await cluster.time.run(10_000);
  assert.equal(cluster.leader, undefined);
});

test('a node with another key reads nothing and never leads', async () => {
  const { cluster } = await ledCluster();
  const stranger = new TestNode(cluster, 'stranger');
  stranger.key = Buffer.alloc(32, 6);
  stranger.start();
  await cluster.time.run(20_000);
  assert.deepEqual(stranger.values, []);
  assert.equal(stranger.node.isLeading, false);
  assert.ok(stranger.node.strangers > 0);
  cluster.check();
});

test('a node that starts again reads on from its journal', async () => {
  const { cluster, leader, others: [other] } = await ledCluster();
  other!.kill();
  for (let count = 0; count < 5; count++) await cluster.mustWrite(leader);
  other!.start();
  await cluster.time.run(1_000);
  assert.deepEqual(other!.values, leader.values);
  cluster.check();
});

test('a node that is far behind reads several positions at once', async () => {
  const { cluster, leader, others: [other] } = await ledCluster();
  other!.kill();
  for (let count = 0; count < 200; count++) await cluster.mustWrite(leader);
  other!.start();
  // One after the other, they take twice as long.
  await cluster.time.run(150);
  assert.deepEqual(other!.values, leader.values);
  cluster.check();
});

test('a read through the log is told only after something newer was accepted', async () => {
  const { cluster, leader } = await ledCluster();
  const taken = leader.node.ticket();
  assert.equal(leader.node.confirmsSince(taken), false);
  assert.ok(await cluster.time.until(() => leader.node.confirmsSince(taken), 1_000));
});
