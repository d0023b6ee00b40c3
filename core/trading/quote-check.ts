// Judges one side of a mass quote, in the order of the engine's checks (spec, extensions 0). Its old quote has left the book. The caps are
// those that admission applied.

import { MAX_OPEN_ORDERS, MAX_POSITIONS, OK } from '../errors.ts';
import { FLAG_QUOTE } from '../codec/commands.ts';
import { UNLIMITED } from '../tiers.ts';
import { checkPositionLimit } from '../margin/order-check.ts';
import { judgeMargin, judgePrice } from './judge.ts';
import { refuseByMode } from './modes.ts';
import type { Trading } from './context.ts';

type QuoteRules = { readonly time: number; readonly crossing: number; readonly mostOpen: number; readonly mostPositions: number };

/** OK or the first refusal, with its numbers in the result. `open`: the wallet's orders in books. */
export function judgeQuote(trading: Trading, { crossing, mostOpen, mostPositions, time }: QuoteRules, open: number): number {
  const { accounts, candidate, holdings, result: { numbers } } = trading;
  const { account, row } = candidate;
  if (mostOpen !== UNLIMITED && open + 1 > mostOpen) {
    numbers[0] = mostOpen;
    return MAX_OPEN_ORDERS;
  }
  const isNew = row < 0 || holdings.position[row] === 0;
  if (mostPositions !== UNLIMITED && isNew && accounts.positions[account] + 1 > mostPositions) {
    numbers[0] = mostPositions;
    return MAX_POSITIONS;
  }
  const closed = refuseByMode(trading);
  if (closed !== OK) return closed;
  const refused = judgeMargin(trading, FLAG_QUOTE, crossing, 0, time);
  if (refused !== OK) return refused;
  const limited = checkPositionLimit(trading, candidate, 0);
  return limited !== OK ? limited : judgePrice(trading, crossing, 0);
}
