// The venue is killed and comes back on its data and port while the page is open, and messages are lost on the way: the page says so, goes
// on without a reload, and then shows the figures of the API. An order that was on its way acts once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { price, signed } from '../../client/terminal/format.ts';
import type { Strikebook } from '../../client/src/main.ts';
import { HAS_CHROMIUM, openPage, routeSockets } from '../support/browser.ts';
import { throwawayOf } from './account.ts';
import { admin, AWAY, INDEX, killAndStartAgain, marketWithBook, startAgain } from './market.ts';

const inChromium = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };

const away = (page: Page) => page.locator('.banner').filter({ hasText: 'The venue has not answered since' });

test('given a position and an order, when the venue is killed, then the API’s figures are shown again', inChromium, async (t) => {
  const market = await marketWithBook(t);
  const { symbol, book } = market;
  const page = await openPage(t, market.url, { path: `/?contract=${symbol}`, expected: AWAY });
  const trader = await throwawayOf(page, market.url);
  await trader.placeOrder({ symbol, side: 'Buy', size: '0.2', price: String(book.best_ask_price) });
  await trader.placeOrder({ symbol, side: 'Buy', size: '0.1', price: String(book.best_bid_price) });
  const row = page.getByRole('grid', { name: 'Positions' }).getByRole('row').filter({ hasText: symbol });
  await row.waitFor();
  await killAndStartAgain(t, market, page, () => row.waitFor());
  const { positions } = await trader.get('/portfolio', { wallet: trader.wallet });
  assert.equal(positions.length, 1);
  await row.filter({ hasText: signed(positions[0]!.amount) }).filter({ hasText: price(positions[0]!.entry_price) }).waitFor();
  await page.getByRole('tab', { name: 'Orders 1' }).waitFor();
  const bid = page.locator('.chain-grid').getByRole('gridcell', { name: `Sell ${symbol} at ${price(book.best_bid_price)}` });
  await bid.waitFor();
});

test('given an order whose answer is lost with the venue, when the same bytes are sent again, then it acts once', inChromium, async (t) => {
  const market = await marketWithBook(t);
  const { symbol, book } = market;
  const path = `/?contract=${symbol}&side=Buy&size=0.1&price=${book.best_bid_price}`;
  const page = await openPage(t, market.url, { path, expected: AWAY });
  const trader = await throwawayOf(page, market.url);
  await page.route('**/order', async (route) => {
    await route.fetch();
    await market.venue.kill();
    await route.abort('connectionfailed');
  }, { times: 1 });
  await page.getByRole('button', { name: 'Review Buy 0.1' }).click();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await away(page).waitFor();
  await startAgain(t, market);
  await away(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send the same bytes again' }).click();
  await page.locator('[data-panel=ticket]').getByText('ACKED').waitFor();
  assert.deepEqual(await openSizes(trader), ['0.1']);
});

test('given a message of a stream is lost on the way, then the page says so, and shows the venue’s figure again', inChromium, async (t) => {
  const { url } = await marketWithBook(t);
  const page = await openPage(t, url);
  let isLosing = false;
  await routeSockets(page, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (!isLosing || !message.includes('IndexPriceUpdate')) socket.send(message);
    });
  });
  await page.reload();
  const shown = page.locator('.index .figure');
  await shown.getByText(price(INDEX)).waitFor();
  isLosing = true;
  await admin(url, '/admin/index-price', { underlying: 'BTC', price: '100100' });
  await page.waitForTimeout(500);
  isLosing = false;
  await admin(url, '/admin/index-price', { underlying: 'ETH', price: '3600' });
  await page.getByText('Missed messages of index_prices').waitFor();
  await shown.getByText(price('100100')).waitFor();
});

async function openSizes(trader: Strikebook): Promise<readonly string[]> {
  const { data } = await trader.get('/orders', { wallet: trader.wallet, status: 'open' });
  return data.map(({ size }) => String(size));
}
