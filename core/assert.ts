// Checks of what must hold whatever clients send, always on. A failed one is a fault of the venue, never of a client: the error ends
// the process, which names the command that was being applied (shell/storage/recovery, shell/process/fatal).
// A label is a constant text, `store: what holds`. A check costs O(1), allocates nothing and changes nothing.

export function assert(condition: boolean, label: string): asserts condition {
  if (!condition) fail(label);
}

/** Apart from `assert`, so that V8 inlines that one everywhere. */
function fail(label: string): never {
  throw new Error(`assertion failed: ${label}`);
}
