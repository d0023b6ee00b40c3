// Switches the margin mode (decision 4.1). Moves no money. Setting the mode in force also needs zero positions.

import { assert } from '../assert.ts';
import { OK, ORDERS_DO_NOT_FIT, POSITIONS_OPEN } from '../errors.ts';
import { WORD_MARGIN_MODE } from '../codec/commands.ts';
import { ACCOUNT, emit, MODE_BEFORE, MODE_CHANGED, MODE_SLOTS, MODE_VALUE } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import { touchAccount } from '../account-streams.ts';
import { forgetAccount } from '../margin/account-margin.ts';
import { fitsMode } from '../margin/order-check.ts';
import type { Trading } from './context.ts';

/** Result: OK with the previous mode; POSITIONS_OPEN; ORDERS_DO_NOT_FIT. The api thread refuses unknown modes. */
export function setMarginMode(trading: Trading, views: Views, at: number, account: number): void {
  const { accounts, events, result, streams } = trading;
  const mode = views.u32[(at >>> 2) + WORD_MARGIN_MODE];
  const before = accounts.mode[account];
  result.code = refusal(trading, account, mode);
  if (result.code !== OK) return;
  result.numbers[0] = before;
  assert(mode === before || accounts.positions[account] === 0, 'mode: the mode changes only without positions');
  if (mode !== before) {
    accounts.mode[account] = mode;
    forgetAccount(trading, account);
  }
  const f = events.slots;
  f[ACCOUNT] = account;
  f[MODE_VALUE] = mode;
  f[MODE_BEFORE] = before;
  touchAccount(streams.accounts, account);
  emit(events, MODE_CHANGED, MODE_SLOTS);
}

function refusal(trading: Trading, account: number, mode: number): number {
  const { mode: before, openOrders, positions } = trading.accounts;
  if (positions[account] > 0) return POSITIONS_OPEN;
  // Open orders fit the mode in force, whatever debt the fund has yet to take.
  return mode === before[account] || openOrders[account] === 0 || fitsMode(trading, account, mode) ? OK : ORDERS_DO_NOT_FIT;
}
