// What a fault of the cluster run works on: the nodes, the brokers and where they are, and how it tells that another node leads.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { JetStreamLog } from '../../../shell/storage/replication/jetstream.ts';
import { askApi } from '../../../shell/storage/replication/jetstream-stream.ts';
import { BROKERS, type Brokers } from '../brokers.ts';
import type { Places } from '../places.ts';
import { readLog, type LogRead } from './chains.ts';
import type { Fleet } from './fleet.ts';
import { keyOf, type Node, type Nodes } from './nodes.ts';
import type { Watch } from './watch.ts';

const LED_MS = 120_000;
const CURRENT_TRIES = 5;
const AUTOPSIES = 3;
const AUTOPSY_MS = 4_000;
const LOOK_EVERY_MS = 5;
const READ = '/markets?include_instruments=false';

type Parts = {
  readonly nodes: Nodes; readonly brokers: Brokers; readonly places: Places; readonly watch: Watch; readonly fleet: Fleet;
  readonly random: () => number; readonly counts: Map<string, number>; readonly folder: string;
};

/** From the loss of a leader until another node says that it leads, and until one has taken an order (null: it was lost before), ms. */
export type Takeover = { readonly fault: string; readonly ms: number; readonly orderMs: number | null };

export class Scene {
  readonly nodes: Nodes;
  readonly brokers: Brokers;
  readonly places: Places;
  readonly watch: Watch;
  readonly random: () => number;
  readonly counts: Map<string, number>;
  readonly folder: string;
  readonly #takeovers: { readonly fault: string; readonly since: number; readonly led: number; readonly key: string }[] = [];
  fault = '';
  readonly #fleet: Fleet;
  #operator: NatsConnection | null = null;
  #stream = '';
  #names = 0;

  constructor({ nodes, brokers, places, watch, fleet, random, counts, folder }: Parts) {
    this.nodes = nodes;
    this.brokers = brokers;
    this.places = places;
    this.watch = watch;
    this.random = random;
    this.counts = counts;
    this.folder = folder;
    this.#fleet = fleet;
  }

  get takeovers(): readonly Takeover[] {
    return this.#takeovers.map(({ fault, since, led, key }) => {
      const written = this.watch.firstWrites.get(key);
      return { fault, ms: led - since, orderMs: written === undefined ? null : written - since };
    });
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** The log has been made. */
  async meet(): Promise<void> {
    this.#operator = await this.brokers.connect('operator');
    const names = (await this.#operator.request('$JS.API.STREAM.NAMES', '', { timeout: 5_000 })).json<{ streams: string[] }>();
    this.#stream = names.streams.find((name) => name.startsWith('STRIKEBOOK_'))!;
  }

  between(low: number, high: number): number {
    return low + this.random() * (high - low);
  }

  oneOf<T>(all: readonly T[]): T {
    return all[Math.floor(this.random() * all.length)]!;
  }

  /** For some time between. */
  hold(low: number, high: number): Promise<void> {
    return sleep(this.between(low, high));
  }

  get leader(): Node {
    return this.watch.leader!;
  }

  get standbys(): readonly Node[] {
    return this.nodes.ready.filter((node) => node !== this.watch.leader);
  }

  async streamLeader(): Promise<string> {
    for (const until = performance.now() + LED_MS; performance.now() < until; await sleep(LOOK_EVERY_MS * 10)) {
      const name = await this.brokers.leaderOf(this.#operator!, this.#stream);
      if (name !== null && name !== '') return name;
    }
    throw new Error('the stream has no leader');
  }

  otherBrokers(name: string): readonly string[] {
    return BROKERS.filter((each) => each !== name);
  }

  /** The leader is lost by `loss`, and another process leads. */
  async takeover(loss: () => unknown): Promise<void> {
    const before = this.watch.leaderKey;
    const unknown = this.#fleet.unknown;
    await loss();
    const since = performance.now();
    await this.untilLed(before);
    this.#takeovers.push({ fault: this.fault, since, led: performance.now(), key: this.watch.leaderKey });
    if (this.#fleet.unknown > 0 || unknown > 0) this.count('takeover with requests under way');
  }

  /** A process leads that is not the one that did. */
  async untilLed(before: string): Promise<void> {
    for (const until = performance.now() + LED_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      if (this.watch.leaderKey !== before) return;
    }
    throw new Error(`nobody takes over: ${this.nodes.all.map(({ name, process }) => `${name}: ${process.err.slice(-600)}`).join('\n')}`);
  }

  /** The process that leads has taken an order of the fleet, which is at work: the time until then is of the takeover. */
  async untilWritten(): Promise<void> {
    for (const until = performance.now() + LED_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      if (this.watch.firstWrites.has(this.watch.leaderKey)) return;
    }
    throw new Error(`${this.leader.name} leads and takes nothing: ${this.leader.process.err.slice(-600)}`);
  }

  newName(): string {
    return `new-${++this.#names}`;
  }

  /** What the broker held early in the run. */
  copyOf(name: string): string {
    return join(this.folder, `copy-${name}`);
  }

  async copyBrokers(): Promise<void> {
    await Promise.all(BROKERS.map((name) => this.brokers.kill(name)));
    for (const name of BROKERS) this.brokers.copy(name, this.copyOf(name));
    for (const name of BROKERS) this.brokers.restart(name);
  }

  /** A node has what the leader had just now. */
  async untilCaughtUp(node: Node): Promise<void> {
    const { headers } = await fetch(`${this.leader.url}${READ}`);
    for (const until = performance.now() + LED_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      const answer = await fetch(`${node.url}${READ}&min_seq=${headers.get('x-strikebook-seq')}`).catch(() => null);
      if (answer?.status === 200) return;
    }
    throw new Error(`${node.name} does not catch up: ${node.process.err.slice(-600)}`);
  }

  /** A process ends by itself for this reason. */
  async untilEnded(why: string, times = 1): Promise<void> {
    const name = `ended by itself: ${why}`;
    const before = this.counts.get(name) ?? 0;
    for (const until = performance.now() + LED_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      if ((this.counts.get(name) ?? 0) >= before + times) return;
    }
    throw new Error(`nobody ends with ${why}`);
  }

  cutFromBrokers(node: Node): void {
    for (const broker of BROKERS) this.places.cut(node.name, broker);
  }

  /** Who was deposed while it stood still ends when it learns of it, if it does. */
  async untilDeposed(node: Node, key: string): Promise<void> {
    for (const until = performance.now() + LED_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      if (keyOf(node) !== key) return;
    }
    throw new Error(`${node.name} was deposed and goes on: ${node.process.err.slice(-600)}`);
  }

  /** So many nodes are ready (null: all), one of them leads, and all brokers have the stream. */
  async settle(ready: number | null = null): Promise<void> {
    await this.#untilCurrent();
    await this.nodes.untilReady(ready);
    for (const until = performance.now() + LED_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      const { leader } = this.watch;
      if (leader !== null && !leader.process.isOver && this.watch.isLeading(leader)) return;
    }
    throw new Error('nobody leads');
  }

  /** What the log holds, by the rule that every node reads it by. */
  log(): Promise<LogRead> {
    const [, venue, incarnation] = this.#stream.split('_') as [string, string, string];
    const key = Buffer.from(readFileSync(join(this.folder, 'key'), 'utf8'), 'hex');
    return readLog(new JetStreamLog(this.#operator!, { venue, incarnation }), { venue, key });
  }

  /** A broker that does not catch up is started again, at last with an empty disk, as its operator would. */
  async #untilCurrent(): Promise<void> {
    for (let tries = 0; tries < CURRENT_TRIES; tries++) {
      const late = await this.brokers.untilCurrent(this.#operator!, this.#stream);
      if (late === null) return;
      this.count(`brokers that were late after "${this.fault}" and were started again`);
      if (late.length > 1) continue;
      await this.brokers.kill(late);
      if (tries > 0) {
        this.count(`brokers that caught up after "${this.fault}" only with an empty disk`);
        this.brokers.restore(late, null);
      }
      this.brokers.restart(late);
    }
    throw new Error('the brokers do not all have the stream');
  }

  /** A node has halted: what every node and every broker has, while others may go on or halt too. */
  async autopsy(say: (line: string) => void): Promise<void> {
    for (let times = 0; times < AUTOPSIES; times++, await sleep(AUTOPSY_MS)) {
      const info = await askApi(this.#operator!, `STREAM.INFO.${this.#stream}`).catch((error: unknown) => ({ state: String(error) }));
      say(`the log: ${JSON.stringify(info['state'])} ${JSON.stringify((info as { cluster?: object }).cluster)}`);
      for (const { name, url, data, process } of this.nodes.all) {
        const asked = fetch(`${url}/cluster`, { signal: AbortSignal.timeout(2_000) });
        const shown = await asked.then((answer) => answer.text(), () => 'no answer');
        const resume = readFileSync(join(data, 'journal', 'log.json'), 'utf8');
        say(`${name}${process.isOver ? ', ended' : ''}: ${resume.slice(0, 240)} ${shown.slice(0, 160)}`);
      }
    }
  }

  async end(): Promise<void> {
    await this.#operator?.close();
  }
}
