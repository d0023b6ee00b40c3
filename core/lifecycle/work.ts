// Long work in bounded steps: two queues of items with cursors, carried on by journaled CONTINUE commands between client
// commands: new marks, and everything else (core/lifecycle/steps says whose turn it is). An item is five numbers: what to do,
// then its arguments and cursor as its owner defines them.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';

/**
 * Kinds of work and their numbers after the kind. Listing: underlying, spot, next expiry, next strike. Expiry: underlying,
 * expiry, next instrument. Revaluation: underlying, then its cursor. Settlement: underlying, expiry, next holding, next
 * instrument. Risk: next account. Liquidation: account, what is done with it. A market of the operator's: underlying, expiry,
 * strike, kind. A deleted market: slot, id.
 */
export const LIST = 1;
export const EXPIRE = 2;
export const REVALUE = 3;
export const SETTLE = 4;
export const RISK = 5;
export const LIQUIDATE = 6;
export const ADD_MARKET = 7;
export const CLEAR_MARKET = 8;

/** Numbers of an item. */
export const KIND = 0;
export const FIRST = 1;
export const SECOND = 2;
export const THIRD = 3;
export const FOURTH = 4;
const ITEM = 5;
/** Open orders that one step cancels, whatever it is for. */
export const ORDERS_A_STEP = 128;
/** More than the underlyings times their expiries can ask for at once. */
export const WORK_ITEMS = 1_024;

const HEAD = 0;
const LENGTH = 1;
/** Of the queue of marks: steps that its next items may have before other work has its own (core/lifecycle/steps). */
export const CREDIT = 2;

export type Work = { readonly counters: Float64Array; readonly items: Float64Array };

/** A queue of at most `capacity` items. */
export function createWork(capacity: number): Work {
  return { counters: float64(3), items: float64(capacity * ITEM) };
}

export function isIdle(work: Work): boolean {
  return work.counters[LENGTH] === 0;
}

export function hasWorkRoom({ counters, items }: Work): boolean {
  return counters[LENGTH] < items.length / ITEM;
}

/** Offset of the item in hand within `items`. */
export function currentItem(work: Work): number {
  return work.counters[HEAD] * ITEM;
}

/** Adds an item; false when the queue is full (the caller tries again at its next due time). */
export function pushWork(work: Work, kind: number, first: number, second: number, third = 0, fourth = 0): boolean {
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

/** Whether such an item waits or is in hand. */
export function hasWork({ counters, items }: Work, kind: number, first: number, second: number, third: number, fourth: number): boolean {
  for (let i = 0; i < counters[LENGTH]; i++) {
    const at = (counters[HEAD] * ITEM + i * ITEM) % items.length;
    if (items[at + KIND] === kind && items[at + FIRST] === first && items[at + SECOND] === second
      && items[at + THIRD] === third && items[at + FOURTH] === fourth) return true;
  }
  return false;
}

/** Drops the item in hand: it is done. */
export function popWork(work: Work): void {
  const at = currentItem(work);
  assert(work.counters[LENGTH] > 0 && work.items[at + KIND] !== 0, 'work: an item that is done was in the queue');
  work.items.fill(0, at, at + ITEM);
  work.counters[HEAD] = (work.counters[HEAD] + 1) % (work.items.length / ITEM);
  work.counters[LENGTH]--;
  if (work.counters[LENGTH] === 0) work.counters[HEAD] = 0;
}

export function workSections(name: string, work: Work): readonly Section[] {
  return [fixedSection(`${name}.counters`, work.counters), fixedSection(`${name}.items`, work.items)];
}
