// Orders that wait for a trigger: a tree for each contract, value, direction and reduce-only or not. The first of a tree is the one that
// the value reaches first, then by order id. A node is the order's slot in the pool. An index; only its order is used, never its shape.

import { assert } from '../assert.ts';
import { float64, int32, uint32, uint8 } from '../columns.ts';
import { rebalance, replaceNode } from '../math/avl.ts';
import type { Books } from '../book/layout.ts';
import { orderId } from '../book/pool.ts';

/** As in a record's `triggerBy` and `triggerDirection`; 0: none. */
export const BY_INDEX = 1;
export const BY_THEO = 2;
export const ABOVE = 1;
export const BELOW = 2;

/** Trees of one contract, in the order of firing: reduce-only or not, value, direction. */
export const TREES = 12;

const WORDS = 4;
const LEFT = 2;
const RIGHT = 3;

export type Triggers = {
  readonly books: Books;
  readonly price: Float64Array;
  readonly root: Uint32Array;
  readonly nodes: Uint32Array;
  readonly parent: Uint32Array;
  readonly height: Uint8Array;
  /** Per tree: price of its first order, 0 if empty. */
  readonly nearest: Float64Array;
  readonly ofContract: Int32Array;
};

export function createTriggers(books: Books, price: Float64Array): Triggers {
  const { capacity } = books;
  const contracts = books.ladders.length / 32;
  return {
    books, price, root: uint32(contracts * TREES), nodes: uint32(capacity * WORDS), parent: uint32(capacity), height: uint8(capacity),
    nearest: float64(contracts * TREES), ofContract: int32(contracts),
  };
}

export function treeOf(contract: number, isReduceOnly: boolean, by: number, direction: number): number {
  return contract * TREES + (isReduceOnly ? 0 : TREES / 2) + (by - 1) * 2 + (direction - 1);
}

function isAbove(tree: number): boolean {
  return (tree & 1) === 0;
}

function contractOf(tree: number): number {
  return Math.floor(tree / TREES);
}

export function isReached(tree: number, price: number, value: number): boolean {
  return isAbove(tree) ? value >= price : value <= price;
}

function isBehind({ books, price }: Triggers, tree: number, slot: number, than: number, id: number): boolean {
  if (price[slot] !== than) return isAbove(tree) === price[slot] > than;
  return orderId(books, slot) > id;
}

export function addTrigger(triggers: Triggers, tree: number, slot: number): void {
  const { books, height, nodes, parent, price, root } = triggers;
  assert(height[slot] === 0 && price[slot] > 0, 'triggers: an order waits once, for a price');
  const id = orderId(books, slot);
  let leaf = 0;
  let side = LEFT;
  for (let node = root[tree]; node !== 0; node = nodes[node * WORDS + side]) {
    leaf = node;
    side = isBehind(triggers, tree, node, price[slot], id) ? LEFT : RIGHT;
  }
  nodes[slot * WORDS + LEFT] = nodes[slot * WORDS + RIGHT] = 0;
  height[slot] = 1;
  parent[slot] = leaf;
  if (leaf === 0) root[tree] = slot;
  else nodes[leaf * WORDS + side] = slot;
  rebalance(triggers, tree, leaf);
  triggers.ofContract[contractOf(tree)]++;
  noteNearest(triggers, tree);
}

export function removeTrigger(triggers: Triggers, tree: number, slot: number): void {
  const { height, nodes, parent } = triggers;
  assert(height[slot] !== 0, 'triggers: a removed order waits');
  const left = nodes[slot * WORDS + LEFT];
  const right = nodes[slot * WORDS + RIGHT];
  let from = parent[slot];
  if (left === 0 || right === 0) replaceNode(triggers, tree, slot, left !== 0 ? left : right);
  else from = liftNext(triggers, tree, slot, left, right);
  rebalance(triggers, tree, from);
  height[slot] = 0;
  triggers.ofContract[contractOf(tree)]--;
  assert(triggers.ofContract[contractOf(tree)] >= 0, 'triggers: a waiting order was counted');
  noteNearest(triggers, tree);
}

/** Replaces a node with two children by the next. Returns the lowest node whose subtree has changed. */
function liftNext(triggers: Triggers, tree: number, slot: number, left: number, right: number): number {
  const { height, nodes, parent } = triggers;
  const next = outermost(triggers, right);
  const above = parent[next];
  if (next !== right) {
    replaceNode(triggers, tree, next, nodes[next * WORDS + RIGHT]);
    nodes[next * WORDS + RIGHT] = right;
    parent[right] = next;
  }
  replaceNode(triggers, tree, slot, next);
  nodes[next * WORDS + LEFT] = left;
  parent[left] = next;
  height[next] = height[slot];
  return above === slot ? next : above;
}

function outermost({ nodes }: Triggers, top: number): number {
  let node = top;
  while (node !== 0 && nodes[node * WORDS + LEFT] !== 0) node = nodes[node * WORDS + LEFT];
  return node;
}

function noteNearest(triggers: Triggers, tree: number): void {
  const first = outermost(triggers, triggers.root[tree]);
  triggers.nearest[tree] = first === 0 ? 0 : triggers.price[first];
}

export function firstTrigger(triggers: Triggers, tree: number): number {
  return outermost(triggers, triggers.root[tree]);
}

export function triggerAfter(triggers: Triggers, tree: number, price: number, id: number): number {
  const { nodes, root } = triggers;
  let found = 0;
  for (let node = root[tree]; node !== 0;) {
    const isLater = isBehind(triggers, tree, node, price, id);
    if (isLater) found = node;
    node = nodes[node * WORDS + (isLater ? LEFT : RIGHT)];
  }
  return found;
}

/** First in the order of firing; 0 if none. */
export function firstTriggerOf(triggers: Triggers, contract: number): number {
  if (triggers.ofContract[contract] === 0) return 0;
  for (let tree = contract * TREES; tree < (contract + 1) * TREES; tree++) {
    if (triggers.root[tree] !== 0) return firstTrigger(triggers, tree);
  }
  return 0;
}

export function clearTriggers({ height, nearest, ofContract, root }: Triggers, slots: number): void {
  root.fill(0);
  nearest.fill(0);
  ofContract.fill(0);
  height.fill(0, 0, slots);
}
