// A venue on more than one node: three brokers and venue processes on loopback, with the users of docs/deploy/nats-server.conf. Nothing
// outlives the test. Skip by `MISSING` (test/brokers/brokers.ts) where nats-server is not installed.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, VenueProcess } from '../../scripts/venue-process.ts';
import { hashText } from '../../shell/storage/journal/chain.ts';
import { readFrames } from '../../shell/storage/journal/read.ts';
import { Brokers, passwordOf, tlsOf, type Certificate } from '../brokers/brokers.ts';
import { temporaryFolder, type Ends } from './temporary.ts';

export const TOKEN = 'token-of-the-tests-of-the-cluster';
const WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 50;
const LOG_BYTES = 268_435_456;

type ClusterAnswer = {
  readonly role: string; readonly leader: string | null; readonly leader_url: string | null; readonly epoch: number;
};

/** `ask` may throw until then. */
export async function until<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  for (const end = performance.now() + WITHIN_MS; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
    const found = await ask().catch(() => null);
    if (found !== null) return found;
  }
  throw new Error(`not within ${WITHIN_MS} ms: ${what}`);
}

export class TestCluster {
  readonly brokers: Brokers;
  readonly keyFile: string;
  readonly folder: string;
  readonly #ends: Ends;
  readonly #certificate: Certificate | null;

  static async start(ends: Ends, certificate: Certificate | null = null): Promise<TestCluster> {
    const brokers = await Brokers.start({ certificate });
    ends.after(() => brokers.end());
    return new TestCluster(ends, brokers, certificate);
  }

  private constructor(ends: Ends, brokers: Brokers, certificate: Certificate | null) {
    this.#ends = ends;
    this.#certificate = certificate;
    this.brokers = brokers;
    this.folder = temporaryFolder(ends);
    this.keyFile = join(this.folder, 'key');
    writeFileSync(this.keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
    for (const user of ['venue', 'operator'] as const) this.writeOptions(user, { user, pass: passwordOf(user) });
  }

  /** A file for --broker-options; the certificate is added. */
  writeOptions(name: string, options: object): string {
    const file = join(this.folder, `${name}.json`);
    const tls = this.#certificate === null ? {} : { tls: tlsOf(this.#certificate) };
    writeFileSync(file, JSON.stringify({ ...tls, ...options }), { mode: 0o600 });
    return file;
  }

  /** Started, not yet ready. */
  async node(name: string, data: string, more: readonly string[] = [], at?: number): Promise<VenueProcess> {
    const port = at ?? await freePort();
    const flags = [
      '--feed', 'sim', '--workers', '1', '--rate-limits', 'off', '--admin-token', TOKEN, '--replicate', this.brokers.urls, '--node', name,
      '--cluster-key', this.keyFile, '--broker-options', join(this.folder, 'venue.json'),
      '--advertise', `http://127.0.0.1:${port}`, ...more,
    ];
    const venue = await VenueProcess.start({ data, port, flags });
    this.#ends.after(() => venue.kill());
    return venue;
  }

  /** Makes the log, and leads. */
  async first(name: string, data: string, more: readonly string[] = [], at?: number): Promise<VenueProcess> {
    const operator = join(this.folder, 'operator.json');
    const flags = ['--new-log', '--log-bytes', String(LOG_BYTES), '--broker-options', operator, ...more];
    const venue = await this.node(name, data, flags, at);
    await venue.ready();
    await leads(venue);
    return venue;
  }
}

export async function clusterOf({ url }: VenueProcess): Promise<ClusterAnswer> {
  return await (await fetch(`${url}/cluster`)).json() as ClusterAnswer;
}

export async function leads(venue: VenueProcess): Promise<void> {
  await until(`${venue.url} leads`, async () => ((await fetch(`${venue.url}/ready?role=leader`)).status === 200 ? true : null));
}

/** It has everything up to `seq`. */
export async function reaches(venue: VenueProcess, seq: number): Promise<void> {
  const path = `/markets?include_instruments=false&min_seq=${seq}`;
  await until(`${venue.url} has seq ${seq}`, async () => ((await fetch(`${venue.url}${path}`)).status === 200 ? true : null));
}

/** The frames of a journal that nobody writes. */
export function chainOf(data: string): string[] {
  return [...readFrames(data, 1)].map(({ firstSeq, lastSeq, hash }) => `${firstSeq}-${lastSeq} ${hashText(hash)}`);
}
