// Three NATS servers on loopback with the configuration of docs/deploy, and connections to them.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { freePort } from '../../scripts/venue-process.ts';
import { connectBrokers } from '../../shell/storage/replication/jetstream.ts';

const CONFIG = readFileSync(new URL('../../docs/deploy/nats-server.conf', import.meta.url), 'utf8');
const NAMES = ['a', 'b', 'c'];
const START_MS = 60_000;

/** Why these tests cannot run; false: they can. */
export const MISSING = spawnSync('nats-server', ['--version']).error !== undefined && 'nats-server is not installed';

/** A certificate for both sides of every connection, signed by itself. */
export type Certificate = { readonly cert: string; readonly key: string };

type Broker = { readonly name: string; readonly port: number; readonly config: string; process: ChildProcess | null };

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

  static async start(certificate: Certificate | null = null): Promise<Brokers> {
    const ports = await Promise.all(NAMES.map(async () => [await freePort(), await freePort()] as const));
    const folder = mkdtempSync(join(tmpdir(), 'brokers-'));
    const brokers = new Brokers(folder, certificate, NAMES.map((name, index) => {
      const [port, routePort] = ports[index]!;
      const others = ports.filter((_, at) => at !== index).map(([, route]) => `"nats://brokers:ROUTE-PASSWORD@127.0.0.1:${route}"`);
      const config = withTls(certificate).replace('server_name: a', `server_name: ${name}`).replace('0.0.0.0:4222', `127.0.0.1:${port}`)
        .replace('0.0.0.0:6222', `127.0.0.1:${routePort}`).replace(/routes: \[.*\]/, `routes: [${others.join(', ')}]`)
        .replace('/var/lib/nats', join(folder, name)).replace('500GB', '1GB');
      const path = join(folder, `${name}.conf`);
      writeFileSync(path, config);
      return { name, port, config: path, process: null };
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
    const address = this.#certificate === null ? 'nats://127.0.0.1' : 'tls://localhost';
    return this.#brokers.map(({ port }) => `${address}:${port}`).join();
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

  async kill(name: string): Promise<void> {
    const broker = this.#brokers.find((each) => each.name === name)!;
    const { process } = broker;
    broker.process = null;
    process!.kill('SIGKILL');
    await once(process!, 'exit');
  }

  restart(name: string): void {
    this.#run(this.#brokers.find((each) => each.name === name)!);
  }

  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#brokers.find((each) => each.name === name)!.process!.kill(signal);
  }

  async end(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
    for (const { name, process } of this.#brokers) if (process !== null) await this.kill(name);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(broker: Broker): void {
    broker.process = spawn('nats-server', ['-c', broker.config], { stdio: 'ignore' });
  }

  /** All brokers are in the group that makes streams. */
  async #untilReady(): Promise<void> {
    const connection = await this.connect('operator');
    for (let waited = 0; waited < START_MS; waited += 200) {
      try {
        const answer = await connection.request('$JS.API.STREAM.CREATE.probe', JSON.stringify({
          name: 'probe', subjects: ['probe'], storage: 'file', num_replicas: NAMES.length, retention: 'limits',
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
