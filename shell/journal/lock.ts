// One process per data folder: `lock.db`, an SQLite file held in BEGIN EXCLUSIVE. The kernel drops the lock with the
// process, however it ends. The handles live in a table of this module: a collected handle would release the lock.
// The process must never open or close `lock.db` by other means (that drops POSIX locks).

import Database from 'better-sqlite3';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { JournalRefusal } from './errors.ts';
import { makeFolder } from './files.ts';

/** Another process, or this one, already has the folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';

  constructor(folder: string) {
    super(`data folder ${folder} is in use by another process`);
  }
}

const held = new Map<string, Database.Database>();

/** Takes the folder, making it where it is missing. Throws FolderInUse at once; JournalRefusal where `lock.db` cannot be used. */
export function lockFolder(dataFolder: string): void {
  makeFolder(dataFolder);
  const folder = fs.realpathSync(resolve(dataFolder));
  if (held.has(folder)) throw new FolderInUse(folder);
  let db: Database.Database | null = null;
  try {
    db = new Database(join(folder, 'lock.db'), { timeout: 0 });
    // A file that may only be read opens all the same, and the lock would be none: a write says so.
    db.pragma('user_version = 0');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    if (!(error instanceof Database.SqliteError)) throw error;
    if (error.code.startsWith('SQLITE_BUSY')) throw new FolderInUse(folder);
    throw new JournalRefusal('file', `data folder ${folder}: lock.db cannot be used: ${error.message}`);
  }
  held.set(folder, db);
}

/** Gives the folder back at a clean stop; nothing for a folder not held. */
export function unlockFolder(dataFolder: string): void {
  const folder = fs.realpathSync(resolve(dataFolder));
  held.get(folder)?.close();
  held.delete(folder);
}
