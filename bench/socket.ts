// Orders over one socket on loopback: latency from when an order was due to its durable reply, and the orders a second that one api
// thread takes. The venue has one api thread, a manual index and no rate limits. Orders are signed beforehand by 40 wallets; the client
// runs in this process.
//   node bench/socket.ts [full|normal]   durability
//   1,000 orders/s for four seconds in an open loop, after twenty seconds of warm-up with checkpoints of the journal: nine rounds, of which
//   the median counts and the worst is shown. Then as fast as possible with at most 20 requests in flight a wallet: the best of three.

import { cpuPercent, framesOf, steady, WALLETS, withLiveVenue, type Setup } from './live-venue.ts';
import { figure, heading, pinToLastCore, rounds, spreadOfRounds } from './machine.ts';
import { SocketLoad } from './socket-load.ts';

const DURABILITY = process.argv[2] === 'normal' ? 'normal' : 'full';
const STEADY = 1_000;
const WARM_UP_SECONDS = 20;
const SECONDS = 4;
const ROUNDS = 9;
const PEAK = 20_000;
const PEAK_ROUNDS = 3;
const IN_FLIGHT = 20 * WALLETS;

async function steadyRounds(setup: Setup): Promise<void> {
  const results = await rounds(ROUNDS, () => steady(setup, STEADY, SECONDS));
  const note = `from when it was due to its durable answer, ${results[0]!.note}`;
  spreadOfRounds(`${DURABILITY}, ${STEADY} orders/s, one order`, results.map(({ latency }) => latency), note);
}

async function peak(setup: Setup): Promise<{ rate: number; note: string }> {
  const load = await SocketLoad.open(setup.port, framesOf(setup, PEAK));
  const cpu = process.cpuUsage();
  const seconds = await load.flood(IN_FLIGHT);
  const note = `${PEAK} orders, ${load.rejected} rejected, ${cpuPercent(cpu, seconds)}`;
  load.close();
  return { rate: PEAK / seconds, note };
}

async function bestPeak(setup: Setup): Promise<void> {
  const results = await rounds(PEAK_ROUNDS, () => peak(setup));
  const best = results.reduce((one, other) => (other.rate > one.rate ? other : one));
  figure(`${DURABILITY}, peak`, best.rate, 'orders/s', `best of ${PEAK_ROUNDS} rounds, ${best.note}`);
}

await withLiveVenue(DURABILITY, async (setup) => {
  // After the start of the venue, which would be pinned too.
  const client = `client on the same machine, ${pinToLastCore()}`;
  heading(`orders over one socket on loopback, 1 api thread, ${DURABILITY}, ${WALLETS} wallets; ${client}`);
  await steady(setup, STEADY, WARM_UP_SECONDS);
  await steadyRounds(setup);
  await bestPeak(setup);
});
