// The batch of market data for the page: of the chain only the newest of each row waits, and what the page shows in the end is the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { isMarketData, MessageBatch } from '../../../client/terminal/venue/message-batch.ts';

type Told = {
  readonly action: string; readonly strike?: number; readonly option_type?: string; readonly row?: Readonly<Record<string, unknown>>;
};

const STRIKES = [90_000, 90_000.5, 100_000];
const change = fc.record({
  strike: fc.constantFrom(...STRIKES), legs: fc.constantFrom(['call'], ['put'], ['call', 'put'], []), value: fc.nat(9),
});

/** No legs: a contract of the row is removed. */
function textOf({ strike, legs, value }: { readonly strike: number; readonly legs: readonly string[]; readonly value: number }): string {
  const base = { type: 'OptionsChainUpdate', action: legs.length === 0 ? 'Remove' : 'Upsert', currency: 'BTC', expiry: 1_900_000_000 };
  const kind = value % 2 === 0 ? 'call' : 'put';
  if (legs.length === 0) return JSON.stringify({ ...base, strike, option_type: kind, symbol: `BTC-20300317-${strike}`, timestamp: 1 });
  const row = Object.fromEntries(legs.map((leg) => [leg, { symbol: 'x', bid: value }]));
  return JSON.stringify({ ...base, row: { strike, ...row }, timestamp: 1 });
}

function shownAfter(texts: readonly string[]): ReadonlyMap<string, unknown> {
  const shown = new Map<string, unknown>();
  for (const text of texts) {
    const { action, option_type: kind, row = {}, strike } = JSON.parse(text) as Told;
    if (action === 'Remove') shown.delete(`${strike} ${kind}`);
    else for (const leg of ['call', 'put']) if (row[leg] !== undefined) shown.set(`${String(row['strike'])} ${leg}`, row[leg]);
  }
  return new Map([...shown].sort());
}

test('given any changes of a chain, then the batch leads to the same rows, and holds few whatever their number', () => {
  fc.assert(fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
    const batch = new MessageBatch();
    const texts = changes.map(textOf);
    for (const text of texts) batch.add(text);
    const removals = changes.filter(({ legs }) => legs.length === 0).length;
    assert.ok(batch.size <= removals + 3 * STRIKES.length);
    assert.deepEqual(shownAfter(batch.take()), shownAfter(texts));
    assert.equal(batch.size, 0);
  }));
});

test('given messages of a book and others, then all of a book are kept in their order, and the others are no market data', () => {
  const batch = new MessageBatch();
  const texts = [1, 2, 3].map((seq) => JSON.stringify({ type: 'BookUpdate', is_snapshot: false, symbol: 'BTC-PERP', seq }));
  for (const text of texts) batch.add(text);
  assert.deepEqual(batch.take(), texts);
  assert.ok(texts.every(isMarketData));
  for (const type of ['OrderResult', 'Subscribed', 'OrderUpdate', 'Error', 'Fill']) assert.ok(!isMarketData(JSON.stringify({ type })));
});
