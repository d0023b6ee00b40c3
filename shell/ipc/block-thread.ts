// Blocks a thread on purpose, without using CPU: in tests, and while it can only wait for another thread.

export function blockThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
