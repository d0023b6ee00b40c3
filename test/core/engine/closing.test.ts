// When the account table is crowded, unused accounts are closed and their rows reused: which accounts, what is kept of them, and
// that the next owner of a row sees nothing of the previous one, in the core and in streams.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import * as C from '../../../core/errors.ts';
import { DAY, HOUR, SECOND, USDC } from '../../../core/units.ts';
import { CALL, SET_USERNAME, WORD_NONCE } from '../../../core/codec/commands.ts';
import { FLAG_WALLET_NAMED } from '../../../core/codec/signed-commands.ts';
import { ACCOUNT, ACCOUNT_CLOSED, ACCOUNT_OPENED, OPENED_ADDRESS, OPENED_BALANCE } from '../../../core/codec/events.ts';
import { orderUpdateSeq, portfolioSeq } from '../../../core/account-streams.ts';
import { isOpen } from '../../../core/accounts/accounts.ts';
import { closedCount, findClosed } from '../../../core/accounts/closed-accounts.ts';
import { createState, stateSections, type State } from '../../../core/engine/state.ts';
import { fundOf, openFund } from '../../../core/lifecycle/insurance-fund.ts';
import { hasReclaim } from '../../../core/lifecycle/reclaim-state.ts';
import { nextDue } from '../../../core/lifecycle/ticks.ts';
import { checked, SMALL, UNUSED_TIME } from '../../../core/limits.ts';
import { runDue } from '../../../core/sequencer/sequencer.ts';
import { accountOfUsername } from '../../../core/registry/usernames.ts';
import { MARKET_MAKER, TIER1 } from '../../../core/tiers.ts';
import { copyOf, restoreState } from '../../../core/snapshot/restore.ts';
import { audit, moneyInAll } from '../../sim/auditor.ts';
import { Random } from '../../sim/random.ts';
import { Shadow } from '../../sim/shadow.ts';
import { walletOf } from '../../support/raw.ts';
import { walletWords } from '../../support/records.ts';
import { Scene } from '../../support/scene.ts';
import { FREE, hashOf } from '../../support/venue.ts';

/** Crowded with 9 accounts; the last row is the insurance fund's. */
const LIMITS = checked({ ...SMALL, accounts: 10, closedAccounts: 40 });
const MAX = (1n << 64n) - 1n;

/** Opens accounts of wallets from 100 on until `count` are open; each uses nonce 5. */
function fill(scene: Scene, count: number): void {
  for (let wallet = 100; open(scene.state) < count; wallet++) touch(scene, wallet, 5);
}

function open({ accounts }: State): number {
  return accounts.counters[0]! - accounts.counters[2]!;
}

/** A command that takes effect: the account of the wallet is used, and the nonce. */
function touch(scene: Scene, wallet: number, nonce: number | bigint): number {
  const { views } = scene.write;
  scene.write.cancelAfter(wallet, 1, 0);
  views.u32[WORD_NONCE] = Number(BigInt(nonce) & 0xffff_ffffn);
  views.u32[WORD_NONCE + 1] = Number(BigInt(nonce) >> 32n);
  return scene.send(views);
}

function closedIn(scene: Scene): number[] {
  const told: number[] = [];
  for (;;) {
    scene.events = [];
    if (!runDue(scene.sequencer, scene.now)) return told;
    for (const { kind, slots } of scene.events) if (kind === ACCOUNT_CLOSED) told.push(walletOf(slots, OPENED_ADDRESS));
  }
}

test('closing: when 90 % of the rows are taken, accounts unused for thirty days are closed, and no money is lost', () => {
  const scene = new Scene({ limits: LIMITS, rules: FREE });
  fill(scene, 8);
  scene.now += UNUSED_TIME;
  assert.deepEqual(closedIn(scene), [], 'a table with room keeps everybody');
  assert.equal(touch(scene, 200, 5), C.OK);
  const money = moneyInAll(scene.state);
  assert.ok(nextDue(scene.state) <= scene.now, 'it is due by itself');
  assert.deepEqual(closedIn(scene).sort(), [100, 101, 102, 103, 104, 105, 106, 107]);
  assert.equal(scene.account(200) >= 0, true, 'the one that just came stays');
  assert.equal(open(scene.state), 1);
  assert.equal(moneyInAll(scene.state), money);
  audit(scene.state);
  scene.advance(DAY);
  assert.equal(touch(scene, 300, 1), C.OK);
  assert.equal(scene.emitted(ACCOUNT_OPENED, ACCOUNT)[0]! < 8, true, 'a row that was given back is taken');
  assert.equal(scene.cash(300), 10_000_000 * USDC);
  audit(scene.state);
  assert.equal(hashOf(scene.replay()), scene.hash());
});

test('closing: the thirty days count to the millisecond from the last command, signed by the wallet or by its agent', () => {
  const scene = new Scene({ limits: LIMITS, rules: FREE });
  fill(scene, 9);
  scene.send(scene.write.agent('approve', 100, 6, 50));
  scene.advance(10 * DAY);
  scene.cancel(100, 1, 50);
  touch(scene, 101, 7);
  scene.now += UNUSED_TIME - 1;
  assert.deepEqual(closedIn(scene).sort(), [102, 103, 104, 105, 106, 107, 108]);
  fillAgain(scene);
  scene.now += 1;
  assert.deepEqual(closedIn(scene), [], 'one pass an hour');
  scene.now += HOUR;
  assert.deepEqual(closedIn(scene).sort(), [100, 101]);
});

/** Opens accounts until the table is crowded again. */
function fillAgain(scene: Scene): void {
  for (let wallet = 400; open(scene.state) < 9; wallet++) touch(scene, wallet, 1);
}

test('closing: an account with a position, an order, a tier or a protection is not closed, nor is the insurance fund', () => {
  const scene = new Scene({ limits: checked({ ...LIMITS, accounts: 10 }), rules: FREE });
  scene.sell(1, 1_000, 0.01);
  scene.buy(2, 1_000, 0.01);
  scene.buy(2, 1_000, 0.01);
  scene.sell(1, 1_000, 0.01);
  assert.equal(scene.held(1)?.position ?? 0, -0.02 * 1e6);
  const far = scene.slots(({ expiry, kind }) => kind === CALL && expiry > scene.now + 60 * DAY)[0]!;
  assert.equal(scene.buy(3, 1, 0.01, { slot: far }), C.OK);
  scene.cancel(4, 0);
  scene.send(scene.write.tier(4, MARKET_MAKER));
  scene.cancel(5, 0);
  scene.send(scene.write.tier(5, TIER1));
  assert.equal(scene.send(scene.write.mmp(6, scene.next(), 'BTC', {
    interval: 1_000, frozen: 0, quantity: 1e6,
  })), C.OK);
  const fund = openFund(scene.state, scene.now);
  for (const wallet of [7, 8, 9]) touch(scene, wallet, 5);
  scene.now += UNUSED_TIME;
  assert.deepEqual(closedIn(scene).sort(), [7, 8, 9]);
  assert.ok(isOpen(scene.state.accounts, fund) && fund === fundOf(scene.state));
  for (const wallet of [1, 2, 3, 4, 5, 6]) assert.ok(scene.account(wallet) >= 0, `wallet ${wallet} keeps its row`);
  audit(scene.state);
});

test('closing: when a closed wallet returns, every nonce up to its highest is used, so that nothing can be replayed', () => {
  const scene = new Scene({ limits: LIMITS, rules: FREE });
  fill(scene, 6);
  for (const nonce of [7, 3, 900, 40]) assert.equal(touch(scene, 1, nonce), C.OK);
  assert.equal(scene.send(scene.write.agent('approve', 1, 60, 50)), C.OK);
  assert.equal(touch(scene, 2, MAX), C.OK);
  const revoked = scene.send(scene.write.agent('revoke', 3, 5_000, 51, 0, FLAG_WALLET_NAMED));
  assert.equal(revoked, C.AGENT_NOT_FOUND, 'refused, but it voids what came before');
  scene.now += UNUSED_TIME;
  assert.ok(closedIn(scene).includes(1));
  assert.equal(scene.cancel(1, 0, 50), C.UNAUTHORIZED, 'its agent is forgotten');
  assert.equal(scene.send(scene.write.agent('approve', 1, 61, 50)), C.NONCE_USED, 'an approval from before does not become pending again');
  assert.equal(scene.send(scene.write.agent('approve', 3, 5_000, 51)), C.NONCE_USED);
  assert.equal(scene.send(scene.write.agent('approve', 3, 5_001, 51)), C.OK);
  for (const nonce of [0, 3, 4, 41, 899, 900]) assert.equal(touch(scene, 1, nonce), C.NONCE_USED, `nonce ${nonce}`);
  assert.equal(scene.account(1), -1, 'a used nonce opens nothing');
  assert.equal(touch(scene, 1, 901), C.OK);
  for (const nonce of [0, 3, 4, 41, 899, 900, 901]) assert.equal(touch(scene, 1, nonce), C.NONCE_USED, `${nonce} when it is back`);
  assert.equal(touch(scene, 1, 903), C.OK);
  assert.equal(touch(scene, 1, 902), C.OK);
  for (const nonce of [0n, MAX - 1n, MAX]) assert.equal(touch(scene, 2, nonce), C.NONCE_USED);
  assert.equal(findClosed(scene.state.closed, walletWords(1), 0), -1);
  assert.equal(hashOf(scene.replay()), scene.hash());
});

test('closing: the row of a closed account is zero in every column of the state, and its username is free', () => {
  const scene = new Scene({ limits: LIMITS, rules: FREE });
  fill(scene, 3);
  const rows = perAccount(scene);
  const victim = scene.account(101);
  // All that a wallet can set without trading.
  touch(scene, 101, 10);
  scene.send(scene.write.username(SET_USERNAME, 101, 11, 'Squatter'));
  scene.send(scene.write.marginMode(101, 12, 1));
  scene.send(scene.write.agent('approve', 101, 13, 60));
  scene.send(scene.write.agent('revoke', 101, 14, 61));
  scene.send(scene.write.cancelOnDisconnect(101, 15, true, 60_000, [0, 0]));
  scene.send(scene.write.cancelAfter(101, 16, 365 * DAY));
  scene.send(scene.write.leverage(101, 18, 'BTC', 3));
  scene.sell(101, 90_000, 0.01, { nonce: 17 });
  scene.cancel(101, scene.orders(101)[0]!.id);
  const told = [orderUpdateSeq(scene.state.streams.accounts, victim), portfolioSeq(scene.state.streams.accounts, victim)];
  assert.ok(told.every((seq) => seq > 0));
  assert.equal(accountOfUsername(scene.state, 'squatter'), victim);
  fill(scene, 9);
  scene.now += UNUSED_TIME;
  assert.ok(closedIn(scene).includes(101));
  assert.equal(accountOfUsername(scene.state, 'squatter'), -1);
  for (const { name, column, width } of rows) {
    if (name === 'accounts.free') continue;
    const cells = [...column.subarray(victim * width, (victim + 1) * width)];
    assert.deepEqual(cells, cells.map(() => 0), `${name} of a row that was given back`);
  }
  assert.ok(rows.length > 25, `${rows.length} columns`);
  scene.advance(DAY);
  touch(scene, 101, scene.next() + 1_000);
  const again = scene.account(101);
  const now = [orderUpdateSeq(scene.state.streams.accounts, again), portfolioSeq(scene.state.streams.accounts, again)];
  assert.ok(now.every((seq, i) => seq >= told[i]!), 'streams go on counting: no message has the number of another');
});

/** The per-account columns of the state, found by opening an account, with the number of cells of each account. */
function perAccount(scene: Scene): { name: string; column: Uint8Array | Int32Array | Uint32Array | Float64Array; width: number }[] {
  const sections = stateSections(scene.state);
  const before = sections.map((section) => section.used());
  const count = open(scene.state);
  touch(scene, 99, 1);
  return sections.flatMap((section, i) => {
    const width = section.used() - before[i]!;
    return width > 0 && section.used() === width * (count + 1) ? [{ name: section.name, column: section.column, width }] : [];
  });
}

test('closing: when the table of closed accounts is full, no account is closed, and a new wallet is refused with engine_busy', () => {
  const scene = new Scene({ limits: checked({ ...LIMITS, closedAccounts: 3 }), rules: FREE });
  fill(scene, 9);
  scene.now += UNUSED_TIME;
  assert.equal(closedIn(scene).length, 3);
  assert.equal(closedCount(scene.state.closed), 3);
  for (let wallet = 500; open(scene.state) < 9; wallet++) assert.equal(touch(scene, wallet, 1), C.OK);
  assert.equal(touch(scene, 600, 1), C.ENGINE_BUSY);
  scene.now += UNUSED_TIME;
  assert.deepEqual(closedIn(scene), []);
  assert.equal(touch(scene, 600, 1), C.ENGINE_BUSY);
  audit(scene.state);
});

test('closing: an account with many runs of nonces is closed in bounded steps, and its nonces stay used', () => {
  const scene = new Scene({ limits: LIMITS, rules: FREE });
  fill(scene, 9);
  for (let i = 0; i < 4_000; i++) touch(scene, 100, 10_000 + i * 2);
  scene.now += UNUSED_TIME;
  let steps = 0;
  while (runDue(scene.sequencer, scene.now) && scene.account(100) >= 0) steps++;
  assert.ok(steps >= 4, `${steps} steps`);
  scene.settle();
  assert.equal(scene.state.nonces.counters[2], 0, 'no run is left in the pool');
  assert.equal(touch(scene, 100, 10_000 + 3_999 * 2), C.NONCE_USED);
  assert.equal(touch(scene, 100, 10_000 + 3_999 * 2 + 1), C.OK);
  assert.equal(hashOf(scene.replay()), scene.hash());
});

test('closing: after any sequence, events describe the whole state, no money is lost, and no nonce is accepted twice', () => {
  let closed = 0;
  let back = 0;
  for (let seed = 1; seed <= 5; seed++) {
    const random = new Random(seed);
    const scene = new Scene({ limits: checked({ ...LIMITS, accounts: 12, closedAccounts: 60 }), rules: FREE });
    const shadow = new Shadow(scene.state);
    const highest = new Map<number, number>();
    const gone = new Set<number>();
    let loaded: State | null = null;
    scene.state.events.listener = (kind, slots) => {
      scene.events.push({ kind, slots: slots.slice() });
      shadow.apply(kind, slots);
      if (kind === ACCOUNT_CLOSED) {
        gone.add(walletOf(slots, OPENED_ADDRESS));
        assert.ok(slots[OPENED_BALANCE]! >= 0);
        closed++;
      }
      if (kind === ACCOUNT_OPENED && gone.delete(walletOf(slots, OPENED_ADDRESS))) back++;
    };
    for (let step = 0; step < 700; step++) {
      const wallet = 1 + Math.floor(random.fraction() * 30);
      const act = random.fraction();
      const last = highest.get(wallet) ?? 0;
      if (act < 0.5) {
        const nonce = random.fraction() < 0.3 ? Math.floor(random.fraction() * (last + 2)) : last + 1 + Math.floor(random.fraction() * 3);
        const code = touch(scene, wallet, nonce);
        const isPast = nonce <= last && highest.has(wallet) && gone.has(wallet);
        if (isPast) assert.equal(code, C.NONCE_USED, `seed ${seed}: ${wallet} with ${nonce} of ${last}`);
        if (code === C.OK) highest.set(wallet, Math.max(last, nonce));
      } else if (act < 0.6) {
        const nonce = last + 1;
        if (scene.sell(wallet, 90_000, 0.01, { nonce }) === C.OK) highest.set(wallet, nonce);
      } else if (act < 0.63) {
        if (scene.buy(wallet, 90_000, 0.01, { nonce: last + 1 }) === C.OK) highest.set(wallet, last + 1);
      } else if (act < 0.7) {
        scene.send(scene.write.agent('approve', wallet, last + 1, 700 + wallet));
        // Of a wallet without an account it waits, and is forgotten when it has waited too long.
        if (scene.account(wallet) >= 0) highest.set(wallet, last + 1);
      } else if (act < 0.75) {
        scene.send(scene.write.agent('revoke', wallet, last + 1, 700 + wallet));
        // Used or not, it voids what was signed before it.
        if (scene.account(wallet) >= 0) highest.set(wallet, last + 1);
      } else if (act < 0.9) scene.now += Math.floor(random.fraction() * 6 * DAY / SECOND) * SECOND;
      else for (let i = 0; i < 3; i++) runDue(scene.sequencer, scene.now);
      if (random.fraction() < 0.2) scene.settle();
      audit(scene.state);
      shadow.check(scene.state);
      if (step !== 400) continue;
      loaded = createState(scene.state.limits);
      restoreState(loaded, copyOf(scene.state));
    }
    scene.settle();
    assert.equal(hashOf(scene.replay()), scene.hash(), `seed ${seed}: replayed`);
    assert.equal(hashOf(scene.replay(loaded!)), scene.hash(), `seed ${seed}: loaded`);
    assert.equal(hasReclaim(scene.state.reclaim), false);
  }
  assert.ok(closed > 50 && back > 10, `${closed} closed, ${back} came back`);
});
