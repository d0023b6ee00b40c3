// The naive model of core/nonces: a set of BigInts and a floor per wallet, and the rules for the room of the pool, computed from the
// sets each time. Shares no code with the core. Also: checks of the invariants of the real store.

import assert from 'node:assert/strict';
import { nonceSections, rebuildNonces, type Nonces } from '../../../core/nonces.ts';

type Wallet = { bound: bigint; readonly used: Set<bigint> };
type Model = { readonly wallets: Wallet[]; readonly capacity: number; readonly perWallet: number; readonly fair: number };
type Run = { start: bigint; length: number };

export function createModel(accounts: number, capacity: number, perWallet: number, fair: number): Model {
  const wallets = Array.from({ length: accounts }, () => ({ bound: 0n, used: new Set<bigint>() }));
  return { wallets, capacity, perWallet, fair };
}

export function runsOf(used: Set<bigint>): Run[] {
  const runs: Run[] = [];
  for (const nonce of [...used].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))) {
    const last = runs.at(-1);
    if (last && last.start + BigInt(last.length) === nonce) last.length += 1;
    else runs.push({ start: nonce, length: 1 });
  }
  return runs;
}

export function modelIsUsed(model: Model, account: number, nonce: bigint): boolean {
  const wallet = model.wallets[account]!;
  return nonce < wallet.bound || wallet.used.has(nonce);
}

/** True if the wallet may take another run from the pool. */
function mayTake(model: Model, account: number): boolean {
  const share = Math.floor(model.capacity / model.wallets.length / 4);
  const counts = model.wallets.map((wallet) => runsOf(wallet.used).length);
  if (counts[account]! < share) return true;
  const free = model.capacity - counts.reduce((a, b) => a + b, 0);
  const promised = counts.reduce((sum, runs) => sum + Math.max(0, share - runs), 0);
  return free > promised;
}

/** Takes the lowest runs of the wallet with most runs, if it keeps a fair number and this wallet has few. */
function takeFromRichest({ wallets, fair }: Model, account: number): boolean {
  const counts = wallets.map((wallet) => runsOf(wallet.used).length);
  const most = Math.max(...counts);
  if (counts[account]! >= fair || most <= 2 * fair) return false;
  const richest = wallets[counts.indexOf(most)]!;
  for (const { start, length } of runsOf(richest.used).slice(0, fair)) {
    richest.bound = start + BigInt(length);
    for (let i = 0n; i < length; i++) richest.used.delete(start + i);
  }
  return true;
}

export function modelMarkUsed(model: Model, account: number, nonce: bigint): void {
  const wallet = model.wallets[account]!;
  const { used } = wallet;
  if (used.size === model.perWallet) {
    const lowest = runsOf(used)[0]!.start;
    wallet.bound = (nonce < lowest ? nonce : lowest) + 1n;
    if (nonce < lowest) return;
    used.delete(lowest);
  }
  const isNewRun = !used.has(nonce - 1n) && !used.has(nonce + 1n);
  if (isNewRun && !mayTake(model, account) && !takeFromRichest(model, account)) {
    const { start, length } = runsOf(used)[0]!;
    if (nonce < start) {
      wallet.bound = nonce + 1n;
      return;
    }
    wallet.bound = start + BigInt(length);
    for (let i = 0n; i < length; i++) used.delete(start + i);
  }
  used.add(nonce);
}

export function modelVoidUpTo(model: Model, account: number, nonce: bigint): void {
  const wallet = model.wallets[account]!;
  if (nonce >= wallet.bound) wallet.bound = nonce + 1n;
  for (const one of wallet.used) if (one <= nonce) wallet.used.delete(one);
}

export const lowWord = (nonce: bigint): number => Number(nonce & 0xffff_ffffn);
export const highWord = (nonce: bigint): number => Number(nonce >> 32n);

/** The runs of a wallet in order, read from its tree; checks every invariant of its nodes. */
export function checkedRuns(n: Nonces, account: number): Run[] {
  const runs: Run[] = [];
  const order: number[] = [];
  const visit = (node: number, parent: number): number => {
    if (node === 0) return 0;
    const left = n.nodes[node * 4 + 2]!;
    const right = n.nodes[node * 4 + 3]!;
    assert.equal(n.parent[node], parent, 'parent link');
    assert.ok(n.length[node]! > 0, 'a run in a tree is not empty');
    const leftHeight = visit(left, node);
    order.push(node);
    runs.push({ start: BigInt(n.nodes[node * 4]!) + (BigInt(n.nodes[node * 4 + 1]!) << 32n), length: n.length[node]! });
    const rightHeight = visit(right, node);
    assert.ok(Math.abs(leftHeight - rightHeight) <= 1, 'balanced');
    assert.equal(n.height[node], Math.max(leftHeight, rightHeight) + 1, 'height');
    return n.height[node]!;
  };
  visit(n.root[account]!, 0);
  assert.equal(n.lowest[account], order[0] ?? 0, 'lowest run');
  assert.equal(n.highest[account], order.at(-1) ?? 0, 'highest run');
  for (let i = 1; i < runs.length; i++) {
    assert.ok(runs[i - 1]!.start + BigInt(runs[i - 1]!.length) < runs[i]!.start, 'runs ascend and do not touch');
  }
  return runs;
}

/** Counters, free list and totals agree with the trees. */
export function checkPool(n: Nonces): void {
  const [top, free, live, shared] = n.counters;
  let inTrees = 0;
  let withinShares = 0;
  for (let account = 0; account < n.accounts; account++) {
    const runs = checkedRuns(n, account);
    assert.equal(n.runs[account], runs.length, 'runs of the wallet');
    assert.equal(n.count[account], runs.reduce((sum, run) => sum + run.length, 0), 'nonces of the wallet');
    assert.ok(n.count[account]! <= n.perWallet, 'at most perWallet nonces are exact');
    inTrees += runs.length;
    withinShares += Math.min(runs.length, n.share);
  }
  assert.equal(live, inTrees, 'live nodes');
  assert.equal(shared, withinShares, 'nodes within shares');
  let idle = 0;
  for (let node = free!; node !== 0; node = n.nodes[node * 4 + 2]!) {
    assert.equal(n.length[node], 0, 'a free node holds no run');
    idle += 1;
    assert.ok(idle <= top!, 'the free list ends');
  }
  assert.equal(live! + idle, top, 'every node is in a tree or free');
  assert.ok(top! <= n.capacity, 'the pool does not grow');
  assert.ok(n.capacity - live! >= n.share * n.accounts - shared!, 'every share is covered');
}

/** Saves the sections and loads them into a fresh store, in the order of the list. */
export function reload(from: Nonces, fresh: Nonces): Nonces {
  const target = nonceSections(fresh);
  nonceSections(from).forEach((section, i) => {
    const into = target[i]!;
    assert.equal(into.name, section.name);
    assert.equal(into.used(), section.used(), `${section.name}: its used length follows from the sections before it`);
    into.column.set(section.column.subarray(0, section.used()));
  });
  rebuildNonces(fresh);
  return fresh;
}

/** Everything of a store, sections and indexes, for comparison. */
export function imageOf(n: Nonces): unknown {
  const sections = nonceSections(n).map((s) => [s.name, s.column.slice(0, s.used())]);
  return [sections, n.parent, n.lowest, n.highest, n.rich];
}
