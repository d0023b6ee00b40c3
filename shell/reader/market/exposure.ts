// Bodies of GET /open-interest and GET /insurance-fund: what all accounts hold, and what the fund holds.

import { CALL, PERP } from '../../../core/codec/commands.ts';
import type { State } from '../../../core/engine/state.ts';
import { ACTIVE, instrumentCount } from '../../../core/instruments/instruments.ts';
import { fundOf } from '../../../core/lifecycle/insurance-fund.ts';
import { CONTRACT, USDC } from '../../../core/units.ts';
import type { InsuranceFundData, OpenInterestData } from '../../http/shapes/perps.ts';
import { totalsOf } from '../account/totals.ts';
import { micro, microOrNull, type Names } from '../text.ts';

type Sums = { calls: number; puts: number };

export function openInterestOf(state: State, names: Names, name: string): OpenInterestData {
  const { instruments, valuation } = state;
  const underlying = names.underlyings().indexOf(name);
  const expiries = new Map<number, Sums>();
  const total: Sums = { calls: 0, puts: 0 };
  const rows = instrumentCount(instruments);
  for (let slot = 0; slot < rows; slot++) {
    if (instruments.underlying[slot] !== underlying || instruments.kind[slot] === PERP || instruments.status[slot] !== ACTIVE) continue;
    const expiry = instruments.expiry[slot]!;
    const sums = expiries.get(expiry) ?? { calls: 0, puts: 0 };
    const type = instruments.kind[slot] === CALL ? 'calls' : 'puts';
    expiries.set(expiry, { ...sums, [type]: sums[type] + instruments.openInterest[slot]! });
    total[type] += instruments.openInterest[slot]!;
  }
  const perp = instruments.perpOf[underlying]!;
  return {
    underlying: name, index_price: valuation.index[underlying]! / USDC, perp: perp < 0 ? 0 : instruments.openInterest[perp]! / CONTRACT,
    ...contracts(total),
    expiries: [...expiries].sort(([a], [b]) => a - b).map(([expiry, sums]) => ({ expiry: expiry / 1_000, ...contracts(sums) })),
  };
}

function contracts({ calls, puts }: Sums): Sums {
  return { calls: calls / CONTRACT, puts: puts / CONTRACT };
}

export function insuranceFundOf(state: State, names: Names): InsuranceFundData {
  const { accounts, holdings } = state;
  const fund = fundOf(state);
  if (fund < 0) return { balance: '0', equity: '0', positions: [] };
  const positions: InsuranceFundData['positions'][number][] = [];
  for (let link = accounts.holdingHead[fund]!; link !== 0; link = holdings.next[link - 1]!) {
    const amount = holdings.position[link - 1]!;
    if (amount !== 0) positions.push({ symbol: names.symbol(holdings.instrument[link - 1]!), amount: micro(amount) });
  }
  return { balance: micro(accounts.cash[fund]!), equity: microOrNull(totalsOf(state, fund).equity), positions };
}
