// The panel of volatility: smile, own orders, term structure and index are those of the interface, and follow it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { dayUtc, percent, price, rounded } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import { lastFirst, type Ends } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree, fitsWidth } from './agree.ts';
import { admin, INDEX, marketWithBook } from './market.ts';
import { contractsOf, nearMark } from './traded-market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const PATIENCE_MS = 30_000;
const HOSTILE = '<img src=x onerror=alert(1)>';
const UNDERLYING = 'BTC';
/** One venue and one page for all tests of this file, in their order. */
const scene = HAS_CHROMIUM ? await openScene(lastFirst({ after })) : null!;

async function openScene(t: Ends) {
  const { url, maker } = await marketWithBook(t);
  await admin(url, '/admin/vol-surface', { underlying: UNDERLYING, atm_vol: 0.6, skew: -0.2, curvature: 0.4 });
  const contracts = await contractsOf(maker);
  const { call, expiry, put } = contracts;
  for (const [symbol, side, times] of [[call, 'Buy', 0.96], [call, 'Sell', 1.04], [put, 'Buy', 0.95], [put, 'Sell', 1.05]] as const) {
    await maker.placeOrder({ symbol, side, size: '1', price: await nearMark(maker, symbol, times) });
  }
  const page = await openPage(t, url, { path: `/?underlying=${UNDERLYING}&expiry=${compact(expiry)}`, expected: /status of 418/ });
  page.setDefaultTimeout(PATIENCE_MS);
  const me = await throwawayOf(page, url);
  await page.getByRole('tab', { name: 'Volatility' }).click();
  const panel = page.getByRole('region', { name: 'Volatility', exact: true });
  return { url, maker, me, page, panel, contracts, grid: panel.getByRole('grid', { name: /^Smile .* as a table$/ }) };
}

async function cellsOf(name: string | RegExp): Promise<string[][]> {
  return scene.panel.getByRole('grid', { name }).locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

/** What the smile's table should show: contract, strike, bid, mark, ask. */
async function smileOf(isWanted: (kind: string, strike: number) => boolean): Promise<unknown> {
  const { contracts: { expiry }, me } = scene;
  const of = { currency: UNDERLYING, expiry: expiry / 1_000 };
  const [listed, { rows }] = [await me.get('/options-summary', of), await me.get('/options-chain', { ...of, expiry: isoDay(expiry) })];
  const told = [];
  for (const { call, put, strike } of rows.toSorted((one, other) => one.strike - other.strike)) {
    for (const leg of [call, put]) {
      if (leg === undefined || !isWanted(leg.symbol.at(-1)!, strike)) continue;
      const mark = listed.find((one) => one.instrument_name === leg.symbol)!.mark_iv;
      told.push([leg.symbol, price(strike), percent(leg.bid_iv), percent(mark), percent(leg.ask_iv)]);
    }
  }
  return told;
}

const outside = (kind: string, strike: number): boolean => (kind === 'C') === (strike >= Number(INDEX));

test('given quotes, then the smile’s table has the volatility of bid, mark and ask of each strike as the interface', SKIP, async () => {
  const { panel } = scene;
  await panel.getByText('Figures of this smile').click();
  await agree(() => smileOf(outside), async () => (await cellsOf(/^Smile/)).map((cells) => cells.slice(0, 5)));
  await panel.getByRole('button', { name: 'Puts' }).click();
  await agree(() => smileOf((kind) => kind === 'P'), async () => (await cellsOf(/^Smile/)).map((cells) => cells.slice(0, 5)));
  await panel.getByRole('button', { name: 'Out of the money' }).click();
});

test('given a surface, then its line has the volatility that theoretical prices are made with, and follows a new one', SKIP, async () => {
  const { me, url } = scene;
  const told = async () => {
    const symbols = (await cellsOf(/^Smile/)).map(([symbol]) => symbol!);
    const { contracts } = (await me.get('/risk/inputs', { wallet: me.wallet, symbols: symbols.join() })).data;
    return symbols.map((one) => percent(rounded(contracts.find(({ symbol }) => symbol === one)!.volatility, 4)));
  };
  const shown = async () => (await cellsOf(/^Smile/)).map((cells) => cells[6]);
  await agree(told, shown);
  const before = await shown();
  await admin(url, '/admin/vol-surface', { underlying: UNDERLYING, atm_vol: 0.65, skew: -0.2, curvature: 0.4 });
  await agree(told, shown);
  assert.notDeepEqual(await shown(), before);
  await admin(url, '/admin/vol-surface', { underlying: UNDERLYING, atm_vol: 0.6, skew: -0.2, curvature: 0.4 });
  await agree(told, shown);
});

test('given the smile, when the maker improves a bid, then the point follows without a read', SKIP, async () => {
  const { contracts: { call }, grid, maker } = scene;
  const before = await grid.getByRole('row').filter({ hasText: call }).locator('td').nth(2).textContent();
  await maker.placeOrder({ symbol: call, side: 'Buy', size: '1', price: await nearMark(maker, call, 0.98) });
  await agree(async () => percent((await maker.get('/orderbook', { instrument_name: call })).bid_iv), async () => (
    grid.getByRole('row').filter({ hasText: call }).locator('td').nth(2).textContent()
  ));
  assert.notEqual(await grid.getByRole('row').filter({ hasText: call }).locator('td').nth(2).textContent(), before);
});

test('given own orders, then each is marked with the volatility that the interface shows for a quote at its price', SKIP, async () => {
  const { contracts: { call }, grid, me } = scene;
  for (const [side, times] of [['Buy', 0.99], ['Sell', 1.01]] as const) {
    await me.placeOrder({ symbol: call, side, size: '0.1', price: await nearMark(me, call, times) });
  }
  await agree(async () => {
    const { ask_iv: ask, bid_iv: bid } = await me.get('/orderbook', { instrument_name: call });
    return `Buy ${percent(rounded(bid, 4))}, Sell ${percent(rounded(ask, 4))}`;
  }, () => grid.getByRole('row').filter({ hasText: call }).locator('td').nth(5).textContent());
  const chart = scene.panel.getByRole('img', { name: /^Smile/ });
  await chart.locator('canvas').waitFor();
  await chart.focus();
  await chart.press('Home');
  const [first] = await cellsOf(/^Smile/);
  assert.ok((await scene.panel.locator('.chart output').first().textContent())!.startsWith(`${first![0]}: bid –, mark `));
  await me.cancelAll();
});

test('given expiries, then the term structure is that of the markets, and a row chooses its expiry for the whole page', SKIP, async () => {
  const { contracts: { expiry }, me, page, panel } = scene;
  const listed = async () => (await me.get('/markets', { include_instruments: false })).data
    .filter(({ underlying }) => underlying === UNDERLYING).sort((one, other) => one.expiry - other.expiry);
  await agree(async () => (await listed()).map((one) => [dayUtc(one.expiry * 1_000), percent(one.atm_vol)]), async () => (
    (await cellsOf(/^Expiries/)).map(([day, , volatility]) => [day, volatility])
  ));
  const last = (await listed()).at(-1)!;
  const day = dayUtc(last.expiry * 1_000);
  await panel.getByRole('grid', { name: /^Expiries/ }).getByRole('gridcell', { name: day }).click();
  await panel.getByRole('heading', { name: `Smile of ${UNDERLYING}, ${day}` }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('expiry'), compact(last.expiry * 1_000));
  await panel.getByRole('grid', { name: /^Expiries/ }).getByRole('gridcell', { name: dayUtc(expiry), exact: true }).click();
  await panel.getByRole('heading', { name: `Smile of ${UNDERLYING}, ${dayUtc(expiry)}` }).waitFor();
});

test('given the volatility index, when the surface rises, then figure, newest point and parts follow', SKIP, async () => {
  const { me, panel, url } = scene;
  const view = panel.getByRole('region', { name: `Volatility index of ${UNDERLYING}` });
  const figure = async (): Promise<string | null> => view.locator('h3 .figure').textContent();
  const index = async (): Promise<string> => price(rounded((await me.get('/vol-index', { underlying: UNDERLYING })).data.vol_index, 2));
  await agree(index, figure);
  const before = await figure();
  await admin(url, '/admin/vol-surface', { underlying: UNDERLYING, atm_vol: 0.7, skew: -0.2, curvature: 0.4 });
  await agree(index, figure);
  assert.ok(Number(await figure()) > Number(before));
  await view.locator('canvas').waitFor();
  await agree(index, async () => (await view.locator('output').textContent())?.split(': ')[1]);
  const { expiries } = (await me.get('/vol-index', { underlying: UNDERLYING })).data;
  assert.equal(expiries.length, 2);
  await view.getByText(expiries.map(({ expiration_timestamp: at }) => `${dayUtc(at)} at `).at(-1)!).waitFor();
});

test('given a time frame of the index, then its candles are those of the interface, and a reload keeps the choice', SKIP, async () => {
  const { me, page, panel } = scene;
  const view = panel.getByRole('region', { name: `Volatility index of ${UNDERLYING}` });
  await view.getByRole('tab', { name: '1m', exact: true }).click();
  const now = (await me.get('/time', {})).time_ms;
  const span = { underlying: UNDERLYING, resolution: '1m', start_time_ms: now - 3_600_000, end_time_ms: now + 3_600_000 } as const;
  await agree(async () => `Closes of ${(await me.get('/vol-index/candles', span)).data.candles.length} candles of 1m.`, async () => (
    view.locator('figcaption').textContent()
  ));
  await page.reload();
  await view.getByRole('tab', { name: '1m', exact: true, selected: true }).waitFor();
});

test('given an error with markup, then the panel shows it as text', SKIP, async () => {
  const { page, panel } = scene;
  await page.route('**/vol-index?*', (route) => route.fulfill({ status: 418, json: { error: 'odd', message: HOSTILE } }));
  await page.reload();
  await panel.getByText(HOSTILE).waitFor();
  assert.equal(await page.locator('img[src=x]').count(), 0);
  await page.unroute('**/vol-index?*');
});

test('given the panel, then axe-core finds nothing serious in dark and light, and on a phone', SKIP, async () => {
  const { page, panel } = scene;
  await panel.getByText('Figures of this smile').click();
  await panel.locator('canvas').first().waitFor();
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await seriousFaults(page, '[data-panel=smile]'), [], colorScheme);
  }
  await page.setViewportSize(PHONE);
  await panel.locator('canvas').first().waitFor();
  await fitsWidth(page, PHONE);
  assert.deepEqual(await seriousFaults(page, '[data-panel=smile]'), []);
});

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function compact(ms: number): string {
  return isoDay(ms).replaceAll('-', '');
}
