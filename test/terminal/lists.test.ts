// The panel of the account: positions, orders and what has been are as the interface tells them, and every action on them acts once.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { roundPrice } from '../../client/src/main.ts';
import { price, signed } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import type { Ends } from '../support/temporary.ts';
import { agree, fitsWidth } from './agree.ts';
import { throwawayOf } from './account.ts';
import { admin, marketWithBook, startAgain } from './market.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const PERP = 'BTC-PERP';
/** Of the test in which the venue is killed. */
const AWAY = /ERR_CONNECTION|WebSocket connection|Failed to load resource/;

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
/** One venue and one page for all tests of this file, in their order. */
const scene = HAS_CHROMIUM ? await openScene({ after }) : null!;

async function openScene(t: Ends) {
  const market = await marketWithBook(t);
  const { url, symbol, maker, book } = market;
  for (const [side, at] of [['Buy', '99900'], ['Sell', '100100']] as const) {
    await maker.placeOrder({ symbol: PERP, side, size: '5', price: at });
  }
  const page = await openPage(t, url, { acceptDownloads: true, expected: AWAY });
  await page.getByText('Your positions and orders will be here').waitFor();
  const me = await throwawayOf(page, url);
  const tab = (name: string) => page.getByRole('tab', { name: new RegExp(`^${name}( \\d+)?$`) });
  return { market, url, symbol, book, page, me, wallet: me.wallet, tab, show: (name: string) => tab(name).click() };
}

test('given a new wallet, when it looks at its lists, then each says what to do', SKIP, async () => {
  const { page, show } = scene;
  for (const [name, text] of [
    ['Positions', 'You hold no position. Click'], ['Orders', 'No order is open. Click'], ['Triggers', 'Set one in the ticket'],
    ['Fills', 'No order of yours has traded yet'], ['History', 'No order of yours has ended yet'], ['Payouts', 'Nothing was paid out yet'],
    ['Funding', 'no funding'], ['Ledger', 'The account opens with its first order'], ['Equity', 'has none of this wallet yet'],
  ] as const) {
    await show(name);
    await page.locator('.lists').getByText(text).waitFor();
  }
});

test('given fills, then they are announced, and positions, greeks and sums are those of the portfolio', SKIP, async () => {
  const { symbol, book, page, me, wallet, tab, show } = scene;
  await show('Positions');
  await me.placeOrder({ symbol, side: 'Buy', size: '0.3', price: String(book.best_ask_price) });
  await me.placeOrder({ symbol: PERP, side: 'Sell', size: '0.5', price: '99900' });
  await page.locator('[aria-live=polite]').getByText(`Bought 0.3 ${symbol} at ${price(book.best_ask_price)}.`).waitFor();
  const grid = page.getByRole('grid', { name: 'Positions' });
  await grid.getByRole('row', { name: PERP }).waitFor();
  // Marks move every few seconds: the page is asked between two answers that are the same.
  await agree(async () => {
    const { positions, margin_summary: margin, total_margin_used: used, available_balance: free } = await me.get('/portfolio', { wallet });
    const { data: { aggregate: greeks } } = await me.get('/portfolio/greeks', { wallet });
    return [
      ...positions.map((one) => [one.symbol, signed(one.amount), price(one.entry_price), signed(one.unrealized_pnl)]),
      [margin!.equity, used, free].map(price), [greeks!.delta, greeks!.gamma, greeks!.vega, greeks!.theta].map(signed),
    ];
  }, async () => {
    const rows = await cellsOf(grid, 'tbody tr');
    const sums = await page.locator('.sums dd').allTextContents();
    const exact = grid.locator('tfoot [title]');
    const greeks = await exact.evaluateAll((found) => found.map((cell) => cell.getAttribute('title')));
    return [...rows.map((cells) => cells.slice(0, 4)), sums.slice(0, 3), greeks];
  });
  assert.equal(await tab('Positions').textContent(), 'Positions 2');
  const own = page.locator('.chain .own').first();
  assert.equal(await own.textContent(), '0.3');
  assert.equal(await own.getAttribute('title'), 'Your position: 0.3');
});

test('given an order, when its price is amended in the row, then Enter sends it, Esc does not, and a refusal is told', SKIP, async () => {
  const { symbol, book, page, me, wallet, show } = scene;
  const low = offBook('bid', -20);
  const terms = { symbol, side: 'Buy', size: '0.1', price: low, post_only: true, client_id: HOSTILE } as const;
  const { order_id: id } = await me.placeOrder(terms);
  await show('Orders');
  const grid = page.getByRole('grid', { name: 'Open orders' });
  const row = grid.getByRole('row', { name: String(id) });
  await row.getByText(`gtc, post-only, ${HOSTILE}`).waitFor();
  await page.getByRole('gridcell', { name: `Sell ${symbol}` }).locator('.own').getByText('0.1').waitFor();
  const field = row.getByRole('textbox', { name: 'Price of' });
  await row.getByRole('button', { name: 'Price' }).click();
  await field.fill(offBook('bid', -10));
  await field.press('Escape');
  await field.waitFor({ state: 'detached' });
  assert.equal((await only(me.get('/orders', { wallet, status: 'open' }))).price, low);

  await row.getByRole('button', { name: 'Price' }).click();
  await field.fill(String(book.best_ask_price));
  await field.press('Enter');
  await page.getByRole('alert').getByText('Not amended: Post-only order would take liquidity').waitFor();

  await field.fill(offBook('bid', -10));
  await row.getByRole('textbox', { name: 'Size of' }).fill('0.2');
  await row.getByRole('textbox', { name: 'Size of' }).press('Enter');
  await row.getByRole('button', { name: `Price ${price(offBook('bid', -10))}: amend` }).waitFor();
  const { price: now, size, order_id: same } = await only(me.get('/orders', { wallet, status: 'open' }));
  assert.deepEqual([now, size, same], [offBook('bid', -10), '0.2', id]);
  await page.getByRole('gridcell', { name: `Sell ${symbol}` }).locator('.own').getByText('0.2').waitFor();
  assert.deepEqual(await seriousFaults(page, '[data-panel=chain]'), []);
});

test('given an order that ends while it is amended in the row, then a click on another row chooses its contract', SKIP, async () => {
  const { symbol, page, me, show } = scene;
  const { order_id: id } = await me.placeOrder({ symbol: PERP, side: 'Buy', size: '0.1', price: '90000' });
  await show('Orders');
  const grid = page.getByRole('grid', { name: 'Open orders' });
  const row = grid.getByRole('row', { name: PERP });
  await row.getByRole('gridcell', { name: PERP, exact: true }).click();
  await page.waitForURL(new RegExp(`contract=${PERP}`));
  await row.getByRole('button', { name: 'Price' }).click();
  await row.getByRole('textbox', { name: 'Price of' }).waitFor();
  await me.cancelOrder(id!);
  await row.waitFor({ state: 'detached' });
  await grid.getByRole('gridcell', { name: symbol, exact: true }).click();
  await page.waitForURL(new RegExp(`contract=${symbol}`));
});

test('given a stop, then it waits among the triggers, its trigger can be amended, and it can be cancelled', SKIP, async () => {
  const { symbol, page, me, wallet, show } = scene;
  const [stop, lower] = [0.8, 0.7].map((part) => roundPrice(scene.book.best_bid_price * part, 'down')) as [string, string];
  const { order_id: id } = await me.stopMarket({ symbol, side: 'Sell', size: '0.2', price: '10', stop, by: 'mark' });
  await show('Triggers');
  const row = page.getByRole('grid', { name: 'Orders that wait for a trigger' }).getByRole('row', { name: String(id) });
  await row.getByRole('button', { name: `Trigger mark ≤ ${price(stop)}: amend` }).click();
  await row.getByRole('textbox', { name: 'Trigger of' }).fill(lower);
  await row.getByRole('textbox', { name: 'Trigger of' }).press('Enter');
  await row.getByRole('button', { name: `Trigger mark ≤ ${price(lower)}: amend` }).waitFor();
  assert.equal((await only(me.get('/orders', { wallet, status: 'untriggered' }))).trigger?.price, lower);
  await row.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('No order waits for a trigger').waitFor();
  assert.equal((await me.get('/orders/status', { wallet, order_id: id! })).data?.status, 'canceled');
});

test('given Shift-Esc, then a question comes first, and only its yes cancels all orders', SKIP, async () => {
  const { symbol, page, me, wallet, tab, show } = scene;
  await show('Positions');
  await page.keyboard.press('Shift+Escape');
  const question = page.getByRole('dialog', { name: 'Cancel all orders?' });
  await question.getByRole('button', { name: 'Go back' }).click();
  await question.waitFor({ state: 'detached' });
  assert.equal((await me.get('/orders', { wallet, status: 'open' })).data.length, 1);
  await page.keyboard.press('Shift+Escape');
  await question.getByRole('checkbox').uncheck();
  await question.getByRole('button', { name: 'Cancel all orders' }).click();
  await page.getByText('Orders cancelled: 1.').waitFor();
  await tab('Orders').and(page.getByText('Orders', { exact: true })).waitFor();
  assert.equal((await me.get('/orders', { wallet, status: 'open' })).data.length, 0);
  // The choice is remembered: now it acts at once.
  await me.placeOrder({ symbol, side: 'Buy', size: '0.1', price: offBook('bid', -20) });
  await page.getByRole('tab', { name: 'Orders 1' }).waitFor();
  await page.keyboard.press('Shift+Escape');
  await tab('Orders').and(page.getByText('Orders', { exact: true })).waitFor();
  assert.equal((await me.get('/orders', { wallet, status: 'open' })).data.length, 0);
});

test('given positions, when one is closed and one reversed, then each is one order within the shown bound', SKIP, async () => {
  const { symbol, book, page, me, wallet, show } = scene;
  await show('Positions');
  await page.getByRole('button', { name: `Close ${symbol}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${price(book.best_bid_price)} for 0.5`).waitFor();
  // Left empty by the user, it stays so when the book is read again.
  await dialog.getByLabel('Worst price').fill('');
  for (let reads = 0; reads < 2; reads++) await page.waitForResponse(/\/orderbook\?/);
  assert.equal(await dialog.getByLabel('Worst price').inputValue(), '');
  await dialog.getByLabel('Worst price').fill(String(book.best_ask_price));
  await dialog.getByRole('button', { name: 'Sell to close' }).click();
  await dialog.getByText('Nothing traded: nobody bids').waitFor();
  await dialog.getByLabel('Worst price').fill(String(book.best_bid_price));
  await dialog.getByRole('button', { name: 'Sell to close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: `Close ${symbol}` }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: `Reverse ${PERP}` }).click();
  await dialog.getByText(`Buy 1 ${PERP} at 105,100`).or(dialog.getByText(`Buy 1 ${PERP} at 105100`)).waitFor();
  await dialog.getByRole('button', { name: 'Buy to reverse' }).click();
  await dialog.waitFor({ state: 'detached' });
  const { positions } = await me.get('/portfolio', { wallet });
  assert.deepEqual(positions.map((one) => [one.symbol, one.amount]), [[PERP, '0.5']]);
  const [reversing, closing] = (await me.get('/orders', { wallet, status: 'filled' })).data;
  assert.deepEqual([closing!.reduce_only, closing!.tif, closing!.price], [true, 'ioc', String(book.best_bid_price)]);
  assert.deepEqual([reversing!.reduce_only, reversing!.tif, reversing!.size], [false, 'ioc', '1']);
});

test('given more fills than a page, when the list is scrolled, then all are there, and the file is the venue\'s export', SKIP, async () => {
  const { page, me, wallet, show } = scene;
  for (let count = 0; count < 60; count++) {
    const [side, at] = count % 2 === 0 ? ['Buy', '100100'] as const : ['Sell', '99900'] as const;
    await me.placeOrder({ symbol: PERP, side, size: '0.01', price: at });
  }
  await show('Fills');
  const { data: fills } = await me.get('/fills', { wallet, kind: 'all', limit: 1_000 });
  const grid = page.getByRole('grid', { name: 'Fills' });
  await grid.getByRole('row').nth(50).waitFor();
  await grid.evaluate((table) => { table.parentElement!.scrollTop = table.parentElement!.scrollHeight; });
  await grid.getByRole('row').nth(fills.length).waitFor();
  const shown = (await cellsOf(grid, 'tbody tr')).map((cells) => [...cells.slice(1, 7), cells[9]]);
  assert.deepEqual(shown, fills.map((fill) => [
    fill.symbol, fill.side, price(fill.price), price(fill.size), price(fill.fee), signed(fill.realized_pnl), String(fill.trade_id),
  ]));
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as CSV' }).click()]);
  assert.equal(file.suggestedFilename(), `fills-${wallet}.csv`);
  assert.equal(readFileSync(await file.path(), 'utf8'), await me.export('/fills', { wallet, kind: 'all' }));
});

test('given a credit with a hostile reason, then the ledger shows it as text, with the balance of the account', SKIP, async () => {
  const { url, page, me, wallet, show } = scene;
  await show('Ledger');
  await admin(url, '/admin/credit', { wallet, amount: '12.5', reason: HOSTILE, id: 'gift-1' });
  const grid = page.getByRole('grid', { name: 'Ledger' });
  await grid.getByText(`${HOSTILE} (gift-1)`).waitFor();
  const { data: entries } = await me.get('/ledger', { wallet, limit: 50 });
  assert.deepEqual((await cellsOf(grid, 'tbody tr')).slice(0, 5).map((cells) => [cells[3], cells[4], cells[6]]),
    entries.slice(0, 5).map((entry) => [signed(entry.amount), price(entry.balance), String(entry.seq)]));
  assert.equal(await page.locator('.lists img').count(), 0);
});

test('given ended orders, then their history is that of the venue, and a header sorts it', SKIP, async () => {
  const { page, me, wallet, show } = scene;
  await show('History');
  const grid = page.getByRole('grid', { name: 'Order history' });
  const { data: orders } = await me.get('/orders', { wallet, status: 'filled,canceled', limit: 50 });
  await agree(async () => orders.map((one) => [String(one.order_id), one.order_status, one.end_reason ?? '–']), async () => (
    (await cellsOf(grid, 'tbody tr')).slice(0, orders.length).map((cells) => [cells[9], cells[6], cells[7]])
  ));
  await grid.getByRole('columnheader', { name: 'Price' }).click();
  assert.equal(await grid.getByRole('columnheader', { name: 'Price' }).getAttribute('aria-sort'), 'descending');
  const prices = (await cellsOf(grid, 'tbody tr')).map((cells) => Number(cells[3]!.replaceAll(',', '')));
  assert.deepEqual(prices, prices.toSorted((one, other) => other - one));
});

test('given a mass quote, then its sides are among the orders, cannot be amended, and a cancel of one ends it', SKIP, async () => {
  const { symbol, page, me, wallet, show } = scene;
  const [low, high] = [offBook('bid', -30), offBook('ask', 30)];
  await me.massQuote({ quote_set: 'mine', quotes: [{ symbol, bid: { size: '0.1', price: low }, ask: { size: '0.2', price: high } }] });
  await show('Orders');
  const rows = page.getByRole('grid', { name: 'Open orders' }).getByRole('row', { name: 'quote mine' });
  await rows.nth(1).waitFor();
  assert.equal(await rows.getByRole('button', { name: 'amend' }).count(), 0);
  await page.getByRole('button', { name: `Cancel Buy 0.1 ${symbol} at ${price(low)}` }).click();
  await rows.nth(1).waitFor({ state: 'detached' });
  await me.massQuote({ quote_set: 'mine', quotes: [{ symbol, ask: { size: '0.3', price: high } }] });
  await page.getByRole('button', { name: `Cancel Sell 0.3 ${symbol} at ${price(high)}` }).waitFor();
  assert.equal((await only(me.get('/orders', { wallet, status: 'open' }))).size, '0.3');
  await me.cancelQuotes();
  await page.getByText('No order is open').waitFor();
});

test('given a keyboard, then arrows go through the cells, Enter presses a button, and Tab has one stop in the grid', SKIP, async () => {
  const { page, show } = scene;
  await show('Positions');
  const grid = page.getByRole('grid', { name: 'Positions' });
  await grid.getByRole('columnheader', { name: 'Contract' }).focus();
  assert.equal(await grid.locator('[tabindex="0"]').count(), 1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `Reverse ${PERP}` });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('given lists in dark and light, and a dialog, then axe-core finds nothing serious in them', SKIP, async () => {
  const { page, show, symbol, me } = scene;
  await me.placeOrder({ symbol, side: 'Buy', size: '0.1', price: offBook('bid', -20) });
  for (const [colorScheme, names] of [['dark', ['Positions', 'Orders']], ['light', ['Ledger', 'Equity']]] as const) {
    await page.emulateMedia({ colorScheme });
    for (const name of names) {
      await show(name);
      assert.deepEqual(await seriousFaults(page, '[data-panel=lists]'), [], `${name}, ${colorScheme}`);
    }
  }
  await show('Positions');
  await page.getByRole('button', { name: `Close ${PERP}` }).click();
  await page.getByRole('dialog').getByText('Reduce-only').waitFor();
  assert.deepEqual(await seriousFaults(page, 'dialog'), []);
  await page.keyboard.press('Escape');
});

test('given a phone, then the lists are a tab, and an order is cancelled there without scrolling aside', SKIP, async () => {
  const { page, show, me, wallet } = scene;
  await page.setViewportSize(PHONE);
  await page.getByRole('tab', { name: 'Account' }).click();
  await show('Orders');
  const cancel = page.getByRole('grid', { name: 'Open orders' }).getByRole('button', { name: 'Cancel' });
  const box = await cancel.boundingBox();
  assert.ok(box !== null && box.x >= 0 && box.x + box.width <= PHONE.width);
  await cancel.click();
  await page.getByText('No order is open').waitFor();
  assert.equal((await me.get('/orders', { wallet, status: 'open' })).data.length, 0);
  await fitsWidth(page, PHONE);
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('given the venue killed and started again, then the lists go on with its figures, without a reload', SKIP, async () => {
  const { market, symbol, page, me, wallet, show } = scene;
  await show('Orders');
  const { order_id: id } = await me.placeOrder({ symbol, side: 'Buy', size: '0.1', price: offBook('bid', -20) });
  const grid = page.getByRole('grid', { name: 'Open orders' });
  await grid.getByRole('row', { name: String(id) }).waitFor();
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await market.venue.kill();
  await page.getByText('The venue has not answered since').waitFor();
  await startAgain({ after }, market);
  await page.getByText('The venue has not answered since').waitFor({ state: 'detached' });
  await me.cancelOrder(id!);
  await grid.getByRole('row', { name: String(id) }).waitFor({ state: 'detached' });
  const { order_id: next } = await me.placeOrder({ symbol, side: 'Buy', size: '0.2', price: offBook('bid', -20) });
  await grid.getByRole('row', { name: String(next) }).waitFor();
  await show('Ledger');
  await agree(async () => (await me.get('/ledger', { wallet, limit: 3 })).data.map((entry) => price(entry.balance)), async () => (
    (await cellsOf(page.getByRole('grid', { name: 'Ledger' }), 'tbody tr')).slice(0, 3).map((cells) => cells[4])
  ));
  assert.equal(await page.evaluate(() => (window as unknown as { isSame?: boolean }).isSame), true);
});

/** So far from the best price. */
function offBook(side: 'bid' | 'ask', distance: number): string {
  return roundPrice(scene.book[`best_${side}_price`] + distance, 'near');
}

async function cellsOf(grid: Locator, rows: string): Promise<readonly (readonly string[])[]> {
  return grid.locator(rows).evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

async function only<Row>(answer: Promise<{ readonly data: readonly Row[] }>): Promise<Row> {
  const { data } = await answer;
  assert.equal(data.length, 1);
  return data[0]!;
}
