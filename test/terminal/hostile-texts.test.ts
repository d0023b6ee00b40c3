// Addresses that a stranger sends to a user of the venue: their query, path and fragment hold markup and script, which no page of the venue
// runs. The name of the service holds markup too.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium, type Browser } from 'playwright-core';
import { VenueProcess } from '../../scripts/venue-process.ts';
import { CHROMIUM, IN_CHROMIUM } from '../support/chromium.ts';
import { temporaryFolder } from '../support/temporary.ts';

const IMAGE = '<img src=x onerror=ran()>';
const MARKUP = [
  IMAGE, '<script>ran()</script>', '"><svg onload=ran()>', "'-ran()-'", 'javascript:ran()', '{{constructor.constructor("ran()")()}}',
];
const PARAMETERS = ['url', 'configUrl', 'urls.primaryName', 'layout', 'q', 'symbol', 'underlying', 'wallet', 'filter', 'oauth2RedirectUrl'];
const data = join(temporaryFolder({ after }), 'data');
let browser: Browser;
let venue: VenueProcess;

before(async () => {
  if (CHROMIUM === undefined) return;
  venue = await VenueProcess.start({ data, flags: ['--feed', 'manual', '--service-name', `A ${IMAGE}<script>ran()</script>`] });
  await venue.ready();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
after(async () => {
  if (CHROMIUM === undefined) return;
  await browser.close();
  await venue.kill();
});

/** Addresses on this page: markup in the path, in each parameter that a page might read, and in the fragment. */
function addressesOf(path: string): string[] {
  return MARKUP.flatMap((text) => {
    const coded = encodeURIComponent(text);
    const query = PARAMETERS.map((name) => `${name}=${coded}`).join('&');
    return [`${path}?${query}#/${coded}`, `${path}?${coded}#${text}`, `${path}#?${query}`, `/nowhere/${coded}?${coded}`];
  });
}

for (const path of ['/', '/docs', '/docs/socket']) {
  test(`${path}: no text of its address is run, shown as markup, or asked for`, IN_CHROMIUM, async () => {
    const page = await browser.newPage();
    const faults: string[] = [];
    await page.exposeFunction('ran', () => { faults.push('a script ran'); });
    page.on('dialog', (dialog) => { faults.push(`dialog ${dialog.message()}`); void dialog.dismiss(); });
    page.on('request', (request) => {
      const { host, protocol } = new URL(request.url());
      if (protocol !== 'data:' && host !== new URL(venue.url).host) faults.push(`asked ${request.url()}`);
    });
    for (const address of addressesOf(path)) {
      await page.goto('about:blank');
      await page.goto(venue.url + address, { waitUntil: 'load' });
      await page.waitForTimeout(50);
      const planted = await page.evaluate(() => document.querySelectorAll('img[src=x], svg[onload], script:not([src])').length);
      assert.deepEqual([faults, planted], [[], 0], address);
    }
    await page.close();
  });
}

test('the interface description shows a service name with markup as text', IN_CHROMIUM, async () => {
  const page = await browser.newPage();
  let runs = 0;
  await page.exposeFunction('ran', () => { runs++; });
  await page.goto(`${venue.url}/docs`);
  await page.locator('.info .title').waitFor();
  assert.ok((await page.locator('.info .title').textContent())!.includes(IMAGE));
  assert.equal(await page.locator('img[src=x]').count(), 0);
  await page.goto(`${venue.url}/docs/socket`);
  assert.ok((await page.locator('h1').textContent())!.includes(IMAGE));
  assert.equal(await page.locator('img[src=x]').count(), 0);
  assert.equal(runs, 0);
  await page.close();
});
