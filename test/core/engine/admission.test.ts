// Admission: who may sign, nonces, rates, caps and room. What is refused here gets no seq and changes no state.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { CONTRACT, DAY, FOK, HOUR, IOC, MINUTE, USDC } from '../../../core/units.ts';
import { FLAG_WALLET_NAMED } from '../../../core/codec/signed-commands.ts';
import { FILL, FILL_SIZE } from '../../../core/codec/events.ts';
import { viewsOf } from '../../../core/codec/record.ts';
import { REPLY_WORD_STATUS } from '../../../core/codec/reply.ts';
import { createState } from '../../../core/engine/state.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { hashAddress } from '../../../core/math/hash.ts';
import { DEFAULT_TIER, DEFAULT_LIMITS, MARKET_MAKER, TIER1, TIER2, UNLIMITED } from '../../../core/tiers.ts';
import { budgetRow, chargeBudget, createBudgets, usedBudget } from '../../../core/sequencer/rate-budgets.ts';
import { takeCommand } from '../../../core/sequencer/sequencer.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { Bulk } from '../../support/bulk.ts';
import { walletWords, type OrderFields } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import { FREE, FREE_ROW, hashOf } from '../../support/venue.ts';

/** Sends and asserts that a refusal of admission leaves no trace. */
function refused(scene: Scene, act: () => number, code: number): void {
  const [seq, hash] = [scene.seq(), scene.hash()];
  assert.equal(act(), code);
  assert.equal(scene.seq(), seq);
  assert.equal(scene.hash(), hash);
}

test('admission: signer, nonce, rate, values and caps are checked in this order; the first failure is returned, nothing journaled', () => {
  const row = { ...DEFAULT_LIMITS[0]!, orders: 3, openOrders: 1 };
  const scene = new Scene({ rules: { rated: true, table: [row, row, row, row] } });
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 50 }), C.OK);
  const bad = { code: C.PRICE_FIGURES };
  refused(scene, () => scene.sell(1, 1_000, 1, { ...bad, signer: 2, nonce: 50 }), C.UNAUTHORIZED);
  refused(scene, () => scene.sell(1, 1_000, 1, { ...bad, nonce: 50 }), C.NONCE_USED);
  refused(scene, () => scene.sell(1, 1_000, 1, bad), C.PRICE_FIGURES);
  refused(scene, () => scene.sell(1, 1_000, 1), C.MAX_OPEN_ORDERS);
  refused(scene, () => scene.sell(1, 1_000, 1, bad), C.RATE_LIMITED);
  assert.equal(scene.cancel(1, 1), C.OK, 'cancels are counted apart');
  scene.now += MINUTE;
  refused(scene, () => scene.sell(1, 1_000, 1, bad), C.PRICE_FIGURES);
});

test('admission: rate budgets are per wallet, class of command and UTC minute; their size depends on the tier', () => {
  const scene = new Scene({ rules: { rated: true } });
  for (const [tier, wallet] of [[DEFAULT_TIER, 1], [TIER1, 2], [TIER2, 3], [MARKET_MAKER, 4]] as const) {
    scene.now = Math.ceil((scene.now + 1) / MINUTE) * MINUTE;
    assert.equal(scene.cancel(wallet, 0), C.ORDER_NOT_FOUND);
    scene.send(scene.write.tier(wallet, tier));
    const { cancels, orders, requests } = DEFAULT_LIMITS[tier]!;
    for (let i = 1; i < cancels; i++) assert.equal(scene.cancel(wallet, 0), C.ORDER_NOT_FOUND);
    refused(scene, () => scene.cancel(wallet, 0), C.RATE_LIMITED);
    for (let i = 0; i < orders; i++) assert.equal(scene.sell(wallet, 1_000, 1, { expiry: 1 }), C.EXPIRED);
    refused(scene, () => scene.sell(wallet, 1_000, 1, { expiry: 1 }), C.RATE_LIMITED);
    for (let i = 0; i < requests; i++) scene.send(scene.write.agent('revoke', wallet, scene.next(), 99));
    refused(scene, () => scene.send(scene.write.agent('revoke', wallet, scene.next(), 99)), C.RATE_LIMITED);
    assert.equal(scene.admission.left, 0);
    assert.equal(scene.admission.windowEnd % 60, 0);
    scene.now += MINUTE;
    assert.equal(scene.sell(wallet, 1_000, 1, { expiry: 1 }), C.EXPIRED);
    assert.equal(scene.cancel(wallet, 0), C.ORDER_NOT_FOUND);
    assert.equal(scene.admission.left, cancels - 1, 'a new minute begins for every class');
    scene.send(scene.write.agent('revoke', wallet, scene.next(), 99));
    assert.equal(scene.admission.left, requests - 1);
  }
});

/** A bulk request of orders: each item is a wallet, or a wallet with other fields of its order. */
function bulkOf(scene: Scene, origin: number, items: readonly (number | (Partial<OrderFields> & { wallet: number }))[]): Bulk {
  return new Bulk(scene, origin, items.map((item) => {
    const fields = typeof item === 'number' ? { wallet: item } : item;
    const order = { ...scene.contract(scene.atm), nonce: scene.next(), side: 1, price: 1_000 * USDC, size: 1_000_000, ...fields };
    return () => scene.write.place(order);
  }));
}

function ratedScene(orders: number): Scene {
  const row = { ...DEFAULT_LIMITS[0]!, orders, openOrders: UNLIMITED };
  return new Scene({ rules: { rated: true, table: [row, row, row, row] } });
}

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

test('admission: the items of one wallet in a bulk request are admitted and charged all together or not at all', () => {
  const scene = ratedScene(5);
  const first = bulkOf(scene, 1, [1, 2, 1, 2, 2, 2, 2, 2, 1]);
  assert.equal(first.take(), C.OK, 'the first item opens the account');
  assert.equal(scene.admission.left, 2, 'and all three are counted with it');
  refused(scene, () => first.take(), C.RATE_LIMITED);
  assert.equal(first.take(), C.OK);
  assert.deepEqual(first.takeAll(), [...times(5, C.RATE_LIMITED), C.OK], 'another wallet’s part of the same request');
  assert.equal(scene.admission.left, 2);
  assert.deepEqual(bulkOf(scene, 1, times(3, 1)).takeAll(), times(3, C.RATE_LIMITED));
  assert.equal(scene.admission.left, 2, 'what does not act is not counted');
  assert.deepEqual(bulkOf(scene, 1, times(2, 1)).takeAll(), times(2, C.OK));
  assert.deepEqual(bulkOf(scene, 1, [1]).takeAll(), [C.RATE_LIMITED]);
  assert.equal(scene.orders(1).length, 5);
  scene.now += MINUTE;
  assert.deepEqual(bulkOf(scene, 1, times(5, 2)).takeAll(), times(5, C.OK));
  assert.deepEqual(bulkOf(scene, 1, [2]).takeAll(), [C.RATE_LIMITED]);
});

test('admission: given bulk requests of one wallet from several api threads, taken in parts, each is admitted whole or not at all', () => {
  const scene = ratedScene(60);
  const [one, two, three] = [bulkOf(scene, 1, times(40, 1)), bulkOf(scene, 2, times(15, 1)), bulkOf(scene, 3, times(6, 1))];
  assert.deepEqual(one.takeAll(20), times(20, C.OK));
  assert.deepEqual(three.takeAll(1), [C.OK]);
  assert.deepEqual(two.takeAll(10), times(10, C.RATE_LIMITED), '40 and 6 of 60 are promised');
  assert.deepEqual([...one.takeAll(), ...three.takeAll()], times(25, C.OK));
  assert.deepEqual(two.takeAll(), times(5, C.RATE_LIMITED), 'as its first items were');
  assert.deepEqual(bulkOf(scene, 2, times(14, 1)).takeAll(), times(14, C.OK));
  assert.equal(scene.admission.left, 0);
  const late = bulkOf(scene, 1, times(3, 1));
  scene.now += MINUTE;
  assert.deepEqual(late.takeAll(2), times(2, C.OK));
  scene.now += MINUTE;
  assert.deepEqual(late.takeAll(), [C.OK], 'what is promised in one minute holds in the next');
  assert.equal(scene.admission.left, 60, 'and is not charged again');
});

test('admission: when a bulk request is sent again, only its items that are not replays are charged', () => {
  const scene = ratedScene(60);
  const nonces = times(40, 0).map(() => scene.next());
  const again = () => bulkOf(scene, 1, nonces.map((nonce, at) => ({ wallet: 1, nonce, ...(at === 7 ? { expiry: 1 } : {}) })));
  assert.deepEqual(again().takeAll().filter((code) => code !== C.OK), [C.EXPIRED], 'a rejection leaves its nonce unused');
  assert.equal(scene.admission.left, 20);
  for (let i = 0; i < 20; i++) {
    assert.deepEqual(again().takeAll(), nonces.map((_, at) => (at === 7 ? C.EXPIRED : C.NONCE_USED)));
  }
  assert.deepEqual(again().takeAll(), nonces.map((_, at) => (at === 7 ? C.RATE_LIMITED : C.NONCE_USED)));
});

test('admission: a bulk item that proves to be a replay is refunded; one that another wallet signed is not charged', () => {
  const scene = ratedScene(10);
  const [twice, shared] = [scene.next(), scene.next()];
  const [same, foreign] = [{ wallet: 1, nonce: twice }, { wallet: 1, signer: 2 }];
  const bulk = bulkOf(scene, 1, [same, same, foreign, { wallet: 1, nonce: shared }]);
  assert.deepEqual(bulk.takeAll(3), [C.OK, C.NONCE_USED, C.UNAUTHORIZED]);
  assert.deepEqual(bulkOf(scene, 2, [{ wallet: 1, nonce: shared }]).takeAll(), [C.OK]);
  assert.deepEqual(bulk.takeAll(), [C.NONCE_USED]);
  assert.equal(scene.admission.left, 8, 'the reply of a refunded item includes the refund');
  assert.equal(scene.sell(1, 1_000, 1), C.OK);
  assert.equal(scene.admission.left, 7);
});

test('admission: when an agent is revoked in the middle of its bulk request, the remaining items are refunded', () => {
  const scene = ratedScene(10);
  assert.equal(scene.sell(1, 1_000, 1), C.OK);
  assert.equal(scene.send(scene.write.agent('approve', 1, scene.next(), 9)), C.OK);
  const bulk = bulkOf(scene, 1, times(4, { wallet: 1, signer: 9 }));
  assert.deepEqual(bulk.takeAll(1), [C.OK]);
  assert.equal(scene.send(scene.write.agent('revoke', 1, scene.next(), 9)), C.OK);
  assert.deepEqual(bulk.takeAll(), times(3, C.UNAUTHORIZED));
  assert.equal(scene.sell(1, 1_000, 1), C.OK);
  assert.equal(scene.admission.left, 7);
});

test('admission: a wallet without an account has a normal budget; what it used still counts when the account opens', () => {
  const scene = ratedScene(5);
  const bad = { code: C.PRICE_NOT_POSITIVE };
  for (let left = 4; left >= 2; left--) {
    refused(scene, () => scene.sell(1, 1_000, 1, bad), C.PRICE_NOT_POSITIVE);
    assert.equal(scene.admission.left, left);
  }
  refused(scene, () => scene.sell(1, 1_000, 1, { ...bad, signer: 2 }), C.UNAUTHORIZED);
  assert.deepEqual(bulkOf(scene, 1, [{ wallet: 1, ...bad }, 2, 1, 1]).takeAll(), [C.RATE_LIMITED, C.OK, C.RATE_LIMITED, C.RATE_LIMITED]);
  assert.equal(scene.account(1), -1);
  assert.equal(scene.sell(1, 1_000, 1), C.OK);
  assert.equal(scene.admission.left, 1);
  refused(scene, () => scene.sell(1, 1_000, 1, bad), C.PRICE_NOT_POSITIVE);
  refused(scene, () => scene.sell(1, 1_000, 1, bad), C.RATE_LIMITED);
  for (let i = 0; i < 5; i++) refused(scene, () => scene.sell(3, 1_000, 1, bad), C.PRICE_NOT_POSITIVE);
  refused(scene, () => scene.sell(3, 1_000, 1, bad), C.RATE_LIMITED);
  scene.now += MINUTE;
  refused(scene, () => scene.sell(3, 1_000, 1, bad), C.PRICE_NOT_POSITIVE);
  assert.equal(scene.admission.left, 4);
});

test('admission: two wallets without accounts have separate budgets, wherever in the ring their commands are', () => {
  const scene = ratedScene(1);
  const ring = viewsOf(new ArrayBuffer(4_096));
  const take = (wallet: number, at: number): number => {
    const one = { ...scene.contract(scene.atm), wallet, nonce: scene.next(), side: 1, price: 0, size: 1, code: C.PRICE_NOT_POSITIVE };
    const { u8, u32 } = scene.write.place(one);
    ring.u8.set(u8.subarray(0, u32[0]!), at);
    assert.ok(takeCommand(scene.sequencer, ring, at, scene.now, scene.reply));
    return viewsOf(scene.reply.kept.pop()!.buffer as ArrayBuffer).u32[REPLY_WORD_STATUS]! & 0xffff;
  };
  for (const at of [1_024, 2_048]) {
    scene.now += MINUTE;
    assert.deepEqual([take(5, at), take(6, at), take(5, at)], [C.PRICE_NOT_POSITIVE, C.PRICE_NOT_POSITIVE, C.RATE_LIMITED]);
  }
});

test('budgets: when a minute has more unknown wallets than rows, a new wallet takes over a row and starts from 0', () => {
  const budgets = createBudgets(3);
  const time = MINUTE * 7;
  const words = Uint32Array.from({ length: 5 * 300_000 }, (_, at) => Math.imul(at + 1, 0x9e3779b1));
  for (let at = 0; at < words.length; at += 5) {
    const row = budgetRow(budgets, words, at, -1, time);
    assert.ok(row >= 3 && row < budgets.minute.length);
    assert.equal(usedBudget(budgets, row, 0, time), 0);
    chargeBudget(budgets, row, 0, time, 1);
    assert.equal(budgetRow(budgets, words, at, -1, time), row);
  }
  assert.equal(usedBudget(budgets, budgetRow(budgets, words, words.length - 5, -1, time), 0, time), 1);
  assert.equal(usedBudget(budgets, budgetRow(budgets, words, words.length - 5, -1, time + MINUTE), 0, time + MINUTE), 0);
});

test('admission: after other wallets took over a budget row, a refund does not lower the used budget below 0', () => {
  const scene = ratedScene(5);
  const home = hashAddress(walletWords(1), 0) & 0xffff;
  const neighbours: number[] = [];
  for (let n = 9_000; neighbours.length < 9; n++) if ((hashAddress(walletWords(n), 0) & 0xffff) === home) neighbours.push(n);
  const nonce = scene.next();
  const bulk = bulkOf(scene, 1, [2, { wallet: 1, nonce }, { wallet: 1, nonce }]);
  assert.equal(bulk.take(), C.OK, 'wallet 1 has no account yet, and is charged for both of its items');
  for (const neighbour of neighbours) assert.equal(scene.sell(neighbour, 1_000, 1, { code: C.PRICE_FIGURES }), C.PRICE_FIGURES);
  assert.deepEqual(bulk.takeAll(), [C.OK, C.NONCE_USED]);
  assert.deepEqual(bulkOf(scene, 1, times(5, 1)).takeAll(), times(5, C.OK));
});

test('admission: a source can open 20 wallets an hour; refused attempts and loopback are not counted', () => {
  const scene = new Scene();
  for (let i = 0; i < 30; i++) {
    refused(scene, () => scene.sell(500, 1_000, 100_000, { source: 7 }), C.POSITION_LIMIT);
  }
  for (let wallet = 0; wallet < 19; wallet++) assert.equal(scene.sell(wallet, 1_000, 1, { source: 7 }), C.OK);
  scene.write.agent('approve', 300, 1, 301);
  assert.equal(scene.send(scene.write.amend({ source: 7 })), C.OK, 'an approval that waits counts as one');
  refused(scene, () => scene.sell(100, 1_000, 1, { source: 7 }), C.NEW_WALLET_LIMIT);
  assert.equal(scene.sell(0, 1_000, 1, { source: 7 }), C.OK, 'a wallet that is open is not new');
  assert.equal(scene.sell(101, 1_000, 1, { source: 8 }), C.OK);
  for (let wallet = 200; wallet < 230; wallet++) assert.equal(scene.sell(wallet, 1_000, 1), C.OK);
  scene.now += HOUR;
  assert.equal(scene.sell(100, 1_000, 1, { source: 7 }), C.OK);
});

test('caps: an order over the limit of open orders, positions or notional is refused; one at the limit is accepted', () => {
  const row = { ...FREE_ROW, openOrders: 3, positions: 2 };
  const scene = new Scene({ rules: { table: [row, row, row, FREE_ROW] } });
  const slots = scene.slots((one) => one.underlying === 'BTC').slice(0, 5);
  for (const slot of slots.slice(0, 2)) {
    scene.sell(2, 1, 1, { slot });
    assert.equal(scene.buy(1, 1, 1, { slot }), C.OK);
  }
  refused(scene, () => scene.buy(1, 1, 1, { slot: slots[2]! }), C.MAX_POSITIONS);
  assert.equal(scene.buy(1, 1, 1, { slot: slots[0]! }), C.OK, 'where it holds one already');
  assert.equal(scene.buy(1, 1, 1, { slot: slots[0]! }), C.OK);
  assert.equal(scene.buy(1, 1, 1, { slot: slots[1]! }), C.OK);
  refused(scene, () => scene.buy(1, 1, 1, { slot: slots[1]! }), C.MAX_OPEN_ORDERS);
  for (const tif of [IOC, FOK]) {
    assert.equal(scene.buy(2, 0.5, 0.1, { slot: slots[0]! }), C.OK);
    assert.equal(scene.sell(1, 0.5, 0.1, { slot: slots[0]!, tif }), C.OK, 'an order that never rests is not counted');
    assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [0.1 * CONTRACT]);
  }
  // 100 M USDC at an index of 100,000: 1,000 contracts over both sides' reach and all contracts of the underlying.
  assert.equal(scene.buy(3, 0.01, 999), C.OK);
  refused(scene, () => scene.buy(3, 0.01, 1.000001, { slot: slots[0]! }), C.POSITION_LIMIT);
  assert.equal(scene.sell(3, 1_000_000, 1, { tif: 1 }), C.OK, 'the other side of the same contract does not add');
  assert.equal(scene.buy(3, 0.01, 1, { slot: slots[0]! }), C.OK, 'to the last contract');
  assert.equal(scene.buy(3, 0.01, 1_000, { slot: scene.nearest(1, 'ETH') }), C.OK, 'per underlying');
});

test('caps: given an index of one micro, orders are refused before the sum of open sizes passes 2^53', () => {
  const scene = new Scene({ rules: FREE });
  scene.venue(scene.write.index(0, 1, 1));
  scene.settle();
  const biggest = 1_000_000_000;
  for (let i = 0; i < 9; i++) assert.equal(scene.buy(1, 0.000001, biggest), C.OK);
  refused(scene, () => scene.buy(1, 0.000001, biggest), C.POSITION_LIMIT);
  refused(scene, () => scene.buy(1, 0.000001, biggest, { slot: 3 }), C.POSITION_LIMIT);
  assert.equal(scene.held(1)!.bidSize, 9e15);
});

test('room: default and tier1 wallets can use 70 % of the order pool, other tiers all of it; orders that never rest need no room', () => {
  const scene = new Scene({ limits: checked({ ...SMALL, orders: 101, levelPages: 2_048 }), rules: FREE });
  for (let i = 0; i < 70; i++) assert.equal(scene.sell(i % 10, 1_000, 0.01), C.OK);
  refused(scene, () => scene.sell(1, 1_000, 0.01), C.ENGINE_BUSY);
  refused(scene, () => scene.sell(99, 1_000, 0.01), C.ENGINE_BUSY);
  assert.equal(scene.cancel(99, 1), C.ORDER_NOT_FOUND, 'opens its account: the share is about orders');
  scene.send(scene.write.tier(99, MARKET_MAKER));
  for (let i = 0; i < 30; i++) assert.equal(scene.sell(99, 1_000, 0.01), C.OK);
  refused(scene, () => scene.sell(99, 1_000, 0.01), C.ENGINE_BUSY);
  for (const tif of [IOC, FOK]) {
    assert.equal(scene.buy(1, 1_000, 0.001, { tif }), C.OK, 'what never rests takes no room');
    assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [0.001 * CONTRACT]);
  }
  assert.equal(scene.cancel(0, 1), C.OK);
  assert.equal(scene.sell(99, 1_000, 0.01), C.OK);
  scene.send(scene.write.tier(99, TIER1));
  assert.equal(scene.cancel(0, 11), C.OK);
  refused(scene, () => scene.sell(1, 1_000, 0.01), C.ENGINE_BUSY);
});

test('room: a full holdings table refuses only orders that need a new row; a full account table refuses only new wallets', () => {
  // Of accounts the last is the insurance fund's.
  const limits = checked({ ...SMALL, accounts: 5, holdings: SMALL.instruments });
  const scene = new Scene({ limits, rules: FREE });
  scene.sell(1, 1_000_000, 0.01);
  scene.sell(2, 1_000_000, 0.01);
  for (const wallet of [1, 2]) scene.send(scene.write.tier(wallet, MARKET_MAKER));
  const slots = scene.slots(() => true).filter((slot) => slot !== scene.atm);
  for (let i = 0; scene.state.holdings.counters[2]! < limits.holdings; i++) {
    assert.equal(scene.buy(i < slots.length ? 2 : 1, 0.01, 0.01, { slot: slots[i % slots.length]! }), C.OK);
  }
  refused(scene, () => scene.sell(3, 1_000_000, 0.01), C.ENGINE_BUSY);
  assert.equal(scene.sell(1, 1_000_000, 0.01), C.OK, 'it has a row');
  assert.equal(scene.cancel(3, 0), C.ORDER_NOT_FOUND);
  assert.equal(scene.cancel(4, 0), C.ORDER_NOT_FOUND);
  refused(scene, () => scene.cancel(5, 0), C.ENGINE_BUSY);
  refused(scene, () => scene.sell(5, 1_000_000, 0.01), C.ENGINE_BUSY);
  refused(scene, () => scene.send(scene.write.agent('approve', 5, 1, 6, 0, FLAG_WALLET_NAMED)), C.ENGINE_BUSY);
  assert.equal(scene.send(scene.write.agent('approve', 5, 1, 6)), C.OK, 'an approval may wait');
});

test('room: default and tier1 wallets together can use 70 % of the holdings; other tiers can use the rest', () => {
  const limits = checked({ ...SMALL, holdings: SMALL.instruments });
  const share = Math.floor(limits.holdings * 0.7);
  const scene = new Scene({ limits, rules: FREE });
  const { holdings } = scene.state;
  const tier = (wallet: number, to: number): number => scene.send(scene.write.tier(wallet, to));
  const slots = scene.slots(() => true);
  const buy = (wallet: number, slot: number): number => scene.buy(wallet, 0.01, 0.01, { slot });
  const drop = (wallet: number): void => scene.orders(wallet).forEach(({ id }) => assert.equal(scene.cancel(wallet, id), C.OK));
  const isFull = (tier1 = true): void => {
    for (const wallet of tier1 ? [1, 2, 9] : [1, 9]) {
      refused(scene, () => scene.buy(wallet, 0.01, 0.01, { slot: slots.at(-1)!, tif: IOC }), C.ENGINE_BUSY);
    }
    assert.equal(holdings.ofSmallTiers[0], share);
  };
  buy(1, slots[0]!);
  buy(2, slots[0]!);
  tier(2, TIER1);
  for (let i = 1; i <= slots.length && holdings.ofSmallTiers[0]! < share; i++) {
    for (const wallet of [3, 4, 5, 6]) if (holdings.ofSmallTiers[0]! < share) assert.equal(buy(wallet, slots[i]!), C.OK);
  }
  isFull();
  assert.equal(buy(1, slots[0]!), C.OK, 'it has the row');
  drop(1);
  assert.equal(buy(2, slots[1]!), C.OK, 'the row is free again');
  isFull();
  assert.equal(scene.cancel(8, 0), C.ORDER_NOT_FOUND);
  tier(8, MARKET_MAKER);
  for (const slot of slots.slice(0, 5)) assert.equal(buy(8, slot), C.OK, 'other tiers can use the rest');
  tier(2, TIER2);
  for (const slot of slots.slice(0, 2)) assert.equal(buy(1, slot), C.OK, 'the two of wallet 2 are of another tier now');
  isFull(false);
  drop(1);
  tier(2, TIER1);
  isFull();
  const loaded = createState(limits);
  restoreState(loaded, copyOf(scene.state));
  assert.deepEqual(loaded.holdings.ofSmallTiers, holdings.ofSmallTiers);
  assert.equal(hashOf(scene.replay(createState(limits))), scene.hash());
});

test('disk: when disk space is low, new orders are refused and cancels are accepted', () => {
  const scene = new Scene();
  scene.sell(1, 1_000, 1);
  scene.admission.diskLow = true;
  refused(scene, () => scene.sell(1, 1_000, 1), C.DISK_LOW);
  assert.equal(scene.cancel(1, 1), C.OK);
});

test('tiers: only the admin token or a signed command of an admin wallet can set a tier, and only a tier that exists', () => {
  const scene = new Scene({ rules: { adminWallets: walletWords(9) } });
  scene.sell(1, 1_000, 1);
  refused(scene, () => scene.send(scene.write.tier(1, 4)), C.INVALID_TIER);
  refused(scene, () => scene.send(scene.write.signedTier(1, TIER2, 1, 50)), C.UNAUTHORIZED);
  assert.equal(scene.send(scene.write.agent('approve', 9, 51, 8)), C.OK, 'the admin wallet has no account: its approval waits');
  refused(scene, () => scene.send(scene.write.signedTier(1, TIER2, 9, 51)), C.NONCE_USED);
  assert.equal(scene.send(scene.write.signedTier(1, TIER2, 9, 50)), C.OK);
  assert.equal(scene.state.accounts.tier[scene.account(1)], TIER2);
  refused(scene, () => scene.send(scene.write.signedTier(1, TIER1, 9, 50)), C.NONCE_USED);
  refused(scene, () => scene.send(scene.write.signedTier(1, TIER1, 9, 51)), C.NONCE_USED);
  assert.equal(scene.state.orders.counters[4], 0, 'its order counts with its tier');
  assert.equal(scene.cash(9), 10_000_000 * USDC);
});

test('venue: adding an underlying a second time changes nothing; adding one too many is refused', () => {
  const scene = new Scene();
  const { underlyings, valuation } = scene.state;
  scene.venue(scene.write.addUnderlying('BTC', 1));
  assert.equal(underlyings.counters[0], 2);
  assert.equal(valuation.volatility[0], 600_000);
  scene.venue(scene.write.addUnderlying('SOL', 900_000));
  scene.venue(scene.write.addUnderlying('XRP', 900_000));
  scene.venue(scene.write.addUnderlying('DOGE', 900_000));
  assert.equal(scene.state.result.code, C.TOO_MANY_UNDERLYINGS);
  assert.equal(underlyings.counters[0], SMALL.underlyings);
  scene.advance(DAY);
});
