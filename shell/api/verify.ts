// The audit's view of a signed command: derives digest, signer and every fixed number again from the texts of the proof,
// and says where the record does not agree. What a signature does not cover is taken from the record: the network
// source, the opt-out of market-maker protection, of a perp order its route and its underlying, and whether an agent's request named
// its wallet.
// Never trusts a number of the record that the texts can tell.

import {
  APPROVE_AGENT, BYTE_ORDER_FLAGS, CANCEL_AFTER, CANCEL_ALL, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, DELETE_MMP, DOUBLE_GRACE,
  DOUBLE_MMP_FROZEN, DOUBLE_MMP_INTERVAL, DOUBLE_TIMEOUT, FLAG_BY_TOKEN, FLAG_MMP_OPT_OUT, FLAG_REDUCE_ONLY, FLAG_RFQ_ONLY,
  FLAG_WALLET_NAMED, PERP, PLACE_ORDER, proofOffset, readSafe, REPLACE_ORDER, REQUEST_USERNAME, RESET_MMP, REVOKE_AGENT,
  REVOKE_ALL_AGENTS, SEE_PAYOUTS, SET_CANCEL_ON_DISCONNECT, SET_MARGIN_MODE, SET_MMP, SET_TIER, SET_USERNAME, VOID_NONCES,
  WORD_AGENT, WORD_AGENT_EXPIRES, WORD_AGENT_FLAGS, WORD_DIGEST, WORD_ENABLED, WORD_NONCE, WORD_SIGNER, WORD_TIER, WORD_TIER_FLAGS,
  WORD_UP_TO, WORD_WALLET,
} from '../../core/codec/commands.ts';
import { readProof } from '../../core/codec/proof.ts';
import { alignUp, HEADER_BYTES, HIGH, recordKind, viewsOf, type Views } from '../../core/codec/record.ts';
import { OK } from '../../core/errors.ts';
import { createTerms, packUnderlying, parseSymbol } from '../../core/instruments/symbol.ts';
import { RECORD_BYTES } from '../../core/limits.ts';
import type { Backend } from './auth/backends/backend.ts';
import type { Hasher } from './auth/eip712.ts';
import type { StructureName, U64, Values } from './auth/structures.ts';
import { digestPerpOrder, perpSources } from './auth/perp-action.ts';
import { MARGIN_MODES, TIERS } from '../ipc/enum-names.ts';
import {
  agentNumbers, cancelAfterNumbers, cancelAllNumbers, cancelByClientIdNumbers, cancelNumbers, cancelOnDisconnectNumbers,
  marginModeNumbers, measureCommand, mmpNameNumbers, mmpNumbers, orderNumbers, replaceNumbers, revokeAllNumbers, seePayoutsNumbers,
  structuresOf, tierNumbers, usernameNumbers, voidNoncesNumbers, writeCommand, type WriteNumbers,
} from './command.ts';
import { perpOrderOf } from './perp-order.ts';
import { structureOfNumber, valuesOf, type AnyValues } from './proof.ts';
import {
  clientIdCode, connectionCode, mmpValues, orderValues, payoutIdsOf, scopeValues, upToCode, usernameCode, type OrderTexts,
} from './values.ts';

/** What a record is judged by: domain of the signatures, recovery, and the asset index of an underlying (-1: the venue has none). */
export type Judge = {
  readonly hasher: Hasher;
  readonly backend: Backend;
  readonly assetOf: (underlyingLo: number, underlyingHi: number) => number;
};

type Parts = {
  readonly structure: StructureName; readonly texts: readonly string[]; readonly signature: Uint8Array; readonly values: AnyValues;
  /** The wallet an agent signed for; null when the wallet signed. */
  readonly agentFor: Uint8Array | null;
};

/** A record written anew, to be compared. */
const again = viewsOf(new ArrayBuffer(RECORD_BYTES));

/** The digest its client signed, 32 bytes. Throws a RangeError when the record has no proof that can be read. */
// for tests: what was signed, record by record
export function digestOfRecord(views: Views, at: number, judge: Judge): Uint8Array {
  return digestOf(partsOf(views, at), judge, bytesAt(views, at + WORD_DIGEST * 4, 32));
}

/** What does not agree in the record at byte `at`, null when all does. The venue's own commands prove nothing. */
export function verifyRecord(views: Views, at: number, judge: Judge): string | null {
  const kind = recordKind(views, at);
  if (kind < SET_TIER) return null;
  if (isByToken(views, at, kind)) return tokenDisagreement(views, at, kind);
  try {
    return disagreement(views, at, kind, judge);
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** A command of the admin token proves nothing, so it must not carry what a signed one carries. */
function tokenDisagreement(views: Views, at: number, kind: number): string | null {
  if (views.u32[at >>> 2] !== alignUp(proofOffset(kind))) return 'a command of the admin token carries a proof';
  const head = bytesAt(views, at + WORD_SIGNER * 4, (WORD_TIER - WORD_SIGNER) * 4);
  return head.every((byte) => byte === 0) ? null : 'a command of the admin token names a signer';
}

function disagreement(views: Views, at: number, kind: number, judge: Judge): string | null {
  const parts = partsOf(views, at);
  if (!structuresOf(kind).includes(parts.structure)) return `${parts.structure} is not signed for a command of kind ${kind}`;
  const recorded = bytesAt(views, at + WORD_DIGEST * 4, 32);
  const digest = digestOf(parts, judge, recorded);
  if (!isAt(views, at + WORD_DIGEST * 4, digest)) return 'the digest is not that of the texts';
  const signer = new Uint8Array(20);
  if (!judge.backend.recover(digest, parts.signature, signer)) return 'the signature gives no signer';
  if (!isAt(views, at + WORD_SIGNER * 4, signer)) return 'the signer is not that of the signature';
  const numbers = numbersOf(views, at, kind, parts);
  if (typeof numbers === 'string') return numbers;
  return compare(views, at, kind, parts, numbers);
}

/** Writes the record anew from what was derived; all bytes behind the header must be the same. */
function compare(views: Views, at: number, kind: number, parts: Parts, numbers: WriteNumbers): string | null {
  const { structure, texts, signature } = parts;
  const signed = {
    structure, texts, signature, nonce: nonceOf(views, at), digest: bytesAt(views, at + WORD_DIGEST * 4, 32),
    structHash: new Uint8Array(32), signer: bytesAt(views, at + WORD_SIGNER * 4, 20),
  };
  const source = { network: '', digest: 0, loopback: true };
  const command = { kind, wallet: bytesAt(views, at + WORD_WALLET * 4, 20), signed, source, code: OK, numbers };
  const length = views.u32[at >>> 2]!;
  const bytes = measureCommand(command);
  if (bytes !== length || bytes > RECORD_BYTES) return `the record has ${length} bytes, its texts make ${bytes}`;
  writeCommand(again, 0, bytes, command, 0, 0);
  for (let i = HEADER_BYTES; i < bytes; i++) {
    if (again.u8[i] !== views.u8[at + i]) return `byte ${i} is not what the signed texts make it`;
  }
  return null;
}

/** The writer of the fixed numbers that the texts stand for, or why they stand for none. */
function numbersOf(views: Views, at: number, kind: number, { structure, values }: Parts): WriteNumbers | string {
  const text = (name: string) => values[name] as string;
  const word = at >>> 2;
  switch (kind) {
    case PLACE_ORDER: case REPLACE_ORDER:
      return numbersOfOrder(structure, values, views.u8[at + BYTE_ORDER_FLAGS]!);
    case CANCEL_ORDER: {
      const id = parseU64(text('orderId'));
      return id === null ? 'the order id is no number' : cancelNumbers(id);
    }
    case CANCEL_BY_CLIENT_ID: {
      const clientId = text('clientId');
      return clientIdCode(clientId) === OK ? cancelByClientIdNumbers(clientId) : 'the client id is too long';
    }
    case APPROVE_AGENT: case REVOKE_AGENT: case REVOKE_ALL_AGENTS: {
      if (!isAt(views, at + WORD_WALLET * 4, bytesAt(views, at + WORD_SIGNER * 4, 20))) return 'the wallet is not the signer';
      const expires = structure === 'ApproveAgentUntil' ? readSafe(views, word + WORD_AGENT_EXPIRES) : 0;
      const isNamed = (views.u32[word + WORD_AGENT_FLAGS]! & FLAG_WALLET_NAMED) !== 0;
      if (kind === REVOKE_ALL_AGENTS) return revokeAllNumbers(isNamed);
      return agentNumbers(bytesAt(views, at + WORD_AGENT * 4, 20), expires, isNamed);
    }
    case SET_MARGIN_MODE: {
      const mode = (MARGIN_MODES as readonly string[]).indexOf(text('marginMode'));
      return mode < 0 ? 'the margin mode is none' : marginModeNumbers(mode);
    }
    case SET_MMP: {
      const derived = mmpValues(values as unknown as Parameters<typeof mmpValues>[0]);
      if (derived.code !== OK) return `the texts fail value check ${derived.code}`;
      return mmpNumbers(derived, numberOf(values['intervalMs'] as U64), numberOf(values['frozenTimeMs'] as U64));
    }
    case DELETE_MMP: case RESET_MMP: {
      const terms = createTerms();
      return packUnderlying(text('currency'), terms) ? mmpNameNumbers(terms) : 'the currency is no name';
    }
    case CANCEL_ALL: {
      const scope = scopeValues(text('scope'));
      return scope.code === OK ? cancelAllNumbers(scope) : 'the scope is none';
    }
    case CANCEL_AFTER: return cancelAfterNumbers(numberOf(values['timeoutMs'] as U64));
    case VOID_NONCES: {
      const upTo = values['upTo'] as U64;
      return upToCode(upTo, values['nonce'] as U64) === OK ? voidNoncesNumbers(upTo) : 'it voids more than it may';
    }
    case SET_CANCEL_ON_DISCONNECT: {
      const connection = text('connection');
      if (connectionCode(connection) !== OK) return 'the connection is none';
      return cancelOnDisconnectNumbers(values['enabled'] === true, numberOf(values['graceMs'] as U64), connection);
    }
    case SET_USERNAME: case REQUEST_USERNAME: {
      const username = text(kind === SET_USERNAME ? 'username' : 'requestedUsername');
      return usernameCode(username) === OK ? usernameNumbers(username) : 'the username is none';
    }
    case SEE_PAYOUTS: {
      const ids = payoutIdsOf(text('payoutIds'));
      return ids === null ? 'the payout ids are none' : seePayoutsNumbers(ids);
    }
    // A tier that is none is refused by the core, which takes the nonce.
    default: return tierNumbers((TIERS as readonly string[]).indexOf(text('tier')), false);
  }
}

/** `recorded`: the flags of the record. */
function numbersOfOrder(structure: StructureName, values: AnyValues, recorded: number): WriteNumbers | string {
  const texts = values as unknown as OrderTexts;
  const derived = orderValues(texts);
  if (derived.code !== OK) return `the texts fail value check ${derived.code}`;
  const unsigned = structure === 'Agent' ? FLAG_MMP_OPT_OUT | FLAG_RFQ_ONLY : FLAG_MMP_OPT_OUT;
  const flags = (recorded & unsigned) | flagsOf(structure, values);
  if (structure === 'ReplaceOrder' || structure === 'ReplaceOrderReduceOnly') {
    const replaced = parseU64(values['orderId'] as string);
    return replaced === null ? 'the order id is no number' : replaceNumbers(derived, texts.clientId, flags, replaced);
  }
  if ((derived.contract.terms.kind === PERP) !== (structure === 'Agent')) return `${structure} is not how such an order is signed`;
  return orderNumbers(derived, texts.clientId, flags);
}

/** The flags that the signature covers. */
function flagsOf(structure: StructureName, values: AnyValues): number {
  switch (structure) {
    case 'PlaceOrderRouted': return values['route'] === 'rfq_only' ? FLAG_RFQ_ONLY : 0;
    case 'PlaceOrderReduceOnly': return FLAG_REDUCE_ONLY | (values['route'] === 'rfq_only' ? FLAG_RFQ_ONLY : 0);
    case 'ReplaceOrderReduceOnly': return FLAG_REDUCE_ONLY;
    case 'Agent': return values['reduceOnly'] === true ? FLAG_REDUCE_ONLY : 0;
    default: return 0;
  }
}

function partsOf(views: Views, at: number): Parts {
  const kind = recordKind(views, at);
  const offset = proofOffset(kind);
  const end = at + views.u32[at >>> 2]!;
  if (offset === 0 || isByToken(views, at, kind) || at + offset >= end) throw new RangeError(`a command of kind ${kind} has no proof here`);
  const proof = readProof(views, at + offset, end);
  const structure = structureOfNumber(proof.structure);
  if (structure === null) throw new RangeError(`proof: no structure has number ${proof.structure}`);
  const texts = proof.texts.map((bytes) => Buffer.from(bytes).toString('utf8'));
  const wallet = bytesAt(views, at + WORD_WALLET * 4, 20);
  const agentFor = isAt(views, at + WORD_SIGNER * 4, wallet) ? null : wallet;
  return { structure, texts, signature: proof.signature, values: valuesOf(structure, texts, fixedOf(views, at, kind)), agentFor };
}

/** Members that stand in the record as numbers. */
function fixedOf(views: Views, at: number, kind: number): AnyValues {
  const fixed = { wallet: bytesAt(views, at + WORD_WALLET * 4, 20), nonce: nonceOf(views, at) };
  switch (kind) {
    case PLACE_ORDER: case REPLACE_ORDER: return { ...fixed, reduceOnly: (views.u8[at + BYTE_ORDER_FLAGS]! & FLAG_REDUCE_ONLY) !== 0 };
    case SET_MMP: {
      const double = at >>> 3;
      const [intervalMs, frozenTimeMs] = [DOUBLE_MMP_INTERVAL, DOUBLE_MMP_FROZEN].map((offset) => u64Of(views.f64[double + offset]!));
      return { ...fixed, intervalMs, frozenTimeMs };
    }
    case VOID_NONCES: {
      const word = (at >>> 2) + WORD_UP_TO;
      return { ...fixed, upTo: { lo: views.u32[word]!, hi: views.u32[word + 1]! } };
    }
    case CANCEL_AFTER: return { ...fixed, timeoutMs: u64Of(views.f64[(at >>> 3) + DOUBLE_TIMEOUT]!) };
    case SET_CANCEL_ON_DISCONNECT: {
      const graceMs = u64Of(views.f64[(at >>> 3) + DOUBLE_GRACE]!);
      return { ...fixed, enabled: views.u32[(at >>> 2) + WORD_ENABLED] !== 0, graceMs };
    }
    // What a client can sign is that it has seen them, never the opposite.
    case SEE_PAYOUTS: return { ...fixed, seen: true };
    case APPROVE_AGENT: case REVOKE_AGENT: {
      const word = (at >>> 2) + WORD_AGENT_EXPIRES;
      const expiresAt: U64 = { lo: views.u32[word]!, hi: views.u32[word + 1]! };
      return { ...fixed, agent: bytesAt(views, at + WORD_AGENT * 4, 20), expiresAt };
    }
    default: return fixed;
  }
}

/** `recorded`: the digest of the record, by which the source of a perp order is known where the venue takes two. */
function digestOf({ structure, values, agentFor }: Parts, { hasher, assetOf }: Judge, recorded: Uint8Array): Uint8Array {
  const digest = new Uint8Array(32);
  if (structure !== 'Agent') {
    hasher.digest(structure, values as unknown as Values<typeof structure>, digest);
    return digest;
  }
  const terms = createTerms();
  parseSymbol(values['symbol'] as string, terms);
  const asset = assetOf(terms.underlyingLo, terms.underlyingHi);
  if (asset < 0) throw new RangeError(`no asset has the symbol ${values['symbol'] as string}`);
  const order = perpOrderOf(asset, values as unknown as OrderTexts, values['reduceOnly'] === true);
  for (const source of perpSources(hasher.domain).toReversed()) {
    digestPerpOrder(source, order, values['nonce'] as U64, agentFor, digest);
    if (recorded.every((byte, i) => byte === digest[i])) break;
  }
  return digest;
}

function isByToken(views: Views, at: number, kind: number): boolean {
  return kind === SET_TIER && (views.u32[(at >>> 2) + WORD_TIER_FLAGS]! & FLAG_BY_TOKEN) !== 0;
}

function nonceOf(views: Views, at: number): U64 {
  const word = (at >>> 2) + WORD_NONCE;
  return { lo: views.u32[word]!, hi: views.u32[word + 1]! };
}

function u64Of(value: number): U64 {
  return { lo: value >>> 0, hi: Math.floor(value / HIGH) >>> 0 };
}

function numberOf({ lo, hi }: U64): number {
  return hi * HIGH + lo;
}

function bytesAt(views: Views, at: number, length: number): Uint8Array {
  return views.u8.slice(at, at + length);
}

function isAt(views: Views, at: number, bytes: Uint8Array): boolean {
  return bytes.every((byte, i) => views.u8[at + i] === byte);
}

function parseU64(text: string): U64 | null {
  if (!/^[0-9]{1,20}$/.test(text)) return null;
  const value = BigInt(text);
  return value < 1n << 64n ? { lo: Number(value & 0xffff_ffffn), hi: Number(value >> 32n) } : null;
}
