// The cluster run: three brokers, three venue processes and a fleet of signed traders, with faults at random moments. After each,
// everything the fleet was ever told must be found again at whichever node leads, done once; in the end on every node, with equal journals.

import { chmodSync, closeSync, fsyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Http, signerFor } from '../../scripts/client.ts';
import { freePort, VenueProcess } from '../../scripts/venue-process.ts';
import { hashText } from '../../shell/storage/journal/chain.ts';
import { readFrames } from '../../shell/storage/journal/read.ts';
import { checkFills, checkOrders, checkReplays } from '../e2e/crash/check.ts';
import { marketsOf, unlimited } from '../e2e/crash/fleet.ts';
import { Trader, type Ledger } from '../e2e/crash/trader.ts';
import { generator } from '../shell/storage/journal/support.ts';
import { Brokers, passwordOf } from './brokers.ts';

export const FAULTS = ['leader killed', 'leader stopped', 'standby killed', 'broker stopped', 'leader and broker killed'] as const;
type Fault = typeof FAULTS[number];

type Options = {
  readonly folder: string;
  readonly faults: readonly Fault[];
  readonly traders: number;
  readonly seed: number;
  readonly loadMs: readonly [number, number];
  readonly ledgerFile: string | null;
  readonly say: (line: string) => void;
};

type Report = {
  readonly ledger: Ledger;
  readonly orders: number;
  /** From a fault to the first node that says it leads, ms, where another one had to. */
  readonly takeovers: readonly number[];
  /** Frames that all journals hold alike. */
  readonly frames: number;
};

type Node = { readonly name: string; readonly data: string; readonly port: number; process: VenueProcess };

const NAMES = ['one', 'two', 'three'];
const LOG_BYTES = '268435456';
const LED_MS = 90_000;
const LOOK_EVERY_MS = 25;
/** Longer than a takeover. */
const STOPPED_MS = 6_000;
/** The brokers choose another leader of the stream in less. */
const BROKER_MS = 12_000;

class Run {
  readonly takeovers: number[] = [];
  readonly ledger: Ledger;
  readonly #options: Options;
  readonly #random: () => number;
  readonly #file: number | null;
  readonly #nodes: Node[] = [];
  #brokers!: Brokers;
  #traders: Trader[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.#random = generator(options.seed);
    this.#file = options.ledgerFile === null ? null : openSync(options.ledgerFile, 'a');
    this.ledger = {
      lost: [], doubled: [], counts: new Map(),
      onAnswer: (trader, { request, answer }) => {
        if (this.#file === null) return;
        writeSync(this.#file, `${JSON.stringify({ trader, request: request.body, status: answer!.status, answer: answer!.text })}\n`);
      },
    };
  }

  get orders(): number {
    return this.#traders.reduce((sum, trader) => sum + trader.orders.size, 0);
  }

  async all(): Promise<number> {
    const { folder, faults, say } = this.#options;
    writeFileSync(join(folder, 'limits.json'), JSON.stringify(unlimited()));
    writeFileSync(join(folder, 'key'), randomBytes(32).toString('hex'));
    chmodSync(join(folder, 'key'), 0o600);
    for (const user of ['venue', 'operator'] as const) {
      writeFileSync(join(folder, `${user}.json`), JSON.stringify({ user, pass: passwordOf(user) }), { mode: 0o600 });
    }
    this.#brokers = await Brokers.start();
    try {
      for (const name of NAMES) {
        const port = await freePort();
        const data = join(folder, name);
        this.#nodes.push({ name, data, port, process: await this.#start({ name, data, port }, name === NAMES[0]) });
        if (name === NAMES[0]) await this.#untilLed([]);
      }
      await Promise.all(this.#nodes.map(({ process }) => process.ready()));
      for (const [index, fault] of faults.entries()) {
        await this.#cycle(fault);
        const { lost, doubled, counts } = this.ledger;
        const took = this.takeovers.at(-1);
        const answers = counts.get('answers') ?? 0;
        say(`${index + 1} ${fault}: ${answers} answers, ${this.orders} orders, lost ${lost.length}, doubled ${doubled.length}, `
          + `newest takeover ${took === undefined ? 'none' : `${Math.round(took)} ms`}`);
        if (lost.length + doubled.length > 0) break;
      }
      return await this.#lastLook();
    } finally {
      for (const { process } of this.#nodes) await process.kill();
      await this.#brokers.end();
      if (this.#file !== null) closeSync(this.#file);
    }
  }

  async #cycle(fault: Fault): Promise<void> {
    const leader = await this.#untilLed([]);
    const http = new Http(leader.process.url, { connections: this.#options.traders, timeoutMs: 12_000 });
    let isOver = false;
    try {
      await this.#meet(http);
      const trading = Promise.all(this.#traders.map((trader) => trader.trade(http, () => isOver)));
      const [low, high] = this.#options.loadMs;
      await sleep(low + this.#random() * (high - low));
      const { gone, mend } = await this.#break(fault, leader);
      const since = performance.now();
      if (gone === leader) {
        await this.#untilLed([leader]);
        this.takeovers.push(performance.now() - since);
      } else await sleep(STOPPED_MS);
      isOver = true;
      http.close();
      await trading;
      await mend();
    } finally {
      http.close();
    }
    await this.#look();
  }

  async #meet(http: Http): Promise<void> {
    if (this.#traders.length > 0) return;
    const { traders, seed } = this.#options;
    const markets = await marketsOf(http);
    const quiet = markets.pop()!;
    const signer = await signerFor(http);
    this.#traders = Array.from({ length: traders }, (_, i) => new Trader(signer, markets, quiet, generator(seed + 1 + i), this.ledger));
  }

  /** `gone`: the node that answers no more, if any. */
  async #break(fault: Fault, leader: Node): Promise<{ gone: Node | null; mend: () => Promise<void> }> {
    const standby = this.#nodes.find((node) => node !== leader)!;
    const broker = ['a', 'b', 'c'][Math.floor(this.#random() * 3)]!;
    switch (fault) {
      case 'leader killed':
        await leader.process.kill();
        return { gone: leader, mend: () => this.#startAgain(leader) };
      case 'leader stopped':
        leader.process.signal('SIGSTOP');
        return { gone: leader, mend: () => this.#goOn(leader) };
      case 'standby killed':
        await standby.process.kill();
        return { gone: standby, mend: () => this.#startAgain(standby) };
      case 'broker stopped':
        this.#brokers.signal(broker, 'SIGSTOP');
        return {
          gone: null,
          mend: async () => {
            this.#brokers.signal(broker, 'SIGCONT');
            await sleep(BROKER_MS);
          },
        };
      case 'leader and broker killed':
        await Promise.all([leader.process.kill(), this.#brokers.kill(broker)]);
        return {
          gone: leader,
          mend: async () => {
            this.#brokers.restart(broker);
            await this.#startAgain(leader);
            await sleep(BROKER_MS);
          },
        };
    }
  }

  /** A leader that was deposed meanwhile has sequenced what the log does not have: it ends, and its operator's supervisor starts it. */
  async #goOn(node: Node): Promise<void> {
    node.process.signal('SIGCONT');
    await Promise.race([node.process.ended, sleep(20_000)]);
    if (node.process.isOver) await this.#startAgain(node);
  }

  /** Who was deposed while it stood still may end late. */
  async #restartDeposed(): Promise<void> {
    for (const node of this.#nodes.filter(({ process }) => process.isOver)) {
      if (!/start again/.test(node.process.err)) throw new Error(`${node.name} has ended: ${node.process.err}`);
      await this.#startAgain(node);
    }
  }

  async #startAgain(node: Node): Promise<void> {
    node.process = await this.#start(node, false);
    await node.process.ready();
  }

  #start({ name, data, port }: Omit<Node, 'process'>, isFirst: boolean): Promise<VenueProcess> {
    const { folder } = this.#options;
    return VenueProcess.start({
      data, port, flags: [
        '--feed', 'sim', '--workers', '1', '--rate-limits', join(folder, 'limits.json'), '--replicate', this.#brokers.urls, '--node', name,
        '--cluster-key', join(folder, 'key'), '--broker-options', join(folder, `${isFirst ? 'operator' : 'venue'}.json`),
        '--advertise', `http://127.0.0.1:${port}`, ...(isFirst ? ['--new-log', '--log-bytes', LOG_BYTES] : []),
      ],
    });
  }

  async #untilLed(except: readonly Node[]): Promise<Node> {
    for (const until = performance.now() + LED_MS; performance.now() < until; await sleep(LOOK_EVERY_MS)) {
      for (const node of this.#nodes.filter((each) => !except.includes(each) && !each.process.isOver)) {
        if (await statusOf(node, '/ready?role=leader') === 200) return node;
      }
      const ended = this.#nodes.filter((node) => !except.includes(node) && node.process.isOver);
      if (ended.length > 0 && except.length === 0) throw new Error(`${ended[0]!.name} has ended: ${ended[0]!.process.err}`);
    }
    throw new Error(`nobody leads: ${this.#nodes.map(({ name, process }) => `${name}: ${process.err.slice(-500)}`).join('\n')}`);
  }

  async #look(): Promise<void> {
    const leader = await this.#untilLed([]);
    const http = new Http(leader.process.url, { connections: this.#options.traders });
    try {
      await Promise.all(this.#traders.map(async (trader) => {
        await trader.resolve(http);
        await checkReplays(http, trader, trader.entries, this.ledger);
        trader.entries = [];
      }));
      if (this.#file !== null) fsyncSync(this.#file);
    } finally {
      http.close();
    }
  }

  /** Every node says the same, and the journals hold the same frames. */
  async #lastLook(): Promise<number> {
    await this.#restartDeposed();
    const leader = await this.#untilLed([]);
    await sleep(1_000);
    for (const node of [leader, ...this.#nodes.filter((each) => each !== leader)]) {
      const http = new Http(node.process.url, { connections: this.#options.traders });
      try {
        for (const trader of this.#traders) await checkOrders(http, trader, this.ledger);
        if (node === leader) await checkFills(http, this.#traders, this.ledger);
      } finally {
        http.close();
      }
    }
    for (const node of [...this.#nodes.filter((each) => each !== leader), leader]) await node.process.stop();
    const [first, ...others] = this.#nodes.map(({ data }) => (
      [...readFrames(data, 1)].map(({ firstSeq, lastSeq, hash }) => `${firstSeq} to ${lastSeq} ${hashText(hash)}`)
    ));
    let alike = first!.length;
    for (const frames of others) {
      alike = Math.min(alike, frames.length);
      const at = frames.findIndex((frame, index) => index < first!.length && frame !== first![index]);
      if (at >= 0) this.ledger.lost.push(`journals differ at frame ${at}: ${first![at]} and ${frames[at]}`);
    }
    return alike;
  }
}

async function statusOf({ process }: Node, path: string): Promise<number> {
  const http = new Http(process.url, { timeoutMs: 500 });
  try {
    return (await http.get(path)).status;
  } catch {
    return 0;
  } finally {
    http.close();
  }
}

/** Ends early when something was lost or doubled. `folder` exists and is empty. */
export async function nemesisRun(options: Options): Promise<Report> {
  const run = new Run(options);
  const frames = await run.all();
  return { ledger: run.ledger, orders: run.orders, takeovers: run.takeovers, frames };
}
