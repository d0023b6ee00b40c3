// The connection panel and the competitions: what the page signed, its bytes sent again, lags as the metrics tell them, names and ranks.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { digestHex, Forms, Operator } from '../../client/src/main.ts';
import { signed, price } from '../../client/terminal/format.ts';
import { seriousFaults } from '../support/axe.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import type { Ends } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree, fitsWidth } from './agree.ts';
import { ADMIN_TOKEN, marketWithBook } from './market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const HOSTILE = '<img src=x onerror=alert(1)>';
const HOUR_MS = 3_600_000;
/** One venue and one page for all tests of this file, in their order. */
const scene = HAS_CHROMIUM ? await openScene({ after }) : null!;

async function openScene(t: Ends) {
  const market = await marketWithBook(t);
  const page = await openPage(t, market.url, { expected: /Failed to load resource/ });
  await page.locator('.venue-state').getByText('Live').waitFor();
  const show = (name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click();
  await show('Connection');
  await page.getByText('Nothing has been signed in this page yet.').waitFor();
  const me = await throwawayOf(page, market.url);
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  return { ...market, page, me, show, card };
}

/** The value of a fact in a card. */
async function fact(name: string, of = 'Signed messages'): Promise<string> {
  const row = scene.card(of).locator('dl > div').filter({ has: scene.page.getByText(name, { exact: true }) });
  return (await row.locator('dd').textContent())!;
}

test('given the panel, then the venue it shows is the one of the interface, and its lags are those of the metrics', SKIP, async () => {
  const { card, me } = scene;
  await card('The venue').getByText('commands behind').first().waitFor();
  assert.equal(await fact('Venue', 'The venue'), me.info.venue_id);
  assert.match(await fact('Durable log', 'The venue'), /^[0-9,]+ commands behind$/);
  const [, codec] = /codec="(\d+)"/.exec(await me.metrics())!;
  assert.match(await fact('Version', 'The venue'), new RegExp(`codec ${codec!}$`));
  await card('Gaps in streams').getByText('No message of a stream has been missed').waitFor();
});

test('given a signed request of the page, then its digest is that of the interface, and its bytes again change nothing', SKIP, async () => {
  const { card, me, page, show } = scene;
  await show('Maker');
  await card('Dead man\'s switch').getByLabel('Timeout').fill('900');
  await card('Dead man\'s switch').getByRole('button', { name: 'Arm once' }).click();
  await page.getByText('The switch is armed.').waitFor();
  const before = await me.get('/cancel-after', { wallet: me.wallet });
  assert.notEqual(before.data.cancel_at, null);
  await show('Connection');
  const own = card('Signed messages');
  const { nonce } = JSON.parse((await own.locator('pre').nth(1).textContent())!) as { nonce: number };
  const { data } = new Forms(me.info, me.wallet).cancelAfter(900_000, nonce).items[0]!;
  assert.equal(await fact('Digest'), digestHex(data));
  assert.match(await fact('Signature'), /^0x[0-9a-f]{130}$/);
  await own.getByRole('button', { name: 'Send the same bytes again' }).click();
  await own.getByText('The same answer as before.').waitFor();
  await own.getByText('The venue says that it is a repeat: nothing was done.').waitFor();
  assert.deepEqual(await me.get('/cancel-after', { wallet: me.wallet }), before);
});

test('given quotes that were pulled, when their message is sent again by the socket, then no quote comes back', SKIP, async () => {
  const { card, me, page, show } = scene;
  await show('Maker');
  const quotes = card('Quotes of BTC');
  await quotes.getByLabel('Strikes around the spot').fill('3');
  await quotes.getByRole('button', { name: 'Choose them' }).click();
  await quotes.getByRole('button', { name: 'Start quoting 6 contracts' }).click();
  await quotes.getByText(/ [1-9][0-9]* open/).waitFor();
  await quotes.getByRole('button', { name: 'Stop and pull' }).click();
  await page.getByText('The quotes of this page are cancelled.').waitFor();
  await show('Connection');
  const own = card('Signed messages');
  const choice = own.getByLabel('Message');
  const value = await choice.locator('option').filter({ hasText: 'MassQuote' }).first().getAttribute('value');
  await choice.selectOption(value!);
  assert.equal(await fact('Request'), 'POST /mass-quote');
  await own.getByRole('button', { name: 'Send the same bytes again' }).click();
  await own.getByText('The same answer as before.').waitFor();
  assert.deepEqual((await me.get('/orders', { wallet: me.wallet, status: 'open' })).data, []);
});

test('given the panel at a desk and on a phone, then axe-core finds nothing serious and all fits the screen', SKIP, async () => {
  const { card, page } = scene;
  assert.deepEqual(await seriousFaults(page, '[data-panel=connection]'), []);
  const desk = page.viewportSize()!;
  await page.setViewportSize(PHONE);
  await card('Signed messages').waitFor();
  await fitsWidth(page, PHONE);
  await page.setViewportSize(desk);
});

test('given a competition with markup in its name, when the wallet trades, then its rank is the leaderboard\'s', SKIP, async () => {
  const { book, card, me, page, show, symbol, url } = scene;
  await show('Competitions');
  await page.getByText('None yet. The operator creates them.').waitFor();
  const now = (await me.get('/time', {})).time_ms;
  const { data: { id } } = await new Operator(url, ADMIN_TOKEN).act('POST /competitions', {
    name: HOSTILE, description: HOSTILE, win_conditions: ['pnl', 'volume'], primary_win_condition: 'volume', start_ts_ms: now,
    end_ts_ms: now + HOUR_MS,
  });
  await me.placeOrder({ symbol, side: 'Buy', size: '0.2', price: String(book.best_ask_price) });
  await show('Connection');
  await show('Competitions');
  const grid = card('Competitions').getByRole('grid', { name: 'Leaderboard' });
  const row = grid.getByRole('row').filter({ hasText: me.wallet });
  await row.waitFor();
  await agree(async () => {
    const board = await me.get('/competitions/leaderboard', { competition_id: id, wallet: me.wallet });
    const own = board.data.find(({ wallet }) => wallet === me.wallet)!;
    return [own.username, signed(own.pnl), price(own.volume)];
  }, async () => {
    const cells = await row.getByRole('gridcell').allTextContents();
    return [cells[1], cells[3], cells[4]];
  });
  assert.equal(await row.getAttribute('aria-selected'), 'true');
  assert.equal(await page.locator('img[src=x]').count(), 0);
  await card('Competitions').getByText(HOSTILE).last().waitFor();
});

test('given a name, when it is set in the page, then the profile has it, and a taken one gets the venue\'s text', SKIP, async () => {
  const { card, maker, me, page } = scene;
  await maker.setUsername('maker_one');
  const profile = card('Profile');
  await profile.getByLabel('New name').fill('page_trader');
  await profile.getByRole('button', { name: 'Set name' }).click();
  await profile.getByText('Your name is page_trader.').waitFor();
  assert.equal((await me.get('/username', { wallet: me.wallet })).data.username, 'page_trader');
  await profile.getByLabel('New name').fill('maker_one');
  await profile.getByRole('button', { name: 'Set name' }).click();
  const textOf = (error: { readonly details: { readonly message: string } }): string => error.details.message;
  const refusal = await me.setUsername('maker_one').then(() => '', textOf);
  assert.notEqual(refusal, '');
  await profile.getByText(refusal).waitFor();
  assert.deepEqual(await seriousFaults(page, '[data-panel=competitions]'), []);
});
