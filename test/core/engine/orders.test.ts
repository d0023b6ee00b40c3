// Placing and cancelling: results by time in force, self-trades, client ids, nonces, exact numbers of every engine rejection,
// and the order of the checks: the first failure is returned (decision 3.12).

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, CONTRACT, FOK, GTC, IOC, SELL, USDC } from '../../../core/units.ts';
import { FLAG_INDEX_AGELESS, FLAG_INDEX_STALE, FLAG_RFQ_ONLY, PUT } from '../../../core/codec/commands.ts';
import { FILL, FILL_PRICE, FILL_SIZE, ORDER_DONE, ORDER_FILLED, ORDER_REASON, ORDER_RESTED } from '../../../core/codec/events.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { MARKET_MAKER, TIER1, UNLIMITED } from '../../../core/tiers.ts';
import { defaultSettings } from '../../../core/settings.ts';
import { Scene } from '../../support/scene.ts';
import { audit } from '../../sim/auditor.ts';

test('orders: the unfilled part of a gtc order rests, that of an ioc order is cancelled; a fok order fills whole or not at all', () => {
  const scene = new Scene();
  assert.equal(scene.sell(1, 1_000, 2), C.OK);
  assert.deepEqual([scene.number(0), scene.number(1), scene.number(2)], [1, 0, 2 * CONTRACT]);
  assert.equal(scene.buy(2, 1_000, 3, { tif: FOK }), C.OK);
  assert.deepEqual([scene.number(1), scene.number(2)], [0, 0]);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FOK_KILLED]);
  assert.equal(scene.held(2), undefined, 'a killed order leaves no row');
  assert.equal(scene.buy(2, 1_000, 0.5, { tif: FOK }), C.OK);
  assert.deepEqual([scene.number(1), scene.number(2)], [0.5 * CONTRACT, 0]);
  assert.equal(scene.buy(2, 1_100, 5, { tif: IOC }), C.OK);
  assert.deepEqual([scene.number(1), scene.number(2)], [1.5 * CONTRACT, 0]);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FILLED, C.DONE_IOC_REST]);
  assert.equal(scene.orders().length, 0);
  assert.equal(scene.sell(1, 1_000, 1), C.OK);
  assert.equal(scene.buy(2, 1_200, 3, { tif: GTC }), C.OK);
  assert.deepEqual([scene.number(1), scene.number(2)], [CONTRACT, 2 * CONTRACT]);
  assert.deepEqual(scene.emitted(ORDER_RESTED, ORDER_REASON), [2 * CONTRACT]);
  assert.equal(scene.cash(1) + scene.cash(2), 2 * 10_000_000 * USDC);
  assert.equal(scene.cash(2), (10_000_000 - 3_000) * USDC);
  audit(scene.state);
});

test('orders: a taker fills at the makers’ prices, best price first, and at one price the oldest order first', () => {
  const scene = new Scene();
  scene.sell(1, 1_010, 1);
  scene.sell(2, 1_000, 1);
  scene.sell(3, 1_000, 1);
  scene.buy(4, 1_010, 2.5);
  assert.deepEqual(scene.emitted(FILL, FILL_PRICE), [1_000, 1_000, 1_010].map((price) => price * USDC));
  assert.deepEqual(scene.emitted(FILL, FILL_SIZE), [1, 1, 0.5].map((size) => size * CONTRACT));
  assert.deepEqual([2, 3, 1].map((wallet) => scene.held(wallet)!.position), [-1, -1, -0.5].map((size) => size * CONTRACT));
  audit(scene.state);
});

test('orders: a taker that meets its own order cancels it and continues; a fok order does not count its own orders', () => {
  const scene = new Scene();
  // Makes the numbers of accounts differ from the numbers of holdings.
  scene.buy(3, 10, 1, { slot: scene.nearest(PUT) });
  scene.buy(3, 10, 1, { slot: scene.nearest(PUT, 'ETH') });
  scene.sell(1, 1_000, 1);
  scene.sell(2, 1_000, 1);
  assert.equal(scene.buy(1, 1_000, 2, { tif: FOK }), C.OK);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_FOK_KILLED]);
  assert.equal(scene.orders(1).length, 1, 'a killed fok cancels nothing');
  scene.buy(1, 1_000, 2);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_REASON), [C.DONE_SELF_TRADE, C.DONE_FILLED]);
  assert.deepEqual([scene.number(1), scene.number(2)], [CONTRACT, CONTRACT]);
  assert.deepEqual(scene.orders(1).map((order) => order.side), [BUY]);
  audit(scene.state);
});

test('orders: a client id is refused while its order is open and free again when the order is done', () => {
  const scene = new Scene();
  assert.equal(scene.sell(1, 1_000, 1, { clientId: 'a' }), C.OK);
  assert.equal(scene.sell(1, 1_001, 1, { clientId: 'a' }), C.DUPLICATE_CLIENT_ID);
  assert.equal(scene.sell(2, 1_001, 1, { clientId: 'a' }), C.OK, 'unique within a wallet only');
  assert.equal(scene.buy(3, 1_000, 1), C.OK);
  assert.equal(scene.sell(1, 1_002, 1, { clientId: 'a' }), C.OK, 'free after the fill');
  assert.equal(scene.send(scene.write.cancelByClientId(1, scene.next(), 'a')), C.OK);
  assert.equal(scene.sell(1, 1_002, 1, { clientId: 'a' }), C.OK, 'free after the cancel');
  assert.equal(scene.buy(3, 900, 1, { clientId: 'ioc', tif: IOC }), C.OK);
  assert.equal(scene.buy(3, 900, 1, { clientId: 'ioc' }), C.OK, 'an ioc never holds one');
  assert.equal(scene.send(scene.write.cancelByClientId(1, scene.next(), 'unknown')), C.NOT_OPEN);
  assert.equal(scene.send(scene.write.cancelByClientId(3, scene.next(), 'a')), C.NOT_OPEN, 'another wallet’s');
});

test('orders: a cancel returns id and filled size; for an unknown, a done or another wallet’s order it returns an error', () => {
  const scene = new Scene();
  scene.sell(1, 1_000, 2);
  scene.buy(2, 1_000, 0.5);
  assert.equal(scene.cancel(2, 1), C.ORDER_NOT_FOUND, 'another wallet’s');
  assert.equal(scene.cancel(1, 99), C.ORDER_NOT_FOUND, 'never issued');
  assert.equal(scene.cancel(1, 0), C.ORDER_NOT_FOUND);
  assert.equal(scene.cancel(1, 2 ** 32 + 1), C.ORDER_NOT_FOUND, 'the high word counts');
  assert.equal(scene.cancel(1, 1), C.OK);
  assert.deepEqual([scene.number(0), scene.number(1)], [1, 0.5 * CONTRACT]);
  assert.ok(scene.state.result.hasImage);
  assert.deepEqual(scene.emitted(ORDER_DONE, ORDER_FILLED), [0.5 * CONTRACT]);
  assert.equal(scene.cancel(1, 1), C.NOT_OPEN, 'again');
  assert.equal(scene.cancel(2, 2), C.NOT_OPEN, 'filled');
});

test('orders: a refused command leaves its nonce unused, an accepted one uses it, for every command', () => {
  const scene = new Scene();
  assert.equal(scene.sell(1, 1_000, 100_000, { nonce: 900 }), C.POSITION_LIMIT);
  assert.equal(scene.sell(1, 1_000, 900, { nonce: 900 }), C.INSUFFICIENT_MARGIN);
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 900 }), C.OK);
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 900 }), C.NONCE_USED);
  assert.equal(scene.send(scene.write.cancel(1, 901, 77)), C.ORDER_NOT_FOUND);
  assert.equal(scene.send(scene.write.cancel(1, 901, 1)), C.OK);
  assert.equal(scene.send(scene.write.cancel(1, 901, 1)), C.NONCE_USED);
  assert.equal(scene.send(scene.write.agent('revoke', 1, 902, 5)), C.AGENT_NOT_FOUND);
  assert.equal(scene.send(scene.write.agent('approve', 1, 902, 6)), C.OK);
  assert.equal(scene.send(scene.write.agent('approve', 1, 902, 6)), C.NONCE_USED);
  assert.equal(scene.sell(2, 1_000, 1, { nonce: 900 }), C.OK, 'nonces are per wallet');
});

test('rejections: refusals for margin, tier1 shorts and unknown orders carry the exact numbers', () => {
  const scene = new Scene();
  assert.equal(scene.sell(1, 1_000_000, 700), C.INSUFFICIENT_MARGIN);
  // At the money: 15 % of 100,000 a contract; an ask above the mark reserves nothing.
  assert.deepEqual([0, 1, 2].map((i) => scene.number(i)), [10_500_000, 10_000_000, 500_000].map((usdc) => usdc * USDC));
  assert.equal(scene.buy(1, 100_000, 100.000001), C.INSUFFICIENT_MARGIN);
  assert.deepEqual([0, 1, 2].map((i) => scene.number(i)), [10_000_000 * USDC + 100_000, 10_000_000 * USDC, 100_000]);
  assert.equal(scene.buy(1, 100_000, 100), C.OK, 'to the last micro');
  assert.equal(scene.buy(1, 0.000001, 0.000001), C.INSUFFICIENT_MARGIN, 'a micro more');
  const slot = scene.nearest(PUT);
  assert.equal(scene.buy(2, 2_000, 1, { slot }), C.OK);
  scene.sell(3, 2_000, 1, { slot });
  scene.send(scene.write.tier(2, TIER1));
  assert.equal(scene.sell(2, 5_000, 0.75, { slot }), C.OK);
  assert.equal(scene.sell(2, 5_000, 0.5, { slot }), C.TIER1_SHORT);
  assert.deepEqual([scene.number(0), scene.number(1)], [CONTRACT, 1.25 * CONTRACT]);
  assert.equal(scene.sell(2, 5_000, 0.25, { slot }), C.OK);
  assert.equal(scene.cancel(2, 123), C.ORDER_NOT_FOUND);
  assert.equal(scene.number(0), 123);
});

test('rejections: an order that fails two checks is refused by the earlier one', () => {
  const poor = defaultSettings();
  poor[0] = 0;
  const scene = new Scene();
  const slot = scene.atm;
  scene.buy(1, 1_000, 1, { clientId: 'dup' });
  scene.venue(scene.write.configure(poor));
  scene.cancel(9, 1);
  scene.send(scene.write.tier(9, TIER1));
  assert.equal(scene.cash(9), 0);
  const { expiry, strike } = scene.contract(slot);
  const unlisted = { strike: strike + 1 };
  const gone = { expiry: scene.now };
  const rfq = { flags: FLAG_RFQ_ONLY };
  const stale = (): void => scene.venue(scene.write.index(0, 0, FLAG_INDEX_STALE));
  const fresh = (): void => scene.venue(scene.write.index(0, 100_000 * USDC, FLAG_INDEX_AGELESS));
  assert.equal(scene.sell(9, 1_000, 1, { ...rfq, ...gone, ...unlisted }), C.RFQ_NOT_AVAILABLE);
  assert.equal(scene.sell(9, 1_000, 1, { ...gone, ...unlisted }), C.EXPIRED);
  assert.equal(scene.sell(1, 1_000, 1, { ...unlisted, clientId: 'dup' }), C.NOT_LISTED);
  assert.equal(scene.sell(9, 1_000, 1), C.NO_FUNDS, 'before tier1');
  assert.equal(scene.buy(1, 1_000_000, 900, { clientId: 'dup' }), C.DUPLICATE_CLIENT_ID, 'before margin');
  scene.venue(scene.write.configure(defaultSettings()));
  scene.buy(8, 1_000, 1, { clientId: 'x' });
  scene.send(scene.write.tier(8, TIER1));
  stale();
  assert.equal(scene.sell(9, 1_000, 1), C.NO_FUNDS);
  assert.equal(scene.sell(8, 1_000, 900, { clientId: 'x' }), C.DUPLICATE_CLIENT_ID);
  assert.equal(scene.sell(8, 1_000, 900), C.TIER1_SHORT, 'before the spot price');
  assert.equal(scene.buy(8, 1_000_000, 900), C.NO_SPOT_PRICE, 'before margin');
  fresh();
  assert.equal(scene.buy(8, 1_000_000, 900), C.INSUFFICIENT_MARGIN);
  assert.ok(expiry > scene.now);
});

test('rejections: an order that only closes, priced near the mark, is accepted without funds and without a spot price', () => {
  const scene = new Scene();
  const mark = Math.round(scene.mark(scene.atm) / USDC);
  assert.equal(scene.sell(1, mark, 100), C.OK);
  assert.equal(scene.buy(2, mark, 100), C.OK);
  // The short loses all it has: the index doubles.
  scene.venue(scene.write.index(0, 200_000 * USDC, FLAG_INDEX_AGELESS | FLAG_INDEX_STALE));
  scene.settle();
  const far = Math.round(scene.mark(scene.atm) / USDC);
  assert.equal(scene.buy(1, far, 1), C.OK, 'only closes');
  assert.equal(scene.buy(1, far, 100), C.NO_SPOT_PRICE, 'with what is open it would turn the position');
  assert.equal(scene.buy(1, far * 1.2, 1), C.NO_SPOT_PRICE, 'beyond the closing distance');
  assert.equal(scene.sell(2, far, 1), C.OK, 'so does the long');
  assert.equal(scene.held(1)!.position, -99 * CONTRACT);
  assert.equal(scene.sell(1, far, 1), C.NO_SPOT_PRICE, 'opening never');
  assert.equal(scene.place(2, SELL, far * 0.95, 99), C.OK, 'five per cent below the mark is within a tenth of it');
  audit(scene.state);
});

test('orders: when all holding rows are taken, the next order is refused with engine_busy until a cancel frees a row', () => {
  const row = {
    orders: UNLIMITED, cancels: UNLIMITED, requests: UNLIMITED, quotes: UNLIMITED, openOrders: UNLIMITED, positions: UNLIMITED,
  };
  const scene = new Scene({ limits: checked({ ...SMALL, holdings: SMALL.instruments }), rules: { table: [row, row, row, row] } });
  const slots = scene.slots((one) => one.kind === PUT && one.underlying === 'BTC');
  const place = (at: number): number => scene.buy(1 + Math.floor(at / slots.length), 10, 0.001, { slot: slots[at % slots.length]! });
  for (let wallet = 1; wallet <= 1 + SMALL.instruments / slots.length; wallet++) {
    scene.cancel(wallet, 0);
    scene.send(scene.write.tier(wallet, MARKET_MAKER));
  }
  for (let i = 0; i < SMALL.instruments; i++) assert.equal(place(i), C.OK);
  assert.equal(place(SMALL.instruments), C.ENGINE_BUSY);
  assert.equal(scene.cancel(1, 1), C.OK);
  assert.equal(place(SMALL.instruments), C.OK);
  audit(scene.state);
});
