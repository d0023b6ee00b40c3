// A client of the library in a process of its own: trades by REST and by socket, reads what it has placed and listens, all without a pause,
// until it is asked for its report. Usage: node rolling-client.ts ADDRESS... ; the parent sends `report` and gets a Report.

import { connect, createPrivateKey, privateKeySigner, type Strikebook, type VenueSocket } from '../../client/src/main.ts';
import { option } from '../client/venue.ts';

export type Report = {
  readonly symbol: string;
  /** Calls that were answered, of all loops. */
  readonly calls: number;
  readonly longestMs: number;
  /** What a caller of the library saw go wrong. */
  readonly faults: readonly string[];
  readonly placed: readonly number[];
  /** Orders that the stream said are open. */
  readonly opened: readonly number[];
};

const EVERY_MS = 20;
/** Some twenty seconds. */
const RETRIES = 20;

const faults: string[] = [];
const placed: number[] = [];
const opened: number[] = [];
let calls = 0;
let longestMs = 0;
let isOver = false;

async function timed<T>(call: Promise<T>): Promise<T> {
  const from = performance.now();
  const answer = await call;
  longestMs = Math.max(longestMs, performance.now() - from);
  calls++;
  return answer;
}

async function trade(by: Strikebook | VenueSocket, order: Parameters<Strikebook['placeOrder']>[0], seen: (id: number) => Promise<void>) {
  while (!isOver) {
    const { status, order_id: id } = await timed(by.placeOrder(order, { retries: RETRIES }));
    if (status !== 'ACKED') throw new Error(`an order is ${status}`);
    placed.push(id!);
    await seen(id!);
    await timed(by.cancelOrder(id!, { retries: RETRIES }));
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

const urls = process.argv.slice(2);
const client = await connect(urls.length === 1 ? urls[0]! : urls, { signer: privateKeySigner(createPrivateKey()), retries: RETRIES });
const { symbol, low } = await option(client);
const order = { symbol, side: 'Buy', size: '0.1', price: low } as const;
const socket = client.socket({
  onGap: (gap) => faults.push(`gap ${JSON.stringify(gap)}`), onError: (error) => faults.push(`socket: ${String(error)}`),
});
await socket.subscribe('order_updates', {
  onMessage: ({ status, order_id: id }) => { if (status === 'OPEN') opened.push(id!); },
});
const loops = [
  trade(client, order, async (id) => {
    const { data } = await timed(client.get('/orders', { wallet: client.wallet!, limit: 10 }));
    if (!data.some((one) => one.order_id === id)) faults.push(`order ${id} was placed and is not read`);
  }),
  trade(socket, order, async () => undefined),
];
for (const loop of loops) loop.catch((error: unknown) => faults.push(`a call failed: ${String(error)}`));

process.on('message', (message: 'report' | 'stop') => {
  const report = (): void => void process.send!({ symbol, calls, longestMs, faults, placed, opened } satisfies Report);
  if (message === 'report') return report();
  isOver = true;
  // The stream may be a little behind.
  void Promise.allSettled(loops).then(() => setTimeout(report, 1_000));
});
process.on('disconnect', () => process.exit());
process.send!('ready');
