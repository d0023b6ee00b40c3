// An entry with its own stop and target from the ticket: one review, three orders, and the venue alone does the rest. What the review says
// of an entry that fills partly, or not at all, is what then happens.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { roundPrice } from '../../client/src/main.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import { lastFirst, type Ends } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree, fitsWidth } from './agree.ts';
import { admin, marketWithBook } from './market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const WORST = '1';
const ROSE_TO = '104000';
const FELL_TO = '96000';

async function openScene(t: Ends) {
  const market = await marketWithBook(t);
  const { symbol, url, book, maker } = market;
  const page = await openPage(t, url, { path: `/?contract=${symbol}` });
  page.setDefaultTimeout(30_000);
  const me = await throwawayOf(page, url);
  const { wallet } = me;
  const ticket = page.getByRole('form', { name: 'Order ticket' });
  const [stop, target] = [roundPrice(book.mark_price * 0.95, 'near'), roundPrice(book.mark_price * 1.15, 'near')];
  await ticket.getByRole('button', { name: 'Bracket' }).click();
  const fill = async (values: Readonly<Record<string, string>>): Promise<void> => {
    for (const [label, value] of Object.entries(values)) await ticket.getByLabel(label, { exact: true }).fill(value);
  };
  await fill({ 'Price, USD': String(book.best_ask_price), 'Stop, below': stop, 'Target, USD': target, 'Worst exit': WORST });
  const held = async (): Promise<string> => (await me.get('/portfolio', { wallet })).positions[0]?.amount ?? '0';
  const working = async (): Promise<readonly string[]> => {
    const { data } = await me.get('/orders', { wallet, status: 'working' });
    return data.map(({ side, size, price, order_status: status }) => `${side} ${Number(size)} at ${Number(price)}: ${status}`).sort();
  };
  return { ...market, page, me, maker, ticket, fill, stop, target, held, working };
}

async function review(page: Page, size: string): Promise<void> {
  await page.getByRole('button', { name: `Review Buy ${size}` }).click();
  await page.getByRole('dialog', { name: 'Review' }).getByText('whether this page is open or not').waitFor();
}

async function sign(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign and send' }).click();
}

test('given an entry with stop and target, when the page is closed and the target is reached, then the venue closes', SKIP, async (t) => {
  const { page, ticket, maker, url, symbol, target, stop, held, working, fill } = await openScene(lastFirst(t));
  await fill({ Size: '0.2' });
  assert.deepEqual(await seriousFaults(page, '.ticket'), []);
  await review(page, '0.2');
  assert.deepEqual(await seriousFaults(page, '.ticket'), []);
  const dialog = page.getByRole('dialog', { name: 'Review' });
  await dialog.getByText(`once theo is below ${stop}`).waitFor();
  await dialog.getByText(`once theo is above ${target}`).waitFor();
  await sign(page);
  await ticket.getByText('ACKED, filled: filled 0.2').waitFor();
  assert.equal(await held(), '0.2');
  assert.deepEqual(await working(), [`Sell 0.2 at ${Number(target)}: untriggered`, `Sell 0.2 at ${WORST}: untriggered`].sort());
  await page.close();
  await maker.placeOrder({ symbol, side: 'Buy', size: '0.1', price: target });
  await admin(url, '/admin/index-price', { underlying: 'BTC', price: ROSE_TO });
  // Half of the target found a buyer: the stop guards the other half.
  await agree(async () => [`Sell 0.1 at ${WORST}: untriggered`, `Sell 0.2 at ${Number(target)}: partially_filled`], working);
  assert.equal(await held(), '0.1');
  await maker.placeOrder({ symbol, side: 'Buy', size: '0.1', price: target });
  await agree(async () => [[], '0'], async () => [await working(), await held()]);
});

for (const exit of ['target', 'stop'] as const) {
  test(`given an entry that fills partly, when the ${exit} fires, then it closes that part, and the other ends`, SKIP, async (t) => {
    const { page, ticket, url, symbol, maker, book, held, working, fill, target } = await openScene(lastFirst(t));
    await fill({ Size: '0.8' });
    await review(page, '0.8');
    await sign(page);
    await ticket.getByText('ACKED, partially_filled: filled 0.5').waitFor();
    const rest = `Buy 0.8 at ${book.best_ask_price}: partially_filled`;
    const exits = [`Sell 0.8 at ${Number(target)}: untriggered`, `Sell 0.8 at ${WORST}: untriggered`];
    assert.deepEqual(await working(), [rest, ...exits].sort());
    if (exit === 'target') await maker.placeOrder({ symbol, side: 'Buy', size: '0.8', price: roundPrice(Number(target) * 1.1, 'near') });
    await admin(url, '/admin/index-price', { underlying: 'BTC', price: exit === 'target' ? ROSE_TO : FELL_TO });
    // The stop meets the rest of the entry and ends it.
    await agree(async () => [exit === 'target' ? [rest] : [], '0'], async () => [await working(), await held()]);
    const banner = page.locator('.banner').filter({ hasText: 'has closed, but a rest of its entry is in the book' });
    if (exit === 'target') {
      await banner.getByText('filled 0.5 of 0.8').waitFor();
      await banner.getByRole('button', { name: 'Cancel the rest' }).click();
      await agree(async () => [], working);
    }
    await banner.waitFor({ state: 'detached' });
  });
}

test('given an entry that is refused, then the page says that its exits wait, and cancels both when asked', SKIP, async (t) => {
  const { page, ticket, held, working, fill } = await openScene(lastFirst(t));
  await fill({ Size: '0.2' });
  await ticket.getByLabel('Post-only').selectOption('reject');
  await review(page, '0.2');
  await sign(page);
  await ticket.getByText('REJECTED: Post-only order would take liquidity').waitFor();
  await ticket.getByText('The entry opened nothing, and its stop and target still wait.').waitFor();
  assert.equal((await working()).length, 2);
  await ticket.getByRole('button', { name: 'Cancel both' }).click();
  await page.getByText('The stop and the target are cancelled.').waitFor();
  assert.deepEqual([await working(), await held()], [[], '0']);
});

test('given a bracket, then the ticket does not scroll at 1280 by 720, and fits a phone', SKIP, async (t) => {
  const { page, ticket } = await openScene(lastFirst(t));
  await ticket.getByRole('img', { name: 'Profit and loss' }).waitFor();
  assert.equal(await ticket.locator('.ticket-body').evaluate((body) => body.scrollHeight - body.clientHeight), 0);
  await page.setViewportSize(PHONE);
  await page.getByRole('tab', { name: 'Ticket' }).click();
  await fitsWidth(page, PHONE);
});
