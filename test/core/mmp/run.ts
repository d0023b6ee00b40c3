// Random sequences of market-maker protection: a store, a second one that is saved and loaded in between, and the naive model take the
// same steps and must agree after each.

import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import type { Section } from '../../../core/columns.ts';
import { MARKET_MAKER } from '../../../core/tiers.ts';
import {
  createMmp, disableMmp, findMmp, hasMmpRoom, isFrozen, isProtected, mmpSections, rebuildMmp, recordFill, resetMmp, setMmp, type Mmp,
} from '../../../core/mmp/mmp.ts';
import { DELTA, QUANTITY, VEGA, windowSum } from '../../../core/mmp/windows.ts';
import {
  checkPool, createModel, modelFill, modelFind, modelFrozen, modelReset, modelSet, modelSums, moments, type Model,
} from './model.ts';

/** The tier of each account. */
const NO_SMALL_TIER = new Uint8Array(64).fill(MARKET_MAKER);

type Step =
  | { readonly kind: 'set'; readonly account: number; readonly underlying: number; readonly interval: number; readonly frozen: number;
    readonly limits: readonly number[]; readonly pass: number }
  | { readonly kind: 'fill'; readonly account: number; readonly underlying: number; readonly sums: readonly number[];
    readonly pass: number }
  | { readonly kind: 'reset' | 'disable'; readonly account: number; readonly underlying: number; readonly pass: number }
  | { readonly kind: 'save'; readonly pass: number };

type Move = Exclude<Step, { readonly kind: 'save' }>;

type Shape = {
  readonly accounts: number; readonly interval: fc.Arbitrary<number>; readonly limit: fc.Arbitrary<number>; readonly amount: number;
  readonly length: number;
};

/** Steps for some accounts and two underlyings: mostly fills, one in nine sets, few resets or saves. */
export function steps({ accounts, interval, limit, amount, length }: Shape): fc.Arbitrary<Step[]> {
  const place = { account: fc.nat(accounts - 1), underlying: fc.nat(1), pass: fc.oneof(fc.constant(0), fc.nat(12)) };
  const signed = fc.integer({ min: -amount, max: amount });
  const frozen = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30 }));
  const limits = fc.tuple(limit, limit, limit);
  const set = fc.record({ kind: fc.constant('set' as const), ...place, interval, frozen, limits });
  const fill = fc.record({ kind: fc.constant('fill' as const), ...place, sums: fc.tuple(fc.nat(amount), signed, signed) });
  const end = fc.record({ kind: fc.constantFrom('reset' as const, 'disable' as const), ...place });
  const save = fc.record({ kind: fc.constant('save' as const), pass: fc.constant(0) });
  const step = fc.oneof(
    { weight: 4, arbitrary: set }, { weight: 30, arbitrary: fill }, { weight: 2, arbitrary: end }, { weight: 1, arbitrary: save },
  );
  return fc.array(step, { maxLength: length, size: 'max' });
}

function copyOf(from: Mmp, into: Mmp): Mmp {
  const target = mmpSections(into);
  mmpSections(from).forEach((section, i) => {
    const to = target[i]!;
    assert.equal(to.name, section.name);
    to.column.set(section.column.subarray(0, section.used()));
    assert.equal(to.used(), section.used(), `${section.name}: its used length follows from the sections before it`);
  });
  rebuildMmp(into, NO_SMALL_TIER);
  return into;
}

/** Reports only which section differs, because the difference may be a long list. */
function assertAlike(a: Mmp, b: Mmp): void {
  const others = mmpSections(b);
  const alike = (one: Section, other: Section) => one.used() === other.used()
    && one.column.subarray(0, one.used()).every((value, i) => Object.is(value, other.column[i]));
  mmpSections(a).forEach((section, i) => assert.ok(alike(section, others[i]!), section.name));
}

function take(mmp: Mmp, step: Move, time: number): boolean {
  const { account, underlying } = step;
  const row = findMmp(mmp, account, underlying);
  if (step.kind === 'set') {
    if (row < 0 && !hasMmpRoom(mmp, MARKET_MAKER)) return false;
    const [qty, delta, vega] = step.limits;
    const wanted = { interval: step.interval, frozenTime: step.frozen, quantity: qty!, delta: delta!, vega: vega! };
    setMmp(mmp, account, MARKET_MAKER, underlying, wanted, time);
  } else if (row < 0) return false;
  else if (step.kind === 'fill') return recordFill(mmp, row, time, step.sums[0]!, step.sums[1]!, step.sums[2]!);
  else if (step.kind === 'reset') resetMmp(mmp, row);
  else disableMmp(mmp, row);
  return true;
}

function follow(model: Model, step: Move, time: number): boolean {
  const { account, underlying } = step;
  const row = modelFind(model, account, underlying);
  if (step.kind === 'set') {
    if (!row && model.rows.length === model.configs) return false;
    modelSet(model, account, underlying, step.interval, step.frozen, step.limits, time);
  } else if (!row) return false;
  else if (step.kind === 'fill') {
    const [qty, delta, vega] = step.sums.map(BigInt);
    return modelFill(model, row, { time, qty: qty!, delta: delta!, vega: vega! });
  } else {
    modelReset(row);
    if (step.kind === 'disable') row.enabled = false;
  }
  return true;
}

function compare(mmp: Mmp, model: Model, time: number): void {
  model.rows.forEach((expected, row) => {
    assert.equal(findMmp(mmp, expected.account, expected.underlying), row);
    assert.equal(isProtected(mmp, expected.account, expected.underlying), expected.enabled);
    assert.equal(isFrozen(mmp, row, time), modelFrozen(expected, time));
    assert.equal(mmp.triggers[row], expected.triggers);
    assert.equal(mmp.windows.count[row], moments(expected));
    const sums = modelSums(expected);
    for (const [measure, sum] of [[QUANTITY, sums.qty], [DELTA, sums.delta], [VEGA, sums.vega]] as const) {
      assert.equal(windowSum(mmp.windows, row, measure), Number(sum));
    }
  });
  assert.equal(hasMmpRoom(mmp, MARKET_MAKER), model.rows.length < model.configs);
}

/** Runs the steps on a store, on a copy that is saved and loaded in between, and on the model. */
export function run(limits: Parameters<typeof createMmp>[0], perRow: number, list: readonly Step[]): void {
  const mmp = createMmp(limits, perRow);
  const model = createModel(limits.mmpConfigs, limits.mmpFills, perRow);
  let twin = createMmp(limits, perRow);
  let time = 1_000;
  for (const step of list) {
    time += step.pass;
    if (step.kind === 'save') twin = copyOf(twin, createMmp(limits, perRow));
    else {
      const expected = follow(model, step, time);
      assert.equal(take(mmp, step, time), expected, step.kind);
      assert.equal(take(twin, step, time), expected, `${step.kind}, the loaded one`);
    }
    compare(mmp, model, time);
    compare(twin, model, time);
    checkPool(mmp);
  }
  assertAlike(twin, mmp);
}
