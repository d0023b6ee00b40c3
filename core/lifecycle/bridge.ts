// Stands in until trading has it.

import { ACCOUNT, emit, FUNDING_PAID, PAID_AMOUNT, PAID_CASH, PAID_INSTRUMENT, PAID_POSITION, PAID_SLOTS } from '../codec/events.ts';
import { IOC } from '../units.ts';
import { payHouse, ROUNDING } from '../ledger/ledger.ts';
import { pendingFunding, touchFunding } from '../positions/funding.ts';
import type { Lifecycle } from './expiry.ts';

export function payFunding(lifecycle: Lifecycle, row: number): void {
  const { accounts, events, funding, holdings, ledger } = lifecycle;
  const amount = pendingFunding(funding, holdings, row);
  touchFunding(funding, holdings, row);
  if (amount === 0) return;
  const account = holdings.account[row];
  payHouse(ledger, accounts, account, ROUNDING, amount);
  events.slots[ACCOUNT] = account;
  events.slots[PAID_INSTRUMENT] = holdings.instrument[row];
  events.slots[PAID_AMOUNT] = amount;
  events.slots[PAID_POSITION] = holdings.position[row];
  events.slots[PAID_CASH] = accounts.cash[account];
  emit(events, FUNDING_PAID, PAID_SLOTS);
}

export function tradeFor(
  _l: Lifecycle, _account: number, _instrument: number, _side: number, _price: number, _size: number, _time: number,
): void { /* IOC */ void IOC; }
