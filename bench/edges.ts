// The same routes, order handlers and venue behind two edges, uWebSockets.js and node:http with `ws` (node-edge.ts), in turns within one
// run: orders a second over one socket and over REST on 64 connections, and reads of books on as many. The curve is taken out of the
// signature check on both sides (no-curve.ts), since it costs the same and more than all the rest. Everything else is there, journal
// and fsync included. One api thread, durability full, 40 wallets; the client runs in this process on the last core.

import { NO_CURVE, useBareSignatures } from './bare-signatures.ts';
import { Connection, openLoop, requestBytes } from './http-load.ts';
import { signedOrders, WALLETS, withLiveVenue, type Setup } from './live-venue.ts';
import { figure, heading, median, pinToLastCore } from './machine.ts';
import { clientFrame, SocketLoad } from './socket-load.ts';

const ORDERS = 10_000;
const ROUNDS = 7;
const IN_FLIGHT = 20 * WALLETS;
const CONNECTIONS = 64;
const READS = 40_000;
const WAYS = ['socket', 'REST', 'reads'] as const;

/** A venue behind one edge; `rates` in orders or reads a second, by way. */
type Side = { readonly setup: Setup; readonly change: (body: string) => string; readonly rates: Record<(typeof WAYS)[number], number[]> };

async function bySocket({ setup, change }: Side): Promise<number> {
  const frames = signedOrders(setup, ORDERS).map((body) => clientFrame(`{"type":"PlaceOrder",${change(body).slice(1)}`));
  const load = await SocketLoad.open(setup.port, frames);
  const seconds = await load.flood(IN_FLIGHT);
  load.close();
  if (load.rejected > 0) throw new Error(`${load.rejected} orders were not taken, the first: ${load.firstRejection}`);
  return ORDERS / seconds;
}

async function byRest({ setup, change }: Side): Promise<number> {
  return flood(setup, signedOrders(setup, ORDERS).map((body) => requestBytes('POST', '/order', change(body))), '"ACKED"');
}

async function reads({ setup }: Side): Promise<number> {
  return flood(setup, Array.from({ length: READS }, (_, i) => (
    requestBytes('GET', `/orderbook?instrument_name=${setup.symbols[i % setup.symbols.length]!}`, '')
  )), '"bids"');
}

/** Requests a second, each answered with a body that has `text`. */
async function flood({ port }: Setup, requests: readonly Buffer[], text: string): Promise<number> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(port)));
  let good = 0;
  const { seconds } = await openLoop({ rate: 1e9, requests, connections }, ({ body }) => { if (body.includes(text)) good++; });
  for (const connection of connections) connection.close();
  if (good !== requests.length) throw new Error(`${requests.length - good} answers without ${text}`);
  return requests.length / seconds;
}

const RATE_OF: Readonly<Record<(typeof WAYS)[number], (side: Side) => Promise<number>>> = { socket: bySocket, REST: byRest, reads };

function sideOf(setup: Setup): Side {
  return { setup, change: useBareSignatures(setup), rates: { socket: [], REST: [], reads: [] } };
}

await withLiveVenue('full', (native) => withLiveVenue('full', async (node) => {
  heading(`the same handlers behind two edges, no curve, one api thread, the other side idle; client ${pinToLastCore()}`);
  const sides = [sideOf(native), sideOf(node)] as const;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const side of sides) {
      for (const way of WAYS) {
        const rate = await RATE_OF[way](side);
        if (round > 0) side.rates[way].push(rate);
      }
    }
  }
  for (const way of WAYS) {
    const [ours, theirs] = sides.map(({ rates }) => median(rates[way]));
    const [count, unit] = way === 'reads' ? [READS, 'requests/s'] : [ORDERS, 'orders/s'];
    const note = `median of ${ROUNDS} rounds of ${count} after one to warm up`;
    figure(`${way}, uWebSockets.js`, ours!, unit, note);
    figure(`${way}, node:http and ws`, theirs!, unit, note);
    const ratios = sides[0].rates[way].map((rate, round) => rate / sides[1].rates[way][round]!);
    const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    figure(`${way}, ratio`, median(ratios), 'times', `in one run, the median of ${ROUNDS} pairs of rounds, which had ${spread}`);
  }
}, [NO_CURVE, new URL('node-edge-hook.ts', import.meta.url)]), [NO_CURVE]);
