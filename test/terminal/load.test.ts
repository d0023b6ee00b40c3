// The page under load: of 20,000 changes a second it loses none, and its memory stays as it is. STRIKEBOOK_LONG=1 runs it for ten minutes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { price, size } from '../../client/terminal/format.ts';
import { openPage } from '../support/browser.ts';
import { IN_CHROMIUM } from '../support/chromium.ts';
import { startPageStub } from '../support/page-stub.ts';

const LOAD = { book: 15_000, chain: 5_000 };
const RUN_MS = process.env['STRIKEBOOK_LONG'] === '1' ? 600_000 : 8_000;
/** What a page of 6 MiB may gain: caches of the browser itself. */
const GROWTH_BYTES = 3 * 2 ** 20;
const SHOWN_LEVELS = 3;
/** A loaded machine may give the page less time than its stream takes. */
const CATCH_UP_MS = 120_000;

test('given 3,000 contracts and 20,000 changes a second, then the page shows the last book and its memory does not grow', IN_CHROMIUM,
  async (t) => {
    const stub = await startPageStub(LOAD);
    t.after(() => stub.close());
    const page = await openPage(t, stub.url, { viewport: { width: 1280, height: 1000 }, expected: /404/ });
    const session = await page.context().newCDPSession(page);
    const heap = async (): Promise<number> => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    await page.locator('.ladder .best').first().waitFor({ timeout: CATCH_UP_MS });
    await sleep(2_000);
    const before = await heap();
    const sent = stub.sent();
    await sleep(RUN_MS);
    const rate = (stub.sent() - sent) / RUN_MS * 1_000;
    t.diagnostic(`${Math.round(rate)} changes a second`);
    const { bids, asks } = stub.stop();
    const wanted = [...bids.slice(0, SHOWN_LEVELS), ...asks.slice(0, SHOWN_LEVELS)].map(([at, of]) => `${price(at)} ${size(of)}`).sort();
    const grid = page.getByRole('grid', { name: 'Order book of BTC-PERP' });
    const shown = (): Promise<string[]> => grid.locator('tbody tr').evaluateAll((rows) => rows.map((row) => (
      ['.price', '.bid .contracts', '.ask .contracts'].map((part) => row.querySelector(part)!.textContent).filter(Boolean).join(' ')
    )));
    const smaller = page.getByRole('button', { name: 'Smaller step of prices' });
    while (await smaller.isEnabled()) await smaller.click({ timeout: 1_000 }).catch(() => undefined);
    const stopped = performance.now();
    let missing = wanted;
    while (missing.length > 0 && performance.now() < stopped + CATCH_UP_MS) {
      const lines = await shown();
      missing = wanted.filter((line) => !lines.includes(line));
      await sleep(100);
    }
    t.diagnostic(`up to date ${Math.round(performance.now() - stopped)} ms after the last change`);
    assert.deepEqual(missing, [], (await shown()).join(', '));
    // Only now, because on a loaded machine messages wait in the page while the stream runs.
    const growth = await heap() - before;
    assert.ok(growth < GROWTH_BYTES, `the page gained ${growth} bytes`);
  });
