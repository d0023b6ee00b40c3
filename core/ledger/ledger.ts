// The ledger: cash of accounts and of the house. Every posting is checked before anything moves; what one side
// gives the other gets, so the sum over all accounts and the house, less the cost basis of all perp positions, is always
// exactly zero. Units: micros.
// House accounts and control sums are two-limb, since the faucet passes 2^53 with the 901st wallet.

import { float64 } from '../columns.ts';
import { isSafe } from '../math/exact.ts';
import { fixedSection, type Section } from '../store.ts';
import type { Micros } from '../units.ts';
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
export function canPost(accounts: Accounts, account: number, delta: Micros): boolean {
  return isSafe(accounts.cash[account] + delta);
}

/** Moves `amount`, of either sign, from one account to another; the caller has asked `canPost` of both. */
export function moveCash(accounts: Accounts, from: number, to: number, amount: Micros): void {
  accounts.cash[from] = accounts.cash[from] - amount + 0;
  accounts.cash[to] = accounts.cash[to] + amount + 0;
}

/** Books what a perp position has realised: its cost basis has moved by as much more than the trade's amount. */
export function realize(accounts: Accounts, account: number, profit: Micros): void {
  accounts.cash[account] = accounts.cash[account] + profit + 0;
}

/** Moves `amount` micros, of either sign, from an account to a house account; the caller has asked `canPost`. */
export function payHouse(ledger: Ledger, accounts: Accounts, account: number, house: number, amount: Micros): void {
  accounts.cash[account] = accounts.cash[account] - amount + 0;
  addWide(ledger.house, house, amount);
}

/** Books test money to an account from the faucet. */
export function fundFromFaucet(ledger: Ledger, accounts: Accounts, account: number, amount: Micros): void {
  accounts.cash[account] += amount;
  addWide(ledger.house, FAUCET, -amount);
}

/** The whole cash of an account, which came from the faucet, goes back to it. */
export function returnToFaucet(ledger: Ledger, accounts: Accounts, account: number): void {
  addWide(ledger.house, FAUCET, accounts.cash[account]);
  accounts.cash[account] = 0;
}

export function ledgerSections(ledger: Ledger): readonly Section[] {
  return [fixedSection('ledger.house', ledger.house)];
}
