// Three NATS servers with the configuration of docs/deploy, on loopback or where places.ts says, and connections to them.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { freePort } from '../../scripts/venue-process.ts';
import { connectBrokers } from '../../shell/storage/replication/jetstream.ts';
import { askApi } from '../../shell/storage/replication/jetstream-stream.ts';
import { Places, type Place } from './places.ts';

const CONFIG = readFileSync(new URL('../../docs/deploy/nats-server.conf', import.meta.url), 'utf8');
// for tests: which there are
export const BROKERS = ['a', 'b', 'c'] as const;
const START_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** Why these tests cannot run; false: they can. */
export const MISSING = spawnSync('nats-server', ['--version']).error !== undefined && 'nats-server is not installed';

/** A certificate for both sides of every connection, signed by itself. */
export type Certificate = { readonly cert: string; readonly key: string };

type Broker = {
  readonly name: string; readonly place: Place; readonly port: number; readonly config: string; process: ChildProcess | null;
  startedAt: number;
};
type Start = { readonly certificate?: Certificate | null; readonly places?: Places };
type Info = {
  readonly leader?: string;
  /** `active`: nanoseconds since the leader heard of it. */
  readonly replicas?: readonly {
    readonly name: string; readonly current: boolean; readonly offline?: boolean; readonly lag?: number; readonly active: number;
  }[];
};

export function passwordOf(user: 'venue' | 'operator' | 'system'): string {
  return user === 'venue' ? 'VENUE-PASSWORD' : 'OPERATOR-PASSWORD';
}

/** Throws without openssl. */
export function makeCertificate(folder: string, name: string): Certificate {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}-key.pem`)];
  const { status, stderr } = spawnSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', `/CN=${name}`,
    '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', cert,
  ], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  return { cert, key };
}

export class Brokers {
  readonly #folder: string;
  readonly #certificate: Certificate | null;
  readonly #brokers: Broker[];
  readonly #connections: NatsConnection[] = [];

  /** In a folder of their own, which `end` removes, if nothing else is said. */
  static async start({ certificate = null, places }: Start = {}): Promise<Brokers> {
    const folder = mkdtempSync(join(tmpdir(), 'brokers-'));
    const where = places ?? new Places(folder, false);
    const ports = await Promise.all(BROKERS.map(async (name) => ({
      name, place: where.at(name), port: await freePort(), routePort: await freePort(),
    })));
    const brokers = new Brokers(folder, certificate, ports.map(({ name, place, port, routePort }) => {
      const others = ports.filter((each) => each.name !== name)
        .map((each) => `"nats://brokers:ROUTE-PASSWORD@${each.place.host}:${each.routePort}"`);
      const config = withTls(certificate).replace('server_name: a', `server_name: ${name}`).replace('0.0.0.0:4222', `${place.host}:${port}`)
        .replace('0.0.0.0:6222', `${place.host}:${routePort}`).replace(/routes: \[.*\]/, `routes: [${others.join(', ')}]`)
        .replace('/var/lib/nats', storeOf(place)).replace('500GB', '1GB');
      const path = join(place.folder, 'nats.conf');
      writeFileSync(path, config);
      return { name, place, port, config: path, process: null, startedAt: 0 };
    }));
    for (const broker of brokers.#brokers) brokers.#run(broker);
    try {
      await brokers.#untilReady();
    } catch (error) {
      await brokers.end();
      throw error;
    }
    return brokers;
  }

  private constructor(folder: string, certificate: Certificate | null, brokers: Broker[]) {
    this.#folder = folder;
    this.#certificate = certificate;
    this.#brokers = brokers;
  }

  get urls(): string {
    const scheme = this.#certificate === null ? 'nats' : 'tls';
    return this.#brokers.map(({ place: { host }, port }) => `${scheme}://${scheme === 'tls' ? 'localhost' : host}:${port}`).join();
  }

  get pids(): readonly number[] {
    return this.#brokers.flatMap(({ process }) => process?.pid ?? []);
  }

  async connect(user: 'venue' | 'operator' | 'system'): Promise<NatsConnection> {
    const servers = this.urls.split(',');
    const tls = this.#certificate === null ? {} : { tls: tlsOf(this.#certificate) };
    for (let waited = 0; ; waited += 200) {
      try {
        const connection = await connectBrokers({ servers, user, pass: passwordOf(user), ...tls });
        this.#connections.push(connection);
        return connection;
      } catch (error) {
        // Servers that have just been started do not listen yet.
        if (waited >= START_MS) throw error;
        await sleep(200);
      }
    }
  }

  /** Which broker a connection has. */
  nameOf(connection: NatsConnection): string {
    return this.#brokers.find(({ port }) => connection.getServer().endsWith(`:${port}`))!.name;
  }

  /** Nothing happens to one that is not there. */
  async kill(name: string): Promise<void> {
    const broker = this.#of(name);
    const { process } = broker;
    broker.process = null;
    if (process === null || process.exitCode !== null) return;
    process.kill('SIGKILL');
    await once(process, 'exit');
  }

  restart(name: string): void {
    this.#run(this.#of(name));
  }

  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#of(name).process!.kill(signal);
  }

  /** Of a broker that does not run; copies what it has stored. */
  copy(name: string, to: string): void {
    cpSync(storeOf(this.#of(name).place), to, { recursive: true });
  }

  /** The broker, which does not run, has what was copied; null: nothing. */
  restore(name: string, from: string | null): void {
    const store = storeOf(this.#of(name).place);
    rmSync(store, { recursive: true, force: true });
    if (from !== null && existsSync(from)) cpSync(from, store, { recursive: true });
  }

  /** The broker that leads the stream. */
  async leaderOf(connection: NatsConnection, stream: string): Promise<string | null> {
    return (await infoOf(connection, stream))?.leader ?? null;
  }

  /** All replicas of the stream have what it has, and were heard of since they were started. Returns who did not in time, if anyone. */
  async untilCurrent(connection: NatsConnection, stream: string, withinMs = START_MS): Promise<string | null> {
    for (let late: string | null = null, until = performance.now() + withinMs; ; await sleep(LOOK_EVERY_MS)) {
      const { leader, replicas = [] } = await infoOf(connection, stream) ?? {};
      if (leader !== undefined && leader !== '' && replicas.length === BROKERS.length - 1) {
        late = replicas.find(({ name, current, offline, lag, active }) => (
          !current || offline === true || (lag ?? 0) > 0 || active / 1e6 > performance.now() - this.#of(name).startedAt
        ))?.name ?? null;
        if (late === null) return null;
      }
      if (performance.now() > until) return late ?? 'nobody leads the stream';
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
    for (const { name, process } of this.#brokers) if (process !== null) await this.kill(name);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #of(name: string): Broker {
    return this.#brokers.find((each) => each.name === name)!;
  }

  #run(broker: Broker): void {
    const [program, ...args] = [...broker.place.within, 'nats-server', '-c', broker.config];
    const child = spawn(program!, args, { stdio: 'ignore' });
    broker.process = child;
    broker.startedAt = performance.now();
    const end = (): void => { child.kill('SIGKILL'); };
    process.on('exit', end);
    child.once('exit', () => process.off('exit', end));
  }

  /** All brokers are in the group that makes streams. */
  async #untilReady(): Promise<void> {
    const connection = await this.connect('operator');
    for (let waited = 0; waited < START_MS; waited += 200) {
      try {
        const answer = await connection.request('$JS.API.STREAM.CREATE.probe', JSON.stringify({
          name: 'probe', subjects: ['probe'], storage: 'file', num_replicas: BROKERS.length, retention: 'limits',
        }), { timeout: 2_000 });
        if (answer.json<{ error?: object }>().error === undefined) {
          await connection.request('$JS.API.STREAM.DELETE.probe');
          return;
        }
      } catch {
        // Not there yet.
      }
      await sleep(200);
    }
    throw new Error('the brokers do not start');
  }
}

/** As in --broker-options. */
export function tlsOf({ cert, key }: Certificate): { readonly caFile: string; readonly certFile: string; readonly keyFile: string } {
  return { caFile: cert, certFile: cert, keyFile: key };
}

/** The configuration with the # of its TLS taken away. */
function withTls(certificate: Certificate | null): string {
  if (certificate === null) return CONFIG;
  const { cert, key } = certificate;
  return CONFIG.replaceAll('# tls {', 'tls {').replaceAll('/etc/nats/cert.pem', cert).replaceAll('/etc/nats/key.pem', key)
    .replaceAll('/etc/nats/ca.pem', cert);
}

function storeOf({ folder }: Place): string {
  return join(folder, 'store');
}

async function infoOf(connection: NatsConnection, stream: string): Promise<Info | null> {
  try {
    return (await askApi(connection, `STREAM.INFO.${stream}`))['cluster'] as Info | undefined ?? null;
  } catch {
    return null;
  }
}
