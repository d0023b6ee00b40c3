// A thread that stands still on purpose, in the tests of flow control and where it has nothing to do but to wait for another: it neither
// runs nor burns its core.

/** Blocks the calling thread for `ms`. */
export function blockThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
