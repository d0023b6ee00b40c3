// A bracket whose stop and target have ended: the rest of its entry is found among the working orders, and nothing else is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Order } from '../../../../client/src/main.ts';
import { linkIdAt, restsOf } from '../../../../client/terminal/panels/ticket/bracket.ts';

const PLACED = 1_800_000_000_000;
const LATER = PLACED + 10_000;
const link = linkIdAt(PLACED);

function order(more: Partial<Order>): Order {
  return { order_id: 1, client_id: null, filled_size: '0', created_at: PLACED, ...more } as Order;
}

test('given a partly filled entry without stop and target, then it is found, and not while one of them waits', () => {
  const entry = order({ client_id: link, filled_size: '0.1' });
  const stop = order({ order_id: 2, link_id: link });
  assert.deepEqual(restsOf([entry], LATER), [entry]);
  assert.deepEqual(restsOf([entry, stop], LATER), []);
  assert.deepEqual(restsOf([entry, order({ order_id: 3, link_id: linkIdAt(PLACED + 1) })], LATER), [entry]);
});

test('given an entry that has filled nothing, one just placed, or an order of no bracket, then none is found', () => {
  assert.deepEqual(restsOf([order({ client_id: link })], LATER), []);
  assert.deepEqual(restsOf([order({ client_id: link, filled_size: '0.1' })], PLACED + 1_000), []);
  assert.deepEqual(restsOf([order({ client_id: 'mine', filled_size: '0.1' }), order({ filled_size: '0.1' })], LATER), []);
});
