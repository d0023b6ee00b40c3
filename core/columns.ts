// The typed arrays that stores are made of, zeroed. Small ones are cut out of blocks, one after another: V8 counts every
// buffer as memory outside its heap, and the hundred and more of a full state, each of its own, made it collect garbage
// a hundred times while they were allocated. A block's memory is taken by the system page by page, as it is touched.
// Lengths are elements. For the making of stores only, never while commands are applied.
// To the snapshot, the state hash and the audit a store is a list of sections, its columns with a name. What is a section is state: hashed,
// saved and loaded as far as it is used. Everything else a store holds (hash tables, price levels, caches) is an index: rebuilt from the
// sections, never hashed, never iterated for a result.

/** A column of a store. */
export type Column = Uint8Array | Int32Array | Uint32Array | Float64Array;

/**
 * One column of state. `used()` is the count of leading elements that hold rows; it may depend only on
 * sections listed before it (a store lists its counters first, so a load knows how much follows).
 */
export type Section = { readonly name: string; readonly column: Column; used(): number };

/** A section whose every element is always in use (counters, settings). */
export function fixedSection(name: string, column: Column): Section {
  return { name, column, used: () => column.length };
}

const BLOCK_BYTES = 268_435_456;
/** Longer columns have a buffer of their own, so that a block is never left with much of it unused. */
const MOST_BYTES = BLOCK_BYTES / 8;
/** Columns begin at a cache line, so that no row of 32 or 64 bytes lies across two. */
const LINE_BYTES = 64;
/** Left empty at the head of a buffer: glibc begins a large one 16 bytes into a line. Elsewhere rows may lie across two. */
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

/** The same memory as bytes. */
export function bytesOf(words: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

/** The same memory as doubles; there is an even number of words. */
export function doublesOf(words: Int32Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Float64Array(words.buffer, words.byteOffset, words.length / 2);
}
