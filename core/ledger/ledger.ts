// Cash of accounts and of the house, in micros. All cash, less the cost basis of all perp positions, always sums to exactly zero. House
// accounts are two-limb: the faucet passes 2^53 with the 901st wallet. Every change of an account's cash counts one movement
// (movements.ts).

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { isSafe } from '../math/exact.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { addWide, WIDE_LIMBS } from './wide.ts';

const FAUCET = 0;
export const FEES = 1;
/** Rounding left over by funding and settlement. */
export const ROUNDING = 2;
/** The insurance fund is not one: it holds positions, so it is an account. */
export const HOUSE_ACCOUNTS = 3;

export type Ledger = { readonly house: Float64Array };

export function createLedger(): Ledger {
  return { house: float64(HOUSE_ACCOUNTS * WIDE_LIMBS) };
}

export function canPost(accounts: Accounts, account: number, delta: number): boolean {
  return isSafe(accounts.cash[account] + delta);
}

/** `amount` has either sign. The caller has asked `canPost` for both accounts. */
export function moveCash(accounts: Accounts, from: number, to: number, amount: number): void {
  const { cash, movements } = accounts;
  assert(from !== to, 'ledger: money moves between two accounts');
  assert(isSafe(amount), 'ledger: an amount is an exact number of micros');
  const paid = cash[from];
  const got = cash[to];
  cash[from] = paid - amount + 0;
  cash[to] = got + amount + 0;
  assert(isSafe(cash[from]) && isSafe(cash[to]), 'ledger: cash stays in its exact range');
  assert(paid - cash[from] === amount && cash[to] - got === amount, 'ledger: one account receives what the other pays');
  if (amount === 0) return;
  movements[from]++;
  movements[to]++;
}

/** The cost basis has moved by the same amount. */
export function realize(accounts: Accounts, account: number, profit: number): void {
  const { cash } = accounts;
  const before = cash[account];
  assert(isSafe(profit), 'ledger: a realised profit is an exact number of micros');
  cash[account] = before + profit + 0;
  assert(isSafe(cash[account]) && cash[account] - before === profit, 'ledger: cash changes by what was realised');
  if (profit !== 0) accounts.movements[account]++;
}

/** `amount` has either sign. */
export function payHouse(ledger: Ledger, accounts: Accounts, account: number, house: number, amount: number): void {
  const { cash } = accounts;
  const before = cash[account];
  assert(house > FAUCET && house < HOUSE_ACCOUNTS, 'ledger: the house account exists');
  assert(isSafe(amount), 'ledger: an amount is an exact number of micros');
  cash[account] = before - amount + 0;
  assert(isSafe(cash[account]) && before - cash[account] === amount, 'ledger: the house receives what the account pays');
  if (amount !== 0) accounts.movements[account]++;
  addWide(ledger.house, house, amount);
}

export function fundFromFaucet(ledger: Ledger, accounts: Accounts, account: number, amount: number): void {
  const before = accounts.cash[account];
  assert(isSafe(amount), 'ledger: the faucet gives an exact amount');
  accounts.cash[account] = before + amount + 0;
  assert(isSafe(accounts.cash[account]) && accounts.cash[account] - before === amount, 'ledger: the account gets what the faucet gives');
  if (amount !== 0) accounts.movements[account]++;
  addWide(ledger.house, FAUCET, -amount);
}

export function returnToFaucet(ledger: Ledger, accounts: Accounts, account: number): void {
  assert(isSafe(accounts.cash[account]), 'ledger: the returned amount is exact');
  addWide(ledger.house, FAUCET, accounts.cash[account]);
  if (accounts.cash[account] !== 0) accounts.movements[account]++;
  accounts.cash[account] = 0;
}

export function ledgerSections(ledger: Ledger): readonly Section[] {
  return [fixedSection('ledger.house', ledger.house)];
}
