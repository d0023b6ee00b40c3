// The thread that holds the page's sockets: it can ask no other host, and a page that cannot have it uses the browser's own sockets.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { price } from '../../client/terminal/format.ts';
import { HAS_CHROMIUM, openPage } from '../support/browser.ts';
import { lastFirst } from '../support/temporary.ts';
import { marketWithBook } from './market.ts';

const inChromium = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const ends = lastFirst({ after });
let market: Awaited<ReturnType<typeof marketWithBook>>;

before(async () => {
  if (HAS_CHROMIUM) market = await marketWithBook(ends);
});

test('given the page, then one thread holds its sockets, and the policy keeps it from any other host', inChromium, async (t) => {
  const page = await openPage(t, market.url, { expected: /Content Security Policy|violates/ });
  await page.locator('.venue-state').getByText('Live').waitFor();
  const threads = page.workers().map((worker) => new URL(worker.url()).pathname);
  assert.equal(threads.length, 1);
  assert.match(threads[0]!, /^\/assets\/sockets-\w+\.js$/);
  const asked = (url: string) => page.workers()[0]!.evaluate((to) => fetch(to).then(() => 'answered', () => 'refused'), url);
  assert.equal(await asked(`${market.url}/time`), 'answered');
  assert.equal(await asked(`${market.url.replace('127.0.0.1', 'localhost')}/time`), 'refused');
});

test('given that the thread cannot be loaded, then the page is live all the same', inChromium, async (t) => {
  const { book, symbol, url } = market;
  const page = await openPage(t, url, { expected: /ERR_FAILED|Failed to load resource/ });
  await page.route('**/assets/sockets-*', (route) => route.abort());
  await page.reload();
  await page.getByRole('gridcell', { name: `Sell ${symbol} at ${price(book.best_bid_price)}` }).waitFor();
  await page.locator('.venue-state').getByText('Live').waitFor();
});
