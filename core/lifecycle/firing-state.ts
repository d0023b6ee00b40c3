// Passes over due triggers, at most one per underlying, and whose turn is next. They are state, so that a restored snapshot continues
// within a pass.

import { fixedSection, float64, type Section } from '../columns.ts';

/** PHASE is plus one, 0 without a pass. PRICE and ID: the last order looked at, 0 at a tree's start. */
export const PHASE = 0;
export const CONTRACT = 1;
export const DIRECTION = 2;
export const PRICE = 3;
export const ID = 4;
export const PASS = 5;

/** TURN: whether other work had the last step. */
const PASSES = 0;
const NEXT = 1;
const TURN = 2;

export type Firing = { readonly counters: Float64Array; readonly passes: Float64Array };

export function createFiring(underlyings: number): Firing {
  return { counters: float64(3), passes: float64(underlyings * PASS) };
}

export function hasFiring({ counters }: Firing): boolean {
  return counters[PASSES] !== 0;
}

export function startPass(firing: Firing, underlying: number): void {
  const { counters, passes } = firing;
  if (passes[underlying * PASS + PHASE] === 0) counters[PASSES]++;
  passes.fill(0, underlying * PASS, (underlying + 1) * PASS);
  passes[underlying * PASS + PHASE] = 1;
}

export function endPass({ counters, passes }: Firing, underlying: number): void {
  if (passes[underlying * PASS + PHASE] !== 0) counters[PASSES]--;
  passes.fill(0, underlying * PASS, (underlying + 1) * PASS);
}

export function nextPass({ counters, passes }: Firing): number {
  const underlyings = passes.length / PASS;
  let underlying = counters[NEXT];
  while (passes[underlying * PASS + PHASE] === 0) underlying = (underlying + 1) % underlyings;
  counters[NEXT] = (underlying + 1) % underlyings;
  return underlying;
}

/** Every second step while there is other work. */
export function takeFiringTurn({ counters }: Firing, isAlone: boolean): boolean {
  counters[TURN] = isAlone ? 0 : 1 - counters[TURN];
  return isAlone || counters[TURN] === 1;
}

export function firingSections(firing: Firing): readonly Section[] {
  return [fixedSection('firing.counters', firing.counters), fixedSection('firing.passes', firing.passes)];
}
