// The typed arrays that stores are made of, zeroed. Small ones are cut out of blocks, one after another: V8 counts every
// buffer as memory outside its heap, and the hundred and more of a full state, each of its own, made it collect garbage
// a hundred times while they were allocated. A block's memory is taken by the system page by page, as it is touched.
// Lengths are elements. For the making of stores only, never while commands are applied.

const BLOCK_BYTES = 268_435_456;
/** Longer columns have a buffer of their own, so that a block is never left with much of it unused. */
const MOST_BYTES = BLOCK_BYTES / 8;
/** No two columns share a cache line. */
const LINE_BYTES = 64;

const cutting = { block: new ArrayBuffer(0), used: 0 };

/** The buffer of the next column, whose place in it is `cutting.used` less its bytes. */
function cut(bytes: number): { buffer: ArrayBuffer; at: number } {
  if (bytes > MOST_BYTES) return { buffer: new ArrayBuffer(bytes), at: 0 };
  if (cutting.used + bytes > cutting.block.byteLength) {
    cutting.block = new ArrayBuffer(BLOCK_BYTES);
    cutting.used = 0;
  }
  const at = cutting.used;
  cutting.used = Math.ceil((at + bytes) / LINE_BYTES) * LINE_BYTES;
  return { buffer: cutting.block, at };
}

export function uint8(length: number): Uint8Array<ArrayBuffer> {
  const { buffer, at } = cut(length);
  return new Uint8Array(buffer, at, length);
}

export function uint16(length: number): Uint16Array<ArrayBuffer> {
  const { buffer, at } = cut(length * 2);
  return new Uint16Array(buffer, at, length);
}

export function int32(length: number): Int32Array<ArrayBuffer> {
  const { buffer, at } = cut(length * 4);
  return new Int32Array(buffer, at, length);
}

export function uint32(length: number): Uint32Array<ArrayBuffer> {
  const { buffer, at } = cut(length * 4);
  return new Uint32Array(buffer, at, length);
}

export function float64(length: number): Float64Array<ArrayBuffer> {
  const { buffer, at } = cut(length * 8);
  return new Float64Array(buffer, at, length);
}

/** The same memory as bytes. */
export function bytesOf(column: Uint32Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/** The same memory as doubles; the column has an even number of words. */
export function doublesOf(column: Int32Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Float64Array(column.buffer, column.byteOffset, column.length / 2);
}
