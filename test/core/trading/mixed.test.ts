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
import { Floor, check } from './support.ts';

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

function send(floor: Floor, one: Step): number {
  const { wallet, sells, size, tick, tif, flags, perp, which } = one;
  const price = (perp ? 99_900 : 1_900) + tick * 10;
  const more = { slot: perp ? floor.perp : floor.atm, size, tif, flags };
  const target = floor.orders(wallet)[which];
  switch (one.kind) {
    case 'protect': return floor.protect(wallet, { quantity: 1 + 3 * tick, interval: 2_000, frozen: 500 });
    case 'end': return floor.send(floor.write.endMmp(sells ? DELETE_MMP : RESET_MMP, wallet, floor.next(), 'BTC'));
    case 'cancel': return floor.cancel(wallet, target?.id ?? 0);
    case 'replace': return floor.replace(wallet, target?.id ?? 0, sells ? SELL : BUY, price, 1, more);
    default: return floor.place(wallet, sells ? SELL : BUY, price, 1, more);
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
    const floor = new Floor({ settings });
    for (const slot of [floor.perp, floor.atm]) {
      floor.trade(0, 1, slot === floor.perp ? 99_900 : 1_900, 8, slot);
      floor.trade(2, 3, slot === floor.perp ? 99_910 : 1_910, -8, slot);
    }
    let saved: State | undefined;
    for (const [i, one] of steps.entries()) {
      floor.advance(one.wait);
      const code = send(floor, one);
      assert.ok(REFUSALS.has(code), `${code}`);
      check(floor.state);
      const done = floor.events.findLast((event) => event.kind === ORDER_DONE && event.slots[ORDER_ID] === floor.number(0));
      if (code === C.OK && (one.kind === 'place' || one.kind === 'replace') && one.tif === FOK && floor.number(1) > 0) {
        assert.ok([C.DONE_FILLED, C.DONE_MMP_SELF].includes(done!.slots[ORDER_REASON]!), 'a fok in part');
      }
      if (i === steps.length >> 1) {
        saved = createState(floor.state.limits);
        restoreState(saved, copyOf(floor.state));
      }
    }
    assert.equal(hashOf(floor.replay()), hashOf(floor.state));
    assert.equal(hashOf(floor.replay(saved)), hashOf(floor.state));
  }), { numRuns: 25 });
});
