// Values of accounts whose sums exceed the exact range of doubles, 2^53 micros: added in BigInt, so that large gains and losses cancel out,
// and rounded once, to the nearest double. Same formulas as standard.ts and account-margin.ts.

import { CONTRACT } from '../units.ts';
import { PERP } from '../codec/commands.ts';
import { PPM, STALE_LONG_PART } from '../settings.ts';
import { PORTFOLIO } from '../accounts/accounts.ts';
import { PER_MICRO } from '../positions/funding.ts';
import { isSurfaceStale } from '../valuation/valuation.ts';
import type { MarginInputs } from './standard.ts';

export const AT_MARK = 0;
export const AT_THEO = 1;
export const COUNTED = 2;
export const UNCOUNTED = 3;

export function exactAccountValue(inputs: MarginInputs, cash: number, head: number, what: number, mode: number): number {
  const { funding, holdings, instruments } = inputs;
  let total = BigInt(cash);
  for (let link = head; link !== 0; link = holdings.next[link - 1]) {
    const row = link - 1;
    const instrument = holdings.instrument[row];
    const position = holdings.position[row];
    if (position === 0) continue;
    total += countedAs(inputs, what, mode, instrument, position);
    if (instruments.kind[instrument] !== PERP) continue;
    const since = BigInt(funding.cumulative[instrument]) - BigInt(holdings.funding[row]);
    total -= BigInt(holdings.cost[row]) + towardsPlus(BigInt(position) * since, BigInt(PER_MICRO));
  }
  return Number(total);
}

export function exactValueChange(
  inputs: MarginInputs, what: number, mode: number, instrument: number, before: number, after: number,
): number {
  return Number(countedAs(inputs, what, mode, instrument, after) - countedAs(inputs, what, mode, instrument, before));
}

function countedAs(inputs: MarginInputs, what: number, mode: number, instrument: number, position: number): bigint {
  const { instruments, settings, valuation } = inputs;
  const atMark = valueAt(valuation.mark[instrument], position);
  if (what === UNCOUNTED) return atMark - countedAs(inputs, COUNTED, mode, instrument, position);
  if (what === AT_MARK) return atMark;
  const atTheo = valueAt(valuation.theo[instrument], position);
  if (what === AT_THEO) return atTheo;
  if (mode !== PORTFOLIO) return atMark < 0n || instruments.kind[instrument] === PERP ? atMark : 0n;
  const worse = atMark < atTheo ? atMark : atTheo;
  return worse <= 0n || !isSurfaceStale(valuation, instrument) ? worse : worse * BigInt(settings.values[STALE_LONG_PART]) / BigInt(PPM);
}

/** Halves are rounded away from zero. */
function valueAt(price: number, position: number): bigint {
  const twice = 2n * BigInt(price) * BigInt(position);
  const unit = BigInt(CONTRACT);
  return (position < 0 ? twice - unit : twice + unit) / (2n * unit);
}

function towardsPlus(amount: bigint, divisor: bigint): bigint {
  return amount > 0n ? (amount + divisor - 1n) / divisor : amount / divisor;
}
