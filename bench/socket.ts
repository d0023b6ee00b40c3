// Orders over one socket on loopback: from when an order was due to its durable acknowledgement, and how many a second one api
// thread takes. A venue of its own (one api thread, manual index, no rate limits, caps lifted), orders signed beforehand by 40
// wallets; the client runs in this process on the last core, its CPU is shown.
//   node bench/socket.ts [full|normal|no-curve]
// full, normal: durability. 1,000 orders/s for four seconds in an open loop, after twenty seconds in which V8 compiles, checkpoints
// of the journal included, nine rounds that others left alone (undisturbed.ts), of which the median counts, and the worst and the quietest
// are said; the same by a client that never sleeps, and so measures no wake-up of its own, with the venue kept to the other cores; then as
// fast as answers come, with at most 20 requests in flight a wallet, the best of three such rounds.
// no-curve: only the latter, with durability full and the curve taken out of the signature check (no-curve.ts).

import { NO_CURVE, useBareSignatures } from './bare-signatures.ts';
import { WALLETS, withLiveVenue, type Setup } from './live-venue.ts';
import { figure, heading, pinToLastCore, spreadOfRounds } from './machine.ts';
import { SocketLoad } from './socket-load.ts';
import { cpuPercent, framesOf, steady, type SteadyClient } from './steady.ts';
import { undisturbed } from './undisturbed.ts';

const MODE = (['normal', 'no-curve'] as const).find((mode) => mode === process.argv[2]) ?? 'full';
const DURABILITY = MODE === 'normal' ? 'normal' : 'full';
const STEADY = 1_000;
const WARM_UP_SECONDS = 20;
const SECONDS = 4;
const ROUNDS = 9;
const PEAK = 20_000;
const PEAK_ROUNDS = 3;
const IN_FLIGHT = 20 * WALLETS;

async function steadyRounds(setup: Setup, client: SteadyClient, name: string): Promise<void> {
  const { results, note } = await undisturbed(ROUNDS, () => steady(setup, STEADY, SECONDS, client));
  spreadOfRounds(name, results.map(({ latency }) => latency), `from when it was due to its durable answer, ${results[0]!.note}${note}`);
}

async function peak(setup: Setup, change?: (body: string) => string): Promise<{ rate: number; note: string }> {
  const load = await SocketLoad.open(setup.port, framesOf(setup, PEAK, change));
  const cpu = process.cpuUsage();
  const seconds = await load.flood(IN_FLIGHT);
  const note = `${PEAK} orders, ${load.rejected} rejected, ${cpuPercent(cpu, seconds)}`;
  load.close();
  return { rate: PEAK / seconds, note };
}

async function bestPeak(setup: Setup, change?: (body: string) => string): Promise<void> {
  const { results, note } = await undisturbed(PEAK_ROUNDS, () => peak(setup, change));
  const best = results.reduce((one, other) => (other.rate > one.rate ? other : one));
  figure(`${MODE}, peak`, best.rate, 'orders/s', `best of ${PEAK_ROUNDS} rounds, ${best.note}${note}`);
}

/** Once the venue runs, which would be pinned too. */
function head(): void {
  heading(`orders over one socket on loopback, 1 api thread, ${MODE}, ${WALLETS} wallets; client on the same machine, ${pinToLastCore()}`);
}

if (MODE === 'no-curve') {
  await withLiveVenue(DURABILITY, (setup) => {
    head();
    return bestPeak(setup, useBareSignatures(setup));
  }, [NO_CURVE]);
} else {
  await withLiveVenue(DURABILITY, async (setup) => {
    head();
    await steady(setup, STEADY, WARM_UP_SECONDS, 'pace');
    await steadyRounds(setup, 'pace', `${MODE}, ${STEADY} orders/s, one order`);
    await steadyRounds(setup, 'attend', `${MODE}, ${STEADY} orders/s of a client that never sleeps, one order`);
    await bestPeak(setup);
  });
}
