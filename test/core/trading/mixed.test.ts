// Options and perps, reduce-only orders, protections, replacements, fees and funding in one random sequence. After every command
// the books balance and every list and sum is right; a state saved and loaded half-way ends in the same state.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, FOK, GTC, IOC, SELL } from '../../../core/units.ts';
import { DELETE_MMP, FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, RESET_MMP } from '../../../core/codec/commands.ts';
import { ORDER_DONE, ORDER_ID, ORDER_REASON } from '../../../core/codec/events.ts';
import { createState, type State } from '../../../core/engine/state.ts';
import { defaultSettings, MAKER_FEE, TAKER_FEE } from '../../../core/settings.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { hashOf } from '../../support/venue.ts';
import { TradingScene, check } from './support.ts';

type Step = {
  kind: 'place' | 'replace' | 'cancel' | 'protect' | 'end'; wallet: number; sells: boolean; size: number; tick: number; tif: number;
  flags: number; perp: boolean; which: number; wait: number;
};
const KINDS = [...Array<'place'>(12).fill('place'), 'replace', 'replace', 'replace', 'cancel', 'protect', 'end'] as const;
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS), wallet: fc.nat(3), sells: fc.boolean(), tick: fc.nat(3), which: fc.nat(1), perp: fc.boolean(),
  size: fc.constantFrom(1, 500_001, 3_000_007, 9_000_000), tif: fc.constantFrom(GTC, GTC, GTC, GTC, GTC, IOC, FOK),
  flags: fc.constantFrom(0, 0, FLAG_REDUCE_ONLY, FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY | FLAG_MMP_OPT_OUT),
  wait: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 300, 1_000, 3_600_000),
});

function send(scene: TradingScene, one: Step): number {
  const { wallet, sells, size, tick, tif, flags, perp, which } = one;
  const price = (perp ? 99_900 : 1_900) + tick * 10;
  const more = { slot: perp ? scene.perp : scene.atm, size, tif, flags };
  const target = scene.orders(wallet)[which];
  switch (one.kind) {
    case 'protect': return scene.protect(wallet, { quantity: 1 + 3 * tick, interval: 2_000, frozen: 500 });
    case 'end': return scene.send(scene.write.endMmp(sells ? DELETE_MMP : RESET_MMP, wallet, scene.next(), 'BTC'));
    case 'cancel': return scene.cancel(wallet, target?.id ?? 0);
    case 'replace': return scene.replace(wallet, target?.id ?? 0, sells ? SELL : BUY, price, 1, more);
    default: return scene.place(wallet, sells ? SELL : BUY, price, 1, more);
  }
}

const REFUSALS = new Set([
  C.OK, C.INSUFFICIENT_MARGIN, C.REDUCE_ONLY_INCREASES, C.MMP_FROZEN, C.ORDER_NOT_FOUND, C.NOT_OPEN, C.POSITION_LIMIT,
  C.MAX_OPEN_ORDERS, C.EXPIRED, C.IN_LIQUIDATION, C.NO_SPOT_PRICE,
]);

test('trading: after any sequence, books balance, fok fills whole or not at all, and a snapshot load changes nothing', () => {
  fc.assert(fc.property(fc.array(step, { minLength: 60, maxLength: 150 }), (steps) => {
    const settings = defaultSettings();
    settings[MAKER_FEE] = 137;
    settings[TAKER_FEE] = 411;
    const scene = new TradingScene({ settings });
    for (const slot of [scene.perp, scene.atm]) {
      scene.trade(0, 1, slot === scene.perp ? 99_900 : 1_900, 8, slot);
      scene.trade(2, 3, slot === scene.perp ? 99_910 : 1_910, -8, slot);
    }
    let saved: State | undefined;
    for (const [i, one] of steps.entries()) {
      scene.advance(one.wait);
      const code = send(scene, one);
      assert.ok(REFUSALS.has(code), `${code}`);
      check(scene.state);
      const done = scene.events.findLast((event) => event.kind === ORDER_DONE && event.slots[ORDER_ID] === scene.number(0));
      if (code === C.OK && (one.kind === 'place' || one.kind === 'replace') && one.tif === FOK && scene.number(1) > 0) {
        assert.ok([C.DONE_FILLED, C.DONE_MMP_SELF].includes(done!.slots[ORDER_REASON]!), 'a fok in part');
      }
      if (i === steps.length >> 1) {
        saved = createState(scene.state.limits);
        restoreState(saved, copyOf(scene.state));
      }
    }
    assert.equal(hashOf(scene.replay()), hashOf(scene.state));
    assert.equal(hashOf(scene.replay(saved)), hashOf(scene.state));
  }), { numRuns: 25 });
});
