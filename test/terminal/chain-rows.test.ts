// A chain of 150 strikes: only rows near the view are in the document, and scrolling, keys and screen readers do not notice. Needs a build.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seriousFaults } from '../support/axe.ts';
import { openPage } from '../support/browser.ts';
import { IN_CHROMIUM } from '../support/chromium.ts';
import { startPageStub, STUB_STRIKES } from '../support/page-stub.ts';
import type { Ends } from '../support/temporary.ts';

const HEAD_ROWS = 2;
const ROWS = STUB_STRIKES + HEAD_ROWS;
const ROW_PX = 24;
const MOST_DRAWN = 70;
let stub: Awaited<ReturnType<typeof startPageStub>>;
before(async () => { stub = await startPageStub({ book: 0, chain: 0 }); });
after(() => stub.close());

test('given a long chain, when it is scrolled to its end, then the last strikes are drawn in their places, and few rows',
  IN_CHROMIUM, async (t) => {
    const page = await openChain(t);
    assert.ok(await page.locator('.chain-grid tbody [role=row]').count() < MOST_DRAWN);
    assert.equal(await page.locator('.chain-grid').getAttribute('aria-rowcount'), String(ROWS));
    const heights = () => page.evaluate(() => ['.chain-grid tbody', '.chain .grid-frame', '.chain-grid thead'].map(
      (part) => document.querySelector(part)![part === '.chain .grid-frame' ? 'scrollHeight' : 'clientHeight']));
    const before = await heights();
    assert.equal(before[0], STUB_STRIKES * ROW_PX);
    assert.equal(before[1], before[0] + before[2]!);
    await scrollTo(page, STUB_STRIKES * ROW_PX);
    await rowOf(page, ROWS).waitFor();
    assert.equal(await rowOf(page, ROWS).getByRole('rowheader').textContent(), '199,000');
    assert.equal(await rowOf(page, HEAD_ROWS + 1).count(), 0);
    assert.ok(await page.locator('.chain-grid tbody [role=row]').count() < MOST_DRAWN);
    assert.deepEqual(await heights(), before);
    assert.deepEqual(await seriousFaults(page), []);
  });

test('given the chain scrolled away, when arrows and pages lead to rows not drawn, then these are drawn, focused and in view',
  IN_CHROMIUM, async (t) => {
    const page = await openChain(t);
    await scrollTo(page, STUB_STRIKES * ROW_PX);
    await rowOf(page, ROWS).waitFor();
    await page.getByRole('columnheader', { name: 'Calls' }).focus();
    for (const row of [2, 3, 4]) {
      await page.keyboard.press('ArrowDown');
      await focusIs(page, row);
    }
    for (let row = 14; row < ROWS; row += 10) {
      await page.keyboard.press('PageDown');
      await focusIs(page, row);
    }
    await page.keyboard.press('PageDown');
    await focusIs(page, ROWS);
    await page.keyboard.press('ArrowDown');
    await focusIs(page, ROWS);
    await page.keyboard.press('ArrowUp');
    await focusIs(page, ROWS - 1);
  });

test('given a cell with the focus, when the chain is scrolled far away from it, then it keeps the focus and the keys go on from it',
  IN_CHROMIUM, async (t) => {
    const page = await openChain(t);
    const cell = rowOf(page, 12).locator('[data-column=ask]').first();
    await cell.focus();
    await page.evaluate(() => Object.assign(window, { focused: document.activeElement }));
    for (const top of [STUB_STRIKES * ROW_PX, 40 * ROW_PX, 0, 12 * ROW_PX, STUB_STRIKES * ROW_PX]) {
      await scrollTo(page, top);
      await rowOf(page, Math.min(ROWS, top / ROW_PX + HEAD_ROWS + 2)).waitFor();
      const isSame = () => page.evaluate(() => document.activeElement === (window as unknown as { readonly focused: Element }).focused);
      assert.ok(await isSame(), `scrolled to ${top}`);
    }
    await page.keyboard.press('ArrowDown');
    await focusIs(page, 13);
    assert.equal(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['column']), 'ask');
    assert.equal(await page.locator('.chain-grid [tabindex="0"]').count(), 1);
  });

async function openChain(t: Ends): Promise<Page> {
  const page = await openPage(t, stub.url, { viewport: { width: 1280, height: 1000 }, expected: /404/ });
  await rowOf(page, HEAD_ROWS + 1).waitFor();
  return page;
}

function rowOf(page: Page, index: number) {
  return page.locator(`.chain-grid [aria-rowindex="${index}"]`);
}

function scrollTo(page: Page, top: number): Promise<void> {
  return page.locator('.chain .grid-frame').evaluate((frame, at) => { frame.scrollTop = at; }, top);
}

/** And the cell is in view: between the head and the lower edge. */
async function focusIs(page: Page, row: number): Promise<void> {
  await page.waitForFunction((index) => {
    const cell = document.activeElement;
    if (cell?.closest('[aria-rowindex]')?.getAttribute('aria-rowindex') !== index) return false;
    const [frame, head] = ['.chain .grid-frame', '.chain-grid thead .strike'].map((part) => (
      document.querySelector(part)!.getBoundingClientRect()));
    const { top, bottom } = cell.getBoundingClientRect();
    return bottom <= frame!.bottom + 1 && (Number(index) <= 2 || top >= head!.bottom - 1);
  }, String(row));
}
