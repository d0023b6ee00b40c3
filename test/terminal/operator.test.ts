// The operator at the page: the token, health, halts, prices by hand, wallets, cash and competitions, each with the venue's own answer.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { connect, createPrivateKey, Operator, privateKeySigner, StrikebookError } from '../../client/src/main.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import type { Ends } from '../support/temporary.ts';
import { fitsWidth } from './agree.ts';
import { ADMIN_TOKEN, INDEX, marketWithBook, type Market } from './market.ts';

const chromiumOnly = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const HOSTILE = '<img src=x onerror=alert(1)>';
let market: Market;
let operator: Operator;
const ends: (() => unknown)[] = [];

before(async () => {
  if (!HAS_CHROMIUM) return;
  market = await marketWithBook({ after: (end) => void ends.unshift(end) });
  operator = new Operator(market.url, ADMIN_TOKEN);
});
after(async () => {
  for (const end of ends) await end();
});

/** The operator's page with the token, at its actions. */
async function operatorPage(t: Ends): Promise<Page> {
  const page = await openPage(t, market.url, { path: '/?underlying=BTC' });
  await page.locator('.venue-state').getByText('Live').waitFor();
  await page.getByRole('tab', { name: 'Operator', exact: true }).click();
  await page.getByLabel('Admin token').fill(ADMIN_TOKEN);
  await page.getByRole('button', { name: 'Use the token' }).click();
  await page.getByRole('tab', { name: 'Actions' }).click();
  return page;
}

/** Fills a card's fields, sends it and agrees; gives what the venue answered. */
async function act(page: Page, title: string, fields: Readonly<Record<string, string>>, question?: RegExp): Promise<string> {
  const card = page.getByRole('region', { name: title, exact: true });
  for (const [label, text] of Object.entries(fields)) {
    const field = card.getByLabel(label, { exact: true });
    if (await field.evaluate((element) => element.tagName) === 'SELECT') await field.selectOption(text);
    else await field.fill(text);
  }
  const button = await card.getByRole('button').textContent();
  await card.getByRole('button').click();
  if (question !== undefined) {
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.getByText(question).waitFor();
    await dialog.getByRole('button', { name: button!, exact: true }).click();
  }
  const answer = card.getByRole('status');
  await answer.filter({ hasText: /\S/ }).waitFor();
  return (await answer.textContent())!;
}

test('given a wrong token, then the venue\'s own text is shown, and the token is not kept in the form', chromiumOnly,
  async (t) => {
  const page = await openPage(t, market.url, { expected: /Failed to load resource.*401/ });
  await page.locator('.venue-state').getByText('Live').waitFor();
  await page.getByRole('tab', { name: 'Operator', exact: true }).click();
  await page.getByLabel('Admin token').fill('a-wrong-token');
  await page.getByRole('button', { name: 'Use the token' }).click();
  await page.getByText('The admin token is missing or wrong').waitFor();
  assert.equal(await page.getByLabel('Admin token').inputValue(), '');
});

test('given the token, when the page is used and loaded again, then it was in no storage, cookie or address, and is gone', chromiumOnly,
  async (t) => {
  const page = await operatorPage(t);
  const kept = await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const contents = await Promise.all(databases.map(({ name }) => new Promise<unknown>((resolve, reject) => {
      const asked = indexedDB.open(name!);
      asked.onerror = () => reject(asked.error);
      asked.onsuccess = () => {
        const stores = [...asked.result.objectStoreNames];
        if (stores.length === 0) return resolve([]);
        const read = asked.result.transaction(stores).objectStore(stores[0]!).getAll();
        read.onsuccess = () => resolve(read.result);
      };
    })));
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.title, contents])
      + document.documentElement.outerHTML;
  });
  assert.ok(kept.length > 1_000);
  assert.equal(kept.includes(ADMIN_TOKEN), false);
  assert.equal((await page.context().cookies()).length, 0);
  await page.reload();
  await page.getByLabel('Admin token').waitFor();
});

test('given an operator, when a market is halted and resumed from the page, then orders are refused and the banner stands until then',
  chromiumOnly, async (t) => {
  const page = await operatorPage(t);
  const answer = await act(page, 'Halt or resume trading', { Scope: 'BTC', Mode: 'halted' }, /BTC becomes halted for everybody/);
  assert.match(answer, /"scope":"BTC","mode":"halted"/);
  await page.getByText('BTC is halted.').waitFor();
  const order = { symbol: market.symbol, side: 'Buy', size: '0.1', price: '10' } as const;
  assert.equal((await market.maker.placeOrder(order)).reason, 'Market is halted');
  await act(page, 'Halt or resume trading', { Scope: 'BTC', Mode: 'open' }, /BTC becomes open for everybody/);
  await page.getByText('BTC is halted.').waitFor({ state: 'detached' });
  const placed = await market.maker.placeOrder(order);
  assert.equal(placed.status, 'ACKED');
  await market.maker.cancelOrder(placed.order_id!);
});

test('given a question before an action, when the operator leaves it, then nothing is sent', chromiumOnly, async (t) => {
  const page = await operatorPage(t);
  const card = page.getByRole('region', { name: 'Index price', exact: true });
  await card.getByLabel('Price', { exact: true }).fill('1');
  await card.getByRole('button').click();
  await page.getByRole('button', { name: 'Leave it' }).click();
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.equal((await operator.status()).underlyings.find(({ underlying }) => underlying === 'BTC')?.index_price, INDEX);
});

test('given an operator, when an index and a surface are set by hand, then the venue has them and says so', chromiumOnly, async (t) => {
  const page = await operatorPage(t);
  await act(page, 'Index price', { Underlying: 'ETH', Price: '3600.5', Stale: 'no' }, /index of ETH becomes 3600.5/);
  const shape = { Underlying: 'ETH', 'At the money': '0.5' };
  assert.match(await act(page, 'Volatility surface', shape, /becomes 0.5 at the money/), /"atm_vol":0.5/);
  await page.getByRole('button', { name: 'ETH', exact: true }).click();
  await page.locator('.index').getByText('3,600.5').waitFor();
});

test('given a wallet, when the operator gives it cash and a tier, blocks and opens it, then each is in force, and an id moves cash once',
  chromiumOnly, async (t) => {
  const client = await connect(market.url, { signer: privateKeySigner(createPrivateKey()) });
  const { wallet } = client;
  const page = await operatorPage(t);
  const tier = { Wallet: wallet, Tier: 'market_maker' };
  assert.match(await act(page, 'Tier of a wallet', tier, /gets the limits of market_maker/), /market_maker/);
  const { available_balance: before } = await client.get('/portfolio', { wallet });
  const credit = { Wallet: wallet, Amount: '250.5', Reason: HOSTILE, Id: 'from-the-page' };
  const first = await act(page, 'Credit or debit', credit, /250.5 USDC are given to/);
  assert.equal(await act(page, 'Credit or debit', credit, /250.5 USDC are given to/), first);
  const { available_balance: later } = await client.get('/portfolio', { wallet });
  assert.equal(Number(later) - Number(before), 250.5);
  await act(page, 'Restrict a wallet', { Wallet: wallet, Mode: 'blocked' }, /block it and end/);
  const order = { symbol: market.symbol, side: 'Buy', size: '0.1', price: '10' } as const;
  assert.equal((await client.placeOrder(order)).reason, 'Wallet is blocked');
  await act(page, 'Restrict a wallet', { Wallet: wallet, Mode: 'open' }, /open it/);
  const { order_id: id } = await client.placeOrder(order);
  await act(page, 'Cancel a wallet\'s orders', { Wallet: wallet }, /All open orders of 0x/);
  assert.equal((await client.get('/orders/status', { wallet, order_id: id! })).data?.order_status, 'canceled');
  await page.getByRole('tab', { name: 'Accounts' }).click();
  const row = page.getByRole('grid', { name: 'Accounts' }).getByRole('row').filter({ hasText: wallet });
  await row.getByText('market_maker').waitFor();
});

test('given a text of several words, when the operator types it, then its spaces stay', chromiumOnly, async (t) => {
  const page = await operatorPage(t);
  const reason = page.getByRole('region', { name: 'Credit or debit', exact: true }).getByLabel('Reason', { exact: true });
  await reason.pressSequentially('a prize for all');
  assert.equal(await reason.inputValue(), 'a prize for all');
});

test('given a refusal, then the venue\'s own text is shown', chromiumOnly, async (t) => {
  const page = await openPage(t, market.url, { expected: /Failed to load resource/ });
  await page.locator('.venue-state').getByText('Live').waitFor();
  await page.getByRole('tab', { name: 'Operator', exact: true }).click();
  await page.getByLabel('Admin token').fill(ADMIN_TOKEN);
  await page.getByRole('button', { name: 'Use the token' }).click();
  await page.getByRole('tab', { name: 'Actions' }).click();
  const told = await act(page, 'Settlement price', { Underlying: 'BTC', Expiry: '2020-01-03', Price: '1' }, /cannot be taken back/);
  const refusal = await operator.act('POST /admin/settlement-price', { underlying: 'BTC', expiry: '2020-01-03', price: '1' })
    .then(() => null, (error: unknown) => error as StrikebookError);
  assert.ok(refusal !== null);
  assert.equal(told, (refusal.details as { message: string }).message);
});

test('given the operator panel at a desk and on a phone, then axe-core finds nothing serious, and health is the venue\'s', chromiumOnly,
  async (t) => {
  const page = await operatorPage(t);
  assert.deepEqual(await seriousFaults(page, '[data-panel=operator]'), []);
  await page.getByRole('tab', { name: 'Health' }).click();
  const { components } = await operator.status();
  const list = page.getByRole('region', { name: 'Components' }).getByRole('listitem');
  await list.first().waitFor();
  assert.deepEqual(await list.locator('strong').allTextContents(), components.map(({ name }) => name));
  await page.getByRole('region', { name: 'Threads' }).getByText('journal', { exact: true }).waitFor();
  assert.deepEqual(await seriousFaults(page, '[data-panel=operator]'), []);
  await page.setViewportSize(PHONE);
  await page.getByRole('region', { name: 'Components' }).waitFor();
  await fitsWidth(page, PHONE);
});
