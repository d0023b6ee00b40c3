// Batches: each item does what a command of its own would do, in the order of the message, and fails alone; one nonce, one command.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, DAY, GTC, IOC, SELL, USDC } from '../../../core/units.ts';
import { BYTE_BODY, FLAG_ENTRY, FLAG_REDUCE_ONLY, PLACE_ORDER, POST_ONLY_REJECT } from '../../../core/codec/commands.ts';
import { ITEM_PAID } from '../../../core/codec/batch-items.ts';
import { BATCH_ITEM, BOOK_CHANGED, ITEM_PLACE, NONCE_TAKEN, ORDER_DONE, ORDER_ID, ORDER_REASON, REFUSED, REFUSED_CODE,
  REFUSED_KIND } from '../../../core/codec/events.ts';
import { HEADER_BYTES, viewsOf } from '../../../core/codec/record.ts';
import { CANCELS } from '../../../core/codec/signed-commands.ts';
import { BATCH_ITEMS, TRIGGERS_A_WALLET } from '../../../core/limits.ts';
import { DEFAULT_LIMITS, UNLIMITED } from '../../../core/tiers.ts';
import { copyOfRecord, writeBatch } from '../../support/batch.ts';
import { Desk, type Bytes } from './desk.ts';
import { check } from './support.ts';

const CLOID = `0x${'ab'.repeat(16)}`;

test('batch: orders of one batch rest in its order, under one nonce, and each book has one message', () => {
  const desk = new Desk();
  const nonce = desk.next();
  assert.equal(desk.batch(1, [desk.item(BUY, 99_000, 1), desk.item(BUY, 98_000, 2, { clientId: CLOID })], { nonce }), C.OK);
  assert.deepEqual(desk.answers(), [[C.OK, 1, 0, CONTRACT, 0, 0], [C.OK, 2, 0, 2 * CONTRACT, 0, 0]]);
  assert.deepEqual(desk.emitted(BATCH_ITEM, ITEM_PLACE), [0, 1]);
  assert.deepEqual([desk.emitted(NONCE_TAKEN, 1).length, desk.emitted(BOOK_CHANGED, 1).length], [1, 1]);
  assert.deepEqual([...desk.state.result.numbers], [2, 0, 0, 0]);
  assert.equal(desk.batch(1, [desk.item(BUY, 97_000, 1)], { nonce }), C.NONCE_USED, 'the nonce of the batch is used');
  assert.equal(desk.orders(1).length, 2);
  check(desk.state);
});

test('batch: a fill tells what was paid, over all makers, and nothing of an earlier item', () => {
  const desk = new Desk();
  desk.sell(2, 100_000, 0.5, { slot: desk.perp });
  desk.sell(2, 101_000, 0.5, { slot: desk.perp });
  assert.equal(desk.batch(1, [desk.item(BUY, 101_000, 1, { tif: IOC }), desk.item(BUY, 90_000, 1)]), C.OK);
  const [taken, rested] = desk.answers();
  assert.equal(taken![ITEM_PAID], 100_500 * USDC);
  assert.deepEqual([taken![2], taken![4]], [CONTRACT, C.DONE_FILLED]);
  assert.deepEqual([rested![3], rested![ITEM_PAID]], [CONTRACT, 0]);
  check(desk.state);
});

test('batch: an item that is refused fails alone and has the event of a refused command', () => {
  const desk = new Desk();
  const dear = desk.item(BUY, 100_000, 1_000_000);
  const wrong = copyOfRecord(desk.write.place({
    ...desk.contract(desk.perp), wallet: 0, nonce: 0, side: BUY, price: 1, size: 1, code: C.PRICE_FIGURES,
  }));
  assert.equal(desk.batch(1, [desk.item(BUY, 99_000, 1), dear, wrong, desk.removal(77), desk.item(BUY, 98_000, 1)]), C.OK);
  const codes = desk.codes();
  assert.deepEqual([codes[0], codes[2], codes[3], codes[4]], [C.OK, C.PRICE_FIGURES, C.ORDER_NOT_FOUND, C.OK]);
  assert.notEqual(codes[1], C.OK);
  assert.deepEqual(desk.emitted(REFUSED, REFUSED_CODE), [codes[1], C.ORDER_NOT_FOUND], 'a failed value check has no event');
  assert.equal(desk.emitted(REFUSED, REFUSED_KIND)[0], PLACE_ORDER);
  assert.deepEqual([...desk.state.result.numbers], [5, 3, 0, 0]);
  assert.equal(desk.orders(1).length, 2);
  check(desk.state);
});

test('batch: an order placed by one item is found, replaced and cancelled by later ones', () => {
  const desk = new Desk();
  const place = desk.item(BUY, 99_000, 1, { clientId: CLOID });
  assert.equal(desk.batch(1, [place, desk.replacement(0, BUY, 98_000, 1, { clientId: CLOID }), desk.removal(CLOID)]), C.OK);
  assert.deepEqual(desk.codes(), [C.OK, C.OK, C.OK]);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_REPLACED, C.DONE_CANCELLED]);
  assert.deepEqual(desk.emitted(ORDER_DONE, ORDER_ID), [1, 2]);
  assert.deepEqual(desk.orders(1), []);
  check(desk.state);
});

test('batch: a replace by client id without such an open order is not open, and one of a stranger is not found', () => {
  const desk = new Desk();
  desk.buy(2, 90_000, 1, { slot: desk.perp, clientId: CLOID });
  const [stranger] = desk.orders(2);
  assert.equal(desk.batch(1, [
    desk.replacement(0, BUY, 98_000, 1, { clientId: CLOID }), desk.replacement(0, BUY, 98_000, 1),
    desk.replacement(stranger!.id, BUY, 1, 1), desk.removal(stranger!.id),
  ]), C.OK);
  assert.deepEqual(desk.codes(), [C.NOT_OPEN, C.NOT_OPEN, C.ORDER_NOT_FOUND, C.ORDER_NOT_FOUND]);
  assert.equal(desk.orders(2).length, 1);
  check(desk.state);
});

test('batch: a late batch is refused whole and keeps its nonce; from its time on it is late', () => {
  const desk = new Desk();
  const nonce = desk.next();
  assert.equal(desk.batch(1, [desk.item(BUY, 99_000, 1)], { nonce, until: desk.now }), C.TOO_LATE);
  assert.deepEqual([desk.emitted(BATCH_ITEM, 1), desk.orders(1)], [[], []]);
  assert.equal(desk.batch(1, [desk.item(BUY, 99_000, 1)], { nonce, until: desk.now + 1 }), C.OK);
  check(desk.state);
});

test('batch: an empty batch uses its nonce and nothing else', () => {
  const desk = new Desk();
  const nonce = desk.next();
  assert.equal(desk.batch(1, [], { nonce }), C.OK);
  assert.deepEqual([desk.state.result.answered, [...desk.state.result.numbers]], [0, [0, 0, 0, 0]]);
  assert.equal(desk.batch(1, [], { nonce }), C.NONCE_USED);
});

test('batch: the cap on open orders counts what earlier items placed', () => {
  const { openOrders } = DEFAULT_LIMITS[0]!;
  assert.notEqual(openOrders, UNLIMITED);
  const desk = new Desk();
  const tiny = (i: number) => desk.item(BUY, 1_000 + i, 0.0001);
  for (let sent = 0; sent < openOrders; sent += BATCH_ITEMS) {
    const count = Math.min(BATCH_ITEMS, openOrders - sent);
    desk.now += 60_000;
    assert.equal(desk.batch(1, Array.from({ length: count }, (_, i) => tiny(sent + i))), C.OK);
    assert.ok(desk.codes().every((code) => code === C.OK));
  }
  assert.equal(desk.batch(1, [tiny(1), desk.item(SELL, 200_000, 0.0001, { tif: IOC }), desk.removal(1), tiny(1), tiny(2)]), C.OK);
  assert.deepEqual(desk.codes(), [C.MAX_OPEN_ORDERS, C.OK, C.OK, C.OK, C.MAX_OPEN_ORDERS]);
  assert.equal(desk.answers()[0]![1], openOrders, 'the answer tells the cap');
  check(desk.state);
});

test('batch: the cap on orders that wait for a trigger holds within a batch', () => {
  const desk = new Desk();
  const most = TRIGGERS_A_WALLET[0]!;
  const trigger = { triggerBy: 1, triggerDirection: 1, triggerPrice: 120_000 * USDC };
  const items = Array.from({ length: most + 1 }, (_, i) => desk.item(BUY, 1_000 + i, 0.0001, trigger));
  assert.equal(desk.batch(1, items), C.OK);
  assert.deepEqual(desk.codes(), [...new Array<number>(most).fill(C.OK), C.TOO_MANY_TRIGGERS]);
  check(desk.state);
});

test('batch: an agent may send one, a stranger may not', () => {
  const desk = new Desk();
  desk.buy(1, 90_000, 0.01, { slot: desk.perp });
  assert.equal(desk.send(desk.write.agent('approve', 1, desk.next(), 7)), C.OK);
  assert.equal(desk.batch(1, [desk.item(BUY, 99_000, 1)], { signer: 7 }), C.OK);
  assert.equal(desk.batch(1, [desk.item(BUY, 99_000, 1)], { signer: 8 }), C.UNAUTHORIZED);
});

test('batch: a scheduled cancel names its time, which lies 5 s to a day ahead; 0 takes it back', () => {
  const desk = new Desk();
  const schedule = (at: number): number[] => {
    assert.equal(desk.batch(1, [copyOfRecord(desk.write.cancelAfter(0, 0, at))], { rate: CANCELS }), C.OK);
    return [...desk.codes(), desk.state.safety.cancelAt[desk.account(1)]!];
  };
  const { now } = desk;
  assert.deepEqual(schedule(now + 5_000), [C.OK, now + 5_000]);
  assert.deepEqual(schedule(now + 4_999), [C.INVALID_SCHEDULE, now + 5_000]);
  assert.deepEqual(schedule(now + DAY), [C.OK, now + DAY]);
  assert.deepEqual(schedule(now + DAY + 1), [C.INVALID_SCHEDULE, now + DAY]);
  assert.deepEqual(schedule(0), [C.OK, 0]);
});

test('batch: each item takes from the rate budget of the class that the batch names, and an empty one takes one', () => {
  const desk = new Desk({ rules: { rated: true } });
  const { orders, cancels } = DEFAULT_LIMITS[0]!;
  const { admission } = desk;
  desk.batch(1, [desk.item(BUY, 1_000, 0.0001)]);
  assert.equal(admission.left, orders - 1);
  desk.batch(1, [desk.item(BUY, 1_001, 0.0001), desk.item(BUY, 1_002, 0.0001), desk.removal(1)]);
  assert.equal(admission.left, orders - 4);
  desk.batch(1, [desk.removal(2), desk.removal(3)], { rate: CANCELS });
  assert.equal(admission.left, cancels - 2);
  desk.batch(1, [], { rate: CANCELS });
  assert.equal(admission.left, cancels - 3);
});

test('batch: the linked orders of a group are refused if its entry is refused or ends unfilled, and wait if it rests or fills', () => {
  const desk = new Desk();
  desk.sell(2, 100_000, 1, { slot: desk.perp });
  const stop = desk.item(SELL, 90_000, 1, {
    flags: FLAG_REDUCE_ONLY, triggerBy: 3, triggerDirection: 2, triggerPrice: 95_000 * USDC, linkId: 'tpsl-1',
  });
  const codesAfter = (price: number, size: number, tif: number): number[] => {
    const entry = desk.item(BUY, price, size, { tif, flags: FLAG_ENTRY });
    assert.equal(desk.batch(1, [entry, stop, desk.item(BUY, 80_000, 0.1)]), C.OK);
    return desk.codes();
  };
  const [refused, ...others] = codesAfter(100_000, 1_000_000, GTC);
  assert.notEqual(refused, C.OK);
  assert.deepEqual(others, [C.NO_ENTRY, C.OK], 'an order without a link is placed all the same');
  assert.deepEqual(codesAfter(99_000, 1, IOC), [C.OK, C.NO_ENTRY, C.OK], 'an ioc that met nobody');
  assert.deepEqual(codesAfter(99_000, 1, GTC), [C.OK, C.OK, C.OK]);
  assert.deepEqual(codesAfter(100_000, 1, IOC), [C.OK, C.OK, C.OK]);
  assert.ok(desk.orders(1).every(({ flags }) => (flags & FLAG_ENTRY) === 0));
  check(desk.state);
});

test('batch: with little disk space orders are refused whole, cancels pass', () => {
  const desk = new Desk();
  desk.batch(1, [desk.item(BUY, 1_000, 0.0001)]);
  desk.admission.diskLow = true;
  assert.equal(desk.batch(1, [desk.item(BUY, 1_001, 0.0001)]), C.DISK_LOW);
  assert.equal(desk.batch(1, [desk.removal(1)], { rate: CANCELS }), C.OK);
  assert.deepEqual([desk.codes(), desk.orders(1)], [[C.OK], []]);
});

const CLOIDS = ['', CLOID, `0x${'cd'.repeat(16)}`];
const arbitraryOrder = fc.record({
  side: fc.constantFrom(BUY, SELL), price: fc.integer({ min: 990, max: 1_010 }), size: fc.integer({ min: 1, max: 30 }),
  clientId: fc.constantFrom(...CLOIDS), tif: fc.constantFrom(GTC, GTC, IOC), flags: fc.constantFrom(0, 0, FLAG_REDUCE_ONLY),
  postOnly: fc.constantFrom(0, 0, POST_ONLY_REJECT), linkId: fc.constantFrom('', 'pair'), triggers: fc.boolean(),
});
const arbitraryItem = fc.oneof(
  { weight: 5, arbitrary: arbitraryOrder.map((order) => ({ kind: 'place', order, id: 0 }) as const) },
  { weight: 2, arbitrary: fc.tuple(arbitraryOrder, fc.nat(12)).map(([order, id]) => ({ kind: 'replace', order, id: id + 1 }) as const) },
  { weight: 2, arbitrary: fc.nat(12).map((id) => ({ kind: 'cancel', id: id + 1 }) as const) },
  { weight: 1, arbitrary: fc.constantFrom(...CLOIDS.slice(1)).map((cloid) => ({ kind: 'cloid', cloid }) as const) },
);
type ItemMade = typeof arbitraryItem extends fc.Arbitrary<infer T> ? T : never;

function recordOf(desk: Desk, item: ItemMade): Bytes {
  if (item.kind === 'cancel') return desk.removal(item.id);
  if (item.kind === 'cloid') return desk.removal(item.cloid);
  const { side, price, size, triggers, postOnly, tif, ...order } = item.order;
  const trigger = triggers ? { triggerBy: 1, triggerDirection: 1, triggerPrice: 150_000 * USDC } : {};
  const more = { ...order, ...trigger, tif: postOnly === 0 ? tif : GTC, postOnly };
  return item.kind === 'place' ? desk.item(side, price * 100, size / 10, more)
    : desk.replacement(item.id, side, price * 100, size / 10, more);
}

/** What the wallets have, without numbers of commands. */
function standing(desk: Desk): unknown {
  const orders = desk.orders().map(({ id, account, side, price, remaining, size, flags }) => [
    id, account, side, price, remaining, size, flags,
  ]);
  return [orders, [1, 2].map((wallet) => [desk.cash(wallet), desk.held(wallet, desk.perp)?.position ?? 0])];
}

test('batch: any items as one batch have the answers and the effect of the same commands one by one', () => {
  fc.assert(fc.property(fc.array(arbitraryItem, { maxLength: 14 }), (items) => {
    const [one, other] = [new Desk(), new Desk()];
    for (const desk of [one, other]) {
      for (const price of [99_500, 99_900, 100_100, 100_500]) desk.place(2, price < 100_000 ? BUY : SELL, price, 1, { slot: desk.perp });
    }
    assert.equal(one.batch(1, items.map((item) => recordOf(one, item))), C.OK);
    const answers = one.answers().map((numbers) => numbers.slice(0, ITEM_PAID));
    const single = items.map((item) => {
      const views = viewsOf(recordOf(other, item).buffer);
      const { buffer } = writeBatch(other.write, { wallet: 1, nonce: other.next() }, []).u8;
      // The head of a command of wallet 1 with a nonce of its own.
      views.u8.set(new Uint8Array(buffer, HEADER_BYTES, BYTE_BODY - HEADER_BYTES), HEADER_BYTES);
      const code = other.send(views);
      return [code, ...other.state.result.numbers];
    });
    assert.deepEqual(answers, single);
    if (items.length > 0) assert.deepEqual(standing(one), standing(other));
    check(one.state);
  }), { numRuns: 60 });
});
