// Cached bodies of books against fresh ones: whatever happened between two reads and however much time went by, the answer equals a fresh
// one byte for byte.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { CALL, FLAG_SURFACE_AGELESS, PERP, PUT } from '../../../core/codec/commands.ts';
import { FILL, FILL_INSTRUMENT, FILL_PRICE, FILL_SIZE } from '../../../core/codec/events.ts';
import { SETTLED } from '../../../core/instruments/instruments.ts';
import { BUY, SELL } from '../../../core/units.ts';
import { BookCache } from '../../../shell/reader/market/book-cache.ts';
import { GreeksCache } from '../../../shell/reader/market/greeks-cache.ts';
import { orderbookBody } from '../../../shell/reader/market/orderbook.ts';
import { Statistics } from '../../../shell/reader/market/statistics.ts';
import { Names } from '../../../shell/reader/text.ts';
import { TestVenue } from '../../support/venue.ts';
import { EXPIRY } from './support.ts';

const USDC = 1e6;
const MINUTE = 60_000;
/** By underlying, as the venue opens. */
const SPOTS = [100_000, 3_000];
const DEPTHS = [1, 2, 20];

/** A venue whose trades are counted, and the bodies of some of its books. */
class Shelf {
  readonly venue = new TestVenue().open();
  readonly #statistics = new Statistics();
  readonly #names = new Names(this.venue.state);
  readonly #kept = new BookCache({
    state: this.venue.state, names: this.#names, greeksCache: new GreeksCache(this.venue.state), statistics: this.#statistics,
  });
  /** Two options of the first expiry to come and the two perps. */
  readonly slots = [
    ...this.venue.slots(({ underlying, expiry, strike, kind }) => (
      underlying === 'BTC' && expiry === EXPIRY && ((strike === 100_000e6 && kind === CALL) || (strike === 90_000e6 && kind === PUT))
    )),
    ...this.venue.slots(({ kind }) => kind === PERP),
  ];
  #nonce = 0;

  constructor() {
    assert.equal(this.slots.length, 4);
    this.venue.state.events.listener = (kind, slots) => {
      if (kind !== FILL) return;
      this.#statistics.add(this.#names.symbol(slots[FILL_INSTRUMENT]!), this.venue.now, slots[FILL_PRICE]!, slots[FILL_SIZE]!);
    };
  }

  place(which: number, wallet: number, side: number, price: number): void {
    const contract = this.venue.contract(this.slots[which]!);
    const level = contract.kind === PERP ? SPOTS[contract.underlying === 'BTC' ? 0 : 1]! : 1_000;
    // Prices have five significant figures.
    const step = level >= 100_000 ? 10 : 1;
    this.venue.send(this.venue.write.place({
      ...contract, wallet, nonce: ++this.#nonce, side, price: (level + price * step) * USDC, size: USDC,
    }));
  }

  cancel(wallet: number, id: number): void {
    this.venue.send(this.venue.write.cancel(wallet, ++this.#nonce, id));
  }

  check(time: number): void {
    const { state } = this.venue;
    for (const slot of this.slots) {
      for (const depth of DEPTHS) {
        const day = this.#statistics.of(this.#names.symbol(slot), time);
        const fresh = orderbookBody(state, this.#names, new GreeksCache(state), slot, depth, day, time);
        assert.equal(Buffer.from(this.#kept.body(slot, depth, time)).toString('utf8'), fresh);
      }
    }
  }
}

test('property: after any commands and any time, a cached body equals a fresh one', () => {
  const which = fc.nat({ max: 3 });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ which, wallet: fc.nat({ max: 3 }), side: fc.constantFrom(BUY, SELL), price: fc.nat({ max: 6 }) }) },
    { weight: 2, arbitrary: fc.record({ wallet: fc.nat({ max: 3 }), cancel: fc.integer({ min: 1, max: 30 }) }) },
    { weight: 2, arbitrary: fc.record({ underlying: fc.nat({ max: 1 }), index: fc.integer({ min: -50 * USDC, max: 50 * USDC }) }) },
    { weight: 1, arbitrary: fc.record({ surface: fc.integer({ min: 400_000, max: 800_000 }) }) },
    { weight: 2, arbitrary: fc.record({ advance: fc.constantFrom(1, 1_000, 20 * MINUTE, 11 * 60 * MINUTE) }) },
    { weight: 2, arbitrary: fc.record({ wait: fc.constantFrom(1, 7, 999, 31 * MINUTE, 25 * 60 * MINUTE) }) },
  );
  fc.assert(fc.property(fc.array(step, { minLength: 40, maxLength: 60, size: 'max' }), (steps) => {
    const shelf = new Shelf();
    const { venue } = shelf;
    for (const one of steps) {
      if ('which' in one) shelf.place(one.which, one.wallet + 1, one.side, one.price);
      else if ('cancel' in one) shelf.cancel(one.wallet + 1, one.cancel);
      else if ('index' in one) venue.venue(venue.write.index(one.underlying, SPOTS[one.underlying]! * USDC + one.index, 1));
      else if ('surface' in one) venue.venue(venue.write.surface(0, 0, one.surface, 0, 0, FLAG_SURFACE_AGELESS));
      else if ('advance' in one) venue.advance(one.advance);
      // Time goes by for who asks, and no command has come.
      shelf.check(venue.now + ('wait' in one ? one.wait : 0));
      shelf.check(venue.now);
    }
  }), { numRuns: 20 });
});

test('the half hour before an expiry, its end and the settlement show in the next answer', () => {
  const shelf = new Shelf();
  const { venue } = shelf;
  for (const side of [SELL, BUY]) shelf.place(0, side === SELL ? 1 : 2, side, 5);
  shelf.check(venue.now);
  venue.advance(EXPIRY - 29 * MINUTE - venue.now);
  venue.venue(venue.write.index(0, 101_000e6, 1));
  for (const ms of [1_000, 10 * MINUTE, 18 * MINUTE, 2 * MINUTE]) {
    shelf.check(venue.now + ms);
    venue.advance(ms);
    shelf.check(venue.now);
  }
});

test('whatever a body shows is in the next answer when that alone has changed', () => {
  const shelf = new Shelf();
  // Greeks of an option follow its mark in vintages; a perp has none.
  const { venue: { state, now }, slots: [slot = -1, , perp = -1] } = shelf;
  const { instruments, settlement, valuation } = state;
  const changes: (() => void)[] = [
    () => { instruments.openInterest[slot]! += USDC; },
    () => { valuation.index[0]! += USDC; },
    () => { valuation.mark[perp]! += USDC; },
    () => { valuation.theo[perp]! += USDC; },
    () => {
      valuation.sigma[slot]! += 1_000;
      valuation.vintage[0]!++;
    },
    () => { valuation.markIndex[0] = 0; },
    () => { instruments.expiry[slot] = now; },
    () => {
      instruments.strike[slot]! += 1_000 * USDC;
      instruments.id[slot]! += 1_000;
    },
    () => { instruments.status[slot] = SETTLED; },
    () => { settlement.price[slot] = USDC; },
  ];
  for (const change of changes) {
    shelf.check(now);
    change();
    shelf.check(now);
  }
});

test('a cached body is right for times with any number of digits', () => {
  const shelf = new Shelf();
  const times = [9, 10, 99_999_999_999, 100_000_000_000, 999_999_999_998, 999_999_999_999, 1e12, 1e12 + 1, 999_999_999_999];
  for (const time of times) shelf.check(time);
});
