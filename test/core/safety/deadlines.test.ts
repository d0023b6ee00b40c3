// The index of deadlines against a plain list under random changes: which deadline is first, also when the index is rebuilt.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { clearDeadlines, createDeadlines, firstDeadline, setDeadline } from '../../../core/safety/deadlines.ts';

const ACCOUNTS = 24;

function firstOf(moments: readonly number[]): number {
  const set = moments.filter((at) => at !== 0);
  return set.length === 0 ? -1 : moments.indexOf(Math.min(...set));
}

test('deadlines: after any changes, the first one is the earliest; of equal ones, that of the lowest account', () => {
  const change = fc.tuple(fc.nat(ACCOUNTS - 1), fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 })));
  fc.assert(fc.property(fc.array(change, { maxLength: 120 }), (changes) => {
    const deadlines = createDeadlines(ACCOUNTS);
    const moments = new Array<number>(ACCOUNTS).fill(0);
    for (const [account, at] of changes) {
      setDeadline(deadlines, account, at);
      moments[account] = at;
      assert.equal(firstDeadline(deadlines), firstOf(moments));
    }
    const anew = createDeadlines(ACCOUNTS);
    for (const [account] of changes) setDeadline(anew, account, 1);
    clearDeadlines(anew, ACCOUNTS);
    assert.equal(firstDeadline(anew), -1);
    moments.forEach((at, account) => setDeadline(anew, account, at));
    for (let first = firstDeadline(deadlines); first >= 0; first = firstDeadline(deadlines)) {
      assert.equal(firstDeadline(anew), first);
      assert.equal(first, firstOf(moments));
      moments[first] = 0;
      setDeadline(deadlines, first, 0);
      setDeadline(anew, first, 0);
    }
    assert.deepEqual([firstOf(moments), firstDeadline(anew)], [-1, -1]);
  }), { numRuns: 300 });
});
