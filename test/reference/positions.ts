// Money and positions of the reference model: what a trade moves, what funding is owed, what an expiry pays. Decisions 2.4 to 2.7.

import { least, MILLION, most, nearest, sizeOf, towardsZero, up } from './money.ts';
import { BUY, CALL, move, PERP, type Account, type Contract, type Position, type Side, type World } from './terms.ts';

const HOUR = 3_600_000;

/** The funding index counts 1e-9 price units; a holder owes for what came since he last paid: payers up, receivers down. */
export function pendingFunding({ market }: World, slot: number, { size, funded }: Position): bigint {
  if (market.contracts[slot]!.kind !== PERP) return 0n;
  return up(size * (market.fundingIndex[slot]! - funded), MILLION * 1_000n);
}

/** Decision 2.6: funding is applied when an account is touched. */
export function payFunding(world: World, account: Account, slot: number): void {
  const position = account.positions.get(slot);
  if (position === undefined) return;
  const { fundingIndex, hours } = world.market;
  const amount = pendingFunding(world, slot, position);
  const all = hours[slot]!;
  const owed = all.slice(position.hours);
  move(account, 'funding', -amount, { slot });
  if (amount !== 0n) {
    account.payments.push({
      slot, from: Math.max(all[position.hours - 1]?.until ?? 0, Math.floor(position.changed / HOUR) * HOUR), until: owed.at(-1)!.until,
      hours: owed.length, rates: owed.reduce((sum, { rate }) => sum + rate, 0n), size: position.size, amount,
    });
  }
  position.funded = fundingIndex[slot]!;
  position.hours = all.length;
}

/**
 * One side of a trade; answers the profit it realises. An option moves its amount in cash, a perp only realised profit (decision
 * 2.4). What closes takes cost · closed / size with it, towards zero; profit is told from the position's beginning on.
 */
export function trade(
  world: World, account: Account, slot: number, side: Side, price: bigint, size: bigint, fee: bigint,
  cause: { order: number; trade: number } = { order: 0, trade: 0 },
): bigint {
  payFunding(world, account, slot);
  const isPerp = world.market.contracts[slot]!.kind === PERP;
  const position = account.positions.get(slot)
    ?? { size: 0n, cost: 0n, realized: 0n, funded: world.market.fundingIndex[slot]!, hours: world.market.hours[slot]!.length, changed: 0 };
  const change = side === BUY ? size : -size;
  const amount = nearest(price * size, MILLION);
  const paid = side === BUY ? amount : -amount;
  const closed = position.size * change < 0n ? least(sizeOf(position.size), size) : 0n;
  const closedPaid = towardsZero(paid * closed, size);
  const closedCost = closed === 0n ? 0n : towardsZero(position.cost * closed, sizeOf(position.size));
  const realized = -closedPaid - closedCost;
  const after = position.size + change;
  const goesOn = position.size * after >= 0n;
  move(account, 'trade', isPerp ? realized : -paid, { slot, ...cause });
  move(account, 'fee', -fee, { slot, ...cause });
  if (after === 0n) account.positions.delete(slot);
  else {
    account.positions.set(slot, {
      size: after, cost: position.cost - closedCost + paid - closedPaid, realized: goesOn ? position.realized + realized : 0n,
      funded: position.funded, hours: position.hours, changed: world.market.now,
    });
  }
  return realized;
}

/** What one contract pays at expiry (decision 2.1). */
export function intrinsicOf({ kind, strike }: Contract, price: bigint): bigint {
  return most(0n, kind === CALL ? price - strike : strike - price);
}

/** Decision 2.7: the settlement fee, on the notional at the settlement price, at most its part of what is paid. */
export function settlementFee({ rules }: World, contract: Contract, size: bigint, price: bigint): bigint {
  const notional = up(rules.settlementFee * sizeOf(size) * price, MILLION * MILLION);
  return least(notional, up(rules.feePart * sizeOf(size) * intrinsicOf(contract, price), MILLION * MILLION));
}
