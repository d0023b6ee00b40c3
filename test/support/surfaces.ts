// The volatility surface of a venue from outside: its expiries, and whether its theoretical prices allow arbitrage.

import assert from 'node:assert/strict';
import { DAY, USDC } from '../../core/units.ts';
import { CALL, PERP } from '../../core/codec/commands.ts';
import type { Scene } from './scene.ts';

export function expiries(scene: Scene): number[] {
  const all = scene.slots((one) => one.underlying === 'BTC' && one.kind !== PERP).map((slot) => scene.contract(slot).expiry);
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Calls fall with the strike, are convex in it, and are worth no less for a later expiry; prices are rounded to a unit. */
export function checkCalls(scene: Scene): void {
  const { theo } = scene.state.valuation;
  let earlier = new Map<number, number>();
  for (const expiry of expiries(scene)) {
    const calls = scene.slots((one) => one.underlying === 'BTC' && one.expiry === expiry && one.kind === CALL)
      .map((slot) => [scene.contract(slot).strike, theo[slot]!] as const).sort(([a], [b]) => a - b);
    for (let i = 1; i < calls.length; i++) {
      const [[low, dear], [strike, price]] = [calls[i - 1]!, calls[i]!];
      assert.ok(price <= dear + 1 && dear - price <= strike - low + 1, `${strike / USDC}: ${dear} to ${price}`);
      if (i + 1 === calls.length) continue;
      const [high, cheap] = calls[i + 1]!;
      const chord = dear + (cheap - dear) * (strike - low) / (high - low);
      assert.ok(price <= chord + 2, `convex at ${strike / USDC}, ${(expiry - scene.now) / DAY} days: ${price} above ${chord}`);
    }
    for (const [strike, price] of calls) {
      const before = earlier.get(strike);
      assert.ok(before === undefined || price >= before - 1, `calendar at ${strike / USDC}: ${before} to ${price}`);
    }
    earlier = new Map([...earlier, ...calls]);
  }
}
