// The panel of the book: ladder, last trades and facts are as the interface tells them, a gap is mended, and own orders are moved.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, createPrivateKey, privateKeySigner } from '../../client/src/main.ts';
import { percent, price, priceOrNone, size } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE, routeSockets } from '../support/browser.ts';
import type { Ends } from '../support/temporary.ts';
import { agree, fitsWidth } from './agree.ts';
import { throwawayOf } from './account.ts';
import { marketWithBook } from './market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const PERP = 'BTC-PERP';
const QUOTES = [
  ['Buy', '99940', '2'], ['Buy', '99900', '1.5'], ['Buy', '99890', '0.25'], ['Sell', '100040', '1'], ['Sell', '100100', '3'],
] as const;
/** One venue and one page for all tests of this file, in their order. */
const scene = HAS_CHROMIUM ? await openScene({ after }) : null!;

async function openScene(t: Ends) {
  const { url, maker } = await marketWithBook(t);
  for (const [side, at, contracts] of QUOTES) await maker.placeOrder({ symbol: PERP, side, size: contracts, price: at });
  const page = await openPage(t, url, { viewport: { width: 1280, height: 1100 }, expected: /status of 40[04]/ });
  const panel = page.locator('[data-panel=book]');
  const grid = panel.getByRole('grid', { name: `Order book of ${PERP}` });
  const taker = await connect(url, { signer: privateKeySigner(createPrivateKey()) });
  return { url, maker, taker, page, panel, grid };
}

/** Chooses the smallest step of prices. */
async function finest(): Promise<void> {
  const smaller = scene.panel.getByRole('button', { name: 'Smaller step of prices' });
  // The last click can come after the button is disabled.
  while (await smaller.isEnabled()) await smaller.click({ timeout: 1_000 }).catch(() => undefined);
}

type Shown = { readonly bids: readonly (readonly string[])[]; readonly asks: readonly (readonly string[])[] };

/** Prices and sizes of the ladder's rows with contracts, best first. */
async function ladder(): Promise<Shown> {
  const rows = await scene.grid.locator('tbody tr').evaluateAll((found) => found.map((row) => ({
    price: row.querySelector('.price')!.textContent!, bid: row.querySelector('.bid .contracts')!.textContent!,
    ask: row.querySelector('.ask .contracts')!.textContent!,
  })));
  return {
    bids: rows.filter(({ bid }) => bid !== '').map(({ price: at, bid }) => [at, bid]),
    asks: rows.filter(({ ask }) => ask !== '').map(({ price: at, ask }) => [at, ask]).reverse(),
  };
}

async function told(): Promise<Shown> {
  const { bids, asks } = await scene.maker.get('/orderbook', { instrument_name: PERP });
  const texts = (levels: readonly (readonly [number, number])[]) => levels.map(([at, contracts]) => [price(at), size(contracts)]);
  return { bids: texts(bids as never), asks: texts(asks as never) };
}

test('given no chosen contract, then the book of the perp is shown, by level and with sums, as the venue tells it', SKIP, async () => {
  const { panel, grid } = scene;
  await panel.getByText('Live', { exact: true }).waitFor();
  await finest();
  await agree(ladder, told);
  assert.equal(await grid.getByRole('gridcell', { name: 'Buy at 99,890' }).getAttribute('title'), '3.75 up to here');
  assert.equal(await grid.getByRole('gridcell', { name: 'Sell at 100,100' }).getAttribute('title'), '4 up to here');
});

test('given the perp, then mark, index, volume, open interest and funding are those of /perps', SKIP, async () => {
  const { panel, maker } = scene;
  await agree(async () => {
    const [perp] = (await maker.get('/perps', { underlying: 'BTC' })).data;
    const { mark_price: mark, index_price: index, volume_24h: volume, open_interest: interest, predicted_rate: rate } = perp!;
    return [priceOrNone(mark), priceOrNone(index), size(volume), size(interest), percent(rate)];
  }, () => panel.locator('.ticker dd').evaluateAll((facts) => facts.map((fact) => fact.firstChild!.textContent!)));
  await panel.getByText(/^in \d+ min \d\d s$/).waitFor();
});

test('given a larger step of prices, then levels of one row are added up, and its price is the step’s', SKIP, async () => {
  const { panel } = scene;
  const [step, larger] = [panel.locator('.steps .button').nth(1), panel.getByRole('button', { name: 'Larger step of prices' })];
  await finest();
  for (const next of ['20', '50']) {
    await larger.click();
    await agree(() => step.textContent(), async () => next);
  }
  await agree(ladder, async () => ({ bids: [['99,900', '3.5'], ['99,890', '0.25']], asks: [['100,040', '1'], ['100,100', '3']] }));
  await step.click();
});

test('given a click on a row of the ladder, then the ticket has its price, a buy left and a sell right', SKIP, async () => {
  const { page, grid } = scene;
  const ticket = page.getByRole('form', { name: 'Order ticket' });
  for (const [side, name, at] of [['Buy', 'Buy at 99,900', '99900'], ['Sell', 'Sell at 100,100', '100100']] as const) {
    await grid.getByRole('gridcell', { name }).click();
    assert.equal(await ticket.getByRole('textbox', { name: 'Price, USD' }).inputValue(), at);
    const chosen = ticket.getByRole('group', { name: 'Side' }).getByRole('button', { name: side });
    assert.equal(await chosen.getAttribute('aria-pressed'), 'true');
  }
  assert.equal(new URL(page.url()).searchParams.get('contract'), PERP);
  assert.equal((await told()).bids.length, 3);
  await page.mouse.move(0, 0);
});

test('given the pointer in the ladder, when the market moves, then each row keeps its price until it is out', SKIP, async () => {
  const { page, grid, maker, taker } = scene;
  await finest();
  const prices = () => grid.locator('tbody .price').allTextContents();
  await page.locator('h1').click();
  await grid.locator('tbody .price').nth(4).hover();
  const before = await prices();
  await maker.placeOrder({ symbol: PERP, side: 'Buy', size: '0.1', price: '100030' });
  const near = grid.locator('.best .contracts', { hasText: /^0.1$/ });
  await near.waitFor();
  await taker.placeOrder({ symbol: PERP, side: 'Sell', size: '4', price: '99890' });
  await grid.locator('.ask.best .contracts', { hasText: '0.15' }).waitFor();
  assert.deepEqual(await prices(), before);
  await page.mouse.move(0, 0);
  await agree(async () => JSON.stringify(await prices()) === JSON.stringify(before), async () => false);
  await taker.cancelAll();
  for (const [side, at, contracts] of QUOTES.slice(0, 3)) await maker.placeOrder({ symbol: PERP, side, size: contracts, price: at });
});

test('given trades, then the newest are listed first with the taker’s side as a sign and a word, as /trades tells them', SKIP, async () => {
  const { panel, maker } = scene;
  await agree(async () => {
    const { data } = await maker.get('/trades', { symbol: PERP, limit: 50 });
    return data.map(({ price: at, size: contracts, taker_side: side }) => [side.toLowerCase(), price(at), size(contracts)]);
  }, () => panel.locator('.trades tbody tr').evaluateAll((rows) => rows.map((row) => [
    row.querySelector('.move')!.getAttribute('aria-label')!, row.children[0]!.lastChild!.textContent!, row.children[1]!.textContent!,
  ])));
  assert.ok(await panel.locator('.trades tbody tr').count() > 0);
});

test('given a message of the book that is lost, then the gap is told and the ladder is that of the venue again', SKIP, async () => {
  const { page, panel, grid, maker } = scene;
  let isDropping = false;
  await routeSockets(page, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const isChange = String(message).includes('"BookUpdate"') && String(message).includes('"is_snapshot":false');
      if (isDropping && isChange) isDropping = false;
      else socket.send(message);
    });
  });
  await page.reload();
  await panel.getByText('Live', { exact: true }).waitFor();
  isDropping = true;
  for (const at of ['99910', '99920']) await maker.placeOrder({ symbol: PERP, side: 'Buy', size: '0.1', price: at });
  await panel.getByText(/^Live · snapshot again at .* \(1\)$/).waitFor();
  assert.equal(isDropping, false);
  await finest();
  await grid.getByRole('gridcell', { name: 'Buy at 99,920' }).waitFor();
  await agree(ladder, told);
});

test('given own orders in the ladder, when they are dragged to another row, then they are amended to its price', SKIP, async () => {
  const { url, page, grid } = scene;
  const me = await throwawayOf(page, url);
  await me.placeOrder({ symbol: PERP, side: 'Buy', size: '0.3', price: '99900' });
  const own = grid.getByRole('gridcell', { name: 'Buy at 99,900' }).locator('.own');
  await own.getByText('0.3').waitFor();
  await finest();
  await own.hover();
  await page.mouse.down();
  const target = (await grid.getByRole('gridcell', { name: 'Buy at 99,930' }).boundingBox())!;
  await page.mouse.move(target.x + 40, target.y + 10, { steps: 4 });
  await grid.locator('tr.target .price').getByText('99,930').waitFor();
  await page.mouse.up();
  await page.getByText('Moved: Buy 0.3, to 99,930.').waitFor();
  await grid.getByRole('gridcell', { name: 'Buy at 99,930' }).locator('.own').getByText('0.3').waitFor();
  const { data: [order] } = await me.get('/orders', { wallet: me.wallet, status: 'open' });
  assert.deepEqual([order!.price, order!.size], ['99930', '0.3']);
  await page.mouse.move(0, 0);
});

test('given a contract that the venue does not list, then the panel says so in the venue’s words', SKIP, async () => {
  const { url, page, panel } = scene;
  await page.goto(`${url}/?contract=BTC-20991231-1-C`);
  await panel.getByRole('status').getByText('Instrument not found: BTC-20991231-1-C').waitFor();
  await panel.getByText('No trade yet.').waitFor();
});

test('given the panel, then axe-core finds nothing serious in dark and light, and it fits a phone', SKIP, async () => {
  const { url, page, panel } = scene;
  await page.goto(url);
  await panel.getByText('Live', { exact: true }).waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await seriousFaults(page, '[data-panel=book]'), [], colorScheme);
  }
  await page.setViewportSize(PHONE);
  await page.getByRole('tab', { name: 'Contract' }).click();
  await panel.getByText('Live', { exact: true }).waitFor();
  await fitsWidth(page, PHONE);
  assert.deepEqual(await seriousFaults(page, '[data-panel=book]'), []);
});
