// Market-maker protection of the reference model (decision 5.8): a rolling window (t - interval, t] of fills per wallet and
// underlying; strictly more than a limit triggers. Quantity is an unsigned sum, delta and vega are absolute values of net sums.

import { MILLION, nearest, sizeOf } from './money.ts';
import { greeksIn } from './margin.ts';
import { BUY, OPTS_OUT, type Account, type Limits, type Order, type Protection, type World } from './terms.ts';

/** Sets or updates and switches on; what has not left the window stays recorded, and a freeze goes on. */
export function setProtection(account: Account, underlying: number, now: number, limits: Limits): void {
  const before = account.protections.get(underlying);
  account.protections.set(underlying, {
    interval: limits.interval, frozen: limits.frozen, quantity: BigInt(limits.quantity), delta: BigInt(limits.delta),
    vega: BigInt(limits.vega), isOn: true, until: before?.until ?? 0, fills: before === undefined ? [] : inWindow(before, now),
  });
}

/** Reset: clears fills and unfreezes, always (the law's table of states); delete also switches off. Without one it is done. */
export function endProtection(account: Account, underlying: number, isDeleted: boolean): void {
  const protection = account.protections.get(underlying);
  if (protection === undefined) return;
  protection.fills = [];
  protection.until = 0;
  if (isDeleted) protection.isOn = false;
}

/** The protection that an order with these flags takes part in. */
export function protectionOf(account: Account, underlying: number, flags: number): Protection | null {
  const protection = account.protections.get(underlying);
  return protection === undefined || !protection.isOn || (flags & OPTS_OUT) !== 0 ? null : protection;
}

export const isFrozen = ({ until }: Protection, now: number): boolean => now < until;

/** Records a fill; true when it has triggered. `frozen` 0 freezes until a reset. */
export function recordFill(world: World, account: Account, order: Order, size: bigint): boolean {
  const { now, contracts } = world.market;
  const protection = protectionOf(account, contracts[order.slot]!.underlying, order.flags);
  if (protection === null) return false;
  const signed = order.side === BUY ? size : -size;
  const { delta, vega } = greeksIn(world, order.slot);
  protection.fills = inWindow(protection, now);
  protection.fills.push({
    at: now, quantity: size, delta: nearest(signed * delta, MILLION), vega: nearest(signed * vega, MILLION),
  });
  const isExceeded = (['quantity', 'delta', 'vega'] as const).some((kind) => {
    const sum = protection.fills.reduce((total, fill) => total + fill[kind], 0n);
    return protection[kind] >= 0n && sizeOf(sum) > protection[kind];
  });
  if (isExceeded) protection.until = protection.frozen === 0 ? Infinity : now + protection.frozen;
  return isExceeded;
}

function inWindow({ fills, interval }: Protection, now: number): Protection['fills'] {
  return fills.filter(({ at }) => at > now - interval);
}
