// The replicated log in JetStream against three real brokers: the promises of the port, what the venue's user may do, which streams are
// refused, and nodes that lead and follow while a broker dies.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { JetStreamLog } from '../../shell/storage/replication/jetstream.ts';
import {
  askApi, findStream, inspectStream, LogRefusal, logSubject, makeStream, streamName, type StreamName,
} from '../../shell/storage/replication/jetstream-stream.ts';
import { Cluster } from '../cluster/fake/members.ts';
import { promises } from '../cluster/port-promises.ts';
import { Brokers, MISSING } from './brokers.ts';
import { RealTime } from './real-time.ts';

const VENUE = '0123456789abcdef';
const ROOM = 50_000_000;
const options = { skip: MISSING };

let brokers: Brokers;
let operator: NatsConnection;
let venue: NatsConnection;

before(async () => {
  if (MISSING !== false) return;
  brokers = await Brokers.start();
  operator = await brokers.connect('operator');
  venue = await brokers.connect('venue');
});
after(() => brokers?.end());

/** A broker that was just started again is not known to the others at once. */
async function newLog(): Promise<StreamName> {
  const name = { venue: VENUE, incarnation: randomBytes(8).toString('hex') };
  for (const until = performance.now() + 60_000; ; await sleep(100)) {
    try {
      await makeStream(operator, name, { bytes: ROOM });
      return name;
    } catch (error) {
      if (!(error instanceof LogRefusal && error.reason === 'log_unreachable') || performance.now() > until) throw error;
    }
  }
}

async function remove(name: StreamName): Promise<void> {
  await askApi(operator, `STREAM.DELETE.${streamName(name)}`);
}

/** Brokers hear of a change one after the other, so it is asked again for a while. */
async function refused(work: () => Promise<unknown>, reason: LogRefusal['reason']): Promise<string> {
  const ask = (): Promise<unknown> => work().then(() => null, (thrown: unknown) => thrown);
  let error = await ask();
  for (let left = 50; left > 0 && !(error instanceof LogRefusal && error.reason === reason); left--) {
    await sleep(100);
    error = await ask();
  }
  assert.ok(error instanceof LogRefusal, `refused, not ${String(error)}`);
  assert.equal(error.reason, reason);
  return error.message;
}

/** A stream that was just made may have no leader yet, and an append without an answer may have landed. */
async function appendAfter(log: JetStreamLog, position: number, bytes: Uint8Array): Promise<void> {
  let end = position;
  for (let left = 100; left > 0 && end === position; left--) {
    const result = await log.append(bytes, position);
    if (result.type === 'accepted') end = result.position;
    else if (result.type === 'refused') end = result.last;
    else await sleep(100);
  }
  assert.equal(end, position + 1);
}

promises('JetStream', async (work) => {
  const name = await newLog();
  const time = new RealTime();
  await work({
    one: new JetStreamLog(venue, name), two: new JetStreamLog(await brokers.connect('venue'), name),
    until: (isTrue) => time.until(isTrue, 10_000),
  });
  await remove(name);
}, options);

test('a position that was removed is a gap, and says what is next', options, async () => {
  const name = await newLog();
  const log = new JetStreamLog(venue, name);
  for (let at = 0; at < 3; at++) await appendAfter(log, at, Uint8Array.of(at));
  await askApi(operator, `STREAM.UPDATE.${streamName(name)}`, { ...await configOf(name), max_msgs: 1, discard: 'old' });
  let found = await log.read(1);
  // A broker that is behind has nothing yet, or still has the message.
  for (let left = 50; left > 0 && found.type !== 'gap'; left--) {
    await sleep(100);
    found = await log.read(1);
  }
  assert.deepEqual(found, { type: 'gap', next: 3 });
  assert.match(await refused(() => inspectStream(venue, name, { position: 3, heard: 0 }), 'log_weak'), /discard "old", it must have "new"/);
  await remove(name);
});

test('a full log says so, and takes nothing', options, async () => {
  const name = { venue: VENUE, incarnation: randomBytes(8).toString('hex') };
  await makeStream(operator, name, { bytes: 2_000 });
  const log = new JetStreamLog(venue, name);
  await appendAfter(log, 0, new Uint8Array(1_000));
  assert.deepEqual(await log.append(new Uint8Array(1_500), 1), { type: 'full' });
  assert.deepEqual(await log.read(2), { type: 'notYet' });
  await appendAfter(log, 1, new Uint8Array(10));
  await remove(name);
});

async function configOf(name: StreamName): Promise<object> {
  const { config } = await askApi(operator, `STREAM.INFO.${streamName(name)}`) as { config: object };
  return config;
}

test('the venue\'s user may publish and read, and each other action is denied', options, async () => {
  const name = await newLog();
  const stream = streamName(name);
  const log = new JetStreamLog(venue, name);
  await appendAfter(log, 0, Uint8Array.of(1));
  const denied = [
    `$JS.API.STREAM.DELETE.${stream}`, `$JS.API.STREAM.PURGE.${stream}`, `$JS.API.STREAM.UPDATE.${stream}`, '$JS.API.STREAM.CREATE.other',
    `$JS.API.STREAM.MSG.DELETE.${stream}`, `$JS.API.STREAM.SNAPSHOT.${stream}`, `$JS.API.STREAM.RESTORE.${stream}`,
    `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`, `$JS.API.STREAM.PEER.REMOVE.${stream}`, '$JS.API.META.LEADER.STEPDOWN',
    `$JS.API.CONSUMER.CREATE.${stream}`, `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.x`, `$JS.API.CONSUMER.DELETE.${stream}.x`, 'other',
    '$SYS.REQ.SERVER.PING', `strikebook.${VENUE}.log`,
  ];
  for (const subject of denied) {
    const error: unknown = await venue.request(subject, '{"seq":1}', { timeout: 3_000 }).then(() => null, (thrown: unknown) => thrown);
    assert.match(String(error), /Permissions Violation for Publish/i, subject);
  }
  for (const subject of ['>', '$JS.>', 'strikebook.>', '$SYS.>']) {
    const error = await new Promise((resolve) => venue.subscribe(subject, { callback: (thrown) => resolve(thrown) }));
    assert.match(String(error), /Permissions Violation for Subscription/i, subject);
  }
  assert.deepEqual(await log.read(1), { type: 'message', bytes: Buffer.of(1) });
  assert.deepEqual(await inspectStream(venue, name, { position: 1, heard: 0 }), { firstPosition: 1, lastPosition: 1 });
  await remove(name);
});

test('a log is made by the operator\'s user only, and refused by name to the venue\'s', options, async () => {
  const name = { venue: VENUE, incarnation: randomBytes(8).toString('hex') };
  assert.match(await refused(() => makeStream(venue, name, { bytes: ROOM }), 'log_denied'), /STREAM\.CREATE/);
});

test('what the stream forbids, it forbids its operator too: to delete and to purge messages', options, async () => {
  const name = await newLog();
  await appendAfter(new JetStreamLog(venue, name), 0, Uint8Array.of(1));
  for (const what of ['STREAM.MSG.DELETE', 'STREAM.PURGE']) {
    assert.notEqual((await askApi(operator, `${what}.${streamName(name)}`, { seq: 1 })).error, undefined, what);
  }
  await remove(name);
});

test('the one log of the brokers is found; one of two, of another venue or another incarnation is refused by name', options, async () => {
  await refused(() => findStream(venue, {}), 'log_missing');
  const name = await newLog();
  assert.deepEqual(await findStream(venue, {}), name);
  assert.deepEqual(await findStream(venue, name), name);
  assert.match(await refused(() => findStream(venue, { venue: 'fedcba9876543210' }), 'log_of_other_venue'), new RegExp(VENUE));
  assert.match(await refused(() => findStream(venue, { venue: VENUE, incarnation: '0'.repeat(16) }), 'log_missing'), /has followed 0{16}/);
  const second = await newLog();
  await refused(() => findStream(venue, { venue: VENUE }), 'log_ambiguous');
  assert.deepEqual(await findStream(venue, second), second);
  await Promise.all([remove(name), remove(second)]);
});

test('a log that could lose what it acknowledged is refused by name', options, async () => {
  const weak: [change: object, told: RegExp][] = [
    [{ max_age: 60e9, duplicate_window: 60e9 }, /max_age 60000000000/],
    [{ storage: 'memory' }, /storage "memory"/], [{ num_replicas: 1 }, /num_replicas 1/], [{ discard: 'old' }, /discard "old"/],
    [{ deny_delete: false }, /deny_delete false/], [{ deny_purge: false }, /deny_purge false/],
    [{ allow_rollup_hdrs: true, deny_purge: false }, /deny_purge|rollup/],
  ];
  const right = await newLog();
  const config = await configOf(right);
  await remove(right);
  for (const [change, told] of weak) {
    const name = { venue: VENUE, incarnation: randomBytes(8).toString('hex') };
    const made = { ...config, name: streamName(name), subjects: [logSubject(name)], ...change };
    assert.equal((await askApi(operator, `STREAM.CREATE.${streamName(name)}`, made)).error, undefined);
    assert.match(await refused(() => inspectStream(venue, name, { position: 0, heard: 0 }), 'log_weak'), told);
    await remove(name);
  }
});

test('a log on one broker is for who asked for it on each node', options, async () => {
  const name = { venue: VENUE, incarnation: randomBytes(8).toString('hex') };
  await makeStream(operator, name, { bytes: ROOM, replicas: 1 });
  await inspectStream(venue, name, { position: 0, heard: 0 }, 1);
  assert.match(await refused(() => inspectStream(venue, name, { position: 0, heard: 0 }), 'log_weak'), /num_replicas 1, it must have 3/);
  await remove(name);
});

test('a log that ends before what this node has accepted is refused with both positions, a deleted one by name', options, async () => {
  const name = await newLog();
  await appendAfter(new JetStreamLog(venue, name), 0, Uint8Array.of(1));
  type Known = Parameters<typeof inspectStream>[2];
  const told = (known: Known): Promise<string> => refused(() => inspectStream(venue, name, known), 'log_lost');
  assert.match(await told({ position: 3, heard: 2 }), /ends at position 1, this node has accepted position 3/);
  assert.match(await told({ position: 1, heard: 2 }), /ends at position 1, another node has accepted position 2/);
  await remove(name);
  await refused(() => inspectStream(venue, name, { position: 0, heard: 0 }), 'log_missing');
});

test('a log cannot be made under a name that is in use with other settings', options, async () => {
  const name = await newLog();
  await refused(() => makeStream(operator, name, { bytes: ROOM + 1 }), 'log_exists');
  await remove(name);
});

test('on real brokers, the death of the leader and of the stream\'s leader lose nothing that was told', options, async () => {
  const name = await newLog();
  const connections = await Promise.all([1, 2, 3].map(() => brokers.connect('venue')));
  const time = new RealTime();
  const log = { firstPosition: 1, lastPosition: 0, port: () => new JetStreamLog(connections.shift() ?? venue, name) };
  const cluster = new Cluster(time, log, ['one', 'two', 'three']);
  try {
    const leader = await cluster.untilLed();
    for (let count = 0; count < 20; count++) await cluster.mustWrite(leader);
    leader.kill();
    cluster.nodes.splice(cluster.nodes.indexOf(leader), 1);
    const next = await cluster.untilLed(60_000);
    for (let count = 0; count < 20; count++) await cluster.mustWrite(next);
    const { leader: broker } = (await askApi(operator, `STREAM.INFO.${streamName(name)}`))['cluster'] as { leader: string };
    await brokers.kill(broker);
    for (let count = 0; count < 5; count++) await cluster.mustWrite(await cluster.untilLed(60_000), 60_000);
    brokers.restart(broker);
    for (let count = 0; count < 5; count++) await cluster.mustWrite(await cluster.untilLed(60_000), 60_000);
    assert.ok(await time.until(() => new Set(cluster.nodes.map(({ values }) => values.join())).size === 1, 30_000), 'all have read on');
    assert.deepEqual(cluster.nodes.map(({ halted }) => halted), [null, null]);
    assert.equal(cluster.accepted.length, 50);
    cluster.check();
  } finally {
    for (const node of cluster.nodes) node.kill();
    time.stop();
    await sleep(100);
  }
});

test('a node leaves a broker that stands still, though its connection stays open', options, async () => {
  const name = await newLog();
  const connection = await brokers.connect('venue');
  const log = new JetStreamLog(connection, name);
  await appendAfter(log, 0, Uint8Array.of(1));
  const mute = brokers.nameOf(connection);
  brokers.signal(mute, 'SIGSTOP');
  try {
    let found = await log.read(1);
    // Far below the four minutes that its client would wait by default.
    // It may answer before the signal reaches it.
    const isLeft = (): boolean => found.type === 'message' && brokers.nameOf(connection) !== mute;
    for (const until = performance.now() + 60_000; !isLeft() && performance.now() < until;) found = await log.read(1);
    assert.ok(isLeft());
  } finally {
    brokers.signal(mute, 'SIGCONT');
  }
});
