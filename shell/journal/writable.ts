// Whether the data folder can be written: SQLite opens what it may only read without a word, and would refuse the first commit, of a
// venue that has said it is ready. By an open for writing and a file in each folder, since a file system that is read-only, or
// whose rights are elsewhere, is not seen in a file's mode. To be called with the folder locked and before anything of it is open:
// to close a descriptor drops the process's locks on that file. What is no file, or no folder, is told by who reads it.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { JournalRefusal } from './errors.ts';
import { journalFolder, listSegments, segmentPath } from './segment.ts';
import { snapshotFolder } from './snapshot-format.ts';

/** What SQLite keeps beside a database in WAL mode. */
const BESIDE = ['', '-wal', '-shm'];
const PROBE = 'write-probe';

/** Throws JournalRefusal by the name of the first thing that cannot be written; `databases` are those that the caller writes too. */
export function needWritable(dataFolder: string, databases: readonly string[]): void {
  for (const folder of [dataFolder, journalFolder(dataFolder), snapshotFolder(dataFolder)]) {
    if (statOf(folder)?.isDirectory()) attempt(folder, () => probe(folder));
  }
  const newest = statOf(journalFolder(dataFolder))?.isDirectory() ? listSegments(dataFolder).at(-1) : undefined;
  for (const database of newest === undefined ? databases : [...databases, segmentPath(dataFolder, newest)]) {
    for (const end of BESIDE) {
      const path = `${database}${end}`;
      if (statOf(path)?.isFile()) attempt(path, () => fs.closeSync(fs.openSync(path, 'r+')));
    }
  }
}

function statOf(path: string): fs.Stats | undefined {
  return fs.statSync(path, { throwIfNoEntry: false });
}

function probe(folder: string): void {
  const path = join(folder, PROBE);
  fs.writeFileSync(path, PROBE);
  fs.rmSync(path);
}

function attempt(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new JournalRefusal('unusable', `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
