// The items of a batch, at the end of its record: what a record of their kind holds after its head. The audit derives them from the proof
// again.
//
//   u32 kind     u32 code: the first failed value check, then nothing follows; or 0     fields, zeros up to 8 bytes

import { OK } from '../errors.ts';
import { HEADER_BYTES, viewsOf, writeCaps, writeCode, writeHeader, type Views } from './record.ts';
import { BYTE_BODY, CANCEL_AFTER, CANCEL_BY_CLIENT_ID, CANCEL_ORDER, PLACE_ORDER, proofOffset, REPLACE_ORDER, SET_LEVERAGE,
  WORD_BATCH_BYTES, WORD_BATCH_ITEMS } from './commands.ts';
import { writeFields, type AnyFields, type PutText } from './fields.ts';

const HEAD_BYTES = 8;
const KINDS: readonly number[] = [PLACE_ORDER, REPLACE_ORDER, CANCEL_ORDER, CANCEL_BY_CLIENT_ID, CANCEL_AFTER, SET_LEVERAGE];
/** Bytes of the largest item, written as a record of its own. */
export const ITEM_RECORD_BYTES = proofOffset(REPLACE_ORDER);

export type BatchItem = { readonly kind: number; readonly code: number; readonly fields: AnyFields };

/** Numbers of each item's answer: its code, four numbers as a command of its own would have, and price times size of its fills. */
export const ITEM_NUMBERS = 6;
export const ITEM_PAID = 5;

function itemBytes(kind: number, code: number): number {
  return code === OK ? HEAD_BYTES + proofOffset(kind) - BYTE_BODY : HEAD_BYTES;
}

/** The end of a batch's record. */
export function packItems(items: readonly BatchItem[], put: PutText): Uint8Array {
  const views = viewsOf(new ArrayBuffer(items.reduce((sum, { kind, code }) => sum + itemBytes(kind, code), 0)));
  let at = 0;
  for (const { kind, code, fields } of items) {
    if (!KINDS.includes(kind)) throw new RangeError(`batch: a command of kind ${kind} is no item`);
    views.u32[at >>> 2] = kind;
    views.u32[(at >>> 2) + 1] = code;
    if (code === OK) writeFields(views, at + HEAD_BYTES - BYTE_BODY, kind, fields, put);
    at += itemBytes(kind, code);
  }
  return views.u8;
}

export function itemsAt({ u32 }: Views, at: number): number {
  return at + u32[at >>> 2] - u32[(at >>> 2) + WORD_BATCH_BYTES];
}

/** Makes the item at `from` a record at 0 of `out`, with the head of the batch at `at`. Returns where the next item begins. */
export function unpackItem({ u8, u32 }: Views, at: number, from: number, out: Views, triggers: number, positions: number): number {
  const kind = u32[from >>> 2];
  const code = u32[(from >>> 2) + 1];
  const bytes = itemBytes(kind, code);
  writeHeader(out, 0, BYTE_BODY + bytes - HEAD_BYTES, kind, 0, 0);
  writeCode(out, 0, code);
  writeCaps(out, 0, triggers, positions);
  for (let word = HEADER_BYTES >>> 2; word < BYTE_BODY >>> 2; word++) out.u32[word] = u32[(at >>> 2) + word];
  for (let i = HEAD_BYTES; i < bytes; i++) out.u8[BYTE_BODY - HEAD_BYTES + i] = u8[from + i];
  return from + bytes;
}

export function batchItems({ u32 }: Views, at: number): number {
  return u32[(at >>> 2) + WORD_BATCH_ITEMS];
}
