// A market maker and an operator at a desk and with a phone, each with a venue that is killed (SIGKILL) in the middle and comes back on its
// data: nobody loads the page again, and what was in force before is in force, and shown, after it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Order } from '../../client/src/main.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import { lastFirst, type Ends } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree, fitsWidth } from './agree.ts';
import { ADMIN_TOKEN, admin, AWAY, INDEX, killAndStartAgain, marketWithBook } from './market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const STRIKES = 20;
/** Far enough away that all of the strikes have a price. */
const EXPIRY = { index: 4 };

async function openScene(t: Ends, width: 'desk' | 'phone', panel: string) {
  const market = await marketWithBook(t);
  const page = await openPage(t, market.url, { path: '/?underlying=BTC', expected: AWAY });
  page.setDefaultTimeout(30_000);
  if (width === 'phone') await page.setViewportSize(PHONE);
  await page.locator('.venue-state').getByText('Live').waitFor();
  await page.getByRole('tab', { name: panel, exact: true }).click();
  return { ...market, page, card: (name: string) => page.getByRole('region', { name, exact: true }) };
}

async function startQuoting(page: Page): Promise<void> {
  const own = page.getByRole('region', { name: 'Quotes of BTC', exact: true });
  await own.getByLabel('Expiry').selectOption(EXPIRY);
  await own.getByLabel('Strikes around the spot').fill(String(STRIKES));
  await own.getByLabel('Of', { exact: true }).selectOption('calls');
  await own.getByRole('button', { name: 'Choose them' }).click();
  await own.getByRole('button', { name: `Start quoting ${STRIKES} contracts` }).click();
}

for (const width of ['desk', 'phone'] as const) {
  test(`given a maker with a ${width} and a venue that is killed while he is frozen, then he unfreezes and quotes on`, SKIP, async (t) => {
    const ends = lastFirst(t);
    const scene = await openScene(ends, width, 'Maker');
    const { card, maker, page, url } = scene;
    const me = await throwawayOf(page, url);
    const quotes = async (): Promise<readonly Order[]> => {
      const { data } = await me.get('/orders', { wallet: me.wallet, status: 'open', limit: 1_000 });
      return data.filter(({ quote_set: set }) => set === 'page');
    };
    const count = async (): Promise<number> => (await quotes()).length;

    // He protects himself and quotes twenty strikes; somebody takes more than he allows.
    const protection = card('Protection of BTC');
    for (const [label, value] of [['Window', '600000'], ['Freeze', '0'], ['Contracts', '1']] as const) {
      await protection.getByLabel(label, { exact: true }).fill(value);
    }
    await protection.getByRole('button', { name: 'Set protection' }).click();
    await protection.getByText('Protection of BTC is set.').waitFor();
    await startQuoting(page);
    await agree(async () => 2 * STRIKES, count);
    const asks = (await quotes()).filter(({ side }) => side === 'Sell').slice(0, 2);
    for (const { symbol, price } of asks) {
      await maker.placeOrder({ symbol, side: 'Buy', size: '1', price: String(Math.ceil(Number(price) * 2)), tif: 'ioc' });
    }
    await protection.getByText('until you unfreeze it').waitFor();
    await page.getByText('Stopped: protection has frozen this underlying.').waitFor();
    await agree(async () => 0, count);

    await killAndStartAgain(ends, scene, page);

    // He is frozen still, unfreezes, and quotes again.
    await protection.getByText('until you unfreeze it').waitFor();
    await admin(url, '/admin/index-price', { underlying: 'BTC', price: INDEX });
    await protection.getByRole('button', { name: 'Unfreeze' }).click();
    await protection.getByText('until you unfreeze it').waitFor({ state: 'detached' });
    await startQuoting(page);
    await agree(async () => 2 * STRIKES, count);
    await card('Quotes of BTC').getByRole('button', { name: 'Stop and pull' }).click();
    await agree(async () => 0, count);
    await fitsWidth(page, page.viewportSize()!);
  });

  test(`given an operator with a ${width} and a venue that is killed while it is halted, then he resumes it`, SKIP, async (t) => {
    const ends = lastFirst(t);
    const scene = await openScene(ends, width, 'Operator');
    const { card, maker, page, symbol } = scene;
    const order = { symbol, side: 'Buy', size: '0.1', price: '10' } as const;
    await page.getByLabel('Admin token').fill(ADMIN_TOKEN);
    await page.getByRole('button', { name: 'Use the token' }).click();
    await page.getByRole('tab', { name: 'Actions' }).click();
    const set = async (mode: 'halted' | 'open'): Promise<void> => {
      const own = card('Halt or resume trading');
      await own.getByLabel('Scope', { exact: true }).fill('BTC');
      await own.getByLabel('Mode', { exact: true }).selectOption(mode);
      const verb = (await own.getByRole('button').textContent())!;
      await own.getByRole('button').click();
      await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
      await own.getByRole('status').filter({ hasText: `"mode":"${mode}"` }).waitFor();
    };
    const banner = page.locator('.banner').filter({ hasText: 'BTC is halted.' });

    await set('halted');
    await banner.waitFor();
    assert.equal((await maker.placeOrder(order)).reason, 'Market is halted');

    await killAndStartAgain(ends, scene, page);

    // Halted still; the page has kept the token in its memory.
    await banner.waitFor();
    assert.equal((await maker.placeOrder(order)).reason, 'Market is halted');
    await set('open');
    await banner.waitFor({ state: 'detached' });
    assert.equal((await maker.placeOrder(order)).status, 'ACKED');
    await fitsWidth(page, page.viewportSize()!);
  });
}
