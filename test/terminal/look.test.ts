// A visitor looks: the page connects, shows index and chain as the venue tells them, fills the ticket by a click, and says what is wrong.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundPrice } from '../../client/src/main.ts';
import { dayUtc, price } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { DESK, HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import { fitsWidth } from './agree.ts';
import { throwawayOf } from './account.ts';
import { admin, INDEX, marketWithBook, startAgain } from './market.ts';

const WALL = { width: 3840, height: 2160 };
const AWAY = /ERR_CONNECTION|WebSocket connection|Failed to load resource/;

test('given a book, when a visitor opens the page, then the chain shows its prices, and a click on the ask fills the ticket', {
  skip: !HAS_CHROMIUM && 'no Chromium is installed',
}, async (t) => {
  const { url, symbol, book } = await marketWithBook(t);
  const page = await openPage(t, url);
  await page.locator('.venue-state').getByText('Live').waitFor();
  const ask = page.locator('.chain-grid').getByRole('gridcell', { name: `Buy ${symbol} at ` });
  const bid = page.locator('.chain-grid').getByRole('gridcell', { name: `Sell ${symbol} at ` });
  assert.deepEqual([await bid.textContent(), await ask.textContent()], [price(book.best_bid_price), price(book.best_ask_price)]);
  assert.equal((await page.locator('.index .figure').textContent())?.trim(), price(INDEX));
  await ask.click();
  const ticket = page.locator('[data-panel=ticket]');
  await ticket.getByRole('heading', { name: symbol }).waitFor();
  assert.equal(await ticket.getByLabel('Price, USD').inputValue(), String(book.best_ask_price));
  assert.equal(await ticket.getByRole('button', { name: 'Buy', exact: true }).getAttribute('aria-pressed'), 'true');
  assert.equal(new URL(page.url()).searchParams.get('contract'), symbol);
  assert.equal(await ask.getAttribute('aria-selected'), 'true');
});

test('given the chain, when a better bid comes or a bid is gone, then its cell changes with a sign for a while, and no other strike does', {
  skip: !HAS_CHROMIUM && 'no Chromium is installed',
}, async (t) => {
  const { url, symbol, maker, book } = await marketWithBook(t);
  const page = await openPage(t, url);
  await page.locator('.chain-grid').getByRole('gridcell', { name: `Sell ${symbol} at ${price(book.best_bid_price)}` }).waitFor();
  await page.evaluate(() => {
    const seen = new Set<string>();
    Object.assign(window, { seen });
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        // Greeks of all strikes change with time.
        const cell = element?.closest<HTMLElement>('td.bid, td.ask');
        if (cell) seen.add(cell.dataset['strike'] ?? '');
      }
    }).observe(document.querySelector('.chain-grid tbody')!, { subtree: true, childList: true, characterData: true, attributes: true });
  });
  const better = roundPrice(book.best_bid_price * 1.05, 'near');
  await maker.placeOrder({ symbol, side: 'Buy', size: '0.1', price: better });
  await page.locator('.chain-grid').getByRole('gridcell', { name: `Sell ${symbol} at ${price(better)}` }).waitFor();
  await page.locator('.chain-grid td.bid[data-move=up]').waitFor();
  await page.locator('.chain-grid [data-move]').first().waitFor({ state: 'detached' });
  assert.deepEqual(await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]), [INDEX]);
  await maker.cancelAll();
  await page.locator('.chain-grid').getByRole('gridcell', { name: `Sell ${symbol} at ` }).waitFor({ state: 'detached' });
});

test('given an open page, when the venue is killed and comes back, then the page says so and goes on without a reload', {
  skip: !HAS_CHROMIUM && 'no Chromium is installed',
}, async (t) => {
  const market = await marketWithBook(t);
  const page = await openPage(t, market.url, { expected: AWAY });
  const bid = page.locator('.chain-grid').getByRole('gridcell', { name: `Sell ${market.symbol} at ` });
  await bid.waitFor();
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await market.venue.kill();
  await page.getByText('The venue has not answered since').waitFor();
  await startAgain(t, market);
  await page.getByText('The venue has not answered since').waitFor({ state: 'detached' });
  await bid.waitFor();
  assert.equal(await bid.textContent(), price(market.book.best_bid_price));
  assert.equal(await page.evaluate(() => (window as unknown as { isSame?: boolean }).isSame), true);
});

test('given a market that the operator halts, then a banner says so until it is open again', {
  skip: !HAS_CHROMIUM && 'no Chromium is installed',
}, async (t) => {
  const { url } = await marketWithBook(t);
  const page = await openPage(t, url);
  await page.locator('.venue-state').getByText('Live').waitFor();
  await admin(url, '/admin/halt', { scope: 'BTC', mode: 'halted' });
  await page.getByText('BTC is halted.').waitFor();
  await admin(url, '/admin/halt', { scope: 'BTC', mode: 'open' });
  await page.getByText('BTC is halted.').waitFor({ state: 'detached' });
});

test('given a link to a contract, then the page shows its expiry and chooses it, and a reload keeps the choice', {
  skip: !HAS_CHROMIUM && 'no Chromium is installed',
}, async (t) => {
  const { url, symbol, maker } = await marketWithBook(t);
  const { data } = await maker.get('/markets', { include_instruments: false });
  const last = Math.max(...data.filter(({ underlying }) => underlying === 'ETH').map(({ expiry }) => expiry));
  const day = new Date(last * 1_000).toISOString().slice(0, 10).replaceAll('-', '');
  const page = await openPage(t, url, { path: `/?underlying=ETH&expiry=${day}&contract=${symbol}` });
  await page.getByRole('grid', { name: `Options of ETH, ${dayUtc(last * 1_000)}` }).waitFor();
  await page.reload();
  await page.getByRole('grid', { name: `Options of ETH, ${dayUtc(last * 1_000)}` }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('contract'), symbol);
  const [other] = (await maker.get('/options-summary', { currency: 'ETH', expiry: last })).toReversed();
  await page.goto(`${url}/?contract=${other!.instrument_name}`);
  await page.getByRole('grid', { name: `Options of ETH, ${dayUtc(last * 1_000)}` }).waitFor();
});

test('given a phone, when a bid is tapped, then the ticket is shown, and the chain is a tab away', {
  skip: !HAS_CHROMIUM && 'no Chromium is installed',
}, async (t) => {
  const { url, symbol } = await marketWithBook(t);
  const page = await openPage(t, url, { viewport: PHONE });
  await page.locator('.chain-grid').getByRole('gridcell', { name: `Sell ${symbol} at ` }).click();
  await page.locator('[data-panel=ticket]').getByText(symbol, { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Chain' }).click();
  await page.locator('.chain-grid').getByRole('gridcell', { name: `Sell ${symbol} at ` }).waitFor();
  await fitsWidth(page, PHONE);
});

test('given the page on a desk and on a phone, dark and light, then axe finds nothing serious and nothing overflows', {
  skip: !HAS_CHROMIUM && 'no Chromium is installed',
}, async (t) => {
  const { url, symbol } = await marketWithBook(t);
  const page = await openPage(t, url);
  for (const [viewport, colorScheme] of [[DESK, 'dark'], [DESK, 'light'], [PHONE, 'dark'], [PHONE, 'light'], [WALL, 'dark']] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.locator('.chain-grid').getByRole('gridcell', { name: `Buy ${symbol} at ` }).waitFor();
    assert.deepEqual(await seriousFaults(page), [], `${viewport.width} ${colorScheme}`);
    assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]), [
      viewport.width, viewport.height,
    ]);
  }
});

test('given an open chain, when the account changes, then no row of the chain goes meanwhile', {
  skip: !HAS_CHROMIUM && 'no Chromium is installed',
}, async (t) => {
  const { url, symbol } = await marketWithBook(t);
  const page = await openPage(t, url);
  await page.locator('.chain-grid').getByRole('gridcell', { name: `Buy ${symbol} at ` }).waitFor();
  await page.evaluate(() => {
    const body = document.querySelector('.chain-grid tbody')!;
    Object.assign(window, { removed: 0 });
    new MutationObserver((changes) => {
      for (const { removedNodes } of changes) (window as unknown as { removed: number }).removed += removedNodes.length;
    }).observe(body, { childList: true });
  });
  const trader = await throwawayOf(page, url);
  await page.getByRole('tab', { name: 'Positions' }).waitFor();
  await trader.placeOrder({ symbol, side: 'Buy', size: '0.1', price: '10' });
  await page.getByRole('tab', { name: 'Orders 1' }).waitFor();
  assert.equal(await page.evaluate(() => (window as unknown as { removed: number }).removed), 0);
});
