// Listing, marks, stale indexes and expiry as time passes: bounded steps between client commands, and no ticks while nobody
// has a position or an order.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { DAY, HOUR, SECOND, USDC } from '../../../core/units.ts';
import { CALL, FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, PUT } from '../../../core/codec/commands.ts';
import { INSTRUMENT_EXPIRED, INSTRUMENT_LISTED, MARKS_MOVED, ORDER_DONE, ORDER_REASON } from '../../../core/codec/events.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { strikeGrid } from '../../../core/instruments/strikes.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { instrumentTotal } from '../../support/raw.ts';
import { Scene } from '../../support/scene.ts';
import { FREE, hashOf, TestVenue, WIDE } from '../../support/venue.ts';
import { Random } from '../../sim/random.ts';
import { audit } from '../../sim/auditor.ts';

test('listing: contracts are added at most 64 a step, with a put and a call at each strike and none twice', () => {
  const venue = new TestVenue();
  venue.venue(venue.write.index(0, 100_000 * USDC, 1));
  assert.equal(instrumentTotal(venue.state), 2, 'the perps: the index only asks for the options');
  let steps = 0;
  for (let before = 2; runDue(venue.sequencer, venue.now); steps++) {
    const added = instrumentTotal(venue.state) - before;
    assert.ok(added <= 64, `${added} in one step`);
    before += added;
  }
  assert.ok(steps > 5);
  const names = venue.slots(() => true).map((slot) => JSON.stringify(venue.contract(slot)));
  assert.equal(new Set(names).size, names.length);
  for (const slot of venue.slots((one) => one.kind === CALL)) {
    const { strike, expiry } = venue.contract(slot);
    assert.equal(venue.slots((one) => one.kind === PUT && one.strike === strike && one.expiry === expiry).length, 1);
    if (strike <= 100_000 * USDC) assert.ok(venue.mark(slot) > 0, 'a mark from the start');
  }
});

test('listing: it stops when the table of instruments is full; when spot moves, strikes are added and none is removed', () => {
  const venue = new TestVenue({ limits: checked({ ...SMALL, instruments: 300 }) }).open();
  assert.equal(instrumentTotal(venue.state), 298, 'two rows stay reserved for the perps of two more underlyings');
  venue.advance(DAY);
  const wide = new TestVenue({ limits: WIDE }).open();
  const before = instrumentTotal(wide.state);
  wide.now += 61 * SECOND;
  wide.venue(wide.write.index(0, 150_000 * USDC, 1));
  wide.settle();
  assert.ok(instrumentTotal(wide.state) > before);
  assert.equal(wide.slots((one) => one.strike < 70_000 * USDC && one.underlying === 'BTC').length > 0, true, 'none is removed');
});

test('listing: after an index move the strikes are checked again a minute after the last check, even if nobody holds anything', () => {
  const venue = new TestVenue({ limits: WIDE }).open();
  const highest = (): number => {
    const calls = venue.slots((one) => one.kind === CALL && one.underlying === 'BTC');
    const first = Math.min(...calls.map((slot) => venue.contract(slot).expiry));
    return Math.max(...calls.map((slot) => venue.contract(slot)).filter((one) => one.expiry === first).map((one) => one.strike));
  };
  assert.ok(highest() <= 135_000 * USDC);
  venue.advance(10 * SECOND);
  venue.venue(venue.write.index(0, 135_000 * USDC, FLAG_INDEX_AGELESS));
  venue.settle();
  const due = nextDue(venue.state);
  assert.ok(due <= venue.now + 50 * SECOND, 'the check is due although nobody holds anything and no other price arrives');
  venue.advance(50 * SECOND);
  assert.ok(highest() > 180_000 * USDC, `dailies end at ${highest() / USDC}`);
  assert.ok(nextDue(venue.state) >= venue.now + HOUR, 'an index that does not move causes no further check');
  assert.equal(hashOf(venue.replay()), venue.hash());
});

test('listing: a minute after the last index move, the strikes of each expiry cover the range that a new expiry would have', () => {
  const grid = { step: 0, low: 0, high: 0 };
  for (let seed = 1; seed <= 8; seed++) {
    const random = new Random(seed);
    const venue = new TestVenue({ limits: checked({ ...SMALL, instruments: 16_384, holdings: 16_384, levelPages: 16_384 }) }).open();
    let price = 100_000;
    for (let move = 0; move < 6; move++) {
      venue.advance(Math.floor(random.fraction() * 90) * SECOND);
      price = Math.round(price * (0.85 + random.fraction() * 0.35));
      venue.venue(venue.write.index(0, price * USDC, FLAG_INDEX_AGELESS));
      venue.settle();
    }
    venue.advance(60 * SECOND);
    const strikes = new Map<number, number[]>();
    for (const slot of venue.slots((one) => one.underlying === 'BTC' && one.kind === CALL)) {
      const { expiry, strike } = venue.contract(slot);
      strikes.set(expiry, [...strikes.get(expiry) ?? [], strike]);
    }
    assert.ok(strikes.size >= 6);
    for (const [expiry, listed] of strikes) {
      const { steps } = venue.state.schedule;
      const held = steps[steps.indexOf(expiry) + 1]!;
      strikeGrid(price * USDC, (expiry - venue.now) / DAY, held, grid);
      assert.ok(Math.min(...listed) <= grid.low && Math.max(...listed) >= grid.high, `seed ${seed}: ${price} in ${listed}`);
    }
  }
});

test('marks: they change with an index update and once a second while anyone has a holding, never within an order', () => {
  const scene = new Scene();
  const marks = (): number[] => [...scene.state.valuation.mark.subarray(0, instrumentTotal(scene.state))];
  const first = marks();
  scene.advance(HOUR);
  assert.deepEqual(marks(), first, 'nobody holds anything: no tick');
  scene.now += 400;
  scene.sell(1, 1_000, 1);
  scene.buy(2, 1_000, 1);
  assert.deepEqual(marks(), first);
  scene.advance(SECOND);
  const second = marks();
  assert.notDeepEqual(second, first, 'time value decays');
  const seq = scene.seq();
  scene.advance(SECOND - 1);
  assert.deepEqual(marks(), second);
  assert.equal(scene.seq(), seq, 'nothing is journaled in between');
  scene.advance(1);
  assert.notDeepEqual(marks(), second);
  scene.venue(scene.write.index(0, 101_000 * USDC, 1));
  scene.settle();
  assert.equal(scene.emitted(MARKS_MOVED, 1).length, 1, 'one underlying only');
});

test('idle: without holdings the next tick is due at the next expiry, with a holding after one second', () => {
  const scene = new Scene();
  const { expiry } = scene.contract(scene.atm);
  assert.equal(nextDue(scene.state), expiry);
  scene.sell(1, 1_000, 1);
  assert.equal(nextDue(scene.state), scene.now + SECOND);
  scene.cancel(1, 1);
  assert.equal(nextDue(scene.state), expiry);
  assert.equal(nextDue(new TestVenue().state), Infinity);
});

test('stale index: an index is stale more than 10 s after its update or when flagged stale, never when flagged ageless', () => {
  const scene = new Scene();
  const index = (flags: number, price = 100_000): void => scene.venue(scene.write.index(0, price * USDC, flags));
  scene.advance(HOUR);
  assert.equal(scene.sell(1, 5_000, 1), C.OK, 'ageless');
  index(0);
  scene.advance(10 * SECOND);
  assert.equal(scene.sell(1, 5_000, 1), C.OK, 'ten seconds are not too old');
  scene.advance(1);
  assert.equal(scene.sell(1, 5_000, 1), C.NO_SPOT_PRICE);
  assert.equal(scene.sell(1, 500, 1, { slot: scene.nearest(CALL, 'ETH') }), C.OK, 'another underlying');
  index(0);
  assert.equal(scene.sell(1, 5_000, 1), C.OK);
  index(FLAG_INDEX_STALE, 0);
  assert.equal(scene.sell(1, 5_000, 1), C.NO_SPOT_PRICE, 'declared');
  assert.equal(scene.state.valuation.index[0], 100_000 * USDC, 'a price of 0 leaves the price');
  index(FLAG_INDEX_AGELESS);
  scene.advance(HOUR);
  assert.equal(scene.sell(1, 5_000, 1), C.OK);
});

test('expiry: new orders are refused at once, open ones are cancelled at most 128 a step, positions wait for the price', () => {
  const scene = new Scene({ rules: FREE });
  const { expiry } = scene.contract(scene.atm);
  const other = scene.slots((one) => one.expiry > expiry)[0]!;
  scene.venue(scene.write.index(0, 100_000 * USDC));
  for (let i = 0; i < 300; i++) scene.sell(i % 5, 3_000 + i, 0.01);
  for (let i = 0; i < 40; i++) scene.buy(5 + i % 5, 10 + i, 0.01);
  scene.sell(1, 3_000, 0.02);
  scene.buy(9, 3_000, 0.02);
  assert.equal(scene.buy(7, 10, 1, { slot: other }), C.OK);
  const open = scene.orders().length;
  scene.now = expiry - 1;
  scene.venue(scene.write.index(0, 100_000 * USDC));
  assert.equal(scene.buy(8, 10, 0.01), C.OK);
  scene.now = expiry;
  assert.equal(scene.buy(8, 4_000, 0.01), C.EXPIRED, 'before any work is done');
  assert.equal(scene.state.instruments.status[scene.atm], 1);
  assert.equal(scene.cancel(5, scene.orders(5)[0]!.id), C.OK, 'its orders can still be cancelled');
  let most = 0;
  for (let turn = 0; scene.state.instruments.status[scene.atm] === 1; turn++) {
    scene.events = [];
    assert.ok(runDue(scene.sequencer, scene.now));
    const gone = scene.emitted(ORDER_DONE, ORDER_REASON);
    assert.ok(gone.every((reason) => reason === C.DONE_EXPIRED));
    most = Math.max(most, gone.length);
    if (turn % 2 === 0) assert.equal(scene.buy(8, 10, 0.01, { slot: other }), C.OK, 'clients go on in between');
    assert.equal(scene.sell(8, 10, 0.01), C.EXPIRED);
    audit(scene.state);
  }
  assert.ok(open > 300 && most === 128, `${most} cancels a step`);
  scene.settle();
  assert.equal(scene.sell(8, 10, 0.01), C.EXPIRED, 'and after');
  assert.deepEqual(scene.orders().filter((order) => scene.contract(order.instrument).expiry === expiry), []);
  const expired = scene.slots((one) => one.expiry === expiry && one.underlying === 'BTC');
  assert.ok(expired.every((slot) => scene.state.instruments.status[slot] === 2));
  assert.equal(scene.held(9)!.position, 20_000, 'positions wait');
  const before = scene.mark(scene.atm);
  scene.advance(SECOND);
  assert.equal(scene.mark(scene.atm), before, 'an expired contract keeps its last mark');
});

test('expiry: when the clock jumps five days, each contract expires once and the next three daily expiries are listed', () => {
  const scene = new Scene({ limits: checked({ ...SMALL, instruments: 8_192, holdings: 8_192 }) });
  const expired = new Map<number, number>();
  scene.state.events.listener = (kind, slots) => {
    if (kind === INSTRUMENT_EXPIRED) expired.set(slots[1]!, (expired.get(slots[1]!) ?? 0) + 1);
    if (kind === INSTRUMENT_LISTED) assert.ok(slots[4]! > scene.now);
  };
  scene.advance(5 * DAY);
  scene.venue(scene.write.index(0, 100_000 * USDC, 1));
  scene.settle();
  assert.ok(expired.size > 0 && [...expired.values()].every((count) => count === 1));
  const expiredSlots = scene.slots((one) => one.expiry > 0 && one.expiry <= scene.now);
  for (const slot of expiredSlots) assert.equal(scene.state.instruments.status[slot], 3, 'an index that does not age gives every price');
  const next = Math.floor(scene.now / DAY) * DAY + 8 * HOUR;
  for (const day of [0, 1, 2]) assert.ok(scene.slots((one) => one.expiry === next + day * DAY).length > 0);
});

test('expiry: the next contracts are listed even if nobody holds anything and the index does not move', () => {
  const scene = new Scene({ limits: checked({ ...SMALL, instruments: 8_192, holdings: 8_192 }) });
  for (let day = 0; day < 5; day++) scene.advance(DAY);
  const next = Math.floor(scene.now / DAY) * DAY + 8 * HOUR;
  for (const ahead of [0, 1, 2]) {
    for (const underlying of ['BTC', 'ETH']) {
      const listed = scene.slots((one) => one.expiry === next + ahead * DAY && one.underlying === underlying);
      assert.ok(listed.length > 0, `${underlying} ${ahead}`);
    }
  }
  const seq = scene.seq();
  scene.advance(HOUR);
  assert.equal(scene.seq(), seq, 'between expiries the venue is silent');
});
