// Checks at start that the data folder can be written: SQLite opens a read-only file without complaint and fails at the first commit.
// Files are opened for writing and folders get a file. Call it with the folder locked and before its files are opened: closing a
// descriptor drops the process's locks.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { JournalRefusal } from './journal-errors.ts';
import { journalFolder, listSegments, segmentPath } from './segment.ts';
import { snapshotFolder } from './snapshot-format.ts';

const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal'];
const PROBE = 'write-probe';

/** `databases`: others that the caller writes. */
export function requireWritable(dataFolder: string, databases: readonly string[]): void {
  for (const folder of [dataFolder, journalFolder(dataFolder), snapshotFolder(dataFolder)]) {
    if (statOf(folder)?.isDirectory()) attempt(folder, () => probe(folder));
  }
  for (const database of [...databases, ...writtenSegments(dataFolder)]) {
    for (const end of DATABASE_SUFFIXES) {
      const path = `${database}${end}`;
      refuseSymbolicLink(path);
      if (statOf(path)?.isFile()) attempt(path, () => fs.closeSync(fs.openSync(path, 'r+')));
    }
  }
}

export function refuseSymbolicLink(path: string): void {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new JournalRefusal('unusable', `${path} is a symbolic link, and the venue would write its target: put the file itself there`);
}

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
  // `wx` follows no link.
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
