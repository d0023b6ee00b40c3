// Passes over crowded tables (reclaim.ts): the row each has reached, and when the next may begin.

import { fixedSection, float64, type Section } from '../columns.ts';

const STEPS_A_TURN = 8;

/** The next pass of a table, and the row to continue at plus one (0: no pass). */
export const NEXT_ORDERS = 0;
export const ORDERS_FROM = 1;
export const NEXT_ACCOUNTS = 2;
export const ACCOUNTS_FROM = 3;
const TURN = 4;

export type Reclaim = { readonly counters: Float64Array };

export function createReclaim(): Reclaim {
  return { counters: float64(5) };
}

export function hasReclaim({ counters }: Reclaim): boolean {
  return counters[ORDERS_FROM] !== 0 || counters[ACCOUNTS_FROM] !== 0;
}

export function takeReclaimTurn({ counters }: Reclaim, isAlone: boolean): boolean {
  counters[TURN] = isAlone ? 0 : (counters[TURN] + 1) % STEPS_A_TURN;
  return counters[TURN] === 0;
}

export function reclaimSections(reclaim: Reclaim): readonly Section[] {
  return [fixedSection('reclaim.counters', reclaim.counters)];
}
