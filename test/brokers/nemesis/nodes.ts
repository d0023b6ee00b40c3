// The venue processes of a cluster run, and their supervisor: who ends by itself is started again, and why it ended is counted. An end that
// no operator would be told of as such is a fault.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VenueProcess, type Ended } from '../../../scripts/venue-process.ts';
import { passwordOf, type Brokers } from '../brokers.ts';
import type { Places } from '../places.ts';

export type Node = {
  readonly name: string;
  readonly data: string;
  readonly url: string;
  readonly start: () => Promise<VenueProcess>;
  process: VenueProcess;
  /** Processes so far. */
  runs: number;
  /** It is not started again before somebody does. */
  isHeld: boolean;
  /** Its process has been. */
  isReady: boolean;
};

const TOKEN = 'token-of-the-cluster-run-0123456789';
const LOG_BYTES = '805306368';
const ENDING = /(this node must start again|--replicate): [^|\n]*/;
const AGAIN_MS = 300;
const READY_MS = 180_000;
const LOOK_EVERY_MS = 100;
const REFUSED = 2;
/** Why a node ends by itself. */
const ENDS: readonly RegExp[] = [
  /this node must start again: (another node leads)/, /this node must start again: (the disk is nearly full or the clock is off)/,
  /this node must start again: (\w+):/, /--replicate: (log_\w+):/,
  /stopping: (the disk is nearly full)/, /(No space left on device|ENOSPC|SQLITE_FULL|disk is full)/i,
];

type Options = {
  readonly folder: string; readonly places: Places; readonly brokers: Brokers; readonly count: (what: string) => void;
  readonly say: (line: string) => void;
};

/** One process of a node. */
export function keyOf({ name, runs }: Node): string {
  return `${name} ${runs}`;
}

export class Nodes {
  readonly all: Node[] = [];
  /** Ends that must not be. */
  readonly faults: string[] = [];
  readonly #options: Options;
  /** Resolves when a node has ended as none may. */
  readonly halted: Promise<void>;
  #onHalt: () => void = () => undefined;
  readonly #wanted = new WeakSet<VenueProcess>();
  /** Halts that must come. */
  #expected: RegExp = /^$/;
  #isOver = false;

  constructor(options: Options) {
    this.#options = options;
    this.halted = new Promise((resolve) => { this.#onHalt = resolve; });
    const { folder } = options;
    writeFileSync(join(folder, 'key'), randomBytes(32).toString('hex'), { mode: 0o600 });
    for (const user of ['venue', 'operator'] as const) {
      writeFileSync(join(folder, `${user}.json`), JSON.stringify({ user, pass: passwordOf(user) }), { mode: 0o600 });
    }
  }

  get running(): readonly Node[] {
    return this.all.filter(({ process }) => !process.isOver);
  }

  /** Of those that run. */
  get ready(): readonly Node[] {
    return this.running.filter(({ isReady }) => isReady);
  }

  /** Starts a new node. `called`: a name that another may have. */
  async add(name: string, { isFirst = false, data, called = name, more = [] }: {
    isFirst?: boolean; data?: string; called?: string; more?: readonly string[];
  } = {}): Promise<Node> {
    const { folder, places, brokers } = this.#options;
    const place = places.at(name);
    const port = await place.port();
    const url = `http://${place.host}:${port}`;
    const own = data ?? join(place.folder, 'data');
    const flagsOf = (makesLog: boolean): readonly string[] => [
      '--feed', 'sim', '--workers', '1', '--rate-limits', 'off', '--replicate', brokers.urls, '--node', called,
      '--cluster-key', join(folder, 'key'), '--broker-options', join(folder, `${makesLog ? 'operator' : 'venue'}.json`),
      '--advertise', url, '--admin-token', TOKEN, ...(makesLog ? ['--new-log', '--log-bytes', LOG_BYTES] : []), ...more,
    ];
    const start = (): Promise<VenueProcess> => (
      VenueProcess.start({ data: own, host: place.host, port, within: place.within, flags: flagsOf(isFirst && node === undefined) })
    );
    let node: Node | undefined;
    const process = await start();
    node = { name, data: own, url, start, process, runs: 1, isHeld: false, isReady: false };
    this.all.push(node);
    this.#supervise(node);
    return node;
  }

  async start(node: Node): Promise<void> {
    node.isHeld = false;
    node.runs++;
    node.isReady = false;
    node.process = await node.start();
    this.#supervise(node);
  }

  async kill(node: Node): Promise<void> {
    this.#wanted.add(node.process);
    node.isHeld = true;
    await node.process.kill();
  }

  /** A stop that is not clean is a fault. */
  async stop(node: Node): Promise<void> {
    this.#wanted.add(node.process);
    node.isHeld = true;
    const { code, signal, err } = await node.process.stop(30_000);
    // Its own limit, on a machine that has too much to do.
    if (err.includes('not stopped within')) this.#options.count('stops that took too long');
    else if (err.includes('another node leads')) this.#options.count('deposed while it stopped');
    else if (code !== 0) this.faults.push(`${node.name} did not stop cleanly: ${code} ${signal} ${err}`);
  }

  expect(halts: RegExp): void {
    this.#expected = halts;
  }

  async remove(node: Node): Promise<void> {
    await this.kill(node);
    this.all.splice(this.all.indexOf(node), 1);
    this.#options.places.remove(node.name);
  }

  /** So many are ready; null: everyone who is not held. */
  async untilReady(count: number | null): Promise<void> {
    for (const until = performance.now() + READY_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      if (this.ready.length >= (count ?? this.all.filter(({ isHeld }) => !isHeld).length)) return;
    }
    throw new Error(`not ready: ${this.all.map(({ name, process }) => `${name}: ${process.err.slice(-400)}`).join('\n')}`);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    for (const node of this.all) await this.kill(node);
  }

  #supervise(node: Node): void {
    const { process } = node;
    void process.ended.then((ended) => this.#ended(node, process, ended));
    void this.#lookForReady(node, process);
  }

  async #lookForReady(node: Node, process: VenueProcess): Promise<void> {
    for (const until = performance.now() + READY_MS; !process.isOver && !this.#isOver; await sleep(LOOK_EVERY_MS)) {
      if (await isReady(node.url)) {
        node.isReady = node.process === process;
        return;
      }
      if (performance.now() > until) {
        this.faults.push(`${node.name} is not ready: ${process.err.slice(-2_000)}`);
        return;
      }
    }
  }

  async #ended(node: Node, process: VenueProcess, { code, signal, err, out }: Ended): Promise<void> {
    if (this.#wanted.has(process) || this.#isOver) return;
    const [why] = ENDS.flatMap((pattern) => pattern.exec(`${err}\n${out}`)?.[1] ?? []);
    const told = why ?? `code ${code} ${signal}`;
    this.#options.count(`ended by itself: ${told}`);
    const isFault = (why === undefined || why.startsWith('log_')) && !this.#expected.test(told);
    this.#options.say(`  ${node.name} ended by itself: ${ENDING.exec(err)?.[0] ?? told}`);
    if (isFault) {
      this.faults.push(`${node.name} has ended with ${code} ${signal}: ${err.slice(-2_000)}`);
      this.#onHalt();
    }
    // As the unit file of docs/deploy says.
    if (code === REFUSED) return;
    while (node.isHeld && !this.#isOver) await sleep(LOOK_EVERY_MS);
    await sleep(AGAIN_MS);
    if (node.process === process && !this.#isOver) await this.start(node);
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/ready`, { signal: AbortSignal.timeout(2_000) }).then(({ status }) => status === 200, () => false);
}
