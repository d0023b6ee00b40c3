// The ledger: cash of accounts and of the house. Every posting is checked before anything moves; what one side
// gives the other gets, so the sum over all accounts and the house, less the cost basis of all perp positions, is always
// exactly zero. Units: micros.
// House accounts and control sums are two-limb, since the faucet passes 2^53 with the 901st wallet.

import { assert } from '../assert.ts';
import { fixedSection, float64, type Section } from '../columns.ts';
import { isSafe } from '../math/exact.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { addWide, WIDE_LIMBS } from './wide.ts';

const FAUCET = 0;
export const FEES = 1;
/** What funding and settlement leave over in rounding. */
export const ROUNDING = 2;
/** Number of house accounts. The insurance fund is none of them: it holds positions, so it is an account of its own. */
export const HOUSE_ACCOUNTS = 3;

export type Ledger = { readonly house: Float64Array };

export function createLedger(): Ledger {
  return { house: float64(HOUSE_ACCOUNTS * WIDE_LIMBS) };
}

/** True when the account's cash stays a safe integer after `delta`. */
export function canPost(accounts: Accounts, account: number, delta: number): boolean {
  return isSafe(accounts.cash[account] + delta);
}

/** Moves `amount`, of either sign, from one account to another; the caller has asked `canPost` of both. */
export function moveCash(accounts: Accounts, from: number, to: number, amount: number): void {
  const { cash } = accounts;
  assert(from !== to, 'ledger: money moves between two accounts');
  assert(isSafe(amount), 'ledger: an amount is an exact number of micros');
  const paid = cash[from];
  const got = cash[to];
  cash[from] = paid - amount + 0;
  cash[to] = got + amount + 0;
  assert(isSafe(cash[from]) && isSafe(cash[to]), 'ledger: cash stays in its exact range');
  assert(paid - cash[from] === amount && cash[to] - got === amount, 'ledger: one gets what the other gives');
}

/** Books what a perp position has realised: its cost basis has moved by as much more than the trade's amount. */
export function realize(accounts: Accounts, account: number, profit: number): void {
  const { cash } = accounts;
  const before = cash[account];
  assert(isSafe(profit), 'ledger: what is realised is an exact number of micros');
  cash[account] = before + profit + 0;
  assert(isSafe(cash[account]) && cash[account] - before === profit, 'ledger: cash changes by what was realised');
}

/** Moves `amount` micros, of either sign, from an account to a house account; the caller has asked `canPost`. */
export function payHouse(ledger: Ledger, accounts: Accounts, account: number, house: number, amount: number): void {
  const { cash } = accounts;
  const before = cash[account];
  assert(house > FAUCET && house < HOUSE_ACCOUNTS, 'ledger: the house has such an account');
  assert(isSafe(amount), 'ledger: an amount is an exact number of micros');
  cash[account] = before - amount + 0;
  assert(isSafe(cash[account]) && before - cash[account] === amount, 'ledger: the house gets what the account gives');
  addWide(ledger.house, house, amount);
}

/** Books test money to an account from the faucet. */
export function fundFromFaucet(ledger: Ledger, accounts: Accounts, account: number, amount: number): void {
  assert(amount >= 0 && isSafe(amount), 'ledger: the faucet gives an exact amount');
  accounts.cash[account] += amount;
  assert(isSafe(accounts.cash[account]), 'ledger: cash stays in its exact range');
  addWide(ledger.house, FAUCET, -amount);
}

/** The whole cash of an account, which came from the faucet, goes back to it. */
export function returnToFaucet(ledger: Ledger, accounts: Accounts, account: number): void {
  assert(isSafe(accounts.cash[account]), 'ledger: what goes back to the faucet is exact');
  addWide(ledger.house, FAUCET, accounts.cash[account]);
  accounts.cash[account] = 0;
}

export function ledgerSections(ledger: Ledger): readonly Section[] {
  return [fixedSection('ledger.house', ledger.house)];
}
