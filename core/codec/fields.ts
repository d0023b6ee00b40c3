// Reads and writes the fields of signed records by name, for api threads and the audit. The core itself uses the constants of commands.ts.

import { fieldsOf, type PlacedField } from './commands.ts';
import { HIGH, type Views } from './record.ts';
import type { FieldValue, U64 } from './signed-commands.ts';

export type AnyFields = { readonly [name: string]: FieldValue };

/** Writes UTF-8 at byte `at` and returns its length. */
export type PutText = (u8: Uint8Array, at: number, text: string) => number;

/** The record must be zeroed. */
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

/** `value` is from 0 to 2^64. */
export function u64Of(value: number): U64 {
  return { lo: value >>> 0, hi: Math.floor(value / HIGH) >>> 0 };
}
