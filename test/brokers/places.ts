// Where processes of a run are. On loopback and in ordinary folders; or, where there is the right to make them, each in a network namespace
// with a file system of its own, so that it can be cut off from others and its disk can be full.

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/venue-process.ts';

export type Place = {
  readonly host: string;
  /** Goes before a command that is to run there. */
  readonly within: readonly string[];
  readonly folder: string;
  port(): Promise<number>;
};

const DEVICE = 'eth0';
/** Nobody has it: what is sent there is lost. */
const NOBODY = '02:00:00:00:00:00';
/** A venue wants a GiB free. Memory is used for what is written only. */
const ROOM = '3g';
const BLOCK = 4_096;
/** Of a change of size. */
const TRIES = 20;

function ip(...args: string[]): boolean {
  return spawnSync('ip', args, { stdio: 'ignore' }).status === 0;
}

function must(isDone: boolean, what: string): void {
  if (!isDone) throw new Error(`cannot ${what}`);
}

/** Why places cannot be isolated; false: they can. */
export function isolationMissing(): string | false {
  if (spawnSync('ip', ['-V']).error !== undefined) return 'iproute2 is not installed';
  const name = `sb${process.pid}-probe`;
  const isMade = ip('netns', 'add', name) && ip('-n', name, 'link', 'add', 'probe', 'type', 'veth');
  ip('netns', 'del', name);
  return isMade ? false : 'there is no right to make network namespaces';
}

export class Places {
  readonly #folder: string;
  readonly #bridge: string | null;
  readonly #network = `10.${100 + process.pid % 100}.${Math.floor(process.pid / 100) % 250}`;
  readonly #places = new Map<string, Place & { readonly namespace: string }>();
  readonly #cuts = new Set<string>();
  #newest = 1;
  #isClosed = false;

  /** `folder` exists. */
  constructor(folder: string, isIsolated: boolean) {
    this.#folder = folder;
    this.#bridge = isIsolated ? `sb${process.pid}` : null;
    if (this.#bridge === null) return;
    process.once('exit', () => this.close());
    must(ip('link', 'add', this.#bridge, 'type', 'bridge') && ip('addr', 'add', `${this.#network}.1/24`, 'dev', this.#bridge)
      && ip('link', 'set', this.#bridge, 'up'), 'make a bridge');
  }

  get areIsolated(): boolean {
    return this.#bridge !== null;
  }

  /** Its own for each name. */
  at(name: string): Place {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    const place = this.#bridge === null ? { host: '127.0.0.1', within: [], folder, namespace: '', port: freePort }
      : this.#isolated(this.#bridge, folder);
    this.#places.set(name, place);
    return place;
  }

  /** Nothing passes from either to the other. */
  cut(one: string, other: string): void {
    this.cutOneWay(one, other);
    this.cutOneWay(other, one);
  }

  cutOneWay(from: string, to: string): void {
    const { namespace } = this.#places.get(from)!;
    const { host } = this.#places.get(to)!;
    must(ip('-n', namespace, 'neigh', 'replace', host, 'lladdr', NOBODY, 'dev', DEVICE, 'nud', 'permanent'), 'cut a connection');
    this.#cuts.add(`${namespace} ${host}`);
  }

  heal(): void {
    for (const cut of this.#cuts) {
      const [namespace, host] = cut.split(' ') as [string, string];
      must(ip('-n', namespace, 'neigh', 'del', host, 'dev', DEVICE), 'heal a connection');
    }
    this.#cuts.clear();
  }

  /** Leaves so many bytes of room there; null: plenty. */
  leave(name: string, bytes: number | null): void {
    const { folder } = this.#places.get(name)!;
    const isDone = (): boolean => {
      const { blocks, bfree } = statfsSync(folder);
      const size = bytes === null ? ROOM : String((blocks - bfree) * BLOCK + bytes);
      return spawnSync('mount', ['-o', `remount,size=${size}`, folder]).status === 0;
    };
    // It is refused if more was written meanwhile.
    must(Array.from({ length: TRIES }).some(isDone), 'change the size of a disk');
  }

  /** No process runs there any more. */
  remove(name: string): void {
    const { namespace, folder } = this.#places.get(name)!;
    this.#places.delete(name);
    for (const cut of this.#cuts) if (cut.startsWith(`${namespace} `)) this.#cuts.delete(cut);
    if (this.#bridge !== null) {
      ip('netns', 'del', namespace);
      spawnSync('umount', ['-l', folder]);
    }
    rmSync(folder, { recursive: true, force: true });
  }

  /** As for each of them. */
  close(): void {
    if (this.#isClosed || this.#bridge === null) return;
    this.#isClosed = true;
    for (const name of [...this.#places.keys()]) this.remove(name);
    ip('link', 'del', this.#bridge);
  }

  #isolated(bridge: string, folder: string): Place & { readonly namespace: string } {
    const number = ++this.#newest;
    const namespace = `${bridge}-${number}`;
    const outside = `${bridge}v${number}`;
    const host = `${this.#network}.${number}`;
    must(ip('netns', 'add', namespace) && ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', DEVICE, 'netns', namespace)
      && ip('link', 'set', outside, 'master', bridge, 'up') && ip('-n', namespace, 'addr', 'add', `${host}/24`, 'dev', DEVICE)
      && ip('-n', namespace, 'link', 'set', DEVICE, 'up') && ip('-n', namespace, 'link', 'set', 'lo', 'up'), 'make a network namespace');
    must(spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOM}`, 'tmpfs', folder]).status === 0, 'make a file system');
    return { host, within: ['ip', 'netns', 'exec', namespace], folder, namespace, port: freePort };
  }
}
