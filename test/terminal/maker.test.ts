// A market maker at the page: quotes twenty strikes, follows the mark, is frozen by protection and unfreezes, pulls, and leaves.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, test } from 'node:test';
import { price, size } from '../../client/terminal/format.ts';
import type { Order } from '../../client/src/main.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import type { Ends } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree, fitsWidth } from './agree.ts';
import { admin, INDEX, marketWithBook, startAgain } from './market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const STRIKES = 20;
/** How far a mark can move by the passing of time between two looks. */
const MOVED = 1.001;
const LOOK_EVERY_MS = 100;
const MOST_LOOKS = 300;
/** Far enough away that all of the strikes have a price. */
const EXPIRY = { index: 4 };
const HOSTILE = '<img src=x onerror=alert(1)>';
/** One venue and one page for all tests of this file, in their order. */
const scene = HAS_CHROMIUM ? await openScene({ after }) : null!;

async function openScene(t: Ends) {
  const market = await marketWithBook(t);
  const page = await openPage(t, market.url, { path: '/?underlying=BTC', expected: /Failed to load resource|ERR_CONNECTION|WebSocket/ });
  await page.getByRole('tab', { name: 'Maker', exact: true }).click();
  await page.getByRole('button', { name: 'Choose a key' }).waitFor();
  const me = await throwawayOf(page, market.url);
  const quotes = async (): Promise<readonly Order[]> => {
    const { data } = await me.get('/orders', { wallet: me.wallet, status: 'open', limit: 1_000 });
    return data.filter(({ quote_set: set }) => set === 'page');
  };
  const card = (name: string | RegExp) => page.getByRole('region', { name });
  return { ...market, page, me, quotes, card };
}

async function until<T>(look: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> {
  for (let looks = 0; ; looks++) {
    const value = await look();
    if (isIt(value)) return value;
    assert.ok(looks < MOST_LOOKS, `still ${JSON.stringify(value)}`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Chooses calls around the spot and starts. */
async function start(): Promise<readonly Order[]> {
  const { card, page, quotes } = scene;
  const own = card('Quotes of BTC');
  await own.getByLabel('Expiry').selectOption(EXPIRY);
  await own.getByLabel('Strikes around the spot').fill(String(STRIKES));
  await own.getByLabel('Of', { exact: true }).selectOption('calls');
  await own.getByRole('button', { name: 'Choose them' }).click();
  await own.getByRole('button', { name: `Start quoting ${STRIKES} contracts` }).click();
  await page.getByText(/Quoting since/).waitFor();
  return until(quotes, ({ length }) => length === 2 * STRIKES);
}

test('given twenty strikes, when a maker starts quoting, then both sides of each stand around its mark, as shown', SKIP, async () => {
  const { me, page, quotes } = scene;
  const standing = await start();
  assert.equal(new Set(standing.map(({ symbol }) => symbol)).size, STRIKES);
  // Marks move every few seconds, and the quotes with them.
  const cells = page.getByRole('grid', { name: 'Quotes of BTC' }).locator('td.up, td.down');
  await agree(async () => (await quotes()).map(({ price: at, side, size: amount, symbol }) => (
    `${side === 'Buy' ? 'Bid' : 'Ask'} in ${symbol}: ${price(at)} ${size(amount)}`
  )).toSorted(), async () => (
    (await cells.evaluateAll((all) => all.map((cell) => cell.getAttribute('aria-label')))).toSorted()
  ));
  for (const { price: at, side, symbol } of standing) {
    const { mark_price: mark } = await me.get('/orderbook', { instrument_name: symbol });
    assert.ok(side === 'Buy' ? Number(at) < mark * MOVED : Number(at) * MOVED > mark, `${side} ${symbol} at ${at}, mark ${mark}`);
  }
});

test('given quotes, when the index moves, then they follow it with their order ids kept', SKIP, async () => {
  const { quotes, url } = scene;
  const before = await quotes();
  await admin(url, '/admin/index-price', { underlying: 'BTC', price: '100400' });
  const moved = await until(quotes, (now) => now.length === before.length && now.every((one) => (
    one.price !== before.find(({ order_id: id }) => id === one.order_id)?.price
  )));
  assert.deepEqual(moved.map(({ order_id: id }) => id).toSorted(), before.map(({ order_id: id }) => id).toSorted());
  await admin(url, '/admin/index-price', { underlying: 'BTC', price: INDEX });
});

test('given protection set in the page, when another wallet\'s fills exceed it, then it stops frozen, and unfreezes', SKIP, async () => {
  const { card, maker, me, page, quotes } = scene;
  const own = card('Protection of BTC');
  await own.getByLabel('Window').fill('600000');
  await own.getByLabel('Freeze', { exact: true }).fill('0');
  await own.getByLabel('Contracts', { exact: true }).fill('1.5');
  await own.getByRole('button', { name: 'Set protection' }).click();
  await own.getByText('Protection of BTC is set.').waitFor();
  const asks = (await quotes()).filter(({ side }) => side === 'Sell').slice(0, 2);
  await maker.placeOrder({ symbol: asks[0]!.symbol, side: 'Buy', size: '1', price: String(Number(asks[0]!.price) * 2 | 0), tif: 'ioc' });
  await own.getByRole('meter', { name: 'Contracts used' }).and(page.locator('[aria-valuetext="1 of 1.5"]')).waitFor();
  await maker.placeOrder({ symbol: asks[1]!.symbol, side: 'Buy', size: '1', price: String(Number(asks[1]!.price) * 2 | 0), tif: 'ioc' });
  await own.getByText('until you unfreeze it').waitFor();
  await page.getByText('Stopped: protection has frozen this underlying.').waitFor();
  assert.equal((await me.get('/mmp/config', { wallet: me.wallet, currency: 'BTC' })).data[0]?.is_frozen, true);
  await until(quotes, ({ length }) => length === 0);
  await own.getByRole('button', { name: 'Unfreeze' }).click();
  await own.getByText('until you unfreeze it').waitFor({ state: 'detached' });
  const { is_frozen: isFrozen, qty_used: used } = (await me.get('/mmp/config', { wallet: me.wallet, currency: 'BTC' })).data[0]!;
  assert.deepEqual([isFrozen, used], [false, '0']);
  await own.getByRole('button', { name: 'Delete' }).click();
  await own.getByText('Protection is off.').waitFor();
});

test('given quotes again, when the maker stops, then they are pulled, and no message follows', SKIP, async () => {
  const { card, page, quotes } = scene;
  await start();
  await card('Quotes of BTC').getByRole('button', { name: 'Stop and pull' }).click();
  await page.getByText('The quotes of this page are cancelled.').waitFor();
  await until(quotes, ({ length }) => length === 0);
  await sleep(3_000);
  assert.equal((await quotes()).length, 0);
});

test('given quotes of another program too, when the maker pulls all, then none is left', SKIP, async () => {
  const { card, me, page, symbol } = scene;
  await me.massQuote({ quote_set: 'elsewhere', quotes: [{ symbol, bid: { size: '1', price: '5' } }] });
  await card('Quotes of BTC').getByRole('button', { name: 'Pull all quotes' }).click();
  await page.getByText('All your quotes are cancelled.').waitFor();
  const { data } = await me.get('/orders', { wallet: me.wallet, status: 'open' });
  assert.deepEqual(data, []);
});

test('given the switches of the page, when they are set and turned off, then the venue has them', SKIP, async () => {
  const { card, me } = scene;
  const { wallet } = me;
  const dead = card('Dead man\'s switch');
  await dead.getByLabel('Timeout').fill('600');
  await dead.getByRole('button', { name: 'Arm once' }).click();
  await until(() => me.get('/cancel-after', { wallet }), ({ data }) => data.timeout_ms === 600_000 && data.cancel_at !== null);
  await dead.getByText('Armed', { exact: true }).waitFor();
  await dead.getByRole('button', { name: 'Turn off' }).click();
  await until(() => me.get('/cancel-after', { wallet }), ({ data }) => data.cancel_at === null);
  const gone = card('Cancel on disconnect');
  await gone.getByRole('button', { name: 'Guard this page' }).click();
  await gone.getByText('the connection of this page', { exact: true }).waitFor();
  assert.equal((await me.get('/cancel-on-disconnect', { wallet })).data.enabled, true);
  await gone.getByRole('button', { name: 'Turn off' }).click();
  await until(() => me.get('/cancel-on-disconnect', { wallet }), ({ data }) => !data.enabled);
});

test('given a refusal with markup in it, then the page shows it as text', SKIP, async () => {
  const { card, page } = scene;
  await page.route('**/mmp/config', (route) => (route.request().method() !== 'POST' ? route.continue()
    : route.fulfill({ status: 400, json: { error: 'invalid_parameter', message: HOSTILE } })));
  await card('Protection of BTC').getByRole('button', { name: 'Set protection' }).click();
  await card('Protection of BTC').getByText(HOSTILE).waitFor();
  assert.equal(await page.locator('img[src=x]').count(), 0);
  await page.unroute('**/mmp/config');
});

test('given the panel at a desk and on a phone, then axe-core finds nothing serious and all fits the screen', SKIP, async () => {
  const { card, page } = scene;
  assert.deepEqual(await seriousFaults(page, '[data-panel=maker]'), []);
  const desk = page.viewportSize()!;
  await page.setViewportSize(PHONE);
  await card('Quotes of BTC').waitFor();
  await fitsWidth(page, PHONE);
  await page.setViewportSize(desk);
});

test('given quotes, when the venue is gone, then quoting stops, stays off when it is back, and quotes are as before', SKIP, async (t) => {
  const { page, quotes, venue } = scene;
  const before = await start();
  await venue.kill();
  await page.getByText('Stopped: the page has lost its connection.').waitFor();
  await startAgain(t, scene);
  await page.locator('.venue-state').getByText('Live').waitFor();
  await admin(scene.url, '/admin/index-price', { underlying: 'BTC', price: '100500' });
  await sleep(3_000);
  const key = ({ order_id: id, price: at }: Order): string => `${id} ${at}`;
  assert.deepEqual((await quotes()).map(key).toSorted(), before.map(key).toSorted());
  await page.getByText('Stopped: the page has lost its connection.').waitFor();
});
