// What trading modes and wallet modes refuse (docs/spec, extensions 7): new orders, replaces, quotes and amends that grow. Cancels, amends
// that shrink and the venue's own orders are exempt.

import { BUY } from '../units.ts';
import { EXPIRED, MARKET_CANCEL_ONLY, MARKET_HALTED, OK, WALLET_BLOCKED, WALLET_CLOSE_ONLY } from '../errors.ts';
import { CLOSE_ONLY, WALLET_OPEN } from '../accounts/accounts.ts';
import { ACTIVE, hasExpired } from '../instruments/instruments.ts';
import { CANCEL_ONLY, MARKET_OPEN, tradingMode } from '../instruments/trading-mode.ts';
import { reducible } from './reduce-only.ts';
import type { Trading } from './context.ts';

export function refuseByMode(trading: Trading): number {
  const { accounts, candidate, instruments } = trading;
  const mode = tradingMode(instruments, candidate.instrument);
  if (mode !== MARKET_OPEN) return mode === CANCEL_ONLY ? MARKET_CANCEL_ONLY : MARKET_HALTED;
  const walletMode = accounts.walletMode[candidate.account];
  if (walletMode === WALLET_OPEN) return OK;
  if (walletMode !== CLOSE_ONLY) return WALLET_BLOCKED;
  return onlyCloses(trading) ? OK : WALLET_CLOSE_ONLY;
}

export function refuseClosed(trading: Trading, time: number): number {
  const { candidate: { instrument }, instruments } = trading;
  if (instruments.status[instrument] !== ACTIVE || hasExpired(instruments, instrument, time)) return EXPIRED;
  return refuseByMode(trading);
}

export function onlyCloses({ candidate, holdings }: Trading): boolean {
  const { row, side, size } = candidate;
  if (row < 0 || size === 0) return false;
  return size + (side === BUY ? holdings.bidSize[row] : holdings.askSize[row]) <= reducible(holdings.position[row], side);
}
