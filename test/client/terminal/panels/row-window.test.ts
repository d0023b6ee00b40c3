// Which rows of a long grid are drawn: all in view, some around them, and the row with the focus wherever it is; never one twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '../../../support/fast-check.ts';
import { rangeInView, rangesDrawn } from '../../../../client/terminal/ui/row-window.ts';

const MOST_ROWS = 400;
const row = fc.integer({ min: -1, max: MOST_ROWS });

test('given any scroll position, then every row in view is in the range, and the range is not much longer than the view', () => {
  fc.assert(fc.property(fc.double({ min: 0, max: MOST_ROWS, noNaN: true }), fc.double({ min: -2, max: 90, noNaN: true }), (above, room) => {
    const { from, to } = rangeInView(above, room);
    assert.ok(from >= 0 && from <= Math.floor(above));
    assert.ok(to >= Math.ceil(above + Math.max(0, room)));
    assert.ok(to - from <= Math.max(0, room) + 22, `${to - from} rows for ${room}`);
  }));
});

test('given a range and a row with the focus, then the drawn ranges hold both, ascend and do not overlap', () => {
  fc.assert(fc.property(fc.nat(MOST_ROWS), row, row, row, (count, one, other, focused) => {
    const range = { from: Math.max(0, Math.min(one, other)), to: Math.max(0, one, other) };
    const drawn = rangesDrawn(count, range, focused).flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at));
    const wanted = Array.from({ length: count }, (_, at) => at).filter((at) => (at >= range.from && at < range.to) || at === focused);
    assert.deepEqual(drawn, wanted);
  }));
});
