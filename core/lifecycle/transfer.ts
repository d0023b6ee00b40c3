// Moves a position between accounts without a trade, for takeovers and deleveraging. Booked like a fill. Ask `canMove` for both sides
// first. Amounts are signed as the change of the position.

import { assert } from '../assert.ts';
import { PERP } from '../codec/commands.ts';
import { realize } from '../ledger/ledger.ts';
import { applyFill, closeIfEmpty, findHolding, openHolding } from '../positions/holdings.ts';
import { notePosition } from '../positions/perp-accounts.ts';
import { enterEmptyHolding, updateHolding } from '../margin/account-margin.ts';
import { canBook } from '../trading/fill.ts';
import { payHolding } from '../trading/funding.ts';
import { fitReduceOnly, fitTriggers } from '../trading/reduce-only.ts';
import type { Lifecycle } from './lifecycle.ts';

export function canMove(lifecycle: Lifecycle, account: number, row: number, instrument: number, delta: number, amount: number): boolean {
  return canBook(lifecycle, account, row, lifecycle.instruments.kind[instrument] === PERP, delta, amount, 0);
}

/** Frees the row if it is empty. Returns the realised profit. */
export function moveRow(lifecycle: Lifecycle, row: number, delta: number, amount: number, time: number): number {
  const { accounts, holdings, instruments, perpAccounts } = lifecycle;
  const account = holdings.account[row];
  const instrument = holdings.instrument[row];
  const isPerp = instruments.kind[instrument] === PERP;
  assert(account >= 0, 'transfer: the row is in use');
  if (isPerp) payHolding(lifecycle, row);
  const before = holdings.position[row];
  const profit = applyFill(holdings, accounts, row, delta, amount, time);
  if (isPerp) notePosition(perpAccounts, account, instruments.underlying[instrument], before, holdings.position[row]);
  realize(accounts, account, cashOfMove(lifecycle, instrument, amount, profit));
  instruments.openInterest[instrument] += Math.max(0, holdings.position[row]) - Math.max(0, before);
  if (holdings.reduceOnly[row] !== 0) fitReduceOnly(lifecycle, row);
  if (holdings.triggers[row] !== 0) fitTriggers(lifecycle, row, before);
  updateHolding(lifecycle, account, row);
  closeIfEmpty(holdings, accounts, row);
  return profit;
}

export function cashOfMove({ instruments }: Lifecycle, instrument: number, amount: number, profit: number): number {
  return (instruments.kind[instrument] === PERP ? profit : -amount) + 0;
}

export function rowFor(lifecycle: Lifecycle, account: number, instrument: number): number {
  const { accounts, holdings } = lifecycle;
  const found = findHolding(holdings, account, instrument);
  if (found >= 0) return found;
  const row = openHolding(holdings, accounts, account, instrument);
  enterEmptyHolding(lifecycle, row);
  return row;
}
