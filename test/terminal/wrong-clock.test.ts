// A computer whose clock is wrong: the page counts by the venue's, so that what it signs is neither too late nor too far ahead.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundPrice } from '../../client/src/main.ts';
import { price } from '../../client/terminal/format.ts';
import { openPage } from '../support/browser.ts';
import { IN_CHROMIUM } from '../support/chromium.ts';
import { throwawayOf } from './account.ts';
import { marketWithBook } from './market.ts';

const WRONG_MS = 300_000;

test('given a clock five minutes behind, and then one ahead, when an order is amended, then the venue takes it', IN_CHROMIUM, async (t) => {
  const { url, symbol, book } = await marketWithBook(t);
  for (const wrong of [-WRONG_MS, WRONG_MS]) {
    const page = await openPage(t, url);
    await page.addInitScript(`const now = Date.now.bind(Date); Date.now = () => now() + ${wrong};`);
    await page.reload();
    const me = await throwawayOf(page, url);
    const [low, higher] = [0.8, 0.9].map((part) => roundPrice(book.best_bid_price * part, 'down')) as [string, string];
    const { order_id: id } = await me.placeOrder({ symbol, side: 'Buy', size: '0.1', price: low });
    await page.getByRole('tab', { name: 'Orders 1' }).click();
    const row = page.getByRole('grid', { name: 'Open orders' }).getByRole('row', { name: String(id) });
    await row.getByRole('button', { name: 'Price' }).click();
    await row.getByRole('textbox', { name: 'Price of' }).fill(higher);
    await row.getByRole('textbox', { name: 'Price of' }).press('Enter');
    await row.getByRole('button', { name: `Price ${price(higher)}: amend` }).waitFor();
    assert.equal((await me.get('/orders', { wallet: me.wallet, status: 'open' })).data[0]!.price, higher);
  }
});
