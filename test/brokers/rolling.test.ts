// Three nodes of a cluster are restarted one after the other while clients trade, by the nodes' addresses and by one address of HAProxy,
// and then the leader is killed: no caller of the library sees more than a pause.

import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort, type VenueProcess } from '../../scripts/venue-process.ts';
import { HAPROXY, startHaproxy } from '../deploy/proxy.ts';
import { chainOf, clusterOf, TestCluster, until } from '../support/cluster.ts';
import { lastFirst, temporaryFolder, type Ends } from '../support/temporary.ts';
import { MISSING } from './brokers.ts';
import type { Report } from './rolling-client.ts';

const NAMES = ['one', 'two', 'three'] as const;
/** Calls of each client between two restarts, so that there is load in each. */
const CALLS = 50;

class Client {
  readonly name: string;
  readonly #child: ChildProcess;

  static async start(t: Ends, name: string, urls: readonly string[], authority?: string): Promise<Client> {
    const env = { ...process.env, ...(authority !== undefined && { NODE_EXTRA_CA_CERTS: authority }) };
    const file = fileURLToPath(new URL('rolling-client.ts', import.meta.url));
    const child = fork(file, urls, { env, execArgv: ['--disable-warning=ExperimentalWarning'] });
    t.after(() => child.kill('SIGKILL'));
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]) as [unknown];
    assert.equal(message, 'ready', name);
    return new Client(name, child);
  }

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
  }

  async report(ask: 'report' | 'stop' = 'report'): Promise<Report> {
    this.#child.send(ask);
    const [report] = await once(this.#child, 'message') as [Report];
    assert.deepEqual(report.faults.slice(0, 5), [], this.name);
    return report;
  }
}

/** All have made some more calls. */
async function trade(clients: readonly Client[]): Promise<void> {
  await Promise.all(clients.map(async (client) => {
    const { calls } = await client.report();
    let now = calls;
    await until(`${client.name} trades`, async () => {
      ({ calls: now } = await client.report());
      return now >= calls + CALLS ? true : null;
    });
  }));
}

const options = { skip: MISSING, timeout: 280_000 };

test('a restart of each node, the leader last, and then its death are pauses for clients and lose nothing', options, async (t) => {
  const ends = lastFirst(t);
  const cluster = await TestCluster.start(ends);
  const data = new Map(NAMES.map((name) => [name, temporaryFolder(ends)]));
  const ports = new Map(await Promise.all(NAMES.map(async (name) => [name, await freePort()] as const)));
  const flags = ['--trust-proxy', 'on'];
  const start = async (name: typeof NAMES[number], isFirst: boolean): Promise<VenueProcess> => {
    const where = [name, data.get(name)!, flags, ports.get(name)!] as const;
    const node = await (isFirst ? cluster.first(...where) : cluster.node(...where));
    await node.ready();
    return node;
  };
  const nodes = new Map<typeof NAMES[number], VenueProcess>();
  for (const name of NAMES) nodes.set(name, await start(name, name === 'one'));
  await until('the metrics know the three nodes', async () => {
    const text = await (await fetch(`${nodes.get('one')!.url}/metrics`)).text();
    const clocks = [...text.matchAll(/^strikebook_cluster_clock_skew_seconds\{node="(\w+)"\} -?[0-9.e-]+$/gm)].map(([, node]) => node);
    return /^strikebook_cluster_nodes 3$/m.test(text) && clocks.sort().join() === 'three,two' ? true : null;
  });
  const urls = [...nodes.values()].map(({ url }) => url);
  const clients = [await Client.start(ends, 'a client of the nodes', urls)];
  if (existsSync(HAPROXY.program)) {
    const { url, authority } = await startHaproxy(ends, urls.map((one) => new URL(one).host));
    clients.push(await Client.start(ends, 'a client of HAProxy', [url], authority));
  } else t.diagnostic(`no ${HAPROXY.program}`);

  const leader = (): Promise<typeof NAMES[number]> => until('a node leads', async () => {
    const roles = await Promise.all(NAMES.map(async (name) => (await clusterOf(nodes.get(name)!)).role));
    return NAMES[roles.indexOf('leader')] ?? null;
  });
  for (const left = new Set(NAMES); left.size > 0;) {
    await trade(clients);
    const leading = await leader();
    const name = [...left].find((one) => one !== leading) ?? leading;
    left.delete(name);
    const { code, err } = await nodes.get(name)!.stop();
    assert.equal(code, 0, err);
    nodes.set(name, await start(name, false));
  }
  await trade(clients);
  const killed = await leader();
  await nodes.get(killed)!.kill();
  await trade(clients);
  nodes.set(killed, await start(killed, false));
  const reports = await Promise.all(clients.map((client) => client.report('stop')));
  for (const [at, { calls, longestMs, placed, opened }] of reports.entries()) {
    t.diagnostic(`${clients[at]!.name}: ${calls} calls, ${placed.length} orders, the longest pause ${Math.round(longestMs)} ms`);
    assert.deepEqual([...opened].sort((a, b) => a - b), [...placed].sort((a, b) => a - b), 'each order was opened once, and told once');
  }
  // The leader last, so that nobody takes over.
  const last = await leader();
  for (const name of [...NAMES.filter((one) => one !== last), last]) assert.equal((await nodes.get(name)!.stop()).code, 0);
  const chains = [...data.values()].map(chainOf);
  const shortest = Math.min(...chains.map(({ length }) => length));
  for (const chain of chains) assert.deepEqual(chain.slice(0, shortest), chains[0]!.slice(0, shortest), 'one chain');
});
