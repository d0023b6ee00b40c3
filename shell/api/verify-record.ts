// Audits a signed command: derives digest, signer and fields from the proof and reports the first difference. Only what no signature
// covers is taken from the record, such as network source, caps of admission, route and underlying of a perp order.

import { FLAG_BY_TOKEN, FLAG_REDUCE_ONLY, fieldsOf, isSignedKind, proofOffset, SET_TIER, WORD_DIGEST, WORD_NONCE,
  WORD_SIGNER, WORD_TIER, WORD_TIER_FLAGS, WORD_WALLET } from '../../core/codec/commands.ts';
import { readFields, u64Of, type AnyFields } from '../../core/codec/fields.ts';
import { readProof } from '../../core/codec/proof.ts';
import { alignUp, HEADER_BYTES, recordKind, viewsOf, type Views } from '../../core/codec/record.ts';
import { membersOf, type U64, type Values } from '../../core/codec/signed-commands.ts';
import { OK } from '../../core/errors.ts';
import { createTerms, packUnderlying, parseSymbol } from '../../core/instruments/symbol.ts';
import { RECORD_BYTES } from '../../core/limits.ts';
import type { Backend } from './auth/recover-signer.ts';
import type { Hasher } from './auth/eip712.ts';
import { digestAction } from './auth/l1-action.ts';
import { digestPerpOrder, perpSources } from './auth/perp-action.ts';
import { measureCommand, writeCommand } from './command.ts';
import { deriveFields } from './derive-fields.ts';
import { actionOfText } from './hl/action.ts';
import { digestTexts, type ApprovalTexts } from './hl/approve-agent.ts';
import { assetsOfText } from './hl/assets.ts';
import { isOfDialect, isSignedAs, structureOfNumber, valuesOf, type AnyValues, type ProofStructure } from './proof-texts.ts';
import { perpOrderOf, type OrderTexts } from './values.ts';

export type VerifyContext = {
  readonly hasher: Hasher;
  readonly backend: Backend;
  readonly assetOf: (underlyingLo: number, underlyingHi: number) => number;
};

type ProofParts = {
  readonly structure: ProofStructure; readonly texts: readonly string[]; readonly signature: Uint8Array; readonly values: AnyValues;
  /** Null if the wallet signed. */
  readonly agentFor: Uint8Array | null;
};

const rebuilt = viewsOf(new ArrayBuffer(RECORD_BYTES));

// for tests: what was signed, record by record
export function digestOfRecord(views: Views, at: number, context: VerifyContext): Uint8Array {
  return digestOf(partsOf(views, at), context, bytesAt(views, at + WORD_DIGEST * 4, 32));
}

/** How the record differs from what was signed; null if they agree. */
export function verifyRecord(views: Views, at: number, context: VerifyContext): string | null {
  const kind = recordKind(views, at);
  if (!isSignedKind(kind)) return null;
  if (isByToken(views, at, kind)) return tokenDisagreement(views, at, kind);
  try {
    return disagreement(views, at, kind, context);
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

function tokenDisagreement(views: Views, at: number, kind: number): string | null {
  if (views.u32[at >>> 2] !== alignUp(proofOffset(kind))) return 'a command of the admin token carries a proof';
  const head = bytesAt(views, at + WORD_SIGNER * 4, (WORD_TIER - WORD_SIGNER) * 4);
  return head.every((byte) => byte === 0) ? null : 'a command of the admin token names a signer';
}

function disagreement(views: Views, at: number, kind: number, context: VerifyContext): string | null {
  const parts = partsOf(views, at);
  if (!isSignedAs(kind, parts.structure)) return `${parts.structure} is not signed for a command of kind ${kind}`;
  const recorded = bytesAt(views, at + WORD_DIGEST * 4, 32);
  const digest = digestOf(parts, context, recorded);
  if (!isAt(views, at + WORD_DIGEST * 4, digest)) return 'the digest is not that of the texts';
  const signer = new Uint8Array(20);
  if (!context.backend.recover(digest, parts.signature, signer)) return 'the signature gives no signer';
  if (!isAt(views, at + WORD_SIGNER * 4, signer)) return 'the signer is not that of the signature';
  if (isOwnWallet(parts.structure) && !isAt(views, at + WORD_WALLET * 4, signer)) return 'the wallet is not the signer';
  const { vaultAddress = '' } = parts.values as { readonly vaultAddress?: string };
  const isOfOther = vaultAddress !== '' && !isAt(views, at + WORD_WALLET * 4, Buffer.from(vaultAddress, 'hex'));
  return isOfOther ? 'the wallet is not the one that the action names' : compareRecord(views, at, kind, parts);
}

function isOwnWallet(structure: ProofStructure): boolean {
  if (isOfDialect(structure)) return structure === 'HlApproveAgent';
  return structure !== 'Agent' && !membersOf(structure).some(({ name }) => name === 'wallet');
}

function compareRecord(views: Views, at: number, kind: number, { structure, texts, signature, values }: ProofParts): string | null {
  const { flags = 0 } = readFields(views, at, kind);
  const { code, fields, tail } = deriveFields(kind, structure, values, flags as number);
  if (code !== OK) return `the signed values fail value check ${code}`;
  const signed = {
    structure, texts, signature, nonce: nonceOf(views, at), digest: bytesAt(views, at + WORD_DIGEST * 4, 32),
    structHash: new Uint8Array(32), signer: bytesAt(views, at + WORD_SIGNER * 4, 20),
  };
  const source = { network: '', digest: 0, loopback: true };
  const wallet = bytesAt(views, at + WORD_WALLET * 4, 20);
  const command = { kind, wallet, signed, source, code, fields: { ...fields, ...admittedFields(views, at, kind) }, tail };
  const length = views.u32[at >>> 2]!;
  const bytes = measureCommand(command);
  if (bytes !== length || bytes > RECORD_BYTES) return `the record has ${length} bytes, its texts make ${bytes}`;
  writeCommand(rebuilt, 0, bytes, command, 0, 0);
  for (let i = HEADER_BYTES; i < bytes; i++) {
    if (rebuilt.u8[i] !== views.u8[at + i]) return `byte ${i} is not what the signed texts make it`;
  }
  return null;
}

function admittedFields(views: Views, at: number, kind: number): AnyFields {
  const names = fieldsOf(kind).filter(({ admitted }) => admitted === true).map(({ name }) => name);
  if (names.length === 0) return {};
  const recorded = readFields(views, at, kind);
  return Object.fromEntries(names.map((name) => [name, recorded[name]!]));
}

function partsOf(views: Views, at: number): ProofParts {
  const kind = recordKind(views, at);
  const offset = proofOffset(kind);
  const end = at + views.u32[at >>> 2]!;
  if (offset === 0 || isByToken(views, at, kind) || at + offset >= end) throw new RangeError(`a command of kind ${kind} has no proof here`);
  const proof = readProof(views, at + offset, end);
  const structure = structureOfNumber(proof.structure);
  if (structure === null) throw new RangeError(`proof: no structure has number ${proof.structure}`);
  const texts = proof.texts.map((bytes) => Buffer.from(bytes).toString('utf8'));
  const wallet = bytesAt(views, at + WORD_WALLET * 4, 20);
  const members = recordedMembers(views, at, kind, structure);
  const agentFor = isAt(views, at + WORD_SIGNER * 4, wallet) ? null : wallet;
  return { structure, texts, signature: proof.signature, values: valuesOf(structure, texts, members), agentFor };
}

function recordedMembers(views: Views, at: number, kind: number, structure: ProofStructure): AnyValues {
  const fields = readFields(views, at, kind);
  const isReduceOnly = ((fields['flags'] as number | undefined ?? 0) & FLAG_REDUCE_ONLY) !== 0;
  const members: Record<string, unknown> = {
    wallet: bytesAt(views, at + WORD_WALLET * 4, 20), nonce: nonceOf(views, at), reduceOnly: isReduceOnly,
    seen: true,
  };
  for (const { name, type } of isOfDialect(structure) ? [] : membersOf(structure)) {
    const value = fields[name];
    if (value === undefined || type === 'string') continue;
    members[name] = type === 'bool' ? value !== 0 : typeof value === 'number' ? u64Of(value) : value;
  }
  return members;
}

function digestOf({ structure, values, agentFor }: ProofParts, { hasher, assetOf }: VerifyContext, recorded: Uint8Array): Uint8Array {
  const digest = new Uint8Array(32);
  if (structure === 'HlAction') return digestOfAction(values, assetOf);
  if (structure === 'HlApproveAgent') {
    digestTexts(values as ApprovalTexts, values['nonce'] as U64, digest);
    return digest;
  }
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

/** The names of assets are not signed, so they are those of the venue. */
function digestOfAction(values: AnyValues, assetOf: VerifyContext['assetOf']): Uint8Array {
  const digest = new Uint8Array(32);
  const { action, assets, expiresAfter, vaultAddress } = values as Readonly<Record<string, string>>;
  for (const [asset, name] of assetsOfText(assets!)) {
    const terms = createTerms();
    if (!packUnderlying(name, terms) || assetOf(terms.underlyingLo, terms.underlyingHi) !== asset) {
      throw new RangeError(`asset ${asset} is not ${name}`);
    }
  }
  const vault = vaultAddress === '' ? null : Buffer.from(vaultAddress!, 'hex');
  const expires = expiresAfter === '' ? null : u64Of(Number(expiresAfter));
  digestAction(actionOfText(action!), values['nonce'] as U64, vault, expires, digest);
  return digest;
}

function isByToken(views: Views, at: number, kind: number): boolean {
  return kind === SET_TIER && (views.u32[(at >>> 2) + WORD_TIER_FLAGS]! & FLAG_BY_TOKEN) !== 0;
}

function nonceOf(views: Views, at: number): U64 {
  const word = (at >>> 2) + WORD_NONCE;
  return { lo: views.u32[word]!, hi: views.u32[word + 1]! };
}

function bytesAt(views: Views, at: number, length: number): Uint8Array {
  return views.u8.slice(at, at + length);
}

function isAt(views: Views, at: number, bytes: Uint8Array): boolean {
  return bytes.every((byte, i) => views.u8[at + i] === byte);
}
