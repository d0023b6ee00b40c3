// Fills as the Hyperliquid dialect reads them: with the position after each, newest first or from the oldest on,
// whether they are still in memory or in the history.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUY, CONTRACT, SELL, USDC } from '../../../core/units.ts';
import type { FillOrder } from '../../../shell/ipc/queries.ts';
import { Bench, walletText } from './support.ts';

type Row = { readonly fill_id: number; readonly position: string };

test('fills come with the position after them, in either order, before and after they are stored', (t) => {
  const bench = new Bench(t);
  const trade = (buyer: number): void => {
    bench.place({ wallet: 3 - buyer, side: SELL, price: USDC, size: CONTRACT });
    bench.place({ wallet: buyer, side: BUY, price: USDC, size: CONTRACT });
  };
  const read = (order: FillOrder, limit: number): Row[] => (
    bench.body<{ data: Row[] }>('fills', { wallet: walletText(1), limit, offset: 0, order }).data
  );
  [1, 1, 2].forEach(trade);
  for (const round of ['in memory', 'one in memory', 'stored']) {
    const oldest = read('oldest', 100);
    const positions = round === 'in memory' ? ['1', '2', '1'] : ['1', '2', '1', '2'];
    assert.deepEqual(oldest.map(({ position }) => position), positions, round);
    assert.deepEqual(read('oldest', 2), oldest.slice(0, 2), round);
    assert.deepEqual(read('newest', 100), oldest.toReversed(), round);
    assert.deepEqual(read('newest', 2), oldest.toReversed().slice(0, 2), round);
    bench.commit();
    if (round === 'in memory') trade(1);
  }
});
