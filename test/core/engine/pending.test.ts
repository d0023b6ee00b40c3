// Pending approvals by wallets without an account end after seven days, to the millisecond, and their rows are free again.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { DAY, HOUR, SECOND } from '../../../core/units.ts';
import { AGENT_APPROVED } from '../../../core/codec/events.ts';
import { checked, PENDING_TIME, SMALL } from '../../../core/limits.ts';
import { pendingCount, pendingDue } from '../../../core/accounts/pending-approvals.ts';
import { createState } from '../../../core/engine/state.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { activeAgentsText } from '../../../shell/reader/account/settings.ts';
import { addressOfWords } from '../../../shell/reader/text.ts';
import { Random } from '../../sim/random.ts';
import { walletWords } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import { hashOf } from '../../support/venue.ts';

function approve(scene: Scene, wallet: number, agent: number, nonce = scene.next(), expires = 0): number {
  return scene.send(scene.write.agent('approve', wallet, nonce, agent, expires));
}

test('pending: an approval ends after seven days to the millisecond, even before the tick that removes it', () => {
  const scene = new Scene();
  const wallet = addressOfWords(Uint32Array.from(walletWords(1)), 0);
  assert.equal(approve(scene, 1, 50, 70), C.OK);
  const end = scene.now + PENDING_TIME;
  scene.advance(PENDING_TIME - 1);
  assert.equal(pendingCount(scene.state.pending), 1);
  assert.match(activeAgentsText(scene.state, wallet, scene.now), /0x/);
  assert.equal(approve(scene, 1, 51, 70), C.NONCE_USED);
  scene.now = end;
  assert.equal(activeAgentsText(scene.state, wallet, scene.now), '{"agents":[]}');
  assert.equal(scene.sell(1, 1_000, 1, { signer: 50 }), C.UNAUTHORIZED, 'its agent opens no account any more');
  assert.equal(scene.send(scene.write.agent('revoke', 1, 90, 50)), C.AGENT_NOT_FOUND);
  assert.equal(approve(scene, 1, 51, 70), C.OK, 'its nonce is free with it');
  assert.equal(scene.sell(1, 1_000, 1), C.OK);
  assert.deepEqual(scene.emitted(AGENT_APPROVED, 2), [51 + 1], 'only the one that still waits is bound');
  scene.settle();
  assert.equal(pendingCount(scene.state.pending), 0);
  assert.equal(hashOf(scene.replay(createState(SMALL))), scene.hash());
});

test('pending: a full table of approvals is empty again after seven days without any client command', () => {
  const scene = new Scene({ limits: checked({ ...SMALL, pendingApprovals: 600, agents: 4_096 }) });
  for (let i = 0; i < 600; i++) {
    // Stays below the limit of new wallets an hour.
    if (i % 16 === 0) scene.now += HOUR;
    assert.equal(approve(scene, 1_000 + i, i), C.OK);
  }
  const first = pendingDue(scene.state.pending);
  assert.equal(approve(scene, 5_000, 1), C.TOO_MANY_PENDING);
  scene.settle();
  assert.ok(nextDue(scene.state) <= first, 'the end of the oldest is due');
  scene.advance(first - scene.now);
  assert.equal(approve(scene, 5_000, 1), C.OK, 'the oldest has made room');
  scene.now += PENDING_TIME;
  const ticks = scene.log.kept.length;
  scene.settle();
  assert.equal(pendingCount(scene.state.pending), 0);
  assert.ok(scene.log.kept.length - ticks > 2, '256 at most in one tick');
  assert.equal(hashOf(scene.replay(createState(scene.state.limits))), scene.hash());
});

test('pending: after any sequence, the table holds the approvals of the last seven days whose wallets have no account', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = new Random(seed);
    const scene = new Scene({ limits: checked({ ...SMALL, pendingApprovals: 40 }) });
    let waiting: { wallet: number; agent: number; since: number }[] = [];
    const opened = new Set<number>();
    for (let step = 0; step < 400; step++) {
      scene.now += Math.floor(random.fraction() * 12 * HOUR / SECOND) * SECOND;
      const wallet = 100 + Math.floor(random.fraction() * 60);
      waiting = waiting.filter(({ since }) => since + PENDING_TIME > scene.now);
      const isTicked = random.fraction() < 0.5;
      if (isTicked) scene.settle();
      if (random.fraction() < 0.9 || opened.has(wallet)) {
        const agent = 500 + Math.floor(random.fraction() * 30);
        const code = approve(scene, wallet, agent);
        if (opened.has(wallet)) assert.notEqual(code, C.TOO_MANY_PENDING);
        else if (code === C.OK) waiting.push({ wallet, agent, since: scene.now });
        else assert.ok(code === C.TOO_MANY_PENDING && waiting.length >= (isTicked ? 40 : 0), `seed ${seed}: ${code} of ${waiting.length}`);
      } else {
        scene.cancel(wallet, 0);
        const theirs = waiting.filter((one) => one.wallet === wallet).map(({ agent }) => agent + 1);
        assert.deepEqual(scene.emitted(AGENT_APPROVED, 2), theirs, `seed ${seed}, step ${step}`);
        waiting = waiting.filter((one) => one.wallet !== wallet);
        opened.add(wallet);
      }
      if (isTicked) assert.equal(pendingCount(scene.state.pending), waiting.length, `seed ${seed}, step ${step}`);
      if (step % 100 !== 99) continue;
      const loaded = createState(scene.state.limits);
      restoreState(loaded, copyOf(scene.state));
      assert.equal(hashOf(scene.replay()), scene.hash());
      assert.equal(pendingDue(loaded.pending), pendingDue(scene.state.pending));
      assert.deepEqual([...loaded.pending.rows], [...scene.state.pending.rows]);
    }
    assert.ok(opened.size > 10);
    scene.advance(8 * DAY);
    assert.equal(pendingCount(scene.state.pending), 0);
  }
});
