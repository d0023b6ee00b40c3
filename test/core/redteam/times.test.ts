// The attacker's aim: act with a request that is too old, twice with one nonce, or with an order whose time is over, at the very
// millisecond at which one rule gives way to another.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { BUY, IOC, MINUTE, SECOND, SELL, USDC } from '../../../core/units.ts';
import { FILL, FILL_SIZE } from '../../../core/codec/events.ts';
import type { RawOrder } from '../../support/raw.ts';
import { hashOf } from '../../support/venue.ts';
import { above, Den } from './den.ts';

const BID = { side: BUY, price: 50 * USDC, size: 1e6 };

/** Each signed command of an order, with one nonce; those that name an order are given one. */
const COMMANDS = {
  place: (den: Den, wallet: number, nonce: number) => (
    den.write.place({ ...den.contract(den.atm), wallet, nonce, ...BID, linkId: 'l', validUntil: den.now + 1 })
  ),
  wait: (den: Den, wallet: number, nonce: number) => (
    den.write.place({ ...den.contract(den.atm), wallet, nonce, ...BID, ...above(200_000) })
  ),
  replace: (den: Den, wallet: number, nonce: number) => (
    den.write.replace({ ...den.contract(den.atm), wallet, nonce, ...BID, postOnly: 1, validUntil: den.now + 1 }, first(den, wallet))
  ),
  amend: (den: Den, wallet: number, nonce: number) => den.write.amendOrder(
    wallet, nonce, { orderId: first(den, wallet), size: 3e6, price: 52 * USDC, validUntil: den.now + 1 },
  ),
  massQuote: (den: Den, wallet: number, nonce: number) => den.write.massQuote({
    wallet, nonce, until: den.now + 1, lines: [{ ...den.contract(den.atm), bid: [1e6, 10 * USDC], ask: [1e6, 90_000 * USDC] }],
  }),
  cancelQuotes: (den: Den, wallet: number, nonce: number) => den.write.cancelQuotes(wallet, nonce, ''),
  voidNonces: (den: Den, wallet: number, nonce: number) => den.write.voidNonces(wallet, nonce, 1),
} as const;

function first(den: Den, wallet: number): number {
  return den.orders(wallet).find(({ id, entry }) => entry !== 0 && den.quotes(wallet).every((quote) => quote.id !== id))!.id;
}

function standing(den: Den): (RawOrder | number)[] {
  return [...den.orders(), ...[1, 2].map((wallet) => (den.account(wallet) < 0 ? 0 : den.cash(wallet)))];
}

function prepared(): Den {
  const den = new Den();
  den.order(1, BUY, 40, 1, { slot: den.atm });
  den.quote(1, [{ bid: [2, 20] }]);
  return den;
}

test('attack: send a signed command again, or another one with its nonce', () => {
  for (const [name, write] of Object.entries(COMMANDS)) {
    const den = prepared();
    const nonce = den.next();
    assert.equal(den.send(write(den, 1, nonce)), C.OK, name);
    const before = hashOf(den.state);
    for (const [other, again] of Object.entries(COMMANDS)) {
      if (den.orders(1).every(({ flags }) => flags >= 128) && (other === 'replace' || other === 'amend')) continue;
      assert.equal(den.send(again(den, 1, nonce)), C.NONCE_USED, `${name}, then ${other}`);
    }
    assert.equal(hashOf(den.state), before, 'and nothing has moved');
    assert.equal(den.send(COMMANDS.place(den, 7, nonce)), C.OK, 'the nonce of another wallet is its own');
  }
});

test('attack: a request comes at its valid_until; one millisecond earlier it is in time', () => {
  for (const name of ['place', 'replace', 'amend', 'massQuote'] as const) {
    const den = prepared();
    const nonce = den.next();
    const views = COMMANDS[name](den, 1, nonce);
    den.now++;
    const before = standing(den);
    assert.equal(den.send(views), C.TOO_LATE, name);
    assert.deepEqual(standing(den), before, `${name}: nothing has moved`);
    assert.equal(den.send(COMMANDS[name](den, 1, nonce)), C.OK, `${name}: a refusal for its time leaves the nonce to a new request`);
  }
});

test('attack: an order is good until the very millisecond at which its contract expires; it ends once and trades no more', () => {
  for (const more of [0, -1, 1]) {
    const den = new Den();
    const { expiry } = den.contract(den.atm);
    den.now = expiry - 40 * MINUTE;
    den.venue(den.write.index(0, 100_000 * USDC, 1));
    den.settle();
    const held = { slot: den.atm, expiresAt: expiry + more };
    const id = den.order(1, SELL, 500, 1, held);
    const waits = den.order(1, BUY, 500, 1, { ...held, ...above(150_000), expiresAt: expiry + more });
    den.now = expiry - 2;
    den.venue(den.write.index(0, 100_000 * USDC, 1));
    den.settle();
    assert.equal(den.left(id), 1);
    den.look();
    den.now = expiry;
    den.place(2, BUY, 500, 1, { slot: den.atm, tif: IOC });
    assert.deepEqual(den.heard(FILL, FILL_SIZE), [], 'no fill at the expiry');
    den.settle();
    den.advance(SECOND);
    assert.deepEqual([...den.ends().keys()].sort((a, b) => a - b), [id, waits], 'each ends, once');
    assert.ok([...den.ends().values()].every((reason) => reason === C.DONE_ORDER_EXPIRED || reason === C.DONE_EXPIRED));
    if (more < 0) assert.deepEqual([...den.ends().values()], [C.DONE_ORDER_EXPIRED, C.DONE_ORDER_EXPIRED]);
    assert.equal(den.orders().length, 0);
  }
});

test('attack: an order past its expires_at is amended, replaced or kept by a quote before the tick that ends it', () => {
  const den = new Den();
  const ids = [1, 2, 3].map(() => den.order(1, BUY, 90_000, 1, { expiresAt: den.now + SECOND }));
  den.now += SECOND;
  assert.equal(den.amend(1, ids[0]!, 95_000, 2), C.NOT_OPEN);
  assert.equal(den.amend(1, ids[0]!, 90_000, 0.5), C.NOT_OPEN, 'nor made smaller');
  assert.equal(den.replace(1, ids[1]!, BUY, 95_000, 1, { slot: den.perp }), C.NOT_OPEN);
  den.order(2, SELL, 80_000, 5, { tif: IOC });
  assert.equal(den.size(2), 0);
  assert.equal(den.orders(1).length, 0);
});
