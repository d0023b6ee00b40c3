// Extended orders (extensions 1): post-only, expiry, late requests, self-trade prevention, links. What they refuse, what they move, and
// that nothing else changes.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, GTC, IOC, SELL, USDC } from '../../../core/units.ts';
import { FLAG_REDUCE_ONLY, POST_ONLY_REJECT, POST_ONLY_SLIDE, STP_CANCEL_BOTH, STP_CANCEL_TAKER } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER, FILL_MAKER_ORDER, FILL_SIZE, FILL_TAKER, ORDER_DONE, ORDER_ID, ORDER_REASON,
  ORDER_SHRUNK } from '../../../core/codec/events.ts';
import { EXPIRED_ORDERS_A_TICK, LINKED_ORDERS, SMALL } from '../../../core/limits.ts';
import { createState, rebuildState, stateSections } from '../../../core/engine/state.ts';
import { hashSections } from '../../../core/snapshot/hash.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { QuoteDesk } from './quotes.ts';
import { check, TradingScene, image } from './support.ts';

const REJECT = { postOnly: POST_ONLY_REJECT };
const SLIDE = { postOnly: POST_ONLY_SLIDE };

/** Id of the order that the last command placed. */
function placed(scene: TradingScene, code: number): number {
  assert.equal(code, C.OK);
  return scene.number(0);
}

function left(scene: TradingScene, id: number): number | undefined {
  const order = scene.orders().find((one) => one.id === id);
  return order === undefined ? undefined : order.remaining / CONTRACT;
}

/** The next command that is due. */
function tick(scene: TradingScene): boolean {
  scene.events = [];
  return runDue(scene.sequencer, scene.now);
}

/** Orders that ended in the last command, with their reasons. */
function ended(scene: TradingScene): [number, number][] {
  const ids = scene.emitted(ORDER_DONE, ORDER_ID);
  return scene.emitted(ORDER_DONE, ORDER_REASON).map((reason, at) => [ids[at]!, reason]);
}

test('a post-only order that would trade is refused last of all, and nothing moves', () => {
  const scene = new TradingScene();
  scene.sell(2, 100, 1);
  scene.buy(1, 1, 1);
  const before = image(scene.state);
  assert.equal(scene.buy(1, 100, 1, REJECT), C.WOULD_TAKE);
  assert.equal(image(scene.state), before);
  assert.equal(scene.buy(1, 99_999, 900, REJECT), C.INSUFFICIENT_MARGIN, 'margin is judged before');
  assert.equal(scene.buy(1, 99, 1, REJECT), C.OK);
  assert.deepEqual([scene.number(1), scene.number(2)], [0, CONTRACT]);
  check(scene.state);
});

test('a post-only order counts its own wallet’s orders as liquidity', () => {
  const scene = new TradingScene();
  const own = placed(scene, scene.sell(1, 100, 1));
  assert.equal(scene.buy(1, 100, 1, REJECT), C.WOULD_TAKE);
  assert.equal(scene.buy(1, 105, 1, SLIDE), C.OK);
  assert.deepEqual([left(scene, own), scene.number(2)], [1, 99.999 * USDC], 'the own order stays, the bid slides behind it');
  check(scene.state);
});

test('a sliding order rests one step of the grid behind the best opposite order and tells the price', () => {
  const scene = new TradingScene();
  scene.sell(2, 100, 1);
  scene.buy(3, 50, 1);
  assert.equal(scene.buy(1, 120, 1, SLIDE), C.OK);
  assert.deepEqual([scene.number(1), scene.number(2), scene.number(3)], [0, 99.999 * USDC, 0]);
  assert.equal(scene.sell(4, 1, 1, SLIDE), C.OK);
  assert.equal(scene.number(2), 100 * USDC, 'one step above the bid that slid before');
  assert.equal(scene.buy(1, 60, 1, SLIDE), C.OK);
  assert.equal(scene.number(2), 60 * USDC, 'an order that meets nothing keeps its price');
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), []);
  check(scene.state);
});

test('a slide past the lowest price or the largest amount is refused like a post-only order', () => {
  const scene = new TradingScene();
  assert.equal(scene.sell(2, 0.000001, 1), C.OK);
  assert.equal(scene.buy(1, 1, 1, SLIDE), C.WOULD_TAKE);
  const other = new TradingScene();
  assert.equal(other.buy(2, 9_000_000, 1), C.OK);
  assert.equal(other.sell(1, 9_000_000, 1_000, SLIDE), C.WOULD_TAKE, 'one step up, the amount is above 9e9 USDC');
});

test('a sliding order is judged at the price it slides to', () => {
  const scene = new TradingScene();
  const dear = 900_000;
  assert.equal(scene.buy(1, dear, 100), C.INSUFFICIENT_MARGIN);
  scene.sell(2, 1, 1);
  assert.equal(scene.buy(1, dear, 100, SLIDE), C.OK);
  assert.equal(scene.number(2), 0.99999 * USDC);
});

test('a replaced order is not in the way of its post-only replacement', () => {
  const scene = new TradingScene();
  const old = placed(scene, scene.sell(1, 100, 1));
  assert.equal(scene.replace(1, old, BUY, 100, 1, REJECT), C.OK);
  const again = scene.number(0);
  assert.equal(scene.replace(1, again, SELL, 100, 1, SLIDE), C.OK);
  assert.equal(scene.number(2), 100 * USDC);
  check(scene.state);
});

test('orders that have ended are not in the way of a post-only order, which removes them', () => {
  const scene = new TradingScene();
  const expiring = placed(scene, scene.sell(2, 100, 1, { expiresAt: scene.now + 1_000 }));
  scene.now += 1_000;
  assert.equal(scene.buy(1, 100, 1, REJECT), C.OK);
  assert.deepEqual(ended(scene), [[expiring, C.DONE_ORDER_EXPIRED]]);
  check(scene.state);
});

test('a post-only order that is refused has removed the ended orders before the one that it met, and those alone', () => {
  for (const act of ['place', 'replace', 'amend', 'quote'] as const) {
    const desk = new QuoteDesk();
    const expires = { expiresAt: desk.now + 5 };
    const before = [[2, 100], [1, 100], [2, 101]].map(([wallet, price]) => placed(desk, desk.sell(wallet!, price!, 1, expires)));
    const met = placed(desk, desk.sell(2, 102, 1));
    const behind = placed(desk, desk.sell(2, 102, 1, expires));
    const old = placed(desk, desk.buy(1, 90, 1, REJECT));
    desk.now += 5;
    if (act === 'place') assert.equal(desk.buy(1, 102, 1, REJECT), C.WOULD_TAKE);
    else if (act === 'replace') assert.equal(desk.replace(1, old, BUY, 102, 1, REJECT), C.WOULD_TAKE);
    else if (act === 'amend') assert.equal(desk.amend(1, old, 102, 1), C.WOULD_TAKE);
    else {
      assert.equal(desk.quote(1, [{ bid: [1, 102] }]), C.OK);
      assert.deepEqual(desk.statuses(), [`REJECTED ${C.WOULD_TAKE}`]);
    }
    assert.deepEqual(ended(desk), before.map((id) => [id, C.DONE_ORDER_EXPIRED]), act);
    assert.deepEqual(desk.orders().map(({ id }) => id).sort((a, b) => a - b), [met, behind, old], act);
    check(desk.state);
  }
});

test('a post-only replace looks behind the order that it replaces for ended orders too', () => {
  const scene = new TradingScene();
  const old = placed(scene, scene.sell(1, 100, 1));
  const expiring = placed(scene, scene.sell(2, 100, 1, { expiresAt: scene.now + 5 }));
  const met = placed(scene, scene.sell(2, 101, 1));
  scene.now += 5;
  assert.equal(scene.replace(1, old, BUY, 101, 1, REJECT), C.WOULD_TAKE);
  assert.deepEqual(ended(scene), [[expiring, C.DONE_ORDER_EXPIRED]]);
  assert.equal(scene.replace(1, old, BUY, 101, 1, SLIDE), C.OK);
  assert.equal(scene.number(2), 100.99 * USDC);
  assert.equal(left(scene, met), 1);
  check(scene.state);
});

test('a request at or after its valid_until, then an order at or after its expires_at, is refused before anything else', () => {
  const scene = new TradingScene();
  const { now } = scene;
  assert.equal(scene.buy(1, 100, 1, { validUntil: now, expiresAt: now }), C.TOO_LATE);
  assert.equal(scene.buy(1, 100, 1, { validUntil: now + 1, expiresAt: now }), C.ORDER_EXPIRED);
  assert.equal(scene.buy(1, 100, 1, { expiry: now, validUntil: now }), C.TOO_LATE, 'before the expiry of the instrument');
  assert.equal(scene.buy(1, 100, 1, { expiry: now, validUntil: now + 1 }), C.EXPIRED);
  assert.equal(scene.buy(1, 100, 1, { validUntil: now + 1, expiresAt: now + 1 }), C.OK);
  const old = scene.number(0);
  assert.equal(scene.replace(1, old, BUY, 100, 1, { validUntil: now }), C.TOO_LATE);
  assert.equal(left(scene, old), 1, 'a replacement that came too late leaves the old order');
});

test('an order past its time gives nothing before its tick, whoever meets it, and its client id is free', () => {
  for (const act of ['take', 'fok', 'cancel', 'cancelByClientId', 'replace', 'name'] as const) {
    const scene = new TradingScene();
    const id = placed(scene, scene.sell(2, 100, 1, { expiresAt: scene.now + 10, clientId: 'x' }));
    const other = placed(scene, scene.sell(3, 100, 1));
    scene.now += 10;
    if (act === 'take') assert.equal(scene.buy(1, 100, 1, { tif: IOC }), C.OK);
    if (act === 'fok') assert.deepEqual([scene.buy(1, 100, 2, { tif: FOK }), scene.number(1)], [C.OK, 0]);
    if (act === 'cancel') assert.deepEqual([scene.cancel(2, id), scene.number(0)], [C.NOT_OPEN, id]);
    if (act === 'cancelByClientId') assert.equal(scene.send(scene.write.cancelByClientId(2, scene.next(), 'x')), C.NOT_OPEN);
    if (act === 'replace') assert.equal(scene.replace(2, id, SELL, 101, 1), C.NOT_OPEN);
    if (act === 'name') assert.equal(scene.sell(2, 101, 1, { clientId: 'x' }), C.OK);
    assert.equal(scene.emitted(FILL, FILL_MAKER_ORDER).includes(id), false);
    if (act !== 'fok') assert.deepEqual(ended(scene).filter(([one]) => one === id), [[id, C.DONE_ORDER_EXPIRED]], act);
    assert.equal(left(scene, other), act === 'take' ? undefined : 1);
    check(scene.state);
  }
});

test('a tick ends orders by time, then by id, so many a tick, and is due when the next one is', () => {
  const scene = new TradingScene();
  const times = Array.from({ length: EXPIRED_ORDERS_A_TICK + 10 }, (_, i) => scene.now + 1_000 + (i * 7) % 5);
  const ids = times.map((expiresAt) => placed(scene, scene.sell(1 + expiresAt % 3, 100, 1, { expiresAt })));
  const sorted = ids.toSorted((a, b) => times[ids.indexOf(a)]! - times[ids.indexOf(b)]! || a - b);
  scene.now += 2_000;
  tick(scene);
  const steps: number[][] = [];
  do {
    const ids = ended(scene).filter(([, reason]) => reason === C.DONE_ORDER_EXPIRED).map(([id]) => id);
    if (ids.length > 0) steps.push(ids);
  } while (tick(scene));
  assert.deepEqual(steps, [sorted.slice(0, EXPIRED_ORDERS_A_TICK), sorted.slice(EXPIRED_ORDERS_A_TICK)]);
  check(scene.state);
});

test('self-trade prevention ends the resting order, the arriving one, or both', () => {
  for (const [stp, wantsMaker, reason] of [
    [0, false, C.DONE_IOC_REST], [STP_CANCEL_TAKER, true, C.DONE_SELF_TRADE], [STP_CANCEL_BOTH, false, C.DONE_SELF_TRADE],
  ] as const) {
    const scene = new TradingScene();
    scene.sell(2, 99, 1);
    const own = placed(scene, scene.sell(1, 100, 1));
    const behind = placed(scene, scene.sell(1, 101, 1));
    const id = placed(scene, scene.buy(1, 100, 5, { stp, tif: stp === 0 ? IOC : GTC }));
    assert.equal(scene.number(1), CONTRACT, 'what came before the own order filled');
    assert.equal(left(scene, own), wantsMaker ? 1 : undefined);
    assert.equal(left(scene, behind), 1);
    assert.deepEqual(ended(scene).at(-1), [id, reason]);
    check(scene.state);
  }
});

test('a fill-or-kill order that would stop at an own order is killed and cancels nothing', () => {
  for (const stp of [STP_CANCEL_TAKER, STP_CANCEL_BOTH]) {
    const scene = new TradingScene();
    scene.sell(2, 100, 1);
    const own = placed(scene, scene.sell(1, 100, 1));
    const other = placed(scene, scene.sell(2, 100, 1));
    const id = placed(scene, scene.buy(1, 100, 2, { stp, tif: FOK }));
    assert.deepEqual([scene.number(1), ended(scene)], [0, [[id, C.DONE_FOK_KILLED]]]);
    assert.deepEqual([left(scene, own), left(scene, other)], [1, 1]);
    assert.equal(scene.buy(1, 100, 1, { stp, tif: FOK }), C.OK);
    assert.equal(scene.number(1), CONTRACT, 'one that is filled before fills');
    check(scene.state);
  }
});

test('a fill of one order of a link is taken off each other in place, and an order that is left with nothing ends', () => {
  const scene = new TradingScene();
  const target = placed(scene, scene.sell(1, 110, 5, { linkId: 'pair' }));
  const small = placed(scene, scene.sell(1, 112, 1, { linkId: 'pair' }));
  const plain = placed(scene, scene.sell(1, 110, 5));
  const elsewhere = placed(scene, scene.buy(1, 90, 5, { linkId: 'pair' }));
  const foreign = placed(scene, scene.sell(2, 115, 5, { linkId: 'pair' }));
  const otherContract = placed(scene, scene.sell(1, 99_000, 5, { linkId: 'pair', slot: scene.perp }));
  scene.buy(3, 110, 0.000001, { tif: IOC });
  assert.deepEqual([target, small, elsewhere].map((id) => left(scene, id)), [4.999999, 0.999999, 4.999999], 'dust takes dust');
  scene.buy(3, 110, 2, { tif: IOC });
  assert.deepEqual([target, small, plain, elsewhere, foreign, otherContract].map((id) => left(scene, id)), [
    2.999999, undefined, 5, 2.999999, 5, 5,
  ]);
  assert.deepEqual(ended(scene).filter(([id]) => id === small), [[small, C.DONE_LINKED]]);
  assert.deepEqual(scene.emitted(ORDER_SHRUNK, ORDER_ID), [elsewhere]);
  scene.cancel(1, target);
  assert.equal(left(scene, elsewhere), 2.999999, 'a cancel of one leaves the others');
  check(scene.state);
});

test('what an arriving order of a link is filled is taken off its resting ones, whatever its time in force', () => {
  for (const tif of [GTC, IOC, FOK]) {
    const scene = new TradingScene();
    const resting = placed(scene, scene.sell(1, 110, 5, { linkId: 'x' }));
    scene.buy(2, 100, 2);
    scene.sell(1, 100, 2, { linkId: 'x', tif });
    assert.equal(left(scene, resting), 3);
    check(scene.state);
  }
});

test('a link has at most so many resting orders a contract; ended ones and the replaced one do not count', () => {
  const scene = new TradingScene();
  const ids = Array.from({ length: LINKED_ORDERS }, (_, i) => (
    placed(scene, scene.sell(1, 110 + i, 1, { linkId: 'x', ...(i === 0 ? { expiresAt: scene.now + 5 } : {}) }))
  ));
  assert.equal(scene.sell(1, 120, 1, { linkId: 'x' }), C.TOO_MANY_LINKED);
  assert.equal(scene.sell(1, 120, 1, { linkId: 'x', tif: IOC }), C.OK, 'what cannot rest is not counted');
  assert.equal(scene.sell(1, 120, 1, { linkId: 'X' }), C.OK);
  assert.equal(scene.sell(2, 120, 1, { linkId: 'x' }), C.OK);
  assert.equal(scene.replace(1, ids[3]!, SELL, 121, 1, { linkId: 'x' }), C.OK);
  scene.now += 5;
  assert.equal(scene.sell(1, 120, 1, { linkId: 'x' }), C.OK);
  assert.deepEqual(ended(scene), [[ids[0]!, C.DONE_ORDER_EXPIRED]]);
  check(scene.state);
});

test('a fill-or-kill order does not stop at an own order of its link that its earlier fills would have ended', () => {
  for (const [size, rest] of [[1, undefined], [2, 2]] as const) {
    const scene = new TradingScene();
    scene.sell(2, 100, 1);
    const own = placed(scene, scene.sell(1, 101, size, { linkId: 'x' }));
    scene.sell(2, 102, 1);
    assert.equal(scene.buy(1, 102, 2, { stp: STP_CANCEL_TAKER, tif: FOK, linkId: 'x' }), C.OK);
    assert.equal(scene.number(1) / CONTRACT, rest === undefined ? 2 : 0);
    assert.equal(left(scene, own), rest);
    check(scene.state);
  }
});

test('a cancel of all ends an order past its time as expired and does not count it', () => {
  const scene = new TradingScene();
  const expiring = placed(scene, scene.buy(1, 100, 1, { expiresAt: scene.now + 5 }));
  const plain = placed(scene, scene.buy(1, 99, 1));
  scene.now += 5;
  assert.equal(scene.send(scene.write.cancelAll(1, scene.next(), {})), C.OK);
  assert.equal(scene.number(0), 1);
  assert.deepEqual(ended(scene), [[expiring, C.DONE_ORDER_EXPIRED], [plain, C.DONE_CANCELLED]]);
  check(scene.state);
});

test('a fill-or-kill order counts of linked makers what it would get', () => {
  for (const [size, filled] of [[5, 5], [6, 0]] as const) {
    const scene = new TradingScene();
    scene.sell(1, 100, 5, { linkId: 'x' });
    scene.sell(1, 101, 3, { linkId: 'x' });
    scene.sell(1, 102, 4, { linkId: 'x' });
    assert.equal(scene.buy(2, 102, size, { tif: FOK }), C.OK);
    assert.equal(scene.number(1) / CONTRACT, filled);
    check(scene.state);
  }
});

test('a reduce-only order of a link is cut by link and by position', () => {
  const scene = new TradingScene();
  scene.trade(1, 2, 90_000, 4);
  const more = { slot: scene.perp, linkId: 'x', flags: FLAG_REDUCE_ONLY };
  const target = placed(scene, scene.sell(1, 95_000, 4, more));
  const nearer = placed(scene, scene.sell(1, 94_000, 3, more));
  scene.buy(3, 94_000, 2, { slot: scene.perp, tif: IOC });
  assert.deepEqual([left(scene, target), left(scene, nearer)], [2, 1]);
  scene.buy(3, 94_000, 1, { slot: scene.perp, tif: IOC });
  assert.deepEqual([left(scene, target), left(scene, nearer)], [1, undefined]);
  check(scene.state);
});

type Act = {
  wallet: number; side: number; price: number; size: number; tif: number; stp: number; postOnly: number; link: number; life: number;
  wait: number; what: number;
};

const act: fc.Arbitrary<Act> = fc.record({
  wallet: fc.integer({ min: 1, max: 3 }), side: fc.nat(1), price: fc.integer({ min: 95, max: 105 }), size: fc.integer({ min: 1, max: 6 }),
  tif: fc.nat(2), stp: fc.nat(2), postOnly: fc.nat(2), link: fc.nat(3), life: fc.nat(6), wait: fc.nat(2), what: fc.nat(5),
});

/** Runs the acts; `look` sees the venue before and after each. */
function run(acts: readonly Act[], look: (scene: TradingScene, before: Map<number, number>) => void): TradingScene {
  const scene = new TradingScene();
  for (const { wallet, side, price, size, tif, stp, postOnly, link, life, wait, what } of acts) {
    scene.now += wait;
    const before = new Map(scene.orders().map((one) => [one.id, one.remaining]));
    const more = {
      tif: postOnly === 0 ? tif : GTC, stp, postOnly, ...(link === 0 ? {} : { linkId: `l${link}` }),
      ...(life === 0 ? {} : { expiresAt: scene.now + life }),
    };
    const own = scene.orders(wallet);
    if (what === 0 && own.length > 0) scene.replace(wallet, own[size % own.length]!.id, side, price, size, more);
    else if (what === 1) tick(scene);
    else scene.place(wallet, side, price, size, more);
    look(scene, before);
  }
  return scene;
}

test('in any flow of extended orders no wallet trades with itself, nothing expired fills, and the books are sound', () => {
  fc.assert(fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
    const expiry = new Map<number, number>();
    const scene = run(acts, (venue) => {
      for (const order of venue.orders()) expiry.set(order.id, venue.state.orders.extended.expiresAt[order.slot]!);
      venue.emitted(FILL, FILL_MAKER).forEach((maker, at) => assert.notEqual(maker, venue.emitted(FILL, FILL_TAKER)[at]));
      for (const id of venue.emitted(FILL, FILL_MAKER_ORDER)) {
        const at = expiry.get(id) ?? 0;
        assert.ok(at === 0 || at > venue.now, 'an expired order filled');
      }
      check(venue.state);
    });
    const fresh = createState(SMALL);
    const from = stateSections(scene.state);
    stateSections(fresh).forEach((section, i) => section.column.set(from[i]!.column.subarray(0, from[i]!.used())));
    rebuildState(fresh);
    assert.deepEqual(hashSections(stateSections(fresh)), hashSections(from));
  }), { numRuns: 60 });
});

test('in any flow no fill takes more off another order than its own size', () => {
  fc.assert(fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
    run(acts, (scene, before) => {
      const traded = scene.emitted(FILL, FILL_SIZE).reduce((sum, size) => sum + size, 0);
      const gone = new Set(scene.emitted(ORDER_DONE, ORDER_ID));
      for (const order of scene.orders()) {
        const was = before.get(order.id);
        if (was !== undefined && !gone.has(order.id)) assert.ok(was - order.remaining <= traded);
      }
      ended(scene).forEach(([id, reason]) => { if (reason === C.DONE_LINKED) assert.ok(before.get(id)! <= traded); });
    });
  }), { numRuns: 60 });
});
