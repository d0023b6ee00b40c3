// npm run demo -- [--url URL] [--token TOKEN] [--seconds N] [--data FOLDER] [--port N]
// The makers and takers of `npm start -- --demo`, seen from outside: against the venue at --url, or against one that is started for them
// and ends with them. With the admin token (--token, ADMIN_TOKEN) makers get their tier and their cash. New wallets each time.
// Prints one line a second: orders, quotes, trades, best prices of the perps, equity of all wallets. Wallets are read one after the other,
// so the sum of equities differs from the deposits by the changes of marks meanwhile.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DemoMarket } from '../client/demo/market.ts';
import type { Tally } from '../client/demo/maker.ts';
import { connect, createPrivateKey, type Strikebook } from '../client/src/main.ts';
import { readFlags, refuse } from './runs.ts';
import { freePort, VenueProcess } from './venue-process.ts';

const USAGE = 'npm run demo -- [--url URL] [--token TOKEN] [--seconds N] [--data FOLDER] [--port N]';
const READY_WITHIN_MS = 120_000;
const PERPS = ['BTC-PERP', 'ETH-PERP'];

const money = (usdc: number): string => Math.round(usdc).toLocaleString('en-US');

async function equityOf(reader: Strikebook, traders: readonly { readonly venue: Strikebook }[]): Promise<number> {
  const all = await Promise.all(traders.map(({ venue: { wallet } }) => reader.get('/portfolio', { wallet })));
  return all.reduce((sum, { margin_summary: margin }) => sum + Number(margin?.equity ?? NaN), 0);
}

async function summary(reader: Strikebook, market: DemoMarket, before: Tally, seconds: number): Promise<string> {
  const { makers, takers, tally } = market;
  const books = await Promise.all(PERPS.map((symbol) => reader.get('/orderbook', { instrument_name: symbol, depth: 1 })));
  const tops = books.map(({ instrument_name: symbol, bids, asks }) => `${symbol} ${bids[0]?.[0] ?? '-'} / ${asks[0]?.[0] ?? '-'}`);
  const [made, taken] = [await equityOf(reader, makers), await equityOf(reader, takers)];
  const rate = (name: 'placed' | 'quoted'): string => ((tally[name] - before[name]) / seconds).toFixed(0);
  return [
    `${rate('placed')} orders/s, ${rate('quoted')} quotes/s, ${tally.trades} trades`, ...tops,
    `equity makers ${money(made)} + takers ${money(taken)} = ${money(made + taken)}`,
    ...(tally.refused === 0 ? [] : [`refused ${tally.refused}: ${tally.lastRefusal}`]),
  ].join(' | ');
}

/** One line a second until it is over or the market has failed. */
async function watch(reader: Strikebook, market: DemoMarket, until: number, isOver: () => boolean): Promise<void> {
  let fault: { error: unknown } | null = null;
  market.ended.catch((error: unknown) => { fault = { error }; });
  let last = { tally: { ...market.tally }, at: performance.now() };
  while (!isOver() && fault === null && performance.now() < until) {
    await sleep(Math.min(1_000, Math.max(0, until - performance.now())));
    const before = last;
    last = { tally: { ...market.tally }, at: performance.now() };
    const seconds = Math.max(0.001, (last.at - before.at) / 1_000);
    const line = await summary(reader, market, before.tally, seconds).catch((error: unknown) => {
      if (!isOver()) throw error;
      return null;
    });
    if (line !== null) console.log(line);
  }
}

type Run = { readonly url: string; readonly token: string | null; readonly seconds: number; readonly isOver: () => boolean };

async function trade({ url, token, seconds, isOver }: Run): Promise<void> {
  const reader = await connect(url);
  const market = new DemoMarket({ url, token, keyOf: createPrivateKey, say: (text) => console.log(`demo: ${text}`) });
  try {
    await market.open();
    await watch(reader, market, performance.now() + seconds * 1_000, isOver);
  } catch (error) {
    if (!isOver()) throw error;
  } finally {
    market.close();
  }
  await market.ended;
  const { placed, quoted, trades, refused } = market.tally;
  console.log(`demo: ${placed} orders, ${quoted} quotes, ${trades} trades, ${refused} refused`);
}

/** With a venue of its own, which a terminal's signal reaches too. */
async function tradeAlone(folder: string, portText: string, seconds: number, isStopped: () => boolean): Promise<void> {
  const data = folder || mkdtempSync(join(tmpdir(), 'strikebook-demo-'));
  const port = portText === '' ? await freePort() : Number(portText);
  const venue = await VenueProcess.start({ data, port, flags: ['--feed', 'sim'], isLoud: true });
  if (folder === '') process.on('exit', () => rmSync(data, { recursive: true, force: true }));
  try {
    await venue.ready(READY_WITHIN_MS);
    console.log(`demo: venue at ${venue.url}, data in ${data}`);
    const token = process.env['ADMIN_TOKEN'] || readFileSync(join(data, 'admin-token'), 'utf8').trim();
    await trade({ url: venue.url, token, seconds, isOver: () => isStopped() || venue.isOver });
  } catch (error) {
    if (!isStopped()) throw error;
  } finally {
    const { code, signal, err } = await venue.stop();
    console.log(`demo: the venue stopped with ${signal ?? code}`);
    if (code !== 0) {
      console.error(err);
      process.exitCode = 1;
    }
  }
}

async function main(): Promise<void> {
  const values = readFlags(USAGE, { url: '', token: '', seconds: '', data: '', port: '' });
  const seconds = values.seconds === '' ? Infinity : Number(values.seconds);
  if (!(seconds > 0)) refuse(`--seconds is a number above 0, not "${values.seconds}"`);
  if (values.url !== '' && (values.data !== '' || values.port !== '')) refuse('--url names a venue that runs: --data and --port start one');
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => { isStopped = true; });
  if (values.url === '') return tradeAlone(values.data, values.port, seconds, () => isStopped);
  const token = values.token || process.env['ADMIN_TOKEN'] || null;
  await trade({ url: values.url, token, seconds, isOver: () => isStopped });
}

try {
  await main();
} catch (error) {
  console.error(`demo: ${(error as Error).message}`);
  process.exitCode = 1;
}
