// The operator's credits: what is given and taken, what is refused, and the id that makes a request safe to repeat. Nobody can withdraw
// through a debit what secures a position or an order.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { DAY, USDC } from '../../../core/units.ts';
import { BALANCE_TOO_LARGE, DEBIT_TOO_LARGE, OK, UNKNOWN_WALLET } from '../../../core/errors.ts';
import { CREDITED, CREDITED_AMOUNT, CREDITED_CASH, ACCOUNT } from '../../../core/codec/events.ts';
import { portfolioSeq } from '../../../core/account-streams.ts';
import { PORTFOLIO } from '../../../core/accounts/accounts.ts';
import { isUnused } from '../../../core/lifecycle/account-closing.ts';
import { isCovered } from '../../../core/margin/account-margin.ts';
import { createState } from '../../../core/engine/state.ts';
import { addFunding } from '../../../core/positions/funding.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { SMALL } from '../../../core/limits.ts';
import { hashOf, TestVenue } from '../../support/venue.ts';
import { balance, LiquidationScene } from '../liquidation/liquidation-scene.ts';

/** Wallet 1 has 10,000 USDC and no orders. */
function opened(): LiquidationScene {
  const scene = new LiquidationScene();
  assert.equal(scene.buy(1, 1, 1), OK);
  scene.cancel(1, scene.orders(1)[0]!.id);
  scene.kept = [];
  return scene;
}

function credit(scene: TestVenue, wallet: number, usdc: number, id: string): number {
  scene.venue(scene.write.credit(wallet, usdc * USDC, id));
  return scene.state.result.code;
}

/** Amount and balance of the credit that the last command answers with. */
function answer({ state: { credits, result } }: LiquidationScene): [number, number] {
  return [credits.amount[result.numbers[0]!]! / USDC, credits.balance[result.numbers[0]!]! / USDC];
}

test('a credit comes from the faucet and a debit goes back to it; both are told with the cash after them', () => {
  const scene = opened();
  const before = portfolioSeq(scene.state.streams.accounts, scene.account(1));
  assert.equal(credit(scene, 1, 250.5, 'a'), OK);
  assert.deepEqual(answer(scene), [250.5, 10_250.5]);
  assert.ok(portfolioSeq(scene.state.streams.accounts, scene.account(1)) > before, 'the portfolio stream tells it');
  assert.equal(credit(scene, 1, -10_250.5, 'b'), OK, 'all of it');
  assert.equal(scene.dollars(1), 0);
  const told = scene.seen(CREDITED).map((slots) => [slots[ACCOUNT], slots[CREDITED_AMOUNT]! / USDC, slots[CREDITED_CASH]! / USDC]);
  assert.deepEqual(told, [[scene.account(1), 250.5, 10_250.5], [scene.account(1), -10_250.5, 0]]);
  balance(scene.state);
});

test('the same id again moves nothing and gives the first answer, whatever else the request says', () => {
  const scene = opened();
  assert.equal(credit(scene, 1, 100, 'twice'), OK);
  assert.equal(credit(scene, 1, 5, 'other'), OK);
  for (const [wallet, usdc] of [[1, 100], [1, -7_000], [99, 100]] as const) {
    assert.equal(credit(scene, wallet, usdc, 'twice'), OK);
    assert.deepEqual(answer(scene), [100, 10_100]);
  }
  assert.equal(scene.dollars(1), 10_105);
  assert.equal(scene.seen(CREDITED).length, 2);
});

test('a refused credit does not use its id', () => {
  const scene = opened();
  assert.equal(credit(scene, 1, -20_000, 'again'), DEBIT_TOO_LARGE);
  assert.equal(credit(scene, 77, 1, 'again'), UNKNOWN_WALLET);
  assert.equal(credit(scene, 1, -20, 'again'), OK);
  assert.equal(scene.dollars(1), 9_980);
});

test('a credit is refused before money moves when the sum of all credits of the wallet would not be exact', () => {
  const scene = opened();
  const { accounts } = scene.state;
  const account = scene.account(1);
  const before = accounts.credited[account]!;
  accounts.credited[account] = Number.MAX_SAFE_INTEGER - USDC;
  assert.equal(credit(scene, 1, 2, 'a'), BALANCE_TOO_LARGE);
  assert.equal(scene.dollars(1), 10_000);
  assert.equal(accounts.credited[account], Number.MAX_SAFE_INTEGER - USDC);
  accounts.credited[account] = before;
  assert.equal(credit(scene, 1, 2, 'a'), OK, 'the refused id is not used');
  balance(scene.state);
});

test('ids that differ in one character, or in length only, are different', () => {
  const scene = opened();
  const ids = ['a', 'A', 'a_', 'a'.repeat(31), 'a'.repeat(32), `${'a'.repeat(31)}b`];
  for (const id of ids) assert.equal(credit(scene, 1, 1, id), OK);
  assert.equal(scene.dollars(1), 10_000 + ids.length);
});

test('the newest ids are known and the oldest are forgotten, also in a restored state', () => {
  const scene = opened();
  const last = 20 * SMALL.credits;
  for (let i = 0; i <= last; i++) assert.equal(credit(scene, 1, 1, `id-${i}`), OK);
  const state = createState(SMALL);
  restoreState(state, copyOf(scene.state));
  const restored = new TestVenue({ state });
  restored.now = scene.now;
  for (const venue of [scene, restored]) {
    const cash = (): number => venue.state.accounts.cash[scene.account(1)]!;
    const before = cash();
    for (let i = last - SMALL.credits + 1; i <= last; i++) credit(venue, 1, 1, `id-${i}`);
    assert.equal(cash(), before, 'the newest are known');
    assert.equal(credit(venue, 1, 1, `id-${last - SMALL.credits}`), OK);
    assert.equal(cash(), before + USDC, 'the oldest acts again');
  }
  assert.equal(hashOf(restored.state), hashOf(scene.state));
});

test('a debit takes no more than is free beside positions and open orders, in both margin modes', () => {
  for (const mode of [0, PORTFOLIO]) {
    const scene = new LiquidationScene();
    if (mode === PORTFOLIO) assert.equal(scene.send(scene.write.marginMode(1, scene.next(), PORTFOLIO)), OK);
    scene.trade(1, 2, 100_000, 0.03);
    assert.equal(scene.buy(1, 90_000, 0.01, { slot: scene.perp }), OK);
    const account = scene.account(1);
    let [low, high] = [0, 10_000 * USDC];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isCovered(scene.state, account, middle)) low = middle;
      else high = middle;
    }
    assert.ok(low > 0 && low < 10_000 * USDC);
    scene.venue(scene.write.credit(1, -(low + 1), 'too much'));
    assert.equal(scene.state.result.code, DEBIT_TOO_LARGE);
    scene.venue(scene.write.credit(1, -low, 'all that is free'));
    assert.equal(scene.state.result.code, OK);
    assert.ok(isCovered(scene.state, account, 0) && !isCovered(scene.state, account, 1));
  }
});

test('a debit is judged after the funding that is due', () => {
  const scene = new LiquidationScene();
  scene.trade(1, 2, 100_000, 0.05);
  const account = scene.account(1);
  assert.ok(addFunding(scene.state.funding, scene.perp, 1_000 * 1_000_000_000, 1, scene.now));
  const before = scene.dollars(1);
  credit(scene, 1, 1, 'a');
  assert.equal(scene.dollars(1), before + 1 - 50, 'funding of 1,000 USDC a contract for 0.05 of them');
  assert.equal(scene.state.accounts.fundedAt[account], scene.state.funding.rounds[0]);
  assert.equal(answer(scene)[1], scene.dollars(1));
});

test('a balance stays within nine billion USDC on either side', () => {
  const scene = opened();
  assert.equal(credit(scene, 1, 9e9 - 10_000, 'a'), OK);
  assert.equal(credit(scene, 1, 0.000001, 'b'), BALANCE_TOO_LARGE);
  assert.equal(credit(scene, 1, -9e9, 'c'), OK);
  scene.state.accounts.cash[scene.account(1)] = -9e15;
  assert.equal(credit(scene, 1, -0.000001, 'd'), BALANCE_TOO_LARGE);
});

test('an account with a net credit is not closed when it is unused: what was given or taken would be lost', () => {
  for (const usdc of [5, -5]) {
    const scene = opened();
    scene.now += 31 * DAY;
    assert.ok(isUnused(scene.state, scene.account(1), scene.now));
    assert.equal(credit(scene, 1, usdc, 'a'), OK);
    assert.ok(!isUnused(scene.state, scene.account(1), scene.now));
    assert.equal(credit(scene, 1, -usdc, 'b'), OK);
    assert.ok(isUnused(scene.state, scene.account(1), scene.now), 'both together are nothing');
  }
});

test('given any credits, when they are applied, then cash is what it was plus those that were taken up, and the books balance', () => {
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -12_000, max: 12_000 }), fc.nat(8)), { maxLength: 30 }),
    (requests) => {
      const scene = new LiquidationScene();
      scene.trade(1, 2, 100_000, 0.02);
      const wanted = new Map([[1, scene.cash(1)], [2, scene.cash(2)]]);
      const known = new Set<string>();
      for (const [wallet, usdc, number] of requests) {
        if (usdc === 0) continue;
        const isFree = usdc > 0 || (wallet < 3 && isCovered(scene.state, scene.account(wallet), -usdc * USDC));
        const id = `id${number}`;
        const code = credit(scene, wallet, usdc, id);
        const expected = known.has(id) ? OK : wallet === 3 ? UNKNOWN_WALLET : isFree ? OK : DEBIT_TOO_LARGE;
        assert.equal(code, expected);
        if (known.has(id) || code !== OK) continue;
        known.add(id);
        wanted.set(wallet, wanted.get(wallet)! + usdc * USDC);
      }
      for (const [wallet, cash] of wanted) assert.equal(scene.cash(wallet), cash);
      balance(scene.state);
    },
  ));
});
