// The action approveAgent: signed by the wallet itself, as typed data. A name may end with ` valid_until TIME`, ms. The audit uses this
// module too.

import { OK } from '../../../core/errors.ts';
import { u64Of } from '../../../core/codec/fields.ts';
import type { Fields, U64 } from '../../../core/codec/signed-commands.ts';
import { AGENT_NAME_CHARS } from '../../../core/limits.ts';
import type { Checked } from '../../http/errors.ts';
import { parseHex } from '../../http/hex.ts';
import { readStrictBody } from '../../http/unknown-fields.ts';
import type { JsonObject } from '../../process/json-object.ts';
import { digestApproval } from '../auth/approve-agent.ts';
import { malformed, notHere, whole } from './order-wire.ts';

const CHAIN = /^0x[0-9a-fA-F]{1,13}$/;
const NAME = new RegExp(`^([\\x20-\\x7e]{0,${AGENT_NAME_CHARS}}?)(?: valid_until ([0-9]{1,15}))?$`);
const TESTNET = 'Testnet';
const NAME_BYTES = 64;
const APPROVAL = {
  type: { kind: 'ignored' }, signatureChainId: { kind: 'text', maxBytes: 16 }, hyperliquidChain: { kind: 'text', maxBytes: 16 },
  agentAddress: { kind: 'address' }, agentName: { kind: 'text', maxBytes: NAME_BYTES, default: '' }, nonce: whole,
} as const;

export type ApprovalTexts = {
  readonly signatureChainId: string; readonly hyperliquidChain: string; readonly agentAddress: string; readonly agentName: string;
};

export function parseApproval(action: JsonObject, nonce: number): Checked<ApprovalTexts> {
  const read = readStrictBody(APPROVAL, action);
  if (!read.ok) return read;
  const { agentAddress, agentName, hyperliquidChain, signatureChainId } = read.value;
  if (!CHAIN.test(signatureChainId) || !NAME.test(agentName) || read.value.nonce !== nonce) return malformed();
  // Their mainnet's signatures are never valid here.
  if (hyperliquidChain !== TESTNET) return notHere(`Only ${TESTNET} is a chain of this venue`);
  return { ok: true, value: { signatureChainId, hyperliquidChain, agentAddress, agentName } };
}

export function digestTexts(texts: ApprovalTexts, nonce: U64, out: Uint8Array): Uint8Array {
  const { agentAddress, agentName, hyperliquidChain, signatureChainId } = texts;
  return digestApproval({
    agent: bytesOf(agentAddress), agentName, hyperliquidChain, signatureChainId: Number(signatureChainId),
  }, nonce, out);
}

export function approvalFields({ agentAddress, agentName, signatureChainId }: ApprovalTexts) {
  const [, name, until = '0'] = NAME.exec(agentName) ?? [];
  if (name === undefined || !CHAIN.test(signatureChainId)) throw new RangeError('no approval has these texts');
  const fields: Fields<'APPROVE_NAMED_AGENT'> = {
    agent: bytesOf(agentAddress), flags: 0, expiresAt: u64Of(Number(until)), agentName: name,
  };
  return { code: OK, fields };
}

function bytesOf(address: string): Uint8Array {
  const bytes = new Uint8Array(20);
  if (!parseHex(address, bytes)) throw new RangeError('no approval has this address');
  return bytes;
}
