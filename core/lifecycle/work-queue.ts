// Queues of long work, done in bounded steps by journaled CONTINUE commands between client commands: one for marks, one for all else. An
// item is five numbers: a kind and the four below.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';

/**
 * LIST: underlying, spot, next expiry, next strike. EXPIRE: underlying, expiry, next instrument. REVALUE: underlying, cursor. SETTLE:
 * underlying, expiry, next holding, next instrument. RISK: next account. LIQUIDATE: account, part. ADD_MARKET: underlying, expiry, strike,
 * kind. CLEAR_MARKET: slot, id.
 */
export const LIST = 1;
export const EXPIRE = 2;
export const REVALUE = 3;
export const SETTLE = 4;
export const RISK = 5;
export const LIQUIDATE = 6;
export const ADD_MARKET = 7;
export const CLEAR_MARKET = 8;

export const KIND = 0;
export const FIRST = 1;
export const SECOND = 2;
export const THIRD = 3;
export const FOURTH = 4;
const ITEM = 5;
export const ORDERS_A_STEP = 128;
/** More than underlyings times expiries can need at once. */
export const WORK_ITEMS = 1_024;

const HEAD = 0;
const LENGTH = 1;
/** Only in the queue of marks: steps that it may take before other work has its turn. */
export const CREDIT = 2;

export type WorkQueue = { readonly counters: Float64Array; readonly items: Float64Array };

export function createWorkQueue(capacity: number): WorkQueue {
  return { counters: float64(3), items: float64(capacity * ITEM) };
}

export function isIdle(work: WorkQueue): boolean {
  return work.counters[LENGTH] === 0;
}

export function hasWorkRoom({ counters, items }: WorkQueue): boolean {
  return counters[LENGTH] < items.length / ITEM;
}

export function currentItem(work: WorkQueue): number {
  return work.counters[HEAD] * ITEM;
}

/** False when the queue is full. */
export function pushWork(work: WorkQueue, kind: number, first: number, second: number, third = 0, fourth = 0): boolean {
  if (!hasWorkRoom(work)) return false;
  const { counters, items } = work;
  const capacity = items.length / ITEM;
  const at = ((counters[HEAD] + counters[LENGTH]++) % capacity) * ITEM;
  assert(items[at + KIND] === 0, 'work: a new item has a free place');
  items[at + KIND] = kind;
  items[at + FIRST] = first;
  items[at + SECOND] = second;
  items[at + THIRD] = third;
  items[at + FOURTH] = fourth;
  return true;
}

export function isQueued(
  { counters, items }: WorkQueue, kind: number, first: number, second: number, third: number, fourth: number,
): boolean {
  for (let i = 0; i < counters[LENGTH]; i++) {
    const at = (counters[HEAD] * ITEM + i * ITEM) % items.length;
    if (items[at + KIND] === kind && items[at + FIRST] === first && items[at + SECOND] === second
      && items[at + THIRD] === third && items[at + FOURTH] === fourth) return true;
  }
  return false;
}

export function popWork(work: WorkQueue): void {
  const at = currentItem(work);
  assert(work.counters[LENGTH] > 0 && work.items[at + KIND] !== 0, 'work: a finished item was in the queue');
  work.items.fill(0, at, at + ITEM);
  work.counters[HEAD] = (work.counters[HEAD] + 1) % (work.items.length / ITEM);
  work.counters[LENGTH]--;
  if (work.counters[LENGTH] === 0) work.counters[HEAD] = 0;
}

export function workSections(name: string, work: WorkQueue): readonly Section[] {
  return [fixedSection(`${name}.counters`, work.counters), fixedSection(`${name}.items`, work.items)];
}
