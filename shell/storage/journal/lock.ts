// One process per data folder. Two things are held, and the system drops both with the process, however it ends: `lock.db`, an SQLite
// file in BEGIN EXCLUSIVE, and a name made of the folder's device and inode, which stays held when somebody removes the file.
// The handles live in a table of this module: a collected handle would release the lock.
// The process must never open or close `lock.db` by other means (that drops POSIX locks).

import Database from 'better-sqlite3';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { acquireName } from '../abstract-socket.ts';
import { JournalRefusal } from './journal-errors.ts';
import { makeFolder } from './files.ts';
import { WatchedFile } from './watched-file.ts';
import { refuseSymbolicLink } from './writable-check.ts';

const LOCK = 'lock.db';

/** Another process, or this one, already has the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';

  constructor(folder: string) {
    super(`data folder ${folder} is in use by another process`);
  }
}

type Lock = { readonly db: Database.Database; readonly file: WatchedFile };
type Held = { lock: Lock; readonly release: () => void };

/** By the real path of the folder. */
const held = new Map<string, Held>();

/** Takes the folder, making it where it is missing. Throws FolderInUse at once; JournalRefusal where `lock.db` cannot be used. */
export async function lockFolder(dataFolder: string): Promise<void> {
  makeFolder(dataFolder);
  const folder = fs.realpathSync(resolve(dataFolder));
  const { dev, ino } = fs.statSync(folder, { bigint: true });
  const release = held.has(folder) ? null : await acquireName(`folder-${dev}-${ino}`);
  if (release === null) throw new FolderInUse(folder);
  try {
    held.set(folder, { lock: lockFile(folder), release });
  } catch (error) {
    release();
    throw error;
  }
}

function lockFile(folder: string): Lock {
  const path = join(folder, LOCK);
  for (const end of ['', '-journal']) refuseSymbolicLink(`${path}${end}`);
  let db: Database.Database | null = null;
  try {
    db = new Database(path, { timeout: 0 });
    // A file that may only be read opens all the same, and the lock would be none: a write says so.
    db.pragma('user_version = 0');
    db.exec('BEGIN EXCLUSIVE');
    return { db, file: new WatchedFile(path) };
  } catch (error) {
    db?.close();
    if (!(error instanceof Database.SqliteError)) throw error;
    if (error.code.startsWith('SQLITE_BUSY')) throw new FolderInUse(folder);
    throw new JournalRefusal('file', `data folder ${folder}: ${LOCK} cannot be used: ${error.message}`);
  }
}

/**
 * Makes `lock.db` anew where it was removed or replaced, for those whom the name does not keep out: true when it had to. Throws
 * FolderInUse where another process has locked the one that is there now.
 */
export function renewLock(dataFolder: string): boolean {
  const folder = fs.realpathSync(resolve(dataFolder));
  const own = held.get(folder);
  // A folder that was moved away, or put in its place, is the journal's to tell.
  if (own === undefined || own.lock.file.fault() === null) return false;
  const { db } = own.lock;
  own.lock = lockFile(folder);
  db.close();
  return true;
}

/** Gives the folder back at a clean stop; nothing for a folder not held. */
export function unlockFolder(dataFolder: string): void {
  const folder = fs.realpathSync(resolve(dataFolder));
  const own = held.get(folder);
  own?.lock.db.close();
  own?.release();
  held.delete(folder);
}
