// A liquidation as the page shows it: the index falls, the venue says so and closes the position part by part; the trader closes more, and
// the account is sound again. Position, open orders and ledger on the page are those of the venue.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { price, signed } from '../../client/terminal/format.ts';
import { roundPrice } from '../../client/src/main.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage } from '../support/browser.ts';
import { lastFirst } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree } from './agree.ts';
import { admin, INDEX, marketWithBook } from './market.ts';
import { PERP } from './traded-market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
/** Of the maintenance margin: so low that the venue does not wait, too high for a takeover. */
const LEFT = 0.4;
/** Of the rest: then the equity meets the initial margin. */
const CLOSED = 0.8;
const FAR_BELOW = '10000';

test('given a position that the index turns against, then the page shows its liquidation as the venue carries it out', SKIP, async (t) => {
  const { maker, url } = await marketWithBook(lastFirst(t));
  const page = await openPage(t, url, { path: `/?contract=${PERP}` });
  page.setDefaultTimeout(30_000);
  const me = await throwawayOf(page, url);
  const { wallet } = me;
  const { available_balance: cash } = await me.get('/portfolio', { wallet });
  const size = String(Math.floor(Number(cash) / Number(INDEX) * 5));
  await maker.placeOrder({ symbol: PERP, side: 'Sell', size, price: INDEX });
  await me.placeOrder({ symbol: PERP, side: 'Buy', size, price: INDEX });
  await me.placeOrder({ symbol: PERP, side: 'Buy', size: '0.1', price: FAR_BELOW });
  const positions = page.getByRole('grid', { name: 'Positions' }).locator('tbody tr');
  await positions.getByRole('gridcell', { name: signed(size), exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Orders 1' }).waitFor();

  const { equity, maintenance_margin: above } = (await me.get('/portfolio', { wallet })).margin_summary!;
  const maintenance = Number(equity) - Number(above);
  const fallen = Number(INDEX) - (Number(equity) - LEFT * maintenance) / Number(size);
  const bid = roundPrice(fallen * 0.999, 'near');
  await maker.placeOrder({ symbol: PERP, side: 'Buy', size, price: bid });
  await admin(url, '/admin/index-price', { underlying: 'BTC', price: fallen.toFixed(1) });

  const banner = page.locator('.banner').filter({ hasText: 'This account is being liquidated.' });
  await banner.getByText('takes only closing orders until equity meets the initial margin again').waitFor();
  assert.deepEqual(await seriousFaults(page, '.banners'), []);
  // The venue ends the order that would open more, and closes until the maintenance margin is met.
  await page.getByRole('tab', { name: 'Orders', exact: true }).waitFor();
  await agree(async () => true, async () => Number((await me.get('/portfolio', { wallet })).margin_summary!.maintenance_margin) >= 0);
  const left = (await me.get('/portfolio', { wallet })).positions[0]?.amount ?? '0';
  assert.ok(Number(left) > 0 && Number(left) < Number(size), `${left} of ${size}`);
  await agree(async () => (await me.get('/portfolio', { wallet })).positions.map(({ amount, entry_price: entry }) => [
    PERP, signed(amount), price(entry),
  ]), async () => [(await positions.first().locator('td').allTextContents()).slice(0, 3)]);
  await page.getByRole('tab', { name: /^Ledger/ }).click();
  const rows = page.getByRole('grid', { name: 'Ledger' }).locator('tbody tr');
  await agree(async () => {
    const { data } = await me.get('/ledger', { wallet, kind: 'liquidation_fee', limit: 1 });
    return data.map(({ amount, balance }) => [signed(amount), price(balance)]);
  }, async () => {
    const cells = rows.filter({ hasText: 'liquidation fee' }).first().locator('td');
    const texts = await cells.allTextContents();
    return [texts.slice(3, 5)];
  });
  await page.getByRole('tab', { name: /^Positions/ }).click();
  await page.getByRole('button', { name: `Close ${PERP}` }).click();
  const dialog = page.getByRole('dialog', { name: `Close ${PERP}` });
  await dialog.getByLabel('Size, contracts').fill(String(Math.floor(Number(left) * CLOSED)));
  // The loss against the mark counts: a worst price further away would be refused.
  assert.equal(await dialog.getByLabel('Worst price').inputValue(), bid);
  await dialog.getByRole('button', { name: /^Sell/ }).click();
  await dialog.waitFor({ state: 'detached' });
  await banner.waitFor({ state: 'detached' });
  assert.equal((await me.get('/risk/inputs', { wallet })).data.liquidation_state, 'healthy');
});
