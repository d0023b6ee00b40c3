// The two things a data folder has for life: the venue's id (`venue.json`, 16 hex digits of randomness), from which the
// journal's chain starts, and the admin token (`admin-token`, readable by the owner only). Both are made at the first
// start. A venue id is never made for a folder that already has a journal, or had one.

import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { JournalRefusal } from './errors.ts';
import { DISK, writeTextAtomically } from './files.ts';
import type { Files } from './files.ts';
import { listSegments } from './segment.ts';
import { listSnapshots } from './snapshot-read.ts';

const VENUE_FILE = 'venue.json';
const TOKEN_FILE = 'admin-token';
const TOKEN_BYTES = 32;

/** The venue id of the folder, made and stored at the first call. */
export function venueId(dataFolder: string, files: Files = DISK): string {
  fs.mkdirSync(dataFolder, { recursive: true });
  const path = join(dataFolder, VENUE_FILE);
  if (fs.existsSync(path)) return parseVenue(readOwn(path));
  if (listSegments(dataFolder).length > 0 || listSnapshots(dataFolder).length > 0) {
    throw new JournalRefusal('file', `${VENUE_FILE} is missing in ${dataFolder}, which has or had a journal: bring it back from a copy`);
  }
  const id = randomBytes(8).toString('hex');
  writeTextAtomically(files, path, 0o644, `${JSON.stringify({ venue_id: id })}\n`);
  return id;
}

/** The admin token of the folder, made and stored at the first call. A token file that others can read is closed to them. */
export function adminToken(dataFolder: string, files: Files = DISK): string {
  fs.mkdirSync(dataFolder, { recursive: true });
  const path = join(dataFolder, TOKEN_FILE);
  if (!fs.existsSync(path)) {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    writeTextAtomically(files, path, 0o600, `${token}\n`);
    return token;
  }
  if ((fs.statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, 0o600);
  const token = readOwn(path).trim();
  if (token === '') throw new JournalRefusal('file', `${TOKEN_FILE} in ${dataFolder} is empty: remove it to have one made`);
  return token;
}

/** The runtime does not name the file when the reading itself fails. */
function readOwn(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    throw new JournalRefusal('file', `${path} cannot be read: ${(error as Error).message}`);
  }
}

function parseVenue(text: string): string {
  try {
    const { venue_id: id } = JSON.parse(text) as { venue_id?: unknown };
    if (typeof id === 'string' && /^[0-9a-f]{16}$/.test(id)) return id;
  } catch {
    // Falls through to the one refusal.
  }
  throw new JournalRefusal('file', `${VENUE_FILE} holds no venue id of 16 hex digits: bring it back from a copy`);
}
