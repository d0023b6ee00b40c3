// Amends in random flows (extensions 3): a refused one changes nothing, an accepted one keeps its id, sums stay those from scratch.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { USDC } from '../../../core/units.ts';
import { FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER, FILL_SIZE, FILL_TAKER, FILL_TAKER_ORDER } from '../../../core/codec/events.ts';
import { SMALL } from '../../../core/limits.ts';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { createState, rebuildState, stateSections } from '../../../core/engine/state.ts';
import { freshen } from '../../../core/margin/account-margin.ts';
import { hashSections } from '../../../core/snapshot/hash.ts';
import { check, TradingScene, image } from './support.ts';

type Act = { what: number; wallet: number; side: number; price: number; size: number; post: number; stp: number; link: number; life: number;
  wait: number; reduce: boolean };

const act: fc.Arbitrary<Act> = fc.record({
  what: fc.nat(9), wallet: fc.integer({ min: 1, max: 3 }), side: fc.nat(1), price: fc.integer({ min: 95, max: 105 }),
  size: fc.integer({ min: 1, max: 8 }), post: fc.nat(4), stp: fc.nat(2), link: fc.nat(3), life: fc.nat(8), wait: fc.nat(1),
  reduce: fc.boolean(),
});

/** Without the times at which wallets were last active. */
function lasting(scene: TradingScene): string {
  return image(scene.state).split('\n').filter((line) => !line.startsWith('accounts.usedAt')).join('\n');
}

function run(acts: readonly Act[], look: (scene: TradingScene, amended: number, before: string, code: number) => void): TradingScene {
  const scene = new TradingScene();
  scene.state.accounts.mode[scene.account(3)] = PORTFOLIO;
  for (const { what, wallet, side, price, size, post, stp, link, life, wait, reduce } of acts) {
    scene.now += wait;
    const own = scene.orders(wallet);
    let before = '';
    let code = C.OK;
    let amended = 0;
    if (what < 5 && own.length > 0) {
      amended = own[(price + size) % own.length]!.id;
      before = lasting(scene);
      code = scene.amend(wallet, amended, what === 0 ? own[(price + size) % own.length]!.price / USDC : what === 1 ? 90_000 : price, size);
    } else {
      scene.place(wallet, side, price, size, {
        postOnly: post > 2 ? 0 : post, stp, flags: reduce ? FLAG_REDUCE_ONLY : 0, ...(link === 0 ? {} : { linkId: `l${link}` }),
        ...(life === 0 ? {} : { expiresAt: scene.now + life }),
      });
    }
    look(scene, amended, before, code);
  }
  return scene;
}

test('in any flow a refused amend of a live order leaves the whole state as it was', () => {
  let refused = 0;
  fc.assert(fc.property(fc.array(act, { minLength: 20, maxLength: 50 }), (acts) => {
    run(acts, (scene, amended, before, code) => {
      check(scene.state);
      if (amended === 0 || code === C.OK || code === C.NOT_OPEN) return;
      refused++;
      assert.equal(lasting(scene), before);
    });
  }), { numRuns: 25 });
  assert.ok(refused > 0);
});

test('in any flow an amended order keeps its id, and no wallet trades with itself', () => {
  fc.assert(fc.property(fc.array(act, { minLength: 20, maxLength: 50 }), (acts) => {
    run(acts, (scene, amended, _, code) => {
      scene.emitted(FILL, FILL_MAKER).forEach((maker, at) => assert.notEqual(maker, scene.emitted(FILL, FILL_TAKER)[at]));
      if (amended === 0 || code !== C.OK) return;
      for (const id of scene.emitted(FILL, FILL_TAKER_ORDER)) assert.equal(id, amended);
      assert.equal(scene.number(0), amended);
      assert.equal(scene.number(1), scene.emitted(FILL, FILL_SIZE).reduce((sum, size) => sum + size, 0));
      assert.equal(scene.orders().some((one) => one.id === amended), scene.number(3) <= 0);
    });
  }), { numRuns: 25 });
});

test('in any flow with amends, sums of margin and a restored state are as computed from scratch', () => {
  fc.assert(fc.property(fc.array(act, { minLength: 20, maxLength: 50 }), (acts) => {
    const scene = run(acts, () => {});
    const { state } = scene;
    const kept = state.cache.sums.slice();
    for (const wallet of [1, 2, 3]) {
      const account = scene.account(wallet);
      if (account < 0 || state.cache.filledAt[account] === 0) continue;
      state.cache.filledAt[account] = 0;
      freshen(state, account);
    }
    assert.deepEqual(state.cache.sums, kept);
    const fresh = createState(SMALL);
    const from = stateSections(state);
    stateSections(fresh).forEach((section, i) => section.column.set(from[i]!.column.subarray(0, from[i]!.used())));
    rebuildState(fresh);
    assert.deepEqual(hashSections(stateSections(fresh)), hashSections(from));
  }), { numRuns: 25 });
});
