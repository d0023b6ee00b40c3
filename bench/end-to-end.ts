// End to end over REST on loopback: a venue of its own (one api thread, durability full, manual index, no rate limits, caps
// lifted), orders signed beforehand by several wallets. Closed loop with one client: what one order takes. Open loop:
// how many are accepted a second, and the latency at half of that, counted from when each request was due.
// The client runs in this process; its CPU is shown, since it shares the machine with the venue.
// Usage: node bench/end-to-end.ts [orders of the open loop]

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWallet, Http, signerFor, type RequestSigner, type Wallet } from '../scripts/client.ts';
import { VenueProcess } from '../scripts/venue-process.ts';
import { Connection, openLoop, requestBytes, type Answer, type LoadResult } from './http-load.ts';
import { figure, heading, spread } from './machine.ts';

const WALLETS = 40;
const CONNECTIONS = 64;
/** Orders a second of the steady open loop. */
const STEADY = 2_500;
const CLOSED = 2_000;
const WARM_UP = 200;
const UNLIMITED = { orders: -1, cancels: -1, requests: -1, openOrders: -1, positions: -1 };

type Setup = {
  readonly http: Http; readonly port: number; readonly signer: RequestSigner; readonly wallets: Wallet[]; readonly symbols: string[];
};

async function setUp(venue: VenueProcess, folder: string): Promise<Setup> {
  await venue.ready();
  const http = new Http(venue.url);
  const authorization = `Bearer ${readFileSync(join(folder, 'data', 'admin-token'), 'utf8').trim()}`;
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
  return { http, port: Number(new URL(venue.url).port), signer: await signerFor(http), wallets, symbols };
}

/** Orders that mostly rest and sometimes cross: prices on few levels, both sides, small sizes. */
function signedOrders({ signer, wallets, symbols }: Setup, count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => {
    const isBuy = i % 2 === 0;
    const price = String((isBuy ? 300 : 310) + (i * 7) % 12);
    const terms = { symbol: symbols[(i * 31) % symbols.length]!, side: isBuy ? 'Buy' as const : 'Sell' as const, size: '0.01', price };
    return requestBytes('POST', '/order', signer.placeOrder(wallets[i % wallets.length]!, terms).body!);
  });
}

async function closedLoop(setup: Setup): Promise<void> {
  const connection = await Connection.open(setup.port);
  const orders = signedOrders(setup, CLOSED + WARM_UP);
  const latency = new Float64Array(CLOSED);
  let rejected = 0;
  for (let i = 0; i < orders.length; i++) {
    const start = performance.now();
    const answer = await connection.request(orders[i]!);
    if (i >= WARM_UP) latency[i - WARM_UP] = performance.now() - start;
    if (!isAcked(answer)) rejected++;
  }
  connection.close();
  if (rejected > 0) throw new Error(`${rejected} orders of the closed loop were not taken`);
  const seconds = latency.reduce((sum, ms) => sum + ms, 0) / 1_000;
  figure('closed loop', CLOSED / seconds, 'orders/s', `1 client, ${CLOSED} orders after ${WARM_UP} to warm up`);
  spread('closed loop, one order', latency.sort(), 'ms');
}

function isAcked(answer: Answer): boolean {
  return answer.status === 200 && answer.body.includes('"ACKED"');
}

async function run(setup: Setup, rate: number, count: number): Promise<LoadResult & { acked: number }> {
  const requests = signedOrders(setup, count);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(setup.port)));
  let acked = 0;
  const result = await openLoop({ rate, requests, connections }, (answer) => { if (isAcked(answer)) acked++; });
  for (const connection of connections) connection.close();
  return { ...result, acked };
}

function report(title: string, { done, seconds, clientCpuPercent, acked, statuses }: LoadResult & { acked: number }): void {
  const answers = [...statuses].map(([status, n]) => `${status}: ${n}`).join(', ');
  const note = `${done} in ${seconds.toFixed(1)} s, ACKED ${acked}, status ${answers}, client CPU ${clientCpuPercent.toFixed(0)} %`;
  figure(title, done / seconds, 'orders/s', note);
}

/** Ten seconds of open loop at one rate. */
async function openAt(setup: Setup, rate: number, title: string): Promise<void> {
  const result = await run(setup, rate, rate * 10);
  report(title, result);
  spread(`${title}, one order`, result.latencyMs, 'ms', 'from when it was due');
}

async function runEndToEnd(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-bench-'));
  const limits = join(folder, 'limits.json');
  writeFileSync(limits, JSON.stringify({ default: UNLIMITED }));
  const flags = ['--feed', 'manual', '--workers', '1', '--rate-limits', limits, '--max-position', '9000000000'];
  const venue = await VenueProcess.start({ data: join(folder, 'data'), flags, isLoud: true });
  try {
    heading(`REST on loopback, 1 api thread, durability full, ${CONNECTIONS} connections, ${WALLETS} wallets, orders signed beforehand; `
      + 'client on the same machine');
    const setup = await setUp(venue, folder);
    await closedLoop(setup);
    await run(setup, 1_000, 2_000);
    const peak = await run(setup, 1e9, count);
    report('peak', peak);
    await openAt(setup, STEADY, '2,500 orders/s');
    await openAt(setup, Math.round(peak.done / peak.seconds / 2), 'half of the peak');
    setup.http.close();
  } finally {
    await venue.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await runEndToEnd(Number(process.argv[2] ?? 20_000));
