// One round of orders over one socket at a steady rate: from when each was due to its durable answer.

import { signedOrders, type Setup } from './live-venue.ts';
import { clientFrame, SocketLoad } from './socket-load.ts';

export function framesOf(setup: Setup, count: number): Buffer[] {
  return signedOrders(setup, count).map((body) => clientFrame(`{"type":"PlaceOrder",${body.slice(1)}`));
}

export function cpuPercent(since: NodeJS.CpuUsage, seconds: number): string {
  const { user, system } = process.cpuUsage(since);
  return `client CPU ${((user + system) / seconds / 10_000).toFixed(0)} %`;
}

/** Latencies in ms, sorted; rejects when an order was not taken. `rate`: orders a second. */
export async function steady(setup: Setup, rate: number, seconds: number): Promise<{ latency: Float64Array; note: string }> {
  const load = await SocketLoad.open(setup.port, framesOf(setup, rate * seconds));
  const cpu = process.cpuUsage();
  const from = await load.pace(rate);
  const note = cpuPercent(cpu, seconds);
  load.close();
  if (load.rejected > 0) throw new Error(`${load.rejected} orders were not taken, the first: ${load.firstRejection}`);
  return { latency: load.answeredAt.map((at, i) => at - from - i * 1_000 / rate).sort(), note };
}
