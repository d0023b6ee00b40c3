// Nodes on a log in memory, each with the smallest venue there is: a list of numbers. A ledger of what clients were told is held against
// what the nodes hold in the end.

import assert from 'node:assert/strict';
import { LogNode } from '../../../shell/storage/replication/log-node.ts';
import { firstPrev, type Message } from '../../../shell/storage/replication/message.ts';
import type { ReplicatedLog } from '../../../shell/storage/replication/port.ts';
import type { Halt, ResumePoint } from '../../../shell/storage/replication/reader-rule.ts';
import type { Frame } from '../../../shell/storage/replication/replica.ts';
import type { Fitness } from '../../../shell/storage/replication/takeover.ts';

const IDENTITY = { venue: '0123456789abcdef', key: Buffer.alloc(32, 5) };
const EMPTY_LOG: ResumePoint = { position: 0, hash: firstPrev(IDENTITY.venue), seq: 0, epoch: 0, owner: null };

/** Simulated or real. */
type Time = {
  readonly now: number;
  every(ms: number, work: () => void): void;
  run(ms: number): Promise<void>;
  until(isTrue: () => boolean, ms: number): Promise<boolean>;
};
type Log = { port(): ReplicatedLog; readonly firstPosition: number; readonly lastPosition: number };

/** What the journal of a node holds of a message. */
type Saved = { readonly seq: number; readonly value: number; readonly from: ResumePoint };

export class TestNode {
  readonly name: string;
  readonly journal: Saved[] = [];
  readonly events: string[] = [];
  fitness: Fitness = { isApplied: true, isAlike: true, isSound: true };
  key: Uint8Array = IDENTITY.key;
  clockOffMs = 0;
  halted: Halt | null = null;
  node!: LogNode;
  /** A stopped process: gets and does nothing; its clock goes on. */
  isPaused = false;
  readonly #cluster: Cluster;
  #held: (() => void)[] = [];
  #port: ReplicatedLog | null = null;
  #starts = 0;
  #heard = 0;
  /** Of a frame under way: its value, and whom to tell. */
  #waiting: { readonly value: number; readonly tell: (isAccepted: boolean) => void } | null = null;

  constructor(cluster: Cluster, name: string) {
    this.#cluster = cluster;
    this.name = name;
  }

  /** Also after `kill`. */
  start(mayLead = true): void {
    const { time, log } = this.#cluster;
    this.#starts++;
    this.halted = null;
    const port = log.port();
    this.#port = port;
    const later = <T>(promise: Promise<T>): Promise<T> => (
      promise.then((value) => new Promise((resolve) => this.#whenAwake(() => resolve(value))))
    );
    const instance = this.#starts.toString(16).padStart(16, '0');
    this.node = new LogNode({
      log: {
        append: (frame, expected) => later(port.append(frame, expected)), read: (position) => later(port.read(position)),
        onNews: (listener) => port.onNews(listener), say: (heartbeat) => port.say(heartbeat), close: () => port.close(),
        onHeartbeat: (listener) => port.onHeartbeat((data) => this.#whenAwake(() => listener(data))),
      },
      identity: { ...IDENTITY, key: this.key }, me: { node: this.name, instance }, versions: { behaviour: 1, codec: 1 },
      from: this.journal.at(-1)?.from ?? EMPTY_LOG, firstPosition: log.firstPosition, lastPosition: log.lastPosition,
      heard: this.#heard, owner: this.#owner(), mayLead, url: `http://${this.name}`,
      steady: () => time.now, time: () => time.now + this.clockOffMs,
    });
    const { node } = this;
    const alive = (): boolean => this.node === node && !this.isPaused && this.#port !== null;
    time.every(100, () => { if (alive()) node.tick(); });
    time.every(250, () => { if (alive()) node.beat(); });
  }

  kill(): void {
    this.#heard = this.node.state.waiting.heard;
    this.node.close();
    void this.#port?.close();
    this.#port = null;
    this.#waiting = null;
    this.#held = [];
    this.isPaused = false;
  }

  goOn(): void {
    this.isPaused = false;
    for (const work of this.#held.splice(0)) work();
  }

  /** Offers a number; false: the node takes none now. `tell` is called once the outcome is certain. */
  write(value: number, tell: (isAccepted: boolean) => void = () => undefined): boolean {
    if (this.isPaused || !this.node.canOffer()) return false;
    this.#waiting = { value, tell };
    this.node.offer(this.#frame(value));
    return true;
  }

  get values(): number[] {
    return this.journal.map(({ value }) => value).filter((value) => value !== 0);
  }

  #frame(value: number): Frame {
    const seq = this.node.state.reader.seq + 1;
    return { first: seq, last: seq, bytes: new Uint8Array(new Float64Array([value]).buffer), digests: [] };
  }

  #whenAwake(work: () => void): void {
    if (this.isPaused) this.#held.push(work);
    else work();
  }

  #owner(): ConstructorParameters<typeof LogNode>[0]['owner'] {
    const note = (event: string): void => { this.events.push(event); };
    return {
      accepted: (message, position, isOwn) => this.#accepted(message, position, isOwn),
      leading: (epoch) => note(`leads ${epoch}`),
      deposed: () => {
        note('deposed');
        this.#settle(false);
      },
      resigned: () => note('resigned'),
      halted: (halt) => {
        this.halted = halt;
        note(halt.name);
      },
      fitness: () => this.fitness,
      leadFrame: () => this.#frame(0),
    };
  }

  #accepted(message: Message, position: number, isOwn: boolean): void {
    const { first, last, hash, epoch, bytes, kind } = message;
    if (first === 0) return;
    assert.equal(first, (this.journal.at(-1)?.seq ?? 0) + 1, 'seqs follow one another');
    const [value] = new Float64Array(bytes.buffer, bytes.byteOffset, 1);
    const owner = { node: message.node, instance: message.instance };
    this.journal.push({ seq: last, value: value!, from: { position, hash, seq: last, epoch, owner } });
    if (kind === 'frame' && isOwn && this.#waiting?.value === value) this.#settle(true);
  }

  #settle(isAccepted: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.tell(isAccepted);
  }
}

export class Cluster<T extends Time = Time, L extends Log = Log> {
  readonly time: T;
  readonly log: L;
  readonly nodes: TestNode[] = [];
  /** What clients were told. */
  readonly accepted: number[] = [];
  readonly refused: number[] = [];
  #next = 1;

  constructor(time: T, log: L, names: readonly string[]) {
    this.time = time;
    this.log = log;
    this.nodes = names.map((name) => new TestNode(this, name));
    for (const node of this.nodes) node.start();
  }

  get leader(): TestNode | undefined {
    return this.nodes.find(({ node, halted, isPaused }) => node.isLeading && halted === null && !isPaused);
  }

  async untilLed(ms = 30_000): Promise<TestNode> {
    assert.ok(await this.time.until(() => this.leader !== undefined, ms), 'somebody leads in time');
    return this.leader!;
  }

  /** A client's number to a node; its outcome goes into the ledger. Each number is sent once. */
  write(node: TestNode): number | null {
    const value = this.#next;
    const isTaken = node.write(value, (isAccepted) => (isAccepted ? this.accepted : this.refused).push(value));
    if (!isTaken) return null;
    this.#next++;
    return value;
  }

  /** Writes and waits until it is accepted. */
  async mustWrite(node: TestNode, ms = 20_000): Promise<number> {
    assert.ok(await this.time.until(() => node.node.canOffer(), ms), 'the leader takes a number in time');
    const value = this.write(node)!;
    assert.ok(await this.time.until(() => this.accepted.includes(value), ms), 'the number is accepted in time');
    return value;
  }

  /** A read of the present state, checked against the ledger. Null: the node may not say. */
  readNow(node: TestNode): number | null {
    if (node.isPaused || !node.node.mayAnswer(this.time.now)) return null;
    const held = new Set(node.values);
    for (const value of this.accepted) assert.ok(held.has(value), `${node.name} answers a read and lacks ${value}`);
    return held.size;
  }

  /** All that go on hold the same, which holds each accepted number once and no refused one. */
  check(): void {
    const alive = this.nodes.filter(({ halted }) => halted === null);
    const longest = alive.map(({ journal }) => journal).reduce((a, b) => (a.length >= b.length ? a : b), []);
    const values = longest.map(({ value }) => value);
    for (const { journal, name } of alive) {
      assert.deepEqual(journal.map(({ value }) => value), values.slice(0, journal.length), `${name} holds a prefix`);
    }
    for (const value of this.accepted) assert.equal(values.filter((each) => each === value).length, 1, `${value} was answered`);
    for (const value of this.refused) assert.ok(!values.includes(value), `${value} was refused for good`);
  }
}
