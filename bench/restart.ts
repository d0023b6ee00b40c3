// Time from the start of a process to `ready` on a folder left by kill -9, by the length of the journal after its snapshot (evidence F13).
// The folder is that of a venue that has taken many orders over a socket. The first figure uses its newest snapshot, the second the one
// before it, and the third replays everything. Each start uses a copy of the folder, because a start writes.
//   node bench/restart.ts [orders]

import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Http } from '../scripts/client.ts';
import { VenueProcess } from '../scripts/venue-process.ts';
import { openLiveVenue, signedOrders, WALLETS } from './live-venue.ts';
import { figure, heading, median } from './machine.ts';
import { clientFrame, SocketLoad } from './socket-load.ts';

const ORDERS = Number(process.argv[2] ?? 250_000);
const STARTS = 3;
const IN_FLIGHT = 20 * WALLETS;
/** Orders sent at a time: fewer than the venue reads from one source in a second. */
const BATCH = 10_000;
const SNAPSHOT = /^snapshot-(\d+)\.bin$/;

async function valueOf(http: Http, metric: string): Promise<number> {
  const { text } = await http.get('/metrics');
  return Number(new RegExp(`^${metric} (\\S+)$`, 'm').exec(text)![1]);
}

async function fill(folder: string): Promise<number> {
  const { venue, setup } = await openLiveVenue(folder, 'normal');
  for (let made = 0; made < ORDERS; made += BATCH) {
    const bodies = signedOrders(setup, Math.min(BATCH, ORDERS - made));
    const load = await SocketLoad.open(setup.port, bodies.map((body) => clientFrame(`{"type":"PlaceOrder",${body.slice(1)}`)));
    await load.flood(IN_FLIGHT);
    load.close();
    if (load.rejected > 0) throw new Error(`${load.rejected} orders were not taken, the first: ${load.firstRejection}`);
  }
  while (await valueOf(setup.http, 'strikebook_history_lag_commands') > 0) await sleep(100);
  const seq = await valueOf(setup.http, 'strikebook_seq');
  setup.http.close();
  await venue.kill();
  return seq;
}

async function start(folder: string, without: readonly string[]): Promise<number> {
  const data = join(folder, 'copy');
  cpSync(join(folder, 'data'), data, { recursive: true });
  for (const name of without) rmSync(join(data, 'snapshots', name));
  const before = performance.now();
  const venue = await VenueProcess.start({ data, flags: ['--feed', 'manual', '--workers', '1'], isLoud: true });
  await venue.ready(600_000);
  const seconds = (performance.now() - before) / 1_000;
  await venue.kill();
  rmSync(data, { recursive: true });
  return seconds;
}

async function run(folder: string): Promise<void> {
  const seq = await fill(folder);
  const kept = join(folder, 'data', 'snapshots');
  const snapshots = existsSync(kept) ? readdirSync(kept).filter((name) => SNAPSHOT.test(name)) : [];
  const newestFirst = snapshots.map((name) => ({ name, seq: Number(SNAPSHOT.exec(name)![1]) })).sort((a, b) => b.seq - a.seq);
  heading(`a start on the folder of ${ORDERS} orders over a socket, ended by kill -9; files in the page cache`);
  for (let left = 0; left <= newestFirst.length; left++) {
    const from = newestFirst[left];
    const without = newestFirst.slice(0, left).map(({ name }) => name);
    const times: number[] = [];
    for (let i = 0; i < STARTS; i++) times.push(await start(folder, without));
    const mib = from === undefined ? 0 : statSync(join(kept, from.name)).size / 1_048_576;
    const name = from === undefined ? 'no snapshot' : left === 0 ? 'from the newest snapshot' : 'from the one before it';
    const tail = (seq - (from?.seq ?? 0)).toLocaleString('en-US');
    figure(name, median(times), 's', `${tail} commands behind it, snapshot ${mib.toFixed(0)} MiB, median of ${STARTS} starts`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'strikebook-bench-'));
try {
  await run(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
