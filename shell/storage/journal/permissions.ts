// Only the owner may use the data folder (folders 0700, files 0600): it holds the admin token, and signed orders that other venues with
// the same domain would accept. This corrects older or copied folders; new files get these rights from the umask (main.ts). By path,
// because closing a descriptor drops the process's locks.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { journalFolder } from './segment.ts';
import { snapshotFolder } from './snapshot-format.ts';

const OWNER = 0o700;
const OTHERS = 0o077;
const STICKY = 0o1000;

export function restrictPermissions(dataFolder: string): string | null {
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
