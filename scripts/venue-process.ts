// A venue as a child process for scripts and tests, started like `npm start`, on loopback and a free port. Its output lines are kept, its
// end is a promise, and it never outlives the process that started it.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './build.js';
import { Http } from './client.ts';

const START = fileURLToPath(new URL('../shell/process/start.js', import.meta.url));
/** Flags of `npm start`. They help a long-lived venue, and slow the start of each thread (scripts/test.ts); tests start hundreds. */
const TUNED = ['--max-semi-space-size=64', '--no-short-builtin-calls', '--enable-source-maps'];
const FLAGS = process.env['NODE_TEST_CONTEXT'] === undefined ? TUNED : [];
const READY_EVERY_MS = 20;

/**
 * The ports that `freePort` chooses from. Linux gives ports from 32,768 on to outgoing connections, which could take
 * one before the venue listens. Up to 10,080 there are ports that `fetch` and browsers refuse (bad ports of the Fetch
 * standard).
 */
const PORTS = { first: 10_100, count: 22_000 };
/** How far apart processes with neighbouring numbers begin, which is more than one of them asks for. */
const PORTS_OF_A_PROCESS = 61;
let asked = 0;
let built: Promise<void> | null = null;

export type VenueOptions = {
  readonly data: string;
  /** Where it listens. */
  readonly host?: string;
  readonly port?: number;
  /** Goes before its command, such as one that runs it in a network namespace. */
  readonly within?: readonly string[];
  /** Further flags, such as `--feed`, `manual`. */
  readonly flags?: readonly string[];
  /** Modules that are loaded into it before its own, by URL. */
  readonly imports?: readonly string[];
  /** Also prints the standard error of the venue. */
  readonly isLoud?: boolean;
};

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly out: string; readonly err: string };

/** A port that was free a moment ago, and that no connection out and no other process that asks here is likely to take. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS.count; tries++) {
    const port = PORTS.first + (process.pid * PORTS_OF_A_PROCESS + asked++) % PORTS.count;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** Owns one venue process. */
export class VenueProcess {
  readonly url: string;
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  #out = '';
  #err = '';
  #isOver = false;

  static async start(options: VenueOptions): Promise<VenueProcess> {
    await (built ??= ensureBuilt());
    return new VenueProcess({ ...options, port: options.port ?? await freePort() });
  }

  private constructor({ data, host = '127.0.0.1', port, within = [], flags = [], imports = [], isLoud = false }: VenueOptions) {
    this.url = `http://${host}:${port}`;
    const preloads = imports.flatMap((url) => ['--import', url]);
    const args = [...FLAGS, ...preloads, START, '--host', host, '--port', String(port), '--data', data, ...flags];
    const [program, ...before] = [...within, process.execPath];
    const child = spawn(program!, [...before, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => { this.#out += text; });
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.#err += `${line}\n`;
      if (isLoud) console.error(line);
    });
    const endChild = (): void => { child.kill('SIGKILL'); };
    process.on('exit', endChild);
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.#isOver = true;
        process.off('exit', endChild);
        resolve({ code, signal, out: this.#out, err: this.#err });
      });
    });
  }

  get out(): string {
    return this.#out;
  }

  get err(): string {
    return this.#err;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Waits until /ready says so; throws when the process ends before, or after `withinMs`. */
  async ready(withinMs = 60_000): Promise<void> {
    const http = new Http(this.url, { timeoutMs: 5_000 });
    let last = '';
    try {
      for (const until = performance.now() + withinMs; performance.now() < until; await sleep(READY_EVERY_MS)) {
        if (this.#isOver) throw new Error(`the venue ended before it was ready: ${this.#err.trim() || this.#out.trim()}`);
        const answer = await http.get('/ready').catch(() => null);
        if (answer?.status === 200) return;
        last = answer?.text ?? 'nothing answers';
      }
      throw new Error(`the venue was not ready within ${withinMs} ms: ${last} ${this.#err}`);
    } finally {
      http.close();
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends the process with SIGKILL. */
  async kill(): Promise<Ended> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  /** SIGTERM; SIGKILL if that takes longer than `withinMs`. */
  async stop(withinMs = 60_000): Promise<Ended> {
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), withinMs);
    const ended = await this.ended;
    clearTimeout(late);
    return ended;
  }
}
