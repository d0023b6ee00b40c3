// Doubles in shared memory for measurements only, one writer each. Plain loads and stores: aligned 8-byte writes are
// not torn on any machine that Node 22 runs on, and a slightly old value does no harm.

export type SharedNumbers = SharedArrayBuffer;

export function createSharedNumbers(count: number): SharedNumbers {
  return new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT);
}

export function viewSharedNumbers(cells: SharedNumbers): Float64Array {
  return new Float64Array(cells);
}
