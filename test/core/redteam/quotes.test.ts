// The attacker's aim: with mass quotes, stand before others without having waited, mark a price at which he never trades, bring an old
// page back, or take room and quotes of others.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, IOC, SECOND, SELL, USDC } from '../../../core/units.ts';
import { CALL, POST_ONLY_SLIDE } from '../../../core/codec/commands.ts';
import { FILL, FILL_MAKER } from '../../../core/codec/events.ts';
import { checked, SMALL } from '../../../core/limits.ts';
import { DEFAULT_LIMITS } from '../../../core/tiers.ts';
import { check } from '../trading/support.ts';
import { AttackScene } from './attack-scene.ts';

const UNTIL_BELIEVED = 6;

/** Who is filled first by a buyer of the smallest size. */
function firstInLine(scene: AttackScene): number {
  scene.look();
  scene.order(9, BUY, 1_000_000, 0.000001, { tif: IOC, slot: scene.atm });
  const [maker] = scene.heard(FILL, FILL_MAKER);
  return [1, 2, 3].find((wallet) => scene.account(wallet) === maker)!;
}

test('attack: keep a place in line while the quote grows, leaves or changes its price; only a reduction keeps it', () => {
  for (const [page, first] of [
    [[{ ask: [4, 500] }], 1], [[{ ask: [6, 500] }], 2], [[{ ask: [6, null] }], 2], [[{ ask: [4, null] }], 1],
  ] as const) {
    const scene = new AttackScene();
    scene.quote(1, [{ ask: [5, 500] }]);
    scene.order(2, SELL, 500, 5, { slot: scene.atm });
    assert.equal(scene.quote(1, page), C.OK);
    assert.equal(firstInLine(scene), first, JSON.stringify(page));
  }
  for (const away of [[{ ask: [0, null] }], [{ ask: [5, 600] }]] as const) {
    const scene = new AttackScene();
    scene.quote(1, [{ ask: [5, 500] }]);
    scene.order(2, SELL, 500, 5, { slot: scene.atm });
    scene.quote(1, away);
    scene.quote(1, [{ ask: [5, 500] }]);
    assert.equal(firstInLine(scene), 2, 'who went away comes back last');
  }
  const scene = new AttackScene();
  scene.quote(1, [{ ask: [5, 500] }]);
  scene.order(2, SELL, 500, 5, { slot: scene.atm });
  scene.quote(1, [{ ask: [1, 500] }]);
  scene.quote(1, [{ ask: [5, 500] }]);
  assert.equal(firstInLine(scene), 2, 'who was reduced cannot grow in place');
});

test('attack: shrink and grow, or slide, to mark a price for which nobody could have traded', () => {
  const scene = new AttackScene();
  const theo = scene.state.valuation.theo[scene.atm]! / USDC;
  const [bid, ask] = [1.01, 1.018].map((factor) => Number((theo * factor).toPrecision(5)));
  const page = (size: number): void => {
    for (const [wallet, set] of [[1, 'a'], [2, 'b']] as const) {
      assert.equal(scene.quote(wallet, [{ bid: [size, bid!], ask: [size, ask!] }], { set, crossing: POST_ONLY_SLIDE }), C.OK);
    }
  };
  const second = (): void => {
    scene.now += SECOND;
    scene.venue(scene.write.index(0, 100_000 * USDC, 1));
    scene.settle();
  };
  const isMoved = (): boolean => scene.mark(scene.atm) !== scene.state.valuation.theo[scene.atm];
  page(20);
  for (let i = 0; i < UNTIL_BELIEVED; i++) second();
  assert.ok(isMoved(), 'quotes that stand are believed');
  page(10);
  second();
  page(20);
  second();
  assert.ok(!isMoved(), 'who has grown waits again');
  for (let i = 0; i < UNTIL_BELIEVED; i++) {
    page(i % 2 === 0 ? 21 : 20.5);
    page(i % 2 === 0 ? 22 : 23);
    second();
    assert.ok(!isMoved(), 'who grows every second is never believed');
  }
  for (let i = 0; i < UNTIL_BELIEVED; i++) second();
  assert.ok(isMoved());
  assert.equal(scene.cancelQuotes(1), C.OK);
  scene.venue(scene.write.tradingMode(1, 0));
  second();
  assert.ok(!isMoved(), 'ended quotes and a market that is not open move nothing');
});

test('attack: a page that was held back comes after a newer one, a cancel of quotes or a cancel of all', () => {
  for (const newer of ['page', 'cancelQuotes', 'cancelAll', 'cancelAllOfUnderlying'] as const) {
    const scene = new AttackScene();
    const held = scene.next();
    const nonce = scene.next();
    if (newer === 'page') scene.quote(1, [{ bid: [1, 100] }], { nonce });
    else if (newer === 'cancelQuotes') scene.cancelQuotes(1, '', {}, nonce);
    else scene.send(scene.write.cancelAll(1, nonce, newer === 'cancelAll' ? {} : { underlying: 'BTC' }));
    assert.equal(scene.quote(1, [{ bid: [9, 200] }], { nonce: held }), C.NEWER_QUOTES, newer);
    assert.equal(scene.quote(1, [{ bid: [9, 200] }], { nonce: held, until: scene.now }), C.TOO_LATE, 'neither uses the nonce');
    assert.deepEqual(scene.page(1), newer === 'page' ? ['bid 1@100'] : []);
    assert.equal(scene.quote(3, [{ bid: [1, 100] }], { nonce: held }), C.OK, 'other wallets are free');
  }
  const scene = new AttackScene();
  const held = scene.next();
  scene.cancelQuotes(1, '', { underlying: 'ETH' });
  assert.equal(scene.quote(1, [{ bid: [1, 100] }], { nonce: held }), C.OK, 'another underlying was touched');
});

test('attack: take another wallet’s quotes or its rows', () => {
  const limits = checked({ ...SMALL, orders: 200, holdings: 1_024 });
  const row = { ...DEFAULT_LIMITS[0]!, openOrders: -1, positions: -1 };
  const scene = new AttackScene({ limits, rules: { table: [row, row, row, row] } });
  const calls = scene.slots(({ kind, underlying }) => kind === CALL && underlying === 'BTC').slice(0, 60);
  scene.send(scene.write.tier(8, 3));
  assert.equal(scene.quote(1, [{ bid: [1, 100], ask: [1, 200_000] }]), C.OK);
  assert.equal(scene.quote(2, [{ bid: [0, null], ask: [0, null] }]), C.OK, 'the same set of another wallet');
  assert.equal(scene.page(1).length, 2);
  const small = (wallet: number, from: number, to: number): number => (
    scene.quote(wallet, calls.slice(from, to).map((slot) => ({ slot, bid: [0.001, 0.5], ask: [0.001, 400_000] })))
  );
  for (let wallet = 20; wallet < 28; wallet++) small(wallet, 0, 10);
  assert.equal(small(30, 0, 60), C.ENGINE_BUSY, 'the part of small tiers is full');
  assert.equal(scene.quotes(30).length, 0, 'and nothing of the page is done');
  assert.equal(small(8, 0, 25), C.OK, 'a market maker has the rest');
  assert.equal(scene.quotes(8).length, 50);
  assert.equal(scene.page(1).length, 2, 'nobody lost a quote');
  assert.equal(small(20, 0, 10), C.ENGINE_BUSY, 'room is counted as if no quote was open');
  assert.equal(scene.quote(20, [{ slot: calls[0]!, bid: [0, null], ask: [0, null] }]), C.OK, 'a removal needs none');
  check(scene.state);
});
