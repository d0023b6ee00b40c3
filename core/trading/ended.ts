// Orders that their wallet has ended, by a command that found too many to cancel at once, or by a time limit it had set
// (decision 7.3): whose, up to which id, of which contracts, why, and how far the cancelling has come. Whoever meets such an order
// cancels it instead of filling it: none of them trades any more. A short queue, for everybody who meets an order looks through it.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';

const HEAD = 0;
const LENGTH = 1;
const TURN = 2;

/** Numbers of an item: account, last order id, scope, the instrument slot to go on with, and why (DONE_ of core/errors). */
export const ACCOUNT = 0;
export const LAST = 1;
export const SCOPE = 2;
export const NEXT = 3;
export const REASON = 4;
const ITEM = 5;
export const ITEMS = 64;
/** While so many are in hand a time limit waits: who asks for a cancel finds room. */
export const TIMED_ITEMS = 32;

/** A scope is an underlying's number, or all contracts, or the one in the slot to go on with. */
export const EVERY_CONTRACT = -1;
export const ONE_CONTRACT = -2;

export type Ended = { readonly counters: Float64Array; readonly items: Float64Array };

export function createEnded(): Ended {
  return { counters: float64(3), items: float64(ITEMS * ITEM) };
}

export function hasEnded({ counters }: Ended): boolean {
  return counters[LENGTH] !== 0;
}

export function hasEndedRoom({ counters }: Ended): boolean {
  return counters[LENGTH] < ITEMS;
}

/** Room for what a time limit ends. */
export function hasTimedRoom({ counters }: Ended): boolean {
  return counters[LENGTH] < TIMED_ITEMS;
}

/** Offset of the item in hand within `items`. */
export function firstEnded({ counters }: Ended): number {
  return counters[HEAD] * ITEM;
}

export function pushEnded(
  { counters, items }: Ended, account: number, last: number, scope: number, next: number, reason: number,
): void {
  assert(counters[LENGTH] < ITEMS, 'ended: room was checked');
  assert(reason !== 0, 'ended: orders end for a reason');
  const at = (counters[HEAD] + counters[LENGTH]++) % ITEMS * ITEM;
  items[at + ACCOUNT] = account;
  items[at + LAST] = last;
  items[at + SCOPE] = scope;
  items[at + NEXT] = next;
  items[at + REASON] = reason;
}

export function popEnded({ counters, items }: Ended): void {
  assert(counters[LENGTH] > 0, 'ended: an item that is done was in the queue');
  items.fill(0, counters[HEAD] * ITEM, (counters[HEAD] + 1) * ITEM);
  counters[HEAD] = (counters[HEAD] + 1) % ITEMS;
  counters[LENGTH]--;
}

/** Why this order of the account is ended, by the first item that is about it; 0: by none. */
export function endedReason({ counters, items }: Ended, account: number, id: number, instrument: number, underlying: number): number {
  for (let i = 0; i < counters[LENGTH]; i++) {
    const at = (counters[HEAD] + i) % ITEMS * ITEM;
    if (items[at + ACCOUNT] !== account || id > items[at + LAST]) continue;
    const scope = items[at + SCOPE];
    const isWithin = scope === EVERY_CONTRACT || scope === underlying || (scope === ONE_CONTRACT && items[at + NEXT] === instrument);
    if (isWithin) return items[at + REASON];
  }
  return 0;
}

/** Whether an item is about the account. */
export function isEnding({ counters, items }: Ended, account: number): boolean {
  for (let i = 0; i < counters[LENGTH]; i++) if (items[(counters[HEAD] + i) % ITEMS * ITEM + ACCOUNT] === account) return true;
  return false;
}

/** Every other step is for this queue while there is other work. */
export function takeTurn({ counters }: Ended, isAlone: boolean): boolean {
  counters[TURN] = isAlone ? 0 : 1 - counters[TURN];
  return isAlone || counters[TURN] === 1;
}

export function endedSections(ended: Ended): readonly Section[] {
  return [fixedSection('ended.counters', ended.counters), fixedSection('ended.items', ended.items)];
}
