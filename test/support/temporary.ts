// Temporary folders of tests: each has a name of its own in the system's folder, and is removed when its owner ends.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Who ends things: a test, or with `{ after }` of node:test the file. */
export type Ends = { after(end: () => unknown): void };

export function temporaryFolder(t: Ends): string {
  const folder = mkdtempSync(join(tmpdir(), 'strikebook-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
