// An existing venue is seeded into a new log; other nodes join from a copy of the running one; a folder that went on alone is told apart.
// Skipped without nats-server.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { VenueProcess } from '../../scripts/venue-process.ts';
import { askApi } from '../../shell/storage/replication/jetstream-stream.ts';
import { readResume } from '../../shell/storage/replication/resume-file.ts';
import { option, trader } from '../client/venue.ts';
import { assertSound } from '../support/audit.ts';
import { chainOf, leads, reaches, TestCluster, TOKEN, until } from '../support/cluster.ts';
import { lastFirst, temporaryFolder, type Ends } from '../support/temporary.ts';
import { MISSING } from './brokers.ts';

const options = { timeout: 240_000, skip: MISSING };

/** `npm run backup`; the new folder. */
async function copyOf(ends: Ends, venue: VenueProcess): Promise<string> {
  const folder = temporaryFolder(ends);
  const token = join(folder, 'token');
  writeFileSync(token, TOKEN, { mode: 0o600 });
  const to = join(folder, 'copy');
  const args = ['--disable-warning=ExperimentalWarning', 'scripts/backup.ts', '--to', to, '--token', token, '--url', venue.url];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit') as [number];
  assert.equal(code, 0);
  return to;
}

async function order({ url }: VenueProcess): Promise<{ wallet: string; seq: number }> {
  const client = await trader(url);
  const { symbol, low } = await until('a market is listed', () => option(client));
  assert.equal((await client.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low })).status, 'ACKED');
  return { wallet: client.wallet!, seq: client.seq };
}

async function hasOrder(venue: VenueProcess, { wallet, seq }: { wallet: string; seq: number }): Promise<void> {
  await reaches(venue, seq);
  const { data } = await (await fetch(`${venue.url}/orders?wallet=${wallet}`)).json() as { data: object[] };
  assert.equal(data.length, 1);
}

test('a venue of one process is seeded into a log, and nodes join from copies of it', options, async (t) => {
  const ends = lastFirst(t);
  const cluster = await TestCluster.start(ends);
  const data = temporaryFolder(ends);
  const alone = await VenueProcess.start({ data, flags: ['--feed', 'sim', '--workers', '1', '--rate-limits', 'off'] });
  ends.after(() => alone.kill());
  await alone.ready();
  const before = await order(alone);
  assert.equal((await alone.stop()).code, 0);

  const one = await cluster.first('one', data);
  await hasOrder(one, before);
  const empty = await (await cluster.node('two', temporaryFolder(ends))).ended;
  assert.match(empty.err, /log_missing: it begins at seq \d+: start from a copy of the venue up to there/);
  assert.equal(empty.code, 2);

  const since = await order(one);
  const copy = await copyOf(ends, one);
  const point = readResume(copy)?.point;
  assert.ok(point !== undefined && point !== null && point.position > 1, 'the copy knows where the log goes on');
  const late = await order(one);
  const two = await cluster.node('two', copy);
  await two.ready();
  // A third starts from the same copy without that file, so it reads the log from its first message.
  const third = join(temporaryFolder(ends), 'third');
  cpSync(await copyOf(ends, one), third, { recursive: true });
  rmSync(join(third, 'journal/log.json'));
  const three = await cluster.node('three', third, ['--role', 'replica']);
  await three.ready();
  for (const node of [two, three]) for (const each of [before, since, late]) await hasOrder(node, each);

  await one.kill();
  await leads(two);
  const last = await order(two);
  for (const node of [two, three]) await hasOrder(node, last);
  assert.equal((await three.stop()).code, 0);
  assert.equal((await two.stop()).code, 0);
  const [first, second, thirdChain] = [chainOf(data), chainOf(copy), chainOf(third)];
  assert.deepEqual(second.slice(0, first.length), first, 'one chain, in the same frames');
  assert.deepEqual(second.slice(0, thirdChain.length), thirdChain);
  for (const each of [data, copy, third]) assertSound(each);
});

test('a log whose old messages leave it: nodes go on, copies join, and who is too old is refused by name', options, async (t) => {
  const ends = lastFirst(t);
  const cluster = await TestCluster.start(ends);
  const data = temporaryFolder(ends);
  const one = await cluster.first('one', data, ['--log-hours', '72']);
  const early = await order(one);
  await until('the point is saved', async () => readResume(data)?.point ?? null);
  const old = await copyOf(ends, one);
  await order(one);
  assert.equal((await one.stop()).code, 0);
  const operator = await cluster.brokers.connect('operator');
  const [stream] = (await askApi(operator, 'STREAM.NAMES'))['streams'] as string[];
  const { config } = await askApi(operator, `STREAM.INFO.${stream}`) as { config: { max_age: number } };
  assert.equal(config.max_age, 72 * 3_600e9);
  // All messages are older than a second.
  await askApi(operator, `STREAM.UPDATE.${stream}`, { ...config, max_age: 1e9, duplicate_window: 1e9 });
  await until('the log is empty', async () => {
    const { state } = await askApi(operator, `STREAM.INFO.${stream}`) as { state: { messages: number } };
    return state.messages === 0 ? true : null;
  });
  await askApi(operator, `STREAM.UPDATE.${stream}`, config);

  const again = await cluster.node('one', data);
  await again.ready();
  await leads(again);
  await hasOrder(again, early);
  const late = await order(again);
  const tooOld = await (await cluster.node('two', old)).ended;
  assert.match(tooOld.err, /log_gap: it begins at position \d+, this folder follows it up to position \d+: start from a newer copy/);
  const empty = await (await cluster.node('two', temporaryFolder(ends))).ended;
  assert.match(empty.err, /log_gap: it begins at position \d+: start from a copy of a running node/);
  const two = await cluster.node('two', await copyOf(ends, again));
  await two.ready();
  for (const each of [early, late]) await hasOrder(two, each);
  await again.kill();
  await leads(two);
  await order(two);
});

test('a folder that went on alone is refused at its start, and halts by name if it joins all the same', options, async (t) => {
  const ends = lastFirst(t);
  const cluster = await TestCluster.start(ends);
  const one = await cluster.first('one', temporaryFolder(ends));
  await order(one);
  const copy = await copyOf(ends, one);
  const flags = ['--feed', 'sim', '--workers', '1', '--rate-limits', 'off'];
  const refused = await (await VenueProcess.start({ data: copy, flags })).ended;
  assert.match(refused.err, /is of a node of a cluster: start with --replicate, or remove journal\/log\.json/);
  assert.equal(refused.code, 2);

  rmSync(join(copy, 'journal/log.json'));
  const alone = await VenueProcess.start({ data: copy, flags });
  ends.after(() => alone.kill());
  await alone.ready();
  await order(alone);
  await alone.stop();
  const kept = await order(one);
  const { err } = await (await cluster.node('two', copy)).ended;
  assert.match(err, /this node must start again: log_diverged: this journal does not hold seq \d+ to \d+ as the log does/);
  await hasOrder(one, kept);
});
