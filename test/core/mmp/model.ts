// The naive model of core/mmp: a list of fills per configuration, summed anew each time in BigInt, and the bounds of the pool computed
// from the lists. Shares no code with the core. Also: checks of the invariants of the real store.

import assert from 'node:assert/strict';
import type { Mmp } from '../../../core/mmp/mmp.ts';

type Fill = { readonly time: number; readonly qty: bigint; readonly delta: bigint; readonly vega: bigint };
type ModelRow = {
  readonly account: number; readonly underlying: number; enabled: boolean; interval: number; frozen: number;
  limits: readonly number[]; until: number; triggers: number; fills: Fill[];
};
export type Model = { readonly rows: ModelRow[]; readonly configs: number; readonly pool: number; readonly perRow: number; turn: number };

export function createModel(configs: number, pool: number, perRow: number): Model {
  return { rows: [], configs, pool, perRow, turn: 0 };
}

export function modelSet(
  model: Model, account: number, underlying: number, interval: number, frozen: number, limits: readonly number[], time: number,
): void {
  let row = modelFind(model, account, underlying);
  if (!row) {
    row = { account, underlying, enabled: true, interval, frozen, limits, until: 0, triggers: 0, fills: [] };
    model.rows.push(row);
  }
  forget(row, time);
  Object.assign(row, { enabled: true, interval, frozen, limits });
}

export function modelFind(model: Model, account: number, underlying: number): ModelRow | undefined {
  return model.rows.find((row) => row.account === account && row.underlying === underlying);
}

export function modelReset(row: ModelRow): void {
  row.fills = [];
  row.until = 0;
}

export function modelFrozen(row: ModelRow, time: number): boolean {
  return time < row.until;
}

export function modelFill(model: Model, row: ModelRow, fill: Fill): boolean {
  if (!row.enabled || modelFrozen(row, fill.time)) return false;
  forget(row, fill.time);
  const isNew = row.fills.at(-1)?.time !== fill.time;
  if (isNew && !mayGrow(model, row, fill.time)) thin(row);
  row.fills.push(fill);
  const [qty, delta, vega] = row.limits.map((limit) => (limit < 0 ? null : BigInt(limit)));
  const sums = modelSums(row);
  const triggers = (qty !== null && sums.qty > qty!) || (delta !== null && size(sums.delta) > delta!)
    || (vega !== null && size(sums.vega) > vega!);
  if (!triggers) return false;
  row.triggers += 1;
  row.until = row.frozen === 0 ? Number.MAX_SAFE_INTEGER : fill.time + row.frozen;
  return true;
}

export function modelSums(row: ModelRow): { qty: bigint; delta: bigint; vega: bigint } {
  const add = (of: (fill: Fill) => bigint) => row.fills.reduce((sum, fill) => sum + of(fill), 0n);
  return { qty: add((fill) => fill.qty), delta: add((fill) => fill.delta), vega: add((fill) => fill.vega) };
}

export function moments(row: ModelRow): number {
  return new Set(row.fills.map((fill) => fill.time)).size;
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function forget(row: ModelRow, time: number): void {
  row.fills = row.fills.filter((fill) => fill.time > time - row.interval);
}

/** Half of the pool is divided evenly among the rows; a row beyond its share borrows from the rest while there is any. */
function mayGrow(model: Model, row: ModelRow, time: number): boolean {
  const share = Math.min(model.perRow, Math.floor(model.pool / model.configs / 2));
  const lent = () => model.rows.reduce((sum, one) => sum + Math.max(0, moments(one) - share), 0);
  const loans = model.pool - model.configs * share;
  if (moments(row) >= model.perRow) return false;
  if (moments(row) < share || lent() < loans) return true;
  forget(model.rows[model.turn]!, time);
  model.turn = (model.turn + 1) % model.rows.length;
  return lent() < loans;
}

/** Moves all fills of a time cell to the time of the last of them. */
function thin(row: ModelRow): void {
  const least = (2 * row.interval) / moments(row);
  const width = Array.from({ length: 54 }, (_, n) => 2 ** n).find((one) => one >= least)!;
  const cell = (fill: Fill) => Math.floor(fill.time / width);
  row.fills = row.fills.map((fill) => {
    const together = row.fills.filter((other) => cell(other) === cell(fill));
    return { ...fill, time: Math.max(...together.map((other) => other.time)) };
  });
}

/** Every record is in the list of one row or free, ages ascend, counters agree. */
export function checkPool(mmp: Mmp): void {
  const { windows } = mmp;
  const [rows, highWater, free, borrowed] = windows.counters;
  let listed = 0;
  let beyond = 0;
  for (let row = 0; row < rows!; row++) {
    let count = 0;
    let last = 0;
    for (let link = windows.head[row]!; link !== 0; link = windows.next[link - 1]!) {
      assert.ok(count === 0 || windows.filledAt[link - 1]! > windows.filledAt[last - 1]!, 'oldest first, one record a moment');
      last = link;
      count += 1;
    }
    assert.equal(windows.tail[row], last, 'the tail is the last');
    assert.equal(windows.count[row], count, 'records of the row');
    assert.ok(count <= windows.perRow, 'a row is bounded');
    listed += count;
    beyond += Math.max(0, count - windows.share);
  }
  assert.equal(borrowed, beyond, 'borrowed records');
  let idle = 0;
  for (let link = free!; link !== 0; link = windows.next[link - 1]!) idle += 1;
  assert.equal(listed + idle, highWater, 'every record is listed or free');
  assert.ok(highWater! <= windows.capacity, 'the pool does not grow');
}
