// A client's command as its record: header, head of the signed command, fixed numbers, proof. Offsets are those of
// core/codec/commands. A command that failed a value check carries its code and no proof: main answers it and it never
// reaches the journal.

import {
  APPROVE_AGENT, BYTE_CANCEL_CLIENT_ID, BYTE_OPTION_KIND, BYTE_ORDER_CLIENT_ID, BYTE_ORDER_FLAGS, BYTE_SIDE, BYTE_TIF, CALL,
  CANCEL_BY_CLIENT_ID, CANCEL_ORDER, DOUBLE_EXPIRY, DOUBLE_PRICE, DOUBLE_SIZE, DOUBLE_STRIKE, FLAG_BY_TOKEN, FLAG_WALLET_NAMED,
  PLACE_ORDER, proofOffset, PUT, REVOKE_AGENT, SET_TIER, WORD_AGENT, WORD_AGENT_EXPIRES, WORD_AGENT_FLAGS, WORD_DIGEST, WORD_NONCE,
  WORD_ORDER_ID, WORD_ORDER_UNDERLYING, WORD_SIGNER, WORD_TIER, WORD_TIER_FLAGS, WORD_WALLET, writeSafe,
} from '../../core/codec/commands.ts';
import { proofBytes, writeProof } from '../../core/codec/proof.ts';
import { alignUp, HEADER_BYTES, WORD_CODE, WORD_SOURCE, writeHeader, type Views } from '../../core/codec/record.ts';
import { OK } from '../../core/errors.ts';
import { CODEC } from '../../core/version.ts';
import type { StructureName, U64 } from '../auth/eip712.ts';
import type { Source } from '../http/source.ts';
import { numberOfStructure } from './proof.ts';
import type { OrderValues } from './values.ts';

/** What a verified signature says: who signed which digest of which structure. Addresses 20 bytes, digests 32. */
export type Signed = {
  readonly structure: StructureName;
  readonly texts: readonly string[];
  readonly nonce: U64;
  readonly signature: Uint8Array;
  readonly digest: Uint8Array;
  readonly structHash: Uint8Array;
  readonly signer: Uint8Array;
};

/** Writes the fixed numbers of one kind into a zeroed record at byte `at`. */
export type WriteNumbers = (views: Views, at: number) => void;

export type Command = {
  readonly kind: number;
  /** Whose account is acted on, 20 bytes. */
  readonly wallet: Uint8Array;
  /** Null when the admin token stands for a signature. */
  readonly signed: Signed | null;
  readonly source: Source;
  /** OK, or the first failed value check; the numbers are then not written. */
  readonly code: number;
  readonly numbers: WriteNumbers;
};

/** Bytes of the command's record, and its texts in UTF-8. */
export function measureCommand(command: Command): { readonly bytes: number; readonly texts: readonly Uint8Array[] } {
  const texts = command.code === OK && command.signed !== null ? command.signed.texts.map((text) => Buffer.from(text)) : [];
  const textBytes = texts.reduce((sum, text) => sum + text.length, 0);
  const proof = command.code === OK && command.signed !== null ? proofBytes(texts.length, textBytes) : 0;
  return { bytes: alignUp(proofOffset(command.kind) + proof), texts };
}

/** Writes the record of `bytes` at byte `at`; `origin` is the producer's number, `request` its number of the request. */
export function writeCommand(
  views: Views, at: number, bytes: number, texts: readonly Uint8Array[], command: Command, origin: number, request: number,
): void {
  const { kind, wallet, signed, source, code } = command;
  const word = at >>> 2;
  writeHeader(views, at, bytes, kind, CODEC, origin, request);
  views.u8.fill(0, at + HEADER_BYTES, at + bytes);
  views.u32[word + WORD_CODE] = code;
  views.u32[word + WORD_SOURCE] = source.loopback ? 0 : source.digest;
  views.u8.set(wallet, at + WORD_WALLET * 4);
  if (signed !== null) {
    views.u8.set(signed.signer, at + WORD_SIGNER * 4);
    views.u32[word + WORD_NONCE] = signed.nonce.lo;
    views.u32[word + WORD_NONCE + 1] = signed.nonce.hi;
    views.u8.set(signed.digest, at + WORD_DIGEST * 4);
  }
  if (code !== OK) return;
  command.numbers(views, at);
  if (signed !== null) writeProof(views, at + proofOffset(kind), numberOfStructure(signed.structure), signed.signature, texts);
}

/** The numbers of PLACE_ORDER. */
export function orderNumbers(values: OrderValues, clientId: string, flags: number): WriteNumbers {
  return (views, at) => {
    const { terms } = values;
    const word = at >>> 2;
    const double = at >>> 3;
    views.u32[word + WORD_ORDER_UNDERLYING] = terms.underlyingLo;
    views.u32[word + WORD_ORDER_UNDERLYING + 1] = terms.underlyingHi;
    views.f64[double + DOUBLE_EXPIRY] = terms.expiry;
    views.f64[double + DOUBLE_STRIKE] = terms.strike;
    views.f64[double + DOUBLE_PRICE] = values.price;
    views.f64[double + DOUBLE_SIZE] = values.size;
    views.u8[at + BYTE_OPTION_KIND] = terms.isCall ? CALL : PUT;
    views.u8[at + BYTE_SIDE] = values.side;
    views.u8[at + BYTE_TIF] = values.tif;
    views.u8[at + BYTE_ORDER_FLAGS] = flags;
    writeClientId(views, at + BYTE_ORDER_CLIENT_ID, clientId);
  };
}

function writeClientId(views: Views, at: number, clientId: string): void {
  const bytes = Buffer.from(clientId);
  views.u8[at] = bytes.length;
  views.u8.set(bytes, at + 4);
}

/** The numbers of CANCEL_ORDER. */
export function cancelNumbers(orderId: U64): WriteNumbers {
  return (views, at) => {
    views.u32[(at >>> 2) + WORD_ORDER_ID] = orderId.lo;
    views.u32[(at >>> 2) + WORD_ORDER_ID + 1] = orderId.hi;
  };
}

/** The numbers of CANCEL_BY_CLIENT_ID. */
export function cancelByClientIdNumbers(clientId: string): WriteNumbers {
  return (views, at) => writeClientId(views, at + BYTE_CANCEL_CLIENT_ID, clientId);
}

/** The numbers of APPROVE_AGENT and REVOKE_AGENT; `expires` in ms, 0 for none. */
export function agentNumbers(agent: Uint8Array, expires: number, isWalletNamed: boolean): WriteNumbers {
  return (views, at) => {
    const word = at >>> 2;
    views.u8.set(agent, at + WORD_AGENT * 4);
    views.u32[word + WORD_AGENT_FLAGS] = isWalletNamed ? FLAG_WALLET_NAMED : 0;
    writeSafe(views, word + WORD_AGENT_EXPIRES, expires);
  };
}

/** The numbers of SET_TIER. */
export function tierNumbers(tier: number, isByToken: boolean): WriteNumbers {
  return (views, at) => {
    views.u32[(at >>> 2) + WORD_TIER] = tier;
    views.u32[(at >>> 2) + WORD_TIER_FLAGS] = isByToken ? FLAG_BY_TOKEN : 0;
  };
}

/** The structures a kind of command may be signed as; none for kinds that are not signed. */
export function structuresOf(kind: number): readonly StructureName[] {
  switch (kind) {
    case PLACE_ORDER: return ['PlaceOrder', 'PlaceOrderRouted'];
    case CANCEL_ORDER: return ['CancelOrder'];
    case CANCEL_BY_CLIENT_ID: return ['CancelOrderByClientId'];
    case APPROVE_AGENT: return ['ApproveAgent', 'ApproveAgentUntil'];
    case REVOKE_AGENT: return ['RevokeAgent'];
    case SET_TIER: return ['SetUserTier'];
    default: return [];
  }
}
