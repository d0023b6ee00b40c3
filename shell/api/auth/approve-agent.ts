// The digest of Hyperliquid's ApproveAgent, in the domain HyperliquidSignTransaction of the chain that the request names.

import { HIGH } from '../../../core/codec/record.ts';
import type { U64 } from '../../../core/codec/signed-commands.ts';
import { createHasher } from './eip712.ts';
import { keccak256 } from './keccak.ts';

const TYPE = 'HyperliquidTransaction:ApproveAgent(string hyperliquidChain,address agentAddress,string agentName,uint64 nonce)';
const WORD = 32;
const encoder = new TextEncoder();

/** `agent`: 20 bytes. */
type AgentApproval = {
  readonly signatureChainId: number; readonly hyperliquidChain: string; readonly agent: Uint8Array; readonly agentName: string;
};

/** `out`: the 32 bytes to sign. Returns the hash of the structure. */
export function digestApproval(approval: AgentApproval, nonce: U64, out: Uint8Array): Uint8Array {
  const { agent, agentName, hyperliquidChain, signatureChainId } = approval;
  const words = new Uint8Array(WORD * 5);
  const view = new DataView(words.buffer);
  keccak256(encoder.encode(TYPE), words, 0);
  keccak256(encoder.encode(hyperliquidChain), words, WORD);
  words.set(agent, WORD * 3 - agent.length);
  keccak256(encoder.encode(agentName), words, WORD * 3);
  view.setBigUint64(WORD * 5 - 8, BigInt(nonce.hi) * BigInt(HIGH) + BigInt(nonce.lo));
  const structHash = new Uint8Array(WORD);
  keccak256(words, structHash, 0);
  const signed = new Uint8Array(2 + 2 * WORD);
  signed.set([0x19, 0x01]);
  signed.set(createHasher('HyperliquidSignTransaction', signatureChainId).separator, 2);
  signed.set(structHash, 2 + WORD);
  keccak256(signed, out, 0);
  return structHash;
}
