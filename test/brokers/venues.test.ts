// Venues as processes at one log of three real brokers: a standby has every answered order, takes over within seconds after a kill and at
// once after a clean stop, refuses writes while it follows and names the leader, and all journals are one. Skipped without nats-server.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, VenueProcess } from '../../scripts/venue-process.ts';
import { hashText } from '../../shell/storage/journal/chain.ts';
import { readFrames } from '../../shell/storage/journal/read.ts';
import { connect, createPrivateKey, privateKeySigner } from '../../client/src/main.ts';
import { option, trader } from '../client/venue.ts';
import { assertSound } from '../support/audit.ts';
import { lastFirst, temporaryFolder, type Ends } from '../support/temporary.ts';

const HAS_BROKERS = spawnSync('nats-server', ['--version']).status === 0;
const WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 50;
const TOKEN = 'token-of-the-tests-of-the-cluster';
const LOG_BYTES = 268_435_456;

type Cluster = { readonly role: string; readonly leader: string | null; readonly leader_url: string | null; readonly epoch: number };

async function until<T>(what: string, ask: () => Promise<T | null>): Promise<T> {
  for (const end = performance.now() + WITHIN_MS; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
    const found = await ask().catch(() => null);
    if (found !== null) return found;
  }
  throw new Error(`not within ${WITHIN_MS} ms: ${what}`);
}

/** Three brokers on loopback; their addresses. */
async function brokers(t: Ends): Promise<string> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = [await freePort(), await freePort(), await freePort()];
  const all = routes.map((port) => `nats://127.0.0.1:${port}`).join();
  ports.forEach((port, at) => {
    const child = spawn('nats-server', [
      '-a', '127.0.0.1', '-p', String(port), '-js', '-sd', temporaryFolder(t), '--name', `broker-${at}`, '--cluster_name', 'test',
      '--cluster', `nats://127.0.0.1:${routes[at]}`, '--routes', all,
    ], { stdio: 'ignore' });
    t.after(() => child.kill('SIGKILL'));
    process.on('exit', () => child.kill('SIGKILL'));
  });
  return ports.map((port) => `nats://127.0.0.1:${port}`).join();
}

class Nodes {
  readonly #ends: Ends;
  readonly #servers: string;
  readonly #key: string;

  constructor(ends: Ends, servers: string) {
    this.#ends = ends;
    this.#servers = servers;
    this.#key = join(temporaryFolder(ends), 'key');
    writeFileSync(this.#key, randomBytes(32).toString('hex'), { mode: 0o600 });
  }

  async start(name: string, data: string, more: readonly string[] = []): Promise<VenueProcess> {
    const port = await freePort();
    const flags = [
      '--feed', 'sim', '--workers', '1', '--rate-limits', 'off', '--admin-token', TOKEN, '--replicate', this.#servers, '--node', name,
      '--cluster-key', this.#key, '--advertise', `http://127.0.0.1:${port}`, ...more,
    ];
    const venue = await VenueProcess.start({ data, port, flags });
    this.#ends.after(() => venue.kill());
    return venue;
  }

  /** The brokers need a moment until they agree on who places streams. */
  async first(name: string, data: string): Promise<VenueProcess> {
    return until('a log is made', async () => {
      const venue = await this.start(name, data, ['--new-log', '--log-bytes', String(LOG_BYTES)]);
      return await Promise.race([venue.ready().then(() => venue), venue.ended.then(() => null)]);
    });
  }
}

async function clusterOf({ url }: VenueProcess): Promise<Cluster> {
  return await (await fetch(`${url}/cluster`)).json() as Cluster;
}

async function leads(venue: VenueProcess): Promise<void> {
  await until(`${venue.url} leads`, async () => ((await fetch(`${venue.url}/ready?role=leader`)).status === 200 ? true : null));
}

function chainOf(data: string): string[] {
  return [...readFrames(data, 1)].map(({ firstSeq, lastSeq, hash }) => `${firstSeq}-${lastSeq} ${hashText(hash)}`);
}

test('a standby follows, takes over after a kill and after a stop, and no answered order is lost', {
  timeout: 180_000, skip: HAS_BROKERS ? false : 'nats-server is not installed',
}, async (t) => {
  const ends = lastFirst(t);
  const nodes = new Nodes(ends, await brokers(ends));
  const [dataOne, dataTwo] = [temporaryFolder(ends), temporaryFolder(ends)];
  const one = await nodes.first('one', dataOne);
  await leads(one);
  const two = await nodes.start('two', dataTwo);
  await two.ready();

  const maker = await trader(one.url);
  const { symbol, low } = await until('a market is listed', () => option(maker));
  const answered: number[] = [];
  for (let nth = 0; nth < 30; nth++) answered.push((await maker.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low })).order_id!);
  const refused = await fetch(`${two.url}/admin/halt`, {
    method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: '{"scope":"ETH","mode":"open"}',
  });
  assert.equal(refused.status, 503);
  const { error, leader } = await refused.json() as { error: string; leader: string };
  assert.deepEqual([error, leader], ['not_leader', one.url]);
  const seen = await fetch(`${two.url}/orders?wallet=${maker.wallet}&limit=100&min_seq=${maker.seq}`);
  assert.deepEqual([seen.status, seen.headers.get('x-strikebook-epoch')], [200, '1']);
  const { data: orders } = await seen.json() as { data: { order_id: number }[] };
  assert.deepEqual(orders.map((order) => order.order_id).sort((a, b) => a - b), answered, 'a follower shows what min_seq asks for');

  await one.kill();
  await leads(two);
  assert.equal((await clusterOf(two)).epoch, 2);
  const writer = await trader(two.url);
  const after = await writer.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low });
  assert.equal(after.status, 'ACKED');
  const kept = await (await fetch(`${two.url}/orders?wallet=${maker.wallet}&limit=100`)).json() as { data: { order_id: number }[] };
  assert.deepEqual(kept.data.map((order) => order.order_id).sort((a, b) => a - b), answered);

  const again = await nodes.start('one', dataOne);
  await again.ready();
  await until('it has caught up', async () => (
    (await fetch(`${again.url}/markets?include_instruments=false&min_seq=${writer.seq}`)).status === 200 ? true : null
  ));
  await until('it says whom it follows', async () => ((await clusterOf(again)).leader === 'two' ? true : null));
  assert.equal((await clusterOf(again)).role, 'follower');
  assert.equal((await two.stop()).code, 0);
  await leads(again);
  assert.equal((await clusterOf(again)).epoch, 3);
  assert.equal((await again.stop()).code, 0);
  const [chainOne, chainTwo] = [chainOf(dataOne), chainOf(dataTwo)];
  assert.deepEqual(chainOne.slice(0, chainTwo.length), chainTwo, 'one chain, in the same frames');
  assertSound(dataOne);
  assertSound(dataTwo);
});

test('a client of two nodes goes on when its leader is killed, by REST, by socket, and on its streams', {
  timeout: 180_000, skip: HAS_BROKERS ? false : 'nats-server is not installed',
}, async (t) => {
  const ends = lastFirst(t);
  const nodes = new Nodes(ends, await brokers(ends));
  const one = await nodes.first('one', temporaryFolder(ends));
  await leads(one);
  const two = await nodes.start('two', temporaryFolder(ends));
  await two.ready();
  // Listed in the wrong order: the client finds who leads.
  const urls = [two.url, one.url];
  const client = await connect(urls, { signer: privateKeySigner(createPrivateKey()) });
  const { symbol, low } = await until('a market is listed', () => option(client));
  const order = { symbol, side: 'Buy', size: '0.1', price: low } as const;
  const gaps: unknown[] = [];
  const socket = client.socket({ onGap: (gap) => gaps.push(gap) });
  ends.after(() => socket.close());
  const seen: number[] = [];
  await socket.subscribe('order_updates', { onMessage: (message) => void seen.push((message as { seq: number }).seq) });
  assert.equal((await client.placeOrder(order)).status, 'ACKED');
  assert.equal((await socket.placeOrder(order, { retries: 20 })).status, 'ACKED');
  await one.kill();
  assert.equal((await client.placeOrder(order, { retries: 20, timeoutMs: 2_000 })).status, 'ACKED');
  assert.equal((await socket.placeOrder(order, { retries: 20, timeoutMs: 2_000 })).status, 'ACKED');
  assert.equal(client.url, two.url);
  await until('the stream has them all', async () => (seen.length >= 4 ? true : null));
  assert.deepEqual(seen, seen.map((_, at) => seen[0]! + at), 'numbers without a hole or a repetition');
  assert.deepEqual(gaps, []);
  const { data: orders } = await client.get('/orders', { wallet: client.wallet!, limit: 10 });
  assert.equal(orders.length, 4);
});

test('a node with another key, a folder of another venue and a second log are refused by name', {
  timeout: 120_000, skip: HAS_BROKERS ? false : 'nats-server is not installed',
}, async (t) => {
  const ends = lastFirst(t);
  const servers = await brokers(ends);
  const nodes = new Nodes(ends, servers);
  const data = temporaryFolder(ends);
  const one = await nodes.first('one', data);
  await leads(one);
  const stranger = new Nodes(ends, servers);
  const { code, err } = await (await stranger.start('two', temporaryFolder(ends))).ended;
  assert.equal(code, 2);
  assert.match(err, /its first message cannot be read with this --cluster-key/);
  assert.equal((await one.stop()).code, 0);
  const twice = await (await nodes.start('one', data, ['--new-log'])).ended;
  assert.equal(twice.code, 2);
  assert.match(twice.err, /--new-log: this folder follows a log already/);
});
