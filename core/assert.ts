// Checks that are always on, for what must hold whatever clients send. A failure is a fault of the venue and ends the process. Labels are
// constant texts, `store: what holds`. O(1), no allocation.

export function assert(condition: boolean, label: string): asserts condition {
  if (!condition) fail(label);
}

function fail(label: string): never {
  throw new Error(`assertion failed: ${label}`);
}
