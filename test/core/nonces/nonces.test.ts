// Used nonces against a naive model: exactness, the floor, the pool, the ends of u64, save and load.

import { test } from 'node:test';
import assert from 'node:assert/strict';
import { fc } from '../../support/fast-check.ts';
import { createNonces, isUsed, markUsed, nonceSections, voidUpTo, type Nonces } from '../../../core/nonces.ts';
import {
  checkPool, checkedRuns, createModel, highWord, imageOf, lowWord, modelIsUsed, modelMarkUsed, modelVoidUpTo, reload, runsOf,
} from './model.ts';

const LAST = (1n << 64n) - 1n;
const ACCOUNTS = 3;

const used = (n: Nonces, account: number, nonce: bigint): boolean => isUsed(n, account, lowWord(nonce), highWord(nonce));

/** Marks as the core does: only an unused nonce. Returns whether it was marked. */
function mark(n: Nonces, account: number, nonce: bigint): boolean {
  if (used(n, account, nonce)) return false;
  markUsed(n, account, lowWord(nonce), highWord(nonce));
  return true;
}

const BASES = [0n, (1n << 32n) - 12n, 1_782_000_000_000n, (1n << 53n) - 12n, LAST - 24n];
/** Nonces close to each other: near 0, near the ends of the low word, near 2^53, near 2^64; and some far apart. */
const nonce = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...BASES), fc.bigInt(0n, 24n)).map(([base, offset]) => base + offset) },
  { weight: 1, arbitrary: fc.bigInt(0n, LAST) },
);
/** One wallet sends more than the others. */
const account = fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, { weight: 2, arbitrary: fc.nat(ACCOUNTS - 1) });
const step = fc.record({ account, nonce, reload: fc.boolean(), voids: fc.integer({ min: 0, max: 12 }) });
const steps = fc.array(step, { maxLength: 120, size: 'max' });

test('after any sequence, answers and runs equal the naive model, with small pools and with loads in between', () => {
  const fair = fc.constantFrom(2, 3, 5, 5, 1_000);
  let taken = 0;
  const runs = fc.integer({ min: 4 * ACCOUNTS, max: 40 });
  fc.assert(fc.property(runs, fc.integer({ min: 1, max: 30 }), fair, steps, (capacity, perWallet, most, list) => {
    const make = (): Nonces => createNonces({ accounts: ACCOUNTS, nonceRuns: capacity }, perWallet, most);
    const whole = make();
    let broken = make();
    const model = createModel(ACCOUNTS, capacity, perWallet, most);
    list.forEach((step, i) => {
      if (step.reload && i % 8 === 0) broken = reload(broken, make());
      assert.equal(used(whole, step.account, step.nonce), modelIsUsed(model, step.account, step.nonce));
      if (step.voids === 0 && step.nonce < 1n << 63n) {
        for (const n of [whole, broken]) voidUpTo(n, step.account, lowWord(step.nonce), highWord(step.nonce));
        modelVoidUpTo(model, step.account, step.nonce);
      }
      const marked = mark(whole, step.account, step.nonce);
      assert.equal(mark(broken, step.account, step.nonce), marked);
      if (marked) {
        const before = model.wallets.map(({ bound }) => bound);
        modelMarkUsed(model, step.account, step.nonce);
        assert.ok(used(whole, step.account, step.nonce), 'used from now on');
        if (model.wallets.some(({ bound }, account) => account !== step.account && bound !== before[account])) taken++;
      }
      for (const near of [step.nonce - 1n, step.nonce + 1n]) {
        if (near < 0n || near > LAST) continue;
        assert.equal(used(whole, step.account, near), modelIsUsed(model, step.account, near));
      }
      model.wallets.forEach((wallet, account) => {
        assert.deepEqual(checkedRuns(whole, account), runsOf(wallet.used));
        assert.equal(BigInt(whole.bound[account * 2]!) + (BigInt(whole.bound[account * 2 + 1]!) << 32n), wallet.bound);
      });
    });
    checkPool(whole);
    assert.deepEqual(imageOf(broken), imageOf(whole));
  }), { numRuns: 400 });
  assert.ok(taken > 10, `${taken} runs taken from another wallet`);
});

test('a used nonce stays used, whatever nonces follow', () => {
  const few = (min: number): fc.Arbitrary<number> => fc.integer({ min, max: 6 });
  fc.assert(fc.property(few(4), few(1), fc.array(nonce, { maxLength: 60, size: 'max' }), (capacity, perWallet, list) => {
    const n = createNonces({ accounts: 1, nonceRuns: capacity }, perWallet, 1_000);
    const marked: bigint[] = [];
    for (const one of list) {
      if (mark(n, 0, one)) marked.push(one);
      for (const past of marked) assert.ok(used(n, 0, past));
    }
  }), { numRuns: 300 });
});

test('when a wallet has too many nonces, the lowest becomes the floor, and every nonce up to it is used', () => {
  const n = createNonces({ accounts: 1, nonceRuns: 16 }, 3, 1_000);
  for (const one of [10n, 20n, 30n]) assert.ok(mark(n, 0, one));
  assert.ok(!used(n, 0, 5n));
  assert.ok(mark(n, 0, 40n));
  for (const one of [0n, 5n, 9n, 10n]) assert.ok(used(n, 0, one), `${one} is at or below the floor`);
  for (const one of [11n, 19n, 21n, 39n, 41n]) assert.ok(!used(n, 0, one), `${one} is free`);
  assert.ok(mark(n, 0, 15n), 'it is the lowest, so it becomes the floor');
  for (const one of [11n, 15n, 20n, 30n, 40n]) assert.ok(used(n, 0, one));
  assert.ok(!used(n, 0, 16n));
});

test('runs may end at 2^64 - 1 and cross 2^32, and the floor carries into the high word', () => {
  const n = createNonces({ accounts: 1, nonceRuns: 8 }, 4, 1_000);
  for (const one of [LAST, LAST - 2n, LAST - 1n]) assert.ok(mark(n, 0, one));
  assert.deepEqual(checkedRuns(n, 0), [{ start: LAST - 2n, length: 3 }]);
  assert.ok(!used(n, 0, 0n), 'nothing wraps');
  assert.ok(mark(n, 0, 0xffff_ffffn));
  assert.ok(mark(n, 0, 0x1_0000_0000n));
  assert.ok(used(n, 0, 0xffff_ffffn) && used(n, 0, 0n) && !used(n, 0, 0x1_0000_0001n));
  assert.equal(n.bound[0], 0);
  assert.equal(n.bound[1], 1);
});

test('when the pool is full, a wallet makes room by raising its own floor, and each wallet keeps its share', () => {
  const n = createNonces({ accounts: 4, nonceRuns: 32 }, 100, 1_000);
  assert.equal(n.share, 2);
  for (let i = 0n; i < 40n; i++) assert.ok(mark(n, 0, 100n + 2n * i));
  assert.equal(n.runs[0], 26, 'all but the shares of the three others');
  assert.deepEqual(checkedRuns(n, 0).map((run) => run.start), Array.from({ length: 26 }, (_, i) => 128n + 2n * BigInt(i)));
  assert.ok(used(n, 0, 127n - 1n) && !used(n, 0, 129n));
  for (let account = 1; account < 4; account++) {
    for (const one of [7n, 9n]) assert.ok(mark(n, account, one));
    assert.ok(!used(n, account, 6n), 'two runs fit without a floor');
    assert.ok(mark(n, account, 11n));
    assert.ok(used(n, account, 6n) && !used(n, account, 8n), 'the third one costs the lowest');
    assert.equal(n.runs[account], 2);
  }
  assert.equal(n.counters[2], 32, 'every node is in a tree');
  checkPool(n);
});

test('when the pool is full, a wallet with few runs takes the lowest runs of the one with most, which keeps a fair number', () => {
  const n = createNonces({ accounts: 4, nonceRuns: 64 }, 100, 8);
  assert.equal(n.share, 4);
  for (let i = 0n; i < 60n; i++) assert.ok(mark(n, 0, 100n + 2n * i));
  assert.deepEqual([n.runs[0], n.rich[0]], [52, 1], 'all but the shares of the three others');
  // Nonces out of order, as concurrent requests arrive.
  for (const one of [70n, 60n, 50n, 66n, 64n, 62n, 72n, 68n]) assert.ok(mark(n, 1, one), `${one}`);
  assert.deepEqual([n.runs[0], n.runs[1]], [44, 8]);
  assert.ok(used(n, 0, 130n) && !used(n, 0, 131n), 'the lowest eight runs of the richest wallet became its floor');
  for (const one of [80n, 90n, 86n, 82n]) assert.ok(mark(n, 1, one), 'four are left');
  assert.ok(!used(n, 1, 49n) && mark(n, 1, 84n));
  assert.ok(used(n, 1, 49n), 'then one costs the lowest of its own');
  checkPool(n);
});

test('a pool with less than four runs for each wallet is refused; at four, each wallet has room for its first nonce', () => {
  assert.throws(() => createNonces({ accounts: 3, nonceRuns: 11 }, 100, 1_000), RangeError);
  const n = createNonces({ accounts: 3, nonceRuns: 12 }, 100, 1_000);
  for (let i = 0n; i < 20n; i++) assert.ok(mark(n, 0, 5n + 2n * i));
  for (const account of [1, 2]) assert.ok(mark(n, account, 5n), 'the first nonce of a wallet where all else is taken');
  assert.equal(n.counters[2], 12, 'every node is in a tree');
  assert.ok(mark(n, 2, 8n) && used(n, 2, 4n) && !used(n, 2, 7n), 'one more raises its floor');
  checkPool(n);
});

test('a new store has no rows in its sections; a used wallet adds the rows up to its own', () => {
  const n = createNonces({ accounts: 1_000, nonceRuns: 5_000 }, 100, 1_000);
  assert.equal(nonceSections(n).reduce((sum, s) => sum + s.used(), 0), 5 + 4 + 1 + 1, 'counters and node 0');
  mark(n, 9, 1n);
  const sizes = Object.fromEntries(nonceSections(n).map((s) => [s.name, s.used()]));
  assert.equal(sizes['nonces.root'], 10);
  assert.equal(sizes['nonces.length'], 2);
});

test('with a full wallet, ascending, descending and random nonces keep the tree balanced and reuse its nodes', () => {
  const size = 4_096;
  const sources: Record<string, (i: number) => bigint> = {
    consecutive: (i) => BigInt(i),
    milliseconds: (i) => 1_782_000_000_000n + BigInt(3 * i),
    descending: (i) => 1_000_000n - BigInt(2 * i),
    scattered: (i) => (BigInt(Math.imul(i, 0x9e3779b1) >>> 0) << 20n) + 1n,
  };
  for (const [name, source] of Object.entries(sources)) {
    const n = createNonces({ accounts: 1, nonceRuns: 2 * size }, size, 1_000);
    for (let i = 0; i < 3 * size; i++) mark(n, 0, source(i));
    checkPool(n);
    const runs = name === 'consecutive' ? 1 : size;
    assert.equal(n.runs[0], runs, name);
    assert.ok(n.height[n.root[0]!]! <= 1.4405 * Math.log2(runs + 2), `${name}: an AVL tree is at most 1.4405 log2(n + 2) high`);
    assert.ok(n.counters[0]! <= size, `${name}: nodes are used again`);
  }
});

test('voiding many runs takes effect at once and frees a bounded number; the rest is freed as nonces are used', () => {
  const n = createNonces({ accounts: 2, nonceRuns: 8_192 }, 5_000, 1_000);
  for (let i = 0n; i < 4_000n; i++) assert.ok(mark(n, 0, 10n + 2n * i));
  const end = 10n + 2n * 3_999n;
  voidUpTo(n, 0, lowWord(end), highWord(end));
  assert.equal(n.runs[0], 4_000 - 1_024);
  for (const one of [0n, 11n, 4_001n, end - 1n, end]) assert.ok(used(n, 0, one), `${one}`);
  for (const one of [end + 1n, end + 2n]) assert.ok(!used(n, 0, one), `${one}`);
  assert.ok(mark(n, 0, end + 1n), 'right behind a run that is void');
  const broken = reload(n, createNonces({ accounts: 2, nonceRuns: 8_192 }, 5_000, 1_000));
  for (let i = 1n; i <= 5_000n; i++) {
    for (const store of [n, broken]) assert.ok(mark(store, 0, end + 1n + 3n * i));
    if (i === 800n) assert.equal(n.runs[0], 801, 'four go with each nonce');
  }
  assert.deepEqual(imageOf(broken), imageOf(n));
  assert.equal(n.count[0], 5_000);
  assert.deepEqual(checkedRuns(n, 0)[0], { start: end + 4n, length: 1 }, 'none below the floor is left');
  assert.ok(used(n, 0, end + 1n) && !used(n, 0, end + 2n), 'nonces used since are exact');
  checkPool(n);
  voidUpTo(n, 0, 5, 0);
  assert.ok(!used(n, 0, end + 5n) && used(n, 0, end), 'the floor never falls');
});
