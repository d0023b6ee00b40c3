// A client's command as its record: header, head of the signed command, fixed numbers, proof. Offsets are those of
// core/codec/commands. A command that failed a value check carries its code and no proof: main answers it and it never
// reaches the journal. A perp order that misses its underlying failed none: the engine refuses it by the code.

import {
  APPROVE_AGENT, BYTE_CANCEL_CLIENT_ID, BYTE_CONTRACT_KIND, BYTE_ORDER_CLIENT_ID, BYTE_ORDER_FLAGS, BYTE_SIDE, BYTE_TIF, BYTE_USERNAME,
  CANCEL_AFTER, CANCEL_ALL, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, DELETE_MMP, DOUBLE_EXPIRY, DOUBLE_GRACE, DOUBLE_MMP_DELTA,
  DOUBLE_MMP_FROZEN, DOUBLE_MMP_INTERVAL, DOUBLE_MMP_QUANTITY, DOUBLE_MMP_VEGA, DOUBLE_PAYOUT_IDS, DOUBLE_PRICE, DOUBLE_SCOPE_EXPIRY,
  DOUBLE_SCOPE_STRIKE, DOUBLE_SIZE, DOUBLE_STRIKE, DOUBLE_TIMEOUT, FLAG_BY_TOKEN, FLAG_WALLET_NAMED, PLACE_ORDER, proofOffset,
  REPLACE_ORDER, REQUEST_USERNAME, RESET_MMP, REVOKE_AGENT, REVOKE_ALL_AGENTS, SEE_PAYOUTS, SET_CANCEL_ON_DISCONNECT,
  SET_MARGIN_MODE, SET_MMP, SET_TIER, SET_USERNAME, VOID_NONCES, WORD_AGENT, WORD_AGENT_EXPIRES, WORD_AGENT_FLAGS, WORD_CONNECTION,
  WORD_DIGEST, WORD_ENABLED, WORD_MARGIN_MODE, WORD_MMP_UNDERLYING, WORD_NONCE, WORD_ORDER_ID, WORD_ORDER_UNDERLYING,
  WORD_PAYOUT_COUNT, WORD_REPLACED_ID, WORD_SCOPE, WORD_SCOPE_KIND, WORD_SCOPE_UNDERLYING, WORD_SIGNER, WORD_TIER, WORD_TIER_FLAGS,
  WORD_UP_TO, WORD_WALLET, writeSafe,
} from '../../core/codec/commands.ts';
import { proofBytes, writeProof } from '../../core/codec/proof.ts';
import {
  alignUp, BYTE_ITEMS, BYTE_SUBNET, HEADER_BYTES, WORD_BLOCK, WORD_SOURCE, writeCode, writeHeader, type Views,
} from '../../core/codec/record.ts';
import { OK, PERP_WITHOUT_UNDERLYING } from '../../core/errors.ts';
import type { Terms } from '../../core/instruments/symbol.ts';
import type { StructureName, U64 } from './auth/structures.ts';
import type { Source } from '../http/source.ts';
import { numberOfStructure } from './proof.ts';
import { putUtf8, utf8Bytes } from './utf8.ts';
import { connectionId, type MmpValues, type OrderValues, type ScopeValues } from './values.ts';

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
  /**
   * OK, or the first failed value check; numbers and proof are then not written. Of the engine's rejections one is seen here, by a
   * field that no record has: PERP_WITHOUT_UNDERLYING. The engine rejects it, so it has both.
   */
  readonly code: number;
  readonly numbers: WriteNumbers;
  /** Of a bulk request: how many of its commands begin with this one (decision 3.7). */
  readonly items?: number;
};

function isForEngine(code: number): boolean {
  return code === OK || code === PERP_WITHOUT_UNDERLYING;
}

/** Bytes of the command's record. */
export function measureCommand({ kind, code, signed }: Command): number {
  if (!isForEngine(code) || signed === null) return alignUp(proofOffset(kind));
  let textBytes = 0;
  for (const text of signed.texts) textBytes += utf8Bytes(text);
  return alignUp(proofOffset(kind) + proofBytes(signed.texts.length, textBytes));
}

/** Writes the record of `bytes` at byte `at`; `origin` is the producer's number, `request` its number of the request. */
export function writeCommand(views: Views, at: number, bytes: number, command: Command, origin: number, request: number): void {
  const { kind, wallet, signed, source, code } = command;
  const word = at >>> 2;
  writeHeader(views, at, bytes, kind, origin, request);
  views.u8.fill(0, at + HEADER_BYTES, at + bytes);
  writeCode(views, at, code);
  views.u8[at + BYTE_ITEMS] = command.items ?? 0;
  views.u8[at + BYTE_SUBNET] = source.block?.subnet ?? 0;
  views.u32[word + WORD_SOURCE] = source.loopback ? 0 : source.digest;
  views.u32[word + WORD_BLOCK] = source.block?.digest ?? 0;
  views.u8.set(wallet, at + WORD_WALLET * 4);
  if (signed !== null) {
    views.u8.set(signed.signer, at + WORD_SIGNER * 4);
    writeU64(views, word + WORD_NONCE, signed.nonce);
    views.u8.set(signed.digest, at + WORD_DIGEST * 4);
  }
  if (!isForEngine(code)) return;
  command.numbers(views, at);
  if (signed === null) return;
  writeProof(views, at + proofOffset(kind), numberOfStructure(signed.structure), signed.signature, signed.texts, putUtf8);
}

/** The numbers of PLACE_ORDER, with which those of REPLACE_ORDER begin. */
export function orderNumbers(values: OrderValues, clientId: string, flags: number): WriteNumbers {
  return (views, at) => {
    const { terms } = values.contract;
    const word = at >>> 2;
    const double = at >>> 3;
    views.u32[word + WORD_ORDER_UNDERLYING] = terms.underlyingLo;
    views.u32[word + WORD_ORDER_UNDERLYING + 1] = terms.underlyingHi;
    views.f64[double + DOUBLE_EXPIRY] = terms.expiry;
    views.f64[double + DOUBLE_STRIKE] = terms.strike;
    views.f64[double + DOUBLE_PRICE] = values.price;
    views.f64[double + DOUBLE_SIZE] = values.size;
    views.u8[at + BYTE_CONTRACT_KIND] = terms.kind;
    views.u8[at + BYTE_SIDE] = values.side;
    views.u8[at + BYTE_TIF] = values.tif;
    views.u8[at + BYTE_ORDER_FLAGS] = flags;
    writeText(views, at + BYTE_ORDER_CLIENT_ID, clientId);
  };
}

/** Its length in one byte, its bytes from the fourth on. */
function writeText(views: Views, at: number, text: string): void {
  views.u8[at] = putUtf8(views.u8, at + 4, text);
}

/** The numbers of REPLACE_ORDER. */
export function replaceNumbers(values: OrderValues, clientId: string, flags: number, replaced: U64): WriteNumbers {
  const order = orderNumbers(values, clientId, flags);
  return (views, at) => {
    order(views, at);
    writeU64(views, (at >>> 2) + WORD_REPLACED_ID, replaced);
  };
}

function writeU64(views: Views, word: number, { lo, hi }: U64): void {
  views.u32[word] = lo;
  views.u32[word + 1] = hi;
}

/** The numbers of CANCEL_ORDER. */
export function cancelNumbers(orderId: U64): WriteNumbers {
  return (views, at) => writeU64(views, (at >>> 2) + WORD_ORDER_ID, orderId);
}

/** The numbers of CANCEL_BY_CLIENT_ID. */
export function cancelByClientIdNumbers(clientId: string): WriteNumbers {
  return (views, at) => writeText(views, at + BYTE_CANCEL_CLIENT_ID, clientId);
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

/** The numbers of REVOKE_ALL_AGENTS. */
export function revokeAllNumbers(isWalletNamed: boolean): WriteNumbers {
  return (views, at) => {
    views.u32[(at >>> 2) + WORD_AGENT_FLAGS] = isWalletNamed ? FLAG_WALLET_NAMED : 0;
  };
}

/** The numbers of CANCEL_ALL. */
export function cancelAllNumbers({ scope, terms }: ScopeValues): WriteNumbers {
  return (views, at) => {
    const word = at >>> 2;
    const double = at >>> 3;
    views.u32[word + WORD_SCOPE_UNDERLYING] = terms.underlyingLo;
    views.u32[word + WORD_SCOPE_UNDERLYING + 1] = terms.underlyingHi;
    views.f64[double + DOUBLE_SCOPE_EXPIRY] = terms.expiry;
    views.f64[double + DOUBLE_SCOPE_STRIKE] = terms.strike;
    views.u32[word + WORD_SCOPE] = scope;
    views.u32[word + WORD_SCOPE_KIND] = terms.kind;
  };
}

/** The numbers of VOID_NONCES. */
export function voidNoncesNumbers(upTo: U64): WriteNumbers {
  return (views, at) => writeU64(views, (at >>> 2) + WORD_UP_TO, upTo);
}

/** The numbers of CANCEL_AFTER; ms, 0 for off. */
export function cancelAfterNumbers(timeout: number): WriteNumbers {
  return (views, at) => {
    views.f64[(at >>> 3) + DOUBLE_TIMEOUT] = timeout;
  };
}

/** The numbers of SET_CANCEL_ON_DISCONNECT; the grace in ms, the connection as its id. */
export function cancelOnDisconnectNumbers(isEnabled: boolean, grace: number, connection: string): WriteNumbers {
  return (views, at) => {
    const word = at >>> 2;
    const id = connectionId(connection);
    views.u32[word + WORD_CONNECTION] = Number(id & 0xffff_ffffn);
    views.u32[word + WORD_CONNECTION + 1] = Number(id >> 32n);
    views.u32[word + WORD_ENABLED] = isEnabled ? 1 : 0;
    views.f64[(at >>> 3) + DOUBLE_GRACE] = grace;
  };
}

/** The numbers of SET_USERNAME and REQUEST_USERNAME: at most 20 ASCII characters. */
export function usernameNumbers(username: string): WriteNumbers {
  return (views, at) => writeText(views, at + BYTE_USERNAME, username);
}

/** The numbers of SEE_PAYOUTS: at most 100 ids. */
export function seePayoutsNumbers(ids: readonly number[]): WriteNumbers {
  return (views, at) => {
    views.u32[(at >>> 2) + WORD_PAYOUT_COUNT] = ids.length;
    views.f64.set(ids, (at >>> 3) + DOUBLE_PAYOUT_IDS);
  };
}

/** The numbers of SET_TIER; -1: a tier that is none, which the core refuses. */
export function tierNumbers(tier: number, isByToken: boolean): WriteNumbers {
  return (views, at) => {
    views.u32[(at >>> 2) + WORD_TIER] = tier;
    views.u32[(at >>> 2) + WORD_TIER_FLAGS] = isByToken ? FLAG_BY_TOKEN : 0;
  };
}

/** The numbers of SET_MARGIN_MODE; `mode` is its place in MARGIN_MODES. */
export function marginModeNumbers(mode: number): WriteNumbers {
  return (views, at) => {
    views.u32[(at >>> 2) + WORD_MARGIN_MODE] = mode;
  };
}

/** The numbers of SET_MMP; times in ms. */
export function mmpNumbers(values: MmpValues, interval: number, frozen: number): WriteNumbers {
  const name = mmpNameNumbers(values.terms);
  return (views, at) => {
    name(views, at);
    const double = at >>> 3;
    views.f64[double + DOUBLE_MMP_INTERVAL] = interval;
    views.f64[double + DOUBLE_MMP_FROZEN] = frozen;
    views.f64[double + DOUBLE_MMP_QUANTITY] = values.quantity;
    views.f64[double + DOUBLE_MMP_DELTA] = values.delta;
    views.f64[double + DOUBLE_MMP_VEGA] = values.vega;
  };
}

/** The numbers of DELETE_MMP and RESET_MMP. */
export function mmpNameNumbers({ underlyingLo, underlyingHi }: Pick<Terms, 'underlyingLo' | 'underlyingHi'>): WriteNumbers {
  return (views, at) => {
    views.u32[(at >>> 2) + WORD_MMP_UNDERLYING] = underlyingLo;
    views.u32[(at >>> 2) + WORD_MMP_UNDERLYING + 1] = underlyingHi;
  };
}

/** The structures a kind of command may be signed as; none for kinds that are not signed. */
export function structuresOf(kind: number): readonly StructureName[] {
  switch (kind) {
    case PLACE_ORDER: return ['PlaceOrder', 'PlaceOrderRouted', 'PlaceOrderReduceOnly', 'Agent'];
    case REPLACE_ORDER: return ['ReplaceOrder', 'ReplaceOrderReduceOnly'];
    case CANCEL_ORDER: return ['CancelOrder'];
    case CANCEL_BY_CLIENT_ID: return ['CancelOrderByClientId'];
    case APPROVE_AGENT: return ['ApproveAgent', 'ApproveAgentUntil'];
    case REVOKE_AGENT: return ['RevokeAgent'];
    case SET_TIER: return ['SetUserTier'];
    case SET_MARGIN_MODE: return ['SetMarginMode'];
    case SET_MMP: return ['SetMmpConfig'];
    case DELETE_MMP: return ['DeleteMmpConfig'];
    case RESET_MMP: return ['ResetMmp'];
    case CANCEL_ALL: return ['CancelAll'];
    case CANCEL_AFTER: return ['CancelAfter'];
    case SET_CANCEL_ON_DISCONNECT: return ['SetCancelOnDisconnect'];
    case SET_USERNAME: return ['SetUsername'];
    case REQUEST_USERNAME: return ['SubmitUsernameRequest'];
    case SEE_PAYOUTS: return ['SetSettlementPayoutSeen'];
    case REVOKE_ALL_AGENTS: return ['RevokeAllAgents'];
    case VOID_NONCES: return ['VoidNonces'];
    default: return [];
  }
}
