// The attacker's aim: act with a request that is too old, twice with one nonce, or with an order whose time is over, at the very
// millisecond at which one rule gives way to another.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, IOC, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { FILL, FILL_SIZE } from '../../../core/codec/events.ts';
import type { RawOrder } from '../../support/raw.ts';
import { hashOf } from '../../support/venue.ts';
import { above, AttackScene } from './attack-scene.ts';

const BID = { side: BUY, price: 50 * USDC, size: 1e6 };

/** Each signed command of an order, with one nonce; those that name an order are given one. */
const COMMANDS = {
  place: (scene: AttackScene, wallet: number, nonce: number) => (
    scene.write.place({ ...scene.contract(scene.atm), wallet, nonce, ...BID, linkId: 'l', validUntil: scene.now + 1 })
  ),
  wait: (scene: AttackScene, wallet: number, nonce: number) => (
    scene.write.place({ ...scene.contract(scene.atm), wallet, nonce, ...BID, ...above(200_000) })
  ),
  replace: (scene: AttackScene, wallet: number, nonce: number) => (
    scene.write.replace(
      { ...scene.contract(scene.atm), wallet, nonce, ...BID, postOnly: 1, validUntil: scene.now + 1 }, first(scene, wallet),
    )
  ),
  amend: (scene: AttackScene, wallet: number, nonce: number) => scene.write.amendOrder(
    wallet, nonce, { orderId: first(scene, wallet), size: 3e6, price: 52 * USDC, validUntil: scene.now + 1 },
  ),
  massQuote: (scene: AttackScene, wallet: number, nonce: number) => scene.write.massQuote({
    wallet, nonce, until: scene.now + 1, lines: [{ ...scene.contract(scene.atm), bid: [1e6, 10 * USDC], ask: [1e6, 90_000 * USDC] }],
  }),
  cancelQuotes: (scene: AttackScene, wallet: number, nonce: number) => scene.write.cancelQuotes(wallet, nonce, ''),
  voidNonces: (scene: AttackScene, wallet: number, nonce: number) => scene.write.voidNonces(wallet, nonce, 1),
} as const;

function first(scene: AttackScene, wallet: number): number {
  return scene.orders(wallet).find(({ id, entry }) => entry !== 0 && scene.quotes(wallet).every((quote) => quote.id !== id))!.id;
}

function standing(scene: AttackScene): (RawOrder | number)[] {
  return [...scene.orders(), ...[1, 2].map((wallet) => (scene.account(wallet) < 0 ? 0 : scene.cash(wallet)))];
}

function prepared(): AttackScene {
  const scene = new AttackScene();
  scene.order(1, BUY, 40, 1, { slot: scene.atm });
  scene.quote(1, [{ bid: [2, 20] }]);
  return scene;
}

test('attack: send a signed command again, or another one with its nonce', () => {
  for (const [name, write] of Object.entries(COMMANDS)) {
    const scene = prepared();
    const nonce = scene.next();
    assert.equal(scene.send(write(scene, 1, nonce)), C.OK, name);
    const before = hashOf(scene.state);
    for (const [other, again] of Object.entries(COMMANDS)) {
      if (scene.orders(1).every(({ flags }) => flags >= 128) && (other === 'replace' || other === 'amend')) continue;
      assert.equal(scene.send(again(scene, 1, nonce)), C.NONCE_USED, `${name}, then ${other}`);
    }
    assert.equal(hashOf(scene.state), before, 'and nothing has moved');
    assert.equal(scene.send(COMMANDS.place(scene, 7, nonce)), C.OK, 'the nonce of another wallet is its own');
  }
});

test('attack: a request comes at its valid_until; one millisecond earlier it is in time', () => {
  for (const name of ['place', 'replace', 'amend', 'massQuote'] as const) {
    const scene = prepared();
    const nonce = scene.next();
    const views = COMMANDS[name](scene, 1, nonce);
    scene.now++;
    const before = standing(scene);
    assert.equal(scene.send(views), C.TOO_LATE, name);
    assert.deepEqual(standing(scene), before, `${name}: nothing has moved`);
    assert.equal(scene.send(COMMANDS[name](scene, 1, nonce)), C.OK, `${name}: a refusal for its time leaves the nonce to a new request`);
  }
});

test('attack: an order is good until the very millisecond at which its contract expires; it ends once and trades no more', () => {
  for (const more of [0, -1, 1]) {
    const scene = new AttackScene();
    const { expiry } = scene.contract(scene.atm);
    scene.now = expiry - 40 * MINUTE;
    scene.venue(scene.write.index(0, 100_000 * USDC, 1));
    scene.settle();
    const held = { slot: scene.atm, expiresAt: expiry + more };
    const id = scene.order(1, SELL, 500, 1, held);
    const waits = scene.order(1, BUY, 500, 1, { ...held, ...above(150_000), expiresAt: expiry + more });
    scene.now = expiry - 2;
    scene.venue(scene.write.index(0, 100_000 * USDC, 1));
    scene.settle();
    assert.equal(scene.left(id), 1);
    scene.look();
    scene.now = expiry;
    scene.place(2, BUY, 500, 1, { slot: scene.atm, tif: IOC });
    assert.deepEqual(scene.heard(FILL, FILL_SIZE), [], 'no fill at the expiry');
    scene.settle();
    scene.advance(SECOND);
    assert.deepEqual([...scene.ends().keys()].sort((a, b) => a - b), [id, waits], 'each ends, once');
    assert.ok([...scene.ends().values()].every((reason) => reason === C.DONE_ORDER_EXPIRED || reason === C.DONE_EXPIRED));
    if (more < 0) assert.deepEqual([...scene.ends().values()], [C.DONE_ORDER_EXPIRED, C.DONE_ORDER_EXPIRED]);
    assert.equal(scene.orders().length, 0);
  }
});

test('attack: an order past its expires_at is amended, replaced or kept by a quote before the tick that ends it', () => {
  const scene = new AttackScene();
  const ids = [1, 2, 3].map(() => scene.order(1, BUY, 90_000, 1, { expiresAt: scene.now + SECOND }));
  scene.now += SECOND;
  assert.equal(scene.amend(1, ids[0]!, 95_000, 2), C.NOT_OPEN);
  assert.equal(scene.amend(1, ids[0]!, 90_000, 0.5), C.NOT_OPEN, 'nor made smaller');
  assert.equal(scene.replace(1, ids[1]!, BUY, 95_000, 1, { slot: scene.perp }), C.NOT_OPEN);
  scene.order(2, SELL, 80_000, 5, { tif: IOC });
  assert.equal(scene.size(2), 0);
  assert.equal(scene.orders(1).length, 0);
});
