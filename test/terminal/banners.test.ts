// Each banner of the page, brought about on a real venue: what it says, what to do, and that it goes when its cause is gone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { roundPrice, type Strikebook } from '../../client/src/main.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage } from '../support/browser.ts';
import { lastFirst } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { admin, INDEX, marketWithBook } from './market.ts';

const inChromium = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const ends = lastFirst({ after });
type Ends = Parameters<typeof openPage>[0];
let market: Awaited<ReturnType<typeof marketWithBook>>;

before(async () => {
  if (HAS_CHROMIUM) market = await marketWithBook(ends);
});

/** The page with a throwaway key made in it, and a client that acts for the same wallet. */
async function pageWithKey(t: Ends): Promise<{ readonly page: Page; readonly trader: Strikebook }> {
  const page = await openPage(t, market.url);
  return { page, trader: await throwawayOf(page, market.url) };
}

const banner = (page: Page, text: string) => page.locator('.banner').filter({ hasText: text });

test('given a contract, its underlying or the venue is halted, then the banner says what is refused', inChromium, async (t) => {
  const { url, symbol } = market;
  const page = await openPage(t, url, { path: `/?contract=${symbol}` });
  for (const [scope, mode, title] of [
    ['BTC', 'halted', 'BTC is halted.'], ['BTC', 'cancel_only', 'BTC is cancel-only.'], [symbol, 'halted', `${symbol} is halted.`],
    ['', 'halted', 'BTC is halted.'],
  ] as const) {
    await admin(url, '/admin/halt', { scope, mode });
    await banner(page, title).getByText(mode === 'halted' ? 'liquidation waits' : 'New orders are refused until').waitFor();
    await admin(url, '/admin/halt', { scope, mode: 'open' });
    await banner(page, title).waitFor({ state: 'detached' });
  }
});

test('given protection has frozen the orders of the wallet, then the banner says so until it is reset', inChromium, async (t) => {
  const { page, trader } = await pageWithKey(t);
  const { symbol, maker, book } = market;
  await trader.setMmp({ currency: 'BTC', interval_ms: 60_000, frozen_time_ms: 0, qty_limit: '0.1' });
  const price = roundPrice((book.best_bid_price + book.best_ask_price) / 2, 'down');
  await trader.placeOrder({ symbol, side: 'Buy', size: '0.2', price });
  await maker.placeOrder({ symbol, side: 'Sell', size: '0.2', price });
  await banner(page, 'Protection has frozen your orders of BTC.').getByText('until you reset it').waitFor();
  assert.deepEqual(await seriousFaults(page), []);
  await trader.resetMmp('BTC');
  await banner(page, 'Protection has frozen').waitFor({ state: 'detached' });
});

test('given a wallet is blocked or may only close, then the banner gives the reason and what to do', inChromium, async (t) => {
  const { page, trader } = await pageWithKey(t);
  const { symbol, url, book } = market;
  const low = { symbol, side: 'Buy', size: '0.1', price: roundPrice(book.best_bid_price / 2, 'down') } as const;
  await trader.placeOrder(low);
  await admin(url, '/admin/block', { wallet: trader.wallet, mode: 'blocked' });
  await banner(page, 'Wallet is blocked.').getByText('Ask the operator').waitFor();
  await admin(url, '/admin/block', { wallet: trader.wallet, mode: 'close_only' });
  await trader.placeOrder(low).catch(() => undefined);
  await banner(page, 'Wallet may only close.').getByText('only close positions').waitFor();
  await admin(url, '/admin/block', { wallet: trader.wallet, mode: 'open' });
  await trader.placeOrder(low);
  await banner(page, 'Wallet may only close.').waitFor({ state: 'detached' });
});

test('given an account falls below its maintenance margin, then the banner says so', inChromium, async (t) => {
  const { page, trader } = await pageWithKey(t);
  const { maker, url } = market;
  const { available_balance: cash } = await trader.get('/portfolio', { wallet: trader.wallet });
  const size = String(Math.floor(Number(cash) / Number(INDEX) * 5 * 10) / 10);
  await maker.placeOrder({ symbol: 'BTC-PERP', side: 'Sell', size, price: INDEX });
  await trader.placeOrder({ symbol: 'BTC-PERP', side: 'Buy', size, price: INDEX });
  await admin(url, '/admin/index-price', { underlying: 'BTC', price: String(Number(INDEX) * 0.8) });
  await banner(page, 'This account is').filter({ hasText: /maintenance margin|being liquidated/ }).waitFor();
  await admin(url, '/admin/index-price', { underlying: 'BTC', price: INDEX });
  await banner(page, 'This account is').waitFor({ state: 'detached' });
});

test('given a stale index price, then the banner says what is refused until it is set again', inChromium, async (t) => {
  const { url } = market;
  const page = await openPage(t, url, { path: '/?underlying=ETH' });
  await page.locator('.venue-state').getByText('Live').waitFor();
  await admin(url, '/admin/index-price', { underlying: 'ETH', price: '3500', stale: true });
  await banner(page, 'The index price of ETH is stale.').getByText('Orders that open risk are refused').waitFor();
  await admin(url, '/admin/index-price', { underlying: 'ETH', price: '3500' });
  await banner(page, 'The index price of ETH is stale.').waitFor({ state: 'detached' });
});
