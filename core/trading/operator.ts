// The operator's commands: trading modes, wallet modes, cancel of a wallet's orders (docs/spec, extensions 7). Orders that they end are
// removed in steps and trade no more.

import { DONE_BLOCKED, DONE_OPERATOR, ENGINE_BUSY, MARKET_NOT_LISTED, OK, UNKNOWN_UNDERLYING, UNKNOWN_WALLET } from '../errors.ts';
import { DOUBLE_MODE_EXPIRY, DOUBLE_MODE_STRIKE, SCOPE_UNDERLYING, SCOPE_WALLET, WORD_MODE_KIND, WORD_MODE_SCOPE, WORD_MODE_UNDERLYING,
  WORD_MODE_VALUE, WORD_WALLET_MODE } from '../codec/commands.ts';
import { ACCOUNT, emit, MODE_CONTRACT, MODE_SET, MODE_UNDERLYING, TRADING_MODE_CHANGED, TRADING_MODE_SLOTS, WALLET_MODE_CHANGED,
  WALLET_MODE_SLOTS, WALLET_MODE_VALUE } from '../codec/events.ts';
import type { Views } from '../codec/record.ts';
import { countVenueMode } from '../streams.ts';
import { BLOCKED } from '../accounts/accounts.ts';
import { ACTIVE, findInstrument } from '../instruments/instruments.ts';
import { underlyingCount } from '../instruments/underlyings.ts';
import { cancelInSteps } from './cancel-all.ts';
import { hasCancelJobRoom } from './cancel-jobs.ts';
import { accountOf } from './wallets.ts';
import type { Trading } from './context.ts';

export function setTradingMode(trading: Trading, views: Views, at: number): void {
  const { events, instruments, result, streams, underlyings } = trading;
  const { modes } = instruments;
  const word = at >>> 2;
  const mode = views.u32[word + WORD_MODE_VALUE];
  const scope = views.u32[word + WORD_MODE_SCOPE];
  const underlying = scope === SCOPE_WALLET ? -1 : views.u32[word + WORD_MODE_UNDERLYING];
  let slot = -1;
  if (underlying >= underlyingCount(underlyings)) result.code = UNKNOWN_UNDERLYING;
  else if (scope === SCOPE_WALLET) modes.venue[0] = mode;
  else if (scope === SCOPE_UNDERLYING) modes.underlying[underlying] = mode;
  else {
    slot = contractOf(trading, views, at, underlying);
    if (slot < 0 || instruments.status[slot] !== ACTIVE) result.code = MARKET_NOT_LISTED;
    else modes.contract[slot] = mode;
  }
  if (result.code !== OK) return;
  events.slots[MODE_UNDERLYING] = underlying;
  events.slots[MODE_CONTRACT] = slot;
  events.slots[MODE_SET] = mode;
  countVenueMode(streams);
  emit(events, TRADING_MODE_CHANGED, TRADING_MODE_SLOTS);
}

function contractOf({ instruments }: Trading, views: Views, at: number, underlying: number): number {
  const double = at >>> 3;
  const kind = views.u32[(at >>> 2) + WORD_MODE_KIND];
  return findInstrument(instruments, underlying, views.f64[double + DOUBLE_MODE_EXPIRY], views.f64[double + DOUBLE_MODE_STRIKE], kind);
}

/** Result: OK, UNKNOWN_WALLET, or ENGINE_BUSY, nothing changed. */
export function setWalletMode(trading: Trading, views: Views, at: number): void {
  const { accounts, events, result } = trading;
  const mode = views.u32[(at >>> 2) + WORD_WALLET_MODE];
  const account = accountOf(trading, views, at);
  if (account < 0) result.code = UNKNOWN_WALLET;
  else if (mode === BLOCKED) endOrders(trading, account, DONE_BLOCKED);
  if (result.code !== OK) return;
  accounts.walletMode[account] = mode;
  events.slots[ACCOUNT] = account;
  events.slots[WALLET_MODE_VALUE] = mode;
  emit(events, WALLET_MODE_CHANGED, WALLET_MODE_SLOTS);
}

/** Result: OK with the number of orders that end; UNKNOWN_WALLET; ENGINE_BUSY. */
export function cancelWallet(trading: Trading, views: Views, at: number): void {
  const account = accountOf(trading, views, at);
  if (account < 0) trading.result.code = UNKNOWN_WALLET;
  else endOrders(trading, account, DONE_OPERATOR);
}

function endOrders(trading: Trading, account: number, reason: number): void {
  const { accounts, cancelJobs, result } = trading;
  const open = accounts.openOrders[account];
  if (open > 0 && !hasCancelJobRoom(cancelJobs)) {
    result.code = ENGINE_BUSY;
    return;
  }
  result.numbers[0] = open;
  cancelInSteps(trading, account, reason);
}
