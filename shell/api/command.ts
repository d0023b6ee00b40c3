// Writes a client's command as a record: header, signed head, fields, proof. If a value check failed, it has a code and no proof; main
// answers it and it never reaches the journal.

import { proofOffset, WORD_DIGEST, WORD_NONCE, WORD_SIGNER, WORD_WALLET } from '../../core/codec/commands.ts';
import { writeFields, type AnyFields } from '../../core/codec/fields.ts';
import { proofBytes, writeProof } from '../../core/codec/proof.ts';
import {
  alignUp, BYTE_ITEMS, BYTE_SUBNET, HEADER_BYTES, WORD_BLOCK, WORD_SOURCE, writeCode, writeHeader, type Views,
} from '../../core/codec/record.ts';
import type { U64 } from '../../core/codec/signed-commands.ts';
import { OK, PERP_WITHOUT_UNDERLYING } from '../../core/errors.ts';
import type { Source } from '../http/source.ts';
import { numberOfStructure, type ProofStructure } from './proof-texts.ts';
import { putUtf8, utf8Bytes } from './utf8.ts';

export type VerifiedSignature = {
  readonly structure: ProofStructure;
  readonly texts: readonly string[];
  readonly nonce: U64;
  readonly signature: Uint8Array;
  readonly digest: Uint8Array;
  readonly structHash: Uint8Array;
  readonly signer: Uint8Array;
};

export type Command = {
  readonly kind: number;
  /** 20 bytes. */
  readonly wallet: Uint8Array;
  /** Null: authorized by the admin token. */
  readonly signed: VerifiedSignature | null;
  readonly source: Source;
  /**
   * OK, or the first failed value check, without fields and proof. PERP_WITHOUT_UNDERLYING keeps both, because the
   * engine rejects it.
   */
  readonly code: number;
  readonly fields: AnyFields;
  /** The end of the record, a multiple of 8 bytes. */
  readonly tail?: Uint8Array | undefined;
  readonly places?: number | undefined;
  /** Commands left in a bulk, this one included (decision 3.7). */
  readonly items?: number;
};

function isForEngine(code: number): boolean {
  return code === OK || code === PERP_WITHOUT_UNDERLYING;
}

export function measureCommand({ kind, code, signed, tail }: Command): number {
  if (!isForEngine(code) || signed === null) return alignUp(proofOffset(kind));
  let textBytes = 0;
  for (const text of signed.texts) textBytes += utf8Bytes(text);
  return alignUp(proofOffset(kind) + proofBytes(signed.texts.length, textBytes)) + (tail?.length ?? 0);
}

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
    views.u32[word + WORD_NONCE] = signed.nonce.lo;
    views.u32[word + WORD_NONCE + 1] = signed.nonce.hi;
    views.u8.set(signed.digest, at + WORD_DIGEST * 4);
  }
  if (!isForEngine(code)) return;
  writeFields(views, at, kind, command.fields, putUtf8);
  if (signed === null) return;
  writeProof(views, at + proofOffset(kind), numberOfStructure(signed.structure), signed.signature, signed.texts, putUtf8);
  if (command.tail !== undefined) views.u8.set(command.tail, at + bytes - command.tail.length);
}
