// Brokers that come back with an older store have lost the end of the log: each node refuses to start by name, until its operator
// appends it again from the journal of one. Skipped without nats-server.

import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { option, trader } from '../client/venue.ts';
import { assertSound } from '../support/audit.ts';
import { chainOf, leads, reaches, TestCluster, until } from '../support/cluster.ts';
import { lastFirst, temporaryFolder } from '../support/temporary.ts';
import { BROKERS, MISSING } from './brokers.ts';

const options = { timeout: 240_000, skip: MISSING };

test('what brokers lost is appended again from a journal, and no answered order is missing', options, async (t) => {
  const ends = lastFirst(t);
  const cluster = await TestCluster.start(ends);
  const { brokers } = cluster;
  const [data, other] = [temporaryFolder(ends), temporaryFolder(ends)];
  const first = await cluster.first('one', data);
  assert.equal((await first.stop()).code, 0);
  const copies = temporaryFolder(ends);
  await Promise.all(BROKERS.map((name) => brokers.kill(name)));
  for (const name of BROKERS) {
    brokers.copy(name, join(copies, name));
    brokers.restart(name);
  }
  const one = await cluster.node('one', data);
  await one.ready();
  await leads(one);
  const two = await cluster.node('two', other);
  await two.ready();
  const client = await trader(one.url);
  const { symbol, low } = await until('a market is listed', () => option(client));
  const order = { symbol, side: 'Buy', size: '0.1', price: low } as const;
  const answered: number[] = [];
  for (let nth = 0; nth < 5; nth++) answered.push((await client.placeOrder(order)).order_id!);
  await reaches(two, client.seq);
  // The file follows the journal. A node that was killed in between starts and says that its journal goes beyond the log.
  await until('the file of the log names the newest order', async () => {
    const { point } = JSON.parse(readFileSync(join(other, 'journal/log.json'), 'utf8')) as { point: { seq: number } | null };
    return point !== null && point.seq >= client.seq ? true : null;
  });
  await Promise.all([one.kill(), two.kill()]);
  await Promise.all(BROKERS.map((name) => brokers.kill(name)));
  for (const name of BROKERS) {
    brokers.restore(name, join(copies, name));
    brokers.restart(name);
  }
  const refused = await (await cluster.node('two', other)).ended;
  assert.equal(refused.code, 2);
  assert.match(refused.err, /log_lost: the log ends at position \d+, (this|another) node has accepted position \d+/);

  const again = await cluster.node('one', data, ['--append-lost']);
  await again.ready();
  await leads(again);
  assert.match(again.err, /the log has everything up to seq \d+ of this journal/);
  rmSync(join(other, 'journal/log.json'));
  const follower = await cluster.node('two', other);
  await follower.ready();
  for (const node of [again, follower]) {
    await reaches(node, client.seq);
    const { data: orders } = await (await fetch(`${node.url}/orders?wallet=${client.wallet}&limit=100`)).json() as {
      data: { order_id: number }[];
    };
    assert.deepEqual(orders.map((each) => each.order_id).sort((a, b) => a - b), answered);
  }
  assert.equal((await follower.stop()).code, 0);
  assert.equal((await again.stop()).code, 0);
  const [chain, followed] = [chainOf(data), chainOf(other)];
  assert.deepEqual(chain.slice(0, followed.length), followed, 'one chain, in the same frames');
  for (const folder of [data, other]) assertSound(folder);
});
