// The leverage that a wallet chose for a perp. It is only shown: margin is that of the whole account.

import { INVALID_LEVERAGE, OK, UNKNOWN_UNDERLYING } from '../errors.ts';
import { WORD_LEVERAGE, WORD_LEVERAGE_UNDERLYING } from '../codec/commands.ts';
import type { Views } from '../codec/record.ts';
import { findUnderlying } from '../instruments/underlyings.ts';
import { chooseLeverage, leverageOf } from '../positions/perp-accounts.ts';
import { PERP_INITIAL, PPM, type Settings } from '../settings.ts';
import type { Trading } from './context.ts';

export function mostLeverage({ values }: Settings): number {
  return Math.max(1, Math.floor(PPM / values[PERP_INITIAL]));
}

/** As chosen, but at most what margin allows now. */
export function shownLeverage({ perpAccounts, settings }: Trading, account: number, underlying: number): number {
  const most = mostLeverage(settings);
  const chosen = leverageOf(perpAccounts, account, underlying);
  return chosen === 0 ? most : Math.min(chosen, most);
}

/** Result: OK; INVALID_LEVERAGE with the most that is allowed; UNKNOWN_UNDERLYING. */
export function setLeverage({ perpAccounts, result, settings, underlyings }: Trading, { u32 }: Views, at: number, account: number): void {
  const word = at >>> 2;
  const underlying = findUnderlying(underlyings, u32[word + WORD_LEVERAGE_UNDERLYING], u32[word + WORD_LEVERAGE_UNDERLYING + 1]);
  const leverage = u32[word + WORD_LEVERAGE];
  const most = mostLeverage(settings);
  result.code = underlying < 0 ? UNKNOWN_UNDERLYING : leverage < 1 || leverage > most ? INVALID_LEVERAGE : OK;
  if (result.code === INVALID_LEVERAGE) result.numbers[0] = most;
  if (result.code === OK) chooseLeverage(perpAccounts, account, underlying, leverage);
}
