// Groups: orders that wait for a trigger and share a link do not fire before the entry of the link has a fill, and end if it ends without
// one.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, IOC, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { FLAG_ENTRY, FLAG_REDUCE_ONLY } from '../../../core/codec/commands.ts';
import { ORDER_DONE, ORDER_ID, ORDER_REASON } from '../../../core/codec/events.ts';
import { createState } from '../../../core/engine/state.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { termsIn } from '../../support/raw.ts';
import { hashOf, TestVenue } from '../../support/venue.ts';
import { Desk, type Bytes } from './desk.ts';
import { check } from './support.ts';
import { checkIndex } from './trigger-scene.ts';

const LINK = 'tpsl-1';
type More = Parameters<Desk['item']>[3];

class Group extends Desk {
  entry(price: number, size: number, more: More = {}): Bytes {
    return this.item(BUY, price, size, { linkId: LINK, ...more, flags: FLAG_ENTRY | (more.flags ?? 0) });
  }

  /** A sale by the index: above 100,000 for profit, below it as a stop. */
  exit(trigger: number, size: number, more: More = {}): Bytes {
    return this.item(SELL, 50_000, size, {
      flags: FLAG_REDUCE_ONLY, tif: IOC, triggerBy: 1, triggerDirection: trigger >= 100_000 ? 1 : 2, triggerPrice: trigger * USDC,
      linkId: LINK, ...more,
    });
  }

  /** Wallet 1 buys, with a sale for profit that is due at once and a stop. Ids of the three. */
  bracket(price: number, size: number, more: More = {}): [number, number, number] {
    assert.equal(this.batch(1, [this.entry(price, size, more), this.exit(100_000, size), this.exit(80_000, size)]), C.OK);
    assert.deepEqual(this.codes(), [C.OK, C.OK, C.OK]);
    check(this.state);
    return this.answers().map(([, id]) => id!) as [number, number, number];
  }

  awaiting(): number[] {
    return this.orders(1).filter(({ slot }) => termsIn(this.state, slot).awaitsEntry).map(({ id }) => id);
  }

  ids(): number[] {
    return this.orders(1).map(({ id }) => id);
  }

  /** By the last command. */
  ends(): (readonly [number, number])[] {
    const reasons = this.emitted(ORDER_DONE, ORDER_REASON);
    return this.emitted(ORDER_DONE, ORDER_ID).map((id, i) => [id, reasons[i]!] as const);
  }
}

test('group: a trigger that is due does not fire before the entry has a fill, and then it does', () => {
  const desk = new Group();
  const [entry, profit, stop] = desk.bracket(99_000, 1);
  desk.index(100_500);
  assert.deepEqual([desk.fired(), desk.awaiting()], [[], [profit, stop]]);
  desk.sell(2, 99_000, 0.4, { slot: desk.perp });
  assert.deepEqual([desk.ids(), desk.awaiting()], [[entry, profit, stop], []]);
  desk.buy(3, 98_000, 1, { slot: desk.perp });
  desk.index(100_600);
  assert.deepEqual(desk.fired(), [profit]);
  assert.equal(desk.held(1, desk.perp), undefined, 'the position is closed');
  assert.deepEqual(desk.ids(), [], 'it met what was left of the entry, which self-trade prevention ended; the stop has nothing to reduce');
  check(desk.state);
});

test('group: an entry that is cancelled unfilled takes the orders along that await it', () => {
  const desk = new Group();
  const [entry, profit, stop] = desk.bracket(99_000, 1);
  assert.equal(desk.cancel(1, entry), C.OK);
  assert.deepEqual(desk.ends(), [[profit, C.DONE_NO_ENTRY], [stop, C.DONE_NO_ENTRY], [entry, C.DONE_CANCELLED]]);
  assert.deepEqual(desk.ids(), []);
  check(desk.state);
});

test('group: given an entry and what awaits it, when all orders are cancelled, then each of them counts', () => {
  const desk = new Group();
  desk.bracket(99_000, 1);
  assert.equal(desk.send(desk.write.cancelAll(1, desk.next())), C.OK);
  assert.deepEqual([desk.number(0), desk.ids()], [3, []]);
  check(desk.state);
});

test('group: an entry that is cancelled after a fill leaves them', () => {
  const desk = new Group();
  const [entry, profit, stop] = desk.bracket(99_000, 1);
  desk.sell(2, 99_000, 0.4, { slot: desk.perp });
  assert.equal(desk.cancel(1, entry), C.OK);
  assert.deepEqual(desk.ids(), [profit, stop]);
  check(desk.state);
});

test('group: an entry that is filled in part on arrival is none, and its orders watch their triggers', () => {
  const desk = new Group();
  desk.sell(2, 99_000, 0.4, { slot: desk.perp });
  const [entry] = desk.bracket(99_000, 1);
  assert.deepEqual(desk.awaiting(), []);
  assert.equal(desk.cancel(1, entry), C.OK);
  assert.equal(desk.ids().length, 2);
  check(desk.state);
});

const ENDINGS: Readonly<Record<string, { more?: More; end: (desk: Group, entry: number) => void }>> = {
  'expires': { more: { expiresAt: 0 }, end: (desk) => desk.advance(MINUTE) },
  'is cancelled with all orders': { end: (desk) => { desk.send(desk.write.cancelAll(1, desk.next())); desk.settle(); } },
  'meets the dead man’s switch': {
    end: (desk) => { desk.send(desk.write.cancelAfter(1, desk.next(), 5 * SECOND)); desk.advance(5 * SECOND); },
  },
  'meets an order of its wallet': { end: (desk) => desk.sell(1, 99_000, 0.1, { slot: desk.perp, tif: IOC }) },
  'is amended to nothing': { end: (desk, entry) => desk.amend(1, entry, 99_000, 0.000001) },
  'is replaced by a plain order': { end: (desk, entry) => desk.replace(1, entry, BUY, 98_000, 1, { slot: desk.perp }) },
};

for (const [name, { more = {}, end }] of Object.entries(ENDINGS)) {
  test(`group: nothing awaits an entry that ${name}`, () => {
    const desk = new Group();
    const terms = 'expiresAt' in more ? { expiresAt: desk.now + SECOND } : {};
    const [entry, ...exits] = desk.bracket(99_000, 1, terms);
    end(desk, entry);
    const isOpen = desk.ids().includes(entry);
    assert.deepEqual(desk.ids().filter((id) => exits.includes(id)), isOpen ? exits : []);
    assert.equal(isOpen, name === 'is amended to nothing');
    check(desk.state);
  });
}

test('group: an entry that waits itself has its orders await it until it fires and fills', () => {
  const trigger = { triggerBy: 1, triggerDirection: 1, triggerPrice: 101_000 * USDC };
  for (const isMet of [true, false]) {
    const desk = new Group();
    const [entry, profit, stop] = desk.bracket(101_000, 1, { ...trigger, tif: IOC });
    if (isMet) desk.sell(2, 101_000, 1, { slot: desk.perp });
    desk.index(101_000);
    assert.deepEqual(desk.fired()[0], entry);
    assert.deepEqual(desk.ids(), isMet ? [profit, stop] : [], 'an ioc that meets nobody ends unfilled');
    desk.index(101_001);
    assert.deepEqual(desk.fired(), isMet ? [profit] : []);
    check(desk.state);
  }
});

test('group: a replace within a batch keeps client id, link and place as entry', () => {
  const desk = new Group();
  const [old, profit, stop] = desk.bracket(99_000, 1, { clientId: 'mine' });
  assert.equal(desk.batch(1, [desk.replacement(old, BUY, 98_000, 2)]), C.OK);
  const entry = desk.answers()[0]![1]!;
  assert.deepEqual([desk.ids(), desk.awaiting()], [[profit, stop, entry], [profit, stop]]);
  assert.equal(desk.batch(1, [desk.removal('mine')]), C.OK);
  assert.deepEqual(desk.codes(), [C.OK]);
  assert.deepEqual(desk.ids(), []);
  check(desk.state);
});

test('group: an entry replaced within a batch by one that fills lets its orders watch, and by one that cannot rest ends them', () => {
  for (const isMet of [true, false]) {
    const desk = new Group();
    const [old, profit, stop] = desk.bracket(99_000, 1);
    if (isMet) desk.sell(2, 99_500, 0.5, { slot: desk.perp });
    assert.equal(desk.batch(1, [desk.replacement(old, BUY, 99_500, 1, { tif: IOC })]), C.OK);
    assert.deepEqual([desk.ids(), desk.awaiting()], [isMet ? [profit, stop] : [], []]);
    check(desk.state);
  }
});

test('group: an entry that nothing awaits may be replaced by an order that ends at once', () => {
  const desk = new Group();
  desk.batch(1, [desk.entry(99_000, 1)]);
  const id = desk.answers()[0]![1]!;
  assert.equal(desk.batch(1, [desk.replacement(id, BUY, 99_500, 1, { tif: IOC })]), C.OK);
  assert.deepEqual([desk.codes(), desk.ids()], [[C.OK], []]);
  check(desk.state);
});

test('group: a member replaced within a batch awaits the entry like the one before', () => {
  const desk = new Group();
  const [entry, profit, stop] = desk.bracket(99_000, 1);
  const fields = desk.replacement(stop, SELL, 50_000, 1, {
    flags: FLAG_REDUCE_ONLY, tif: IOC, triggerBy: 1, triggerDirection: 2, triggerPrice: 82_000 * USDC,
  });
  assert.equal(desk.batch(1, [fields]), C.OK);
  const id = desk.answers()[0]![1]!;
  assert.deepEqual(desk.awaiting(), [profit, id]);
  desk.cancel(1, entry);
  assert.deepEqual(desk.ids(), []);
  check(desk.state);
});

test('group: a position of before that closes ends no order that awaits its entry', () => {
  const desk = new Group();
  desk.trade(1, 2, 99_900, 0.5);
  const [, profit, stop] = desk.bracket(99_000, 1);
  desk.trade(1, 2, 99_900, -0.5);
  assert.deepEqual(desk.awaiting(), [profit, stop]);
  check(desk.state);
});

test('group: orders of the link in another contract, or that do not wait to reduce, do not await the entry', () => {
  const desk = new Group();
  const other = desk.slots(({ underlying, kind }) => underlying === 'ETH' && kind === 2)[0]!;
  assert.equal(desk.batch(1, [
    desk.entry(99_000, 1), desk.exit(80_000, 1, { slot: other }), desk.exit(80_000, 1, { flags: 0 }),
    desk.item(SELL, 120_000, 1, { linkId: LINK }),
  ]), C.OK);
  assert.deepEqual(desk.codes(), [C.OK, C.OK, C.OK, C.OK]);
  assert.deepEqual(desk.awaiting(), []);
  const [entry, ...others] = desk.ids();
  desk.cancel(1, entry!);
  assert.deepEqual(desk.ids(), others);
  check(desk.state);
});

const price = fc.integer({ min: 97, max: 103 });
const arbitraryStep = fc.oneof(
  fc.record({ kind: fc.constant('bracket' as const), price, isWaiting: fc.boolean() }),
  fc.record({ kind: fc.constant('trade' as const), side: fc.constantFrom(BUY, SELL), price, size: fc.integer({ min: 1, max: 15 }) }),
  fc.record({ kind: fc.constant('change' as const), how: fc.constantFrom('cancel', 'modify', 'amend'), price, at: fc.nat(9) }),
  fc.record({ kind: fc.constant('index' as const), price }),
);

test('group: in any flow nothing awaits an entry that is gone or filled, and a restored state goes on alike', () => {
  fc.assert(fc.property(fc.array(arbitraryStep, { minLength: 4, maxLength: 20 }), (steps) => {
    const desk = new Group();
    for (const [i, step] of steps.entries()) {
      const link = `tpsl-${i}`;
      const at = step.price * 1_000;
      const own = desk.orders(1);
      if (step.kind === 'bracket') {
        const waits = step.isWaiting ? { triggerBy: 1, triggerDirection: 1 + i % 2, triggerPrice: at * USDC } : {};
        const exits = [103_000, 98_000].map((exit) => desk.exit(exit, 1, { linkId: link }));
        desk.batch(1, [desk.entry(at, 1, { linkId: link, ...waits }), ...exits]);
      } else if (step.kind === 'index') desk.index(at);
      else if (step.kind === 'trade') {
        desk.place(2, step.side, at, step.size / 10, { slot: desk.perp });
      } else if (own.length > 0) {
        const { id, side, size } = own[step.at % own.length]!;
        if (step.how === 'cancel') desk.cancel(1, id);
        else if (step.how === 'amend') desk.amend(1, id, at, size / CONTRACT);
        else desk.batch(1, [desk.replacement(id, side, at, size / CONTRACT)]);
      }
      check(desk.state);
      checkIndex(desk.state);
    }
    const loaded = createState(desk.state.limits);
    restoreState(loaded, copyOf(desk.state));
    const other = new TestVenue({ state: loaded });
    other.now = desk.now;
    const ids = desk.ids();
    for (const venue of [desk, other]) {
      for (const id of ids) venue.send(venue.write.cancel(1, id + 100_000, id));
      venue.settle();
    }
    assert.equal(hashOf(loaded), hashOf(desk.state));
    assert.equal(hashOf(desk.replay()), hashOf(desk.state));
  }), { numRuns: 40, seed: 20_261_128 });
});
