// A venue of its own for end-to-end benches: one api thread, manual index, no rate limits or caps, and orders signed beforehand by several
// wallets. Client and venue share the machine.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWallet, Http, signerFor, type RequestSigner, type Wallet } from '../scripts/client.ts';
import { VenueProcess } from '../scripts/venue-process.ts';
import { requestBytes } from './http-load.ts';
import { clientFrame, SocketLoad } from './socket-load.ts';

export const WALLETS = 40;
const UNLIMITED = { orders: -1, cancels: -1, requests: -1, quotes: -1, openOrders: -1, positions: -1 };

export type Setup = {
  readonly http: Http; readonly port: number; readonly signer: RequestSigner; readonly wallets: Wallet[]; readonly symbols: string[];
  /** Of the venue's process. */
  readonly pid: number;
};

/** Gives the index prices, and waits until contracts are listed. */
export async function setUp(venue: VenueProcess, token: string): Promise<Setup> {
  const http = new Http(venue.url);
  const authorization = `Bearer ${token}`;
  for (const [underlying, price] of [['BTC', '100000'], ['ETH', '3500']]) {
    const answer = await http.post('/admin/index-price', { underlying, price }, { authorization });
    if (answer.status !== 200) throw new Error(`index price: ${answer.status} ${answer.text}`);
  }
  const symbols: string[] = [];
  for (let attempt = 0; symbols.length < 100 && attempt < 200; attempt++) {
    symbols.length = 0;
    const instruments = (await http.get('/instruments?currency=BTC')).body as { instrument_name: string; strike: number }[];
    symbols.push(...instruments.filter(({ strike }) => Math.abs(strike - 100_000) < 25_000).map((one) => one.instrument_name));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const wallets = Array.from({ length: WALLETS }, () => createWallet());
  return { http, port: Number(new URL(venue.url).port), signer: await signerFor(http), wallets, symbols, pid: venue.pid };
}

export function signedOrders({ signer, wallets, symbols }: Setup, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const isBuy = i % 2 === 0;
    const price = String((isBuy ? 300 : 310) + (i * 7) % 12);
    const terms = { symbol: symbols[(i * 31) % symbols.length]!, side: isBuy ? 'Buy' as const : 'Sell' as const, size: '0.01', price };
    return signer.placeOrder(wallets[i % wallets.length]!, terms).body!;
  });
}

export function orderRequests(setup: Setup, count: number): Buffer[] {
  return signedOrders(setup, count).map((body) => requestBytes('POST', '/order', body));
}

/** Of a venue without limits, which are in a file in `folder`. */
export function flagsOf(folder: string): readonly string[] {
  const limits = join(folder, 'limits.json');
  writeFileSync(limits, JSON.stringify({ default: UNLIMITED }));
  return ['--feed', 'manual', '--workers', '1', '--rate-limits', limits, '--max-position', '9000000000'];
}

/** Starts a venue with its data and limits in `folder`, which exists. The caller ends it. */
export async function openLiveVenue(
  folder: string, durability: 'full' | 'normal',
): Promise<{ venue: VenueProcess; setup: Setup }> {
  const data = join(folder, 'data');
  const venue = await VenueProcess.start({ data, flags: [...flagsOf(folder), '--durability', durability], isLoud: true });
  try {
    await venue.ready();
    return { venue, setup: await setUp(venue, readFileSync(join(data, 'admin-token'), 'utf8').trim()) };
  } catch (error) {
    await venue.kill();
    throw error;
  }
}

export async function withLiveVenue(
  durability: 'full' | 'normal', work: (setup: Setup) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-bench-'));
  try {
    const { venue, setup } = await openLiveVenue(folder, durability);
    try {
      await work(setup);
      setup.http.close();
    } finally {
      await venue.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function framesOf(setup: Setup, count: number): Buffer[] {
  return signedOrders(setup, count).map((body) => clientFrame(`{"type":"PlaceOrder",${body.slice(1)}`));
}

export function cpuPercent(since: NodeJS.CpuUsage, seconds: number): string {
  const { user, system } = process.cpuUsage(since);
  return `client CPU ${((user + system) / seconds / 10_000).toFixed(0)} %`;
}

/** A round of orders over one socket at a fixed rate, in orders a second. */
export function steady(setup: Setup, rate: number, seconds: number): Promise<{ latency: Float64Array; note: string }> {
  return steadyFrames(setup, framesOf(setup, rate * seconds), rate);
}

/**
 * One round of requests over one socket at a fixed rate, from when each was due to its durable reply. Latencies in ms, sorted;
 * rejects when a request was not taken. `rate`: requests a second. `accepted`: as for `SocketLoad.open`.
 */
export async function steadyFrames(
  { port }: Setup, frames: readonly Buffer[], rate: number, accepted?: Buffer,
): Promise<{ latency: Float64Array; note: string }> {
  const load = await SocketLoad.open(port, frames, accepted);
  const cpu = process.cpuUsage();
  const from = await load.pace(rate);
  const note = cpuPercent(cpu, frames.length / rate);
  load.close();
  if (load.rejected > 0) throw new Error(`${load.rejected} requests were not taken, the first: ${load.firstRejection.slice(0, 500)}`);
  return { latency: load.answeredAt.map((at, i) => at - from - i * 1_000 / rate).sort(), note };
}
