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

const begun = new WeakMap<Ends, (() => unknown)[]>();

/** Ends what was begun last first, and the rest even if one end fails: a page is closed before its venue is killed. */
export function lastFirst(t: Ends): Ends {
  let ends = begun.get(t);
  if (ends === undefined) {
    const all: (() => unknown)[] = [];
    t.after(async () => {
      const faults: unknown[] = [];
      for (const end of all.toReversed()) await Promise.resolve().then(end).catch((error: unknown) => faults.push(error));
      if (faults.length > 0) throw faults[0];
    });
    begun.set(t, ends = all);
  }
  const list = ends;
  const owner = { after: (end: () => unknown): void => { list.push(end); } };
  begun.set(owner, list);
  return owner;
}
