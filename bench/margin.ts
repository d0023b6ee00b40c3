// Portfolio margin on one thread: the cost of a margin check by positions of the wallet, and the cost of new marks for a venue full of
// portfolios. Ports in memory, no journal.
//   node bench/margin.ts orders [orders]           one wallet's orders, by 1, 100 and 500 positions
//   node bench/margin.ts revaluation [seconds]     a market of so many seconds
//   `orders`: one underlying, wallets in portfolio mode (preset dense); limit orders within 5 % of mark, sizes 0.01 to 1. `check`: position
//   limit and margin of one order. `apply`: the whole command. Sums are filled beforehand. Orders/s: median of slices of 10,000, in turns.
//   `revaluation`: 2 underlyings, 3,000 contracts, 1,000 portfolios of 100 positions over 200 contracts. Each second both indexes move and
//   the sweep sums every account; 1,000 orders come in between. From 50 open orders an account on, each order is followed by the cancel of
//   the oldest. A step is one call of the core: a command, or a bounded part of its own work.

import { BUY, CONTRACT, GTC, SECOND, SELL, USDC } from '../core/units.ts';
import { CALL, PUT } from '../core/codec/commands.ts';
import { stampRecord, viewsOf, type Views } from '../core/codec/record.ts';
import { apply } from '../core/engine/apply.ts';
import { SEQ, type State } from '../core/engine/state.ts';
import { PORTFOLIO } from '../core/accounts/accounts.ts';
import { addInstrument, findInstrument, instrumentCount } from '../core/instruments/instruments.ts';
import { findHolding, openHolding } from '../core/positions/holdings.ts';
import { enterEmptyHolding, freshen } from '../core/margin/account-margin.ts';
import { checkOrder, checkPositionLimit } from '../core/margin/order-check.ts';
import { ORDER_IDS } from '../core/orders/orders.ts';
import { runDue, takeCommand, takeVenueCommand } from '../core/sequencer/sequencer.ts';
import { markNew } from '../core/valuation/marks.ts';
import { fiveFigures } from '../test/sim/draw.ts';
import { Random } from '../test/sim/random.ts';
import { tuneRuntime } from '../shell/process/v8-flags.ts';
import { figure, heading, median, quantile } from './machine.ts';
import { NOW, openVenue, RECORD, type Venue } from './venue.ts';

const WHICH = process.argv[2] === 'revaluation' ? 'revaluation' : 'orders';
const AMOUNT = Number(process.argv[3] ?? (WHICH === 'orders' ? 200_000 : 600));
const SLICE = 10_000;
const SPOTS = [100_000, 3_000] as const;
const LISTED = 3_000;
const ACCOUNTS = 1_000;
const POSITIONS = 100;
const TRADED = 200;
const ORDERS_A_SECOND = 1_000;
/** Of all accounts together. */
const OPEN_ORDERS = 50 * ACCOUNTS;

type Market = Venue & { nonce: number; placed: number };
const random = new Random(7);

function open(listed: number): Market {
  const venue = openVenue({ BTC: SPOTS[0], ETH: SPOTS[1] });
  listMore(venue.state, listed);
  return { ...venue, nonce: 0, placed: 0 };
}

/** Lists more strikes between those of the grid. */
function listMore(state: State, listed: number): void {
  const { instruments, settings, valuation } = state;
  const first = instrumentCount(instruments);
  for (let i = 0; instrumentCount(instruments) < listed; i = (i + 1) % first) {
    const strike = instruments.strike[i]! + (1 + Math.floor(7 * random.fraction())) * USDC;
    const kind = instruments.kind[i]!;
    if (kind !== CALL && kind !== PUT) continue;
    if (findInstrument(instruments, instruments.underlying[i]!, instruments.expiry[i]!, strike, kind) >= 0) continue;
    const slot = addInstrument(instruments, instruments.underlying[i]!, instruments.expiry[i]!, strike, kind, NOW);
    markNew(valuation, settings, slot, NOW);
  }
}

function enrol(venue: Market, wallet: number): number {
  takeCommand(venue.sequencer, venue.write.marginMode(wallet, ++venue.nonce, PORTFOLIO), 0, NOW, venue.reply);
  if (venue.state.result.code !== 0) throw new Error(`refused: ${venue.state.result.code}`);
  return wallet;
}

/** Adds a position as if traded at mark; the caller also adds the opposite one, so that positions sum to zero. */
function give({ state }: Market, account: number, slot: number, position: number): void {
  const { accounts, holdings, instruments, valuation } = state;
  if (findHolding(holdings, account, slot) >= 0) throw new Error('a position there already');
  const row = openHolding(holdings, accounts, account, slot);
  enterEmptyHolding(state, row);
  holdings.position[row] = position;
  holdings.cost[row] = Math.round(position / CONTRACT * valuation.mark[slot]!);
  accounts.positions[account]!++;
  instruments.openInterest[slot]! += Math.max(0, position);
}

function traded(venue: Market, underlying: number, count: number): number[] {
  const { instruments, valuation } = venue.state;
  const slots = Array.from({ length: instrumentCount(instruments) }, (_, slot) => slot).filter((slot) => (
    instruments.underlying[slot] === underlying && instruments.expiry[slot]! > 0
    && valuation.mark[slot]! > SPOTS[underlying]! * 500 && valuation.mark[slot]! < SPOTS[underlying]! * USDC / 3
  ));
  if (slots.length < count) throw new Error(`too few contracts: ${slots.length}`);
  return Array.from({ length: count }, (_, i) => slots[Math.floor(i * slots.length / count)]!);
}

type Wallets = { positions: number; accounts: number[] };

function order(venue: Market, wallet: number, slot: number): Views {
  const { expiry, kind, strike, underlying } = venue.state.instruments;
  const side = random.chance(0.5) ? BUY : SELL;
  const share = side === BUY ? 0.95 + 0.049 * random.fraction() : 1.001 + 0.049 * random.fraction();
  return venue.write.place({
    wallet, nonce: ++venue.nonce, underlying: ['BTC', 'ETH'][underlying[slot]!]!, expiry: expiry[slot]!, strike: strike[slot]!,
    kind: kind[slot]!, side, price: fiveFigures(venue.state.valuation.mark[slot]! * share),
    size: random.between(CONTRACT / 100, CONTRACT), tif: GTC,
  });
}

function checks(venue: Market, { accounts }: Wallets, slots: readonly number[]): number {
  const { state } = venue;
  const orders = Array.from({ length: SLICE }, () => {
    const slot = random.pick(slots);
    const account = random.pick(accounts);
    const side = random.chance(0.5) ? BUY : SELL;
    return { account, instrument: slot, row: findHolding(state.holdings, account, slot), side, size: random.between(1, CONTRACT),
      price: fiveFigures(state.valuation.mark[slot]! * (0.95 + 0.1 * random.fraction())) };
  });
  const numbers = new Float64Array(4);
  const start = performance.now();
  for (const one of orders) {
    Object.assign(state.candidate, one);
    const limited = checkPositionLimit(state, state.candidate, 0);
    if (limited !== 0 || checkOrder(state, state.candidate, NOW, numbers) !== 0) throw new Error('refused');
  }
  return SLICE / (performance.now() - start) * 1_000;
}

function applied(venue: Market, { accounts }: Wallets, slots: readonly number[]): number {
  const { state } = venue;
  const views = viewsOf(new ArrayBuffer(SLICE * RECORD));
  for (let i = 0; i < SLICE; i++) {
    views.u8.set(order(venue, random.pick(accounts), random.pick(slots)).u8.subarray(0, RECORD), i * RECORD);
    views.u32[i * RECORD / 4] = RECORD;
    stampRecord(views, i * RECORD, state.clock[SEQ]! + 1 + i, NOW);
  }
  const start = performance.now();
  for (let i = 0; i < SLICE; i++) {
    apply(state, views, i * RECORD);
    if (state.result.code !== 0) throw new Error(`refused: ${state.result.code}`);
  }
  return SLICE / (performance.now() - start) * 1_000;
}

function orders(): void {
  const venue = open(0);
  const slots = traded(venue, 0, 500);
  const wallets: Wallets[] = [1, 100, 500].map((positions, kind) => {
    const accounts = Array.from({ length: 20 }, (_, i) => enrol(venue, kind * 20 + i));
    for (let i = 0; i < accounts.length; i += 2) {
      for (let p = 0; p < positions; p++) {
        const slot = slots[(i * 7 + p) % slots.length]!;
        const size = random.between(1, 3 * CONTRACT) * (random.chance(0.5) ? 1 : -1);
        give(venue, accounts[i]!, slot, size);
        give(venue, accounts[i + 1]!, slot, -size);
      }
    }
    for (const account of accounts) freshen(venue.state, account);
    return { positions, accounts };
  });
  heading(`orders of portfolio accounts: ${AMOUNT} of each kind, slices of ${SLICE}, 20 wallets of each kind, 500 contracts`);
  for (const [name, measure] of [['check alone', checks], ['apply, the order rests', applied]] as const) {
    const rates = wallets.map(() => [] as number[]);
    for (let slice = 0; slice < AMOUNT / SLICE; slice++) wallets.forEach((one, i) => rates[i]!.push(measure(venue, one, slots)));
    wallets.forEach(({ positions }, i) => figure(`${name}, ${positions} positions`, median(rates[i]!), 'orders/s', 'median of slices'));
    const medians = rates.map(median);
    figure(`${name}, fastest over slowest`, Math.max(...medians) / Math.min(...medians), 'times');
  }
}

/** Cost of one second of the market: all steps, and the longest of them. */
type Times = { readonly steps: number[]; work: number; command: number };

function timed(times: Times, kind: 'work' | 'command', step: () => boolean): boolean {
  const start = performance.now();
  const did = step();
  const took = performance.now() - start;
  times[kind] += took;
  if (did) times.steps.push(took * 1_000);
  return did;
}

/** A cancel may come too late: marks move through resting orders. */
function take(venue: Market, views: Views, now: number, times: Times): void {
  timed(times, 'command', () => takeCommand(venue.sequencer, views, 0, now, venue.reply));
}

/** Owner and id of the newest orders, by when they were placed. */
const owners = new Uint32Array(OPEN_ORDERS);
const ids = new Float64Array(OPEN_ORDERS);

function second(venue: Market, at: number, slots: readonly number[], times: Times): void {
  const { sequencer, state } = venue;
  const start = NOW + at * SECOND;
  const due = (now: number): void => { while (timed(times, 'work', () => runDue(sequencer, now))) { /* a step each */ } };
  SPOTS.forEach((spot, underlying) => {
    const index = venue.write.index(underlying, Math.round(spot * (1 + 0.002 * Math.sin(at / 7 + underlying)) * USDC), 0);
    timed(times, 'work', () => takeVenueCommand(sequencer, index, start + underlying));
    due(start + underlying);
  });
  for (let i = 0; i < ORDERS_A_SECOND; i++) {
    const now = start + Math.floor(10 + i * 980 / ORDERS_A_SECOND);
    due(now);
    const wallet = random.between(0, ACCOUNTS - 1);
    take(venue, order(venue, wallet, random.pick(slots)), now, times);
    if (state.result.code !== 0) throw new Error(`refused: ${state.result.code}`);
    const place = venue.placed++ % OPEN_ORDERS;
    if (venue.placed > OPEN_ORDERS) take(venue, venue.write.cancel(owners[place]!, ++venue.nonce, ids[place]!), now, times);
    owners[place] = wallet;
    ids[place] = state.orders.counters[ORDER_IDS]!;
  }
}

function revaluation(): void {
  const venue = open(LISTED);
  const slots = [0, 1].flatMap((underlying) => traded(venue, underlying, TRADED / 2));
  for (let account = 0; account < ACCOUNTS; account++) enrol(venue, account);
  for (let account = 0; account < ACCOUNTS; account += 2) {
    for (let p = 0; p < POSITIONS; p++) {
      const slot = slots[(account * 7 + p * 2 + (account >> 1) % 2) % TRADED]!;
      const size = random.between(1, 3 * CONTRACT) * (random.chance(0.5) ? 1 : -1);
      give(venue, account, slot, size);
      give(venue, account + 1, slot, -size);
    }
  }
  const listed = instrumentCount(venue.state.instruments);
  heading(`${listed} contracts, ${ACCOUNTS} portfolios of ${POSITIONS} positions over ${TRADED} contracts, ${AMOUNT} seconds, `
    + `${ORDERS_A_SECOND} orders a second; 3 seconds before to warm up`);
  for (let at = 1; at <= 3; at++) second(venue, at, slots, { steps: [], work: 0, command: 0 });
  const times: Times = { steps: [], work: 0, command: 0 };
  for (let at = 4; at < 4 + AMOUNT; at++) second(venue, at, slots, times);
  figure('marks, rows, sweep of everything held', times.work / AMOUNT / 10, '% of a core', 'two vintages a second, one sweep');
  figure('orders', times.command / AMOUNT / ORDERS_A_SECOND * 1_000, 'us', 'mean of one with its cancel');
  const sorted = Float64Array.from(times.steps).sort();
  for (const share of [0.5, 0.99, 0.9999, 1]) {
    figure(`one step, ${share === 1 ? 'max' : `p${share * 100}`}`, quantile(sorted, share), 'us', `${sorted.length} steps`);
  }
}

tuneRuntime();
if (WHICH === 'orders') orders();
else revaluation();
