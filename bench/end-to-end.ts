// End to end over REST on loopback: a venue of its own (one api thread, durability full, manual index, no rate limits or caps) and orders
// signed beforehand by several wallets. Closed loop with one client: the time of one order. Then, after twenty seconds of warm-up, open
// loop: latency at 2,500 orders/s from the time each request was due, the highest rate accepted, and the latency at half of that rate.
// Three rounds of each; the median and the worst are shown.
// The client runs in this process and shares the machine with the venue, so its CPU time is shown.
// Usage: node bench/end-to-end.ts [orders of the open loop]

import { Connection, openLoop, type Answer, type LoadResult } from './http-load.ts';
import { orderRequests, WALLETS, withLiveVenue, type Setup } from './live-venue.ts';
import { figure, heading, median, rounds, spread, spreadOfRounds } from './machine.ts';

const CONNECTIONS = 64;
/** Orders a second in the open loop at a fixed rate. */
const STEADY = 2_500;
const CLOSED = 2_000;
const WARM_UP = 200;
/** Warm-up orders before the open loops. */
const WARM_UP_OPEN = 50_000;
const ROUNDS = 3;
const ROUND_SECONDS = 10;

async function closedLoop(setup: Setup): Promise<void> {
  const connection = await Connection.open(setup.port);
  const orders = orderRequests(setup, CLOSED + WARM_UP);
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
  const requests = orderRequests(setup, count);
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(setup.port)));
  let acked = 0;
  const result = await openLoop({ rate, requests, connections }, (answer) => { if (isAcked(answer)) acked++; });
  for (const connection of connections) connection.close();
  return { ...result, acked };
}

function noteOf({ done, seconds, clientCpuPercent, acked, statuses }: LoadResult & { acked: number }): string {
  const answers = [...statuses].map(([status, n]) => `${status}: ${n}`).join(', ');
  return `${done} in ${seconds.toFixed(1)} s, ACKED ${acked}, status ${answers}, client CPU ${clientCpuPercent.toFixed(0)} %`;
}

async function peak(setup: Setup, count: number): Promise<number> {
  const results = await rounds(ROUNDS, () => run(setup, 1e9, count));
  const rate = median(results.map(({ done, seconds }) => done / seconds));
  figure('peak', rate, 'orders/s', `median of ${ROUNDS} rounds, the last: ${noteOf(results.at(-1)!)}`);
  return rate;
}

async function openAt(setup: Setup, rate: number, title: string): Promise<void> {
  const results = await rounds(ROUNDS, () => run(setup, rate, rate * ROUND_SECONDS));
  const latencies = results.map(({ latencyMs }) => latencyMs);
  spreadOfRounds(`${title}, one order`, latencies, `from when it was due, the last: ${noteOf(results.at(-1)!)}`);
}

async function runEndToEnd(count: number): Promise<void> {
  heading(`REST on loopback, 1 api thread, durability full, ${CONNECTIONS} connections, ${WALLETS} wallets, orders signed beforehand; `
    + 'client on the same machine');
  await withLiveVenue('full', async (setup) => {
    await closedLoop(setup);
    await run(setup, STEADY, WARM_UP_OPEN);
    await openAt(setup, STEADY, '2,500 orders/s');
    await openAt(setup, Math.round(await peak(setup, count) / 2), 'half of the peak');
  });
}

await runEndToEnd(Number(process.argv[2] ?? 20_000));
