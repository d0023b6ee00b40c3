// The passes over crowded tables that are in hand, and when the next ones may begin (reclaim.ts does them). Times ms.

import { fixedSection, float64, type Section } from '../columns.ts';

/** A pass has every eighth step while there is other work. */
const STEPS_A_TURN = 8;

/** Per table: when its next pass may begin, and the row to go on with plus one (0: no pass is in hand). */
export const NEXT_ORDERS = 0;
export const ORDERS_FROM = 1;
export const NEXT_ACCOUNTS = 2;
export const ACCOUNTS_FROM = 3;
/** Steps of other work since the last one of a pass. */
const TURN = 4;

export type Reclaim = { readonly counters: Float64Array };

export function createReclaim(): Reclaim {
  return { counters: float64(5) };
}

export function hasReclaim({ counters }: Reclaim): boolean {
  return counters[ORDERS_FROM] !== 0 || counters[ACCOUNTS_FROM] !== 0;
}

/** Whether the next step of work is one of the pass in hand. */
export function takeReclaimTurn({ counters }: Reclaim, isAlone: boolean): boolean {
  counters[TURN] = isAlone ? 0 : (counters[TURN] + 1) % STEPS_A_TURN;
  return counters[TURN] === 0;
}

export function reclaimSections(reclaim: Reclaim): readonly Section[] {
  return [fixedSection('reclaim.counters', reclaim.counters)];
}
