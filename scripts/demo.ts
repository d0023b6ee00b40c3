// npm run demo -- [--seconds N] [--data FOLDER] [--port N]
// A living market in a few seconds: starts a venue of its own with the simulated feed, opens makers (raised to market_maker
// with the admin token) and takers, and lets them trade a BTC and an ETH chain with real keys over real HTTP. One line a
// second: orders, trades, tops of two books, equity of all. Nobody reads all wallets at one moment, so the sum of equities is
// what was paid in up to the mark that changed while they were read.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createWallet, Http, signerFor, type RequestSigner } from './client.ts';
import { bookOf, make, open, take, type Actor, type Chain, type Contract, type Tally } from './demo/traders.ts';
import { freePort, VenueProcess } from './venue-process.ts';

const LIMITS = fileURLToPath(new URL('demo-limits.json', import.meta.url));
const EXPIRIES = 3;
const STRIKES = 7;
/** An expiry nearer than this is left out: its last hours are all gamma. */
const NOT_BEFORE_MS = 6 * 3_600_000;
const SIZES: Readonly<Record<string, number>> = { BTC: 1, ETH: 10 };
/** Makers of each underlying by their spread, and takers of each. */
const EDGES = [1, 1.3];
const TAKERS = 3;
const READY_WITHIN_MS = 30_000;

type Instrument = {
  readonly instrument_name: string; readonly strike: number; readonly expiration_timestamp: number; readonly option_type: string;
};
type Portfolio = { readonly margin_summary?: { readonly equity: string } };

/** The nearest expiries with the strikes around the money; waits until the venue has listed them. */
async function chainOf(http: Http, underlying: string): Promise<Chain> {
  for (let tries = 0; tries < 400; tries++, await sleep(25)) {
    const { status, body } = await http.get(`/instruments?currency=${underlying}`);
    if (status !== 200) continue;
    const listed = (body as readonly Instrument[]).filter((one) => one.expiration_timestamp > Date.now() + NOT_BEFORE_MS);
    const expiries = [...new Set(listed.map((one) => one.expiration_timestamp))].sort((a, b) => a - b).slice(0, EXPIRIES);
    const book = listed.length === 0 ? null : await bookOf(http, listed[0]!.instrument_name);
    if (expiries.length < EXPIRIES || book === null) continue;
    const contracts = expiries.flatMap((expiry) => nearest(listed.filter((one) => one.expiration_timestamp === expiry), book.index_price));
    if (contracts.length === EXPIRIES * STRIKES * 2) return { underlying, contracts, size: SIZES[underlying]! };
  }
  throw new Error(`the venue lists no chain of ${underlying}`);
}

/** Call and put of the strikes nearest to the index, nearest first. */
function nearest(listed: readonly Instrument[], index: number): Contract[] {
  const strikes = [...new Set(listed.map((one) => one.strike))].sort((a, b) => Math.abs(a - index) - Math.abs(b - index)).slice(0, STRIKES);
  return strikes.flatMap((strike) => listed.filter((one) => one.strike === strike).map((one) => ({
    symbol: one.instrument_name, strike, expiry: one.expiration_timestamp, isCall: one.option_type === 'call',
  })));
}

async function raise(http: Http, wallet: string, token: string): Promise<void> {
  const { status, text } = await http.post('/user-tier', { wallet, tier: 'market_maker' }, { authorization: `Bearer ${token}` });
  if (status !== 200) throw new Error(`/user-tier: ${status} ${text.slice(0, 200)}`);
}

type Market = {
  readonly makers: readonly Actor[]; readonly takers: readonly Actor[]; readonly chains: readonly Chain[]; readonly ended: Promise<unknown>;
};

async function openMarket(http: Http, signer: RequestSigner, token: string, tally: Tally, isOver: () => boolean): Promise<Market> {
  const actor = (): Actor => ({ http, signer, wallet: createWallet(), tally, isOver });
  const chains = await Promise.all(['BTC', 'ETH'].map((underlying) => chainOf(http, underlying)));
  const makers: Actor[] = [];
  const takers: Actor[] = [];
  const loops: Promise<void>[] = [];
  for (const chain of chains) {
    for (const edge of EDGES) {
      const maker = actor();
      await open(maker, chain.contracts[0]!.symbol);
      await raise(http, maker.wallet.address, token);
      makers.push(maker);
      loops.push(make(maker, chain, edge));
    }
    for (let i = 0; i < TAKERS; i++) {
      const taker = actor();
      takers.push(taker);
      loops.push(take(taker, chain));
    }
  }
  return { makers, takers, chains, ended: Promise.all(loops) };
}

async function equityOf(http: Http, actors: readonly Actor[]): Promise<number> {
  const all = await Promise.all(actors.map(async ({ wallet }) => {
    const { status, body } = await http.get(`/portfolio?wallet=${wallet.address}`);
    return status === 200 ? Number((body as Portfolio).margin_summary?.equity ?? NaN) : NaN;
  }));
  return all.reduce((sum, equity) => sum + equity, 0);
}

const money = (usdc: number): string => Math.round(usdc).toLocaleString('en-US');

async function summary(http: Http, { makers, takers, chains }: Market, tally: Tally, before: Tally, seconds: number): Promise<string> {
  const tops = await Promise.all(chains.map(async ({ contracts }) => {
    const { symbol } = contracts.find(({ isCall }) => isCall)!;
    const book = await bookOf(http, symbol);
    return `${symbol} ${book?.bids[0]?.[0] ?? '-'} / ${book?.asks[0]?.[0] ?? '-'}`;
  }));
  const [made, taken] = [await equityOf(http, makers), await equityOf(http, takers)];
  const rate = (name: 'placed' | 'cancelled'): string => ((tally[name] - before[name]) / seconds).toFixed(0);
  const refused = tally.rejected + tally.failed;
  return [
    `${rate('placed')} orders/s, ${rate('cancelled')} cancels/s, ${tally.trades} trades`, ...tops,
    `equity makers ${money(made)} + takers ${money(taken)} = ${money(made + taken)}`,
    ...(refused === 0 ? [] : [`refused ${refused}: ${tally.lastRefusal}`]),
  ].join(' | ');
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string' }, data: { type: 'string' }, port: { type: 'string' } } });
  const seconds = values.seconds === undefined ? Infinity : Number(values.seconds);
  if (!(seconds > 0)) throw new RangeError(`--seconds is a number above 0, not "${values.seconds}"`);
  const data = values.data ?? mkdtempSync(join(tmpdir(), 'strikebook-demo-'));
  const port = values.port === undefined ? await freePort() : Number(values.port);
  const venue = await VenueProcess.start({ data, port, flags: ['--feed', 'sim', '--rate-limits', LIMITS], isLoud: true });
  let isOver = false;
  process.on('SIGINT', () => { isOver = true; });
  process.on('SIGTERM', () => { isOver = true; });
  const http = new Http(venue.url, { connections: 64 });
  try {
    await venue.ready(READY_WITHIN_MS);
    console.log(`demo: venue at ${venue.url}, data in ${data}`);
    const tally: Tally = { placed: 0, cancelled: 0, rejected: 0, trades: 0, failed: 0, lastRefusal: '' };
    const token = process.env['ADMIN_TOKEN'] || readFileSync(join(data, 'admin-token'), 'utf8').trim();
    const market = await openMarket(http, await signerFor(http), token, tally, () => isOver || venue.isOver);
    let fault: unknown = null;
    market.ended.catch((error: unknown) => { fault = error; });
    const until = performance.now() + seconds * 1_000;
    let last = { tally: { ...tally }, at: performance.now() };
    while (!isOver && fault === null && !venue.isOver && performance.now() < until) {
      await sleep(Math.min(1_000, Math.max(0, until - performance.now())));
      const now = performance.now();
      const before = last;
      last = { tally: { ...tally }, at: now };
      const line = await summary(http, market, tally, before.tally, Math.max(0.001, (now - before.at) / 1_000)).catch((error: unknown) => {
        if (!isOver && !venue.isOver) throw error;
        return null;
      });
      if (line !== null) console.log(line);
    }
    isOver = true;
    await market.ended;
    const { placed, cancelled, trades, rejected, failed } = tally;
    console.log(`demo: ${placed} orders, ${cancelled} cancels, ${trades} trades, ${rejected} rejected, ${failed} failed`);
  } finally {
    isOver = true;
    http.close();
    const { code, signal, err } = await venue.stop();
    console.log(`demo: the venue stopped with ${signal ?? code}`);
    if (code !== 0) {
      console.error(err);
      process.exitCode = 1;
    }
    if (values.data === undefined) rmSync(data, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  console.error(`demo: ${(error as Error).message}`);
  process.exitCode = 1;
}
