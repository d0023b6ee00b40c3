// Fits the volatility surface to quotes in the book: it moves towards accepted quotes by at most half a vol point a tick, within its
// band, and only while neither the operator nor a feed sets the volatility.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { BUY, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { CALL, FLAG_INDEX_AGELESS, FLAG_SURFACE_AGELESS, LIST_MARKET, PERP, PUT } from '../../../core/codec/commands.ts';
import { SURFACE_CHANGED, SURFACE_EXPIRY } from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { optionValue } from '../../../core/pricing/averaged.ts';
import { DEFAULT_TIER, MARKET_MAKER, TIER2 } from '../../../core/tiers.ts';
import { isSurfaceStale } from '../../../core/valuation/valuation.ts';
import { Random } from '../../sim/random.ts';
import { fiveFigures } from '../../sim/draw.ts';
import { FREE, hashOf, WIDE } from '../../support/venue.ts';
import { Scene } from '../../support/scene.ts';

const SPOT = 100_000;

/** A venue whose feed sends prices but no volatility; `calls` are those of the quoted expiry, number `nth` from 0. */
class Market extends Scene {
  readonly expiry: number;
  readonly calls: readonly number[];

  constructor(nth = 3) {
    super({ limits: WIDE, rules: FREE });
    const mine = (slot: number): boolean => this.contract(slot).kind === CALL && this.state.instruments.underlying[slot] === 0;
    const all = this.slots(() => true).filter(mine);
    this.expiry = [...new Set(all.map((slot) => this.contract(slot).expiry))].sort((a, b) => a - b)[nth]!;
    this.calls = all.filter((slot) => this.contract(slot).expiry === this.expiry);
    for (const wallet of [1, 2]) this.makeMarketMaker(wallet);
  }

  makeMarketMaker(wallet: number, tier = MARKET_MAKER): void {
    this.cancel(wallet, 0);
    assert.equal(this.send(this.write.tier(wallet, tier)), 0);
  }

  /** The operator sets the next expiry's surface: later expiries follow that one, so only strikes of the quoted expiry limit the fit. */
  giveNext(): void {
    const next = Math.min(...this.slots((one) => one.expiry > this.expiry).map((slot) => this.contract(slot).expiry));
    this.venue(this.write.surface(0, next, 600_000, 0, 0, FLAG_SURFACE_AGELESS));
    this.settle();
  }

  near(): readonly number[] {
    return this.calls.filter((slot) => Math.abs(this.contract(slot).strike / USDC - SPOT) <= 10_000);
  }

  /** Bids and asks of two wallets around `middle` times the price at `sigma`, 2 % apart; cancels all earlier orders. */
  quote(sigma: (strike: number) => number, slots = this.near(), middle = 1): void {
    for (const order of this.orders()) this.cancel(Number(this.state.accounts.address[order.account * 5]) - 1, order.id);
    for (const slot of slots) {
      const strike = this.contract(slot).strike / USDC;
      const price = optionValue(true, SPOT, strike, this.expiry, this.now, SPOT, sigma(strike));
      assert.equal(this.place(1, BUY, fiveFigures(price * (middle - 0.01) * USDC) / USDC, 1, { slot }), 0);
      assert.equal(this.place(2, SELL, fiveFigures(price * (middle + 0.01) * USDC) / USDC, 1, { slot }), 0);
    }
  }

  /** One mark tick of the feed; returns the largest move of any listed strike, in vol points. */
  tick(ms: number = SECOND, flags = 0): number {
    const { sigma } = this.state.valuation;
    const listed = this.slots((one) => one.underlying === 'BTC' && one.kind !== PERP);
    const before = listed.map((slot) => sigma[slot]!);
    this.now += ms;
    this.venue(this.write.index(0, SPOT * USDC, flags));
    this.settle();
    return Math.max(...listed.map((slot, at) => Math.abs(sigma[slot]! - before[at]!))) / 10_000;
  }

  sigma(slot: number): number {
    return this.state.valuation.sigma[slot]! / 1e6;
  }
}

test('given quotes at one volatility, then along a smile, the surface reaches them by at most half a vol point a tick', () => {
  const market = new Market();
  market.giveNext();
  market.quote(() => 0.66);
  market.tick(5 * SECOND);
  let most = 0;
  for (let i = 0; i < 40; i++) most = Math.max(most, market.tick());
  assert.ok(most <= 0.5 && most > 0.2, `${most} vol points`);
  for (const slot of market.near()) assert.ok(Math.abs(market.sigma(slot) - 0.66) < 0.005, `${market.sigma(slot)}`);
  const smile = (strike: number): number => 0.64 - 0.3 * Math.log(strike / SPOT) + 0.8 * Math.log(strike / SPOT) ** 2;
  market.quote(smile);
  market.tick(5 * SECOND);
  for (let i = 0; i < 150; i++) most = Math.max(most, market.tick());
  assert.ok(most <= 0.5, `${most} vol points`);
  for (const slot of market.near()) {
    const target = smile(market.contract(slot).strike / USDC);
    assert.ok(Math.abs(market.sigma(slot) - target) < 0.01, `${market.contract(slot).strike / USDC}: ${market.sigma(slot)} ${target}`);
  }
});

test('given quotes far above or far below the default curve, the surface stays within 30 % of it', () => {
  const market = new Market();
  for (const [sigma, bound] of [[1.1, 0.78], [0.2, 0.42]] as const) {
    market.quote(() => sigma, market.near().slice(4, 9));
    market.tick(5 * SECOND);
    for (let i = 0; i < 120; i++) market.tick();
    for (const slot of market.calls) {
      assert.ok(market.sigma(slot) <= 0.78 + 1e-6 && market.sigma(slot) >= 0.42 - 1e-6, `${market.sigma(slot)}`);
    }
    // The surface follows the quotes until they are too far from theo to be accepted.
    assert.ok(bound > 0.6 ? market.sigma(market.near()[6]!) > 0.6 : market.sigma(market.near()[6]!) < 0.6);
  }
});

test('a strike that is listed only as a put has the same step and band', () => {
  const market = new Market();
  const strike = 250_000;
  market.venue(market.write.market(LIST_MARKET, 0, market.expiry, strike * USDC, PUT));
  market.giveNext();
  const put = market.slots((one) => one.strike === strike * USDC && one.expiry === market.expiry)[0]!;
  market.quote((price) => 0.6 + 0.9 * Math.log(price / SPOT));
  market.tick(5 * SECOND);
  let most = 0;
  for (let i = 0; i < 90; i++) most = Math.max(most, market.tick());
  assert.ok(most <= 0.5, `${most} vol points`);
  assert.ok(market.sigma(put) > 0.7 && market.sigma(put) <= 0.78 + 1e-6, `${market.sigma(put)}`);
});

test('when unquoted expiries take over a quoted smile, no strike moves by more than half a vol point a tick', () => {
  const market = new Market(2);
  const quoted = (strike: number): number => Math.min(0.78, 0.45 + 1.1 * Math.abs(Math.log(strike / SPOT)));
  market.quote(quoted, market.calls.filter((slot) => Math.abs(market.contract(slot).strike / USDC - SPOT) <= 7_500));
  market.tick(5 * SECOND);
  let most = 0;
  for (let i = 0; i < 90; i++) most = Math.max(most, market.tick());
  assert.ok(most <= 0.5, `${most} vol points`);
  const last = market.slots((one) => one.underlying === 'BTC' && one.strike === 30_000 * USDC).map((slot) => market.sigma(slot));
  assert.ok(Math.max(...last) > 0.62, `${last}: the unquoted expiries must take over the smile`);
});

test('an expiry between two that differ widely takes its first quotes by at most half a vol point a tick', () => {
  const random = new Random(7);
  let most = 0;
  let taken = 0;
  for (let run = 0; run < 8; run++) {
    const market = new Market(2 + run % 3);
    const options = market.slots((one) => one.kind === CALL && one.underlying === 'BTC');
    const around = [...new Set(options.map((slot) => market.contract(slot).expiry))].sort((a, b) => a - b);
    const at = around.indexOf(market.expiry);
    const give = (expiry: number): void => {
      const [atm, skew, curvature] = [random.between(450_000, 750_000), random.between(-400_000, 400_000), random.between(0, 4_000_000)];
      market.venue(market.write.surface(0, expiry, atm, skew, curvature, 0));
    };
    give(around[at - 1 - run % 2]!);
    give(around[at + 2]!);
    market.settle();
    for (let i = 0; i < 3; i++) market.tick();
    const level = market.sigma(market.near()[5]!);
    market.quote(() => level + 0.02);
    for (let i = 0; i < 12; i++) most = Math.max(most, market.tick());
    taken += Number(!isSurfaceStale(market.state.valuation, market.calls[0]!));
  }
  assert.ok(most <= 0.5, `${most} vol points`);
  assert.ok(taken > 2, `${taken} runs took their quotes`);
});

test('an accepted quote is input: its expiry is fresh, others are stale, and an event names the expiry that changed', () => {
  const market = new Market();
  market.quote(() => 0.62);
  market.tick(61 * SECOND);
  assert.equal(isSurfaceStale(market.state.valuation, market.calls[0]!), false);
  assert.equal(isSurfaceStale(market.state.valuation, market.atm), true);
  assert.deepEqual(market.emitted(SURFACE_CHANGED, SURFACE_EXPIRY), [market.expiry]);
  for (const order of market.orders()) market.cancel(Number(market.state.accounts.address[order.account * 5]) - 1, order.id);
  market.tick(61 * SECOND);
  assert.equal(isSurfaceStale(market.state.valuation, market.calls[0]!), true);
});

test('in the settlement window the surface still follows quotes, is fresh and moves by at most half a vol point a tick', () => {
  const market = new Market(0);
  const { valuation } = market.state;
  const atm = market.calls.filter((slot) => market.contract(slot).strike === SPOT * USDC);
  market.now = market.expiry - 32 * MINUTE;
  market.tick();
  let most = 0;
  // While averaging goes on, a price that rests for ten seconds ends up to three per cent too high.
  for (let left = 31 * MINUTE; left > 10 * MINUTE; left -= 10 * SECOND) {
    market.quote(() => (left > 15 * MINUTE ? 0.7 : 0.65), atm);
    for (let i = 0; i < 10; i++) most = Math.max(most, market.tick());
    assert.equal(isSurfaceStale(valuation, atm[0]!), false);
    if (left === 20 * MINUTE) assert.ok(Math.abs(market.sigma(atm[0]!) - 0.7) < 0.02, `${market.sigma(atm[0]!)}`);
  }
  assert.ok(most <= 0.5, `${most} vol points`);
  assert.ok(Math.abs(market.sigma(atm[0]!) - 0.65) < 0.03, `${market.sigma(atm[0]!)}`);
});

test('in the settlement window a quote that implies no volatility keeps the surface fresh and unchanged', () => {
  const market = new Market(0);
  const low = market.calls.filter((slot) => market.contract(slot).strike === 96_000 * USDC);
  market.now = market.expiry - 29 * MINUTE;
  market.tick();
  for (let i = 0; i < 30; i++) {
    // A quote above the price does imply a volatility, but inside the band that moves the price by less than a unit.
    market.quote(() => 0.6, low, i < 15 ? 1 : 1.005);
    market.tick(30 * SECOND);
    assert.equal(isSurfaceStale(market.state.valuation, low[0]!), false);
    assert.equal(market.sigma(low[0]!), 0.6);
  }
});

test('quotes move no surface that the operator or a feed has set, and none while the index is set by hand', () => {
  for (const given of ['operator', 'feed', 'manual'] as const) {
    const market = new Market();
    if (given === 'operator') market.venue(market.write.surface(0, 0, 600_000, 0, 0, FLAG_SURFACE_AGELESS));
    if (given === 'feed') market.venue(market.write.index(0, SPOT * USDC, 0, 600_000));
    market.quote(() => 0.66);
    market.tick(5 * SECOND, given === 'manual' ? FLAG_INDEX_AGELESS : 0);
    for (let i = 0; i < 5; i++) assert.equal(market.tick(SECOND, given === 'manual' ? FLAG_INDEX_AGELESS : 0), 0, given);
    if (given !== 'feed') continue;
    assert.equal(market.tick(50 * SECOND), 0, 'a minute after the feed’s last volatility');
    assert.ok(market.tick(1) > 0, 'more than a minute after the feed’s last volatility');
  }
});

test('a surface moves only on quotes of two market makers; a mark moves on quotes of any two wallets', () => {
  for (const tiers of [[DEFAULT_TIER, DEFAULT_TIER], [MARKET_MAKER, DEFAULT_TIER], [TIER2, MARKET_MAKER]]) {
    const market = new Market();
    tiers.forEach((tier, i) => market.makeMarketMaker(i + 1, tier));
    market.quote(() => 0.62);
    market.tick(5 * SECOND);
    for (let i = 0; i < 5; i++) assert.equal(market.tick(), 0);
    const near = market.near()[5]!;
    assert.ok(market.mark(near) > market.state.valuation.theo[near]!, 'the mark moves towards the quotes');
    market.tick(61 * SECOND);
    assert.equal(isSurfaceStale(market.state.valuation, near), true, 'the quotes are not input');
  }
  // At one price only the size of market makers counts.
  const market = new Market();
  market.makeMarketMaker(1, DEFAULT_TIER);
  market.quote(() => 0.62);
  const [small, large] = market.near();
  for (const [slot, size] of [[small!, 0.09], [large!, 0.1]] as const) {
    const best = Math.max(...market.orders(1).filter((order) => order.instrument === slot).map((order) => order.price));
    market.makeMarketMaker(3);
    assert.equal(market.place(3, BUY, best / USDC, size, { slot }), 0);
  }
  market.tick(5 * SECOND);
  assert.ok(market.tick() > 0);
  const first = market.orders(3).find((order) => order.instrument === large)!;
  market.cancel(3, first.id);
  market.tick();
  assert.equal(market.tick(), 0, 'the rest is below the minimum size');
});

test('quotes of one wallet alone do not move the surface', () => {
  const market = new Market();
  for (const slot of market.near()) {
    const price = market.mark(slot) / USDC;
    market.place(1, BUY, fiveFigures(price * 1.04 * USDC) / USDC, 1, { slot });
    market.place(1, SELL, fiveFigures(price * 1.06 * USDC) / USDC, 1, { slot });
  }
  market.tick(5 * SECOND);
  for (let i = 0; i < 5; i++) assert.equal(market.tick(), 0);
});

test('a replay of fitted quotes gives the same state hash', () => {
  const market = new Market();
  market.quote((strike) => 0.66 - 0.2 * Math.log(strike / SPOT));
  market.tick(5 * SECOND);
  for (let i = 0; i < 5; i++) market.tick();
  assert.equal(hashOf(market.replay(createState(market.state.limits))), market.hash());
});
