// File operations as an object, so that a test can make the n-th one fail. A failed fsync is never retried: the
// kernel may have dropped the pages and would report success.

import * as fs from 'node:fs';
import { dirname } from 'node:path';

export const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export type Files = {
  open(path: string, flags: string, mode: number): number;
  write(fd: number, bytes: Uint8Array, offset: number, length: number): number;
  fsync(fd: number): void;
  close(fd: number): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
};

export const DISK: Files = {
  open: (path, flags, mode) => fs.openSync(path, flags, mode),
  write: (fd, bytes, offset, length) => fs.writeSync(fd, bytes, offset, length),
  fsync: (fd) => fs.fsyncSync(fd),
  close: (fd) => fs.closeSync(fd),
  rename: (from, to) => fs.renameSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
};

export function writeAll(files: Files, fd: number, bytes: Uint8Array, offset = 0, length = bytes.length - offset): void {
  const end = offset + length;
  while (offset < end) {
    const written = files.write(fd, bytes, offset, end - offset);
    if (written <= 0) throw new Error('the disk accepted no byte of a write');
    offset += written;
  }
}

/** One call per folder: Node's recursive mode loops forever if the system reports ENOENT although the parent exists (/proc). */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && !fs.existsSync(above)) makeFolder(above);
  try {
    fs.mkdirSync(path, FOLDER_MODE);
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

export function nearestExistingPath(path: string): string {
  const above = dirname(path);
  return above === path || fs.existsSync(path) ? path : nearestExistingPath(above);
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export function syncFolder(files: Files, folder: string): void {
  const fd = files.open(folder, 'r', 0);
  try {
    files.fsync(fd);
  } finally {
    files.close(fd);
  }
}

/** If it throws, `path` is the old file or the complete new one. */
export function writeAtomically(files: Files, path: string, fill: (fd: number) => void): void {
  const temporary = `${path}.tmp`;
  removeIfPossible(files, temporary);
  try {
    const fd = files.open(temporary, 'wx', FILE_MODE);
    try {
      fill(fd);
      files.fsync(fd);
    } finally {
      files.close(fd);
    }
    files.rename(temporary, path);
  } catch (error) {
    removeIfPossible(files, temporary);
    throw error;
  }
  syncFolder(files, dirname(path));
}

export function writeTextAtomically(files: Files, path: string, text: string): void {
  writeAtomically(files, path, (fd) => writeAll(files, fd, Buffer.from(text)));
}

export function removeIfPossible(files: Files, path: string): void {
  try {
    files.unlink(path);
  } catch {
  }
}
