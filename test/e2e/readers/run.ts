// The run of readers (evidence F16): many clients that trade with each other, listen and read at once, through a venue process with two
// api threads and durability full. Nobody may see anything but a prefix of what happened, in order and without gaps, nor a state older
// than an answer they have. Ends with the audit of the folder.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Http, signerFor } from '../../../scripts/client.ts';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { runAudit } from '../../support/audit.ts';
import { Random } from '../../sim/random.ts';
import { Client, type Shared } from './client.ts';

type ReadersOptions = {
  readonly folder: string; readonly clients: number; readonly seed: number;
  /** At least; a run goes on, for MORE_SECONDS at most, until all that is needed was seen. */
  readonly seconds: number;
  /** Requests a second of all clients together, at most. */
  readonly rate: number;
};
type ReadersReport = {
  /** How often what was done and seen. */
  readonly counts: ReadonlyMap<string, number>; readonly faults: readonly string[];
  readonly audit: { readonly isSound: boolean; readonly verdict: string };
};

/** What must have been seen, or a run proves nothing. */
export const NEEDED = [
  'PlaceOrder by socket ACKED', 'PlaceOrder by REST ACKED', 'CancelOrder by socket CANCELED', 'CancelOrder by REST CANCELED',
  'ReplaceOrder by socket ACKED', 'ReplaceOrder by REST ACKED', 'own write read', 'book read = fold of its changes', 'trade told alike',
  'stream taken up while it ran', 'connection lost and streams taken up', 'fill told', 'order update told', 'told again',
];
/** What each client counts by itself. */
const TOLD: Readonly<Record<string, (clients: readonly Client[]) => number>> = {
  'fill told': (clients) => clients.reduce((sum, { told }) => sum + told.fills, 0),
  'order update told': (clients) => clients.reduce((sum, { told }) => sum + told.updates, 0),
  'told again': (clients) => clients.reduce((sum, { told }) => sum + told.again, 0),
};
const TOKEN = 'a-token-of-the-run-of-readers';
const FLAGS = [
  '--feed', 'manual', '--workers', '2', '--rate-limits', 'off', '--admin-token', TOKEN, '--clock-start', '2026-01-05T12:00:00Z',
];
const STRIKES = ['98000', '100000', '102000'];
const MID = 2_000;
const MOST_FAULTS = 50;
const MORE_SECONDS = 90;

export async function readersRun({ folder, clients: many, seconds, seed, rate }: ReadersOptions): Promise<ReadersReport> {
  const data = join(folder, 'data');
  const counts = new Map<string, number>();
  const faults: string[] = [];
  const venue = await VenueProcess.start({ data, flags: FLAGS });
  try {
    await venue.ready();
    const http = new Http(venue.url, { connections: many });
    const shared: Shared = {
      url: venue.url, http, signer: await signerFor(http), symbols: await listed(http), mid: MID, trades: new Map(),
      fault: (text) => { if (faults.length < MOST_FAULTS) faults.push(text); },
      count: (what) => { counts.set(what, (counts.get(what) ?? 0) + 1); },
    };
    const clients = Array.from({ length: many }, (_, index) => new Client(shared, new Random(seed * 1_000 + index), index));
    await Promise.all(clients.map((client) => client.open()));
    const until = performance.now() + seconds * 1_000;
    const seen = (what: string): number => counts.get(what) ?? TOLD[what]?.(clients) ?? 0;
    const isOver = (): boolean => {
      const left = until - performance.now();
      return left < -1_000 * MORE_SECONDS || (left <= 0 && NEEDED.every((what) => seen(what) > 0));
    };
    await Promise.all(clients.map(async (client) => {
      for (; !isOver() && faults.length < MOST_FAULTS; await sleep(many * 1_000 / rate)) await client.act();
    }));
    await Promise.all(clients.map((client) => client.settle()));
    for (const [what, count] of Object.entries(TOLD)) counts.set(what, count(clients));
    http.close();
    const { code, err } = await venue.stop();
    if (code !== 0) faults.push(`the venue ended with ${code}: ${err}`);
  } finally {
    await venue.kill();
  }
  const { status, stdout, stderr } = runAudit(data);
  return { counts, faults, audit: { isSound: status === 0, verdict: stdout.trim() || stderr.trim() } };
}

/** Sets the index, and gives calls near the money. */
async function listed(http: Http): Promise<string[]> {
  for (const [underlying, price] of [['BTC', '100000'], ['ETH', '4000']]) {
    const { status, text } = await http.post('/admin/index-price', { underlying, price }, { authorization: `Bearer ${TOKEN}` });
    if (status !== 200) throw new Error(`index price: ${status} ${text}`);
  }
  for (let attempt = 0; attempt < 400; attempt++) {
    const names = ((await http.get('/instruments?currency=BTC')).body as { instrument_name: string }[]).map((one) => one.instrument_name);
    const wanted = STRIKES.map((strike) => names.find((name) => name.endsWith(`-${strike}-C`)));
    if (wanted.every((name) => name !== undefined)) return wanted;
    await sleep(25);
  }
  throw new Error('nothing was listed');
}
