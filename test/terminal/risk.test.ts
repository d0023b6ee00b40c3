// The risk panel: totals, scenarios, liquidation price and payoff are those of the interface, and the margin mode changes by a signature
// after its effect was shown.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WhatIf } from '../../client/terminal/whatif/what-if.ts';
import { percent, price, rounded, signed } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import { lastFirst, type Ends } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree, fitsWidth } from './agree.ts';
import { marketWithBook } from './market.ts';
import { contractsOf, deal, nearMark, PERP } from './traded-market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const PATIENCE_MS = 30_000;
const HOSTILE = '<img src=x onerror=alert(1)>';
/** Enough for a liquidation price: the wallet begins with 10,000,000 USDC. */
const MANY_PERPS = '250';
/** One venue and one page for all tests of this file, in their order. */
const scene = HAS_CHROMIUM ? await openScene(lastFirst({ after })) : null!;

async function openScene(t: Ends) {
  const { url, maker } = await marketWithBook(t);
  const page = await openPage(t, url, { expected: /status of 4(00|18)/ });
  page.setDefaultTimeout(PATIENCE_MS);
  await page.getByRole('tab', { name: 'Risk' }).click();
  const panel = page.getByRole('region', { name: 'Risk', exact: true });
  await panel.getByRole('button', { name: 'Wallets and keys' }).waitFor();
  return { url, maker, page, panel, contracts: await contractsOf(maker) };
}

/** What `name` in the list `list` shows with all digits: the title begins with them. */
async function exactOf(list: string, name: string): Promise<string | undefined> {
  const found = scene.page.getByLabel(list, { exact: true }).locator('div').filter({ has: scene.page.getByText(name, { exact: true }) });
  return (await found.locator('dd').getAttribute('title'))?.split(': ')[0];
}

test('given no wallet, then the panel says what to do, and its button opens the menu of keys', SKIP, async () => {
  const { page, panel } = scene;
  await panel.getByText('Choose a wallet or a throwaway key').waitFor();
  assert.deepEqual(await seriousFaults(page, '[data-panel=risk]'), []);
  await panel.getByRole('button', { name: 'Wallets and keys' }).click();
  await page.getByRole('dialog', { name: 'Wallet and keys' }).waitFor();
  await page.keyboard.press('Escape');
});

test('given an order alone, when the mode is changed, then before and after are those of the venue, and it changes', SKIP, async () => {
  const { contracts: { call }, page, panel, url } = scene;
  const me = Object.assign(scene, { me: await throwawayOf(page, url) }).me;
  const { wallet } = me;
  await panel.getByText('No positions or orders in BTC').waitFor();
  await me.placeOrder({ symbol: call, side: 'Sell', size: '3', price: await nearMark(me, call, 1.1) });
  await panel.getByRole('table', { name: 'Scenarios of BTC' }).waitFor();
  await panel.getByRole('button', { name: 'Portfolio' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the margin mode to portfolio' });
  const rows = dialog.getByRole('table', { name: 'Margin before and after' }).locator('tbody tr');
  const cellsAt = async (at: number): Promise<string[]> => (await rows.evaluateAll(
    (found, column) => found.map((row) => row.children[column]!.textContent ?? ''), at,
  ));
  const margins = async (): Promise<string[]> => {
    const [{ data: grid }, { available_balance: free }] = [await me.get('/risk/grid', { wallet }), await me.get('/portfolio', { wallet })];
    return [grid.total_initial_margin, grid.position_maintenance_margin, free].map(price);
  };
  await agree(margins, () => cellsAt(1));
  const { data: inputs } = await me.get('/risk/inputs', { wallet });
  await agree(async () => {
    const { data } = await me.get('/risk/inputs', { wallet });
    const view = new WhatIf({ ...data, margin_mode: 'portfolio' }).account();
    return [view.initial_margin, view.maintenance_margin, view.free_collateral].map(price);
  }, () => cellsAt(2));
  for (const text of ['SetMarginMode', inputs.wallet_address, 'portfolio']) await dialog.getByText(text, { exact: true }).first().waitFor();
  assert.deepEqual(await seriousFaults(page, 'dialog'), []);
  await dialog.getByRole('button', { name: 'Sign and change to portfolio' }).click();
  await page.getByText('Margin mode is now portfolio').waitFor();
  assert.equal((await me.get('/portfolio', { wallet })).margin_mode, 'portfolio');
  await agree(margins, async () => Promise.all(
    ['Initial margin', 'Maintenance margin', 'Free collateral'].map((name) => exactOf('Margin, USD', name)),
  ));
  await me.cancelAll();
});

test('given positions, then the totals are those of the portfolio, to the last digit', SKIP, async () => {
  const { contracts: { call, put }, maker, me, panel } = scene as Traded;
  await deal(maker, me, call, 'Sell', '2');
  await deal(maker, me, put, 'Buy', '1');
  await deal(maker, me, PERP, 'Sell', MANY_PERPS);
  await me.placeOrder({ symbol: put, side: 'Buy', size: '0.5', price: await nearMark(me, put, 0.8) });
  await agree(async () => {
    const { available_balance: free, margin_summary: margin, span_margin: span } = await me.get('/portfolio', { wallet: me.wallet });
    return [margin!.equity, span!.initial_margin_required, span!.maintenance_margin_required, free].map(price);
  }, async () => Promise.all(
    ['Equity', 'Initial margin', 'Maintenance margin', 'Free collateral'].map((name) => exactOf('Margin, USD', name)),
  ));
  await agree(async () => {
    const { data: grid } = await me.get('/risk/grid', { wallet: me.wallet });
    return [grid.scanning_risk, grid.option_floor, grid.gamma_overlay].map(price);
  }, async () => Promise.all(
    [/^Scanning risk binds$/, 'Option floor', 'Gamma overlay'].map((name) => exactIn(name)),
  ));
  await agree(async () => {
    const { positions } = await me.get('/portfolio', { wallet: me.wallet });
    assert.ok(positions.every((one) => one.liquidation_price !== null && one.liquidation_price === positions[0]!.liquidation_price));
    return price(positions[0]!.liquidation_price);
  }, () => exactOf('Liquidation prices', 'Liquidation at BTC index'));
  assert.equal(await panel.getByText('The account is in standard mode').count(), 0);
});

test('given positions, then each cell of heat map and tails is a scenario of the venue, and the binding one is marked', SKIP, async () => {
  const { me, panel } = scene as Traded;
  await agree(async () => {
    const { scenarios, extended_risk_matrix: matrix } = (await me.get('/risk/grid', { wallet: me.wallet })).data.underlyings[0]!;
    return scenarios.map(({ id, is_tail: isTail, spot_shock_pct: spot, total_pnl: pnl, vol_shock_pct: volatility }, at) => ({
      id, list: isTail ? 'Tails of BTC' : 'Scenarios of BTC', spot: shockOf(spot), volatility: shockOf(volatility), exact: signed(pnl),
      shown: signed(rounded(pnl, 0)), isBinding: at === matrix.worst_scenario_index,
    })).sort((one, other) => (one.id < other.id ? -1 : 1));
  }, async () => (await panel.locator('td[data-scenario]').evaluateAll((cells) => (cells as HTMLElement[]).map((cell) => {
    const [table, row] = [cell.closest('table')!, cell.closest('tr')!];
    const head = table.querySelectorAll('thead th')[[...row.children].indexOf(cell)]!.textContent;
    const first = row.children[0]!.textContent;
    const isTail = table.ariaLabel === 'Tails of BTC';
    return {
      id: cell.dataset['scenario']!, list: table.ariaLabel, spot: isTail ? first : head,
      volatility: isTail ? row.children[1]!.textContent : first, exact: /([^ ]+) USD/.exec(cell.title)?.[1],
      shown: cell.firstChild!.textContent, isBinding: cell.classList.contains('binding'),
    };
  }))).sort((one, other) => (one.id < other.id ? -1 : 1)));
});

test('given positions in BTC alone, when ETH is chosen, then the panel says that nothing of it moves', SKIP, async () => {
  const { page, panel } = scene;
  await page.getByRole('button', { name: 'ETH', exact: true }).click();
  await panel.getByText('No positions or orders in ETH').waitFor();
  assert.equal(await panel.getByRole('table').count(), 0);
  await page.getByRole('button', { name: 'BTC', exact: true }).click();
  await panel.getByRole('table', { name: 'Scenarios of BTC' }).waitFor();
});

test('given positions, when the sliders move, then the payoff at the index is that of the core for that moment', SKIP, async () => {
  const { me, panel } = scene as Traded;
  const view = panel.locator('.payoff');
  const chart = view.getByRole('img', { name: 'Payoff of the book in BTC' });
  await chart.locator('canvas').waitFor();
  const shown = async (): Promise<string | null> => view.locator('.chart output').textContent();
  const told = async (isAtEnd: boolean, volatilityShift: number): Promise<string> => {
    const what = new WhatIf((await me.get('/risk/inputs', { wallet: me.wallet })).data);
    const payoff = what.payoffOfAccount([], 'BTC');
    const { index_price: index } = what.inputs.underlyings[0]!;
    const then = payoff.at(Number(index), { ...(isAtEnd && { time: payoff.expiry! }), volatilityShift });
    return [then, payoff.atExpiry(Number(index))].map((value) => signed(rounded(value, 0))).join(' ');
  };
  const figures = async (): Promise<string> => [...(await shown())!.replace(/^Index [\d,]+:/, '').matchAll(/([+−]?[\d,]+) (?:now|in|at)/g)]
    .map((match) => match[1]).join(' ');
  await agree(() => told(false, 0), figures);
  await view.getByLabel('Volatility').fill('20');
  await agree(() => told(false, 0.2), figures);
  await view.getByLabel('Time').fill('100');
  await view.getByText(/^in \d d/).waitFor();
  await agree(() => told(true, 0.2), figures);
  await chart.focus();
  const before = await shown();
  await chart.press('Home');
  assert.notEqual(await shown(), before);
});

test('given open positions, when the mode is changed, then the page warns, and the venue’s refusal is shown', SKIP, async () => {
  const { me, page, panel } = scene as Traded;
  await panel.getByRole('button', { name: 'Standard' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the margin mode to standard' });
  await dialog.getByText('only of a wallet without open positions. This one has 3').waitFor();
  const refusal = await me.setMarginMode('standard').then(() => '', (error: Error) => error.message);
  assert.match(refusal, /positions are open/);
  await dialog.getByRole('button', { name: 'Sign and change to standard' }).click();
  await dialog.getByRole('alert').getByText(refusal).waitFor();
  await dialog.getByRole('button', { name: 'Keep portfolio' }).click();
  assert.equal((await me.get('/portfolio', { wallet: me.wallet })).margin_mode, 'portfolio');
});

test('given an error with markup, then the panel shows it as text', SKIP, async () => {
  const { page, panel } = scene;
  await page.route('**/risk/grid*', (route) => route.fulfill({ status: 418, json: { error: 'odd', message: HOSTILE } }));
  await panel.getByText(HOSTILE).waitFor();
  assert.equal(await page.locator('img[src=x]').count(), 0);
  await page.unroute('**/risk/grid*');
  await panel.getByText(HOSTILE).waitFor({ state: 'detached' });
});

test('given the panel with its figures, then axe-core finds nothing serious in dark and light, and on a phone', SKIP, async () => {
  const { page, panel } = scene;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await seriousFaults(page, '[data-panel=risk]'), [], colorScheme);
  }
  await page.setViewportSize(PHONE);
  await panel.getByRole('table', { name: 'Scenarios of BTC' }).waitFor();
  await fitsWidth(page, PHONE);
  assert.deepEqual(await seriousFaults(page, '[data-panel=risk]'), []);
});

type Traded = typeof scene & { readonly me: Awaited<ReturnType<typeof throwawayOf>> };

async function exactIn(name: string | RegExp): Promise<string | undefined> {
  const found = scene.page.getByLabel('Requirement by scenarios, USD').locator('div').filter({ has: scene.page.getByText(name) });
  return (await found.locator('dd').getAttribute('title'))?.split(': ')[0];
}

function shockOf(fraction: string): string {
  return `${Number(fraction) > 0 ? '+' : ''}${percent(fraction)} %`;
}
