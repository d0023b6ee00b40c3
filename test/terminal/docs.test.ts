// The pages of the interface on a phone: nothing scrolls sideways, sections are folded, and the first route is within one screen.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import { runningVenue } from '../support/running.ts';
import { lastFirst, temporaryFolder } from '../support/temporary.ts';
import { fitsWidth } from './agree.ts';

const inChromium = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const ends = lastFirst({ after });
let url = '';

before(async () => {
  if (!HAS_CHROMIUM) return;
  ({ url } = (await runningVenue(ends, { data: temporaryFolder(ends), flags: ['--feed', 'sim', '--workers', '1'] })).venue);
});

test('given /docs on a phone, then its first route is within one screen, all are folded, and it fits the width', inChromium, async (t) => {
  const page = await openPage(t, url, { path: '/docs', viewport: PHONE });
  const first = page.locator('.opblock').first();
  await first.waitFor();
  assert.ok((await first.boundingBox())!.y < PHONE.height);
  assert.equal(await page.locator('.opblock.is-open').count(), 0);
  await fitsWidth(page, PHONE);
  await first.locator('.opblock-summary-control').click();
  await page.locator('.opblock.is-open .responses-table').first().waitFor();
  await fitsWidth(page, PHONE);
});

test('given /docs/socket on a phone, then its first channel is within one screen, all are folded, and it fits', inChromium, async (t) => {
  const page = await openPage(t, url, { path: '/docs/socket', viewport: PHONE });
  assert.ok((await page.locator('details').first().boundingBox())!.y < PHONE.height);
  assert.equal(await page.locator('details[open]').count(), 0);
  await fitsWidth(page, PHONE);
  await page.evaluate(() => { for (const one of document.querySelectorAll('details')) one.open = true; });
  await fitsWidth(page, PHONE);
});
