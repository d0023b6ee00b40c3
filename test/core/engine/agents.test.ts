// Agents: who may act for a wallet at the time of a command, pending approvals by wallets without an account, and the limit of
// 64 agents a wallet.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { CONTRACT, HOUR, MINUTE, USDC } from '../../../core/units.ts';
import { FLAG_WALLET_NAMED } from '../../../core/codec/signed-commands.ts';
import { ACCOUNT, ACCOUNT_OPENED, AGENT_APPROVED, AGENT_REVOKED, NONCE_TAKEN } from '../../../core/codec/events.ts';
import { AGENTS_PER_WALLET, checked, PENDING_PER_WALLET, SMALL } from '../../../core/limits.ts';
import { MARKET_MAKER, TIER1, TIER2 } from '../../../core/tiers.ts';
import { createState } from '../../../core/engine/state.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { Scene } from '../../support/scene.ts';
import { hashOf } from '../../support/venue.ts';

function approve(scene: Scene, wallet: number, agent: number, expires = 0, nonce = scene.next(), named = 0): number {
  return scene.send(scene.write.agent('approve', wallet, nonce, agent, expires, named));
}

function revoke(scene: Scene, wallet: number, agent: number): number {
  return scene.send(scene.write.agent('revoke', wallet, scene.next(), agent));
}

test('agents: an approved agent can act for its wallet until it is revoked or expires, to the millisecond', () => {
  const scene = new Scene();
  scene.sell(1, 1_000, 1);
  assert.equal(scene.sell(1, 1_000, 1, { signer: 50 }), C.UNAUTHORIZED);
  assert.equal(approve(scene, 1, 50), C.OK);
  assert.equal(scene.sell(1, 1_000, 1, { signer: 50 }), C.OK);
  assert.equal(scene.cancel(1, 1, 50), C.OK);
  assert.equal(scene.sell(2, 1_000, 1, { signer: 50 }), C.UNAUTHORIZED, 'for its wallet only');
  assert.equal(revoke(scene, 1, 50), C.OK);
  assert.equal(revoke(scene, 1, 50), C.AGENT_NOT_FOUND);
  assert.equal(scene.cancel(1, 2, 50), C.UNAUTHORIZED);
  const end = scene.now + MINUTE;
  assert.equal(approve(scene, 1, 51, end), C.OK);
  scene.now = end - 1;
  assert.equal(scene.sell(1, 1_000, 1, { signer: 51 }), C.OK);
  scene.now = end;
  assert.equal(scene.sell(1, 1_000, 1, { signer: 51 }), C.UNAUTHORIZED);
  assert.equal(revoke(scene, 1, 51), C.AGENT_NOT_FOUND, 'an expired agent is not found');
  assert.equal(approve(scene, 1, 51, end + 1), C.OK, 'a new expiry brings it back');
  assert.equal(scene.cancel(1, 2, 51), C.OK);
});

test('agents: an agent can neither approve nor revoke agents', () => {
  const scene = new Scene();
  approve(scene, 1, 50, 0, 1, FLAG_WALLET_NAMED);
  for (const kind of ['approve', 'revoke'] as const) {
    scene.write.agent(kind, 1, scene.next(), 50);
    assert.equal(scene.send(scene.write.amend({ signer: 50 })), C.UNAUTHORIZED);
  }
});

test('agents: one command of the wallet itself revokes all its agents; expired agents are not counted', () => {
  const scene = new Scene();
  const revokeAll = (wallet: number, named = 0): number => scene.send(scene.write.revokeAll(wallet, scene.next(), named));
  assert.equal(revokeAll(1), C.AGENT_NOT_FOUND, 'a wallet without an account that is not named has none');
  assert.equal(revokeAll(1, FLAG_WALLET_NAMED), C.OK);
  assert.ok(scene.account(1) >= 0, 'an account opens when its wallet is named');
  for (const agent of [50, 51, 52]) approve(scene, 1, agent, agent === 51 ? scene.now + MINUTE : 0);
  approve(scene, 2, 50, 0, scene.next(), FLAG_WALLET_NAMED);
  scene.write.revokeAll(1, scene.next());
  assert.equal(scene.send(scene.write.amend({ signer: 50 })), C.UNAUTHORIZED);
  scene.now += MINUTE;
  assert.equal(revokeAll(1), C.OK);
  assert.equal(scene.number(0), 2);
  assert.equal(scene.emitted(AGENT_REVOKED, ACCOUNT).length, 2);
  for (const agent of [50, 51, 52]) assert.equal(scene.cancel(1, 0, agent), C.UNAUTHORIZED);
  assert.equal(scene.cancel(2, 0, 50), C.ORDER_NOT_FOUND, 'another wallet’s agent of the same address stays');
  assert.equal(revokeAll(1), C.OK);
  assert.equal(scene.number(0), 0);
  for (let agent = 0; agent < AGENTS_PER_WALLET; agent++) assert.equal(approve(scene, 1, 100 + agent), C.OK, 'rows are free again');
  assert.equal(revokeAll(1), C.OK);
  assert.equal(scene.number(0), AGENTS_PER_WALLET);
});

test('agents: a wallet has at most 64 active agents; a refused 65th leaves its nonce unused; expired ones make room', () => {
  const scene = new Scene();
  scene.cancel(1, 0);
  for (let agent = 0; agent < AGENTS_PER_WALLET; agent++) {
    assert.equal(approve(scene, 1, 100 + agent, agent === 5 ? scene.now + 10 : 0), C.OK);
  }
  assert.equal(approve(scene, 1, 300, 0, 9_999), C.TOO_MANY_AGENTS);
  assert.equal(approve(scene, 1, 110, scene.now + 50), C.OK, 'one it has may get another expiry');
  scene.now += 10;
  assert.equal(approve(scene, 1, 300, 0, 9_999), C.OK);
  assert.equal(approve(scene, 1, 301), C.TOO_MANY_AGENTS);
  assert.equal(revoke(scene, 1, 300), C.OK);
  assert.equal(approve(scene, 1, 301), C.OK);
  assert.equal(scene.cancel(1, 0, 105), C.UNAUTHORIZED);
  assert.equal(scene.cancel(1, 0, 163), C.ORDER_NOT_FOUND);
});

test('agents: approvals by a wallet without an account are pending, use their nonces, and take effect when the account opens', () => {
  const scene = new Scene();
  assert.equal(approve(scene, 1, 50, 0, 70), C.OK);
  assert.equal(scene.account(1), -1);
  assert.deepEqual(scene.emitted(NONCE_TAKEN, ACCOUNT), [-1]);
  assert.equal(approve(scene, 1, 51, 0, 70), C.NONCE_USED);
  assert.equal(approve(scene, 1, 51, scene.now + MINUTE, 80), C.OK);
  assert.equal(scene.sell(1, 1_000, 1, { signer: 52 }), C.UNAUTHORIZED, 'nobody else opens the account');
  assert.equal(scene.send(scene.write.agent('revoke', 1, 90, 52)), C.AGENT_NOT_FOUND, 'and nothing is stored');
  assert.equal(scene.account(1), -1);
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 70 }), C.NONCE_USED);
  assert.equal(scene.sell(1, 1_000, 1, { nonce: 90 }), C.OK);
  assert.equal(scene.emitted(ACCOUNT_OPENED, ACCOUNT).length, 1);
  assert.equal(scene.emitted(AGENT_APPROVED, ACCOUNT).length, 2);
  for (const nonce of [70, 80, 90]) assert.equal(scene.sell(1, 1_000, 1, { nonce }), C.NONCE_USED);
  assert.equal(scene.sell(1, 1_000, 1, { signer: 50 }), C.OK);
  assert.equal(scene.sell(1, 1_000, 1, { signer: 51 }), C.OK);
  assert.equal(scene.state.pending.counters[1], 2, 'both rows are free again');
  scene.now += MINUTE;
  assert.equal(scene.sell(1, 1_000, 1, { signer: 51 }), C.UNAUTHORIZED);
});

test('agents: an agent with a pending approval can act and so open the account, until its newest approval expires', () => {
  const scene = new Scene();
  const end = scene.now + MINUTE;
  assert.equal(approve(scene, 1, 50, 0, 70), C.OK);
  assert.equal(approve(scene, 1, 51, end), C.OK);
  assert.equal(approve(scene, 2, 52), C.OK);
  assert.equal(approve(scene, 2, 52, end), C.OK);
  scene.write.agent('approve', 1, scene.next(), 50);
  assert.equal(scene.send(scene.write.amend({ signer: 50 })), C.UNAUTHORIZED, 'but it cannot approve agents');
  assert.equal(scene.sell(1, 1_000, 1, { signer: 52 }), C.UNAUTHORIZED, 'nor for another’s wallet');
  assert.equal(scene.sell(1, 1_000, 1, { signer: 50, nonce: 70 }), C.NONCE_USED);
  scene.now = end;
  assert.equal(scene.sell(2, 1_000, 1, { signer: 52 }), C.UNAUTHORIZED, 'its newest approval has run out');
  assert.equal(scene.sell(1, 1_000, 1, { signer: 51 }), C.UNAUTHORIZED);
  assert.equal(scene.account(1), -1);
  assert.equal(scene.sell(1, 1_000, 1, { signer: 50 }), C.OK);
  assert.equal(scene.cash(1), 10_000_000 * USDC);
  assert.equal(hashOf(scene.replay(createState(SMALL))), scene.hash());
});

test('agents: a revocation ends a pending approval; neither command can be replayed', () => {
  const scene = new Scene();
  const revokeAll = (wallet: number, nonce: number): number => scene.send(scene.write.revokeAll(wallet, nonce));
  for (const wallet of [1, 2]) for (const agent of [50, 51]) assert.equal(approve(scene, wallet, agent, 0, agent), C.OK);
  assert.equal(scene.send(scene.write.agent('revoke', 1, 50, 50)), C.NONCE_USED);
  assert.equal(scene.send(scene.write.agent('revoke', 1, 90, 50)), C.OK);
  assert.deepEqual(scene.emitted(AGENT_REVOKED, ACCOUNT), [scene.account(1)]);
  assert.equal(revokeAll(2, 90), C.OK);
  assert.equal(scene.number(0), 2);
  assert.equal(revokeAll(3, 90), C.AGENT_NOT_FOUND);
  assert.equal(scene.state.pending.rows[0], 0, 'nothing waits any more');
  for (const wallet of [1, 2]) {
    assert.equal(scene.cancel(wallet, 0), C.ORDER_NOT_FOUND);
    assert.equal(scene.cancel(wallet, 0, 50), C.UNAUTHORIZED);
    for (const agent of [50, 51]) assert.equal(approve(scene, wallet, agent, 0, agent), C.NONCE_USED);
  }
  assert.equal(scene.cancel(1, 0, 51), C.ORDER_NOT_FOUND, 'the other of the wallet stays');
  assert.equal(scene.cancel(2, 0, 51), C.UNAUTHORIZED);
  assert.equal(approve(scene, 1, 50, 0, 91), C.OK);
  assert.equal(scene.send(scene.write.agent('revoke', 1, 90, 50)), C.NONCE_USED, 'nor does the old one end a new approval');
  assert.equal(scene.cancel(1, 0, 50), C.ORDER_NOT_FOUND);
});

test('agents: a wallet with a pending approval can revoke even when its source has reached the limit of new wallets', () => {
  const scene = new Scene();
  const from = (wallet: number): number => {
    scene.write.agent('approve', wallet, scene.next(), 50);
    return scene.send(scene.write.amend({ source: 7 }));
  };
  for (let wallet = 1; wallet <= 20; wallet++) assert.equal(from(wallet), C.OK);
  assert.equal(from(1), C.NEW_WALLET_LIMIT, 'each approval that waits counts');
  scene.write.revokeAll(1, scene.next());
  assert.equal(scene.send(scene.write.amend({ source: 7 })), C.OK);
  scene.write.agent('revoke', 21, scene.next(), 50, 0, FLAG_WALLET_NAMED);
  assert.equal(scene.send(scene.write.amend({ source: 7 })), C.NEW_WALLET_LIMIT);
});

test('agents: a wallet’s first command opens its account even if refused; so does an agent command that names the wallet', () => {
  const scene = new Scene();
  assert.equal(scene.cancel(1, 5), C.ORDER_NOT_FOUND);
  assert.equal(scene.cash(1), 10_000_000 * USDC);
  assert.equal(approve(scene, 2, 50, 0, 1, FLAG_WALLET_NAMED), C.OK);
  assert.equal(scene.cash(2), 10_000_000 * USDC);
  scene.write.agent('revoke', 3, 1, 50, 0, FLAG_WALLET_NAMED);
  assert.equal(scene.send(scene.write.views), C.AGENT_NOT_FOUND);
  assert.equal(scene.cash(3), 10_000_000 * USDC);
  assert.equal(scene.sell(2, 1_000, 1, { signer: 50 }), C.OK);
  assert.equal(scene.orders(2)[0]!.remaining, CONTRACT);
});

test('agents: a full table of pending approvals refuses more; a snapshot restores it; approvals take effect in order of arrival', () => {
  const scene = new Scene();
  for (let i = 0; i < SMALL.pendingApprovals; i++) assert.equal(approve(scene, i % 9, 100 + i, 0, i + 1), C.OK);
  assert.equal(approve(scene, 60, 1, 0, 1), C.TOO_MANY_PENDING);
  const loaded = createState(SMALL);
  restoreState(loaded, copyOf(scene.state));
  scene.sell(4, 1_000, 1, { nonce: 900 });
  const opened = scene.emitted(AGENT_APPROVED, 2);
  assert.deepEqual(opened, [4, 13, 22, 31, 40, 49, 58].map((i) => 100 + i + 1), 'bound in the order of arrival');
  assert.equal(approve(scene, 60, 1, 0, 1), C.OK, 'room again');
  assert.equal(hashOf(scene.replay(loaded)), scene.hash());
});

test('agents: given pending approvals by many wallets, each wallet that opens gets its own, in whatever order they open', () => {
  const scene = new Scene();
  const wallets = Array.from({ length: SMALL.pendingApprovals }, (_, i) => 100 + i);
  for (const wallet of wallets) assert.equal(approve(scene, wallet, wallet + 1_000), C.OK);
  for (const [i, wallet] of wallets.reverse().entries()) {
    // Stays below the limit of new wallets an hour.
    if (i % 16 === 0) scene.now += HOUR;
    scene.cancel(wallet, 0);
    assert.deepEqual(scene.emitted(AGENT_APPROVED, 2), [wallet + 1_000 + 1]);
  }
});

test('agents: a wallet without an account has at most 64 pending agents, and all of them act once its account opens', () => {
  const scene = new Scene({ limits: checked({ ...SMALL, pendingApprovals: 300 }) });
  const open = (wallet: number): number[] => {
    scene.cancel(wallet, 0);
    const agents = Array.from({ length: AGENTS_PER_WALLET + 1 }, (_, i) => 100 + i);
    return agents.filter((agent) => scene.cancel(wallet, 0, agent) !== C.UNAUTHORIZED);
  };
  const fill = (wallet: number): void => {
    for (let i = 0; i < AGENTS_PER_WALLET; i++) assert.equal(approve(scene, wallet, 100 + i, i === 5 ? scene.now + 10 : 0), C.OK);
  };
  const hash = () => [scene.seq(), scene.hash()];
  fill(1);
  const before = hash();
  assert.equal(approve(scene, 1, 164, 0, 9_000), C.TOO_MANY_AGENTS);
  assert.deepEqual(hash(), before, 'and nothing is stored');
  assert.equal(approve(scene, 1, 110, scene.now + 50), C.OK, 'one that waits may get another expiry');
  scene.now += 10;
  assert.equal(approve(scene, 1, 164, 0, 9_000), C.OK, 'one that expired makes room');
  assert.equal(approve(scene, 1, 105), C.TOO_MANY_AGENTS, 'and is one more itself');
  assert.deepEqual(open(1), Array.from({ length: 65 }, (_, i) => 100 + i).filter((agent) => agent !== 105));
  fill(2);
  for (let i = AGENTS_PER_WALLET; i < PENDING_PER_WALLET; i++) assert.equal(approve(scene, 2, 100), C.OK);
  assert.equal(approve(scene, 2, 100), C.TOO_MANY_PENDING, 'a wallet has rows for each of its agents twice');
  assert.equal(approve(scene, 3, 100), C.OK, 'others have theirs');
  assert.equal(open(2).length, AGENTS_PER_WALLET);
});

test('agents: pending approvals that took effect cannot be replayed, even if their nonces raise the wallet’s nonce floor', () => {
  // Two runs of nonces for each wallet, and wallet 9 has all others.
  const scene = new Scene({ limits: checked({ ...SMALL, accounts: 20, nonceRuns: 200 }) });
  for (let nonce = 2; nonce <= 400; nonce += 2) assert.equal(approve(scene, 9, 50, 0, nonce, FLAG_WALLET_NAMED), C.OK);
  const waiting = [50, 40, 30, 20];
  for (const nonce of waiting) assert.equal(approve(scene, 1, 100 + nonce, 0, nonce), C.OK);
  assert.equal(approve(scene, 1, 110, 0, 10, FLAG_WALLET_NAMED), C.OK);
  const asks = (agent: number): number => scene.send(scene.write.cancel(1, 1_000, 0, agent));
  for (const nonce of [...waiting, 10]) assert.equal(asks(100 + nonce), C.ORDER_NOT_FOUND, 'all are bound');
  assert.equal(scene.send(scene.write.agent('revoke', 1, 51, 130)), C.OK);
  for (const nonce of [...waiting, 10]) assert.equal(approve(scene, 1, 100 + nonce, 0, nonce), C.NONCE_USED, `${nonce}`);
  assert.equal(asks(130), C.UNAUTHORIZED, 'the one that was revoked stays so');
});

test('agents: when the agent pool is full, an approval is refused with engine_busy; pending approvals have reserved rows', () => {
  const limits = checked({ ...SMALL, agents: AGENTS_PER_WALLET + 4 });
  const scene = new Scene({ limits });
  for (const wallet of [1, 2, 3]) scene.cancel(wallet, 0);
  assert.equal(approve(scene, 60, 50), C.OK);
  assert.equal(approve(scene, 61, 50), C.OK);
  for (const wallet of [1, 2, 3]) scene.send(scene.write.tier(wallet, MARKET_MAKER));
  assert.equal(approve(scene, 2, 50, scene.now + 10), C.OK);
  for (let agent = 0; agent < AGENTS_PER_WALLET; agent++) assert.equal(approve(scene, 1, 100 + agent), C.OK);
  assert.equal(approve(scene, 2, 51), C.OK);
  const [seq, hash] = [scene.seq(), scene.hash()];
  assert.equal(approve(scene, 3, 50), C.ENGINE_BUSY, 'it has none: no limit of its own is met');
  assert.equal(approve(scene, 62, 50), C.ENGINE_BUSY, 'nor is there a row to promise');
  assert.equal(approve(scene, 62, 50, 0, 900, FLAG_WALLET_NAMED), C.ENGINE_BUSY);
  assert.deepEqual([scene.seq(), scene.hash()], [seq, hash]);
  const loaded = createState(limits);
  restoreState(loaded, copyOf(scene.state));
  assert.equal(approve(new Scene({ limits, state: loaded }), 3, 50, 0, 900), C.ENGINE_BUSY, 'also after a load');
  assert.equal(approve(scene, 2, 51, scene.now + 20), C.OK, 'an agent it has');
  scene.now += 10;
  assert.equal(approve(scene, 2, 52), C.OK, 'and one in the place of one that expired');
  scene.cancel(60, 0);
  assert.deepEqual(scene.emitted(AGENT_APPROVED, ACCOUNT), [scene.account(60)]);
  assert.equal(scene.cancel(60, 0, 50), C.ORDER_NOT_FOUND, 'what waited is bound');
  assert.equal(approve(scene, 3, 50), C.ENGINE_BUSY);
  assert.equal(revoke(scene, 1, 100), C.OK);
  assert.equal(approve(scene, 3, 50), C.OK);
  scene.cancel(61, 0);
  assert.equal(scene.cancel(61, 0, 50), C.ORDER_NOT_FOUND);
});

test('agents: default and tier1 wallets together can use 70 % of the agent rows; other tiers can use the rest', () => {
  const limits = checked({ ...SMALL, agents: 100 });
  const scene = new Scene({ limits });
  const tier = (wallet: number, to: number): number => scene.send(scene.write.tier(wallet, to));
  for (const wallet of [1, 2, 3]) scene.cancel(wallet, 0);
  tier(2, TIER1);
  for (let agent = 0; agent < AGENTS_PER_WALLET; agent++) assert.equal(approve(scene, 1, 100 + agent), C.OK);
  for (const wallet of [60, 60, 61]) assert.equal(approve(scene, wallet, 50), C.OK, 'what waits has a row of the share');
  const end = scene.now + MINUTE;
  for (const agent of [50, 51, 52]) assert.equal(approve(scene, 2, agent, end), C.OK);
  const isFull = (): void => {
    const before = [scene.seq(), scene.hash()];
    for (const wallet of [2, 60, 62]) assert.equal(approve(scene, wallet, 59, 0, 900), C.ENGINE_BUSY);
    assert.equal(approve(scene, 62, 59, 0, 900, FLAG_WALLET_NAMED), C.ENGINE_BUSY);
    assert.deepEqual([scene.seq(), scene.hash()], before, 'and nothing is stored');
  };
  isFull();
  assert.equal(approve(scene, 2, 51, end + MINUTE), C.OK, 'an agent it has');
  scene.now = end;
  assert.equal(approve(scene, 2, 53), C.OK, 'in the place of one that expired; the other goes as well');
  assert.equal(approve(scene, 3, 50), C.OK);
  isFull();
  tier(3, MARKET_MAKER);
  assert.equal(approve(scene, 3, 51), C.OK, 'other tiers can use the rest');
  assert.equal(approve(scene, 2, 54), C.OK, 'the one of wallet 3 is of another tier now');
  isFull();
  scene.cancel(60, 0);
  assert.equal(approve(scene, 61, 50), C.OK, 'two approvals of one agent were bound to one row');
  isFull();
  assert.equal(revoke(scene, 1, 100), C.OK);
  assert.equal(approve(scene, 60, 51), C.OK);
  isFull();
  tier(1, TIER2);
  assert.equal(approve(scene, 2, 55), C.OK);
  tier(1, TIER1);
  isFull();
  const loaded = createState(limits);
  restoreState(loaded, copyOf(scene.state));
  assert.deepEqual(loaded.agents.rows, scene.state.agents.rows);
  assert.deepEqual([...loaded.agents.rows], [71, 69]);
  for (let agent = 0; agent < 27; agent++) assert.equal(approve(scene, 3, 100 + agent), C.OK);
  assert.equal(approve(scene, 3, 200), C.ENGINE_BUSY, 'all hundred');
  assert.equal(hashOf(scene.replay(createState(limits))), scene.hash());
});
