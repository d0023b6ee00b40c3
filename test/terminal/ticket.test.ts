// The ticket: what it shows is what the venue says, what it sends is what it showed, and nothing is sent without the review.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { connect, roundPrice, type OrderInfo } from '../../client/src/main.ts';
import { percent, price, rounded } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import type { Ends } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree, fitsWidth } from './agree.ts';
import { admin, INDEX, marketWithBook } from './market.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const NOBODY = `0x${'0'.repeat(40)}`;
const PERP = 'BTC-PERP';
const MARGINS = ['Initial margin', 'Maintenance', 'Free collateral'] as const;
const GREEKS = ['Delta', 'Gamma', 'Vega', 'Theta'] as const;

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
/** One venue and one page for all tests of this file, in their order: first as a visitor, then with a key. */
const scene = HAS_CHROMIUM ? await openScene({ after }) : null!;

async function openScene(t: Ends) {
  const { url, symbol, maker, book } = await marketWithBook(t);
  for (const [side, at] of [['Buy', '99900'], ['Sell', '100100']] as const) {
    await maker.placeOrder({ symbol: PERP, side, size: '5', price: at });
  }
  const page = await openPage(t, url, { expected: /status of 4(00|29)/ });
  page.setDefaultTimeout(30_000);
  const sent: Request[] = [];
  page.on('request', (request) => { if (request.method() === 'POST') sent.push(request); });
  const ask = page.getByRole('gridcell', { name: `Buy ${symbol} at ` });
  return { url, symbol, maker, book, page, sent, ask, ticket: page.getByRole('form', { name: 'Order ticket' }), wallet: { of: NOBODY } };
}

const field = (label: string) => scene.ticket.getByLabel(label, { exact: true });
const button = (name: string | RegExp) => scene.ticket.getByRole('button', { name, exact: true });

/** All digits of a column of the table. */
async function column(names: readonly string[], at: 1 | 2): Promise<readonly (string | null)[]> {
  const rows = await scene.ticket.locator('.before-after tr').evaluateAll((found, place) => found.map((row) => (
    [row.children[0]?.textContent ?? '', row.children[place]?.getAttribute('title') ?? null] as const
  )), at);
  return names.map((name) => rows.find(([title]) => title === name)?.[1] ?? null);
}

/** Orders that reached the venue; questions are none. */
function orders(): readonly Request[] {
  return scene.sent.filter((request) => /^\/(order|bulk_order)$/.test(new URL(request.url()).pathname));
}

async function reviewLines(page: Page): Promise<ReadonlyMap<string, string>> {
  const rows = await page.getByRole('dialog', { name: 'Review' }).locator('dt').evaluateAll((found) => found.map((term) => (
    [term.textContent ?? '', term.nextElementSibling?.textContent ?? ''] as const
  )));
  return new Map(rows);
}

test('given a visitor without a key, when an ask is clicked, then before and after are the venue’s own simulation', SKIP, async () => {
  const { url, symbol, ask, book, ticket } = scene;
  await ask.click();
  await button('Sell').click();
  const reader = await connect(url);
  const order = { symbol, side: 'Sell' as const, size: '0.1', price: String(book.best_ask_price) };
  await agree(async () => {
    const { data: { filled } } = await reader.simulate('/risk/simulate/orders', { wallet: NOBODY, orders: [order] });
    const simulated = JSON.stringify([{ symbol, side: 'Sell', size: '0.1' }]);
    const { data } = await reader.get('/portfolio/greeks', { wallet: NOBODY, simulated_orders: simulated });
    const greeks = data.aggregate!;
    const margins = [filled.total_initial_margin, filled.position_maintenance_margin];
    return [...margins, greeks.delta, greeks.gamma, greeks.vega, greeks.theta].map(price);
  }, async () => [...(await column(MARGINS, 2)).slice(0, 2), ...await column(GREEKS, 2)]);
  assert.equal((await column(['Free collateral'], 1))[0], '10,000,000');
  await ticket.getByText(/^For a new account. (Margins confirmed by the venue.|Venue: initial)/).waitFor();
  await ticket.getByRole('img', { name: 'Profit and loss' }).waitFor();
  await ticket.getByText(/^Even at [\d,.]+ · loses without bound$/).waitFor();
});

test('given a price, volatility or premium, then the others are those of the venue', SKIP, async () => {
  const { url, symbol } = scene;
  const reader = await connect(url);
  await button('Buy').click();
  await field('Volatility, %').fill('61.5');
  await agree(async () => {
    const { data } = await reader.simulate('/limit_iv', { symbol, iv: 0.615, side: 'Buy' });
    return data.limit_price;
  }, () => field('Price, USD').inputValue());
  await field('Size').fill('0.4');
  await field('Premium, USD').fill('400');
  assert.equal(await field('Price, USD').inputValue(), '1000');
  await field('Price, USD').fill(String(scene.book.best_ask_price));
  const expiry = symbol.split('-')[1]!.replace(/(....)(..)(..)/, '$1-$2-$3');
  await agree(async () => {
    const { rows } = await reader.get('/options-chain', { currency: 'BTC', expiry });
    return percent(rounded(rows.find(({ strike }) => strike === Number(INDEX))!.call!.ask_iv, 6));
  }, () => field('Volatility, %').inputValue());
  await field('Price, USD').press('ArrowUp');
  assert.ok(Number(await field('Price, USD').inputValue()) > scene.book.best_ask_price);
  await button('Larger by 0.1').click();
  assert.equal(await field('Size').inputValue(), '0.5');
});

test('given a visitor, when he wants to trade, then the menu of keys opens, and the keyboard alone sends nothing', SKIP, async () => {
  const { page, url } = scene;
  await button('Connect to trade').click();
  await page.getByRole('dialog', { name: 'Wallet and keys' }).waitFor();
  await page.keyboard.press('Escape');
  scene.wallet.of = (await throwawayOf(page, url)).wallet;
  await button(/^Review Buy/).waitFor();
  await page.locator('h1').click();
  await page.keyboard.press('s');
  assert.equal(await button('Sell').getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('b');
  assert.equal(await button('Buy').getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Review' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Review' }).waitFor({ state: 'detached' });
  assert.deepEqual(orders(), []);
});

test('given a reviewed order, then what was shown is what was sent, and its id and fills are the venue’s', SKIP, async () => {
  const { page, url, symbol, ask, book, ticket } = scene;
  await ask.click();
  await field('Size').fill('0.10');
  await field('Size').press('Enter');
  const shown = await reviewLines(page);
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await ticket.getByText('ACKED, filled: filled 0.1').waitFor();
  const body = JSON.parse(orders().at(-1)!.postData()!) as OrderInfo & { readonly wallet: string };
  assert.deepEqual(['Symbol', 'Side', 'Size', 'Price', 'Time in force', 'Wallet'].map((label) => shown.get(label)),
    [body.symbol, body.side, body.size, body.price, body.tif, body.wallet]);
  assert.deepEqual([body.size, body.price, body.wallet], ['0.10', String(book.best_ask_price), scene.wallet.of]);
  assert.match(orders().at(-1)!.postData()!, new RegExp(`"nonce":${shown.get('Nonce')}[,}]`));
  const client = await connect(url);
  const { data: [order] } = await client.get('/orders', { wallet: scene.wallet.of, limit: 1 });
  const { data: [fill] } = await client.get('/fills', { wallet: scene.wallet.of, limit: 1 });
  await ticket.getByText(`order ${order!.order_id}`).waitFor();
  const fills = ticket.getByRole('list', { name: `Fills of order ${order!.order_id}` });
  assert.equal((await fills.innerText()).trim(), `Filled ${fill!.size} at ${price(fill!.price)}, fee ${fill!.fee}`);
  await agree(async () => {
    const [portfolio, { data: { aggregate } }] = await Promise.all([
      client.get('/portfolio', { wallet: scene.wallet.of }), client.get('/portfolio/greeks', { wallet: scene.wallet.of }),
    ]);
    const { delta, gamma, vega, theta } = aggregate!;
    return [portfolio.available_balance, delta, gamma, vega, theta].map(price);
  }, async () => [...await column(['Free collateral'], 1), ...await column(GREEKS, 1)]);
  assert.equal((await client.get('/portfolio', { wallet: scene.wallet.of })).positions[0]!.symbol, symbol);
});

test('given a position, when a stop and a target are sent, then the venue has both, linked, and the stop waits', SKIP, async () => {
  const { page, url, ticket, book } = scene;
  const [stop, worst] = [0.5, 0.25].map((part) => roundPrice(book.best_bid_price * part, 'down')) as [string, string];
  await button('Stop + target').click();
  await button('Sell').click();
  await field('Stop, below').fill(stop);
  await field('Target, USD').fill('9000');
  await field('Worst price, USD').fill(worst);
  await ticket.getByText('As if the target were filled.').waitFor();
  await button(/^Review Sell/).click();
  await page.getByRole('dialog', { name: 'Review' }).getByText(`once theo is below ${stop}`).waitFor();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await ticket.getByText('ACKED, untriggered').waitFor();
  const { data } = await (await connect(url)).get('/orders', { wallet: scene.wallet.of, status: 'working' });
  assert.equal(new Set(data.map(({ link_id: link }) => link)).size, 1);
  assert.deepEqual(data.map(({ order_status: status, reduce_only: reduces, price: at }) => [status, reduces, at]).sort(), [
    ['open', true, '9000'], ['untriggered', true, worst],
  ]);
  assert.deepEqual(data.find(({ trigger }) => trigger !== undefined)!.trigger, { by: 'theo', direction: 'below', price: stop });
  await button('Limit').click();
});

test('given a post-only order that would trade, then the ticket warns, the venue refuses, and its text is shown', SKIP, async () => {
  const { page, ask, ticket } = scene;
  await ask.click();
  await field('Post-only').selectOption('reject');
  await ticket.getByText('It would trade at once: the venue refuses a post-only order then.').waitFor();
  await button(/^Review Buy/).click();
  assert.equal((await reviewLines(page)).get('Post only'), 'reject');
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await ticket.getByText('REJECTED: Post-only order would take liquidity').waitFor();
  await ticket.getByText('What was hashed').click();
  assert.match(await ticket.locator('.result dl').innerText(), /Digest\s+0x[0-9a-f]{64}/);
  await field('Post-only').selectOption('');
});

test('given a refusal with hostile text, then it stays text, with what the venue says that it hashed', SKIP, async () => {
  const { page, ask, ticket } = scene;
  const digest = `0x${'ab'.repeat(32)}`;
  const refusal = { error: 'signature_verification_failed', message: HOSTILE, digest, struct_hash: HOSTILE, recovered: null };
  await page.route('**/order', (route) => route.fulfill({ status: 400, json: refusal }));
  await ask.click();
  await button(/^Review Buy/).click();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await ticket.locator('.result .bad').getByText(HOSTILE).waitFor();
  await ticket.getByText(digest).waitFor();
  assert.equal(await ticket.locator('img').count(), 0);
  await page.unroute('**/order');
});

test('given no more simulations, then the page’s own figures stay and are named so', SKIP, async () => {
  const { page, ask, ticket } = scene;
  const refusal = { success: false, data: null, error: 'rate_limit_exceeded', message: 'Too many', retry_after_secs: 9, limit: 60 };
  await page.route('**/risk/simulate/orders', (route) => route.fulfill({ status: 429, json: refusal }));
  await ask.click();
  await field('Size').fill('0.2');
  await ticket.getByText('The page’s own figures: the venue simulates no more for now.').waitFor();
  assert.match((await column(['Fee, as taker'], 2))[0] ?? '', /^[0-9.]+$/);
  await page.unroute('**/risk/simulate/orders');
});

test('given a plain perp order, then its terms stand beside the hash that is signed', SKIP, async () => {
  const { page, ticket } = scene;
  await page.goto(`${scene.url}/?contract=${PERP}&side=Sell&price=99900&size=0.25`);
  await button('Review Sell 0.25').click();
  const shown = await reviewLines(page);
  assert.deepEqual(['symbol', 'side', 'size', 'price', 'tif'].map((name) => shown.get(name)), [PERP, 'Sell', '0.25', '99900', 'gtc']);
  assert.match(shown.get('Hash of the order')!, /^0x[0-9a-f]{64}$/);
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await ticket.getByText('ACKED, filled: filled 0.25').waitFor();
});

test('given an order on its way, when another is reviewed meanwhile, then the answer leaves that review open', SKIP, async () => {
  const { page, ticket } = scene;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => { release = resolve; });
  await page.route('**/order', async (route) => {
    await held;
    await route.continue();
  }, { times: 1 });
  const review = page.getByRole('dialog', { name: 'Review' });
  await button('Review Sell 0.25').click();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await page.getByRole('button', { name: 'Sending …' }).waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await field('Size').fill('0.3');
  await button('Review Sell 0.3').click();
  await review.getByText(`Sell 0.3 ${PERP}`).first().waitFor();
  release();
  await page.getByRole('button', { name: 'Sign and send' }).waitFor();
  await page.locator('.toasts').getByText(`Sell 0.25 ${PERP} at 99900: ACKED, filled: filled 0.25`).first().waitFor();
  assert.equal(await review.getByText(`Sell 0.3 ${PERP}`).count(), 1);
  await page.keyboard.press('Escape');
  await ticket.getByText('ACKED, filled: filled 0.25').waitFor();
});

test('given a link with an order, then it fills the ticket and sends nothing', SKIP, async () => {
  const { page, symbol, url } = scene;
  const before = orders().length;
  await page.goto(`${url}/?contract=${symbol}&side=Sell&price=4321&size=0.7&send=1`);
  await button('Review Sell 0.7').waitFor();
  assert.deepEqual([await field('Price, USD').inputValue(), await field('Size').inputValue()], ['4321', '0.7']);
  assert.equal(orders().length, before);
  assert.equal(new URL(page.url()).searchParams.get('price'), null);
});

test('given 1280 by 720, then the ticket does not scroll, and breaks no rule of accessibility in dark or light', SKIP, async () => {
  const { page, ticket } = scene;
  await ticket.getByRole('img', { name: 'Profit and loss' }).waitFor();
  const body = ticket.locator('.ticket-body');
  const over = await body.evaluate((element) => [
    element.scrollHeight - element.clientHeight, element.scrollWidth - element.clientWidth,
  ]);
  assert.deepEqual(over, [0, 0]);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await seriousFaults(page, '.ticket'), []);
  }
  await button(/^Review Sell/).click();
  assert.deepEqual(await seriousFaults(page, '.ticket'), []);
  await page.keyboard.press('Escape');
  await page.setViewportSize(PHONE);
  await page.getByRole('tab', { name: 'Ticket' }).click();
  await fitsWidth(page, PHONE);
});

test('given a halted market, then the ticket says so and the venue’s refusal is shown', SKIP, async () => {
  const { page, ticket, url } = scene;
  await admin(url, '/admin/halt', { scope: 'BTC', mode: 'halted' });
  await ticket.getByText('The market is halted: the venue refuses every order.').waitFor();
  await button(/^Review Sell/).click();
  await page.getByRole('button', { name: 'Sign and send' }).click();
  await ticket.getByText('REJECTED: Market is halted').waitFor();
  await admin(url, '/admin/halt', { scope: 'BTC', mode: 'open' });
});
