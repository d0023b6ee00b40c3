// Zeroed typed arrays for stores, only for use while a store is made. Small ones are cut from shared blocks, because hundreds of buffers
// trigger garbage collections. A column that is a section is state: hashed, saved, loaded. All else in a store is an index: rebuilt from
// the sections, never iterated for a result.

export type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

/** `used()`: leading elements in use. It may depend only on earlier sections, so a store lists its counters first. */
export type Section = { readonly name: string; readonly column: Column; used(): number };

export function fixedSection(name: string, column: Column): Section {
  return { name, column, used: () => column.length };
}

const BLOCK_BYTES = 268_435_456;
/** Longer columns have their own buffer, so that no block stays mostly unused. */
const MOST_BYTES = BLOCK_BYTES / 8;
/** Columns begin at a cache line, so that no row of 32 or 64 bytes spans two. */
const LINE_BYTES = 64;
/** Unused at the head: glibc starts a large buffer 16 bytes into a cache line. */
const LEAD_BYTES = 48;

type ColumnType<T> = { new (buffer: ArrayBuffer, byteOffset: number, length: number): T; readonly BYTES_PER_ELEMENT: number };

const cutting = { block: new ArrayBuffer(0), used: 0 };

function column<T>(Type: ColumnType<T>, length: number): T {
  const bytes = length * Type.BYTES_PER_ELEMENT;
  if (bytes > MOST_BYTES) return new Type(new ArrayBuffer(LEAD_BYTES + bytes), LEAD_BYTES, length);
  if (cutting.used + bytes > cutting.block.byteLength) {
    cutting.block = new ArrayBuffer(BLOCK_BYTES);
    cutting.used = LEAD_BYTES;
  }
  const at = cutting.used;
  cutting.used = LEAD_BYTES + Math.ceil((at - LEAD_BYTES + bytes) / LINE_BYTES) * LINE_BYTES;
  return new Type(cutting.block, at, length);
}

export const uint8 = (length: number): Uint8Array<ArrayBuffer> => column<Uint8Array<ArrayBuffer>>(Uint8Array, length);
export const uint16 = (length: number): Uint16Array<ArrayBuffer> => column<Uint16Array<ArrayBuffer>>(Uint16Array, length);
export const int32 = (length: number): Int32Array<ArrayBuffer> => column<Int32Array<ArrayBuffer>>(Int32Array, length);
export const uint32 = (length: number): Uint32Array<ArrayBuffer> => column<Uint32Array<ArrayBuffer>>(Uint32Array, length);
export const float64 = (length: number): Float64Array<ArrayBuffer> => column<Float64Array<ArrayBuffer>>(Float64Array, length);

export function bytesOf(words: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** The number of words must be even. */
export function doublesOf(words: Int32Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Float64Array(words.buffer, words.byteOffset, words.length / 2);
}
