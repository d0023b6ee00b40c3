// How a page of the newest rows joins the rows that a list has: no row twice, none missing between two.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../support/fast-check.ts';
import { olderOffset, withNewest, withOlder, type PagedRows } from '../../../client/terminal/venue/paged-rows.ts';

const LIMIT = 5;
const none: PagedRows<number> = { id: 'fills', rows: null, error: 'An earlier read failed', hasMore: false };
const keyOf = (row: number): number => row;
/** Rows n to 1 are there; a page is what the venue answers. */
const pageOf = (count: number, offset: number) => (
  { rows: Array.from({ length: count }, (_, at) => count - at).slice(offset, offset + LIMIT), limit: LIMIT }
);

test('given any order of new rows and reads, then a list is always the newest rows without a gap', () => {
  const deed = fc.oneof(fc.record({ born: fc.integer({ min: 0, max: 12 }) }), fc.constantFrom('newest' as const, 'older' as const));
  fc.assert(fc.property(fc.array(deed, { maxLength: 40 }), (deeds) => {
    let count = 3;
    let state = withNewest(none, pageOf(count, 0), keyOf);
    for (const one of deeds) {
      if (one === 'newest') state = withNewest(state, pageOf(count, 0), keyOf);
      else if (one === 'older') state = withOlder(state, pageOf(count, olderOffset(state)), keyOf);
      else count += one.born;
      assert.deepEqual(state.rows, Array.from({ length: state.rows!.length }, (_, at) => state.rows![0]! - at));
    }
    state = withNewest(state, pageOf(count, 0), keyOf);
    while (state.hasMore) state = withOlder(state, pageOf(count, olderOffset(state)), keyOf);
    assert.deepEqual(state.rows, Array.from({ length: count }, (_, at) => count - at));
    assert.equal(state.error, null);
  }));
});
