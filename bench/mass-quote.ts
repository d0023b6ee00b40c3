// Mass quotes of 100 contracts with both sides of each, of which every other moves: its price differs from that of the page before.
//   node bench/mass-quote.ts core   processor time of one page applied, on one thread, without a journal: half of its sides move, and all.
//   node bench/mass-quote.ts live   sides named a second over one socket on loopback, durable, one api thread, 4 wallets of 2 underlyings:
//     as fast as they go with at most 20 requests in flight a wallet, then the latency of an answer at 100,000 sides a second. No rate
//     limits or caps. Pages are signed before the clock starts; the client shares the machine with the venue, so its CPU time is shown.

import { CONTRACT, USDC } from '../core/units.ts';
import { QUOTE_OPEN, QUOTE_REJECTED } from '../core/codec/events.ts';
import { stampRecord } from '../core/codec/record.ts';
import { apply } from '../core/engine/apply.ts';
import { SEQ } from '../core/engine/state.ts';
import { tuneRuntime } from '../shell/process/v8-flags.ts';
import { cpuPercent, steadyFrames, withLiveVenue, type Setup } from './live-venue.ts';
import { cpuMicros, cpuSeconds, figure, heading, median, pinToLastCore, rounds, spread, spreadOfRounds } from './machine.ts';
import { clientFrame, SocketLoad } from './socket-load.ts';
import { NOW, openVenue, type Venue } from './venue.ts';

const CONTRACTS = 100;
const SIDES = 2 * CONTRACTS;
/** Prices between which a side moves. */
const STEPS = 12;
const [BID, ASK] = [280, 310];
const SIZE = '0.01';
const PAGES = 5_000;
const WARM_UP = 1_000;
const WALLETS = 4;
const UNDERLYINGS = ['BTC', 'ETH'];
const IN_FLIGHT = 20 * WALLETS;
const ROUNDS = 3;
const SECONDS = 5;
const WARM_UP_ROUNDS = 2;
/** A second, while latency is measured: half of what the venue must take. */
const STEADY_SIDES = 100_000;
/** In the answer to a page of which no side was refused. */
const NONE_REJECTED = Buffer.from('"rejected":0');

/** Of the side in the page: `every` pages it moves a step. */
function priceOf(page: number, line: number, side: number, every: number): number {
  return (side === 0 ? BID : ASK) + Math.floor((page + line + side) / every) % STEPS;
}

/** Processor time, us. */
function applied({ state, write }: Venue, slots: readonly number[], page: number, every: number): number {
  const { expiry, kind, strike } = state.instruments;
  const views = write.massQuote({
    wallet: 1, nonce: page + 1, until: NOW + 60_000,
    lines: slots.map((slot, line) => ({
      underlying: 'BTC', expiry: expiry[slot]!, strike: strike[slot]!, kind: kind[slot]!,
      bid: [CONTRACT / 100, priceOf(page, line, 0, every) * USDC], ask: [CONTRACT / 100, priceOf(page, line, 1, every) * USDC],
    })),
  });
  stampRecord(views, 0, state.clock[SEQ]! + 1, NOW);
  const start = cpuMicros();
  apply(state, views, 0);
  return cpuMicros() - start;
}

function inCore(): void {
  tuneRuntime();
  const venue = openVenue({ BTC: 100_000 });
  const { counters, underlying } = venue.state.instruments;
  const slots = Array.from({ length: counters[0]! }, (_, slot) => slot).filter((slot) => underlying[slot] === 0).slice(0, CONTRACTS);
  heading(`one mass quote of ${CONTRACTS} contracts applied, ${PAGES} pages after ${WARM_UP} to warm up`);
  let page = 0;
  for (const [every, moves] of [[2, 'half of its sides move'], [1, 'all of its sides move']] as const) {
    const took = Float64Array.from({ length: WARM_UP + PAGES }, () => applied(venue, slots, page++, every));
    const { answered, answers, code } = venue.state.result;
    if (code !== 0 || answers[0] === QUOTE_REJECTED || answered !== SIDES * 2) throw new Error(`refused: ${code}, ${answers[0]}`);
    if (every === 1 && answers[0] !== QUOTE_OPEN) throw new Error('a side did not move');
    spread(`in the core, ${moves}`, took.subarray(WARM_UP).sort(), 'us');
  }
}

type Market = { readonly setup: Setup; readonly symbols: readonly (readonly string[])[]; page: number };

async function marketOf(setup: Setup): Promise<Market> {
  const symbols: string[][] = [];
  for (const underlying of UNDERLYINGS) {
    const listed = (await setup.http.get(`/instruments?currency=${underlying}`)).body as { instrument_name: string }[];
    symbols.push(listed.slice(0, CONTRACTS).map((one) => one.instrument_name));
    if (symbols.at(-1)!.length < CONTRACTS) throw new Error(`too few contracts of ${underlying}`);
  }
  return { setup, symbols, page: 0 };
}

/** Pages of each wallet and underlying in turn. */
function framesOf(market: Market, count: number): Buffer[] {
  const { setup, symbols } = market;
  const until = Date.now() + 59_000;
  return Array.from({ length: count }, () => {
    const at = market.page++;
    const wallet = setup.wallets[at % WALLETS]!;
    const listed = symbols[Math.floor(at / WALLETS) % symbols.length]!;
    const page = Math.floor(at / (WALLETS * symbols.length));
    const sideOf = (line: number, side: number) => ({ size: SIZE, price: String(priceOf(page, line, side, 2)) });
    const quotes = listed.map((symbol, line) => ({ symbol, bid: sideOf(line, 0), ask: sideOf(line, 1) }));
    const { body } = setup.signer.massQuote(wallet, { quote_set: 'main', valid_until: until, quotes });
    return clientFrame(`{"type":"MassQuote",${body!.slice(1)}`);
  });
}

async function peak(market: Market, count: number): Promise<{ rate: number; note: string }> {
  const load = await SocketLoad.open(market.setup.port, framesOf(market, count), NONE_REJECTED);
  const cpu = process.cpuUsage();
  const before = cpuSeconds(market.setup.pid);
  const seconds = await load.flood(IN_FLIGHT, 1);
  const venue = `venue CPU ${((cpuSeconds(market.setup.pid) - before) / seconds * 100).toFixed(0)} %`;
  const note = `${count} pages in ${seconds.toFixed(1)} s, ${venue}, ${cpuPercent(cpu, seconds)}`;
  load.close();
  if (load.rejected > 0) throw new Error(`${load.rejected} pages had refused sides, the first: ${load.firstRejection.slice(0, 500)}`);
  return { rate: count * SIDES / seconds, note };
}

async function live(): Promise<void> {
  await withLiveVenue('full', async (setup) => {
    const client = `client on the same machine, ${pinToLastCore()}`;
    heading(`pages of ${SIDES} sides over one socket on loopback, 1 api thread, full, ${WALLETS} wallets, signed beforehand; ${client}`);
    const market = await marketOf(setup);
    for (let i = 0; i < WARM_UP_ROUNDS; i++) await peak(market, PAGES);
    const results = await rounds(ROUNDS, () => peak(market, PAGES));
    const rate = median(results.map((one) => one.rate));
    figure('peak', rate, 'sides/s', `median of ${ROUNDS} rounds, the last: ${results.at(-1)!.note}`);
    const pages = STEADY_SIDES / SIDES;
    const steady = await rounds(ROUNDS, () => steadyFrames(setup, framesOf(market, pages * SECONDS), pages, NONE_REJECTED));
    const note = `${pages} pages/s, from when it was due to its durable answer, ${steady.at(-1)!.note}`;
    spreadOfRounds('100,000 sides/s, one page', steady.map(({ latency }) => latency), note);
  });
}

if (process.argv[2] === 'live') await live();
else inCore();
