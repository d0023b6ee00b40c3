// Whole nodes at one log in one thread: core, rings and journals of each are the venue's own. The journals hold the same frames, a standby
// goes on with every accepted command, what was not accepted is in no journal, and a restart takes the log up again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SEQ, TIME, type State } from '../../../core/engine/state.ts';
import { SMALL } from '../../../core/limits.ts';
import { stampRecord } from '../../../core/codec/record.ts';
import { BEHAVIOUR, CODEC } from '../../../core/version.ts';
import { SharedCounters } from '../../../shell/ipc/counters.ts';
import { ringConsumer, type RingConsumer } from '../../../shell/ipc/ring.ts';
import { readConfig, type Config } from '../../../shell/process/config.ts';
import { rulesOf } from '../../../shell/process/market.ts';
import { createMeters, Meters } from '../../../shell/process/observability/meters.ts';
import { Follower } from '../../../shell/process/threads/follower.ts';
import { MainLoop } from '../../../shell/process/threads/main-loop.ts';
import { offerFrame } from '../../../shell/process/threads/offer-frame.ts';
import { configureRecord } from '../../../shell/process/venue-commands.ts';
import { createWiring, LOG_JOURNAL, LOG_READER } from '../../../shell/process/wiring.ts';
import { hashText } from '../../../shell/storage/journal/chain.ts';
import type { Digest } from '../../../shell/storage/journal/digests.ts';
import { readFrames } from '../../../shell/storage/journal/read.ts';
import { JournalWriter } from '../../../shell/storage/journal/writer.ts';
import { recover } from '../../../shell/storage/recovery.ts';
import { appendLost } from '../../../shell/storage/replication/append-lost.ts';
import { ClusterLog } from '../../../shell/storage/replication/cluster-log.ts';
import { KnownFrames } from '../../../shell/storage/replication/known-frames.ts';
import { LogNode } from '../../../shell/storage/replication/log-node.ts';
import { firstPrev } from '../../../shell/storage/replication/message.ts';
import type { ResumePoint } from '../../../shell/storage/replication/reader-rule.ts';
import { FakeLog } from '../../shell/storage/replication/fake-log.ts';
import { RecordWriter } from '../../support/records.ts';
import { temporaryFolder, type Ends } from '../../support/temporary.ts';
import { hashOf } from '../../support/venue.ts';

const VENUE = '0123456789abcdef';
const IDENTITY = { venue: VENUE, key: Buffer.alloc(32, 5) };
const JOURNAL = { venue: VENUE, behaviour: BEHAVIOUR, codec: CODEC, durability: 'normal', time: 1 } as const;
const START: ResumePoint = { position: 0, hash: firstPrev(VENUE), seq: 0, epoch: 0, owner: null };

class TestNode {
  readonly state: State;
  readonly data: string;
  readonly events: string[] = [];
  readonly cluster: ClusterLog;
  readonly node: LogNode;
  readonly writer: JournalWriter;
  loop: MainLoop | null = null;
  digests: Digest[] = [];
  readonly #follower: Follower;
  readonly #journal: RingConsumer;
  readonly #reader: RingConsumer;
  readonly #wiring = createWiring(1);
  readonly #meters = new Meters(createMeters(['main']), 'main');

  constructor(name: string, world: World, data: string, from: ResumePoint = START, instance = name) {
    this.data = data;
    this.state = recover({ dataFolder: data, limits: SMALL }).state;
    const wiring = this.#wiring;
    this.#journal = ringConsumer(wiring.journal.log, LOG_JOURNAL);
    this.#reader = ringConsumer(wiring.reader.log, LOG_READER);
    this.writer = JournalWriter.open({ ...JOURNAL, dataFolder: data });
    this.#follower = new Follower({
      wiring: wiring.main, state: this.state, meters: this.#meters, onDigest: () => undefined,
    });
    const tell = (what: string): void => void this.events.push(what);
    this.cluster = new ClusterLog(from, {
      write: ({ bytes, first, last, digests }) => {
        this.writer.append(bytes, first, last, digests);
        this.#journal.release();
      },
      written: () => this.writer.head.seq, known: new KnownFrames(data, from.seq + 1), isDiskSound: () => true, wake: () => this.drain(),
      toMain: (bytes) => {
        assert.equal(this.loop, null, 'who leads gets nothing of others');
        this.#follower.push(Uint8Array.from(bytes), () => this.cluster.applied());
      },
      leading: (epoch) => tell(`leads ${epoch}`), deposed: () => tell('deposed'), resigned: () => tell('resigned'),
      halted: ({ name: why, detail }) => tell(`${why}: ${detail}`),
    });
    this.node = new LogNode({
      log: world.log.port(), identity: IDENTITY, me: { node: name, instance: Buffer.from(instance.padEnd(8)).toString('hex') },
      versions: { behaviour: BEHAVIOUR, codec: CODEC }, from, firstPosition: 1, lastPosition: 0, heard: 0, owner: this.cluster,
      mayLead: true, url: '', steady: () => world.now, time: () => world.now,
    });
    this.cluster.join(this.node);
  }

  /** What the threads of a node do by and by. */
  drain(): void {
    while (offerFrame(this.#journal, this.cluster, (last) => this.#digestsUpTo(last)) > 0) { /* to the end of the ring */ }
    while (this.#reader.next() >= 0) { /* read */ }
    this.#reader.release();
    if (this.cluster.unprepared === this.state.clock[SEQ]!) this.#prepare();
    if (this.loop === null && this.node.isLeading) this.#follower.whenIdle(() => this.#lead());
  }

  #digestsUpTo(last: number): Digest[] {
    const taken = this.digests.filter(({ seq }) => seq <= last);
    this.digests = this.digests.filter(({ seq }) => seq > last);
    return taken;
  }

  #prepare(): void {
    const views = configureRecord(this.state.settings.values);
    const seq = this.state.clock[SEQ]! + 1;
    stampRecord(views, 0, seq, this.state.clock[TIME]! + 1);
    this.cluster.prepare({ first: seq, last: seq, bytes: views.u8.slice(0, views.u32[0]), digests: [], isAlike: true });
  }

  #lead(): void {
    this.#follower.stop();
    this.loop = new MainLoop({
      wiring: this.#wiring.main, counters: new SharedCounters(this.#wiring.counters), state: this.state,
      rules: rulesOf(readConfig([], {}) as Config), meters: this.#meters, steps: null, onDigest: () => undefined,
    });
  }

  close(): void {
    this.node.close();
    this.#follower.stop();
    this.loop?.stop();
    this.writer.close();
  }
}

class World {
  readonly log = new FakeLog();
  now = 0;
  readonly nodes: TestNode[] = [];
  readonly #ends: Ends;

  constructor(ends: Ends) {
    this.#ends = ends;
    ends.after(() => this.nodes.forEach((node) => node.close()));
  }

  open(name: string, data = temporaryFolder(this.#ends), from = START, instance = name): TestNode {
    const node = new TestNode(name, this, data, from, instance);
    this.nodes.push(node);
    return node;
  }

  async pass(ms: number, nodes: readonly TestNode[] = this.nodes): Promise<void> {
    for (let left = ms; left > 0; left -= 250) {
      this.now += Math.min(left, 250);
      for (let turn = 0; turn < 5; turn++) {
        for (const node of nodes) {
          node.node.tick();
          if (turn === 0) node.node.beat();
          node.drain();
        }
        await sleep(0);
      }
    }
  }
}

function framesOf({ data }: TestNode): string[] {
  return [...readFrames(data, 1)].map(({ firstSeq, lastSeq, hash }) => `${firstSeq}-${lastSeq} ${hashText(hash)}`);
}

const write = new RecordWriter();

/** Two nodes, the first of which leads a venue with a price. */
async function pair(t: Ends): Promise<{ world: World; one: TestNode; two: TestNode }> {
  const world = new World(t);
  const one = world.open('one');
  await world.pass(500);
  assert.deepEqual(one.events, ['leads 1']);
  const two = world.open('two');
  one.loop!.send(write.addUnderlying('BTC', 600_000));
  one.loop!.send(write.index(0, 100_000e6, 1));
  await world.pass(500);
  return { world, one, two };
}

test('a follower has the same journal, frame by frame, and the same state', async (t) => {
  const { world, one, two } = await pair(t);
  for (let nth = 0; nth < 200; nth++) {
    one.loop!.send(write.index(0, 100_000e6 + nth * 1e6, 1));
    if (nth % 7 === 0) await world.pass(1);
  }
  await world.pass(500);
  assert.ok(one.state.clock[SEQ]! > 200);
  assert.deepEqual(framesOf(two), framesOf(one));
  assert.ok(framesOf(one).length > 20, 'more than one frame');
  assert.equal(hashOf(two.state), hashOf(one.state));
  assert.equal(two.loop, null, 'who follows sequences nothing');
});

test('when the leader is gone, the standby leads with every command that was accepted, and goes on', async (t) => {
  const { world, one, two } = await pair(t);
  one.loop!.send(write.index(0, 111_000e6, 1));
  await world.pass(250);
  const accepted = one.writer.head.seq;
  one.close();
  world.nodes.shift();
  await world.pass(3_000);
  assert.deepEqual(two.events, ['leads 2']);
  assert.ok(two.writer.head.seq > accepted, 'its LEAD is a command');
  assert.equal(two.state.valuation.index[0], 111_000e6);
  two.loop!.send(write.index(0, 112_000e6, 1));
  await world.pass(250);
  assert.equal(two.writer.head.seq, two.state.clock[SEQ]!);
  assert.deepEqual(framesOf(two).slice(0, framesOf(one).length), framesOf(one), 'the old journal is the beginning of the new');
});

test('what a deposed leader had sequenced and the log has not accepted is in no journal', async (t) => {
  const { world, one, two } = await pair(t);
  const head = one.writer.head.seq;
  // It stands still while the other takes over.
  one.loop!.send(write.index(0, 999_000e6, 1));
  await world.pass(2_500, [two]);
  assert.deepEqual(two.events, ['leads 2']);
  two.loop!.send(write.index(0, 112_000e6, 1));
  await world.pass(500);
  assert.deepEqual(one.events, ['leads 1', 'deposed']);
  assert.equal(one.writer.head.seq, head);
  const lost = Buffer.from(new Float64Array([999_000e6]).buffer);
  assert.ok(![...readFrames(two.data, 1)].some(({ bytes }) => Buffer.from(bytes).includes(lost)));
});

test('a node that was stopped takes the log up where its journal ends, from an older place too', async (t) => {
  const { world, one, two } = await pair(t);
  const early = two.cluster.point;
  for (let nth = 0; nth < 20; nth++) {
    one.loop!.send(write.index(0, 100_000e6 + nth * 1e6, 1));
    await world.pass(1);
  }
  const { point } = two.cluster;
  assert.ok(point.position > early.position);
  two.close();
  world.nodes.pop();
  one.loop!.send(write.index(0, 123_000e6, 1));
  await world.pass(250);
  for (const [from, instance] of [[point, 'again'], [early, 'older'], [START, 'first']] as const) {
    const again = world.open('two', two.data, from, instance);
    await world.pass(500);
    assert.deepEqual(again.events, []);
    assert.deepEqual(framesOf(again), framesOf(one), instance);
    assert.equal(hashOf(again.state), hashOf(one.state));
    again.close();
    world.nodes.pop();
  }
});

test('a node alone whose journal goes on where the log has ended knows it, and does not lead', async (t) => {
  const { world, one, two } = await pair(t);
  const { point } = two.cluster;
  one.loop!.send(write.index(0, 123_000e6, 1));
  await world.pass(500);
  assert.equal(two.cluster.beyond, null);
  world.nodes.splice(0).forEach((node) => node.close());
  world.log.messages.length = point.position;
  const again = world.open('two', two.data, point, 'again');
  await world.pass(5_000);
  assert.deepEqual([again.events, again.cluster.beyond], [[], two.writer.head.seq]);
});

test('what the log has lost is appended to it again from a journal, and every node reads the same frames', async (t) => {
  const { world, one, two } = await pair(t);
  const { position } = two.cluster.point;
  for (let nth = 0; nth < 5; nth++) {
    one.loop!.send(write.index(0, 100_000e6 + nth * 1e6, 1));
    await world.pass(250);
  }
  const whole = framesOf(one);
  world.nodes.splice(0).forEach((node) => node.close());
  world.log.messages.length = position;
  const me = { node: 'one', instance: '00'.repeat(8) };
  const lost = { log: world.log.port(), identity: IDENTITY, me, dataFolder: one.data, from: START, waitMs: 0 };
  const end = await appendLost(lost);
  assert.deepEqual([end.seq, end.position, end.epoch, end.owner], [one.writer.head.seq, world.log.messages.length, 2, null]);
  assert.deepEqual(await appendLost(lost), end, 'a second time there is nothing to do');
  const nodes = [world.open('one', one.data, end, 'again'), world.open('two', two.data, START, 'again')];
  await world.pass(1_000);
  assert.deepEqual(nodes.map(({ events }) => events.filter((event) => !event.startsWith('leads'))), [[], []]);
  assert.equal(nodes.filter(({ node }) => node.isLeading).length, 1);
  for (const node of nodes) assert.deepEqual(framesOf(node).slice(0, whole.length), whole);
  // A journal that goes on otherwise is no continuation.
  world.nodes.splice(0).forEach((node) => node.close());
  const elsewhere = temporaryFolder(t);
  JournalWriter.open({ ...JOURNAL, dataFolder: elsewhere }).close();
  await assert.rejects(appendLost({ ...lost, dataFolder: elsewhere }), /this journal does not hold seq 1 to \d+ as the log does/);
  const cut = { ...lost.log, read: async () => ({ type: 'gap', next: 9 }) as const };
  await assert.rejects(appendLost({ ...lost, log: cut }), /log_gap/);
});

test('a node whose output differs from the leader\'s halts by name, and one with the same output goes on', async (t) => {
  const { world, one, two } = await pair(t);
  for (const low of [7, 8]) {
    const seq = one.state.clock[SEQ]! + 1;
    one.digests.push({ seq, low, high: 1 });
    two.digests.push({ seq, low: 7, high: 1 });
    one.loop!.send(write.index(0, 100_000e6 + seq * 1e6, 1));
    await world.pass(250);
    assert.deepEqual(two.events, low === 7 ? [] : [`log_diverged: the output of the commands up to seq ${seq} differs from the leader's`]);
  }
});

test('a journal that holds something else than the log halts its node by name, whether it is shorter than the log or longer', async (t) => {
  for (const commands of [1, 5]) {
    const { world, one, two } = await pair(t);
    await world.pass(500);
    const from = two.cluster.point;
    two.close();
    world.nodes.pop();
    const before = two.writer.head.seq;
    one.loop!.send(write.index(0, 101_000e6, 1));
    one.loop!.send(write.index(0, 102_000e6, 1));
    await world.pass(500);
    // It went on without the log.
    const alone = JournalWriter.open({ ...JOURNAL, dataFolder: two.data });
    for (let seq = before + 1; seq <= before + commands; seq++) {
      const { u8, u32, ...views } = write.index(0, 999_000e6, 1);
      stampRecord({ u8, u32, ...views }, 0, seq, two.state.clock[TIME]! + seq);
      alone.append(u8.slice(0, u32[0]), seq, seq, []);
    }
    alone.close();
    const again = world.open('two', two.data, from, 'again');
    await world.pass(1_000);
    const [told] = again.events;
    assert.match(told!, new RegExp(`^log_diverged: this journal does not hold seq ${before + 1} to \\d+ as the log does$`));
    assert.equal(again.writer.head.seq, before + commands, 'nothing is written');
    assert.deepEqual(one.events, ['leads 1']);
    world.nodes.splice(0).forEach((node) => node.close());
  }
});
