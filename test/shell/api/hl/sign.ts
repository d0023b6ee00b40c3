// Signs actions as the protocol's clients do: MessagePack by @msgpack/msgpack, hashes and typed data by ethers, keys by noble. No code of
// the venue has a part in it.

import { encode } from '@msgpack/msgpack';
import { keccak256, SigningKey, TypedDataEncoder } from 'ethers';
import { keyOf, nobleSigner } from '../wallets.ts';

const EXCHANGE = { name: 'Exchange', version: '1', chainId: 1337, verifyingContract: `0x${'0'.repeat(40)}` };
const NONCE_DIGITS = 16;

export type Signed = { readonly nonce: number; readonly vaultAddress?: string; readonly expiresAfter?: number };
type Signature = { readonly r: string; readonly s: string; readonly v: number };
type HlRequest = Signed & { readonly action: object; readonly signature: Signature };

const hexOf = (value: number): string => value.toString(16).padStart(NONCE_DIGITS, '0');

function partsOf(signature: string): Signature {
  return { r: signature.slice(0, 66), s: `0x${signature.slice(66, 130)}`, v: Number.parseInt(signature.slice(130), 16) };
}

export function signAction(seed: number, action: object, signed: Signed, source = 'b'): HlRequest {
  const { expiresAfter, nonce, vaultAddress } = signed;
  const vault = vaultAddress === undefined ? '00' : `01${vaultAddress.slice(2)}`;
  const bytes = Buffer.concat([
    encode(action), Buffer.from(hexOf(nonce) + vault + (expiresAfter === undefined ? '' : `00${hexOf(expiresAfter)}`), 'hex'),
  ]);
  const signature = nobleSigner(seed).sign('Agent', { source, connectionId: keccak256(bytes) }, EXCHANGE);
  return { action, ...signed, signature: partsOf(signature) };
}

type Approval = { readonly signatureChainId: string; readonly nonce: number };

const APPROVE_AGENT = [
  { name: 'hyperliquidChain', type: 'string' }, { name: 'agentAddress', type: 'address' }, { name: 'agentName', type: 'string' },
  { name: 'nonce', type: 'uint64' },
];

export function signApproval<A extends Approval>(seed: number, action: A) {
  const domain = {
    name: 'HyperliquidSignTransaction', version: '1', chainId: Number(action.signatureChainId), verifyingContract: `0x${'0'.repeat(40)}`,
  };
  const digest = TypedDataEncoder.hash(domain, { 'HyperliquidTransaction:ApproveAgent': APPROVE_AGENT }, { agentName: '', ...action });
  return { action, nonce: action.nonce, signature: partsOf(new SigningKey(keyOf(seed)).sign(digest).serialized) };
}
