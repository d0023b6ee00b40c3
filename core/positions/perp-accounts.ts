// What is only shown of a wallet's perps, by account and underlying: the leverage that it chose, and the funding that it has paid. Neither
// margin nor a trade depends on it. 32 MiB of address space an underlying, of which only touched pages count.

import { assert } from '../assert.ts';
import { float64, type Section } from '../columns.ts';

/** 0: none was chosen. */
const LEVERAGE = 0;
/** Micros paid (positive) or received in all, and of that before the position began and before it last changed. */
const PAID = 1;
const BEFORE_POSITION = 2;
const BEFORE_CHANGE = 3;
const CELLS = 4;

export type PerpAccounts = { readonly accounts: number; readonly underlyings: number; readonly cells: Float64Array };

export function createPerpAccounts(accounts: number, underlyings: number): PerpAccounts {
  return { accounts, underlyings, cells: float64(accounts * underlyings * CELLS) };
}

function placeOf({ accounts }: PerpAccounts, account: number, underlying: number): number {
  return (underlying * accounts + account) * CELLS;
}

export function leverageOf(perps: PerpAccounts, account: number, underlying: number): number {
  return perps.cells[placeOf(perps, account, underlying) + LEVERAGE];
}

export function chooseLeverage(perps: PerpAccounts, account: number, underlying: number, value: number): void {
  assert(value >= 1, 'perps: a leverage is at least 1');
  perps.cells[placeOf(perps, account, underlying) + LEVERAGE] = value;
}

export function notePaid(perps: PerpAccounts, account: number, underlying: number, amount: number): void {
  perps.cells[placeOf(perps, account, underlying) + PAID] += amount;
}

/** The position has changed from `before`. */
export function notePosition(perps: PerpAccounts, account: number, underlying: number, before: number, after: number): void {
  const { cells } = perps;
  const at = placeOf(perps, account, underlying);
  if (before === 0 || (after !== 0 && (before > 0) !== (after > 0))) cells[at + BEFORE_POSITION] = cells[at + PAID];
  cells[at + BEFORE_CHANGE] = cells[at + PAID];
}

export function paidFunding(perps: PerpAccounts, account: number, underlying: number) {
  const { cells } = perps;
  const at = placeOf(perps, account, underlying);
  const all = cells[at + PAID];
  return { all, sinceOpen: all - cells[at + BEFORE_POSITION], sinceChange: all - cells[at + BEFORE_CHANGE] };
}

export function forgetPerps(perps: PerpAccounts, account: number): void {
  for (let underlying = 0; underlying < perps.underlyings; underlying++) {
    const at = placeOf(perps, account, underlying);
    perps.cells.fill(0, at, at + CELLS);
  }
}

export function perpAccountSections(perps: PerpAccounts, accounts: () => number, underlyings: () => number): readonly Section[] {
  const length = perps.accounts * CELLS;
  return Array.from({ length: perps.underlyings }, (_, underlying) => ({
    name: `perpAccounts.${underlying}`, column: perps.cells.subarray(underlying * length, (underlying + 1) * length),
    used: () => (underlying < underlyings() ? accounts() * CELLS : 0),
  }));
}
