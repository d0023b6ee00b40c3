// npm run screenshots -- [--to FOLDER] [--program CHROMIUM]
// Pictures of the trading page: a venue with --demo, a throwaway key with a few trades, and the page at four widths, dark and light, as
// PNG files into the folder. Then prints how long a first visit takes until the chain shows prices, with the processor slowed four times.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Browser, type Page } from 'playwright-core';
import { connect, privateKeySigner, type Strikebook } from '../client/src/main.ts';
import { inFolder, readFlags, refuse, sayRun } from './runs.ts';
import { VenueProcess } from './venue-process.ts';

const USAGE = 'npm run screenshots -- [--to FOLDER] [--program CHROMIUM]';
const SCREENS = [[390, 844], [1280, 720], [2560, 1440], [3840, 2160]] as const;
const PHONE_WIDTH = 390;
const SCHEMES = ['dark', 'light'] as const;
const SLOWED = 4;
const READY_WITHIN_MS = 120_000;
/** The page draws again after the window changed. */
const SETTLE_MS = 2_000;
const LOOK_EVERY_MS = 500;
const LOOKS = 60;
const ASK = '.chain-grid td.ask:not(:empty)';

async function main(): Promise<void> {
  const { to, program } = readFlags(USAGE, { to: 'screenshots', program: '/usr/bin/chromium' });
  if (!existsSync(program)) refuse(`no Chromium at ${program}: name it with --program`);
  sayRun('screenshots');
  mkdirSync(to, { recursive: true });
  await inFolder('screenshots', async (data) => {
    const venue = await VenueProcess.start({ data, flags: ['--feed', 'sim', '--demo'] });
    const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
    try {
      await venue.ready(READY_WITHIN_MS);
      const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'dark' });
      const symbol = await trade(page, venue.url);
      await page.goto(`${venue.url}/?contract=${symbol}`);
      for (const [width, height] of SCREENS) for (const scheme of SCHEMES) await picture(page, { to, width, height, scheme });
      await tellFirstVisit(browser, venue.url);
      return true;
    } finally {
      await browser.close();
      await venue.stop();
    }
  });
}

/** Makes a key in the page, and trades with it: an option and a perp are bought, and a bid waits. Returns the option. */
async function trade(page: Page, url: string): Promise<string> {
  await page.goto(url);
  await page.locator(ASK).first().waitFor();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('button', { name: 'Try with a throwaway key' }).click();
  await page.getByRole('button', { name: 'Show the private key' }).click();
  const venue = await connect(url, { signer: privateKeySigner(await page.getByLabel('Private key').inputValue()) });
  const symbol = await nearestCall(venue);
  const book = await quoted(venue, symbol);
  const perp = await quoted(venue, 'BTC-PERP');
  await venue.placeOrder({ symbol, side: 'Buy', size: '0.2', price: String(book.best_ask_price) });
  await venue.placeOrder({ symbol: 'BTC-PERP', side: 'Sell', size: '0.1', price: String(perp.best_bid_price) });
  await venue.placeOrder({ symbol, side: 'Buy', size: '0.3', price: String(book.best_bid_price) });
  return symbol;
}

/** Of the second expiry: its smile is not yet steep. */
async function nearestCall(venue: Strikebook): Promise<string> {
  const listed = (await venue.get('/instruments', { currency: 'BTC' })).filter((one) => one.option_type === 'call');
  const { index_price: index } = await venue.get('/orderbook', { instrument_name: 'BTC-PERP' });
  const expiries = [...new Set(listed.map((one) => one.expiration_timestamp))].sort((a, b) => a - b);
  const chain = listed.filter((one) => one.expiration_timestamp === (expiries[1] ?? expiries[0]));
  return chain.reduce((best, one) => (Math.abs(one.strike - index) < Math.abs(best.strike - index) ? one : best)).instrument_name;
}

/** The book once the makers have quoted both sides. */
async function quoted(venue: Strikebook, symbol: string) {
  for (let looks = 0; looks < LOOKS; looks++, await sleep(LOOK_EVERY_MS)) {
    const book = await venue.get('/orderbook', { instrument_name: symbol });
    if (book.bids.length > 0 && book.asks.length > 0) return book;
  }
  throw new Error(`nobody quotes ${symbol}`);
}

type Shot = { readonly to: string; readonly width: number; readonly height: number; readonly scheme: (typeof SCHEMES)[number] };

async function picture(page: Page, { to, width, height, scheme }: Shot): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: scheme });
  const save = async (part: string): Promise<void> => {
    await page.waitForTimeout(SETTLE_MS);
    const path = join(to, `${width}-${scheme}${part}.png`);
    await page.screenshot({ path });
    console.log(`${path} ${Math.ceil(readFileSync(path).length / 1_000)} kB`);
  };
  if (width !== PHONE_WIDTH) return save('');
  for (const part of ['Chain', 'Contract', 'Ticket', 'Account']) {
    await page.locator('nav').getByRole('tab', { name: part }).click();
    await save(`-${part.toLowerCase()}`);
  }
}

async function tellFirstVisit(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(ASK).first().waitFor();
  const [painted, useful] = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN, performance.now(),
  ]);
  console.log(`first visit, processor slowed ${SLOWED} times: first paint ${Math.round(painted!)} ms, prices ${Math.round(useful!)} ms`);
}

await main();
