// The ticket's fields: which orders they stand for, what keeps them from being sent, and what the ticket warns of before they are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fieldsFor, filledWith, isComplete, missingOf, ordersOf, problemsOf, sentenceOf, withKind, withSide, type PricedFields,
} from '../../../../client/terminal/panels/ticket/fields.ts';
import { warningsOf } from '../../../../client/terminal/panels/ticket/warnings.ts';

const SYMBOL = 'BTC-20261225-90000-C';
const UNTIL = 1_000;
const LIMIT: PricedFields = { ...fieldsFor(SYMBOL), price: '5000', typed: '5000', size: '0.50' };
const FACTS: Parameters<typeof warningsOf>[1] = {
  bid: 4_900, ask: 5_100, mark: 5_000, index: 90_000, position: 1, now: 10, mode: 'orderbook', answer: null, walletMode: 'open', band: null,
};

test('given a plain limit order, then it has no term that would make it an extended one, and keeps its texts', () => {
  assert.deepEqual(ordersOf(LIMIT, UNTIL, 'l'), [{ symbol: SYMBOL, side: 'Buy', size: '0.50', price: '5000', tif: 'gtc' }]);
});

test('given terms beyond the plain ones, then each is in the order, and it says until when it is valid', () => {
  const [order] = ordersOf({
    ...LIMIT, post: 'slide', expiresAt: 5_000, stp: 'cancel_both', isReduceOnly: true, clientId: 'mine', hasProtection: true,
  }, UNTIL, 'l');
  assert.deepEqual(order, {
    symbol: SYMBOL, side: 'Buy', size: '0.50', price: '5000', tif: 'gtc', reduce_only: true, client_id: 'mine', mmp_enabled: true,
    expires_at: 5_000, stp: 'cancel_both', post_only: 'slide', valid_until: UNTIL,
  });
  assert.equal(ordersOf({ ...LIMIT, post: 'reject' }, UNTIL, 'l')[0]!.post_only, true);
});

test('given a stop, then it reduces, ends at once, and fires on the side where a position loses', () => {
  const stop = { ...withKind(withSide(LIMIT, 'Sell'), 'stop'), price: '1', trigger: '80000' };
  assert.deepEqual(ordersOf(stop, UNTIL, 'l'), [{
    symbol: SYMBOL, side: 'Sell', size: '0.50', price: '1', tif: 'ioc', reduce_only: true, valid_until: UNTIL,
    trigger: { by: 'theo', direction: 'below', price: '80000' },
  }]);
  assert.equal(withSide(stop, 'Buy').direction, 'above');
  assert.deepEqual([withKind(stop, 'limit').tif, withKind(stop, 'limit').isReduceOnly], ['gtc', false]);
});

test('given a pair, then it is the library’s bracket: two linked orders that reduce, without a client id', () => {
  const pair = { ...withKind(withSide(LIMIT, 'Sell'), 'pair'), price: '1', trigger: '4000', target: '6000', clientId: 'mine' };
  const [target, stop] = ordersOf(pair, UNTIL, 'both');
  const shared = { symbol: SYMBOL, side: 'Sell', size: '0.50', reduce_only: true, link_id: 'both', valid_until: UNTIL };
  assert.deepEqual(target, { ...shared, price: '6000' });
  assert.deepEqual(stop, { ...shared, price: '1', tif: 'ioc', trigger: { by: 'theo', direction: 'below', price: '4000' } });
  assert.equal(sentenceOf(stop!), `Sell 0.50 ${SYMBOL} at 1 once theo is below 4000`);
});

test('given an entry, then it comes first with its own terms, and two linked triggers close on the other side', () => {
  const bought = {
    ...LIMIT, ...withKind(LIMIT, 'entry'), price: '5000', trigger: '4000', target: '6000', worst: '1', clientId: 'mine', expiresAt: 5_000,
  };
  const [entry, stop, target] = ordersOf(bought, UNTIL, 'both');
  const shared = { symbol: SYMBOL, side: 'Sell', size: '0.50', reduce_only: true, link_id: 'both', valid_until: UNTIL };
  assert.deepEqual(entry, {
    symbol: SYMBOL, side: 'Buy', size: '0.50', price: '5000', tif: 'gtc', client_id: 'mine', expires_at: 5_000, valid_until: UNTIL,
  });
  assert.deepEqual(stop, { ...shared, price: '1', tif: 'ioc', trigger: { by: 'theo', direction: 'below', price: '4000' } });
  assert.deepEqual(target, { ...shared, price: '6000', trigger: { by: 'theo', direction: 'above', price: '6000' } });
  const sold = ordersOf({ ...bought, ...withSide(bought, 'Sell'), by: 'index' }, UNTIL, 'both');
  assert.deepEqual(sold.map(({ side, trigger }) => [side, trigger?.by, trigger?.direction]), [
    ['Sell', undefined, undefined], ['Buy', 'index', 'above'], ['Buy', 'theo', 'below'],
  ]);
  assert.deepEqual([missingOf(bought), missingOf({ ...bought, worst: '' }), isComplete(bought)], [null, 'worst', true]);
  assert.equal(problemsOf({ ...LIMIT, worst: '-1' }).worst, null);
});

test('given a field that the library would not sign, then it is named, and an empty one only keeps the order back', () => {
  const { price, size } = problemsOf({ ...LIMIT, price: '1.23456', size: '-1' });
  assert.match(price!, /6 significant figures/);
  assert.match(size!, /greater than 0/);
  assert.deepEqual([isComplete(LIMIT), isComplete({ ...LIMIT, price: '' }), isComplete({ ...LIMIT, size: '0' })], [true, false, false]);
  assert.deepEqual(Object.values(problemsOf({ ...LIMIT, price: '' })), [null, null, null, null, null]);
  assert.equal(isComplete({ ...LIMIT, kind: 'stop', trigger: '' }), false);
});

test('given another contract, then side and size stay and its price goes, and a fill brings its own', () => {
  const before = { ...withSide(LIMIT, 'Sell'), trigger: '7', clientId: 'mine' };
  const after = fieldsFor('ETH-PERP', before);
  assert.deepEqual([after.side, after.size, after.typed, after.trigger, after.clientId], ['Sell', '0.50', '', '', '']);
  const filled = filledWith(before, { symbol: 'ETH-PERP', side: 'Buy', price: '3500', size: '2' });
  assert.deepEqual([filled.symbol, filled.side, filled.typed, filled.size, filled.direction], ['ETH-PERP', 'Buy', '3500', '2', 'above']);
  assert.equal(filledWith(LIMIT, { symbol: SYMBOL, side: 'Sell', price: null }).typed, '5000');
});

test('given what the venue would refuse or do at once, then the ticket says so, and of a plain order nothing', () => {
  const warned = (change: Partial<PricedFields>, facts: Partial<typeof FACTS> = {}): string => (
    warningsOf({ ...LIMIT, ...change }, { ...FACTS, ...facts }).join('|')
  );
  assert.equal(warned({}), '');
  assert.match(warned({ price: '5100', post: 'reject' }), /would trade at once: the venue refuses/);
  assert.match(warned({ price: '5100', post: 'slide' }), /slides behind/);
  assert.equal(warned({ price: '5099', post: 'reject' }), '');
  assert.match(warned({ tif: 'ioc', post: 'reject' }), /needs good till cancelled.*would end unfilled/);
  assert.match(warned({ price: '7000' }), /far above the mark of 5,000/);
  assert.match(warned({ side: 'Sell', price: '3000' }), /far below the mark/);
  assert.match(warned({ expiresAt: 10 }), /Good till is over/);
  assert.match(warned({ isReduceOnly: true }), /no position for it to reduce/);
  assert.equal(warned({ isReduceOnly: true, side: 'Sell' }), '');
  assert.match(warned({}, { mode: 'halted' }), /halted/);
  assert.match(warned({}, { walletMode: 'blocked' }), /wallet is blocked/);
  assert.match(warned({}, { walletMode: 'close_only' }), /may only close/);
  assert.equal(warned({ side: 'Sell' }, { walletMode: 'close_only' }), '');
  const band = { min: '4500', max: '5500' };
  assert.match(warned({ price: '5501' }, { band }), /Outside the price band of 4,500 to 5,500/);
  assert.match(warned({ price: '4499', side: 'Sell' }, { band }), /Outside the price band/);
  assert.equal(warned({ price: '5500' }, { band }) + warned({ price: '100' }, { band }), '');
  const entry = { kind: 'entry', trigger: '4000' } as const;
  assert.equal(warned(entry, { position: 0 }), '');
  assert.match(warned(entry), /also close what you hold already/);
  assert.match(warned({ ...entry, trigger: '5000', price: '7000' }, { position: 0 }), /far above.*The stop is met now, at 5,000/);
  const stop = { kind: 'stop', side: 'Sell', price: '1', trigger: '5000', direction: 'below', by: 'mark' } as const;
  assert.match(warned(stop), /met now, at 5,000/);
  assert.equal(warned({ ...stop, trigger: '4999' }), '');
});
