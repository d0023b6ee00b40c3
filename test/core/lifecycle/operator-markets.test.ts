// Markets that the operator lists and deletes (decision 5.5): listing beside the calendar, deletion without open interest, cancels
// in steps and results for their orders (3.5), rows freed at expiry, and never two rows for one contract.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { DAY, HOUR, IOC, MINUTE, USDC } from '../../../core/units.ts';
import { CALL, DELETE_MARKET, LIST_MARKET, PERP, PUT } from '../../../core/codec/commands.ts';
import {
  INSTRUMENT, INSTRUMENT_DELETED, INSTRUMENT_EXPIRED, INSTRUMENT_LISTED, ORDER_DONE, ORDER_REASON,
} from '../../../core/codec/events.ts';
import { listedExpiries, MAX_LISTED_EXPIRIES } from '../../../core/instruments/calendar.ts';
import { EXPIRED_PENDING_PRICE, findInstrument } from '../../../core/instruments/instruments.ts';
import { createState } from '../../../core/engine/state.ts';
import { MOST_DAYS_AHEAD, SMALL } from '../../../core/limits.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { findRow } from '../../../core/valuation/surface.ts';
import { audit } from '../../sim/auditor.ts';
import type { Contract } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import { hashOf, TestVenue, WIDE, type VenueOptions } from '../../support/venue.ts';

const ACTIVE = 1;
const DELETED = 4;

class Venue extends Scene {
  constructor(options: VenueOptions = { limits: WIDE }) {
    super(options);
  }

  market(kind: number, { underlying, expiry, strike, kind: type }: Contract): number {
    this.venue(this.write.market(kind, ['BTC', 'ETH'].indexOf(underlying) >>> 0, expiry, strike, type));
    return this.state.result.code;
  }

  /** Lists the market and runs all work that is due. */
  list(contract: Contract): number {
    const code = this.market(LIST_MARKET, contract);
    this.settle();
    return code;
  }

  remove(contract: Contract): number {
    return this.market(DELETE_MARKET, contract);
  }

  slotOf({ underlying, expiry, strike, kind }: Contract): number {
    return findInstrument(this.state.instruments, ['BTC', 'ETH'].indexOf(underlying), expiry, strike, kind);
  }

  statusOf(contract: Contract): number {
    return this.state.instruments.status[this.slotOf(contract)]!;
  }
}

/** An expiry outside the venue's calendar and a strike off its grid. */
function odd(venue: Venue): Contract {
  return { underlying: 'BTC', expiry: Math.floor(venue.now / DAY) * DAY + 5 * DAY + 8 * HOUR, strike: 98_765 * USDC, kind: PUT };
}

test('a market that the operator lists has a mark at once and can be traded', () => {
  const venue = new Venue();
  const contract = odd(venue);
  assert.equal(venue.slotOf(contract), -1);
  assert.equal(venue.list(contract), C.OK);
  const slot = venue.slotOf(contract);
  assert.equal(venue.statusOf(contract), ACTIVE);
  assert.ok(venue.mark(slot) > 0);
  assert.equal(venue.list(contract), C.MARKET_EXISTS);
  assert.equal(venue.sell(1, 1_000, 1, { slot }), C.OK);
  assert.equal(venue.buy(2, 1_000, 1, { slot }), C.OK);
  venue.venue(venue.write.index(0, 101_000 * USDC, 1));
  venue.settle();
  assert.ok(venue.mark(slot) > 0);
  audit(venue.state);
});

test('if the operator lists a market twice before the first listing is done, it is listed once', () => {
  const venue = new Venue();
  const contract = odd(venue);
  const listed: number[] = [];
  venue.state.events.listener = (kind, slots) => { if (kind === INSTRUMENT_LISTED) listed.push(slots[INSTRUMENT]!); };
  assert.deepEqual([venue.market(LIST_MARKET, contract), venue.market(LIST_MARKET, contract)], [C.OK, C.OK]);
  venue.settle();
  assert.deepEqual(listed, [venue.slotOf(contract)]);
});

test('listing an invalid expiry, strike, kind or underlying is refused, and so is deleting an unlisted market', () => {
  const venue = new Venue();
  const good = odd(venue);
  const wrong: Partial<Contract>[] = [
    { expiry: good.expiry + 1 }, { expiry: good.expiry - 6 * DAY }, { expiry: good.expiry + 4_000 * DAY }, { expiry: NaN },
    { strike: 0 }, { strike: 1.5 }, { strike: 1e15 + 1 }, { strike: NaN }, { kind: PERP, expiry: 0, strike: 0 }, { kind: 7 },
  ];
  for (const change of wrong) assert.equal(venue.list({ ...good, ...change }), C.INVALID_MARKET, JSON.stringify(change));
  const last = good.expiry + (MOST_DAYS_AHEAD - 5) * DAY;
  assert.deepEqual([last + DAY, last].map((expiry) => venue.list({ ...good, expiry })), [C.INVALID_MARKET, C.OK]);
  assert.equal(venue.list({ ...good, underlying: 'SOL' }), C.UNKNOWN_UNDERLYING);
  assert.equal(venue.remove({ ...good }), C.MARKET_NOT_LISTED);
  assert.equal(venue.remove({ ...good, kind: PERP, expiry: 0, strike: 0 }), C.MARKET_NOT_LISTED, 'a perp stays with its underlying');
});

test('listing is refused with ENGINE_BUSY if no row or no place for an expiry is free', () => {
  const venue = new Venue({ limits: SMALL });
  for (let strike = 1; venue.list({ ...odd(venue), strike: strike * USDC }) === C.OK; strike++) assert.ok(strike < 1_024);
  assert.equal(venue.state.result.code, C.ENGINE_BUSY);
  const wide = new Venue();
  let days = 4;
  while (wide.list({ ...odd(wide), expiry: odd(wide).expiry + ++days * 7 * DAY + DAY }) === C.OK) assert.ok(days < 40);
  assert.equal(wide.state.result.code, C.ENGINE_BUSY, 'places are reserved for expiries of the calendar');
  assert.equal(wide.list(odd(wide)), C.ENGINE_BUSY);
  assert.equal(wide.list({ ...wide.contract(wide.atm), strike: 98_765 * USDC }), C.OK, 'a listed expiry needs no new place');
});

/** The calendar's expiries without a row in the surface of BTC. */
function rowless({ state, now }: TestVenue): number[] {
  const asked = new Float64Array(MAX_LISTED_EXPIRIES);
  return [...asked.subarray(0, listedExpiries(now, asked))].filter((expiry) => findRow(state.valuation.surface, 0, expiry) < 0);
}

test('expiries that the operator lists before the first price leave room for every expiry of the calendar', () => {
  const venue = new TestVenue({ limits: WIDE });
  const far = (i: number): number => Date.UTC(2027, 0, 4 + 7 * i, 8);
  for (let i = 0; i < 20; i++) {
    venue.venue(venue.write.market(LIST_MARKET, 0, far(i), 98_765 * USDC, CALL));
    assert.equal(venue.state.result.code, C.OK, 'nothing is listed yet');
  }
  venue.open();
  assert.deepEqual(rowless(venue), []);
  const listed = venue.slots(({ expiry }) => expiry >= far(0)).map((slot) => venue.contract(slot).expiry);
  assert.deepEqual(listed, Array.from({ length: MAX_LISTED_EXPIRIES }, (_, i) => far(i)), 'as many as the calendar has, no more');
});

test('each day every expiry of the calendar has a surface row, however many expiries the operator lists', () => {
  const venue = new Venue();
  let far = Date.UTC(2028, 0, 3, 8);
  for (let day = 0; day < 20; day++) {
    while (venue.list({ ...odd(venue), expiry: far }) === C.OK) far += DAY;
    assert.equal(venue.state.result.code, C.ENGINE_BUSY);
    // Marks begin before an expiry and take effect after it, so the expired row still exists when the next expiry is listed.
    venue.now = Math.ceil(venue.now / DAY) * DAY + 8 * HOUR - 1;
    venue.venue(venue.write.index(0, 100_000 * USDC, 1));
    runDue(venue.sequencer, venue.now);
    venue.now += 2;
    venue.settle();
    assert.deepEqual(rowless(venue), [], `day ${day}`);
  }
});

test('if the operator has listed only the call or only the put of a strike, the venue’s rule lists only the other one', () => {
  const venue = new Venue();
  const above = Math.max(...venue.slots(({ underlying }) => underlying === 'BTC').map((slot) => venue.contract(slot).strike));
  const { expiry } = venue.contract(venue.atm);
  const strikes = venue.slots((one) => one.expiry === expiry && one.underlying === 'BTC' && one.kind === CALL)
    .map((slot) => venue.contract(slot).strike).sort((a, b) => a - b);
  const step = strikes.at(-1)! - strikes.at(-2)!;
  const contracts = [PUT, CALL].map((kind, i): Contract => ({ underlying: 'BTC', expiry, strike: strikes.at(-1)! + (i + 1) * step, kind }));
  for (const contract of contracts) assert.equal(venue.list(contract), C.OK);
  venue.now += MINUTE;
  venue.venue(venue.write.index(0, Math.round(above * 0.9), 1));
  venue.settle();
  for (const { strike } of contracts) {
    for (const kind of [PUT, CALL]) {
      const rows = venue.slots((one) => one.underlying === 'BTC' && one.expiry === expiry && one.strike === strike && one.kind === kind);
      assert.equal(rows.length, 1, `${strike / USDC} ${kind}`);
    }
  }
});

test('where the operator has listed all the calls, the venue’s rule still lists the puts', () => {
  const [ruled, venue] = [new Venue(), new Venue()];
  const calls = venue.slots(({ underlying, kind }) => underlying === 'BTC' && kind === CALL);
  const expiries = new Set(calls.map((slot) => venue.contract(slot).expiry));
  for (const expiry of expiries) {
    const strikes = calls.map((slot) => venue.contract(slot)).filter((one) => one.expiry === expiry).map(({ strike }) => strike)
      .sort((a, b) => a - b);
    const [last, step] = [strikes.at(-1)!, strikes.at(-1)! - strikes.at(-2)!];
    for (let i = 1; i <= 4; i++) assert.equal(venue.list({ underlying: 'BTC', expiry, strike: last + i * step, kind: CALL }), C.OK);
  }
  for (const one of [ruled, venue]) {
    one.now += MINUTE;
    one.venue(one.write.index(0, 101_000 * USDC, 1));
    one.settle();
  }
  const wanted = ruled.slots(() => true).map((slot) => ruled.contract(slot));
  assert.ok(wanted.length > new Venue().slots(() => true).length, 'the rule must list more markets');
  for (const contract of wanted) assert.ok(venue.slotOf(contract) >= 0, JSON.stringify(contract));
});

test('delete: refused with open interest; else new orders get NOT_LISTED and cancels of old orders NO_ORDERBOOK', () => {
  const venue = new Venue();
  const contract = venue.contract(venue.atm);
  venue.sell(1, 1_000, 1, { clientId: 'mine' });
  venue.buy(2, 1_000, 0.4);
  assert.equal(venue.remove(contract), C.OPEN_INTEREST);
  venue.sell(2, 900, 0.4);
  venue.buy(1, 900, 0.4, { tif: IOC });
  assert.equal(venue.remove(contract), C.OK);
  assert.deepEqual(venue.emitted(INSTRUMENT_DELETED, INSTRUMENT), [venue.atm]);
  assert.equal(venue.number(0), venue.state.instruments.id[venue.atm]);
  assert.equal(venue.buy(3, 1_000, 1), C.NOT_LISTED);
  assert.equal(venue.remove(contract), C.MARKET_NOT_LISTED);
  assert.equal(venue.list(contract), C.ENGINE_BUSY, 'its orders must be cancelled first');
  const again = new Venue();
  again.sell(1, 1_000, 1, { clientId: 'mine' });
  again.remove(again.contract(again.atm));
  assert.equal(again.cancel(1, 1), C.NO_ORDERBOOK);
  assert.ok(again.state.result.hasImage);
  assert.equal(again.send(again.write.cancelByClientId(1, again.next(), 'mine')), C.NO_ORDERBOOK);
  const replacing = again.write.replace({ ...again.contract(again.atm), wallet: 1, nonce: again.next(), side: 1, price: USDC, size: 1 }, 1);
  assert.equal(again.send(replacing), C.NO_ORDERBOOK);
  assert.equal(again.cancel(2, 1), C.ORDER_NOT_FOUND, 'an order of another wallet');
  again.settle();
  assert.equal(again.cancel(1, 1), C.NOT_OPEN);
});

test('delete: open orders are cancelled in steps of at most 128, with the reason DONE_MARKET_DELETED', () => {
  const venue = new Venue();
  for (let wallet = 0; wallet < 3; wallet++) {
    for (let i = 0; i < 60; i++) assert.equal(venue.place(wallet, i % 2, i % 2 === 0 ? 100 + i : 5_000 + i, 0.001), C.OK);
  }
  venue.remove(venue.contract(venue.atm));
  assert.equal(venue.orders().length, 180);
  const gone: number[] = [];
  while (venue.orders().length > 0) {
    venue.events = [];
    assert.ok(runDue(venue.sequencer, venue.now));
    gone.push(venue.emitted(ORDER_DONE, ORDER_REASON).filter((reason) => reason === C.DONE_MARKET_DELETED).length);
  }
  assert.deepEqual(gone.filter((count) => count > 0), [128, 52]);
  audit(venue.state);
});

test('delete: the venue’s rule does not list the market again; the operator may, and it keeps its id', () => {
  const venue = new Venue();
  const contract = venue.contract(venue.atm);
  const id = venue.state.instruments.id[venue.atm];
  venue.remove(contract);
  venue.now += 2 * MINUTE;
  venue.venue(venue.write.index(0, 100_500 * USDC, 1));
  venue.settle();
  assert.equal(venue.statusOf(contract), DELETED);
  assert.equal(venue.list(contract), C.OK);
  assert.deepEqual([venue.slotOf(contract), venue.state.instruments.id[venue.atm]], [venue.atm, id]);
  assert.equal(venue.sell(1, 1_000, 1), C.OK);
  assert.equal(venue.buy(2, 1_000, 1), C.OK);
  venue.venue(venue.write.index(0, 101_000 * USDC, 1));
  venue.settle();
  audit(venue.state);
});

test('delete: refused for an expired contract with positions that waits for its settlement price', () => {
  const venue = new Venue();
  const contract = venue.contract(venue.atm);
  venue.sell(1, 1_000, 1);
  venue.buy(2, 1_000, 1);
  venue.venue(venue.write.index(0, 100_000 * USDC));
  venue.advance(contract.expiry - venue.now + MINUTE);
  assert.equal(venue.statusOf(contract), EXPIRED_PENDING_PRICE);
  assert.equal(venue.remove(contract), C.OPEN_INTEREST);
});

test('delete: at expiry the row of a deleted market is freed without a price, also if nothing else expires then', () => {
  const venue = new Venue();
  const contract = odd(venue);
  venue.list(contract);
  const slot = venue.slotOf(contract);
  venue.remove(contract);
  venue.settle();
  const expired: number[] = [];
  const listener = venue.state.events.listener!;
  venue.state.events.listener = (kind, slots) => {
    listener(kind, slots);
    if (kind === INSTRUMENT_EXPIRED || kind === INSTRUMENT_LISTED) expired.push(slots[INSTRUMENT]!);
  };
  // In one leap, so that the calendar lists nothing for that day.
  const alike = venue.slots((one) => one.expiry === contract.expiry);
  assert.deepEqual(alike, [slot]);
  venue.advance(contract.expiry - venue.now + MINUTE);
  assert.ok(!expired.includes(slot));
  assert.equal(venue.statusOf(contract), 3);
});

test('given a snapshot during a listing and a deletion, a restored core ends in the same state', () => {
  const venue = new Venue();
  venue.sell(1, 1_000, 1);
  venue.market(LIST_MARKET, odd(venue));
  venue.remove(venue.contract(venue.atm));
  const loaded = createState(venue.state.limits);
  restoreState(loaded, copyOf(venue.state));
  assert.equal(hashOf(loaded), hashOf(venue.state));
  const other = new TestVenue({ state: loaded });
  other.now = venue.now;
  other.settle();
  venue.settle();
  assert.equal(venue.statusOf(odd(venue)), ACTIVE);
  assert.equal(venue.hash(), other.hash());
});
