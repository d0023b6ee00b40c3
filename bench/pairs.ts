// Compares the order latency of this tree with that of another. Other load on the machine changes a figure by a third within seconds, so
// two runs one after the other are not comparable. A venue of each tree runs, and they take short rounds in turns: 1,000 orders/s over one
// socket.   npm run bench -- pairs OTHER [full|normal] [pairs]
// OTHER is the folder of another checkout, installed. The result is the difference within pairs; below some fifty pairs it is not exact to
// 20 us. Of two equal trees the first uses 3 % more processor time: to compare that, swap the trees.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openLiveVenue, steady } from './live-venue.ts';
import { cpuSeconds, figure, heading, median, pinToLastCore, quantile } from './machine.ts';

const RATE = 1_000;
const WARM_UP_SECONDS = 12;
const ROUND_SECONDS = 0.4;
const TREES = ['this', 'other'] as const;
type Tree = (typeof TREES)[number];
type Venue = Awaited<ReturnType<typeof openLiveVenue>>;

/** p50 of each round, ms; processor time of the venue in all rounds, seconds. */
type Rounds = { readonly p50: number[]; cpu: number };

async function take({ venue, setup }: Venue, rounds: Rounds): Promise<void> {
  const before = cpuSeconds(venue.pid);
  const { latency } = await steady(setup, RATE, ROUND_SECONDS);
  rounds.cpu += cpuSeconds(venue.pid) - before;
  rounds.p50.push(quantile(latency, 0.5));
}

function show(rounds: Readonly<Record<Tree, Rounds>>): void {
  const orders = rounds.this.p50.length * RATE * ROUND_SECONDS;
  for (const tree of TREES) {
    figure(`${tree} tree, one order, p50`, median(rounds[tree].p50), 'ms', 'median of the rounds');
    figure(`${tree} tree, processor an order`, rounds[tree].cpu / orders * 1e6, 'us', 'of all threads of the venue');
  }
  const differences = rounds.this.p50.map((p50, i) => (p50 - rounds.other.p50[i]!) * 1_000).sort((a, b) => a - b);
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(differences, share));
  const note = `median of ${differences.length} pairs, half of them ${low!.toFixed(0)} to ${high!.toFixed(0)}`;
  figure('this tree less the other, p50', middle!, 'us', note);
}

async function run(other: string, durability: 'full' | 'normal', pairs: number): Promise<void> {
  const theirs = await import(pathToFileURL(join(resolve(other), 'bench/live-venue.ts')).href) as { openLiveVenue: typeof openLiveVenue };
  const folders = TREES.map(() => mkdtempSync(join(tmpdir(), 'strikebook-bench-')));
  const venues: Venue[] = [];
  try {
    venues.push(await openLiveVenue(folders[0]!, durability), await theirs.openLiveVenue(folders[1]!, durability));
    heading(`two venues at once, ${durability}, ${RATE} orders/s in rounds of ${ROUND_SECONDS} s; client ${pinToLastCore()}`);
    for (const { setup } of venues) await steady(setup, RATE, WARM_UP_SECONDS);
    const rounds = { this: { p50: [], cpu: 0 }, other: { p50: [], cpu: 0 } };
    for (let pair = 0; pair < pairs; pair++) {
      const order = pair % 2 === 0 ? [0, 1] : [1, 0];
      for (const at of order) await take(venues[at]!, rounds[TREES[at]!]);
    }
    show(rounds);
  } finally {
    for (const { venue, setup } of venues) {
      setup.http.close();
      await venue.stop();
    }
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

const [other, durability = 'normal', pairs = '100'] = process.argv.slice(2);
if (other === undefined || (durability !== 'full' && durability !== 'normal') || !(Number(pairs) >= 1)) {
  console.error('pairs: npm run bench -- pairs OTHER [full|normal] [pairs]');
  process.exitCode = 2;
} else {
  await run(other, durability, Number(pairs));
}
