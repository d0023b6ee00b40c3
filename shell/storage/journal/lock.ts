// One process per data folder. It holds an exclusive SQLite transaction on `lock.db`, and a socket name made of the
// folder's device and inode, which survives removal of the file. A garbage-collected handle would release the lock, so
// a table holds them. Opening or closing `lock.db` in any other way drops the process's POSIX locks.

import Database from 'better-sqlite3';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { acquireName } from '../abstract-socket.ts';
import { JournalRefusal } from './journal-errors.ts';
import { makeFolder } from './files.ts';
import { WatchedFile } from './watched-file.ts';
import { refuseSymbolicLink } from './writable-check.ts';

const LOCK = 'lock.db';

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';

  constructor(folder: string) {
    super(`data folder ${folder} is in use by another process`);
  }
}

type Lock = { readonly db: Database.Database; readonly file: WatchedFile };
type Held = { lock: Lock; readonly release: () => void };

const held = new Map<string, Held>();

/** Throws FolderInUse, or JournalRefusal if `lock.db` cannot be used. */
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
    // A read-only file opens but cannot be locked.
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

/** True if `lock.db` was removed or replaced, and is made again. Throws FolderInUse if another process holds the new file. */
export function renewLock(dataFolder: string): boolean {
  const folder = fs.realpathSync(resolve(dataFolder));
  const own = held.get(folder);
  if (own === undefined || own.lock.file.fault() === null) return false;
  const { db } = own.lock;
  own.lock = lockFile(folder);
  db.close();
  return true;
}

export function unlockFolder(dataFolder: string): void {
  const folder = fs.realpathSync(resolve(dataFolder));
  const own = held.get(folder);
  own?.lock.db.close();
  own?.release();
  held.delete(folder);
}
