// The cluster run: three brokers, venue processes and a fleet of signed traders, with faults one after the other. After each,
// everything the fleet was told must be found again, done once; in the end on every node, with one chain in all journals and in the log.
// What was read meanwhile must be linearizable. At last the brokers lose what they acknowledged, which must halt every node by name.

import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger } from '../../e2e/crash/trader.ts';
import { generator } from '../../shell/storage/journal/support.ts';
import { BROKERS, Brokers } from '../brokers.ts';
import { Places } from '../places.ts';
import { chainOf } from './chains.ts';
import { FAULTS } from './faults.ts';
import { Fleet } from './fleet.ts';
import { Nodes, type Node } from './nodes.ts';
import { Scene, type Takeover } from './scene.ts';
import { Watch } from './watch.ts';

const LOOK_EVERY_MS = 100;
/** Nodes that can see the loss have ended by then. */
const BEHIND_MS = 40_000;

type Options = {
  /** Exists and is empty. */
  readonly folder: string;
  /** Names of faults, in their order. */
  readonly plan: readonly string[];
  /** Three or four. */
  readonly nodes: number;
  readonly traders: number;
  readonly seed: number;
  /** Each process has a network and a disk of its own. */
  readonly isIsolated: boolean;
  /** Before a fault. */
  readonly loadMs: readonly [number, number];
  /** The brokers lose their log at last. */
  readonly losesLog: boolean;
  /** A file for every answer, fsynced after each fault. */
  readonly ledgerFile: string | null;
  /** No fault begins later, by `performance.now()`. */
  readonly until: number;
  readonly say: (line: string) => void;
};

type Report = {
  readonly ledger: Ledger;
  /** What must not be, beside what is lost or doubled. */
  readonly faults: readonly string[];
  readonly orders: number;
  readonly done: readonly string[];
  readonly takeovers: readonly Takeover[];
  /** Of the log: a LEAD each, the first among them. */
  readonly epochs: number;
  /** Frames that all journals and the log hold alike. */
  readonly frames: number;
  /** Answers that could have been older than they may be. */
  readonly judged: number;
};

const NAMES = ['one', 'two', 'three', 'four'];
/** Before a fault; who is killed comes back while others are. */
const READY = 3;

class Run {
  readonly #options: Options;
  readonly #random: () => number;
  readonly #counts = new Map<string, number>();
  readonly #file: number | null;
  readonly #done: string[] = [];
  readonly ledger: Ledger;

  constructor(options: Options) {
    this.#options = options;
    this.#random = generator(options.seed);
    this.#file = options.ledgerFile === null ? null : openSync(options.ledgerFile, 'a');
    this.ledger = {
      lost: [], doubled: [], counts: this.#counts,
      onAnswer: (trader, { request, answer }) => {
        if (this.#file === null) return;
        writeSync(this.#file, `${JSON.stringify({ trader, request: request.body, status: answer!.status, answer: answer!.text })}\n`);
      },
    };
  }

  async all(): Promise<Report> {
    const { folder, isIsolated } = this.#options;
    const root = join(folder, 'places');
    mkdirSync(root);
    const places = new Places(root, isIsolated);
    try {
      const brokers = await Brokers.start({ places });
      try {
        return await this.#with(places, brokers);
      } finally {
        await brokers.end();
      }
    } finally {
      places.close();
      if (this.#file !== null) closeSync(this.#file);
    }
  }

  async #with(places: Places, brokers: Brokers): Promise<Report> {
    const { folder, traders, seed, say } = this.#options;
    const count = (what: string): void => { this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1); };
    const nodes = new Nodes({ folder, places, brokers, count, say });
    const watch = new Watch(nodes, count);
    const fleet = new Fleet({ watch, ledger: this.ledger, traders, seed });
    const scene = new Scene({ nodes, brokers, places, watch, fleet, random: this.#random, counts: this.#counts, folder });
    try {
      watch.start();
      await this.#begin(scene, fleet);
      const work = this.#carryOut(scene, fleet);
      const isHalted = await Promise.race([work.then(() => false, async (error: unknown) => {
        await scene.autopsy(say);
        throw error;
      }), nodes.halted.then(() => true)]);
      if (isHalted) {
        work.catch(() => undefined);
        await scene.autopsy(say);
      }
      const { frames, epochs } = isHalted ? { frames: 0, epochs: watch.leaders } : await work;
      const faults = this.#faults(scene);
      return {
        ledger: this.ledger, faults, orders: fleet.orders, done: this.#done, takeovers: scene.takeovers, epochs, frames,
        judged: watch.observations.judged,
      };
    } finally {
      watch.end();
      fleet.end();
      await nodes.end();
      await scene.end();
    }
  }

  async #begin(scene: Scene, fleet: Fleet): Promise<void> {
    for (const name of NAMES.slice(0, this.#options.nodes)) {
      await scene.nodes.add(name, { isFirst: name === NAMES[0] });
      if (name === NAMES[0]) await scene.untilLed('');
    }
    await scene.meet();
    await scene.settle();
    await fleet.meet(scene.leader);
    if (!this.#options.losesLog) return;
    fleet.start();
    await sleep(1_000);
    await fleet.stop();
    await scene.copyBrokers();
    await scene.settle();
  }

  async #carryOut(scene: Scene, fleet: Fleet): Promise<{ frames: number; epochs: number }> {
    for (const name of this.#options.plan) {
      if (this.#faults(scene).length > 0 || performance.now() > this.#options.until) break;
      await this.#fault(scene, fleet, name);
    }
    return this.#lastLook(scene, fleet);
  }

  #faults({ nodes, watch }: Scene): string[] {
    return [...this.ledger.lost, ...this.ledger.doubled, ...nodes.faults, ...watch.observations.faults];
  }

  async #fault(scene: Scene, fleet: Fleet, name: string): Promise<void> {
    const { say, loadMs } = this.#options;
    const since = performance.now();
    const fault = FAULTS.find((each) => each.name === name)!;
    const before = scene.watch.leaders;
    scene.fault = name;
    await scene.nodes.untilReady(READY);
    fleet.start();
    await scene.hold(...loadMs);
    const broken = performance.now();
    await fault.act(scene);
    const mended = performance.now();
    await scene.settle(1);
    if (fault.takesOver) await scene.untilWritten();
    await fleet.stop();
    const settled = performance.now();
    await fleet.look();
    if (this.#file !== null) fsyncSync(this.#file);
    this.#done.push(name);
    if (fault.takesOver !== scene.watch.leaders > before) scene.count(fault.takesOver ? 'no takeover' : 'takeover by another fault');
    const { lost, doubled, counts } = this.ledger;
    const parts = [since, broken, mended, settled, performance.now()];
    const seconds = parts.slice(1).map((at, index) => ((at - parts[index]!) / 1_000).toFixed(1)).join(' + ');
    for (const found of this.#faults(scene).slice(0, 5)) say(found);
    say(`${this.#done.length} ${name}: ${seconds} s, ${scene.watch.leaders - before} takeovers, `
      + `${counts.get('answers') ?? 0} answers, ${fleet.orders} orders, lost ${lost.length}, doubled ${doubled.length}, `
      + `others ${scene.nodes.faults.length + scene.watch.observations.faults.length}`);
  }

  /** Every node says the same, and the journals and the log hold the same frames. */
  async #lastLook(scene: Scene, fleet: Fleet): Promise<{ frames: number; epochs: number }> {
    await scene.settle();
    const { leader, nodes } = scene;
    for (const node of nodes.all) {
      await scene.untilCaughtUp(node);
      await fleet.lookAtAll(node, node === leader);
    }
    for (const node of [...nodes.all.filter((each) => each !== leader), leader]) await nodes.stop(node);
    const log = await scene.log();
    const frames = this.#compareChains(nodes.all, log.frames);
    for (const [what, times] of Object.entries({ 'stale skipped': log.stale, 'unreadable skipped': log.unreadable })) {
      this.#counts.set(what, times);
    }
    if (this.#options.losesLog) await this.#loseLog(scene);
    return { frames, epochs: log.epochs };
  }

  #compareChains(nodes: readonly Node[], log: readonly string[]): number {
    let alike = log.length;
    for (const { name, data } of nodes) {
      const frames = chainOf(data);
      const at = frames.findIndex((frame, index) => frame !== log[index]);
      if (at >= 0) this.ledger.lost.push(`the journal of ${name} differs from the log at frame ${at}: ${frames[at]} and ${log[at]}`);
      alike = Math.min(alike, frames.length);
    }
    return alike;
  }

  /**
   * Nodes that run must halt by name, and then refuse to start. One that was a frame behind knows that others have read more: it waits
   * without leading, and refuses its next start.
   */
  async #loseLog(scene: Scene): Promise<void> {
    const { nodes, brokers } = scene;
    for (const node of nodes.all) await nodes.start(node);
    await scene.settle();
    nodes.expect(/^log_lost$/);
    await Promise.all(BROKERS.map((name) => brokers.kill(name)));
    for (const name of BROKERS) {
      brokers.restore(name, scene.copyOf(name));
      brokers.restart(name);
    }
    const left = (): Node[] => nodes.all.filter(({ process }) => !process.err.includes('--replicate: log_lost'));
    for (const until = performance.now() + BEHIND_MS; left().length > 0 && performance.now() < until;) await sleep(LOOK_EVERY_MS);
    for (const node of left()) {
      await nodes.kill(node);
      await nodes.start(node);
    }
    for (const until = performance.now() + BEHIND_MS; left().length > 0; await sleep(LOOK_EVERY_MS)) {
      if (performance.now() > until) throw new Error(`${left().map(({ name }) => name).join()} goes on with a log that lost its end`);
    }
    scene.count('brokers that lost what they acknowledged');
  }
}

export function nemesisRun(options: Options): Promise<Report> {
  return new Run(options).all();
}

type Plan = { readonly takeovers: number; readonly others: number; readonly isIsolated: boolean; readonly seed: number };

/** Names of so many faults of each sort, shuffled. */
export function planOf({ takeovers, others, isIsolated, seed }: Plan): string[] {
  const random = generator(seed + 104_729);
  const possible = FAULTS.filter((fault) => fault.isByName !== true && (isIsolated || fault.isIsolated !== true));
  const plan: string[] = [];
  for (const [times, takesOver] of [[takeovers, true], [others, false]] as const) {
    const names = possible.filter((fault) => fault.takesOver === takesOver)
      .flatMap(({ name, isLong }) => (isLong === true ? [name] : [name, name, name]));
    // Each as often as it is among these, as far as that goes.
    for (let at = 0; at < times; at++) plan.push(names[at % names.length]!);
  }
  for (let at = plan.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [plan[at], plan[other]] = [plan[other]!, plan[at]!];
  }
  return plan;
}
