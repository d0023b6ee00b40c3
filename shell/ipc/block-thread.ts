// Blocks a thread on purpose, without using CPU: in tests, and while it can only wait for another thread.

/** Blocks the thread for `ms`, or until `gate[0]` is not 0. `gate[1]` becomes 1 when it begins. */
export function blockThread(ms: number, gate = new Int32Array(new SharedArrayBuffer(8))): void {
  Atomics.store(gate, 1, 1);
  Atomics.wait(gate, 0, 0, ms);
}
