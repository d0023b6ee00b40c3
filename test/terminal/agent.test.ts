// An agent key that ends while the page is open: revoked elsewhere, or expired. The page says so, signs nothing with it, and says it again
// after a reload.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { connect, createPrivateKey, privateKeySigner, type Strikebook } from '../../client/src/main.ts';
import { StandInWallet } from '../client/terminal/keys/stand-in-wallet.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage } from '../support/browser.ts';
import { lastFirst } from '../support/temporary.ts';
import { agree } from './agree.ts';
import { marketWithBook } from './market.ts';

const inChromium = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const LATER_MS = 25 * 60 * 60_000;
const ends = lastFirst({ after });
type Ends = Parameters<typeof openPage>[0];
let market: Awaited<ReturnType<typeof marketWithBook>>;

before(async () => {
  if (HAS_CHROMIUM) market = await marketWithBook(ends);
});

/** The page with an agent key of a stand-in wallet, which signs in this process, and a client of that wallet. */
async function pageWithAgent(t: Ends): Promise<{ readonly page: Page; readonly owner: Strikebook; readonly agent: string }> {
  const { url, symbol } = market;
  const key = createPrivateKey();
  const owner = await connect(url, { signer: privateKeySigner(key) });
  const page = await openPage(t, url, { path: `/?contract=${symbol}` });
  const wallet = new StandInWallet({ key, chain: owner.info.chain_id });
  await page.exposeFunction('askStandIn', (request: Parameters<StandInWallet['request']>[0]) => wallet.request(request));
  await announce(page);
  await menu(page);
  await page.getByRole('button', { name: 'Connect Stand-in' }).click();
  await page.getByRole('button', { name: 'Approve an agent key for 24 hours' }).click();
  await page.getByText('An agent key in this page signs').waitFor();
  await page.getByRole('button', { name: 'Disconnect the wallet' }).click();
  await page.keyboard.press('Escape');
  const { agents } = await owner.get('/authorized-agents', { wallet: owner.wallet });
  assert.equal(agents.length, 1);
  return { page, owner, agent: agents[0]! };
}

async function announce(page: Page): Promise<void> {
  await page.evaluate(`window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({
    info: { uuid: 'stand-in', name: 'Stand-in', icon: 'data:image/svg+xml,<svg/>', rdns: 'test' }, provider: { request: askStandIn },
  }) }))`);
}

async function menu(page: Page): Promise<void> {
  await page.locator('.wallet-menu > button').click();
  await page.getByRole('dialog', { name: 'Wallet and keys' }).waitFor();
}

/** By the ticket; the wallet's orders tell whether it was signed. */
async function fillTicket(page: Page): Promise<void> {
  const ticket = page.getByRole('form', { name: 'Order ticket' });
  await ticket.getByLabel('Price, USD', { exact: true }).fill(String(market.book.best_bid_price));
  await ticket.getByLabel('Size', { exact: true }).fill('0.1');
}

async function sendOrder(page: Page): Promise<void> {
  await fillTicket(page);
  await page.getByRole('button', { name: 'Review Buy 0.1' }).click();
  await page.getByRole('dialog', { name: 'Review' }).getByRole('button', { name: /^(Sign and send|Send)/ }).click();
  await page.getByRole('region', { name: 'Last order' }).getByText('ACKED').waitFor();
}

const banner = (page: Page, text: string | RegExp) => page.locator('.banner').filter({ hasText: text });
const approval = (page: Page) => page.getByRole('button', { name: 'Approve a key to trade' });

test('given the agent key is revoked elsewhere, then the page says so, also after a reload, and signs no more', inChromium, async (t) => {
  const { page, owner, agent } = await pageWithAgent(t);
  await sendOrder(page);
  await owner.revokeAgent(agent);
  await banner(page, 'The agent key has been revoked.').getByText('approve a new one').waitFor();
  await fillTicket(page);
  await approval(page).waitFor();
  assert.match(await page.locator('.wallet-menu > button').innerText(), /^Agent revoked 0x/);
  await page.reload();
  await banner(page, 'agent key of this page has been revoked').waitFor();
  await page.getByRole('button', { name: 'Connect to trade' }).waitFor();
  await banner(page, 'has been revoked').getByRole('button', { name: 'Dismiss' }).click();
  await banner(page, 'has been revoked').waitFor({ state: 'detached' });
  assert.equal((await owner.get('/orders', { wallet: owner.wallet })).data.length, 1);
});

test('given the agent key is revoked and a new one approved, then the new one signs and is not called revoked', inChromium, async (t) => {
  const { page, owner, agent } = await pageWithAgent(t);
  await owner.revokeAgent(agent);
  await banner(page, 'The agent key has been revoked.').waitFor();
  await menu(page);
  await page.getByRole('button', { name: 'Connect Stand-in' }).click();
  await page.getByRole('button', { name: 'Approve a new agent key' }).click();
  await page.getByText('An agent key in this page signs').waitFor();
  assert.equal(await banner(page, 'revoked').count(), 0);
  await page.keyboard.press('Escape');
  await sendOrder(page);
});

test('given two tabs, when a new agent is approved in one, then the other signs with it, and the first ends', inChromium, async (t) => {
  const { page, owner, agent } = await pageWithAgent(t);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await sendOrder(other);
  await menu(page);
  await page.getByRole('button', { name: 'Connect Stand-in' }).click();
  await page.getByRole('button', { name: 'Approve a new agent key' }).click();
  await agree(async () => 1, async () => (
    (await owner.get('/authorized-agents', { wallet: owner.wallet })).agents.filter((one) => one !== agent).length
  ));
  await agree(async () => 1, async () => (await owner.get('/authorized-agents', { wallet: owner.wallet })).agents.length);
  await sendOrder(other);
  assert.equal(await banner(other, 'revoked').count(), 0);
  assert.equal((await owner.get('/orders', { wallet: owner.wallet })).data.length, 2);
});

test('given the agent of a program too, then the menu names it, and revokes it when asked', inChromium, async (t) => {
  const { page, owner, agent } = await pageWithAgent(t);
  const { address } = privateKeySigner(createPrivateKey());
  await owner.approveAgent(address);
  await menu(page);
  await page.getByText('Other agents may sign for this wallet too').waitFor();
  await page.getByText(address).waitFor();
  assert.deepEqual(await seriousFaults(page), []);
  await page.getByRole('button', { name: 'Connect Stand-in' }).click();
  await page.getByRole('button', { name: `Revoke agent ${address.slice(0, 6)}` }).click();
  await page.getByText('Other agents may sign').waitFor({ state: 'detached' });
  assert.deepEqual((await owner.get('/authorized-agents', { wallet: owner.wallet })).agents, [agent]);
});

test('given the agent key expires, then the page says so and signs no more, before and after a reload', inChromium, async (t) => {
  const { page, owner } = await pageWithAgent(t);
  await sendOrder(page);
  await page.route('**/time', async (route) => {
    const answer = await route.fetch();
    const { time_ms: now } = await answer.json() as { readonly time_ms: number };
    await route.fulfill({ response: answer, json: { time_ms: now + LATER_MS } });
  });
  for (const isAgain of [false, true]) {
    if (isAgain) await page.reload();
    await banner(page, 'The agent key has expired.').getByText('approve a new one').waitFor();
    await approval(page).waitFor();
    assert.match(await page.locator('.wallet-menu > button').innerText(), /^Agent expired 0x/);
  }
  assert.equal((await owner.get('/orders', { wallet: owner.wallet })).data.length, 1);
});
