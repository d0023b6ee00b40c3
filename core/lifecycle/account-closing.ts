// Closes accounts that never traded, hold only their opening balance and were unused for thirty days (decision 1.6), to free their rows.
// The balance returns to the faucet. The insurance fund, other tiers than default and accounts with market-maker protection stay.

import { assert } from '../assert.ts';
import { ACCOUNT, ACCOUNT_CLOSED, emit, OPENED_ADDRESS, OPENED_BALANCE, OPENED_SLOTS } from '../codec/events.ts';
import { MAX_UNDERLYINGS, UNUSED_TIME } from '../limits.ts';
import { DEFAULT_TIER } from '../tiers.ts';
import { fillSeq, forgetStreams, orderUpdateSeq, portfolioSeq } from '../account-streams.ts';
import { HEALTHY, isOpen, removeAccount, WALLET_OPEN } from '../accounts/accounts.ts';
import { revokeAllRows } from '../accounts/agents.ts';
import { forgetQuoteNonces } from '../accounts/quote-nonces.ts';
import { addClosed, hasClosedRoom } from '../accounts/closed-accounts.ts';
import { forgetRevocations } from '../accounts/revocations.ts';
import { returnToFaucet } from '../ledger/ledger.ts';
import { forgetAccount } from '../margin/account-margin.ts';
import { forgetPerps } from '../positions/perp-accounts.ts';
import { findMmp } from '../mmp/mmp.ts';
import { forgetNonces, raiseToHighest, thinRuns } from '../nonces.ts';
import { forgetUsername } from '../registry/usernames.ts';
import { forgetSafety } from '../safety/safety.ts';
import { hasCancelJobOf } from '../trading/cancel-jobs.ts';
import type { Lifecycle } from './lifecycle.ts';
import { fundOf } from './insurance-fund.ts';

const RUNS_A_STEP = 1_024;

const scratch = { highest: new Uint32Array(2) };

export function isUnused(lifecycle: Lifecycle, account: number, time: number): boolean {
  const { accounts, closed, cancelJobs, streams } = lifecycle;
  if (!isOpen(accounts, account) || accounts.usedAt[account] + UNUSED_TIME > time || !hasClosedRoom(closed)) return false;
  if (accounts.tier[account] !== DEFAULT_TIER || accounts.status[account] !== HEALTHY || account === fundOf(lifecycle)) return false;
  if (accounts.walletMode[account] !== WALLET_OPEN) return false;
  if (fillSeq(streams.accounts, account) !== 0 || streams.accounts.liquidation[account] !== 0) return false;
  if (accounts.positions[account] !== 0 || accounts.openOrders[account] !== 0 || accounts.holdingHead[account] !== 0) return false;
  // What the operator gave or took would be lost with the row.
  if (accounts.credited[account] !== 0) return false;
  return !hasCancelJobOf(cancelJobs, account) && !hasProtection(lifecycle, account);
}

function hasProtection({ mmp }: Lifecycle, account: number): boolean {
  for (let underlying = 0; underlying < MAX_UNDERLYINGS; underlying++) if (findMmp(mmp, account, underlying) >= 0) return true;
  return false;
}

export function closeAccount(lifecycle: Lifecycle, account: number): boolean {
  const { accounts, agents, closed, events, ledger, nonces, perpAccounts, quoteNonces, revocations, safety, streams } = lifecycle;
  const { highest } = scratch;
  assert(account !== fundOf(lifecycle), 'close: the insurance fund is never closed');
  if (!thinRuns(nonces, account, RUNS_A_STEP)) return false;
  highest.fill(0);
  const hasNonce = raiseToHighest(nonces, account, highest);
  const hasRevoked = forgetRevocations(revocations, account, highest);
  const balance = accounts.cash[account];
  returnToFaucet(ledger, accounts, account);
  const last = {
    orderUpdates: orderUpdateSeq(streams.accounts, account), portfolio: portfolioSeq(streams.accounts, account),
    ledger: accounts.movements[account], quotes: streams.accounts.quotes[account],
  };
  if (hasNonce || hasRevoked || last.orderUpdates !== 0 || last.portfolio !== 0 || last.ledger !== 0 || last.quotes !== 0) {
    addClosed(closed, accounts.address, account * 5, hasNonce || hasRevoked, highest, last);
  }
  const f = events.slots;
  f[ACCOUNT] = account;
  for (let i = 0; i < 5; i++) f[OPENED_ADDRESS + i] = accounts.address[account * 5 + i];
  f[OPENED_BALANCE] = balance;
  emit(events, ACCOUNT_CLOSED, OPENED_SLOTS);
  revokeAllRows(agents, accounts, account);
  forgetNonces(nonces, account);
  forgetQuoteNonces(quoteNonces, account);
  forgetPerps(perpAccounts, account);
  forgetSafety(safety, account);
  forgetUsername(lifecycle.usernames, account);
  forgetStreams(streams.accounts, account);
  forgetAccount(lifecycle, account);
  removeAccount(accounts, account);
  return true;
}
