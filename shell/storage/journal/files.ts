// The file operations that storage makes itself (SQLite makes its own), as an object, so that a test can make the
// n-th of them fail; and how a folder is made. Writing is: a temporary file, fsync, rename, fsync of the folder; a failed
// fsync is never tried again (the kernel may have dropped the pages and would report success).

import * as fs from 'node:fs';
import { dirname } from 'node:path';

/** Of the data folder and what is in it: its owner's alone (private.ts). */
export const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

export type Files = {
  open(path: string, flags: string, mode: number): number;
  /** Writes `length` bytes from `offset` of `bytes` at the file's position; the count written, possibly fewer. */
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
    if (written <= 0) throw new Error('the disk took no byte of a write');
    offset += written;
  }
}

/**
 * Makes the folder and those above it that are missing. By one call each: Node's recursive mode tries again for ever where the system
 * says ENOENT of a folder whose parent is there, as it does under /proc and in a folder that was removed.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && !fs.existsSync(above)) makeFolder(above);
  try {
    fs.mkdirSync(path, FOLDER_MODE);
  } catch (error) {
    // Another process may have been quicker.
    if (!isFolder(path)) throw error;
  }
}

/** The path, or what of it is there: where something of that name would come to be. */
export function nearestExistingPath(path: string): string {
  const above = dirname(path);
  return above === path || fs.existsSync(path) ? path : nearestExistingPath(above);
}

function isFolder(path: string): boolean {
  return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Makes a rename or a new name in `folder` durable. */
export function syncFolder(files: Files, folder: string): void {
  const fd = files.open(folder, 'r', 0);
  try {
    files.fsync(fd);
  } finally {
    files.close(fd);
  }
}

/** After it returns, `path` is durable and whole; if it throws, `path` is the old file or the whole new one. */
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
    // It was not there, or stays: the next writer of this name meets the error itself.
  }
}
