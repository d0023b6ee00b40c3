// Sums that must hold at any seq. Money sums to exactly zero: cash and house accounts, less the cost basis of perp positions, which is in
// no account's cash. Longs equal shorts. The open interest of an instrument is the sum of its longs. Exact: BigInt over micros and size
// units.

import { accountCount } from '../../core/accounts/accounts.ts';
import { PERP } from '../../core/codec/commands.ts';
import type { State } from '../../core/engine/state.ts';
import { instrumentCount } from '../../core/instruments/instruments.ts';
import { HOUSE_ACCOUNTS } from '../../core/ledger/ledger.ts';
import { wideToBigInt } from '../../core/ledger/wide.ts';
import { holdingRows } from '../../core/positions/holdings.ts';

/** The first sum that does not hold, or null. */
export function sumFault(state: State): string | null {
  const { accounts, ledger, holdings, instruments } = state;
  let money = 0n;
  for (let account = 0; account < accountCount(accounts); account++) money += BigInt(accounts.cash[account]!);
  for (let house = 0; house < HOUSE_ACCOUNTS; house++) money += wideToBigInt(ledger.house, house);
  const long = new Array<bigint>(instrumentCount(instruments)).fill(0n);
  const short = new Array<bigint>(instrumentCount(instruments)).fill(0n);
  for (let row = 0; row < holdingRows(holdings); row++) {
    if (holdings.account[row]! < 0) continue;
    if (instruments.kind[holdings.instrument[row]!] === PERP) money -= BigInt(holdings.cost[row]!);
    const position = BigInt(holdings.position[row]!);
    if (position > 0n) long[holdings.instrument[row]!]! += position;
    else short[holdings.instrument[row]!]! -= position;
  }
  if (money !== 0n) return `cash and house less the cost of perps sum to ${money} micros, not to zero`;
  for (let slot = 0; slot < long.length; slot++) {
    const id = instruments.id[slot];
    if (long[slot] !== short[slot]) return `instrument ${id}: longs ${long[slot]}, shorts ${short[slot]}`;
    const interest = instruments.openInterest[slot]!;
    if (long[slot] !== BigInt(interest)) return `instrument ${id}: longs ${long[slot]}, open interest ${interest}`;
  }
  return null;
}
