// Accounts with amounts beyond 2^53 micros: equity and collateral are exact or the nearest double; requirements are within a part in
// 10^12 and never infinite; and the owner of such a position may close it. Checked against sums in BigInt.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { USDC } from '../../../core/units.ts';
import { INSUFFICIENT_MARGIN, OK } from '../../../core/errors.ts';
import { MAX_POSITION } from '../../../core/settings.ts';
import { collateralOf, equityAtTheo, equityOf, freshen, initialOf, isSummed, maintenanceOf, positionInitialOf,
  standardInitial } from '../../../core/margin/account-margin.ts';
import { LiquidationScene } from '../liquidation/liquidation-scene.ts';
import { Random } from '../../sim/random.ts';
import { CALL, Desk, PERP, PUT } from './desk.ts';
import { book, collateral, equity, measureOne, portfolioInitial, type Measure } from './oracle.ts';

const MAX = Number.MAX_SAFE_INTEGER;
const NONE: Measure = { cash: 0n, longs: 0n, shorts: 0n, uncounted: 0n, initial: 0n, reserved: 0n };

/** Exact sums over the account's positions, without the initial margin of a portfolio. */
function sumsOf({ state }: Desk, account: number): Measure {
  const sums = { ...NONE, cash: BigInt(state.accounts.cash[account]!) };
  for (const held of book(state, account)) {
    const one = measureOne(state, held, state.accounts.mode[account]!);
    for (const name of ['longs', 'shorts', 'uncounted', 'initial', 'reserved'] as const) sums[name] += one[name];
  }
  return sums;
}

/** The result of `ask` while each mark is replaced by its theo. */
function atTheo<T>({ state: { valuation } }: Desk, ask: () => T): T {
  const marks = valuation.mark.slice();
  valuation.mark.set(valuation.theo);
  const answer = ask();
  valuation.mark.set(marks);
  return answer;
}

function isNear(value: number, exact: bigint, what: string): void {
  const off = BigInt(value) - exact;
  assert.ok((off < 0n ? -off : off) <= 1n + exact / 10n ** 12n, `${what}: ${value} is not ${exact}`);
}

for (const mode of [STANDARD, PORTFOLIO]) {
  test(`must hold: equity and collateral are the doubles nearest to the exact sums, requirements within 1e-12; mode ${mode}`, () => {
    const random = new Random(31 + mode);
    const desk = new Desk();
    const { state } = desk;
    const { valuation } = state;
    const slots = [
      desk.list(PERP, 0, 0), desk.list(PERP, 0, 0, 1), desk.list(CALL, 100_000, 5), desk.list(PUT, 90_000, 5),
      desk.list(CALL, 3_000, 20, 1), desk.list(PUT, 2_000_000_000, 20, 1),
    ];
    let beyond = 0;
    for (let round = 0; round < 400; round++) {
      desk.mark(100_000, 0.6);
      desk.mark(3_000, 0.7, undefined, 1);
      const account = desk.account(random.between(-1e9, 9e9), mode);
      const most = 10 ** random.between(6, 13);
      for (const slot of slots) if (random.chance(0.6)) desk.hold(account, slot, random.between(-most, most));
      desk.mark(10 ** random.between(3, 9), 0.6);
      desk.mark(10 ** random.between(1, 9), 0.7, undefined, 1);
      for (const slot of slots) {
        if (state.instruments.kind[slot] === PERP) continue;
        valuation.mark[slot] = Math.max(1, valuation.theo[slot]! + random.between(-1_000, 1_000) * USDC);
        valuation.stale[slot] = random.chance(0.3) ? 1 : 0;
      }
      freshen(state, account);
      if (!isSummed(state, account)) beyond++;
      const sums = sumsOf(desk, account);
      assert.equal(equityOf(state, account), Number(equity(sums)), 'equity');
      assert.equal(collateralOf(state, account), Number(collateral(sums)), 'collateral');
      assert.equal(equityAtTheo(state, account), Number(equity(atTheo(desk, () => sumsOf(desk, account)))), 'equity at theo');
      const initial = mode === STANDARD ? sums.initial : portfolioInitial(state, book(state, account)).high;
      isNear(initialOf(state, account), initial, 'initial margin');
      isNear(positionInitialOf(state, account), initial, 'of the positions');
      if (mode === PORTFOLIO) isNear(maintenanceOf(state, account), initial * 8n / 10n, 'maintenance margin');
      else assert.ok(maintenanceOf(state, account) <= initialOf(state, account), 'maintenance margin');
      for (let link = state.accounts.holdingHead[account]!; link !== 0; link = state.holdings.next[link - 1]!) {
        const size = Math.abs(state.holdings.position[link - 1]!);
        assert.ok(standardInitial(state, state.holdings.instrument[link - 1]!, -size, size, size) < Infinity);
      }
    }
    assert.ok(beyond > 50 && beyond < 350, `${beyond} of 400`);
  });
}

test('when a position’s value and its funding debt both exceed 2^53 micros, equity is the exact sum', () => {
  const desk = new Desk();
  const { state } = desk;
  const perp = desk.list(PERP, 0, 0);
  desk.mark(1, 0.6);
  const account = desk.account(1_000, STANDARD);
  desk.hold(account, perp, 1e13);
  state.funding.cumulative[perp] = 4e15;
  // The requirement stays in the exact range: only the value and the debt leave it.
  desk.mark(5_000, 0.6);
  freshen(state, account);
  assert.equal(equityOf(state, account), Number(equity(sumsOf(desk, account))));
  assert.ok(equityOf(state, account) < -MAX);
});

test('a sum is exact to the micro also if an intermediate sum exceeds 2^53 micros', () => {
  const desk = new Desk();
  const { state } = desk;
  const [perp, call] = [desk.list(PERP, 0, 0), desk.list(CALL, 100_000, 5)];
  desk.mark(100_000, 0.6);
  for (const [size, index, mark] of [[1, 8e15 + 2, 8e15 + 1], [1, 5e15 + 1, 3e15], [-1, 8e15 + 1, 2], [-1, 5e15 + 1, 9e15]] as const) {
    desk.mark(100_000, 0.6);
    const account = desk.account(0, STANDARD);
    state.accounts.cash[account] = MAX;
    desk.hold(account, perp, size * 1_000_001);
    desk.hold(account, call, -1e6);
    // A venue would not make these prices; the sums accept any.
    desk.mark(100_000, 0.6);
    state.valuation.mark[perp] = state.valuation.theo[perp] = index;
    state.valuation.mark[call] = mark;
    state.valuation.theo[call] = 9e15;
    freshen(state, account);
    const [atMark, theo] = [sumsOf(desk, account), atTheo(desk, () => sumsOf(desk, account))];
    const sums = [equityOf(state, account), collateralOf(state, account), equityAtTheo(state, account)];
    assert.deepEqual(sums, [equity(atMark), collateral(atMark), equity(theo)].map(Number));
  }
});

test('when an overlay exceeds 2^53 micros and its position is removed, initial margin is as before', () => {
  const desk = new Desk();
  // Even a billion of these calls lose nothing in any scenario.
  const [far, near] = [desk.list(CALL, 900_000_000, 1), desk.list(PUT, 90_000, 1)];
  desk.mark(100_000, 0.6);
  const account = desk.account();
  desk.hold(account, near, -1_234_567);
  desk.afresh(account);
  const initial = initialOf(desk.state, account);
  for (const [position, asks] of [[-1e15, 0], [0, 1e15]] as const) {
    desk.hold(account, far, position, 0, asks);
    freshen(desk.state, account);
    assert.ok(initialOf(desk.state, account) > MAX);
    desk.hold(account, far, 0);
    freshen(desk.state, account);
    assert.equal(initialOf(desk.state, account), initial);
  }
});

for (const mode of [STANDARD, PORTFOLIO]) {
  test(`an account deep in debt may close a position worth more than 2^53 micros, near the mark: mode ${mode}`, () => {
    const scene = new LiquidationScene({ balance: 1_000_000_000, set: [[MAX_POSITION, 9_000_000_000 * USDC]] });
    for (const wallet of [1, 2, 3]) {
      scene.cancel(wallet, 0);
      assert.equal(scene.send(scene.write.marginMode(wallet, scene.next(), mode)), OK);
    }
    scene.trade(1, 2, 100_000, 20);
    scene.index(1e9);
    const slot = scene.perp;
    assert.equal(scene.sell(3, 1e9, 1, { slot }), OK);
    assert.equal(scene.buy(2, 1.1e9, 1, { slot }), INSUFFICIENT_MARGIN, 'further from the mark than the closing distance');
    assert.equal(scene.buy(2, 1e9, 1, { slot }), OK);
    assert.deepEqual([scene.position(2), scene.position(3)], [-19, -1]);
  });
}
