// The fields of a signed command's record by their names in the table of signed commands. Who makes records writes by it, and the audit
// reads by it; the core itself reads by the constants of commands.ts, which come from the same rows.

import { fieldsOf, type PlacedField } from './commands.ts';
import { HIGH, type Views } from './record.ts';
import type { FieldValue, U64 } from './signed-commands.ts';

/** The fields of a record by name, whatever its command. Written: one that is absent is zero. */
export type AnyFields = { readonly [name: string]: FieldValue };

/** Writes the UTF-8 of a text at byte `at`; returns how many bytes it has. */
export type PutText = (u8: Uint8Array, at: number, text: string) => number;

/** Writes the fields of a command of this kind into the zeroed record at byte `at`. */
export function writeFields(views: Views, at: number, kind: number, values: AnyFields, put: PutText): void {
  for (const field of fieldsOf(kind)) {
    const value = values[field.name];
    if (value !== undefined) writeField(views, at + field.offset, field, value, put);
  }
}

function writeField(views: Views, byte: number, { type }: PlacedField, value: FieldValue, put: PutText): void {
  switch (type) {
    case 'u8': views.u8[byte] = value as number; return;
    case 'u32': case 'choice': views.u32[byte >>> 2] = value as number; return;
    case 'f64': views.f64[byte >>> 3] = value as number; return;
    case 'address': views.u8.set(value as Uint8Array, byte); return;
    case 'text': views.u8[byte] = put(views.u8, byte + 4, value as string); return;
    case 'ids':
      views.u32[byte >>> 2] = (value as readonly number[]).length;
      views.f64.set(value as readonly number[], (byte >>> 3) + 1);
      return;
    case 'u64': case 'name': case 'connection':
      views.u32[byte >>> 2] = (value as U64).lo;
      views.u32[(byte >>> 2) + 1] = (value as U64).hi;
  }
}

/** All fields of the command's record at byte `at`. */
export function readFields(views: Views, at: number, kind: number): AnyFields {
  const values: Record<string, FieldValue> = {};
  for (const field of fieldsOf(kind)) values[field.name] = readField(views, at + field.offset, field);
  return values;
}

function readField(views: Views, byte: number, { type, bytes }: PlacedField): FieldValue {
  const word = byte >>> 2;
  const double = byte >>> 3;
  switch (type) {
    case 'u8': return views.u8[byte];
    case 'u32': case 'choice': return views.u32[word];
    case 'f64': return views.f64[double];
    case 'address': return views.u8.slice(byte, byte + bytes);
    case 'text': return new TextDecoder().decode(views.u8.slice(byte + 4, byte + 4 + Math.min(views.u8[byte], bytes - 4)));
    case 'ids': return Array.from(views.f64.subarray(double + 1, double + 1 + Math.min(views.u32[word], (bytes >>> 3) - 1)));
    case 'u64': case 'name': case 'connection': return { lo: views.u32[word], hi: views.u32[word + 1] };
  }
}

export function numberOf({ lo, hi }: U64): number {
  return hi * HIGH + lo;
}

/** Of a number from 0 to 2^64. */
export function u64Of(value: number): U64 {
  return { lo: value >>> 0, hi: Math.floor(value / HIGH) >>> 0 };
}
