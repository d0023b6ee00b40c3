// Plain numbers in shared memory: doubles, each with one writer at a time, read by whoever shows them. For measurements only.
// Loads and stores are ordinary ones: eight aligned bytes are written in one piece on every machine Node 22 runs on, and a
// reader that sees a value a moment late shows it a moment late.
// Never: what another thread acts on (that is a counter or a ring), two threads that add to one cell.

/** What is sent to the threads. */
export type SharedNumbers = SharedArrayBuffer;

export function createSharedNumbers(count: number): SharedNumbers {
  return new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT);
}

export function viewSharedNumbers(cells: SharedNumbers): Float64Array {
  return new Float64Array(cells);
}
