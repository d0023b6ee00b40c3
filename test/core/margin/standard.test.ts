// Standard margin: worked numbers for the formulas of MARGIN.md, the core against brute force over random accounts, and the
// invariants of "Must hold" that apply to this mode.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { BUY, CONTRACT, FOK, GTC, IOC, SELL, USDC } from '../../../core/units.ts';
import { INSUFFICIENT_MARGIN, NO_FUNDS, OK } from '../../../core/errors.ts';
import { CALL, PUT } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER, FILL_TAKER } from '../../../core/codec/events.ts';
import { contractInitial, standardMaintenance } from '../../../core/margin/standard.ts';
import { collateralOf, equityOf, forgetAccount, freshen, initialOf, reservedOf } from '../../../core/margin/account-margin.ts';
import { defaultSettings, MAX_POSITION, TAKER_FEE } from '../../../core/settings.ts';
import { fiveFigures } from '../../sim/draw.ts';
import { Random } from '../../sim/random.ts';
import { Scene } from '../../support/scene.ts';
import { FREE } from '../../support/venue.ts';
import { accountTotal } from '../../support/raw.ts';
import { book, collateral, equity, isExempt, measure, measureOne, requirement, withOrder, type Order, type Position } from './oracle.ts';

const RUNS = process.env['STRIKEBOOK_LONG'] === '1' ? 100_000 : 5_000;
const scene = new Scene({ rules: FREE });
const slots = scene.slots((one) => one.underlying === 'BTC').filter((_, i) => i % 7 === 0).slice(0, 24);

function slotOf(strike: number, kind: number): number {
  const first = scene.contract(scene.atm).expiry;
  return scene.slots((one) => one.strike === strike * USDC && one.kind === kind && one.expiry === first && one.underlying === 'BTC')[0]!;
}

test('standard margin: worked numbers at an index of 100,000', () => {
  const initial = (strike: number, kind: number): number => contractInitial(scene.state, slotOf(strike, kind)) / USDC;
  assert.equal(initial(100_000, CALL), 15_000);
  assert.equal(initial(104_000, CALL), 11_000);
  assert.equal(initial(110_000, CALL), 10_000);
  assert.equal(initial(90_000, CALL), 15_000);
  assert.equal(initial(96_000, PUT), 11_000);
  assert.equal(initial(110_000, PUT), 15_000);
  assert.equal(standardMaintenance(scene.state, slotOf(110_000, CALL), -2 * CONTRACT), 15_000 * USDC);
  assert.equal(standardMaintenance(scene.state, slotOf(110_000, PUT), -2 * CONTRACT), 15_000 * USDC);
  assert.equal(standardMaintenance(scene.state, slotOf(110_000, PUT), 2 * CONTRACT), 0);
  const put = slotOf(110_000, PUT);
  scene.state.valuation.mark[put] = 240_000 * USDC;
  assert.equal(standardMaintenance(scene.state, put, -CONTRACT), 18_000 * USDC, 'a put whose mark exceeds the index: 7.5 % of its mark');
  assert.equal(contractInitial(scene.state, put), 18_000 * USDC, 'its initial margin is at least that');
  scene.venue(scene.write.index(0, 100_000 * USDC, 1));
  scene.settle();
});

const orderOf = fc.record({
  instrument: fc.constantFrom(...slots), side: fc.constantFrom(BUY, SELL), size: fc.integer({ min: 1, max: 40 * CONTRACT }),
  price: fc.oneof(fc.integer({ min: 1, max: 20_000 * USDC }), fc.integer({ min: 1, max: 300 * USDC })).map(fiveFigures),
});
const heldOf = fc.uniqueArray(fc.record({
  instrument: fc.constantFrom(...slots), position: fc.integer({ min: -30 * CONTRACT, max: 30 * CONTRACT }).map(BigInt),
  orders: fc.array(orderOf.map((order) => ({ side: order.side, price: BigInt(order.price), size: BigInt(order.size) })), { maxLength: 4 }),
}), { selector: (one) => one.instrument, maxLength: 5 });

test('must hold: requirement and reserves are never below zero, and one more order never lowers them', () => {
  fc.assert(fc.property(heldOf, orderOf, (held: Position[], order) => {
    const before = measure(scene.state, 0, held, 0n);
    const after = measure(scene.state, 0, withOrder(held, { ...order, account: 0 }), 0n);
    assert.ok(before.initial >= 0n && before.reserved >= 0n);
    assert.ok(requirement(after) >= requirement(before));
  }), { numRuns: RUNS });
});

test('must hold: twice the positions require twice the margin, within a micro for each instrument', () => {
  fc.assert(fc.property(heldOf, (held: Position[]) => {
    const plain = held.map((one) => ({ ...one, orders: [] }));
    const once = measure(scene.state, 0, plain, 0n);
    const twice = measure(scene.state, 0, plain.map((one) => ({ ...one, position: 2n * one.position })), 0n);
    const off = 2n * once.initial - twice.initial;
    assert.ok(off >= 0n && off <= BigInt(held.length));
  }), { numRuns: RUNS / 5 });
});

test('must hold: a fill of any part of the open orders at their prices does not lower free collateral', () => {
  const fillsOf = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 100 })), { maxLength: 12 });
  fc.assert(fc.property(heldOf, fillsOf, (held: Position[], fills) => {
    let rows: Position[] = held;
    let cash = 0n;
    let drift = 0n;
    const start = measure(scene.state, 0, rows, cash);
    for (const [which, order, part] of fills) {
      const row = rows[which % Math.max(1, rows.length)];
      const one = row?.orders[order % Math.max(1, row.orders.length)];
      if (row === undefined || one === undefined) continue;
      const size = one.size * BigInt(part) / 100n || one.size;
      const direction = one.side === BUY ? 1n : -1n;
      cash -= direction * ((one.price * size * 2n + 1_000_000n) / 2_000_000n);
      drift += 2n;
      const left = row.orders.map((other) => (other === one ? { ...one, size: one.size - size } : other))
        .filter((other) => other.size > 0n);
      rows = rows.map((other) => (other === row ? { ...row, position: row.position + direction * size, orders: left } : other));
    }
    const end = measure(scene.state, 0, rows, cash);
    // Each fill rounds its own amount and values: at most two micros each.
    assert.ok(collateral(end) - requirement(end) >= collateral(start) - requirement(start) - drift);
  }), { numRuns: RUNS });
});

/** The largest size of this order that brute force accepts, found by bisection; 0 if it accepts none. */
function largestAccepted(on: Scene, order: Order): number {
  const held = book(on.state, order.account);
  let [low, high] = [0, order.size];
  while (low < high) {
    const size = Math.ceil((low + high) / 2);
    const sums = measure(on.state, order.account, withOrder(held, { ...order, size }));
    if (collateral(sums) >= requirement(sums)) low = size;
    else high = size - 1;
  }
  return low;
}

test('must hold: at fixed marks accepted orders never make equity negative by more than the rounding of fills', () => {
  for (let seed = 1; seed <= (RUNS > 5_000 ? 200 : 12); seed++) {
    const random = new Random(seed);
    const settings = defaultSettings();
    settings[MAX_POSITION] = Number.MAX_SAFE_INTEGER;
    // A fill rounds its amount by half a micro at most, and its fee up twice.
    const rounding = seed % 2 === 0 ? 5n : 1n;
    if (seed % 2 === 0) settings[TAKER_FEE] = 500;
    const on = new Scene({ rules: FREE, settings });
    const fills = new Map<number, number>();
    on.state.events.listener = (kind, f) => {
      if (kind === FILL) for (const at of [FILL_TAKER, FILL_MAKER]) fills.set(f[at]!, (fills.get(f[at]!) ?? 0) + 1);
    };
    for (let wallet = 0; wallet < 5; wallet++) on.cancel(wallet, 0);
    const traded = slots.slice(0, 4);
    let tight = 0;
    for (let step = 0; step < 250; step++) {
      const account = random.between(0, 4);
      const slot = random.pick(traded);
      const order: Order = {
        account, instrument: slot, side: random.pick([BUY, SELL]), size: 900 * CONTRACT,
        price: fiveFigures(Math.max(1_000, on.mark(slot)) * random.pick([0.2, 0.95, 1, 1, 1.05, 4])),
      };
      const most = largestAccepted(on, order);
      const size = random.chance(0.5) ? most : random.between(1, Math.max(1, most));
      if (random.chance(0.3) && most < order.size) {
        const beyond = { ...order, size: most + 1 };
        const exempt = isExempt(on.state, book(on.state, account), beyond);
        const code = on.place(account, order.side, order.price / USDC, beyond.size / CONTRACT, { slot });
        assert.equal(code === OK, exempt, `seed ${seed}, step ${step}: one unit above the largest accepted size`);
        if (code !== OK) assert.ok(code === INSUFFICIENT_MARGIN || code === NO_FUNDS);
      } else if (size > 0 && size <= most && most < order.size) {
        const funds = on.state.accounts.cash[account]! > 0;
        const code = on.place(account, order.side, order.price / USDC, size / CONTRACT, { slot, tif: random.pick([GTC, GTC, IOC, FOK]) });
        assert.equal(code, funds ? OK : code === OK ? OK : NO_FUNDS, `seed ${seed}, step ${step}`);
        if (size === most) tight++;
      }
      for (let other = 0; other < accountTotal(on.state); other++) {
        const sums = measure(on.state, other);
        assert.ok(equity(sums) * 2n >= -rounding * BigInt(fills.get(other) ?? 0), `seed ${seed}, step ${step}: equity ${equity(sums)}`);
      }
    }
    assert.ok(tight > 10);
  }
});

test('standard margin: the core’s sums equal brute force for every account of a venue with random trades', () => {
  const random = new Random(3);
  const on = new Scene({ rules: FREE });
  for (let step = 0; step < 1_500; step++) {
    const slot = random.pick(slots);
    const price = fiveFigures(Math.max(2_000, on.mark(slot)) * (0.9 + 0.2 * random.fraction())) / USDC;
    on.place(random.between(0, 9), random.pick([BUY, SELL]), price, random.between(1, 5 * CONTRACT) / CONTRACT, { slot });
    if (step % 50 === 0) on.venue(on.write.index(0, Math.round((90_000 + 20_000 * random.fraction()) * USDC), 1));
    on.settle();
    const account = random.between(0, accountTotal(on.state) - 1);
    if (random.chance(0.5)) forgetAccount(on.state, account);
    freshen(on.state, account);
    const sums = measure(on.state, account);
    assert.equal(BigInt(initialOf(on.state, account)), sums.initial);
    assert.equal(BigInt(reservedOf(on.state, account)), sums.reserved);
    assert.equal(BigInt(collateralOf(on.state, account)), collateral(sums));
    assert.equal(BigInt(equityOf(on.state, account)), equity(sums));
  }
});

test('rounding: each fill rounds its own amount, so many tiny fills may cost up to half a micro each above the reserve', () => {
  const on = new Scene({ rules: FREE });
  const slot = slotOf(100_000, CALL);
  assert.equal(on.buy(1, 0.5, 0.00002, { slot }), OK);
  const reserved = measureOne(on.state, book(on.state, on.account(1))[0]!).reserved;
  const before = on.cash(1);
  for (let i = 0; i < 20; i++) assert.equal(on.sell(2, 0.5, 0.000001, { slot }), OK);
  assert.equal(reserved, 10n);
  assert.equal(before - on.cash(1), 20, 'by the rounding of decision 2.4, here twice the reserve');
});
