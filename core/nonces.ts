// Used nonces per wallet; a nonce is a u64 as two u32. The highest `perWallet` used nonces are exact, stored as runs (start, length). When
// one more comes, the lowest becomes the floor: it and all below are used for ever. Runs form an AVL tree, because clients choose nonces
// and could degrade a randomly balanced one. A quarter of the pool is kept as equal shares, the rest is first come, first served. Then a
// wallet with fewer than `fair` runs takes `fair` runs of the richest; any other raises its own floor. Node 0 means no node.

import { assert } from './assert.ts';
import { fixedSection, type Section, uint32, uint8 } from './columns.ts';
import { rebalance, replaceNode } from './math/avl.ts';
import { HIGH } from './codec/record.ts';

/** Start (low, high), left, right. A search step reads one cache line. */
const WORDS = 4;
const CHILD = 2;
const LEFT = 0;
const RIGHT = 1;

/** Below the floor: freed when it rises, and with each later nonce. */
const VOIDED_AT_ONCE = 1_024;
const VOIDED_A_NONCE = 4;

/** Highest node ever used, free list, nodes in trees, nodes within shares, wallet rows. */
const TOP = 0;
const FREE = 1;
const LIVE = 2;
const SHARED = 3;
const ROWS = 4;

export type Nonces = {
  readonly accounts: number;
  readonly capacity: number;
  readonly perWallet: number;
  readonly share: number;
  /** Runs that a poorer wallet may take, and that the richest keeps. */
  readonly fair: number;
  readonly counters: Uint32Array;
  readonly root: Uint32Array;
  /** Exact nonces and runs per wallet. */
  readonly count: Uint32Array;
  readonly runs: Uint32Array;
  /** First nonce above the floor (low, high). All below are used. */
  readonly bound: Uint32Array;
  readonly nodes: Uint32Array;
  /** Nonces in the run. 0: a free node, whose left child is the next free one. */
  readonly length: Uint32Array;
  readonly height: Uint8Array;
  readonly parent: Uint32Array;
  readonly lowest: Uint32Array;
  readonly highest: Uint32Array;
  readonly rich: Uint32Array;
};

type NonceLimits = { readonly accounts: number; readonly nonceRuns: number };

export function createNonces({ accounts, nonceRuns }: NonceLimits, perWallet: number, fair: number): Nonces {
  const share = Math.floor(nonceRuns / accounts / 4);
  // With one run of its own, a wallet can always take a nonce by raising its floor.
  if (share < 1) throw new RangeError('nonces: fewer than four runs a wallet');
  return {
    accounts, capacity: nonceRuns, perWallet, share, fair,
    counters: uint32(5),
    root: uint32(accounts), count: uint32(accounts), runs: uint32(accounts),
    bound: uint32(accounts * 2),
    nodes: uint32((nonceRuns + 1) * WORDS), length: uint32(nonceRuns + 1),
    height: uint8(nonceRuns + 1), parent: uint32(nonceRuns + 1),
    lowest: uint32(accounts), highest: uint32(accounts), rich: uint32(1),
  };
}

export function nonceRunsInUse({ counters }: Nonces): number {
  return counters[LIVE];
}

export function isUsed(n: Nonces, account: number, lo: number, hi: number): boolean {
  if (isBelowBound(n, account, lo, hi)) return true;
  const highest = n.highest[account];
  if (highest === 0) return false;
  const past = distance(n, highest, lo, hi);
  if (past >= 0) return past < n.length[highest];
  let below = 0;
  for (let node = n.root[account]; node !== 0;) {
    const right = distance(n, node, lo, hi) >= 0;
    if (right) below = node;
    node = n.nodes[node * WORDS + CHILD + (right ? RIGHT : LEFT)];
  }
  return below !== 0 && distance(n, below, lo, hi) < n.length[below];
}

function isBelowBound(n: Nonces, account: number, lo: number, hi: number): boolean {
  const boundHi = n.bound[account * 2 + 1];
  return hi < boundHi || (hi === boundHi && lo < n.bound[account * 2]);
}

/** Call only after `isUsed` said no. A waiting approval may have raised the floor above the nonce, which is then used already. */
export function markUsed(n: Nonces, account: number, lo: number, hi: number): void {
  if (isBelowBound(n, account, lo, hi)) return;
  if (account >= n.counters[ROWS]) n.counters[ROWS] = account + 1;
  dropVoided(n, account, VOIDED_A_NONCE);
  if (n.count[account] === n.perWallet) {
    if (distance(n, n.lowest[account], lo, hi) < 0) return raiseFloor(n, account, lo, hi);
    dropLowestNonce(n, account);
  }
  const highest = n.highest[account];
  if (highest !== 0) {
    const past = distance(n, highest, lo, hi) - n.length[highest];
    if (past === 0) n.length[highest] += 1;
    else if (past > 0) return addRun(n, account, highest, RIGHT, lo, hi);
    else return placeAmongRuns(n, account, lo, hi);
    n.count[account] += 1;
    return;
  }
  addRun(n, account, 0, LEFT, lo, hi);
}

/** The nonce, itself voided, must be below 2^64 - 1. */
export function voidUpTo(n: Nonces, account: number, lo: number, hi: number): void {
  if (account >= n.counters[ROWS]) n.counters[ROWS] = account + 1;
  raiseFloor(n, account, lo, hi);
  dropVoided(n, account, VOIDED_AT_ONCE);
}

/** True if the account has at most `most` runs, which bounds `forgetNonces`. Otherwise turns the lowest `most` into floor. */
export function thinRuns(n: Nonces, account: number, most: number): boolean {
  if (n.runs[account] <= most) return true;
  for (let i = 0; i < most; i++) dropLowestRun(n, account);
  return false;
}

/** Raises `out` (low, high). */
export function raiseToHighest(n: Nonces, account: number, out: Uint32Array): boolean {
  const boundLo = n.bound[account * 2];
  const boundHi = n.bound[account * 2 + 1];
  const isFloored = boundLo !== 0 || boundHi !== 0;
  if (isFloored) raiseNonce(out, (boundLo - 1) >>> 0, boundLo === 0 ? boundHi - 1 : boundHi);
  const run = n.highest[account];
  if (run === 0) return isFloored;
  const last = n.nodes[run * WORDS] + n.length[run] - 1;
  raiseNonce(out, last >>> 0, n.nodes[run * WORDS + 1] + (last >= HIGH ? 1 : 0));
  return true;
}

export function raiseNonce(out: Uint32Array, lo: number, hi: number): void {
  if (hi < out[1] || (hi === out[1] && lo <= out[0])) return;
  out[0] = lo;
  out[1] = hi;
}

export function forgetNonces(n: Nonces, account: number): void {
  for (let run = n.lowest[account]; run !== 0; run = n.lowest[account]) {
    n.count[account] -= n.length[run];
    removeRun(n, account, run);
  }
  n.bound[account * 2] = n.bound[account * 2 + 1] = 0;
}

/** Frees void runs and trims the lowest. Results never depend on what is left. */
function dropVoided(n: Nonces, account: number, most: number): void {
  for (let i = 0; i < most && n.lowest[account] !== 0 && isVoided(n, account, n.lowest[account]); i++) dropLowestRun(n, account);
  const lowest = n.lowest[account];
  if (lowest !== 0 && !isVoided(n, account, lowest)) trimToFloor(n, account, lowest);
}

function trimToFloor(n: Nonces, account: number, run: number): void {
  const below = Math.max(0, distance(n, run, n.bound[account * 2], n.bound[account * 2 + 1]));
  if (below > 0) setStart(n, run, n.bound[account * 2], n.bound[account * 2 + 1]);
  n.length[run] -= below;
  n.count[account] -= below;
}

function isVoided(n: Nonces, account: number, run: number): boolean {
  return distance(n, run, n.bound[account * 2], n.bound[account * 2 + 1]) >= n.length[run];
}

function placeAmongRuns(n: Nonces, account: number, lo: number, hi: number): void {
  let below = 0;
  let above = 0;
  let leaf = 0;
  for (let node = n.root[account]; node !== 0;) {
    leaf = node;
    const right = distance(n, node, lo, hi) >= 0;
    if (right) below = node;
    else above = node;
    node = n.nodes[node * WORDS + CHILD + (right ? RIGHT : LEFT)];
  }
  const joinsBelow = below !== 0 && distance(n, below, lo, hi) === n.length[below];
  const joinsAbove = above !== 0 && distance(n, above, lo, hi) === -1;
  if (!joinsBelow && !joinsAbove) return addRun(n, account, leaf, leaf === below ? RIGHT : LEFT, lo, hi);
  n.count[account] += 1;
  if (joinsBelow && joinsAbove) mergeRuns(n, account, below, above);
  else if (joinsBelow) n.length[below] += 1;
  else {
    setStart(n, above, lo, hi);
    n.length[above] += 1;
  }
}

function mergeRuns(n: Nonces, account: number, below: number, above: number): void {
  const length = n.length[below] + 1 + n.length[above];
  // One neighbour is an ancestor of the other. The lower one has no child on the upper one's side.
  if (n.nodes[below * WORDS + CHILD + RIGHT] !== 0) {
    removeRun(n, account, above);
    n.length[below] = length;
  } else {
    setStart(n, above, n.nodes[below * WORDS], n.nodes[below * WORDS + 1]);
    removeRun(n, account, below);
    n.length[above] = length;
  }
}

/** Raises the floor if there is no room. */
function addRun(n: Nonces, account: number, leaf: number, side: number, lo: number, hi: number): void {
  if (!mayAllocate(n, account) && !takeFromRichest(n, account)) {
    if (distance(n, n.lowest[account], lo, hi) < 0) return raiseFloor(n, account, lo, hi);
    dropLowestRun(n, account);
    return markUsed(n, account, lo, hi);
  }
  const node = allocate(n, account);
  setStart(n, node, lo, hi);
  n.length[node] = 1;
  n.height[node] = 1;
  n.parent[node] = leaf;
  n.count[account] += 1;
  if (leaf === 0) {
    n.root[account] = n.lowest[account] = n.highest[account] = node;
    return;
  }
  n.nodes[leaf * WORDS + CHILD + side] = node;
  if (side === LEFT && leaf === n.lowest[account]) n.lowest[account] = node;
  if (side === RIGHT && leaf === n.highest[account]) n.highest[account] = node;
  rebalance(n, account, leaf);
}

function dropLowestNonce(n: Nonces, account: number): void {
  const run = n.lowest[account];
  if (n.length[run] === 1 || isVoided(n, account, run)) return dropLowestRun(n, account);
  raiseFloor(n, account, n.nodes[run * WORDS], n.nodes[run * WORDS + 1]);
  trimToFloor(n, account, run);
}

function dropLowestRun(n: Nonces, account: number): void {
  const run = n.lowest[account];
  const last = n.nodes[run * WORDS] + n.length[run] - 1;
  raiseFloor(n, account, last >>> 0, n.nodes[run * WORDS + 1] + (last >= HIGH ? 1 : 0));
  n.count[account] -= n.length[run];
  removeRun(n, account, run);
}

/** The floor never falls and never is 2^64 - 1, so the bound is a u64. */
function raiseFloor(n: Nonces, account: number, lo: number, hi: number): void {
  if (isBelowBound(n, account, lo, hi)) return;
  n.bound[account * 2] = lo + 1;
  n.bound[account * 2 + 1] = lo === HIGH - 1 ? hi + 1 : hi;
}

/** The nonce minus the start of a run. Exact up to 2^53. Beyond, rounding never changes the sign and never reaches a run's length. */
function distance(n: Nonces, node: number, lo: number, hi: number): number {
  return (hi - n.nodes[node * WORDS + 1]) * HIGH + (lo - n.nodes[node * WORDS]);
}

function setStart(n: Nonces, node: number, lo: number, hi: number): void {
  n.nodes[node * WORDS] = lo;
  n.nodes[node * WORDS + 1] = hi;
}

// The pool. Invariant: the nodes outside the trees cover what is left of every wallet's share.

function mayAllocate(n: Nonces, account: number): boolean {
  if (n.runs[account] < n.share) return true;
  const promised = n.share * n.accounts - n.counters[SHARED];
  return n.capacity - n.counters[LIVE] > promised;
}

/** Many runs at once, to pay for the scan of all wallets. */
function takeFromRichest(n: Nonces, account: number): boolean {
  if (n.rich[0] === 0 || n.runs[account] >= n.fair) return false;
  let richest = 0;
  for (let other = 1; other < n.counters[ROWS]; other++) if (n.runs[other] > n.runs[richest]) richest = other;
  for (let i = 0; i < n.fair; i++) dropLowestRun(n, richest);
  return true;
}

function allocate(n: Nonces, account: number): number {
  const { counters } = n;
  let node = counters[FREE];
  if (node !== 0) {
    assert(n.length[node] === 0, 'nonces: the free list holds free nodes');
    counters[FREE] = n.nodes[node * WORDS + CHILD];
    n.nodes[node * WORDS + CHILD] = 0;
  } else {
    node = counters[TOP] + 1;
    counters[TOP] = node;
  }
  assert(node <= n.capacity, 'nonces: a new node lies within the pool');
  counters[LIVE] += 1;
  if (n.runs[account] < n.share) counters[SHARED] += 1;
  n.runs[account] += 1;
  if (n.runs[account] === 2 * n.fair + 1) n.rich[0] += 1;
  return node;
}

function release(n: Nonces, account: number, node: number): void {
  const { counters } = n;
  assert(node !== 0 && n.length[node] > 0 && n.runs[account] > 0, 'nonces: a node is freed once');
  n.nodes[node * WORDS + CHILD] = counters[FREE];
  n.nodes[node * WORDS + CHILD + RIGHT] = 0;
  n.length[node] = n.height[node] = n.parent[node] = 0;
  counters[FREE] = node;
  counters[LIVE] -= 1;
  n.runs[account] -= 1;
  if (n.runs[account] === 2 * n.fair) n.rich[0] -= 1;
  if (n.runs[account] < n.share) counters[SHARED] -= 1;
}

/** The node has at most one child, as the lowest and the highest always have. */
function removeRun(n: Nonces, account: number, node: number): void {
  const left = n.nodes[node * WORDS + CHILD];
  const right = n.nodes[node * WORDS + CHILD + RIGHT];
  const parent = n.parent[node];
  assert(left === 0 || right === 0, 'nonces: a removed run has at most one child');
  // The lowest run has no left child, so its right child is a leaf and the next run. The highest goes only as a leaf.
  if (n.lowest[account] === node) n.lowest[account] = right !== 0 ? right : parent;
  if (n.highest[account] === node) n.highest[account] = parent;
  replaceNode(n, account, node, left !== 0 ? left : right);
  release(n, account, node);
  rebalance(n, account, parent);
}

export function nonceSections(n: Nonces): readonly Section[] {
  const rows = () => n.counters[ROWS];
  const nodes = () => n.counters[TOP] + 1;
  return [
    fixedSection('nonces.counters', n.counters),
    { name: 'nonces.root', column: n.root, used: rows },
    { name: 'nonces.count', column: n.count, used: rows },
    { name: 'nonces.runs', column: n.runs, used: rows },
    { name: 'nonces.bound', column: n.bound, used: () => rows() * 2 },
    { name: 'nonces.nodes', column: n.nodes, used: () => nodes() * WORDS },
    { name: 'nonces.length', column: n.length, used: nodes },
    { name: 'nonces.height', column: n.height, used: nodes },
  ];
}

export function rebuildNonces(n: Nonces): void {
  const { nodes, parent } = n;
  for (let node = 1; node <= n.counters[TOP]; node++) {
    if (n.length[node] === 0) continue;
    const left = nodes[node * WORDS + CHILD];
    const right = nodes[node * WORDS + CHILD + RIGHT];
    if (left !== 0) parent[left] = node;
    if (right !== 0) parent[right] = node;
  }
  for (let account = 0; account < n.counters[ROWS]; account++) {
    n.lowest[account] = outermost(n, n.root[account], LEFT);
    n.highest[account] = outermost(n, n.root[account], RIGHT);
    if (n.runs[account] > 2 * n.fair) n.rich[0] += 1;
  }
}

function outermost(n: Nonces, root: number, side: number): number {
  let node = root;
  for (let next = node; next !== 0; next = n.nodes[node * WORDS + CHILD + side]) node = next;
  return node;
}
