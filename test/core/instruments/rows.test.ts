// Rows of settled contracts are reused in turn for as long as a venue runs; the index holds exactly the listed contracts.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { CALL } from '../../../core/codec/commands.ts';
import {
  addInstrument, createInstruments, findInstrument, instrumentCount, settleInstrument,
} from '../../../core/instruments/instruments.ts';

const ROWS = 8;
/** Several times the capacity of the index. */
const CONTRACTS = 20 * ROWS;

test('when rows of settled contracts are reused, the index finds the new contracts and no longer the old ones', () => {
  const instruments = createInstruments(ROWS);
  for (let n = 0; n < CONTRACTS; n++) {
    if (n > 0 && n % ROWS === 0) for (let slot = 0; slot < ROWS; slot++) settleInstrument(instruments, slot);
    assert.equal(addInstrument(instruments, 0, n, 1_000_000 + n, CALL, n), n % ROWS);
    assert.equal(instruments.table.filter((slot) => slot >= 0).length, instrumentCount(instruments));
    for (let old = Math.max(0, n - 3 * ROWS); old <= n; old++) {
      assert.equal(findInstrument(instruments, 0, old, 1_000_000 + old, CALL), old > n - ROWS ? old % ROWS : -1);
    }
  }
});
