// Orders per second of the core with standard margin, on one thread, without a journal. `apply`: the pure function on prepared
// records, as the reader and a replay run it. `step`: all that main does for an order: admission, seq, copy to the log, apply, reply.
//   node bench/apply.ts [positions [orders [quotes|crossing]]]
//   Recipe: 200 contracts, 100 market makers with 1, 20 or 100 positions each; limit orders at prices drawn evenly within 5 % of mark,
//   sizes 0.01 to 1; every fifth has a client id; records of 400 bytes. `quotes`: nine in ten rest, one in ten is an ioc that takes up to
//   a contract. `crossing`: three in four orders trade. The venue of each run has taken and cancelled as many orders before. All runs use
//   the same records, and runs of both kinds alternate.
// Orders/s of a run: the median over slices of 10,000. Shows the median run and the best, without the first of each kind, in which V8
// still compiles. A refused order is an error. Latencies come from a separate run, in which each step is timed.

import { BUY, CONTRACT, GTC, IOC, SELL, USDC } from '../core/units.ts';
import { BYTE_ORDER_CLIENT_ID, PLACE_ORDER, proofOffset } from '../core/codec/commands.ts';
import { stampRecord, viewsOf, type Views } from '../core/codec/record.ts';
import { apply } from '../core/engine/apply.ts';
import { SEQ } from '../core/engine/state.ts';
import { MARKET_MAKER } from '../core/tiers.ts';
import { findOrder, orderAccount } from '../core/book/pool.ts';
import { FILL_IDS, OPEN, ORDER_IDS } from '../core/orders/orders.ts';
import { takeCommand } from '../core/sequencer/sequencer.ts';
import { fiveFigures } from '../test/sim/draw.ts';
import { Random } from '../test/sim/random.ts';
import { tuneRuntime } from '../shell/process/v8-flags.ts';
import { figure, heading, median, spread } from './machine.ts';
import { NOW, openVenue, RECORD, type Venue } from './venue.ts';

const POSITIONS = Number(process.argv[2] ?? 20);
const ORDERS = Number(process.argv[3] ?? 200_000);
const FLOW = process.argv[4] === 'crossing' ? 'crossing' : 'quotes';
const SLICE = 10_000;
const RUNS = 11;
const CONTRACTS = 200;
const WALLETS = 100;

type Market = Venue & { readonly slots: readonly number[]; readonly nonces: number[] };

function open(): Market {
  const venue = openVenue({ BTC: 100_000 });
  const { counters } = venue.state.instruments;
  const { mark } = venue.state.valuation;
  const slots = Array.from({ length: counters[0]! }, (_, slot) => slot)
    .filter((slot) => mark[slot]! > 500 * USDC && mark[slot]! < 20_000 * USDC).slice(0, CONTRACTS);
  if (slots.length < CONTRACTS) throw new Error('too few contracts');
  return { ...venue, slots, nonces: new Array<number>(WALLETS).fill(0) };
}

function order(venue: Market, wallet: number, slot: number, side: number, price: number, size: number, tif: number, clientId = ''): Views {
  const { expiry, strike, kind } = venue.state.instruments;
  return venue.write.place({
    wallet, nonce: ++venue.nonces[wallet]!, underlying: 'BTC', expiry: expiry[slot]!, strike: strike[slot]!, kind: kind[slot]!, side, price,
    size, tif, clientId,
  });
}

function send(venue: Market, views: Views): void {
  takeCommand(venue.sequencer, views, 0, NOW, venue.reply);
  if (venue.state.result.code !== 0) throw new Error(`refused: ${venue.state.result.code}`);
}

function fillPositions(venue: Market, positions: number): void {
  for (let wallet = 0; wallet < WALLETS; wallet += 2) {
    for (let i = 0; i < positions; i++) {
      const slot = venue.slots[(wallet * 7 + i) % CONTRACTS]!;
      const price = fiveFigures(venue.state.valuation.mark[slot]!);
      send(venue, order(venue, wallet, slot, i % 2 === 0 ? BUY : SELL, price, CONTRACT / 10, GTC));
      send(venue, order(venue, wallet + 1, slot, i % 2 === 0 ? SELL : BUY, price, CONTRACT / 10, IOC));
    }
  }
  for (let wallet = 0; wallet < WALLETS; wallet++) {
    takeCommand(venue.sequencer, venue.write.tier(wallet, MARKET_MAKER), 0, NOW, venue.reply);
  }
}

/** The price of an order as a share of mark; `fraction` is drawn evenly from 0 to 1. */
function share(side: number, takes: boolean, fraction: number): number {
  if (FLOW === 'crossing') return 0.95 + 0.1 * fraction;
  const isAbove = takes === (side === BUY);
  return isAbove ? 1.001 + 0.049 * fraction : 0.95 + 0.049 * fraction;
}

function records(venue: Market, count: number, seed: number): Views {
  const random = new Random(seed);
  const views = viewsOf(new ArrayBuffer(count * RECORD));
  for (let i = 0; i < count; i++) {
    const slot = random.pick(venue.slots);
    const side = random.chance(0.5) ? BUY : SELL;
    const takes = FLOW === 'quotes' && random.chance(0.1);
    const price = fiveFigures(venue.state.valuation.mark[slot]! * share(side, takes, random.fraction()));
    const size = random.between(CONTRACT / 100, CONTRACT);
    const one = order(venue, random.between(0, WALLETS - 1), slot, side, price, size, takes ? IOC : GTC, i % 5 === 0 ? `order-${i}` : '');
    views.u8.set(one.u8.subarray(0, RECORD), i * RECORD);
    views.u32[i * RECORD / 4] = RECORD;
  }
  return views;
}

/** A warmed-up venue: it has taken as many orders before, and those still open were cancelled. */
function prepared(positions: number): { venue: Market; views: Views } {
  const venue = open();
  fillPositions(venue, positions);
  const { orders } = venue.state;
  const first = orders.counters[ORDER_IDS]! + 1;
  const before = records(venue, ORDERS, 8);
  for (let i = 0; i < ORDERS; i++) takeCommand(venue.sequencer, before, i * RECORD, NOW, venue.reply);
  for (let id = first; id < first + ORDERS; id++) {
    const slot = findOrder(orders.books, id, 0);
    if (slot < 0) continue;
    const wallet = orderAccount(orders.books, slot);
    send(venue, venue.write.cancel(wallet, ++venue.nonces[wallet]!, id));
  }
  if (orders.counters[OPEN] !== 0) throw new Error('orders are left');
  return { venue, views: records(venue, ORDERS, 7) };
}

type Venues = { venue: Market; views: Views };
type Step = (venues: Venues, at: number) => void;

function applyAlone({ venue, views }: Venues, at: number): void {
  apply(venue.state, views, at);
}

function wholeStep({ venue, views }: Venues, at: number): void {
  takeCommand(venue.sequencer, views, at, NOW, venue.reply);
}

function rates(venues: Venues, step: Step): number[] {
  const slices: number[] = [];
  const before = venues.venue.state.orders.counters[ORDER_IDS]!;
  for (let from = 0; from < ORDERS; from += SLICE) {
    const start = performance.now();
    const end = Math.min(ORDERS, from + SLICE);
    for (let i = from; i < end; i++) step(venues, i * RECORD);
    slices.push((end - from) / (performance.now() - start) * 1000);
  }
  const accepted = venues.venue.state.orders.counters[ORDER_IDS]! - before;
  if (accepted !== ORDERS) throw new Error(`${ORDERS - accepted} orders were refused`);
  return slices;
}

function stamped(positions: number): Venues {
  const venues = prepared(positions);
  const seq = venues.venue.state.clock[SEQ]!;
  for (let i = 0; i < ORDERS; i++) stampRecord(venues.views, i * RECORD, seq + 1 + i, NOW);
  return venues;
}

function timed(positions: number): Float64Array {
  const { venue, views } = prepared(positions);
  const steps = new Float64Array(ORDERS);
  for (let i = 0; i < ORDERS; i++) {
    const start = performance.now();
    takeCommand(venue.sequencer, views, i * RECORD, NOW, venue.reply);
    steps[i] = (performance.now() - start) * 1_000;
  }
  return steps.sort();
}

function run(positions: number): void {
  const alone: number[] = [];
  const whole: number[] = [];
  const venues = stamped(positions);
  rates(venues, applyAlone);
  rates(prepared(positions), wholeStep);
  for (let i = 0; i < RUNS; i++) {
    alone.push(median(rates(stamped(positions), applyAlone)));
    whole.push(median(rates(prepared(positions), wholeStep)));
  }
  const { counters } = venues.venue.state.orders;
  const end = `fills ${counters[FILL_IDS]! / 2}, open at the end ${counters[OPEN]}`;
  heading(`${FLOW}, ${positions} positions a wallet, ${ORDERS} orders: ${end}`);
  const name = `${FLOW === 'crossing' ? 'crossing, ' : ''}${positions} positions`;
  const runs = `of ${RUNS} runs of ${ORDERS / SLICE} slices of ${SLICE}`;
  figure(`${name}, apply alone`, median(alone), 'orders/s', `median ${runs}`);
  figure(`${name}, apply alone, best run`, Math.max(...alone), 'orders/s');
  figure(name, median(whole), 'orders/s', `median ${runs}`);
  figure(`${name}, best run`, Math.max(...whole), 'orders/s');
  spread(`${name}, one order`, timed(positions), 'us', 'each timed by itself');
}

if (RECORD < proofOffset(PLACE_ORDER) || RECORD % 8 !== 0 || BYTE_ORDER_CLIENT_ID > RECORD) throw new Error('record too short');
tuneRuntime();
run(POSITIONS);
