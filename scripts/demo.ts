// npm run demo -- [--seconds N] [--data FOLDER] [--port N]
// A live market in a few seconds. Starts a venue with the simulated feed and the limits of demo-limits.json. Opens makers, whose tier an
// admin request raises, and takers; they trade whole chains of BTC and ETH options with real keys.
// Prints one line a second: orders, trades, best prices of two books, equity of all wallets. Wallets are read one after the other, so the
// sum of equities differs from the deposits by the changes of marks meanwhile.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connect, type LocalBook, type Strikebook, type VenueSocket } from '../client/src/main.ts';
import { createWallet, signerOf } from './client.ts';
import { contractsOf, make, open, take, type Actor, type Chain, type Contract, type Tally } from './demo/traders.ts';
import { readFlags, refuse } from './runs.ts';
import { freePort, VenueProcess } from './venue-process.ts';

const LIMITS = fileURLToPath(new URL('demo-limits.json', import.meta.url));
const CHAINS: readonly Chain[] = [{ underlying: 'BTC', size: 0.1 }, { underlying: 'ETH', size: 1 }];
/** Makers of each underlying by their spread, and takers of each. */
const EDGES = [1, 1.3];
const TAKERS = 3;
const READY_WITHIN_MS = 120_000;
const LISTED_EVERY_MS = 50;

/** The listed contracts, once listing has finished. */
async function listedOf(venue: Strikebook, underlying: string): Promise<readonly Contract[]> {
  for (let before = 0; ; await sleep(LISTED_EVERY_MS)) {
    const contracts = await contractsOf(venue, underlying);
    if (contracts.length > 0 && contracts.length === before) return contracts;
    before = contracts.length;
  }
}

/** The call of the nearest expiry whose strike is nearest to the index. */
async function nearest(venue: Strikebook, contracts: readonly Contract[]): Promise<string> {
  const { index_price: index } = await venue.get('/orderbook', { instrument_name: contracts[0]!.symbol, depth: 1 });
  const expiry = Math.min(...contracts.map((one) => one.expiry));
  const calls = contracts.filter((one) => one.expiry === expiry && one.isCall);
  return calls.reduce((a, b) => (Math.abs(a.strike - index) <= Math.abs(b.strike - index) ? a : b)).symbol;
}

/** Owns the wallets, their loops and their sockets. */
class Market {
  readonly makers: Actor[] = [];
  readonly takers: Actor[] = [];
  readonly books: LocalBook[] = [];
  readonly tally: Tally = { placed: 0, replaced: 0, rejected: 0, trades: 0, failed: 0, lastRefusal: '' };
  readonly #reader: Strikebook;
  readonly #viewer: VenueSocket;
  readonly #loops: Promise<void>[] = [];
  readonly #isOver: () => boolean;
  #isClosed = false;

  /** Failures are ignored once `isOver`. */
  constructor(reader: Strikebook, isOver: () => boolean) {
    this.#reader = reader;
    this.#isOver = isOver;
    this.#viewer = reader.socket();
  }

  async open(url: string, token: string): Promise<void> {
    const operator = await connect(url, { headers: { authorization: `Bearer ${token}` } });
    for (const chain of CHAINS) {
      const contracts = await listedOf(this.#reader, chain.underlying);
      const symbol = await nearest(this.#reader, contracts);
      this.books.push(await this.#viewer.book(symbol));
      for (const edge of EDGES) {
        const maker = await this.#actor(url);
        await open(maker, symbol);
        await operator.send({ method: 'POST', path: '/user-tier', body: `{"wallet":"${maker.venue.wallet}","tier":"market_maker"}` });
        this.makers.push(maker);
        this.#run(make(maker, chain, edge));
      }
      for (let i = 0; i < TAKERS; i++) {
        const taker = await this.#actor(url);
        this.takers.push(taker);
        this.#run(take(taker, chain, contracts));
      }
    }
  }

  /** Settles when a loop fails, or when all have ended. */
  get ended(): Promise<unknown> {
    return Promise.all(this.#loops);
  }

  async equityOf(actors: readonly Actor[]): Promise<number> {
    const all = await Promise.all(actors.map(({ venue }) => this.#reader.get('/portfolio', { wallet: venue.wallet })));
    return all.reduce((sum, { margin_summary: margin }) => sum + Number(margin?.equity ?? NaN), 0);
  }

  /** Closes the sockets: requests in flight get no reply, and the loops end. */
  close(): void {
    this.#isClosed = true;
    for (const { socket } of [...this.makers, ...this.takers]) socket.close();
    this.#viewer.close();
  }

  /** A failure is kept for `ended`, even if nobody waits for it yet. */
  #run(loop: Promise<void>): void {
    loop.catch(() => undefined);
    this.#loops.push(loop);
  }

  async #actor(url: string): Promise<Actor> {
    const venue = await connect(url, { signer: signerOf(createWallet()) });
    return { venue, socket: venue.socket(), tally: this.tally, isOver: () => this.#isClosed || this.#isOver() };
  }
}

const money = (usdc: number): string => Math.round(usdc).toLocaleString('en-US');

async function summary(market: Market, before: Tally, seconds: number): Promise<string> {
  const { tally, books } = market;
  const tops = books.map(({ symbol, bestBid, bestAsk }) => `${symbol} ${bestBid?.price ?? '-'} / ${bestAsk?.price ?? '-'}`);
  const [made, taken] = [await market.equityOf(market.makers), await market.equityOf(market.takers)];
  const rate = (name: 'placed' | 'replaced'): string => ((tally[name] - before[name]) / seconds).toFixed(0);
  const refused = tally.rejected + tally.failed;
  return [
    `${rate('placed')} orders/s, ${rate('replaced')} replaces/s, ${tally.trades} trades`, ...tops,
    `equity makers ${money(made)} + takers ${money(taken)} = ${money(made + taken)}`,
    ...(refused === 0 ? [] : [`refused ${refused}: ${tally.lastRefusal}`]),
  ].join(' | ');
}

/** One line a second until it is over or a loop has failed. */
async function watch(market: Market, until: number, isOver: () => boolean): Promise<void> {
  let fault: { error: unknown } | null = null;
  market.ended.catch((error: unknown) => { fault = { error }; });
  let last = { tally: { ...market.tally }, at: performance.now() };
  while (!isOver() && fault === null && performance.now() < until) {
    await sleep(Math.min(1_000, Math.max(0, until - performance.now())));
    const before = last;
    last = { tally: { ...market.tally }, at: performance.now() };
    const line = await summary(market, before.tally, Math.max(0.001, (last.at - before.at) / 1_000)).catch((error: unknown) => {
      if (!isOver()) throw error;
      return null;
    });
    if (line !== null) console.log(line);
  }
}

async function run(venue: VenueProcess, data: string, seconds: number): Promise<void> {
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => { isStopped = true; });
  const isOver = (): boolean => isStopped || venue.isOver;
  let reader: Strikebook;
  try {
    await venue.ready(READY_WITHIN_MS);
    console.log(`demo: venue at ${venue.url}, data in ${data}`);
    reader = await connect(venue.url);
  } catch (error) {
    // A terminal sends the signal to the venue too.
    if (isStopped) return;
    throw error;
  }
  const market = new Market(reader, isOver);
  try {
    await market.open(venue.url, process.env['ADMIN_TOKEN'] || readFileSync(join(data, 'admin-token'), 'utf8').trim());
    await watch(market, performance.now() + seconds * 1_000, isOver);
  } catch (error) {
    if (!isOver()) throw error;
  } finally {
    market.close();
  }
  await market.ended;
  const { placed, replaced, trades, rejected, failed } = market.tally;
  console.log(`demo: ${placed} orders, ${replaced} replaces, ${trades} trades, ${rejected} rejected, ${failed} failed`);
}

async function main(): Promise<void> {
  const values = readFlags('npm run demo -- [--seconds N] [--data FOLDER] [--port N]', { seconds: '', data: '', port: '' });
  const seconds = values.seconds === '' ? Infinity : Number(values.seconds);
  if (!(seconds > 0)) refuse(`--seconds is a number above 0, not "${values.seconds}"`);
  const data = values.data || mkdtempSync(join(tmpdir(), 'strikebook-demo-'));
  const port = values.port === '' ? await freePort() : Number(values.port);
  const venue = await VenueProcess.start({ data, port, flags: ['--feed', 'sim', '--rate-limits', LIMITS], isLoud: true });
  if (values.data === '') process.on('exit', () => rmSync(data, { recursive: true, force: true }));
  try {
    await run(venue, data, seconds);
  } finally {
    const { code, signal, err } = await venue.stop();
    console.log(`demo: the venue stopped with ${signal ?? code}`);
    if (code !== 0) {
      console.error(err);
      process.exitCode = 1;
    }
  }
}

try {
  await main();
} catch (error) {
  console.error(`demo: ${(error as Error).message}`);
  process.exitCode = 1;
}
