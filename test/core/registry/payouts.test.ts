// Payouts and their seen flags (wire 2.4, decisions 6.5 and 6.9): ids from 1, marked as seen once and only by their own wallet; the
// oldest are dropped when there is no room for more.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { PAYOUT_ID, PAYOUT_SEEN, POSITION_SETTLED, SETTLED_PAYOUT_ID } from '../../../core/codec/events.ts';
import { checked, PAYOUT_IDS_A_COMMAND, SMALL } from '../../../core/limits.ts';
import { addPayout, createPayouts } from '../../../core/registry/payouts.ts';
import { RegistryScene, reload } from './support.ts';

/** Payouts of wallets 1 and 2 in turn, without the expiries that make them. */
function scene(payouts: number, limits = SMALL): RegistryScene {
  const one = new RegistryScene({ limits });
  one.cancel(1, 0);
  one.cancel(2, 0);
  for (let id = 1; id <= payouts; id++) assert.equal(addPayout(one.state.payouts, one.account(1 + (id - 1) % 2)), id);
  return one;
}

test('payouts: an expiry gives each position a payout, which only its wallet can mark as seen, once', () => {
  const one = new RegistryScene();
  one.sell(1, 1_000, 1);
  one.buy(2, 1_000, 1);
  const { expiry } = one.contract(one.atm);
  const ids: number[] = [];
  const listener = one.state.events.listener!;
  one.state.events.listener = (kind, slots) => {
    listener(kind, slots);
    if (kind === POSITION_SETTLED) ids.push(slots[SETTLED_PAYOUT_ID]!);
  };
  while (one.now <= expiry + 2_000) one.advance(600_000);
  one.venue(one.write.settlementPrice(0, expiry, 100_000_000_000));
  one.settle();
  assert.deepEqual(ids, [1, 2]);
  const mine = one.see(1, 1) === C.OK ? 1 : 2;
  assert.equal(one.see(1, mine), C.OK);
  assert.deepEqual([one.number(0), one.number(1)], [1, 0], 'seen already');
  assert.equal(one.see(2, mine), C.NOT_OWN_PAYOUT);
  assert.equal(one.see(2, 3 - mine), C.OK);
  assert.equal(one.number(1), 1);
});

test('payouts: the reply counts changed payouts; unknown ids do not count, repeated ids count once', () => {
  const one = scene(6);
  assert.equal(one.see(1, 1, 3, 3, 7, 99), C.OK);
  assert.deepEqual([one.number(0), one.number(1)], [5, 2]);
  assert.deepEqual(one.emitted(PAYOUT_SEEN, PAYOUT_ID), [1, 3]);
  assert.equal(one.see(1, 1, 3, 5), C.OK);
  assert.deepEqual([one.number(1), one.emitted(PAYOUT_SEEN, PAYOUT_ID)], [1, [5]]);
});

test('payouts: an id of another wallet refuses the whole command, marks nothing and leaves the nonce unused', () => {
  const one = scene(4);
  const nonce = one.next();
  assert.equal(one.send(one.write.seePayouts(1, nonce, [1, 3, 2])), C.NOT_OWN_PAYOUT);
  assert.equal(one.number(0), 2);
  assert.equal(one.emitted(PAYOUT_SEEN, PAYOUT_ID).length, 0);
  assert.equal(one.send(one.write.seePayouts(1, nonce, [1, 3])), C.OK);
  assert.equal(one.number(1), 2);
});

test('payouts: when the store is full, the oldest are dropped and the newest keep their owners, also after a load', () => {
  const room = 4;
  const one = scene(11, checked({ ...SMALL, payouts: room }));
  for (const state of [one.state, reload(one.state)]) {
    assert.deepEqual([...state.payouts.account.subarray(0, room)], [9, 10, 11, 8].map((id) => one.account(1 + (id - 1) % 2)));
  }
  assert.equal(one.see(1, 7), C.OK, 'id 7 was wallet 1’s; it is forgotten');
  assert.equal(one.number(1), 0);
  assert.equal(one.see(1, 8), C.NOT_OWN_PAYOUT);
  assert.equal(one.see(1, 9, 11), C.OK);
  assert.equal(one.number(1), 2);
  addPayout(one.state.payouts, one.account(2));
  addPayout(one.state.payouts, one.account(1));
  assert.equal(one.see(1, 13), C.OK);
  assert.equal(one.number(1), 1, 'a reused row is unseen again');
});

test('payouts: one command can mark a hundred as seen; a new store is empty', () => {
  const one = scene(2 * PAYOUT_IDS_A_COMMAND);
  const ids = Array.from({ length: PAYOUT_IDS_A_COMMAND }, (_, i) => 2 * i + 1);
  assert.equal(one.see(1, ...ids), C.OK);
  assert.deepEqual([one.number(0), one.number(1)], [PAYOUT_IDS_A_COMMAND, PAYOUT_IDS_A_COMMAND]);
  const none = createPayouts(4);
  assert.equal(none.counters[0], 0);
});
