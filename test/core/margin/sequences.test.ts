// Margin through trading: random orders, fills, cancels, mark ticks and changes of mode by the real commands, with fees and perps.
// Cached sums equal recomputed sums and brute force; the venue accepts an order exactly if brute force does; a replay ends in the
// same state.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUY, CONTRACT, DAY, FOK, GTC, IOC, SELL, USDC } from '../../../core/units.ts';
import { INSUFFICIENT_MARGIN, NO_FUNDS, OK, ORDERS_DO_NOT_FIT, POSITIONS_OPEN } from '../../../core/errors.ts';
import { PERP } from '../../../core/codec/commands.ts';
import { PORTFOLIO, STANDARD } from '../../../core/accounts/accounts.ts';
import { collateralOf, equityOf, forgetAccount, freshen, initialOf, maintenanceOf, positionInitialOf,
  reservedOf } from '../../../core/margin/account-margin.ts';
import { DEFAULT_BALANCE, defaultSettings, DENSE, MAKER_FEE, MAX_POSITION, PRESET, SHOCK_POWER_FAR, SHOCK_POWER_NEAR, SHOCK_TERM,
  TAKER_FEE, VENUE17 } from '../../../core/settings.ts';
import type { State } from '../../../core/engine/state.ts';
import { fiveFigures } from '../../sim/draw.ts';
import { Random } from '../../sim/random.ts';
import { accountTotal } from '../../support/raw.ts';
import { Scene } from '../../support/scene.ts';
import { FREE, hashOf } from '../../support/venue.ts';
import { book, collateral, equity, isExempt, measure, portfolioInitial, withOrder, type Order } from './oracle.ts';

const RUNS = process.env['STRIKEBOOK_LONG'] === '1' ? 400 : 8;
const WALLETS = 6;

function numbers(state: State, account: number): number[] {
  freshen(state, account);
  return [collateralOf, equityOf, initialOf, maintenanceOf, positionInitialOf, reservedOf].map((of) => of(state, account));
}

/** True if brute force accepts the order; null if it depends on float error. */
function verdict(state: State, order: Order): boolean | null {
  const held = book(state, order.account);
  const sums = measure(state, order.account, withOrder(held, order));
  const mode = state.accounts.mode[order.account];
  const initial = mode === PORTFOLIO ? portfolioInitial(state, withOrder(held, order)) : { low: sums.initial, high: sums.initial };
  const exempt = isExempt(state, held, order);
  if (sums.cash <= 0n) return exempt;
  const free = collateral(sums) - sums.reserved;
  if (free >= initial.high || exempt) return true;
  return free >= initial.low ? null : false;
}

function checkAccount(state: State, account: number, text: string): void {
  const kept = numbers(state, account);
  forgetAccount(state, account);
  assert.deepEqual(numbers(state, account), kept, `${text}: cached and recomputed`);
  const held = book(state, account);
  const sums = measure(state, account, held);
  assert.equal(BigInt(kept[0]!), collateral(sums), `${text}: collateral`);
  assert.equal(BigInt(kept[1]!), equity(sums), `${text}: equity`);
  assert.equal(BigInt(kept[5]!), sums.reserved, `${text}: reserves`);
  const initial = state.accounts.mode[account] === PORTFOLIO ? portfolioInitial(state, held) : { low: sums.initial, high: sums.initial };
  assert.ok(BigInt(kept[2]!) >= initial.low && BigInt(kept[2]!) <= initial.high, `${text}: initial margin`);
}

function run(seed: number): void {
  const random = new Random(seed);
  const settings = defaultSettings();
  settings[MAX_POSITION] = 1e15;
  settings[DEFAULT_BALANCE] = 300_000 * USDC;
  if (seed % 2 === 0) settings[PRESET] = VENUE17;
  if (seed % 3 > 0) {
    settings[TAKER_FEE] = 500;
    settings[MAKER_FEE] = 200;
  }
  const on = new Scene({ rules: FREE, settings });
  const { state } = on;
  const near = on.slots((one) => one.kind === PERP || Math.abs(one.strike / (one.underlying === 'BTC' ? 100_000e6 : 3_000e6) - 1) < 0.12);
  const slots = [...near.filter((slot) => on.contract(slot).kind === PERP), ...Array.from({ length: 12 }, () => random.pick(near))];
  for (let wallet = 0; wallet < WALLETS; wallet++) {
    on.cancel(wallet, 0);
    if (wallet !== 0) assert.equal(on.send(on.write.marginMode(wallet, on.next(), PORTFOLIO)), OK);
  }
  const counts = { yes: 0, no: 0 };
  for (let step = 0; step < 250; step++) {
    const wallet = random.between(0, WALLETS - 1);
    const account = on.account(wallet);
    const text = `seed ${seed}, step ${step}`;
    if (random.chance(0.75)) {
      const slot = random.pick(slots);
      const price = fiveFigures(Math.max(2_000, on.mark(slot)) * (0.96 + 0.08 * random.fraction()));
      const size = Math.ceil(CONTRACT * (on.contract(slot).underlying === 'BTC' ? 30 : 900) * random.fraction() ** 3);
      const order = { account, instrument: slot, side: random.pick([BUY, SELL]), price, size };
      const expected = verdict(state, order);
      const tif = random.pick([GTC, GTC, GTC, IOC, FOK]);
      const code = on.place(wallet, order.side, price / USDC, size / CONTRACT, { slot, tif });
      if (expected !== null) {
        assert.equal(code === OK, expected, `${text}: ${code}`);
        if (!expected) assert.ok(code === INSUFFICIENT_MARGIN || code === NO_FUNDS);
        counts[expected ? 'yes' : 'no']++;
      }
    } else if (random.chance(0.5)) {
      const open = on.orders(wallet);
      if (open.length > 0) on.cancel(wallet, random.pick(open).id);
    } else if (random.chance(0.5)) {
      const mode = random.pick([STANDARD, PORTFOLIO]);
      const before = state.accounts.mode[account]!;
      const code = on.send(on.write.marginMode(wallet, on.next(), mode));
      const held = state.accounts.positions[account]! > 0;
      if (held) assert.equal(code, POSITIONS_OPEN, text);
      else if (mode === before) assert.equal(code, OK, text);
      else assert.ok(code === OK || code === ORDERS_DO_NOT_FIT, text);
      assert.equal(state.accounts.mode[account], code === OK ? mode : before, text);
    } else {
      on.venue(on.write.index(0, Math.round((97_000 + 6_000 * random.fraction()) * USDC), 1));
      on.venue(on.write.index(1, Math.round((2_900 + 200 * random.fraction()) * USDC), 1));
      if (random.chance(0.5)) on.advance(1_000);
      if (random.chance(0.3)) {
        settings[PRESET] = random.pick([DENSE, VENUE17]);
        settings[TAKER_FEE] = random.pick([settings[MAKER_FEE]!, 500, 1_000]);
        settings[SHOCK_TERM] = random.pick([10, 30]) * DAY;
        settings[SHOCK_POWER_NEAR] = random.pick([0, 300_000]);
        settings[SHOCK_POWER_FAR] = random.pick([130_000, 500_000]);
        on.venue(on.write.configure(settings));
      }
      on.settle();
    }
    if (random.chance(0.3)) checkAccount(state, random.between(0, accountTotal(state) - 1), text);
  }
  for (let account = 0; account < accountTotal(state); account++) checkAccount(state, account, `seed ${seed}, end`);
  const again = on.replay();
  assert.equal(hashOf(again), on.hash());
  for (let account = 0; account < accountTotal(state); account++) assert.deepEqual(numbers(again, account), numbers(state, account));
  assert.ok(counts.yes > 20 && counts.no > 2, `seed ${seed}: ${counts.yes} accepted, ${counts.no} refused`);
}

test('must hold: after any command and after a replay, cached margin equals recomputed margin and brute force', () => {
  for (let seed = 1; seed <= RUNS; seed++) run(seed);
});
