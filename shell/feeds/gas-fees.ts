// What a transaction on the chain costs, from the fee history of its last blocks (JSON-RPC eth_feeHistory, EIP-1559). All in wei
// per gas, exact.
//   base fee        that of the next block, which the chain has fixed already
//   priority fee    the median over the last 20 blocks of what the median gas of each block paid beyond its base fee
//   gas price       their sum: what a transaction pays now
//   max fee         twice the base fee and the priority fee: still enough after five full blocks, each of which raises the base
//                   fee by an eighth (1.125^5 < 2 < 1.125^6)
// Never takes a node's number on trust: what no chain has ever asked is a failure of the node.

import { isObject } from '../process/json-object.ts';
import { UpstreamFailure } from './upstream.ts';

const BLOCKS = 20;
/** Of the gas of a block, ordered by what it paid. */
const PERCENTILE = 50;
/** A gas that costs one whole coin is no price. */
const ABSURD = 10n ** 18n;
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,63})$/;

export type Fees = { readonly base: bigint; readonly priority: bigint; readonly price: bigint; readonly most: bigint };

export const FEE_REQUEST = {
  jsonrpc: '2.0', id: 1, method: 'eth_feeHistory', params: [`0x${BLOCKS.toString(16)}`, 'latest', [PERCENTILE]],
};

export const CHAIN_REQUEST = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };

/** Throws UpstreamFailure unless the node says that it is of this chain: fees of another one would mislead. */
export function checkChain(answer: unknown, chainId: number): void {
  const id = resultOf(answer);
  if (typeof id !== 'string' || !QUANTITY.test(id)) throw new UpstreamFailure('the node does not say which chain it is of');
  if (BigInt(id) !== BigInt(chainId)) throw new UpstreamFailure(`the node is of chain ${BigInt(id)}, not of ${chainId}`);
}

/** Throws UpstreamFailure on anything but a fee history. */
export function readFees(answer: unknown): Fees {
  const history = resultOf(answer);
  if (!isObject(history)) throw new UpstreamFailure('the answer has no result');
  const bases = listOf(history['baseFeePerGas']).map(weiOf);
  const rewards = listOf(history['reward']).map((row) => weiOf(listOf(row)[0]));
  // The base fees are those of the blocks and of the next one.
  const base = bases.at(-1);
  if (base === undefined || rewards.length === 0 || rewards.length > BLOCKS || bases.length !== rewards.length + 1) {
    throw new UpstreamFailure('the fee history has another form');
  }
  const priority = median(rewards);
  return { base, priority, price: base + priority, most: 2n * base + priority };
}

function resultOf(answer: unknown): unknown {
  if (!isObject(answer)) throw new UpstreamFailure('the answer is no JSON-RPC');
  if (answer['error'] !== undefined && answer['error'] !== null) throw new UpstreamFailure('the node answered with an error');
  return answer['result'];
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new UpstreamFailure('the fee history has another form');
  return value as unknown[];
}

function weiOf(value: unknown): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw new UpstreamFailure('a fee is no quantity');
  const wei = BigInt(value);
  if (wei >= ABSURD) throw new UpstreamFailure('a fee is absurd');
  return wei;
}

/** Of an even number the higher of the middle two: a transaction that pays it is not left behind. */
function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : Number(a > b)));
  return sorted[sorted.length >> 1]!;
}
