// Each banner of the page, brought about on a real venue: what it says, what to do, and that it goes when its cause is gone.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { roundPrice, type Strikebook } from '../../client/src/main.ts';
import { price } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage } from '../support/browser.ts';
import { lastFirst, temporaryFolder } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree } from './agree.ts';
import { admin, AWAY, INDEX, marketWithBook, startAgain } from './market.ts';

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
  // No order says so: the page asks.
  await page.reload();
  await banner(page, 'Wallet is blocked.').waitFor();
  await page.goto(`${url}/?contract=${symbol}&side=Buy&price=1`);
  await page.getByText('This wallet is blocked: the venue refuses its orders.').waitFor();
  await admin(url, '/admin/block', { wallet: trader.wallet, mode: 'close_only' });
  await banner(page, 'Wallet may only close.').getByText('only close positions').waitFor();
  await page.getByText('This wallet may only close: the venue refuses an order that opens.').waitFor();
  await admin(url, '/admin/block', { wallet: trader.wallet, mode: 'open' });
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

test('given one contract is halted, then the chain and the ticket say so of that contract alone', inChromium, async (t) => {
  const { url, symbol } = market;
  const page = await openPage(t, url, { path: `/?contract=${symbol}` });
  const bids = page.locator('.chain-grid .bid');
  await page.getByRole('gridcell', { name: new RegExp(`^Sell ${symbol} at [\\d,.]+$`) }).waitFor();
  await admin(url, '/admin/halt', { scope: symbol, mode: 'halted' });
  await page.getByRole('gridcell', { name: new RegExp(`^Sell ${symbol} at .*, halted$`) }).waitFor();
  assert.equal(await bids.and(page.locator('.shut')).count(), 1);
  await page.getByRole('form', { name: 'Order ticket' }).getByText('The market is halted: the venue refuses every order.').waitFor();
  assert.deepEqual(await seriousFaults(page), []);
  await admin(url, '/admin/halt', { scope: symbol, mode: 'open' });
  await page.locator('.chain-grid .shut').first().waitFor({ state: 'detached' });
  await page.getByText('The market is halted: the venue refuses every order.').waitFor({ state: 'detached' });
});

test('given a price band, then the ticket warns of a price beyond it with the bounds that the venue names', inChromium, async (t) => {
  const settings = join(temporaryFolder(lastFirst(t)), 'settings.json');
  writeFileSync(settings, JSON.stringify({ price_band: '30 %' }));
  const { url, symbol } = await marketWithBook(t, ['--settings', settings]);
  const page = await openPage(t, url, { path: `/?contract=${symbol}&side=Buy&price=9000&size=0.1` });
  await throwawayOf(page, url);
  const ticket = page.getByRole('form', { name: 'Order ticket' });
  const warning = ticket.getByText(/^Outside the price band of .* the venue refuses it\.$/);
  await warning.waitFor();
  // The mark moves with time, so the band does: the price within it is taken from the band that was named.
  let within = '';
  await agree(async () => null, async () => {
    const warned = await warning.textContent();
    await ticket.getByRole('button', { name: 'Review Buy 0.1' }).click();
    await page.getByRole('button', { name: 'Sign and send' }).click();
    const refused = await ticket.getByText(/^REJECTED: Price outside band: /).textContent();
    const [low, high] = refused!.match(/band: ([\d.]+) to ([\d.]+)/)!.slice(1);
    within = roundPrice((Number(low) + Number(high)) / 2, 'down');
    return warned === `Outside the price band of ${price(low)} to ${price(high)}: the venue refuses it.` ? null : [warned, refused];
  });
  await ticket.getByLabel('Price, USD', { exact: true }).fill(within);
  await warning.waitFor({ state: 'detached' });
});

test('given the venue says that its figures lag behind, then the banner says so with the venue’s own words', inChromium, async (t) => {
  const page = await openPage(t, market.url);
  const detail = 'the reader is 1200 commands behind <img src=x>';
  await page.route('**/ready', async (route) => {
    const answer = await route.fetch();
    const told = await answer.json() as { readonly components: readonly { readonly name: string }[] };
    const components = told.components.map((one) => (one.name === 'reader' ? { ...one, state: 'degraded', ready: true, detail } : one));
    assert.notDeepEqual(components, told.components);
    await route.fulfill({ response: answer, json: { ...told, degraded: true, components } });
  });
  await banner(page, 'Figures lag behind.').getByText(detail).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await banner(page, 'Figures lag behind.').waitFor({ state: 'detached' });
});

test('given a node of a cluster that does not lead, then the banner says so and where to trade, until it leads', inChromium, async (t) => {
  const page = await openPage(t, market.url);
  const follower = {
    node: 'b', role: 'follower', epoch: 1, position: 1, seq: 1, leader: 'a', leader_url: 'http://127.0.0.1:1/', nodes: [],
  };
  const answer = async (told: object): Promise<void> => {
    await page.unroute('**/cluster');
    await page.route('**/cluster', (route) => route.fulfill({ json: { ...follower, ...told } }));
    await page.reload();
  };
  const shown = banner(page, 'This node, b, does not lead.');
  await answer({});
  await shown.getByText('Trade at the leader, a: http://127.0.0.1:1/.').waitFor();
  assert.equal(await shown.getByRole('link').getAttribute('href'), follower.leader_url);
  assert.deepEqual(await seriousFaults(page, '.banners'), []);
  await answer({ leader_url: 'javascript:alert(1)' });
  await shown.getByText('javascript:alert(1)').waitFor();
  assert.equal(await shown.getByRole('link').count(), 0);
  await answer({ leader: null, leader_url: null });
  await shown.getByText('Nobody leads now: wait.').waitFor();
  await answer({ role: 'leader' });
  await page.locator('.venue-state').getByText('Live').waitFor();
  await shown.waitFor({ state: 'detached' });
});

test('given another venue answers at the address, then the page says so and signs nothing for it', inChromium, async (t) => {
  const first = await marketWithBook(t);
  const page = await openPage(t, first.url, { path: `/?contract=${first.symbol}&side=Buy&price=1&size=0.1`, expected: AWAY });
  await throwawayOf(page, first.url);
  const reviewing = page.getByRole('button', { name: 'Review Buy 0.1' });
  await reviewing.waitFor();
  await first.venue.kill();
  await banner(page, 'The venue has not answered since').waitFor();
  const second = await startAgain(t, { ...first, data: temporaryFolder(lastFirst(t)) });
  await admin(second.url, '/admin/index-price', { underlying: 'BTC', price: INDEX });
  await banner(page, 'Another venue answers here.').getByText('Load the page again').waitFor();
  assert.match(await page.locator('.wallet-menu > button').innerText(), /^Key of another venue/);
  await page.getByRole('button', { name: 'Approve a key to trade' }).waitFor();
  assert.equal(await reviewing.count(), 0);
});
