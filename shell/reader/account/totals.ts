// The totals of an account, micros. A sum beyond the exact range (2^53) becomes NaN, here and only here. An answer then refuses; a stream
// message shows null.

import { isSafe } from '../../../core/math/exact.ts';
import { collateralOf, equityOf, freshen, isSummed, maintenanceOf, orderInitialOf, positionInitialOf, reservedOf,
  type Margin } from '../../../core/margin/account-margin.ts';
import { positionValue } from '../../../core/margin/standard.ts';

export const INEXACT = 'Margin data unavailable: an amount is beyond the exact range';

type Numbers = { readonly [name: string]: number };

export type Totals = {
  readonly equity: number; readonly collateral: number; readonly positionInitial: number; readonly orderInitial: number;
  readonly reserved: number; readonly used: number; readonly initialLeft: number; readonly maintenance: number;
  readonly maintenanceLeft: number;
};

export function totalsOf(state: Margin, account: number): Totals {
  freshen(state, account);
  const equity = equityOf(state, account);
  const collateral = collateralOf(state, account);
  const positionInitial = positionInitialOf(state, account);
  const orderInitial = orderInitialOf(state, account);
  const reserved = reservedOf(state, account);
  const maintenance = maintenanceOf(state, account);
  const totals = {
    equity, collateral, positionInitial, orderInitial, reserved, used: positionInitial + orderInitial + reserved,
    initialLeft: collateral - (positionInitial + orderInitial), maintenance, maintenanceLeft: equity - maintenance,
  };
  return exactly(isSummed(state, account) ? totals : { ...totals, equity: NaN });
}

/** Funding counts as realized once due, even before the core has paid it. */
export function unrealizedOf(state: Margin, row: number): number {
  const { holdings } = state;
  return positionValue(state, holdings.instrument[row]!, holdings.position[row]!) - holdings.cost[row]!;
}

export function totalsOfCash(cash: number): Totals {
  return {
    equity: cash, collateral: cash, positionInitial: 0, orderInitial: 0, reserved: 0, used: 0, initialLeft: cash, maintenance: 0,
    maintenanceLeft: cash,
  };
}

export function exactly<T extends Numbers>(numbers: T): T {
  return isExact(numbers) ? numbers : Object.fromEntries(Object.keys(numbers).map((name) => [name, NaN])) as T;
}

export function isExact(numbers: Numbers): boolean {
  return Object.values(numbers).every(isSafe);
}
