// Transaction fees of a chain, in wei per gas, from its fee history (JSON-RPC eth_feeHistory, EIP-1559).
//   base fee        of the next block, already fixed
//   priority fee    the median, over the last 20 blocks, of what each block's median gas paid above its base fee
//   gas price       their sum
//   max fee         twice the base fee plus the priority fee: enough after five full blocks (1.125^5 < 2 < 1.125^6)

import { isObject } from '../process/json-object.ts';
import { UpstreamFailure } from './upstream.ts';

const BLOCKS = 20;
/** Share of a block's gas. */
const PERCENTILE = 50;
/** A whole coin per gas. */
const IMPLAUSIBLE_WEI = 10n ** 18n;
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]{0,63})$/;

export type Fees = { readonly base: bigint; readonly priority: bigint; readonly price: bigint; readonly most: bigint };

export const FEE_REQUEST = {
  jsonrpc: '2.0', id: 1, method: 'eth_feeHistory', params: [`0x${BLOCKS.toString(16)}`, 'latest', [PERCENTILE]],
};

export const CHAIN_REQUEST = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };

export function checkChain(answer: unknown, chainId: number): void {
  const id = resultOf(answer);
  if (typeof id !== 'string' || !QUANTITY.test(id)) throw new UpstreamFailure('the node does not say which chain it is of');
  if (BigInt(id) !== BigInt(chainId)) throw new UpstreamFailure(`the node is of chain ${BigInt(id)}, not of ${chainId}`);
}

export function readFees(answer: unknown): Fees {
  const history = resultOf(answer);
  if (!isObject(history)) throw new UpstreamFailure('the answer has no result');
  const bases = listOf(history['baseFeePerGas']).map(weiOf);
  const rewards = listOf(history['reward']).map((row) => weiOf(listOf(row)[0]));
  const base = bases.at(-1);
  if (base === undefined || rewards.length === 0 || rewards.length > BLOCKS || bases.length !== rewards.length + 1) {
    throw new UpstreamFailure('the fee history is malformed');
  }
  const priority = median(rewards);
  return { base, priority, price: base + priority, most: 2n * base + priority };
}

function resultOf(answer: unknown): unknown {
  if (!isObject(answer)) throw new UpstreamFailure('the answer is not JSON-RPC');
  if (answer['error'] !== undefined && answer['error'] !== null) throw new UpstreamFailure('the node answered with an error');
  return answer['result'];
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new UpstreamFailure('the fee history is malformed');
  return value as unknown[];
}

function weiOf(value: unknown): bigint {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw new UpstreamFailure('a fee is not a hex quantity');
  const wei = BigInt(value);
  if (wei >= IMPLAUSIBLE_WEI) throw new UpstreamFailure('a fee is implausibly high');
  return wei;
}

/** The higher of two, so that a transaction paying it is not left behind. */
function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : Number(a > b)));
  return sorted[sorted.length >> 1]!;
}
