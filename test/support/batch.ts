// Batches for tests: each item is a record that the test writer wrote as a command of its own. Caps are those that admission applies.

import { packItems } from '../../core/codec/batch-items.ts';
import { readFields } from '../../core/codec/fields.ts';
import { recordCode, recordKind, viewsOf, type Views } from '../../core/codec/record.ts';
import { ORDERS } from '../../core/codec/signed-commands.ts';
import { putText, type RecordWriter } from './records.ts';

type Head = { readonly wallet: number; readonly nonce: number; readonly signer?: number };
type Rules = { readonly until?: number; readonly rate?: number };

export function copyOfRecord({ u8, u32 }: Views): Uint8Array<ArrayBuffer> {
  return u8.slice(0, u32[0]!) as Uint8Array<ArrayBuffer>;
}

/** `records`: copies, without proofs. */
export function writeBatch(write: RecordWriter, head: Head, records: readonly Uint8Array<ArrayBuffer>[], more: Rules = {}): Views {
  const bytes = packItems(records.map((record) => {
    const views = viewsOf(record.buffer);
    const kind = recordKind(views, 0);
    return { kind, code: recordCode(views, 0), fields: readFields(views, 0, kind) };
  }), putText);
  const { until = 0, rate = ORDERS } = more;
  const views = write.signed('BATCH', head, { validUntil: until, items: records.length, itemBytes: bytes.length, rate });
  const from = views.u32[0]!;
  views.u32[0] = from + bytes.length;
  views.u8.set(bytes, from);
  return views;
}
