// The data folder is its owner's alone: folders 0700, files 0600. It holds the admin token and every signed order, which acts on any
// venue that takes the same signatures. What the process makes has these rights by its umask (main.ts), SQLite's files too; here a
// folder that was made by an older version, by hand or by a copy gets them. By path and never by an open file: to close a descriptor
// drops the process's locks on that file. Symbolic links are not followed.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { journalFolder } from './segment.ts';
import { snapshotFolder } from './snapshot-format.ts';

/** What a file's owner may do with it, and what others may. */
const OWNER = 0o700;
const OTHERS = 0o077;
/** A folder that everybody uses, such as /tmp. */
const STICKY = 0o1000;

/** Takes from others what they may do with the folder; what is left to them and cannot be taken, or null. */
export function restrictPermissions(dataFolder: string): string | null {
  // Its name may be a link: that is the operator's own.
  const root = fs.realpathSync(dataFolder);
  if ((fs.lstatSync(root).mode & STICKY) !== 0) return `${dataFolder} is a folder of everybody's: others can read what is in it`;
  let left: string | null = null;
  const keep = (path: string, isFolder: boolean): void => {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !(isFolder ? stats.isDirectory() : stats.isFile()) || (stats.mode & OTHERS) === 0) return;
    try {
      fs.chmodSync(path, stats.mode & OWNER);
    } catch (error) {
      left ??= `${path} can be used by others, and its rights cannot be changed: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  for (const folder of [root, journalFolder(root), snapshotFolder(root)]) {
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    keep(folder, true);
    for (const name of fs.readdirSync(folder)) keep(join(folder, name), false);
  }
  return left;
}
