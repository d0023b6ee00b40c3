// Searching for a contract: by parts of its name in any order, and quickly among thousands.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractsOf, matching } from '../../../client/terminal/venue/contracts.ts';

const DECEMBER = Date.UTC(2026, 11, 25, 8) / 1_000;
const CONTRACTS = contractsOf(['BTC', 'ETH'].map((underlying) => ({
  underlying, expiry: DECEMBER, perp: { symbol: `${underlying}-PERP` },
  instruments: ['90000', '100000'].flatMap((strike) => (['call', 'put'] as const).map((type) => ({
    id: `${underlying}-20261225-${strike}-${type === 'call' ? 'C' : 'P'}`, strike, option_type: type,
  }))),
}) as unknown as Parameters<typeof contractsOf>[0][number]));
const symbolsFor = (query: string, bound = 50): string[] => matching(CONTRACTS, query, bound).map(({ symbol }) => symbol);

test('given parts of a name in any order and case, then the contracts that hold all of them are found', () => {
  assert.deepEqual(symbolsFor('100,000 btc C'), ['BTC-20261225-100000-C']);
  assert.deepEqual(symbolsFor('put dec eth 90000'), ['ETH-20261225-90000-P']);
  assert.deepEqual(symbolsFor('perp'), ['BTC-PERP', 'ETH-PERP']);
  assert.deepEqual(symbolsFor('btc doge'), []);
  assert.deepEqual(symbolsFor('', 3), ['BTC-PERP', 'ETH-PERP', 'BTC-20261225-90000-C']);
});

test('given a contract, then it leads to its underlying and expiry, and a perp to no expiry', () => {
  assert.deepEqual(matching(CONTRACTS, 'btc 90000 p', 1).map(({ underlying, expiry }) => [underlying, expiry]), [['BTC', DECEMBER]]);
  assert.deepEqual(matching(CONTRACTS, 'eth perp', 1).map(({ underlying, expiry }) => [underlying, expiry]), [['ETH', null]]);
});
