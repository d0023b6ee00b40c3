// Market-maker protection: each rule by itself, then random sequences against the naive model, with and without room in the pool.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { checked, MMP_FILLS_PER_ROW, PRODUCTION, SMALL } from '../../../core/limits.ts';
import { wideDifference, addWide } from '../../../core/ledger/wide.ts';
import {
  createMmp, disableMmp, findMmp, hasMmpRoom, isFrozen, isProtected, NO_LIMIT, recordFill, resetMmp, setMmp, UNTIL_RESET, type Mmp,
} from '../../../core/mmp/mmp.ts';
import { MARKET_MAKER } from '../../../core/tiers.ts';
import { createWindows, DELTA, QUANTITY, resizeWindow, VEGA, windowSum } from '../../../core/mmp/windows.ts';
import { checkPool } from './model.ts';
import { run, steps } from './run.ts';

const ROOMY = { accounts: 8, mmpConfigs: 4, mmpFills: 256 };
/** Enough room for any random sequence. */
const AMPLE = { accounts: 3, mmpConfigs: 6, mmpFills: 4_096 };

/** Sets a protection for an account of tier market maker. */
function protect(
  mmp: Mmp, account: number, underlying: number, interval: number, frozenTime: number, quantity: number, delta: number, vega: number,
  time: number,
): number {
  return setMmp(mmp, account, MARKET_MAKER, underlying, { interval, frozenTime, quantity, delta, vega }, time);
}

/** A store with one row: interval 100, frozen for 50. */
function single(qty = NO_LIMIT, delta = NO_LIMIT, vega = NO_LIMIT, frozen = 50): { mmp: Mmp; row: number } {
  const mmp = createMmp(ROOMY);
  return { mmp, row: protect(mmp, 3, 1, 100, frozen, qty, delta, vega, 1_000) };
}

test('a configuration is found by its account and underlying, and protects only while enabled', () => {
  const mmp = createMmp(ROOMY);
  assert.equal(findMmp(mmp, 3, 1), -1);
  assert.ok(!isProtected(mmp, 3, 1));
  const row = protect(mmp, 3, 1, 100, 50, 7, 8, 9, 0);
  assert.equal(findMmp(mmp, 3, 1), row);
  assert.deepEqual([mmp.windows.interval[row], mmp.frozenTime[row], mmp.qtyLimit[row], mmp.deltaLimit[row], mmp.vegaLimit[row]],
    [100, 50, 7, 8, 9]);
  assert.ok(isProtected(mmp, 3, 1));
  for (const [account, underlying] of [[3, 0], [3, 2], [1, 3], [2, 1]] as const) {
    assert.equal(findMmp(mmp, account, underlying), -1);
    assert.ok(!isProtected(mmp, account, underlying));
  }
  const highest = protect(mmp, 3, 15, 100, 50, 7, 8, 9, 0);
  assert.ok(isProtected(mmp, 3, 15));
  disableMmp(mmp, row);
  assert.equal(findMmp(mmp, 3, 1), row, 'still listed');
  assert.equal(mmp.enabled[row], 0);
  assert.ok(!isProtected(mmp, 3, 1));
  assert.ok(isProtected(mmp, 3, 15), 'the other underlying keeps its own');
  assert.equal(protect(mmp, 3, 1, 200, 50, 7, NO_LIMIT, 9, 0), row, 'set again: the same row');
  assert.ok(isProtected(mmp, 3, 1));
  assert.notEqual(highest, row);
});

test('when the table is full, a configuration can be updated and no new one is accepted', () => {
  const mmp = createMmp(ROOMY);
  for (let account = 0; account < 4; account++) {
    assert.ok(hasMmpRoom(mmp, MARKET_MAKER));
    protect(mmp, account, 0, 100, 50, 1, 1, 1, 0);
  }
  assert.ok(!hasMmpRoom(mmp, MARKET_MAKER));
  assert.throws(() => protect(mmp, 4, 0, 100, 50, 1, 1, 1, 0), /windows: room was checked/);
  protect(mmp, 2, 0, 100, 50, 9, 1, 1, 0);
  assert.equal(mmp.qtyLimit[findMmp(mmp, 2, 0)], 9);
  disableMmp(mmp, 2);
  assert.ok(!hasMmpRoom(mmp, MARKET_MAKER), 'a deleted one keeps its row');
});

test('quantity is an unsigned sum, which triggers above the limit and not at it', () => {
  const { mmp, row } = single(10);
  assert.ok(!recordFill(mmp, row, 1_000, 6, 100, 100));
  assert.ok(!recordFill(mmp, row, 1_001, 4, -900, 0), 'equal to the limit');
  assert.ok(recordFill(mmp, row, 1_002, 1, 0, 0));
  assert.equal(mmp.triggers[row], 1);
});

test('delta and vega are net sums, whose absolute values are compared with the limits', () => {
  for (const sign of [1, -1]) {
    const delta = single(NO_LIMIT, 10);
    assert.ok(!recordFill(delta.mmp, delta.row, 1_000, 1, sign * 8, 99));
    assert.ok(!recordFill(delta.mmp, delta.row, 1_000, 1, sign * -18, 99), 'at -10');
    assert.ok(!recordFill(delta.mmp, delta.row, 1_000, 1, sign * 20, 99), 'at 10');
    assert.ok(recordFill(delta.mmp, delta.row, 1_000, 1, sign * 1, 99));
    const vega = single(NO_LIMIT, NO_LIMIT, 10);
    assert.ok(!recordFill(vega.mmp, vega.row, 1_000, 1, 99, sign * 10));
    assert.ok(recordFill(vega.mmp, vega.row, 1_000, 1, 99, sign * 1));
  }
});

test('a limit of 0 triggers at the first unit of its measure; a measure without a limit never triggers', () => {
  const { mmp, row } = single(NO_LIMIT, 0);
  assert.ok(!recordFill(mmp, row, 1_000, 1e15, 0, 1e15));
  assert.ok(recordFill(mmp, row, 1_000, 1, 1, 0));
});

test('the window is (t - interval, t]: a fill that is exactly one interval old is out', () => {
  const at = (time: number) => {
    const { mmp, row } = single(10);
    recordFill(mmp, row, 1_000, 10, 0, 0);
    return recordFill(mmp, row, time, 1, 0, 0);
  };
  assert.ok(at(1_000));
  assert.ok(at(1_099), 'one below the interval: in');
  assert.ok(!at(1_100), 'the interval: out');
  assert.ok(!at(1_101));
});

test('a freeze ends at its time, and the fills that caused it count until they are one interval old', () => {
  const { mmp, row } = single(10);
  recordFill(mmp, row, 1_000, 9, 0, 0);
  assert.ok(!isFrozen(mmp, row, 1_000));
  assert.ok(recordFill(mmp, row, 1_001, 9, 0, 0));
  assert.equal(mmp.until[row], 1_051);
  assert.ok(isFrozen(mmp, row, 1_001));
  assert.ok(!recordFill(mmp, row, 1_050, 99, 0, 0), 'frozen: not counted, no second trigger');
  assert.ok(isFrozen(mmp, row, 1_050));
  assert.ok(!isFrozen(mmp, row, 1_051));
  assert.ok(recordFill(mmp, row, 1_051, 1, 0, 0), 'the 18 are within the interval still');
  assert.equal(mmp.until[row], 1_101);
  assert.ok(!recordFill(mmp, row, 1_101, 9, 0, 0), 'the 18 are out of the window; of later fills only the 1 was counted');
  assert.ok(recordFill(mmp, row, 1_102, 1, 0, 0));
  assert.equal(mmp.triggers[row], 3);
});

test('after a freeze, a fill that brings the net sum back within its limit does not trigger', () => {
  const { mmp, row } = single(NO_LIMIT, 10);
  assert.ok(recordFill(mmp, row, 1_000, 1, 12, 0));
  assert.ok(!recordFill(mmp, row, 1_050, 1, -2, 0), 'at 10');
  assert.ok(recordFill(mmp, row, 1_051, 1, 1, 0));
});

test('with freezes of 1 ms, a row stores no more records than its bound, and its sum stays exact', () => {
  const perRow = 16;
  const mmp = createMmp({ accounts: 1, mmpConfigs: 1, mmpFills: 64 }, perRow);
  const row = protect(mmp, 0, 0, 1_000, 1, 0, NO_LIMIT, NO_LIMIT, 0);
  for (let time = 1; time <= 500; time++) {
    assert.ok(recordFill(mmp, row, time, 1, 0, 0));
    assert.ok(mmp.windows.count[row]! <= perRow);
    assert.equal(windowSum(mmp.windows, row, QUANTITY), time);
  }
  checkPool(mmp);
});

test('a frozen time of 0 freezes until a reset', () => {
  const { mmp, row } = single(10, NO_LIMIT, NO_LIMIT, 0);
  assert.ok(recordFill(mmp, row, 1_000, 11, 0, 0));
  assert.equal(mmp.until[row], UNTIL_RESET);
  assert.ok(isFrozen(mmp, row, 9e15));
  resetMmp(mmp, row);
  assert.ok(!isFrozen(mmp, row, 1_000));
  assert.ok(!recordFill(mmp, row, 1_001, 10, 0, 0));
  resetMmp(mmp, row);
  assert.ok(!recordFill(mmp, row, 1_001, 10, 0, 0), 'a reset forgets the fills');
});

test('a frozen time that ends after the last safe integer freezes until a reset', () => {
  const { mmp, row } = single(10, NO_LIMIT, NO_LIMIT, Number.MAX_SAFE_INTEGER);
  assert.ok(recordFill(mmp, row, 1_000, 11, 0, 0));
  assert.equal(mmp.until[row], UNTIL_RESET);
});

test('an update keeps the fills and the freeze; its limits apply from the next fill', () => {
  const { mmp, row } = single(10);
  recordFill(mmp, row, 1_000, 8, 0, 0);
  protect(mmp, 3, 1, 100, 70, 5, NO_LIMIT, NO_LIMIT, 1_010);
  assert.ok(!isFrozen(mmp, row, 1_010), 'an update does not trigger');
  assert.ok(recordFill(mmp, row, 1_020, 1, 0, 0));
  protect(mmp, 3, 1, 100, 500, 5, NO_LIMIT, NO_LIMIT, 1_030);
  assert.equal(mmp.until[row], 1_090, 'the freeze keeps the time it had');
  assert.ok(isFrozen(mmp, row, 1_089) && !isFrozen(mmp, row, 1_090));
});

test('a shorter interval drops old fills at once, and a longer one does not bring dropped fills back', () => {
  const shorter = single(10);
  recordFill(shorter.mmp, shorter.row, 1_000, 10, 0, 0);
  protect(shorter.mmp, 3, 1, 20, 50, 10, NO_LIMIT, NO_LIMIT, 1_010);
  assert.ok(!recordFill(shorter.mmp, shorter.row, 1_020, 1, 0, 0));
  const longer = single(10);
  recordFill(longer.mmp, longer.row, 1_000, 6, 0, 0);
  recordFill(longer.mmp, longer.row, 1_050, 4, 0, 0);
  protect(longer.mmp, 3, 1, 1_000, 50, 10, NO_LIMIT, NO_LIMIT, 1_100);
  assert.ok(!recordFill(longer.mmp, longer.row, 1_500, 6, 0, 0), 'the 6 had left at the update, the 4 stay');
  assert.ok(recordFill(longer.mmp, longer.row, 1_600, 1, 0, 0));
});

test('disabling ends the freeze and the counting; enabling again starts without fills', () => {
  const { mmp, row } = single(10);
  recordFill(mmp, row, 1_000, 11, 0, 0);
  assert.ok(isFrozen(mmp, row, 1_001));
  disableMmp(mmp, row);
  assert.ok(!isFrozen(mmp, row, 1_001));
  assert.ok(!recordFill(mmp, row, 1_002, 99, 0, 0));
  protect(mmp, 3, 1, 100, 50, 10, NO_LIMIT, NO_LIMIT, 1_003);
  assert.ok(!recordFill(mmp, row, 1_003, 10, 0, 0));
});

test('sums beyond 2^53 are exact to the unit, also when a limit is set later', () => {
  const { mmp, row } = single();
  for (let i = 0; i < 40; i++) assert.ok(!recordFill(mmp, row, 1_000, 1e15, 1e15, -1e15));
  assert.ok(!recordFill(mmp, row, 1_001, 3, 3, -3));
  for (let i = 0; i < 40; i++) assert.ok(!recordFill(mmp, row, 1_002, 1, -1e15, 1e15));
  assert.equal(windowSum(mmp.windows, row, DELTA), 3);
  assert.equal(windowSum(mmp.windows, row, VEGA), -3);
  assert.ok(windowSum(mmp.windows, row, QUANTITY) > Number.MAX_SAFE_INTEGER);
  protect(mmp, 3, 1, 100, 50, NO_LIMIT, 3, 3, 1_002);
  assert.ok(!recordFill(mmp, row, 1_002, 0, 0, 0));
  assert.ok(recordFill(mmp, row, 1_002, 0, 1, 0));
});

test('the largest possible limit is compared exactly', () => {
  const { mmp, row } = single(Number.MAX_SAFE_INTEGER);
  for (let i = 0; i < 9; i++) assert.ok(!recordFill(mmp, row, 1_000, 1e15, 0, 0));
  assert.ok(!recordFill(mmp, row, 1_000, Number.MAX_SAFE_INTEGER - 9e15, 0, 0));
  assert.ok(recordFill(mmp, row, 1_000, 1, 0, 0));
});

test('a wide difference compares with any safe integer as the exact difference does', () => {
  const part = fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n });
  const near = fc.bigInt({ min: -3n, max: 3n });
  const safe = fc.maxSafeInteger();
  fc.assert(fc.property(part, near, safe, (start, step, bound) => {
    const a = new Float64Array(4);
    const add = (value: bigint, index: number) => {
      for (let rest = value; rest !== 0n;) {
        const piece = rest > 2n ** 52n ? 2n ** 52n : rest < -(2n ** 52n) ? -(2n ** 52n) : rest;
        addWide(a, index, Number(piece));
        rest -= piece;
      }
    };
    add(start + BigInt(bound) + step, 0);
    add(start, 1);
    const exact = BigInt(bound) + step;
    const difference = wideDifference(a, 0, a, 1);
    assert.equal(Math.sign(difference - bound), Number(step > 0n) - Number(step < 0n), 'at the bound');
    if (exact >= BigInt(Number.MIN_SAFE_INTEGER) && exact <= BigInt(Number.MAX_SAFE_INTEGER)) assert.equal(BigInt(difference), exact);
  }), { numRuns: 50 });
});

test('a full row merges the records of each time cell at the newest time, and no fill is lost', () => {
  const mmp = createMmp({ accounts: 1, mmpConfigs: 1, mmpFills: 64 }, 8);
  const row = protect(mmp, 0, 0, 64, 50, 1_000_000, NO_LIMIT, NO_LIMIT, 0);
  const fills = [[16, 1], [17, 2], [31, 4], [32, 8], [33, 16], [48, 32], [50, 64], [65, 128]] as const;
  for (const [time, qty] of fills) recordFill(mmp, row, time, qty, 0, 0);
  assert.equal(mmp.windows.count[row], 8);
  recordFill(mmp, row, 66, 256, 0, 0);
  assert.equal(mmp.windows.count[row], 5, 'cells of 16 ms: up to 31, to 33, to 50, 65, and 66 after them');
  assert.equal(windowSum(mmp.windows, row, QUANTITY), 511);
  for (const [time, sum] of [[94, 511], [95, 504], [96, 504], [97, 480], [113, 480], [114, 384]] as const) {
    resizeWindow(mmp.windows, row, 64, time);
    assert.equal(windowSum(mmp.windows, row, QUANTITY), sum, `at ${time}`);
  }
  checkPool(mmp);
});

test('a full row never counts too little, and too much only from a small part of the interval', () => {
  const moves = fc.array(fc.record({ pass: fc.nat(9), qty: fc.nat(100) }), { minLength: 100, maxLength: 400, size: 'max' });
  fc.assert(fc.property(moves, fc.integer({ min: 8, max: 20 }), fc.integer({ min: 20, max: 200 }), (list, perRow, interval) => {
    const mmp = createMmp({ accounts: 1, mmpConfigs: 1, mmpFills: 40 }, perRow);
    const row = protect(mmp, 0, 0, interval, 50, NO_LIMIT, NO_LIMIT, NO_LIMIT, 0);
    const past: { time: number; qty: number }[] = [];
    let time = 1_000;
    for (const { pass, qty } of list) {
      time += pass;
      past.push({ time, qty });
      recordFill(mmp, row, time, qty, 0, 0);
      const sumOver = (length: number) => past.reduce((sum, fill) => sum + (fill.time > time - length ? fill.qty : 0), 0);
      const sum = windowSum(mmp.windows, row, QUANTITY);
      assert.ok(sum >= sumOver(interval), 'never too little');
      assert.ok(sum <= sumOver(interval * (1 + 4 / perRow)), 'never a fill that has been out of the window for long');
    }
    checkPool(mmp);
  }), { numRuns: 100 });
});

test('fills of the same millisecond share one record and are all counted', () => {
  const mmp = createMmp(ROOMY, 8);
  const row = protect(mmp, 0, 0, 100, 50, 1_000, NO_LIMIT, NO_LIMIT, 0);
  for (let i = 0; i < 1_000; i++) assert.ok(!recordFill(mmp, row, 10, 1, 0, 0));
  assert.equal(mmp.windows.count[row], 1);
  assert.ok(recordFill(mmp, row, 10, 1, 0, 0));
});

test('when other rows have filled the pool, each row still has its share', () => {
  const mmp = createMmp({ accounts: 4, mmpConfigs: 4, mmpFills: 64 });
  assert.equal(mmp.windows.share, 8);
  for (let account = 0; account < 4; account++) protect(mmp, account, 0, 1_000, 50, 1_000_000, NO_LIMIT, NO_LIMIT, 0);
  for (let i = 1; i <= 40; i++) recordFill(mmp, 0, i, 1, 0, 0);
  assert.equal(mmp.windows.count[0], 40, 'its own and all loans');
  for (let i = 1; i <= 100; i++) {
    recordFill(mmp, 1, 40 + i, 1, 0, 0);
    assert.ok(mmp.windows.count[1]! <= 8);
    assert.equal(windowSum(mmp.windows, 1, QUANTITY), i);
  }
  assert.equal(mmp.windows.count[0], 40);
  checkPool(mmp);
  for (let i = 0; i < 100; i++) recordFill(mmp, 1, 1_200 + i, 1, 0, 0);
  assert.equal(mmp.windows.count[0], 0, 'the loans of row 0 are taken back, because its fills have expired');
  assert.ok(mmp.windows.count[1]! > 8);
  checkPool(mmp);
});

test('capacities too small for the share of each row are refused; the venue’s own are accepted', () => {
  assert.throws(() => createWindows(4, 63, 8), RangeError);
  assert.throws(() => createWindows(4, 64, 7), RangeError);
  assert.throws(() => checked({ ...SMALL, mmpFills: SMALL.mmpConfigs * 16 - 1 }), RangeError);
  for (const limits of [PRODUCTION, SMALL]) assert.ok(createWindows(limits.mmpConfigs, limits.mmpFills, MMP_FILLS_PER_ROW).share >= 8);
});

/** A limit of about four fills of an amount, or no limit. */
const someLimit = (amount: number) => fc.oneof(fc.constant(NO_LIMIT), fc.nat(amount * 8));

test('after any sequence, the store equals the naive model, with and without loads in between', () => {
  const list = steps({ accounts: 3, interval: fc.integer({ min: 1, max: 60 }), limit: someLimit(5), amount: 5, length: 120 });
  fc.assert(fc.property(list, (all) => run(AMPLE, 4_096, all)), { numRuns: 300 });
});

test('after any sequence of amounts beyond 2^53, the store equals the naive model', () => {
  const list = steps({ accounts: 3, interval: fc.integer({ min: 1, max: 2_000 }), limit: someLimit(1e15), amount: 1e15, length: 120 });
  fc.assert(fc.property(list, (all) => run(AMPLE, 4_096, all)), { numRuns: 150 });
});

test('after any sequence with a pool and rows that are mostly full, the store equals the naive model', () => {
  const interval = fc.integer({ min: 60, max: 1_000 });
  const limit = fc.oneof({ weight: 9, arbitrary: fc.constant(NO_LIMIT) }, { weight: 1, arbitrary: fc.nat(200) });
  const list = steps({ accounts: 2, interval, limit, amount: 5, length: 300 });
  const bounds = fc.record({ perRow: fc.integer({ min: 8, max: 24 }), mmpFills: fc.integer({ min: 48, max: 64 }) });
  fc.assert(fc.property(list, bounds, (all, { perRow, mmpFills }) => {
    run({ accounts: 2, mmpConfigs: 3, mmpFills }, perRow, all);
  }), { numRuns: 200 });
});
