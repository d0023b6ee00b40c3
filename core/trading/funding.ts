// Posts pending perp funding between the account and the rounding account, before a position changes and when its account acts (decision
// 2.6). A payment that would leave a balance's exact range waits.

import { assert } from '../assert.ts';
import { emit, FUNDING_PAID, ACCOUNT, PAID_AMOUNT, PAID_CASH, PAID_FROM, PAID_HOURS, PAID_INSTRUMENT, PAID_POSITION, PAID_RATES, PAID_SLOTS,
  PAID_UNTIL } from '../codec/events.ts';
import { countFunding } from '../account-streams.ts';
import { underlyingCount } from '../instruments/underlyings.ts';
import { canPost, payHouse, ROUNDING } from '../ledger/ledger.ts';
import { owesFrom, pendingFunding, touchFunding } from '../positions/funding.ts';
import { notePaid } from '../positions/perp-accounts.ts';
import { findHolding } from '../positions/holdings.ts';
import { updateHolding } from '../margin/account-margin.ts';
import type { Trading } from './context.ts';

export function payFunding(trading: Trading, account: number): void {
  const { accounts, funding } = trading;
  if (accounts.fundedAt[account] !== funding.rounds[0]) payPerps(trading, account);
}

function payPerps(trading: Trading, account: number): void {
  const { accounts, funding, holdings, instruments, underlyings } = trading;
  let paid = true;
  for (let underlying = 0; underlying < underlyingCount(underlyings); underlying++) {
    const perp = instruments.perpOf[underlying];
    const holding = perp < 0 ? -1 : findHolding(holdings, account, perp);
    if (holding < 0) continue;
    paid = payHolding(trading, holding) && paid;
    updateHolding(trading, account, holding);
  }
  if (paid) accounts.fundedAt[account] = funding.rounds[0];
}

/** False, with nothing posted, if cash would leave its exact range. The caller calls `updateHolding`. */
export function payHolding(trading: Trading, holding: number): boolean {
  const { accounts, events, funding, holdings, instruments, ledger, perpAccounts, streams } = trading;
  const account = holdings.account[holding];
  const amount = pendingFunding(funding, holdings, holding);
  assert(account >= 0, 'funding: the holding is in use');
  if (!canPost(accounts, account, -amount)) return false;
  const f = events.slots;
  const instrument = holdings.instrument[holding];
  f[PAID_FROM] = owesFrom(holdings, holding);
  f[PAID_UNTIL] = funding.until[instrument];
  f[PAID_HOURS] = funding.hours[instrument] - holdings.fundedHours[holding];
  f[PAID_RATES] = funding.rates[instrument] - holdings.fundedRates[holding];
  touchFunding(funding, holdings, holding);
  assert(pendingFunding(funding, holdings, holding) === 0, 'funding: nothing is pending after a payment');
  if (amount === 0) return true;
  payHouse(ledger, accounts, account, ROUNDING, amount);
  f[ACCOUNT] = account;
  f[PAID_INSTRUMENT] = instrument;
  f[PAID_AMOUNT] = amount;
  f[PAID_POSITION] = holdings.position[holding];
  f[PAID_CASH] = accounts.cash[account];
  notePaid(perpAccounts, account, instruments.underlying[instrument], amount);
  countFunding(streams.accounts, account);
  emit(events, FUNDING_PAID, PAID_SLOTS);
  return true;
}
