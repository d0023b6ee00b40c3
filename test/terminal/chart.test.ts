// The panel of the chart: candles of index, trades and mark are those of the interface and kept up, with the wallet's own marks in text.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { price, size } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import type { Ends } from '../support/temporary.ts';
import { fitsWidth } from './agree.ts';
import { throwawayOf } from './account.ts';
import { admin, marketWithBook } from './market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const PERP = 'BTC-PERP';
const HOUR_MS = 3_600_000;
/** One venue and one page for all tests of this file, in their order. */
const scene = HAS_CHROMIUM ? await openScene({ after }) : null!;

async function openScene(t: Ends) {
  const { url, maker } = await marketWithBook(t);
  for (const [side, at] of [['Buy', '99900'], ['Sell', '100100']] as const) {
    await maker.placeOrder({ symbol: PERP, side, size: '5', price: at });
  }
  const page = await openPage(t, url, { viewport: { width: 1280, height: 900 } });
  await page.getByRole('tab', { name: 'Chart' }).click();
  const panel = page.locator('[data-panel=chart]');
  const tab = (name: string) => panel.getByRole('tab', { name, exact: true });
  return { url, maker, page, panel, tab, readout: panel.locator('output'), picture: panel.getByRole('img') };
}

type Prices = { readonly open: number; readonly high: number; readonly low: number; readonly close: number };

function textOf({ open, high, low, close }: Prices): string {
  return `Open ${price(open)}  High ${price(high)}  Low ${price(low)}  Close ${price(close)}`;
}

async function indexBar(): Promise<string> {
  const now = Date.now() + HOUR_MS;
  const span = { resolution: '5m', start_time_ms: now - 2 * HOUR_MS, end_time_ms: now } as const;
  return textOf((await scene.maker.get('/candles', { underlying: 'BTC', ...span })).data.candles.at(-1)!);
}

test('given an index, then its candles are shown, the newest in text as /candles tells it, and kept up by the stream', SKIP, async () => {
  const { url, page, readout, picture } = scene;
  await picture.waitFor();
  await page.locator('.u-over').waitFor({ state: 'attached' });
  await readout.getByText(await indexBar()).waitFor();
  await admin(url, '/admin/index-price', { underlying: 'BTC', price: '100250.5' });
  await readout.getByText('Close 100,250.5').waitFor();
  assert.ok((await readout.textContent())?.endsWith(await indexBar()));
});

test('given the chart, then something is drawn in it, in the colours of the theme', SKIP, async () => {
  const { page, panel } = scene;
  /** The colours of the picture, as one text. */
  const colours = () => panel.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    return [...new Set(new Uint32Array(data.buffer))].sort().join();
  });
  await page.locator('.u-over').waitFor({ state: 'attached' });
  // The chart is drawn anew some time after the theme has changed.
  const drawnAnew = async (colorScheme: 'dark' | 'light', before: string): Promise<string> => {
    await page.emulateMedia({ colorScheme });
    for (let left = 300; await colours() === before && left > 0; left--) await page.waitForTimeout(100);
    return colours();
  };
  const first = await drawnAnew('light', '0');
  const dark = await drawnAnew('dark', first);
  assert.ok(dark.split(',').length > 3);
  assert.notEqual(dark, first);
  assert.notEqual(await drawnAnew('light', dark), dark);
});

test('given a contract without trades, then the chart says so, and has a candle after the first trade', SKIP, async () => {
  const { maker, panel, tab, readout } = scene;
  await tab('Trades').click();
  await panel.getByText(`${PERP} has not traded`).waitFor();
  const me = await throwawayOf(scene.page, scene.url);
  await me.placeOrder({ symbol: PERP, side: 'Buy', size: '0.5', price: '100100' });
  await readout.getByText(`Close ${price('100100')}  Volume ${size('0.5')}`).waitFor();
  await me.placeOrder({ symbol: PERP, side: 'Sell', size: '0.2', price: '99900' });
  const now = Date.now() + HOUR_MS;
  const span = { resolution: '5m', start_time_ms: now - 2 * HOUR_MS, end_time_ms: now } as const;
  await readout.getByText(`Close ${price('99900')}`).waitFor();
  const { candles } = (await maker.get('/instrument-candles', { instrument_name: PERP, ...span })).data;
  await readout.getByText(`${textOf(candles.at(-1)!)}  Volume ${size(candles.at(-1)!.volume)}`).waitFor();
  Object.assign(scene, { me });
});

test('given own fills, an order and a stop, then the chart has them, and says them in words', SKIP, async () => {
  const { panel, tab } = scene;
  const { me } = scene as typeof scene & { me: Awaited<ReturnType<typeof throwawayOf>> };
  await me.placeOrder({ symbol: PERP, side: 'Buy', size: '0.4', price: '99000' });
  await me.stopMarket({ symbol: PERP, side: 'Sell', size: '0.1', price: '90000', stop: '95000', by: 'mark' });
  await me.stopMarket({ symbol: PERP, side: 'Sell', size: '0.2', price: '90000', stop: '94000', by: 'index' });
  const words = panel.locator('figcaption');
  await words.getByText('Your order: Buy 0.4 at 99,000.').waitFor();
  await words.getByText('Your trigger: Sell 0.1 when below 95,000.').waitFor();
  await words.getByText('Your fills: 2.').waitFor();
  assert.equal((await words.textContent())?.includes('94,000'), false);
  await tab('Index').click();
  await words.getByText(`Your trigger: Sell 0.2 ${PERP} when below 94,000.`).waitFor();
  assert.equal((await words.textContent())?.includes('99,000'), false);
});

test('given the mark, then there are no candles of a minute, and the time frame is kept over a reload', SKIP, async () => {
  const { page, tab } = scene;
  await tab('1m').click();
  await tab('Mark').click();
  assert.equal(await tab('1m').count(), 0);
  assert.equal(await tab('5m').getAttribute('aria-selected'), 'true');
  await tab('1h').click();
  await page.reload();
  await page.getByRole('tab', { name: 'Chart' }).click();
  assert.equal(await tab('1h').getAttribute('aria-selected'), 'true');
  assert.equal(await tab('Mark').getAttribute('aria-selected'), 'true');
});

test('given the chart, when it is moved to earlier times, then earlier candles are asked for, and a button leads back', SKIP, async () => {
  const { page, panel, tab } = scene;
  await tab('Index').click();
  await tab('1d').click();
  const spans: number[][] = [];
  await page.route('**/candles?*', async (route) => {
    const fields = new URL(route.request().url()).searchParams;
    if (fields.get('resolution') !== '1m') return route.continue();
    const [from, to] = [Number(fields.get('start_time_ms')), Number(fields.get('end_time_ms'))];
    spans.push([from, to]);
    const candles = Array.from({ length: 1_000 }, (_, at) => ({
      underlying: 'BTC', resolution: '1m', start_time_ms: to - (1_000 - at) * 60_000, end_time_ms: to - (999 - at) * 60_000,
      open: 5, high: 7, low: 4, close: 6, volume: 0,
    }));
    await route.fulfill({ json: { success: true, data: { underlying: 'BTC', resolution: '1m', candles } } });
  });
  await tab('1m').click();
  await panel.locator('figcaption').getByText('1000 candles of 1m').waitFor();
  await panel.getByRole('img').focus();
  for (let presses = 0; presses < 20; presses++) await page.keyboard.press('PageUp');
  await panel.locator('figcaption').getByText(/^[2-9]000 candles of 1m/).waitFor();
  assert.equal(spans[1]![1], spans[0]![0]);
  await panel.getByRole('button', { name: 'Now' }).click();
  assert.equal(await panel.getByRole('button', { name: 'Now' }).isDisabled(), true);
  await page.unroute('**/candles?*');
});

test('given the keyboard, then arrows move the crosshair, and the text has the candle under it', SKIP, async () => {
  const { page, tab, readout } = scene;
  await tab('Trades').click();
  await tab('1m').click();
  await scene.picture.focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.u-cursor-x').waitFor({ state: 'attached' });
  await readout.getByText('Volume').waitFor();
});

test('given the panel, then axe-core finds nothing serious in dark and light, and it fits a phone', SKIP, async () => {
  const { page } = scene;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await seriousFaults(page, '[data-panel=chart]'), [], colorScheme);
  }
  await page.setViewportSize(PHONE);
  await scene.picture.waitFor();
  await fitsWidth(page, PHONE);
  assert.deepEqual(await seriousFaults(page, '[data-panel=chart]'), []);
});
