// Whether the data folder can be written: SQLite opens what it may only read without a word, and would refuse the first commit, of a
// venue that has said it is ready. By an open for writing and a file in each folder, since a file system that is read-only, or
// whose rights are elsewhere, is not seen in a file's mode. To be called with the folder locked and before anything of it is open:
// to close a descriptor drops the process's locks on that file. What is no file, or no folder, is told by who reads it. Nothing that is
// written here or later in place may be a symbolic link, nor does the file in each folder follow one.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { JournalRefusal } from './journal-errors.ts';
import { journalFolder, listSegments, segmentPath } from './segment.ts';
import { snapshotFolder } from './snapshot-format.ts';

/** What SQLite keeps beside a database in WAL mode. */
const BESIDE = ['', '-wal', '-shm', '-journal'];
const PROBE = 'write-probe';

/** Throws JournalRefusal by the name of the first thing that cannot be written; `databases` are those that the caller writes too. */
export function requireWritable(dataFolder: string, databases: readonly string[]): void {
  for (const folder of [dataFolder, journalFolder(dataFolder), snapshotFolder(dataFolder)]) {
    if (statOf(folder)?.isDirectory()) attempt(folder, () => probe(folder));
  }
  for (const database of [...databases, ...writtenSegments(dataFolder)]) {
    for (const end of BESIDE) {
      const path = `${database}${end}`;
      refuseSymbolicLink(path);
      if (statOf(path)?.isFile()) attempt(path, () => fs.closeSync(fs.openSync(path, 'r+')));
    }
  }
}

/** Refuses a file that is written in place: what is behind a symbolic link may be anybody's. A folder may be one. */
export function refuseSymbolicLink(path: string): void {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new JournalRefusal('unusable', `${path} is a symbolic link, and the venue would write what it leads to: put the file itself there`);
}

/** The newest, and those before it whose log has not been emptied. */
function writtenSegments(dataFolder: string): string[] {
  if (!statOf(journalFolder(dataFolder))?.isDirectory()) return [];
  const paths = listSegments(dataFolder).map((segment) => segmentPath(dataFolder, segment));
  const hasLog = (path: string): boolean => (fs.lstatSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return paths.filter((path, at) => at === paths.length - 1 || hasLog(path));
}

function statOf(path: string): fs.Stats | undefined {
  return fs.statSync(path, { throwIfNoEntry: false });
}

function probe(folder: string): void {
  const path = join(folder, PROBE);
  // Of a start that was killed, or a link that somebody put there. What is made anew follows no link.
  fs.rmSync(path, { force: true });
  fs.writeFileSync(path, PROBE, { flag: 'wx' });
  fs.rmSync(path);
}

function attempt(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new JournalRefusal('unusable', `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
