// The index of waiting orders against a sorted list: after any adding and removing the order of each tree is by price and id.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { createBooks, holdOrder } from '../../../core/book/books.ts';
import {
  ABOVE, addTrigger, BELOW, createTriggers, firstTrigger, removeTrigger, treeOf, triggerAfter,
} from '../../../core/orders/triggers.ts';

const ORDERS = 200;

test('a tree of waiting orders is walked by price and id, whatever came and went', () => {
  const step = fc.record({ at: fc.nat(ORDERS - 1), price: fc.integer({ min: 1, max: 30 }) });
  fc.assert(fc.property(fc.array(step, { minLength: 150, maxLength: 400 }), fc.constantFrom(ABOVE, BELOW), (steps, direction) => {
    const books = createBooks({ orders: ORDERS + 1, instruments: 4, levelPages: ORDERS });
    const price = new Float64Array(ORDERS + 1);
    const triggers = createTriggers(books, price);
    const tree = treeOf(2, false, 3, direction);
    const slots = Array.from({ length: ORDERS }, (_, i) => holdOrder(books, 2, 0, 1, 0, i + 1, 1));
    const waiting = new Set<number>();
    const sign = direction === ABOVE ? 1 : -1;
    for (const { at, price: wanted } of steps) {
      const slot = slots[at]!;
      if (waiting.delete(slot)) removeTrigger(triggers, tree, slot);
      else {
        price[slot] = wanted;
        waiting.add(slot);
        addTrigger(triggers, tree, slot);
      }
      const sorted = [...waiting].sort((a, b) => sign * (price[a]! - price[b]!) || a - b);
      assert.equal(triggers.nearest[tree], sorted.length === 0 ? 0 : price[sorted[0]!]);
      const walked: number[] = [];
      for (let one = firstTrigger(triggers, tree); one !== 0; one = triggerAfter(triggers, tree, price[one]!, one)) walked.push(one);
      assert.deepEqual(walked, sorted);
    }
    assert.equal(triggers.ofContract[2], waiting.size);
    assert.ok(triggers.height[triggers.root[tree]!]! <= 12, 'the tree is balanced');
  }), { numRuns: 30 });
});
