// Trigger orders on one thread, ports in memory, no journal.
//   node bench/triggers.ts [waiting] [fires]
//   `waiting` orders of 1,000 wallets wait on index, theo and mark of 200 contracts. A mark update: all steps that follow an index price,
//   with and without them, none fires; median of 200, in turns. Then `fires` orders of one contract become due with one index price, five
//   times: the longest step is what a client's command may wait for. The same step of each round does the same, so its least time counts.

import { BUY, CONTRACT, SECOND, USDC } from '../core/units.ts';
import { FLAG_MMP_OPT_OUT } from '../core/codec/commands.ts';
import { instrumentCount } from '../core/instruments/instruments.ts';
import { ABOVE, BELOW, BY_INDEX } from '../core/orders/triggers.ts';
import { UNTRIGGERED } from '../core/orders/untriggered.ts';
import { apply } from '../core/engine/apply.ts';
import { SEQ, TIME } from '../core/engine/state.ts';
import { runDue, takeVenueCommand } from '../core/sequencer/sequencer.ts';
import { stampRecord } from '../core/codec/record.ts';
import { tuneRuntime } from '../shell/process/v8-flags.ts';
import { figure, heading, median, spread } from './machine.ts';
import { NOW, openVenue, type Venue } from './venue.ts';

const WAITING = Number(process.argv[2] ?? 100_000);
const FIRES = Number(process.argv[3] ?? 10_000);
const WALLETS = 1_000;
const CONTRACTS = 200;
const UPDATES = 200;
const SPOT = 100_000;
const ROUNDS = 5;

/** Applied without admission, so no cap of a tier counts. */
function wait(venue: Venue, i: number, slot: number, trigger: { by: number; direction: number; price: number }): void {
  const { state, write } = venue;
  const { expiry, kind, strike } = state.instruments;
  const views = write.place({
    underlying: 'BTC', expiry: expiry[slot]!, strike: strike[slot]!, kind: kind[slot]!, wallet: i % WALLETS, nonce: i + 1, side: BUY,
    price: USDC, size: CONTRACT, flags: FLAG_MMP_OPT_OUT, triggerBy: trigger.by, triggerDirection: trigger.direction,
    triggerPrice: trigger.price,
  });
  stampRecord(views, 0, state.clock[SEQ]! + 1, state.clock[TIME]!);
  apply(state, views, 0);
  if (state.result.code !== 0) throw new Error(`refused: ${state.result.code}`);
}

/** Microseconds of all steps, and of each. */
function update(venue: Venue, at: number, price: number): { all: number; steps: number[] } {
  const { sequencer, write } = venue;
  const now = NOW + at * SECOND;
  const start = performance.now();
  takeVenueCommand(sequencer, write.index(0, price * USDC, 1), now);
  const steps: number[] = [];
  for (let last = performance.now(); runDue(sequencer, now);) {
    const end = performance.now();
    steps.push((end - last) * 1_000);
    last = end;
  }
  return { all: (performance.now() - start) * 1_000, steps };
}

function options(venue: Venue): number[] {
  const { instruments } = venue.state;
  const slots = Array.from({ length: instrumentCount(instruments) }, (_, slot) => slot);
  return slots.filter((slot) => instruments.underlying[slot] === 0).slice(0, CONTRACTS);
}

function main(): void {
  tuneRuntime();
  const [empty, full] = [openVenue({ BTC: SPOT }), openVenue({ BTC: SPOT })];
  const slots = options(full);
  // One order in both, so that both have accounts and rows.
  for (const venue of [empty, full]) wait(venue, 0, slots[0]!, { by: BY_INDEX, direction: ABOVE, price: 900_000 * USDC });
  for (let i = 1; i < WAITING; i++) {
    const direction = 1 + i % 2;
    const price = direction === BELOW ? 1 + i % 7 : (900_000 + i % 1_000) * USDC;
    wait(full, i, slots[i % slots.length]!, { by: 1 + i % 3, direction, price });
  }
  heading(`${full.state.orders.counters[UNTRIGGERED]} orders wait, ${UPDATES} mark updates in turns`);
  const times = [empty, full].map(() => [] as number[]);
  for (let at = 1; at <= UPDATES; at++) {
    [empty, full].forEach((venue, i) => times[i]!.push(update(venue, at, SPOT + at % 2).all));
  }
  const [without, withAll] = times.map(median) as [number, number];
  figure('mark update, nobody waits', without, 'us', 'median');
  figure(`mark update, ${WAITING} wait`, withAll, 'us', 'median');
  figure(`what ${WAITING} waiting orders add`, withAll - without, 'us', 'difference of medians');
  const fired = Array.from({ length: ROUNDS }, (_, round) => fire(empty, slots[0]!, round));
  figure(`${FIRES} fire at once, all steps`, median(fired.map(({ all }) => all)) / 1_000, 'ms', `median of ${ROUNDS} rounds`);
  const least = Float64Array.from(fired[0]!.steps, (_, i) => Math.min(...fired.map(({ steps }) => steps[i] ?? Infinity)));
  spread(`${FIRES} fire at once, one step`, least.sort(), 'us', `least of ${ROUNDS} rounds`);
}

function fire(venue: Venue, slot: number, round: number): { all: number; steps: number[] } {
  const price = SPOT + 10 + round;
  for (let i = 1; i <= FIRES; i++) wait(venue, round * FIRES + i, slot, { by: BY_INDEX, direction: ABOVE, price: price * USDC });
  return update(venue, UPDATES + 1 + round, price);
}

main();
