// The page by keyboard alone: a contract is found and chosen, the chain walked, the help read, and no key acts while a field is typed in.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage } from '../support/browser.ts';
import { lastFirst } from '../support/temporary.ts';
import { marketWithBook } from './market.ts';

const inChromium = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const ends = lastFirst({ after });
let market: Awaited<ReturnType<typeof marketWithBook>>;

before(async () => {
  if (HAS_CHROMIUM) market = await marketWithBook(ends);
});

async function openChain(t: Parameters<typeof openPage>[0]): Promise<Page> {
  const page = await openPage(t, market.url);
  await page.locator('.chain-grid').getByRole('gridcell', { name: `Buy ${market.symbol} at ` }).waitFor();
  return page;
}

test('given /, parts of a name and Enter, then the contract is chosen with its expiry, and a perp too', inChromium, async (t) => {
  const page = await openChain(t);
  const { data } = await market.maker.get('/markets', { include_instruments: true });
  const last = data.filter(({ underlying }) => underlying === 'ETH').at(-1)!.instruments!.at(-1)!;
  await page.keyboard.press('/');
  const dialog = page.getByRole('dialog', { name: 'Find a contract' });
  await page.keyboard.type(last.id.toLowerCase().split('-').toReversed().join(' '));
  await dialog.getByRole('option', { name: last.id }).waitFor();
  assert.equal(await dialog.getByRole('option').count(), 1);
  assert.deepEqual(await seriousFaults(page), []);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  const fields = new URL(page.url()).searchParams;
  assert.deepEqual([fields.get('underlying'), fields.get('expiry'), fields.get('contract')], ['ETH', last.id.split('-')[1], last.id]);
  await page.keyboard.press('/');
  await page.keyboard.type('perp');
  await dialog.getByRole('option', { name: 'ETH-PERP' }).waitFor();
  const options = await dialog.getByRole('option').locator('.figure').allTextContents();
  for (let at = options.indexOf('ETH-PERP'); at > 0; at--) await page.keyboard.press('ArrowDown');
  assert.match((await dialog.locator('[aria-selected=true]').textContent())!, /^ETH-PERP/);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).searchParams.get('contract'), 'ETH-PERP');
});

test('given the find dialog, when nothing matches it says so, and Escape leaves everything as it was', inChromium, async (t) => {
  const page = await openChain(t);
  const before = page.url();
  await page.keyboard.press('/');
  const dialog = page.getByRole('dialog', { name: 'Find a contract' });
  await dialog.getByRole('option').first().waitFor();
  await page.keyboard.type('doge <img src=x onerror=alert(1)>');
  await dialog.getByText('No contract has these parts in its name.').waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(page.url(), before);
});

test('given ?, then the help lists the keys; neither / nor ? acts in a field or in a dialog', inChromium, async (t) => {
  const page = await openChain(t);
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keys' });
  for (const text of ['Find a contract', 'This help']) await help.getByText(text).waitFor();
  assert.deepEqual(await seriousFaults(page), []);
  await page.keyboard.press('/');
  assert.equal(await page.getByRole('dialog').count(), 1);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('/?');
  assert.equal(await page.getByRole('combobox').inputValue(), '/?');
  assert.equal(await page.getByRole('dialog').count(), 1);
});

test('given the chain, when arrows lead to an ask and Enter is pressed, then it fills the ticket', inChromium, async (t) => {
  const page = await openChain(t);
  await page.getByRole('columnheader', { name: 'Calls' }).focus();
  const label = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  for (let steps = 0; steps < 60 && !(await rowHasBook(page)); steps++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  for (let steps = 0; steps < 20 && !(await label()).startsWith('Buy '); steps++) await page.keyboard.press('ArrowRight');
  assert.match(await label(), new RegExp(`^Buy ${market.symbol} at `));
  await page.keyboard.press('Enter');
  await page.locator('[data-panel=ticket]').getByText(market.symbol).first().waitFor();
  assert.equal(new URL(page.url()).searchParams.get('contract'), market.symbol);
});

function rowHasBook(page: Page): Promise<boolean> {
  const selector = `tr:focus-within [aria-label^="Buy ${market.symbol}"]`;
  return page.locator(selector).count().then((count) => count > 0);
}
