// The operator gives a wallet cash from the faucet, or takes it back (extensions.md 7). What is taken must be free: collateral less
// requirements of positions and orders. An id acts once.

import { assert } from '../assert.ts';
import { BALANCE_TOO_LARGE, DEBIT_TOO_LARGE, OK, UNKNOWN_WALLET } from '../errors.ts';
import { MAX_BALANCE } from '../limits.ts';
import { touchAccount } from '../account-streams.ts';
import { findAccount } from '../accounts/accounts.ts';
import { BYTE_CREDIT_ID, DOUBLE_CREDIT_AMOUNT, WORD_CREDIT_ID_LENGTH, WORD_CREDIT_WALLET } from '../codec/commands.ts';
import { ACCOUNT, CREDITED, CREDITED_AMOUNT, CREDITED_CASH, CREDITED_SLOTS, emit } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import { fundFromFaucet } from '../ledger/ledger.ts';
import { isCovered } from '../margin/account-margin.ts';
import { isSafe } from '../math/exact.ts';
import { addCredit, findCredit } from '../registry/credits.ts';
import { payFunding } from '../trading/funding.ts';
import type { Lifecycle } from './lifecycle.ts';

/** Result: the row of the credit, also of an earlier one with this id. */
export function creditWallet(lifecycle: Lifecycle, views: Views, at: number, time: number): void {
  const { accounts, credits, events, ledger, result, streams } = lifecycle;
  const words = views.u32;
  const id = (at + BYTE_CREDIT_ID) >>> 2;
  const wallet = (at >>> 2) + WORD_CREDIT_WALLET;
  const amount = views.f64[(at >>> 3) + DOUBLE_CREDIT_AMOUNT];
  assert(isSafe(amount) && amount !== 0, 'credit: an amount is an exact number of micros');
  const known = findCredit(credits, words, id);
  const account = findAccount(accounts, words, wallet);
  if (known >= 0) result.numbers[0] = known;
  else if (account < 0) result.code = UNKNOWN_WALLET;
  if (known >= 0 || account < 0) return;
  payFunding(lifecycle, account);
  const after = accounts.cash[account] + amount;
  const received = accounts.credited[account] + amount;
  if (!(Math.abs(after) <= MAX_BALANCE) || !isSafe(received)) result.code = BALANCE_TOO_LARGE;
  else if (amount < 0 && !isCovered(lifecycle, account, -amount)) result.code = DEBIT_TOO_LARGE;
  if (result.code !== OK) return;
  fundFromFaucet(ledger, accounts, account, amount);
  accounts.credited[account] = received;
  const idLength = words[(at >>> 2) + WORD_CREDIT_ID_LENGTH];
  result.numbers[0] = addCredit(credits, { words, id, idLength, wallet, amount, balance: after, time });
  const f = events.slots;
  f[ACCOUNT] = account;
  f[CREDITED_AMOUNT] = amount;
  f[CREDITED_CASH] = after;
  touchAccount(streams.accounts, account);
  emit(events, CREDITED, CREDITED_SLOTS);
}
