// The page's address: what is looked at, and nothing that is not of the right form.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrangementIn, arrangementText, fitted } from '../../../client/terminal/arrangement.ts';
import { queryOf, selectionIn, ticketIn } from '../../../client/terminal/venue/address.ts';

test('given a selection, then its address leads back to it', () => {
  const selection = { underlying: 'ETH', expiry: Date.UTC(2026, 11, 25, 8) / 1_000, contract: 'ETH-20261225-3500-P' };
  assert.equal(queryOf(selection), '?underlying=ETH&expiry=20261225&contract=ETH-20261225-3500-P');
  assert.deepEqual(selectionIn(queryOf(selection)), selection);
  assert.deepEqual(selectionIn(queryOf({ ...selection, expiry: null, contract: 'ETH-PERP' })), { underlying: 'ETH', contract: 'ETH-PERP' });
});

test('given a contract alone, then its underlying and expiry are looked at, unless the address says others', () => {
  const [contract, expiry] = ['ETH-20261225-3500-P', Date.UTC(2026, 11, 25, 8) / 1_000];
  assert.deepEqual(selectionIn(`?contract=${contract}`), { underlying: 'ETH', expiry, contract });
  assert.deepEqual(selectionIn(`?underlying=ETH&contract=${contract}`), { underlying: 'ETH', expiry, contract });
  assert.deepEqual(selectionIn(`?underlying=BTC&contract=${contract}`), { underlying: 'BTC', contract });
  assert.deepEqual(selectionIn('?contract=ETH-PERP'), { underlying: 'ETH', contract: 'ETH-PERP' });
});

test('given an address that somebody wrote by hand, then what is not of the right form is left out', () => {
  const strange = ['?underlying=btc', '?underlying=<b>', '?expiry=soon', '?contract=BTC-1-2', '?contract=javascript:alert(1)', '?side=Buy'];
  for (const query of ['', ...strange]) {
    assert.deepEqual(selectionIn(query), {}, query);
  }
});

test('given a link with an order, then it fills the ticket, without what is no side or no amount', () => {
  const contract = 'BTC-20261225-90000-C';
  const link = (rest: string): ReturnType<typeof ticketIn> => ticketIn(`?contract=${contract}&${rest}`);
  assert.deepEqual(link('side=Buy&price=5000&size=0.5'), { symbol: contract, side: 'Buy', price: '5000', size: '0.5' });
  assert.deepEqual(link('side=Sell&price=<b>&size=1e3'), { symbol: contract, side: 'Sell', price: null });
  assert.deepEqual([link('side=buy'), ticketIn('?side=Buy'), ticketIn('?side=Buy&contract=x"y')], [null, null, null]);
});

test('given an arrangement of the panels, then the address leads back to it, and the standard one is not in it', () => {
  const sizes = { contract: 300, ticket: 320, account: 400 };
  const text = arrangementText(sizes, { main: 'chart' });
  assert.equal(text, 'contract.300_account.400_main.chart');
  const query = queryOf({ underlying: 'BTC', expiry: null, contract: null }, text);
  assert.equal(query, '?underlying=BTC&layout=contract.300_account.400_main.chart');
  assert.deepEqual(arrangementIn(query), { sizes: { contract: 300, account: 400 }, panels: { main: 'chart' } });
  assert.equal(arrangementText({ contract: 260, ticket: 320, account: 220 }, {}), '');
});

test('given a large window, then areas of standard size grow with it, and those that were resized stay', () => {
  const standard = { contract: 260, ticket: 320, account: 220 };
  assert.deepEqual(fitted(standard, { width: 1_280, height: 720 }), standard);
  assert.deepEqual(fitted(standard, { width: 3_840, height: 2_160 }), { contract: 499, ticket: 403, account: 475 });
  assert.deepEqual(fitted({ ...standard, contract: 261 }, { width: 3_840, height: 720 }), { contract: 261, ticket: 403, account: 220 });
  assert.deepEqual(fitted(standard, { width: 99_999, height: 99_999 }), { contract: 700, ticket: 700, account: 900 });
});

test('given sizes out of bounds or parts that are none, then they are left out', () => {
  const query = '?layout=contract.1_ticket.99999_account.-5_main.<b>_x_contract.260.5_sub.200';
  assert.deepEqual(arrangementIn(query), { sizes: {}, panels: {} });
});
