// Reads over REST on loopback, from a venue of its own with filled books: one api thread, durability full, manual index, no rate limits.
// /orderbook as fast as possible, cold (the first round) and warm (median of the next three). Then orders in an open loop, warm: alone;
// beside 1,500 /portfolio requests a second of an account with 100 positions in portfolio margin; and beside as many such requests as a
// few connections get.
// The client runs in this process and shares the machine with the venue, so its processor time is shown.

import { createWallet } from '../scripts/client.ts';
import { Connection, openLoop, requestBytes, type LoadResult } from './http-load.ts';
import { orderRequests, withLiveVenue, type Setup } from './live-venue.ts';
import { figure, heading, median, quantile, rounds } from './machine.ts';

const CONNECTIONS = 64;
const READERS = 4;
const FILLING = 4_000;
const BOOKS = 60_000;
const WARM_ROUNDS = 3;
const POSITIONS = 100;
const ORDERS_A_SECOND = 2_000;
const READS_A_SECOND = 1_500;
const SECONDS = 8;
/** No rate: the next request follows each response. */
const UNPACED = 1e9;

type Load = { readonly rate: number; readonly requests: readonly Buffer[]; readonly connections: number };

async function drive(setup: Setup, { rate, requests, connections }: Load): Promise<LoadResult> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(setup.port)));
  const result = await openLoop({ rate, requests, connections: open }, ({ status, body }) => {
    if (status !== 200) throw new Error(`${status} ${body.toString()}`);
  });
  for (const connection of open) connection.close();
  return result;
}

async function books(setup: Setup): Promise<void> {
  const requests = Array.from({ length: BOOKS }, (_, i) => (
    requestBytes('GET', `/orderbook?instrument_name=${setup.symbols[i % setup.symbols.length]!}`, '')
  ));
  const round = (): Promise<LoadResult> => drive(setup, { rate: UNPACED, requests, connections: CONNECTIONS });
  const rateOf = ({ done, seconds }: LoadResult): number => done / seconds;
  const note = ({ clientCpuPercent: cpu }: LoadResult): string => `${CONNECTIONS} connections, depth 20, client CPU ${cpu.toFixed(0)} %`;
  const cold = await round();
  figure('GET /orderbook, cold', rateOf(cold), 'requests/s', note(cold));
  const results = await rounds(WARM_ROUNDS, round);
  const warm = `median of ${WARM_ROUNDS} rounds, ${note(results.at(-1)!)}`;
  figure('GET /orderbook', median(results.map(rateOf)), 'requests/s', warm);
}

async function portfolio({ http, signer, symbols }: Setup): Promise<string> {
  const [holder, other] = [createWallet(), createWallet()];
  const send = async (request: Parameters<typeof http.send>[0]): Promise<void> => {
    const { status, text } = await http.send(request);
    if (status !== 200 || text.includes('REJECTED')) throw new Error(`${status} ${text}`);
  };
  await send(signer.setMarginMode(holder, 'portfolio'));
  for (const symbol of symbols.slice(0, POSITIONS)) {
    // A better price than that of other orders, so that these two meet.
    await send(signer.placeOrder(other, { symbol, side: 'Sell', size: '0.01', price: '305' }));
    await send(signer.placeOrder(holder, { symbol, side: 'Buy', size: '0.01', price: '305' }));
  }
  return holder.address;
}

async function readAlways(setup: Setup, read: Buffer, isOver: () => boolean): Promise<number> {
  const connections = await Promise.all(Array.from({ length: READERS }, () => Connection.open(setup.port)));
  let reads = 0;
  await Promise.all(connections.map(async (connection) => {
    for (; !isOver(); reads++) await connection.request(read);
  }));
  for (const connection of connections) connection.close();
  return reads;
}

async function portfolios(setup: Setup, wallet: string): Promise<void> {
  const read = requestBytes('GET', `/portfolio?wallet=${wallet}`, '');
  const ordersDriven = (): Promise<LoadResult> => (
    drive(setup, { rate: ORDERS_A_SECOND, connections: CONNECTIONS, requests: orderRequests(setup, ORDERS_A_SECOND * SECONDS) })
  );
  await ordersDriven();
  const alone = await ordersDriven();
  const paced = { rate: READS_A_SECOND, connections: READERS, requests: new Array<Buffer>(READS_A_SECOND * SECONDS).fill(read) };
  const [beside, readsPaced] = await Promise.all([ordersDriven(), drive(setup, paced)]);
  let isOver = false;
  const always = readAlways(setup, read, () => isOver);
  const flooded = await ordersDriven();
  isOver = true;
  const rate = await always / flooded.seconds;
  const p99 = ({ latencyMs }: LoadResult): number => quantile(latencyMs, 0.99);
  const accepted = ({ done, seconds }: LoadResult, what = 'orders/s'): string => `${Math.round(done / seconds)} ${what}`;
  figure('GET /portfolio beside orders', rate, 'requests/s', `${POSITIONS} positions, ${READERS} connections, `
    + `${accepted(flooded)} meanwhile, client CPU ${flooded.clientCpuPercent.toFixed(0)} %`);
  figure('orders without reads, one order, p99', p99(alone), 'ms', `${accepted(alone)}, from when it was due`);
  const both = `${accepted(beside)} beside ${accepted(readsPaced, 'reads/s')}`;
  figure('orders beside reads, one order, p99', p99(beside), 'ms', both);
  const flood = `${accepted(flooded)} beside as many reads as come`;
  figure('orders beside all reads that can be, one order, p99', p99(flooded), 'ms', flood);
}

heading(`reads over REST on loopback, 1 api thread, ${FILLING} orders first; client on the same machine`);
await withLiveVenue('full', async (setup) => {
  await drive(setup, { rate: UNPACED, requests: orderRequests(setup, FILLING), connections: CONNECTIONS });
  await books(setup);
  await portfolios(setup, await portfolio(setup));
});
