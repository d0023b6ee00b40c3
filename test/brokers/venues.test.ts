// Venues as processes at one log of three real brokers: a standby has every answered order, takes over within seconds after a kill and at
// once after a clean stop, refuses writes while it follows and names the leader, and all journals are one. Skipped without nats-server.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { VenueProcess } from '../../scripts/venue-process.ts';
import { askApi } from '../../shell/storage/replication/jetstream-stream.ts';
import { connect, createPrivateKey, privateKeySigner } from '../../client/src/main.ts';
import { option, trader } from '../client/venue.ts';
import { assertSound } from '../support/audit.ts';
import { chainOf, clusterOf, leads, reaches, TestCluster, TOKEN, until } from '../support/cluster.ts';
import { lastFirst, temporaryFolder } from '../support/temporary.ts';
import { MISSING } from './brokers.ts';

/** A write of the operator. */
const HALT = {
  method: 'POST', headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  body: '{"scope":"ETH","mode":"open"}',
};

async function haltOf({ url }: VenueProcess): Promise<{ status: number; body: { error: string; message: string } }> {
  const answer = await fetch(`${url}/admin/halt`, HALT);
  return { status: answer.status, body: await answer.json() as { error: string; message: string } };
}

const options = { timeout: 240_000, skip: MISSING };

test('a standby follows, takes over after a kill and after a stop, and no answered order is lost', options, async (t) => {
  const ends = lastFirst(t);
  const nodes = await TestCluster.start(ends);
  const [dataOne, dataTwo] = [temporaryFolder(ends), temporaryFolder(ends)];
  const one = await nodes.first('one', dataOne);
  const two = await nodes.node('two', dataTwo);
  await two.ready();

  const maker = await trader(one.url);
  const { symbol, low } = await until('a market is listed', () => option(maker));
  const answered: number[] = [];
  for (let nth = 0; nth < 30; nth++) answered.push((await maker.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low })).order_id!);
  const refused = await fetch(`${two.url}/admin/halt`, HALT);
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

  const again = await nodes.node('one', dataOne);
  await again.ready();
  await reaches(again, writer.seq);
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

test('a client of two nodes goes on when its leader is killed, by REST, by socket, and on its streams', options, async (t) => {
  const ends = lastFirst(t);
  const nodes = await TestCluster.start(ends);
  const one = await nodes.first('one', temporaryFolder(ends));
  const two = await nodes.node('two', temporaryFolder(ends));
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
  const before = client.seq;
  assert.equal((await socket.placeOrder(order, { retries: 20 })).status, 'ACKED');
  assert.ok(client.seq > before, 'an answer by socket says its command too');
  const halt = await fetch(`${one.url}/admin/halt`, HALT);
  const written = Number(halt.headers.get('x-strikebook-seq'));
  assert.deepEqual([halt.status, written > client.seq], [200, true], 'and an operator\'s');
  await reaches(two, written);
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

test('with --reads log a leader answers reads through the log, many at once too, and says when it cannot', options, async (t) => {
  const ends = lastFirst(t);
  const nodes = await TestCluster.start(ends);
  const one = await nodes.first('one', temporaryFolder(ends), ['--reads', 'log']);
  const client = await trader(one.url);
  const { symbol, low } = await until('a market is listed', () => option(client));
  for (let count = 1; count <= 20; count++) {
    await client.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low });
    const { data } = await client.get('/orders', { wallet: client.wallet!, limit: 100 });
    assert.equal(data.length, count);
  }
  const path = `${one.url}/orders?wallet=${client.wallet}&limit=100`;
  const all = await Promise.all(Array.from({ length: 50 }, async () => (await fetch(path)).status));
  assert.deepEqual(new Set(all), new Set([200]));
  await Promise.all(['a', 'b'].map((name) => nodes.brokers.kill(name)));
  const refused = await fetch(path);
  assert.deepEqual([refused.status, (await refused.json() as { error: string }).error], [503, 'no_quorum']);
  nodes.brokers.restart('a');
  await until('the log answers again', async () => ((await fetch(path)).status === 200 ? true : null));
});

test('a log that is full is told apart, nobody takes over, and it goes on when its operator gives it room', options, async (t) => {
  const ends = lastFirst(t);
  const nodes = await TestCluster.start(ends);
  const one = await nodes.first('one', temporaryFolder(ends));
  const two = await nodes.node('two', temporaryFolder(ends));
  await two.ready();
  const operator = await nodes.brokers.connect('operator');
  const [stream] = (await askApi(operator, 'STREAM.NAMES'))['streams'] as string[];
  const { config, state } = await askApi(operator, `STREAM.INFO.${stream}`) as { config: object; state: { bytes: number } };
  await askApi(operator, `STREAM.UPDATE.${stream}`, { ...config, max_bytes: state.bytes + 2_000 });
  const full = await until('the log is full', async () => {
    const { status, body } = await haltOf(one);
    return status === 503 && body.error === 'log_full' ? body : null;
  });
  assert.match(full.message, /no room/);
  assert.equal((await fetch(`${one.url}/ready?role=leader`)).status, 503);
  await sleep(12_000);
  assert.deepEqual([(await clusterOf(two)).leader, (await clusterOf(two)).epoch], ['one', 1]);
  await askApi(operator, `STREAM.UPDATE.${stream}`, config);
  await leads(one);
  assert.equal((await haltOf(one)).status, 200);
  assert.equal((await clusterOf(two)).epoch, 1);
});

test('a node with another key, a folder of another venue and a second log are refused by name', options, async (t) => {
  const ends = lastFirst(t);
  const nodes = await TestCluster.start(ends);
  const data = temporaryFolder(ends);
  const one = await nodes.first('one', data);
  const otherKey = join(nodes.folder, 'other-key');
  writeFileSync(otherKey, randomBytes(32).toString('hex'), { mode: 0o600 });
  const { code, err } = await (await nodes.node('two', temporaryFolder(ends), ['--cluster-key', otherKey])).ended;
  assert.equal(code, 2);
  assert.match(err, /its first message cannot be read with this --cluster-key/);
  assert.equal((await one.stop()).code, 0);
  const twice = await (await nodes.node('one', data, ['--new-log'])).ended;
  assert.equal(twice.code, 2);
  assert.match(twice.err, /--new-log: this folder follows a log already/);
});
