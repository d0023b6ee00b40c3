// The insurance fund (MARGIN.md, "Liquidation"): an account that nobody can sign for, opened when first needed and seeded from the faucet.
// It gets liquidation fees and takes accounts over, and pays at most a part of itself for each. Never liquidated, no caps.

import { assert } from '../assert.ts';
import { FUND_PART, FUND_SEED, PPM } from '../settings.ts';
import { clampSafe, mulDivFloor } from '../math/exact.ts';
import { ACCOUNT, ACCOUNT_OPENED, emit, FUND_POSTED, OPENED_ADDRESS, OPENED_BALANCE, OPENED_SLOTS, POSTED_AMOUNT, POSTED_CASH,
  POSTED_FUND, POSTED_FUND_CASH, POSTED_INSTRUMENT, POSTED_ORDER, POSTED_SLOTS, POSTED_WHY } from '../codec/events.ts';
import { touchAccount } from '../account-streams.ts';
import { addAccount, HEALTHY, openAccounts } from '../accounts/accounts.ts';
import { DEFAULT_TIER } from '../tiers.ts';
import { canPost, fundFromFaucet, moveCash } from '../ledger/ledger.ts';
import { equityAtTheo, freshen } from '../margin/account-margin.ts';
import type { Lifecycle } from './lifecycle.ts';
import { FUND_ACCOUNT } from './liquidation-state.ts';

/** The 20 ASCII bytes of `strikebook insurance`. Nobody knows a key for a written address. */
export const FUND_ADDRESS: Readonly<Uint32Array> = new Uint32Array([0x69727473, 0x6f62656b, 0x69206b6f, 0x7275736e, 0x65636e61]);

export function fundOf(lifecycle: Lifecycle): number {
  return lifecycle.risk.counters[FUND_ACCOUNT] - 1;
}

export function openFund(lifecycle: Lifecycle, time: number): number {
  const { accounts, events, ledger, risk, settings } = lifecycle;
  if (fundOf(lifecycle) >= 0) return fundOf(lifecycle);
  if (openAccounts(accounts) >= accounts.capacity) return -1;
  const fund = addAccount(accounts, FUND_ADDRESS, 0, time);
  assert(accounts.tier[fund] === DEFAULT_TIER && accounts.status[fund] === HEALTHY, 'fund: a new fund is healthy and of the default tier');
  risk.counters[FUND_ACCOUNT] = fund + 1;
  fundFromFaucet(ledger, accounts, fund, settings.values[FUND_SEED]);
  const f = events.slots;
  f[ACCOUNT] = fund;
  for (let i = 0; i < 5; i++) f[OPENED_ADDRESS + i] = FUND_ADDRESS[i];
  f[OPENED_BALANCE] = accounts.cash[fund];
  emit(events, ACCOUNT_OPENED, OPENED_SLOTS);
  return fund;
}

/** The last row is kept for the fund, because takeovers need it. */
export function hasAccountRoom(lifecycle: Lifecycle, rows: number): boolean {
  const { accounts } = lifecycle;
  return rows === 0 || openAccounts(accounts) + rows <= accounts.capacity - (fundOf(lifecycle) < 0 ? 1 : 0);
}

export function maxFundPayment(lifecycle: Lifecycle, fund: number): number {
  freshen(lifecycle, fund);
  const worth = clampSafe(Math.max(0, equityAtTheo(lifecycle, fund)));
  return mulDivFloor(worth, lifecycle.settings.values[FUND_PART], PPM);
}

type Posting = { readonly why: number; readonly amount: number; readonly instrument: number; readonly order: number };

/** False, with nothing moved, if a balance would leave its range. */
export function postToFund(lifecycle: Lifecycle, account: number, fund: number, { why, amount, instrument, order }: Posting): boolean {
  const { accounts, events, streams } = lifecycle;
  assert(fund === fundOf(lifecycle) && account !== fund, 'fund: the other account is not the fund');
  if (!canPost(accounts, account, -amount) || !canPost(accounts, fund, amount)) return false;
  moveCash(accounts, account, fund, amount);
  const f = events.slots;
  f[ACCOUNT] = account;
  f[POSTED_INSTRUMENT] = instrument;
  f[POSTED_WHY] = why;
  f[POSTED_AMOUNT] = amount;
  f[POSTED_CASH] = accounts.cash[account];
  f[POSTED_FUND_CASH] = accounts.cash[fund];
  f[POSTED_FUND] = fund;
  f[POSTED_ORDER] = order;
  touchAccount(streams.accounts, account);
  touchAccount(streams.accounts, fund);
  emit(events, FUND_POSTED, POSTED_SLOTS);
  return true;
}
