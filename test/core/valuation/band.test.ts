// Invariants of the volatility surface at every mark tick, for any quotes, any path of the index and any pause in quoting: no listed strike
// moves by more than half a vol point, none leaves the band around the default curve, a strike that an index move left outside returns,
// and there is no arbitrage. After an index move the step is measured against the surface before the tick at the new log-moneyness:
// moving along a smile does not change the smile.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUY, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { CALL, FLAG_SURFACE_AGELESS, PERP } from '../../../core/codec/commands.ts';
import { SURFACE_CHANGED, SURFACE_ATM } from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { optionValue } from '../../../core/pricing/averaged.ts';
import { MARKET_MAKER } from '../../../core/tiers.ts';
import { moneyness } from '../../../core/valuation/slices.ts';
import { ATM, copyToTrial, createTrial, findRow, freezeSurface, surfaceSigma } from '../../../core/valuation/surface.ts';
import { isSurfaceStale } from '../../../core/valuation/valuation.ts';
import { Random } from '../../sim/random.ts';
import { fiveFigures } from '../../sim/draw.ts';
import { Scene } from '../../support/scene.ts';
import { checkCalls, expiries } from '../../support/surfaces.ts';
import { FREE, hashOf, WIDE } from '../../support/venue.ts';

const CURVE = 600_000;
const BAND = 180_000;
/** Half a vol point, and the rounding of parameters and volatilities to whole millionths. */
const STEP = 5_000 + 10;

type Smile = (k: number) => number;

/** Two market makers of a venue whose feed sends prices but no volatility. */
class Desk extends Scene {
  spot = 100_000;
  readonly trial = createTrial();
  /** The largest move in the last tick, and the largest distance outside the band after it; both in millionths. */
  move = 0;
  out = 0;

  constructor() {
    super({ limits: WIDE, rules: FREE });
    for (const wallet of [1, 2]) {
      this.cancel(wallet, 0);
      assert.equal(this.send(this.write.tier(wallet, MARKET_MAKER)), 0);
    }
  }

  options(): number[] {
    return this.slots((one) => one.underlying === 'BTC' && one.kind !== PERP);
  }

  sigma(expiry: number, strike = 100_000): number {
    const slot = this.options().find((one) => this.contract(one).expiry === expiry && this.contract(one).strike === strike * USDC)!;
    return this.state.valuation.sigma[slot]! / 1e6;
  }

  /** Bids and asks of both around the price at a smile, for every `nth` call of an expiry. */
  quote(expiry: number, smile: Smile, nth = 1): void {
    const calls = this.options().filter((slot) => this.contract(slot).expiry === expiry && this.contract(slot).kind === CALL);
    for (const slot of calls.filter((_, i) => i % nth === 0)) {
      const strike = this.contract(slot).strike / USDC;
      const price = optionValue(true, this.spot, strike, expiry, this.now, 0, smile(Math.log(strike / this.spot)));
      if (price < 20 || price > 0.9 * this.spot) continue;
      this.place(1, BUY, fiveFigures(price * 0.99 * USDC) / USDC, 1, { slot });
      this.place(2, SELL, fiveFigures(price * 1.01 * USDC) / USDC, 1, { slot });
    }
  }

  cancelAllOrders(): void {
    for (const order of this.orders()) this.cancel(Number(this.state.accounts.address[order.account * 5]) - 1, order.id);
  }

  /** One mark tick; checks the step and the band of every listed strike. */
  tick(ms: number = SECOND): void {
    const { settings, valuation } = this.state;
    const [spot, before] = [valuation.markIndex[0]!, valuation.sigma.slice()];
    // A strike that this index move lists has no volatility to compare with.
    const listed = this.options();
    this.now += ms;
    copyToTrial(valuation.surface, 0, this.trial);
    freezeSurface(this.trial, settings, 0, this.now, false);
    this.venue(this.write.index(0, this.spot * USDC, 0));
    this.settle();
    // The venue does not use an outlier at once.
    this.spot = valuation.markIndex[0]! / USDC;
    this.move = this.out = 0;
    for (const slot of listed) {
      const { expiry, strike } = this.contract(slot);
      if (expiry <= this.now) continue;
      const sigma = valuation.sigma[slot]!;
      const away = Math.abs(sigma - CURVE);
      const k = moneyness(this.spot * USDC, strike);
      const was = spot === valuation.markIndex[0] ? before[slot]! : surfaceSigma(this.trial, 0, expiry, k);
      const where = `${new Date(expiry).toISOString().slice(0, 10)} ${strike / USDC} at ${this.spot}: ${was} to ${sigma}`;
      this.out = Math.max(this.out, away - BAND);
      this.move = Math.max(this.move, Math.abs(sigma - was));
      assert.ok(Math.abs(sigma - was) <= STEP, `step ${where}`);
      assert.ok(away <= Math.max(BAND, Math.abs(was - CURVE)) + 2, `band ${where}`);
    }
  }
}

/** An implausible smile: any level, skew and curvature, sometimes upside down. */
function hostile(random: Random): Smile {
  const [level, skew, bend] = [random.between(380, 820) / 1e3, random.between(-900, 900) / 1e3, random.between(-500, 3_000) / 1e3];
  return (k) => Math.max(0.25, Math.min(1.2, level + skew * k + bend * k * k));
}

test('given quotes for one expiry, its surface follows them as far as expiries that depend on it stay in the band', () => {
  const desk = new Desk();
  const expiry = expiries(desk)[6]!;
  desk.quote(expiry, (k) => 0.65 - 0.5 * k);
  desk.tick(5 * SECOND);
  for (let i = 0; i < 90; i++) desk.tick();
  assert.ok(desk.out <= 0, `${desk.out}`);
  assert.ok(Math.abs(desk.sigma(expiry) - 0.65) < 0.005, `the level must be that of the quotes: ${desk.sigma(expiry)}`);
  assert.ok(desk.sigma(expiry, 80_000) > 0.67, `the skew must be as large as the furthest strike allows: ${desk.sigma(expiry, 80_000)}`);
  checkCalls(desk);
});

test('when an index move leaves strikes outside the band, they return to it by at most half a vol point a tick', () => {
  const desk = new Desk();
  const all = expiries(desk);
  const smile = (k: number): number => 0.6 - 0.5 * k;
  for (const expiry of all.slice(5)) desk.quote(expiry, smile);
  desk.tick(5 * SECOND);
  for (let i = 0; i < 60; i++) desk.tick();
  desk.cancelAllOrders();
  let widest = 0;
  for (let i = 0; i < 15; i++) {
    // Three equal prices in a row confirm an outlier.
    if (i < 3) desk.spot = 130_000;
    desk.tick();
    widest = Math.max(widest, desk.out);
  }
  for (let i = 0; i < 60; i++) desk.tick();
  assert.ok(widest > 1_000 && desk.out <= 0, `${widest} to ${desk.out}`);
  checkCalls(desk);
});

test('after quotes end, a stale surface is kept for ten minutes, then returns to the default curve by half a vol point a tick', () => {
  const desk = new Desk();
  const all = expiries(desk);
  for (const at of [2, 7]) desk.quote(all[at]!, (k) => 0.7 + 0.1 * k * k);
  desk.tick(5 * SECOND);
  for (let i = 0; i < 80; i++) desk.tick();
  const slot = desk.options().find((one) => desk.contract(one).expiry === all[7])!;
  const last = desk.sigma(all[7]!);
  assert.ok(last > 0.69, `${last}`);
  desk.cancelAllOrders();
  desk.tick(11 * MINUTE);
  assert.equal(desk.sigma(all[7]!), last, 'kept');
  let ticks = 0;
  for (; desk.move > 0 || ticks === 0; ticks++) {
    desk.tick();
    assert.equal(isSurfaceStale(desk.state.valuation, slot), true);
    assert.ok(ticks < 60, `${desk.sigma(all[7]!)}`);
    if (ticks % 10 === 0) checkCalls(desk);
  }
  assert.ok(ticks > 15, `${ticks} ticks`);
  for (const one of desk.options()) assert.equal(desk.state.valuation.sigma[one], CURVE);
  assert.deepEqual(desk.emitted(SURFACE_CHANGED, SURFACE_ATM), [], 'no more events once the surface is at the default curve');
  assert.equal(hashOf(desk.replay(createState(desk.state.limits))), desk.hash());
});

test('when the only expiry with an input expires, others keep its surface, stale, for ten minutes, then return to the curve', () => {
  for (const flags of [0, FLAG_SURFACE_AGELESS]) {
    const desk = new Desk();
    const [first, next] = expiries(desk);
    // An ageless input may be of any age.
    desk.tick(first! - desk.now - (flags === 0 ? 30 * SECOND : 20 * MINUTE));
    desk.venue(desk.write.surface(0, first!, 700_000, -100_000, 0, flags));
    desk.settle();
    desk.tick();
    const last = desk.sigma(next!);
    assert.equal(last, 0.7);
    desk.tick(first! - desk.now + SECOND);
    const slot = desk.options().find((one) => desk.contract(one).expiry === next)!;
    assert.equal(isSurfaceStale(desk.state.valuation, slot), true);
    for (let i = 0; i < 9; i++) desk.tick(MINUTE);
    assert.equal(desk.sigma(next!), last);
    desk.tick(2 * MINUTE);
    for (let i = 0; i < 60; i++) desk.tick();
    assert.equal(desk.sigma(next!), 0.6);
    checkCalls(desk);
  }
});

test('when the first of two expiries with an input expires, the expiry between them follows the second', () => {
  const desk = new Desk();
  const [first, next, other] = expiries(desk);
  desk.tick(first! - desk.now - 30 * SECOND);
  desk.venue(desk.write.surface(0, first!, 700_000, 0, 0, 0));
  desk.venue(desk.write.surface(0, other!, 700_000, 0, 0, FLAG_SURFACE_AGELESS));
  desk.settle();
  desk.tick();
  desk.tick(first! - desk.now + SECOND);
  desk.tick(12 * MINUTE);
  for (let i = 0; i < 5; i++) desk.tick();
  assert.deepEqual([desk.sigma(next!), desk.sigma(other!)], [0.7, 0.7]);
});

test('when the variance of an earlier expiry holds up a later one, the later one’s own parameters still reach its quotes', () => {
  const desk = new Desk();
  const [near, far] = expiries(desk).slice(4, 6);
  const { surface } = desk.state.valuation;
  desk.quote(near!, () => 0.77);
  desk.quote(far!, () => 0.45);
  desk.tick(5 * SECOND);
  for (let i = 0; i < 40; i++) desk.tick();
  assert.ok(desk.sigma(far!) > 0.58, `${desk.sigma(far!)}: total variance at least that of the earlier expiry at ${desk.sigma(near!)}`);
  assert.ok(Math.abs(surface.rows[findRow(surface, 0, far!) + ATM]! - 450_000) < 5_000);
});

test('a new expiry takes its surface from quoted neighbours, not from an earlier input for all expiries', () => {
  const desk = new Desk();
  const [first, ...rest] = expiries(desk);
  desk.now = first! - 4 * MINUTE;
  desk.venue(desk.write.index(0, desk.spot * USDC, 0, 750_000));
  desk.settle();
  for (const expiry of rest) desk.quote(expiry, () => 0.6, 2);
  desk.tick(61 * SECOND);
  for (let i = 0; i < 60; i++) desk.tick();
  desk.tick(first! - desk.now);
  const added = expiries(desk).filter((expiry) => expiry !== first && !rest.includes(expiry));
  assert.equal(added.length, 1);
  assert.ok(Math.abs(desk.sigma(added[0]!) - desk.sigma(rest[1]!)) < 0.01, `${desk.sigma(added[0]!)}`);
  for (let i = 0; i < 5; i++) desk.tick();
  assert.ok(Math.abs(desk.sigma(rest[2]!) - 0.6) < 0.01, `${desk.sigma(rest[2]!)}`);
});

test('an operator’s surface for one expiry, outside the band, stops neither another’s quotes nor its return to the curve', () => {
  const desk = new Desk();
  const all = expiries(desk);
  desk.venue(desk.write.surface(0, all[8]!, 900_000, 0, 0, FLAG_SURFACE_AGELESS));
  desk.quote(all[4]!, () => 0.5);
  desk.settle();
  desk.now += 5 * SECOND;
  const step = (ms = SECOND): number => {
    desk.now += ms;
    desk.venue(desk.write.index(0, desk.spot * USDC, 0));
    desk.settle();
    return desk.sigma(all[4]!);
  };
  for (let i = 0; i < 250; i++) step();
  assert.ok(Math.abs(step() - 0.5) < 0.005, `${step()}`);
  desk.cancelAllOrders();
  step(11 * MINUTE);
  for (let i = 0; i < 60; i++) step();
  assert.deepEqual([step(), desk.sigma(all[8]!)], [0.6, 0.9]);
});

test('expiries that get their first quotes while both neighbours move still move by at most half a vol point a tick', () => {
  const desk = new Desk();
  const all = expiries(desk);
  desk.quote(all[2]!, () => 0.71);
  desk.quote(all[8]!, (k) => 0.53 + 0.1 * k + 0.6 * k * k);
  desk.tick(5 * SECOND);
  for (let i = 0; i < 25; i++) desk.tick();
  desk.cancelAllOrders();
  for (const at of [2, 3, 4, 6]) desk.quote(all[at]!, () => 0.54);
  desk.quote(all[8]!, () => 0.53);
  const next = desk.options().find((one) => desk.contract(one).expiry === all[3])!;
  assert.equal(isSurfaceStale(desk.state.valuation, next), true);
  desk.tick(5 * SECOND);
  assert.equal(isSurfaceStale(desk.state.valuation, next), false, 'the expiry has its own input');
  for (let i = 0; i < 5; i++) desk.tick();
});

test('given hostile quotes, an index that wanders and jumps, and pauses in quoting, every tick keeps the step and the band', () => {
  let widest = 0;
  let largest = 0;
  for (let run = 0; run < 4; run++) {
    const random = new Random(100 + run);
    const desk = new Desk();
    const all = expiries(desk);
    desk.tick();
    for (let round = 0; round < 4; round++) {
      desk.cancelAllOrders();
      for (let i = 0; i < 1 + run % 4; i++) desk.quote(all[random.between(0, all.length - 1)]!, hostile(random), random.between(1, 6));
      desk.tick(5 * SECOND);
      const isMoving = round % 2 === 1;
      const target = random.between(70_000, 140_000);
      for (let i = 0; i < 36; i++) {
        if (isMoving) desk.spot = i % 12 < 3 ? target : Math.round(desk.spot * (1 + random.between(-200, 200) / 1e4));
        desk.tick();
        widest = Math.max(widest, desk.out);
        largest = Math.max(largest, desk.move);
        if (i % 24 === 12) checkCalls(desk);
      }
    }
    desk.cancelAllOrders();
    desk.tick(10 * MINUTE);
    for (let i = 0; i < 40; i++) desk.tick(4 * SECOND);
    assert.ok(desk.out <= 0, `${desk.out} outside the band at the end`);
    checkCalls(desk);
  }
  assert.ok(largest > 4_000 && widest > 0, `largest move ${largest}, largest distance outside the band ${widest}`);
});
