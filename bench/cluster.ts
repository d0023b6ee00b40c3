// A venue on more than one node (docs/CLUSTER.md) against one process: orders over one socket at 2,000 a second and as fast as they go,
// with no log, a log on one of three brokers, and one on all three; the leader has one follower. Then, with the log on three, the leader's
// orders while 200 sockets listen to 80 books each, at it or at the follower. Last, with two followers, how long nobody takes orders when
// the leader is killed or stopped: from the signal to the first order that another node accepts. Clients, nodes and brokers share the
// machine. Needs nats-server.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Http } from '../scripts/client.ts';
import { freePort, type VenueProcess } from '../scripts/venue-process.ts';
import { TestCluster, TOKEN } from '../test/support/cluster.ts';
import type { Ends } from '../test/support/temporary.ts';
import type { FromClients, ToClients } from './fan-out-clients.ts';
import { flagsOf, framesOf, setUp, signedOrders, steady, WALLETS, withLiveVenue, type Setup } from './live-venue.ts';
import { cpuSeconds, figure, heading, median, quantile, rounds, spread, spreadOfRounds } from './machine.ts';
import { SocketLoad } from './socket-load.ts';

const RATE = 2_000;
const WARM_UP_SECONDS = 6;
const SECONDS = 4;
const ROUNDS = 3;
const PEAK = 10_000;
const IN_FLIGHT = 20 * WALLETS;
const LISTENERS = 200;
const BOOKS = 80;
const RATE_BESIDE = 500;
const LISTENING_ROUNDS = 3;
const LISTENING_SETTLE_MS = 1_000;
const TAKEOVERS = 20;
const ASK_MS = 5;
const LOG_BYTES = 900_000_000;

type Processes = Readonly<Record<string, readonly number[]>>;
type Node = { readonly name: string; readonly data: string; readonly port: number; process: VenueProcess };

/** Latency and processor time at a rate, then the peak. */
async function measure(name: string, setup: Setup, processes: Processes): Promise<void> {
  await steady(setup, RATE, WARM_UP_SECONDS);
  const cpuOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = Object.entries(processes).map(([who, pids]) => [who, pids, cpuOf(pids)] as const);
  const results = await rounds(ROUNDS, () => steady(setup, RATE, SECONDS));
  const note = `from when it was due to its durable answer, ${results.at(-1)!.note}`;
  spreadOfRounds(`${name}, one order`, results.map(({ latency }) => latency), note);
  const orders = ROUNDS * RATE * SECONDS;
  for (const [who, pids, at] of before) figure(`${name}, processor of ${who}`, (cpuOf(pids) - at) / orders * 1e6, 'us an order');
  const peaks = await rounds(ROUNDS, async () => {
    const load = await SocketLoad.open(setup.port, framesOf(setup, PEAK));
    const rate = PEAK / await load.flood(IN_FLIGHT);
    load.close();
    if (load.rejected > 0) throw new Error(`${load.rejected} orders were not taken, the first: ${load.firstRejection}`);
    return rate;
  });
  figure(`${name}, peak`, median(peaks), 'orders/s', `median of ${ROUNDS} rounds of ${PEAK}, ${IN_FLIGHT} in flight`);
}

/** Sockets to one node, in a process of their own. */
async function listen({ port }: Pick<Node, 'port'>, symbols: readonly string[]): Promise<() => Promise<void>> {
  const file = fileURLToPath(new URL('fan-out-clients.ts', import.meta.url));
  const child = fork(file, { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const wishes = Array.from({ length: LISTENERS }, (_, i) => (
    Array.from({ length: BOOKS }, (__, k) => symbols[(i + k) % symbols.length]!)
  ));
  child.send({ type: 'open', port, wishes } satisfies ToClients);
  const [message] = await once(child, 'message') as [FromClients];
  if (message.type !== 'open') throw new Error('the listeners did not connect');
  return async () => {
    child.disconnect();
    await once(child, 'exit');
  };
}

async function listeners(setup: Setup, nodes: Readonly<Record<'leader' | 'follower', Pick<Node, 'port'>>>): Promise<void> {
  const found = { leader: [] as number[], follower: [] as number[] };
  for (let round = 0; round < LISTENING_ROUNDS; round++) {
    for (const who of ['leader', 'follower'] as const) {
      const close = await listen(nodes[who], setup.symbols);
      await sleep(LISTENING_SETTLE_MS);
      const { latency } = await steady(setup, RATE_BESIDE, SECONDS);
      found[who].push(quantile(latency, 0.99));
      await close();
    }
  }
  for (const who of ['leader', 'follower'] as const) {
    const note = `${RATE_BESIDE} orders/s, ${LISTENERS} sockets of ${BOOKS} books, median of ${LISTENING_ROUNDS} rounds in turns`;
    figure(`listeners at the ${who}, one order, p99`, median(found[who]), 'ms', note);
  }
}

/** The leader of these nodes changes `TAKEOVERS` times. */
async function takeovers(nodes: Node[], setup: Setup, end: 'killed' | 'stopped', start: (node: Node) => Promise<void>): Promise<void> {
  const times: number[] = [];
  const orders = signedOrders(setup, TAKEOVERS).values();
  while (times.length < TAKEOVERS) {
    const leader = await leaderOf(nodes);
    const others = nodes.filter((node) => node !== leader);
    const ready = others.map(({ process }) => process.ready());
    // A takeover after a kill takes longer than the start of the other node.
    await (end === 'killed' ? Promise.any(ready) : Promise.all(ready));
    const from = performance.now();
    leader.process.signal(end === 'killed' ? 'SIGKILL' : 'SIGTERM');
    await accepted(others, orders.next().value!);
    times.push(performance.now() - from);
    await leader.process.ended;
    await start(leader);
  }
  spread(`leader ${end}, no orders`, Float64Array.from(times.sort((a, b) => a - b)), 'ms', `${TAKEOVERS} times, three nodes`);
}

async function leaderOf(nodes: readonly Node[]): Promise<Node> {
  for (;;) {
    for (const node of nodes) if ((await asked(node, 'GET', '/ready?role=leader')) !== null) return node;
    await sleep(ASK_MS);
  }
}

/** Resolves when one of the nodes has accepted the order. */
async function accepted(nodes: readonly Node[], body: string): Promise<void> {
  for (;;) {
    for (const node of nodes) if ((await asked(node, 'POST', '/order', body))?.includes('"ACKED"')) return;
    await sleep(ASK_MS);
  }
}

/** Null unless the answer is 200. */
async function asked({ process }: Node, method: 'GET' | 'POST', path: string, body?: string): Promise<string | null> {
  const http = new Http(process.url, { timeoutMs: 2_000 });
  try {
    const { status, text } = await http.send({ method, path, ...(body !== undefined && { body }) });
    return status === 200 ? text : null;
  } catch {
    return null;
  } finally {
    http.close();
  }
}

async function replicated(ends: Ends, folder: string, replicas: 1 | 3): Promise<void> {
  const cluster = await TestCluster.start(ends);
  const flags = [...flagsOf(folder), '--log-replicas', String(replicas), '--log-bytes', String(LOG_BYTES)];
  const nodes: Node[] = [];
  const add = async (name: string): Promise<Node> => {
    const [data, port] = [join(folder, `${replicas}-${name}`), await freePort()];
    const process = await (nodes.length === 0 ? cluster.first(name, data, flags, port) : cluster.node(name, data, flags, port));
    await process.ready();
    const node = { name, data, port, process };
    nodes.push(node);
    return node;
  };
  const leader = await add('one');
  const follower = await add('two');
  const setup = await setUp(leader.process, TOKEN);
  await measure(`log on ${replicas}, ${RATE} orders/s`, setup, {
    'the leader': [leader.process.pid], 'its follower': [follower.process.pid], 'the brokers': cluster.brokers.pids,
  });
  if (replicas === 3) {
    await listeners(setup, { leader, follower });
    await add('three');
    const start = async (node: Node): Promise<void> => { node.process = await cluster.node(node.name, node.data, flags, node.port); };
    await takeovers(nodes, setup, 'killed', start);
    await takeovers(nodes, setup, 'stopped', start);
  }
  setup.http.close();
}

heading(`orders over one socket, 1 api thread a node, durability full, ${WALLETS} wallets; everything on one machine`);
await withLiveVenue('full', (setup) => measure(`one process, ${RATE} orders/s`, setup, { 'the venue': [setup.pid] }));
for (const replicas of [1, 3] as const) {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-bench-'));
  const ends: (() => unknown)[] = [];
  try {
    await replicated({ after: (end) => { ends.push(end); } }, folder, replicas);
  } finally {
    for (const end of ends.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  }
}
