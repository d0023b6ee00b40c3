// Amends (extensions 3): what changes in place, what enters anew, what is refused, and that a refused one changes nothing.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { CONTRACT, SELL, USDC } from '../../../core/units.ts';
import { FLAG_INDEX_STALE, FLAG_QUOTE, FLAG_REDUCE_ONLY, POST_ONLY_REJECT, POST_ONLY_SLIDE, STP_CANCEL_BOTH,
  STP_CANCEL_TAKER } from '../../../core/codec/commands.ts';
import { BOOK_CHANGED, FILL, FILL_MAKER_ORDER, FILL_SIZE, FILL_TAKER_ORDER, ORDER_AMENDED, ORDER_DONE,
  ORDER_FILLED, ORDER_ID, ORDER_REASON, ORDER_RESTED, ORDER_SHRUNK, ORDER_SIZE } from '../../../core/codec/events.ts';
import { FLAG_IMAGE, FLAG_MMP_TRIGGERED } from '../../../core/codec/reply.ts';
import { BLOCKED, IN_LIQUIDATION } from '../../../core/accounts/accounts.ts';
import { HALTED } from '../../../core/instruments/trading-mode.ts';
import { PARTLY_FILLED } from '../../../core/trading/amend.ts';
import { DEFAULT_BALANCE, defaultSettings, MAX_POSITION, TAKER_FEE } from '../../../core/settings.ts';
import { DEFAULT_LIMITS, TIER1 } from '../../../core/tiers.ts';
import { check, TradingScene, image, OPT_OUT, REDUCE, refusesUnfitOrders } from './support.ts';

type Shown = { id: number; price: number; size: number; remaining: number; entry: number };

function placed(scene: TradingScene, code: number): number {
  assert.equal(code, C.OK);
  return scene.number(0);
}

/** Price in USDC, sizes in contracts. */
function shown(scene: TradingScene, id: number): Shown {
  const order = scene.orders().find((one) => one.id === id);
  assert.ok(order !== undefined, `order ${id} is open`);
  return { id, price: order.price / USDC, size: order.size / CONTRACT, remaining: order.remaining / CONTRACT, entry: order.entry };
}

function isOpen(scene: TradingScene, id: number): boolean {
  return scene.orders().some((one) => one.id === id);
}

/** Id, size filled at once, price in force in USDC, DONE_ code. */
function answer(scene: TradingScene): number[] {
  return [scene.number(0), scene.number(1) / CONTRACT, scene.number(2) / USDC, scene.number(3)];
}

test('an amend to a smaller size at the same price is in place: the order keeps its priority and its entry number', () => {
  const scene = new TradingScene();
  const first = placed(scene, scene.sell(1, 1_000, 5, { clientId: 'mine' }));
  scene.sell(2, 1_000, 5);
  const { entry } = shown(scene, first);
  assert.equal(scene.amend(1, first, 1_000, 2), C.OK);
  assert.deepEqual(answer(scene), [first, 0, 1_000, 0]);
  assert.deepEqual(scene.events.map((event) => event.kind).slice(0, 1), [ORDER_SHRUNK]);
  assert.deepEqual(shown(scene, first), { id: first, price: 1_000, size: 2, remaining: 2, entry });
  scene.buy(3, 1_000, 3);
  assert.deepEqual(scene.emitted(FILL, FILL_MAKER_ORDER), [first, first + 1]);
  check(scene.state);
});

test('an amend that changes nothing is accepted, and no order update or book change is told', () => {
  const scene = new TradingScene();
  const id = placed(scene, scene.sell(1, 1_000, 5));
  const before = image(scene.state);
  assert.equal(scene.amend(1, id, 1_000, 5), C.OK);
  assert.deepEqual(answer(scene), [id, 0, 1_000, 0]);
  assert.deepEqual(scene.emitted(ORDER_SHRUNK, ORDER_ID), []);
  assert.deepEqual(scene.emitted(BOOK_CHANGED, 1), []);
  const isNonces = (line: string): boolean => line.startsWith('nonces');
  assert.deepEqual(image(scene.state).split('\n').filter((line) => !isNonces(line)), before.split('\n').filter((line) => !isNonces(line)));
});

test('the size of an amend is the total, filled part included', () => {
  const scene = new TradingScene();
  const id = placed(scene, scene.sell(1, 1_000, 5));
  scene.buy(2, 1_000, 2);
  assert.equal(scene.amend(1, id, 1_000, 4), C.OK);
  assert.deepEqual([scene.emitted(ORDER_SHRUNK, ORDER_SIZE), scene.emitted(ORDER_SHRUNK, ORDER_FILLED)], [[4 * CONTRACT], [2 * CONTRACT]]);
  assert.equal(shown(scene, id).remaining, 2);
  assert.equal(scene.amend(1, id, 1_000, 10), C.OK);
  assert.deepEqual([shown(scene, id).size, shown(scene, id).remaining], [10, 8]);
  check(scene.state);
});

test('a new size at or below what was filled cancels the order with that reason, at any price', () => {
  for (const [size, price] of [[2, 1_000], [1, 1_000], [2, 900]] as const) {
    const scene = new TradingScene();
    const id = placed(scene, scene.sell(1, 1_000, 5));
    scene.buy(2, 1_000, 2);
    assert.equal(scene.amend(1, id, price, size), C.OK);
    assert.deepEqual([scene.number(0), scene.number(1), scene.number(3)], [id, 0, C.DONE_AMENDED]);
    assert.deepEqual([scene.emitted(ORDER_DONE, ORDER_ID), scene.emitted(ORDER_DONE, ORDER_REASON)], [[id], [C.DONE_AMENDED]]);
    assert.equal(isOpen(scene, id), false);
    assert.equal(scene.amend(1, id, 1_000, 9), C.NOT_OPEN);
    check(scene.state);
  }
});

test('a larger size or another price enters anew: last at its price, same id, client id, flags and time of creation', () => {
  for (const [price, size] of [[1_000, 6], [1_001, 5], [1_001, 1]] as const) {
    const scene = new TradingScene();
    const id = placed(scene, scene.sell(1, 1_000, 5, { clientId: 'mine', linkId: 'pair', expiresAt: scene.now + 9_000, ...OPT_OUT }));
    const other = placed(scene, scene.sell(2, price, 5));
    const before = scene.orders(1)[0]!;
    scene.now += 7;
    assert.equal(scene.amend(1, id, price, size), C.OK);
    assert.deepEqual(answer(scene), [id, 0, price, 0]);
    assert.deepEqual(scene.events.map((event) => event.kind).slice(0, 2), [ORDER_AMENDED, ORDER_RESTED]);
    const after = scene.orders(1)[0]!;
    const { entry, since } = after;
    assert.deepEqual(after, { ...before, price: price * USDC, size: size * CONTRACT, remaining: size * CONTRACT, entry, since });
    assert.ok(after.entry > scene.orders(2)[0]!.entry, 'a new entry number');
    assert.equal(scene.state.orders.amounts[after.slot * 4 + 1], scene.now - 7, 'created at');
    assert.equal(scene.sell(1, 2_000, 1, { clientId: 'mine' }), C.DUPLICATE_CLIENT_ID);
    scene.buy(3, price, 6);
    assert.equal(scene.emitted(FILL, FILL_MAKER_ORDER)[0], other);
    check(scene.state);
  }
});

test('an amend that reaches the other side trades with the id of its order, and its rest stays open', () => {
  const scene = new TradingScene();
  const bid = placed(scene, scene.buy(2, 990, 2));
  const id = placed(scene, scene.sell(1, 1_000, 5));
  scene.buy(3, 1_000, 1);
  assert.equal(scene.amend(1, id, 980, 5), C.OK);
  assert.deepEqual(answer(scene), [id, 2, 980, PARTLY_FILLED], 'what this amend filled');
  assert.deepEqual([scene.emitted(FILL, FILL_TAKER_ORDER), scene.emitted(FILL, FILL_MAKER_ORDER)], [[id], [bid]]);
  assert.deepEqual(
    [scene.emitted(ORDER_RESTED, ORDER_FILLED), scene.emitted(ORDER_RESTED, ORDER_REASON)], [[3 * CONTRACT], [2 * CONTRACT]],
  );
  assert.deepEqual([shown(scene, id).size, shown(scene, id).remaining, shown(scene, id).price], [5, 2, 980]);
  check(scene.state);
});

test('an amend that is filled whole ends its order as filled', () => {
  const scene = new TradingScene();
  scene.buy(2, 990, 5);
  const id = placed(scene, scene.sell(1, 1_000, 5, { clientId: 'mine' }));
  assert.equal(scene.amend(1, id, 990, 3), C.OK);
  assert.deepEqual(answer(scene), [id, 3, 990, C.DONE_FILLED]);
  assert.deepEqual([scene.emitted(ORDER_DONE, ORDER_ID), scene.emitted(ORDER_DONE, ORDER_FILLED)], [[id], [3 * CONTRACT]]);
  assert.equal(isOpen(scene, id), false);
  assert.equal(scene.amend(1, id, 990, 9), C.NOT_OPEN);
  assert.equal(scene.sell(1, 2_000, 1, { clientId: 'mine' }), C.OK, 'its client id is free');
  check(scene.state);
});

test('an amend of an order that is unknown, ended or another wallet’s has the code of a cancel and changes nothing', () => {
  refusesUnfitOrders((scene, wallet, id) => scene.amend(wallet, id, 2_000, 1));
});

test('an order that only waits for its cancel is ended by an amend, which revives nothing', () => {
  const scene = new TradingScene();
  const id = placed(scene, scene.sell(1, 1_000, 5, { expiresAt: scene.now + 5 }));
  scene.now += 5;
  assert.equal(scene.amend(1, id, 1_000, 4), C.NOT_OPEN);
  assert.deepEqual([scene.emitted(ORDER_DONE, ORDER_ID), scene.emitted(ORDER_DONE, ORDER_REASON)], [[id], [C.DONE_ORDER_EXPIRED]]);
  check(scene.state);
});

test('a request after its valid_until and a trigger price for an order that does not wait are refused', () => {
  const scene = new TradingScene();
  const id = placed(scene, scene.sell(1, 1_000, 5));
  const before = image(scene.state);
  assert.equal(scene.amend(1, id, 1_000, 4, { validUntil: scene.now }), C.TOO_LATE);
  assert.equal(scene.amend(1, id, 1_000, 4, { triggerPrice: USDC }), C.NO_TRIGGER);
  assert.equal(image(scene.state), before);
  assert.equal(scene.amend(1, id, 1_000, 4, { validUntil: scene.now + 1 }), C.OK);
});

test('an order of a quote set is amended and replaced by its set only', () => {
  const scene = new TradingScene();
  const id = placed(scene, scene.sell(1, 1_000, 5));
  scene.state.orders.details[scene.orders(1)[0]!.slot * 8 + 6]! |= FLAG_QUOTE << 8;
  const before = image(scene.state);
  for (const size of [4, 6]) assert.equal(scene.amend(1, id, 1_000, size), C.ORDER_OF_QUOTE_SET);
  assert.equal(scene.replace(1, id, SELL, 1_000, 4), C.ORDER_OF_QUOTE_SET);
  assert.equal(image(scene.state), before);
});

test('an amend without the margin for it is refused, and the order is exactly as it was', () => {
  const scene = new TradingScene();
  const id = placed(scene, scene.buy(1, 1_000, 5, { clientId: 'mine' }));
  scene.buy(2, 1_000, 5);
  const before = image(scene.state);
  assert.equal(scene.amend(1, id, 99_999, 900), C.INSUFFICIENT_MARGIN);
  assert.equal(image(scene.state), before);
  scene.sell(3, 1_000, 5);
  assert.deepEqual(scene.emitted(FILL, FILL_MAKER_ORDER), [id], 'it kept its place');
});

test('an amend is judged as if the order were gone', () => {
  const scene = new TradingScene();
  const id = placed(scene, scene.buy(1, 20_000, 490));
  assert.equal(scene.buy(1, 19_990, 490), C.INSUFFICIENT_MARGIN);
  assert.equal(scene.amend(1, id, 19_990, 490), C.OK);
  check(scene.state);
});

test('a shrinking amend passes whatever the state of wallet and market, a growing one does not', () => {
  type Case = [name: string, code: number, harm: (scene: TradingScene) => void];
  const cases: Case[] = [
    ['liquidation', C.IN_LIQUIDATION, (scene) => { scene.state.accounts.status[scene.account(1)] = IN_LIQUIDATION; }],
    ['stale index', C.NO_SPOT_PRICE, (scene) => { scene.send(scene.write.index(0, 0, FLAG_INDEX_STALE)); }],
    ['no funds', C.NO_FUNDS, (scene) => {
      const account = scene.account(1);
      scene.state.accounts.cash[scene.account(2)]! += scene.state.accounts.cash[account]!;
      scene.state.accounts.cash[account] = 0;
    }],
    ['frozen protection', C.MMP_FROZEN, (scene) => {
      scene.protect(1, { quantity: 0 });
      scene.sell(1, 1_000, 1);
      scene.buy(2, 1_000, 1);
    }],
    ['tier1', C.TIER1_SHORT, (scene) => { scene.send(scene.write.tier(1, TIER1)); }],
    ['halted market', C.MARKET_HALTED, (scene) => { scene.state.instruments.modes.venue[0] = HALTED; }],
    ['blocked wallet', C.WALLET_BLOCKED, (scene) => { scene.state.accounts.walletMode[scene.account(1)] = BLOCKED; }],
    ['low disk', C.DISK_LOW, (scene) => { scene.admission.diskLow = true; }],
    ['expired contract', C.EXPIRED, (scene) => {
      scene.now = scene.contract(scene.atm).expiry;
      scene.state.accounts.usedAt[scene.account(1)] = scene.now;
    }],
  ];
  for (const [name, code, harm] of cases) {
    const scene = new TradingScene();
    const id = placed(scene, scene.sell(1, 2_000, 5, name === 'frozen protection' ? OPT_OUT : {}));
    harm(scene);
    if (name === 'frozen protection') scene.state.orders.details[scene.orders(1)[0]!.slot * 8 + 6]! &= 0xffff00ff | 0;
    const before = image(scene.state);
    assert.equal(scene.amend(1, id, 2_000, 6), code, name);
    assert.equal(scene.amend(1, id, 2_001, 5), code, name);
    assert.equal(image(scene.state), before, name);
    assert.equal(scene.amend(1, id, 2_000, 4), C.OK, name);
    assert.equal(shown(scene, id).remaining, 4, name);
  }
});

test('the caps of the wallet meet a growing amend as if its order were gone, and no shrinking one', () => {
  const rules = DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 2, positions: 0 }));
  const scene = new TradingScene({ rules: { table: DEFAULT_LIMITS.map((row) => ({ ...row, openOrders: 2 })) } });
  const id = placed(scene, scene.buy(1, 1_000, 1));
  scene.buy(1, 1_000, 1);
  assert.equal(scene.buy(1, 1_000, 1), C.MAX_OPEN_ORDERS);
  assert.equal(scene.amend(1, id, 1_001, 1), C.OK, 'at the cap it may still move');
  Object.assign(scene.admission.rules, { table: rules });
  assert.equal(scene.amend(1, id, 1_002, 1), C.MAX_POSITIONS);
  Object.assign(scene.admission.rules, { table: rules.map((row) => ({ ...row, openOrders: 1 })) });
  assert.equal(scene.amend(1, id, 1_002, 1), C.MAX_OPEN_ORDERS);
  assert.equal(scene.amend(1, id, 1_001, 0.5), C.OK);
  assert.equal(scene.amend(1, id, 999, 0.5), C.MAX_OPEN_ORDERS);
  check(scene.state);
});

test('the position limit counts a growing amend without what the order had before', () => {
  const settings = defaultSettings();
  settings[MAX_POSITION] = 300_000 * USDC;
  const scene = new TradingScene({ settings });
  const id = placed(scene, scene.buy(1, 10, 2));
  assert.equal(scene.amend(1, id, 10, 9_000), C.POSITION_LIMIT);
  assert.equal(scene.amend(1, id, 11, 2), C.OK);
});

test('a post-only order that an amend would let trade is refused or slides, and tells the price it got', () => {
  for (const [postOnly, code] of [[POST_ONLY_REJECT, C.WOULD_TAKE], [POST_ONLY_SLIDE, C.OK]] as const) {
    const scene = new TradingScene();
    scene.buy(2, 990, 1);
    const id = placed(scene, scene.sell(1, 1_000, 5, { postOnly }));
    const before = image(scene.state);
    assert.equal(scene.amend(1, id, 980, 5), code);
    if (code === C.OK) assert.deepEqual([answer(scene), shown(scene, id).price], [[id, 0, 990.01, 0], 990.01]);
    else assert.equal(image(scene.state), before);
    assert.equal(scene.amend(1, id, 995, 5), C.OK);
    assert.deepEqual(answer(scene), [id, 0, 995, 0]);
    check(scene.state);
  }
});

test('an order keeps its self-trade prevention when an amend makes it meet an own order', () => {
  for (const [stp, stays, other] of [[0, true, false], [STP_CANCEL_TAKER, false, true], [STP_CANCEL_BOTH, false, false]] as const) {
    const scene = new TradingScene();
    const own = placed(scene, scene.buy(1, 990, 1));
    const id = placed(scene, scene.sell(1, 1_000, 5, { stp }));
    assert.equal(scene.amend(1, id, 980, 5), C.OK);
    assert.deepEqual(answer(scene), [id, 0, 980, stays ? 0 : C.DONE_SELF_TRADE]);
    assert.deepEqual([isOpen(scene, id), isOpen(scene, own)], [stays, other]);
    assert.deepEqual(scene.emitted(FILL, FILL_SIZE), []);
    check(scene.state);
  }
});

test('what an amended order is filled is taken off the others of its link, not off itself', () => {
  const scene = new TradingScene();
  scene.buy(2, 990, 2);
  const id = placed(scene, scene.sell(1, 1_000, 5, { linkId: 'pair' }));
  const other = placed(scene, scene.sell(1, 1_100, 5, { linkId: 'pair' }));
  assert.equal(scene.amend(1, id, 980, 5), C.OK);
  assert.deepEqual([shown(scene, id).remaining, shown(scene, other).remaining], [3, 3]);
  check(scene.state);
});

test('a reduce-only order is cut to its position, and the cut alone costs no priority', () => {
  const scene = new TradingScene();
  scene.trade(1, 2, 90_000, 4);
  const id = placed(scene, scene.sell(1, 95_000, 4, { slot: scene.perp, ...REDUCE }));
  const { entry } = shown(scene, id);
  assert.equal(scene.amend(1, id, 95_000, 9), C.OK);
  assert.deepEqual([shown(scene, id).remaining, shown(scene, id).entry], [4, entry]);
  assert.equal(scene.amend(1, id, 94_000, 9), C.OK);
  assert.deepEqual([shown(scene, id).remaining, shown(scene, id).price], [4, 94_000]);
  scene.buy(3, 94_000, 1, { slot: scene.perp });
  assert.equal(scene.amend(1, id, 94_000, 9), C.OK);
  assert.deepEqual([shown(scene, id).size, shown(scene, id).remaining], [4, 3], 'the filled part and the position');
  check(scene.state);
});

test('an amend that trades with a reduce-only order shrinks the others with the position', () => {
  const scene = new TradingScene();
  scene.trade(1, 2, 90_000, 4);
  const id = placed(scene, scene.sell(1, 95_000, 4, { slot: scene.perp, ...REDUCE }));
  const other = placed(scene, scene.sell(1, 96_000, 4, { slot: scene.perp, flags: FLAG_REDUCE_ONLY }));
  scene.buy(3, 94_000, 3, { slot: scene.perp });
  assert.equal(scene.amend(1, id, 94_000, 4), C.OK);
  assert.deepEqual([answer(scene)[1], shown(scene, id).remaining, shown(scene, other).remaining], [3, 1, 1]);
  check(scene.state);
});

test('an amend whose fills trigger the wallet’s own protection ends its order, and the reply says so', () => {
  const scene = new TradingScene();
  scene.buy(2, 990, 2);
  const id = placed(scene, scene.sell(1, 1_000, 5));
  scene.protect(1, { quantity: 1 });
  const flags = scene.flagsOf(scene.write.amendOrder(1, scene.next(), { orderId: id, price: 980 * USDC, size: 5 * CONTRACT }));
  assert.equal(flags & FLAG_MMP_TRIGGERED, FLAG_MMP_TRIGGERED);
  assert.equal(flags & FLAG_IMAGE, FLAG_IMAGE);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED, C.DONE_MMP_SELF]);
  assert.equal(isOpen(scene, id), false);
  check(scene.state);
});

test('an amended order stands from its new entry: a protection counts it as any order that came then', () => {
  const scene = new TradingScene();
  const id = placed(scene, scene.sell(1, 1_000, 5));
  assert.equal(scene.send(scene.write.cancelAll(1, scene.next())), C.OK);
  assert.equal(scene.amend(1, id, 1_001, 5), C.NOT_OPEN);
  check(scene.state);
});

test('an amend trades although the reserve of its order had grown beyond exact sums with the index', () => {
  const settings = defaultSettings();
  settings[DEFAULT_BALANCE] = 100_000_000 * USDC;
  settings[MAX_POSITION] = 1_000_000_000 * USDC;
  settings[TAKER_FEE] = 500;
  const scene = new TradingScene({ settings }, 1);
  const perp = { slot: scene.perp };
  const id = placed(scene, scene.buy(1, 0.7, 100_000_000, perp));
  scene.venue(scene.write.index(0, 100_000 * USDC, 1));
  scene.settle();
  assert.equal(scene.sell(2, 100_100, 0.1, perp), C.OK);
  assert.equal(scene.amend(1, id, 100_100, 0.5), C.OK);
  assert.deepEqual(answer(scene), [id, 0.1, 100_100, PARTLY_FILLED]);
  check(scene.state);
});
