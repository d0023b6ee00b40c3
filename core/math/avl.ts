// AVL trees with parent links (Knuth, TAOCP vol. 3, 6.2.3): many owners' trees in one pool of nodes. Node 0 means no node.

import { assert } from '../assert.ts';

/** Words of a node: two of the store's, left child, right child. */
const WORDS = 4;
const CHILD = 2;
const LEFT = 0;
const RIGHT = 1;

type Trees = {
  readonly root: Uint32Array;
  readonly nodes: Uint32Array;
  readonly parent: Uint32Array;
  readonly height: Uint8Array;
};

export function replaceNode(tree: Trees, owner: number, node: number, other: number): void {
  const parent = tree.parent[node];
  assert(parent !== 0 || tree.root[owner] === node, 'avl: a node without a parent is the root');
  if (other !== 0) tree.parent[other] = parent;
  if (parent === 0) tree.root[owner] = other;
  else tree.nodes[parent * WORDS + CHILD + (tree.nodes[parent * WORDS + CHILD] === node ? LEFT : RIGHT)] = other;
}

/** Balances from `node` upwards, until a subtree keeps its height. */
export function rebalance(tree: Trees, owner: number, node: number): void {
  while (node !== 0) {
    const before = tree.height[node];
    const lean = leanOf(tree, node);
    assert(lean >= -2 && lean <= 2, 'avl: a tree leans by two at most');
    if (lean === 2 || lean === -2) {
      const side = lean > 0 ? RIGHT : LEFT;
      const heavy = tree.nodes[node * WORDS + CHILD + side];
      if (leanOf(tree, heavy) * lean < 0) rotate(tree, owner, heavy, 1 - side);
      node = rotate(tree, owner, node, side);
    } else setHeight(tree, node);
    if (tree.height[node] === before) return;
    node = tree.parent[node];
  }
}

function rotate(tree: Trees, owner: number, top: number, side: number): number {
  const { nodes, parent } = tree;
  const rising = nodes[top * WORDS + CHILD + side];
  const inner = nodes[rising * WORDS + CHILD + 1 - side];
  replaceNode(tree, owner, top, rising);
  nodes[top * WORDS + CHILD + side] = inner;
  if (inner !== 0) parent[inner] = top;
  nodes[rising * WORDS + CHILD + 1 - side] = top;
  parent[top] = rising;
  setHeight(tree, top);
  setHeight(tree, rising);
  return rising;
}

function leanOf(tree: Trees, node: number): number {
  return tree.height[tree.nodes[node * WORDS + CHILD + RIGHT]] - tree.height[tree.nodes[node * WORDS + CHILD]];
}

function setHeight(tree: Trees, node: number): void {
  const left = tree.height[tree.nodes[node * WORDS + CHILD]];
  const right = tree.height[tree.nodes[node * WORDS + CHILD + RIGHT]];
  tree.height[node] = (left > right ? left : right) + 1;
}
