// Signed commands that have not been executed can become void: when a wallet voids its nonces, when it revokes an agent, and
// when a signed tier was refused.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { isApprovalVoid, voidApprovals, createRevocations, revocationSections } from '../../../core/accounts/revocations.ts';
import { FLAG_WALLET_NAMED } from '../../../core/codec/signed-commands.ts';
import { NONCE_TAKEN, REFUSED } from '../../../core/codec/events.ts';
import { AGENTS_PER_WALLET, checked, REVOCATIONS_PER_WALLET, SMALL } from '../../../core/limits.ts';
import { TIER2 } from '../../../core/tiers.ts';
import { createState } from '../../../core/engine/state.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { walletWords } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import { hashOf } from '../../support/venue.ts';

function agent(scene: Scene, act: 'approve' | 'revoke', wallet: number, nonce: number, of: number, named = 0): number {
  return scene.send(scene.write.agent(act, wallet, nonce, of, 0, named));
}

test('when a wallet voids its nonces up to a number, every command with a nonce up to that number is refused as used', () => {
  const scene = new Scene();
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 10 }), C.OK);
  assert.equal(scene.send(scene.write.voidNonces(1, 50, 40)), C.OK);
  for (const nonce of [0, 9, 10, 11, 39, 40, 50]) assert.equal(scene.sell(1, 1_000, 1, { nonce }), C.NONCE_USED, `${nonce}`);
  assert.equal(scene.send(scene.write.voidNonces(1, 50, 50)), C.NONCE_USED, 'nor does it act again itself');
  for (const nonce of [41, 49, 51]) assert.equal(scene.sell(1, 1_000, 1, { nonce }), C.OK, `${nonce} is above`);
  assert.equal(scene.sell(2, 1_000, 1, { nonce: 10 }), C.OK, 'another wallet has its own');
  assert.equal(scene.send(scene.write.voidNonces(1, 60, 20)), C.OK, 'a lower one takes nothing back');
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 30 }), C.NONCE_USED);
  assert.equal(scene.send(scene.write.voidNonces(1, 70, 70)), C.OK, 'its own nonce may be the last');
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 69 }), C.NONCE_USED);
  assert.equal(scene.orders(1).length, 4, 'orders that stand stay');
  const loaded = createState(SMALL);
  restoreState(loaded, copyOf(scene.state));
  assert.equal(hashOf(scene.replay(createState(SMALL))), scene.hash());
  assert.equal(hashOf(loaded), scene.hash());
});

test('a wallet can void its nonces, also as its first command; an agent cannot', () => {
  const scene = new Scene();
  assert.equal(agent(scene, 'approve', 1, 70, 50, FLAG_WALLET_NAMED), C.OK);
  assert.equal(scene.cancel(1, 0, 50), C.ORDER_NOT_FOUND);
  assert.equal(scene.send(scene.write.voidNonces(1, 90, 90, 50)), C.UNAUTHORIZED);
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 80 }), C.OK);
  assert.equal(scene.send(scene.write.voidNonces(2, 90, 80)), C.OK);
  assert.ok(scene.account(2) >= 0);
  assert.equal(scene.sell(2, 1_000, 1, { nonce: 80 }), C.NONCE_USED);
});

test('an approval with a lower nonce than the revocation of its agent is refused', () => {
  const scene = new Scene();
  scene.cancel(1, 0, 1);
  assert.equal(agent(scene, 'approve', 1, 100, 50), C.OK);
  assert.equal(agent(scene, 'revoke', 1, 200, 50), C.OK);
  for (const nonce of [101, 150, 199]) assert.equal(agent(scene, 'approve', 1, nonce, 50), C.APPROVAL_VOID, `${nonce}`);
  assert.equal(agent(scene, 'approve', 1, 150, 51), C.OK, 'another agent’s approvals stay valid');
  assert.equal(agent(scene, 'approve', 2, 150, 50, FLAG_WALLET_NAMED), C.OK, 'nor another wallet’s');
  assert.equal(scene.cancel(1, 0, 50), C.UNAUTHORIZED);
  assert.equal(agent(scene, 'approve', 1, 201, 50), C.OK);
  assert.equal(scene.cancel(1, 0, 50), C.ORDER_NOT_FOUND);
  assert.equal(agent(scene, 'revoke', 1, 180, 50), C.OK, 'a revocation that was late ends it and voids no more than before');
  assert.equal(agent(scene, 'approve', 1, 190, 50), C.APPROVAL_VOID);
  assert.equal(agent(scene, 'approve', 1, 202, 50), C.OK);
});

test('the revocation of an unknown agent voids approvals of it that arrive later with a nonce up to the revocation’s', () => {
  const scene = new Scene();
  scene.cancel(1, 0, 1);
  assert.equal(agent(scene, 'revoke', 1, 200, 50), C.AGENT_NOT_FOUND);
  assert.equal(agent(scene, 'approve', 1, 200, 50), C.APPROVAL_VOID, 'its nonce is unused, but the approval is void');
  assert.equal(agent(scene, 'approve', 1, 199, 50), C.APPROVAL_VOID);
  assert.equal(agent(scene, 'approve', 1, 200, 51), C.OK);
  assert.equal(agent(scene, 'approve', 1, 201, 50), C.OK);
});

test('a revocation of all agents voids the approvals of every agent with a lower nonce', () => {
  const scene = new Scene();
  assert.equal(agent(scene, 'approve', 1, 1, 50, FLAG_WALLET_NAMED), C.OK);
  assert.equal(agent(scene, 'revoke', 1, 400, 52), C.AGENT_NOT_FOUND);
  assert.equal(scene.send(scene.write.revokeAll(1, 300)), C.OK);
  for (const one of [50, 51]) {
    assert.equal(agent(scene, 'approve', 1, 299, one), C.APPROVAL_VOID);
    assert.equal(agent(scene, 'approve', 1, 301 + one, one), C.OK);
  }
  assert.equal(agent(scene, 'approve', 1, 399, 52), C.APPROVAL_VOID, 'a revocation that voids more stays in force');
  const loaded = createState(SMALL);
  restoreState(loaded, copyOf(scene.state));
  const again = new Scene({ state: loaded });
  assert.equal(agent(again, 'approve', 1, 298, 53), C.APPROVAL_VOID, 'also after a load');
  assert.equal(agent(again, 'approve', 1, 398, 52), C.APPROVAL_VOID);
});

test('when no row for another revocation is left, it counts for all agents of the wallet: it voids more, never less', () => {
  const limits = checked({ ...SMALL, revocations: REVOCATIONS_PER_WALLET + 1, agents: AGENTS_PER_WALLET * 2 });
  const scene = new Scene({ limits });
  for (const wallet of [1, 2]) scene.cancel(wallet, 0, wallet);
  for (let i = 0; i < REVOCATIONS_PER_WALLET; i++) agent(scene, 'revoke', 1, 1_000 + 10 * i, 100 + i);
  assert.equal(agent(scene, 'approve', 1, 999, 200), C.OK, 'each is remembered by itself');
  agent(scene, 'revoke', 1, 5_000, 300);
  assert.equal(agent(scene, 'approve', 1, 998, 201), C.APPROVAL_VOID, 'the lowest counts for all agents now');
  assert.equal(agent(scene, 'approve', 1, 1_001, 201), C.OK);
  assert.equal(agent(scene, 'approve', 1, 1_009, 101), C.APPROVAL_VOID);
  assert.equal(agent(scene, 'approve', 1, 4_999, 300), C.APPROVAL_VOID);
  agent(scene, 'revoke', 1, 900, 301);
  assert.equal(agent(scene, 'approve', 1, 1_002, 301), C.OK, 'a revocation below that lowest one changes nothing');
  agent(scene, 'revoke', 2, 50, 100);
  assert.equal(agent(scene, 'approve', 2, 40, 101), C.OK, 'the last row of the pool');
  agent(scene, 'revoke', 2, 30, 101);
  assert.equal(agent(scene, 'approve', 2, 29, 102), C.APPROVAL_VOID, 'without a row it counts for all agents of the wallet');
  assert.equal(agent(scene, 'approve', 2, 31, 102), C.OK);
  assert.equal(agent(scene, 'approve', 2, 49, 100), C.APPROVAL_VOID);
  assert.equal(scene.send(scene.write.revokeAll(1, 6_000)), C.OK);
  for (let i = 0; i < REVOCATIONS_PER_WALLET; i++) agent(scene, 'revoke', 1, 7_000 + i, 100 + i);
  assert.equal(agent(scene, 'approve', 1, 6_999, 400), C.OK, 'rows that no longer void anything are free again');
  assert.equal(hashOf(scene.replay(createState(limits))), scene.hash());
});

test('revocations with nonces at both ends of u64 are compared exactly', () => {
  const most = 0xffff_ffff;
  const r = createRevocations(4, 2);
  const [one, two] = [walletWords(1), walletWords(2)];
  voidApprovals(r, 1, one, 0, most, 6);
  for (const [lo, hi, isVoid] of [[0, 0, true], [most, 6, true], [0, 7, false]] as const) {
    assert.equal(isApprovalVoid(r, 1, one, 0, lo, hi), isVoid);
  }
  voidApprovals(r, 1, two, 0, 0, 0);
  assert.deepEqual([isApprovalVoid(r, 1, two, 0, 0, 0), isApprovalVoid(r, 1, two, 0, 1, 0)], [true, false]);
  assert.equal(isApprovalVoid(r, 0, two, 0, 0, 0), false, 'a nonce of 0 is one like any other');
  voidApprovals(r, 1, two, 0, most, most);
  assert.equal(isApprovalVoid(r, 1, two, 0, most - 1, most), true);
  assert.deepEqual(revocationSections(r).map((section) => section.used()), [3, 2, 4, 14, 2]);
});

test('a signed tier that is refused uses its nonce, and opens no account', () => {
  const scene = new Scene({ rules: { adminWallets: walletWords(9) } });
  assert.equal(scene.send(scene.write.signedTier(1, 4, 9, 51)), C.INVALID_TIER);
  assert.deepEqual([scene.emitted(REFUSED, 1), scene.emitted(NONCE_TAKEN, 1)], [[scene.account(9)], []]);
  assert.equal(scene.account(1), -1);
  assert.equal(scene.send(scene.write.signedTier(1, TIER2, 9, 51)), C.NONCE_USED);
  assert.equal(scene.send(scene.write.signedTier(1, TIER2, 9, 52)), C.OK);
  assert.equal(hashOf(scene.replay(createState(SMALL))), scene.hash());
});
