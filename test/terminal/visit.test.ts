// One visit, from a look to a loss that the ledger explains: a visitor makes a key, buys, sets a stop with a target, sees the venue killed
// and back, and is stopped out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { price, signed } from '../../client/terminal/format.ts';
import { HAS_CHROMIUM, openPage, PHONE } from '../support/browser.ts';
import { lastFirst } from '../support/temporary.ts';
import { throwawayOf } from './account.ts';
import { agree } from './agree.ts';
import { admin, AWAY, killAndStartAgain, marketWithBook } from './market.ts';

const SKIP = { skip: !HAS_CHROMIUM && 'no Chromium is installed' };
const SIZE = '0.2';
const FELL_TO = '98000';
/** USDC of the option: below what it is worth at the first index, above what it is worth at the other. */
const STOP = 1_250;
const WORST = '50';
const OUT_OF_REACH = '9000';

for (const width of ['desk', 'phone'] as const) {
  test(`given a visitor with a ${width}, when his stop is met, then the ledger says what it cost`, SKIP, async (t) => {
    const ends = lastFirst(t);
    const market = await marketWithBook(ends);
    const { url, symbol, book } = market;
    const page = await openPage(ends, url, { expected: AWAY });
    page.setDefaultTimeout(30_000);
    if (width === 'phone') await page.setViewportSize(PHONE);
    const area = async (name: string): Promise<void> => {
      if (width === 'phone') await page.getByRole('tab', { name, exact: true }).click();
    };
    const ticket = page.getByRole('form', { name: 'Order ticket' });
    const send = async (review: RegExp): Promise<void> => {
      await ticket.getByRole('button', { name: review }).click();
      await page.getByRole('button', { name: 'Sign and send' }).click();
    };

    // He looks, makes a key, sees what the order would do, and buys.
    const me = await throwawayOf(page, url);
    const { wallet } = me;
    await page.getByRole('gridcell', { name: `Buy ${symbol} at ` }).click();
    await area('Ticket');
    await ticket.getByLabel('Size', { exact: true }).fill(SIZE);
    await ticket.getByRole('img', { name: 'Profit and loss' }).waitFor();
    await send(/^Review Buy/);
    await ticket.getByText(`ACKED, filled: filled ${SIZE}`).waitFor();
    await area('Account');
    const positions = page.getByRole('grid', { name: 'Positions' });
    // A phone has room for the contract and the size.
    const columns = width === 'phone' ? 2 : 4;
    await agree(async () => {
      const { positions: [held] } = await me.get('/portfolio', { wallet });
      return [held!.symbol, signed(held!.amount), price(held!.entry_price), signed(held!.unrealized_pnl)].slice(0, columns);
    }, async () => (await positions.locator('tbody tr').first().locator('td').allTextContents()).slice(0, columns));

    // He sets a stop and a target that end each other.
    await area('Ticket');
    await ticket.getByRole('button', { name: 'Stop + target', exact: true }).click();
    await ticket.getByRole('button', { name: 'Sell', exact: true }).click();
    for (const [label, value] of [['Stop, below', String(STOP)], ['Target, USD', OUT_OF_REACH], ['Worst price, USD', WORST]] as const) {
      await ticket.getByLabel(label, { exact: true }).fill(value);
    }
    await send(/^Review Sell/);
    await ticket.getByText('ACKED, untriggered').waitFor();

    await killAndStartAgain(ends, market, page);

    // The market falls: the stop sells what he holds, and the target ends with it.
    await admin(url, '/admin/index-price', { underlying: 'BTC', price: FELL_TO });
    await agree(async () => [0, 0], async () => [
      (await me.get('/portfolio', { wallet })).positions.length, (await me.get('/orders', { wallet, status: 'working' })).data.length,
    ]);
    const { data: [sold] } = await me.get('/fills', { wallet, limit: 1 });
    assert.deepEqual([sold!.symbol, sold!.side, sold!.size, Number(sold!.price)], [symbol, 'Sell', SIZE, book.best_bid_price]);

    // The ledger ends at his cash, on the page as in the interface.
    await area('Account');
    await page.getByRole('tab', { name: /^Ledger/ }).click();
    const { data: [last] } = await me.get('/ledger', { wallet, limit: 1 });
    // Without a position, equity is cash.
    assert.equal(last!.balance, (await me.get('/portfolio', { wallet })).margin_summary!.equity);
    await page.getByRole('grid', { name: 'Ledger' }).locator('tbody tr').first().getByText(price(last!.balance)).waitFor();
  });
}
