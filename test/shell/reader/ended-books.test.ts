// What the book channel keeps of a contract: nothing once it has ended and its last change is sent, however long a client subscribes.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CALL, DELETE_MARKET, LIST_MARKET } from '../../../core/codec/commands.ts';
import { SELL } from '../../../core/units.ts';
import { Bench, CALL_100, EXPIRY, type Sent } from './support.ts';

const USDC = 1e6;
const ONE = 1e6;
/** The api threads: of who listens all the time, and of who comes later. */
const [FIRST, LATER] = [0, 1];

/** Listens to all books; the symbols of those that stand. */
function listen(bench: Bench, api: number): unknown[] {
  const { body } = bench.answer('subscribe', { channel: 'book', key: '' }, api);
  return (JSON.parse(body) as { messages: Sent['message'][] }).messages.map(({ symbol }) => symbol);
}

function heard(bench: Bench): Sent['message'][] {
  return bench.sent.splice(0).filter(({ api }) => api === FIRST).map(({ message }) => message);
}

function market(bench: Bench, kind: number, strike: number): void {
  bench.venue.venue(bench.venue.write.market(kind, 0, EXPIRY, strike * USDC, CALL));
  bench.venue.settle();
  bench.feed();
}

function sell(bench: Bench, strike: number): void {
  bench.place({ ...CALL_100, strike: strike * USDC, wallet: 1, side: SELL, price: 2_000 * USDC, size: ONE });
}

test('an ended book is dropped, although a client still subscribes to all books', (t) => {
  const bench = new Bench(t);
  const symbolOf = (strike: number): string => `BTC-20260106-${strike}-C`;
  assert.deepEqual(listen(bench, FIRST), []);
  for (const strike of [90_000, 100_000, 110_000, 120_000]) sell(bench, strike);
  assert.equal(heard(bench).length, 4);
  // One book is empty when its contract is deleted, one when it expires; the others have an order until then.
  for (const id of [1, 3]) bench.cancel(1, id);
  for (const strike of [90_000, 100_000]) market(bench, DELETE_MARKET, strike);
  assert.deepEqual(listen(bench, LATER), [110_000, 120_000].map(symbolOf));
  bench.venue.advance(EXPIRY - bench.venue.now);
  bench.venue.settle();
  bench.feed();
  const ends = [90_000, 110_000, 100_000, 120_000].map((strike) => [symbolOf(strike), false, [['2000', '0']]]);
  assert.deepEqual(heard(bench).map(({ symbol, is_snapshot: isSnapshot, asks }) => [symbol, isSnapshot, asks]), ends);
  assert.deepEqual(listen(bench, LATER), []);
});

test('the book of a contract that is deleted and listed again begins with a snapshot', (t) => {
  const bench = new Bench(t);
  listen(bench, FIRST);
  sell(bench, 100_000);
  market(bench, DELETE_MARKET, 100_000);
  market(bench, LIST_MARKET, 100_000);
  for (let i = 0; i < 2; i++) sell(bench, 100_000);
  const told = heard(bench).map(({ is_snapshot: isSnapshot, seq }) => [isSnapshot, seq]);
  assert.deepEqual(told, [[true, 1], [false, 2], [true, 3], [false, 4]]);
});
