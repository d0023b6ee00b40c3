// The areas of the page: sizes are changed by pointer and keys, remembered, and reset by one click; they grow with the window.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DESK, openPage } from '../support/browser.ts';
import { IN_CHROMIUM } from '../support/chromium.ts';
import { startPageStub } from '../support/page-stub.ts';
import { agree } from './agree.ts';

const WALL = { width: 3_840, height: 2_160 };
let stub: Awaited<ReturnType<typeof startPageStub>>;
before(async () => { stub = await startPageStub({ book: 0, chain: 0 }); });
after(() => stub.close());

const widthOf = (page: Page) => (): Promise<number> => page.locator('#area-contract').evaluate((area) => area.clientWidth);
const separatorOf = (page: Page) => page.getByRole('separator', { name: 'Size of contract' });

/** Moves it to the left. */
async function drag(page: Page, px: number): Promise<void> {
  const { x, y, height } = (await separatorOf(page).boundingBox())!;
  await page.mouse.move(x + 2, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 2 - px, y + height / 2, { steps: 4 });
  await page.mouse.up();
}

test('given a separator, when it is dragged or moved by a key, then a reload and the address keep it, until the layout is reset',
  IN_CHROMIUM, async (t) => {
    const page = await openPage(t, stub.url, { expected: /404/ });
    await agree(async () => 260, widthOf(page));
    await drag(page, 60);
    await agree(async () => 320, widthOf(page));
    await separatorOf(page).press('ArrowRight');
    await agree(async () => 304, widthOf(page));
    assert.equal(await separatorOf(page).getAttribute('aria-valuenow'), '304');
    await page.waitForURL(/layout=contract\.304/);
    await page.reload();
    await agree(async () => 304, widthOf(page));
    await page.getByRole('button', { name: 'Reset layout' }).click();
    await agree(async () => 260, widthOf(page));
  });

test('given areas of standard size, when the window grows, they grow, and a separator moves from where it is', IN_CHROMIUM, async (t) => {
  const page = await openPage(t, stub.url, { expected: /404/ });
  await agree(async () => 260, widthOf(page));
  await page.setViewportSize(WALL);
  await agree(async () => 499, widthOf(page));
  await drag(page, 40);
  await agree(async () => 539, widthOf(page));
  await page.setViewportSize(DESK);
  await agree(async () => 539, widthOf(page));
});
