// The folder of a venue that has run and stopped, copies of it with parts missing, and starts on them that must be refused.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { VenueProcess } from '../../../scripts/venue-process.ts';
import { journalHead } from '../../../shell/storage/journal/read.ts';
import { segmentPath } from '../../../shell/storage/journal/segment.ts';
import { listSnapshots } from '../../../shell/storage/journal/snapshot-read.ts';
import { refused } from './refused.ts';

export const FLAGS = ['--feed', 'manual', '--workers', '1'];

export class Stopped {
  /** The folder; its journal is written before `run`. */
  readonly sound: string;
  readonly #root: string;
  #copies = 0;

  constructor(root: string) {
    this.#root = root;
    this.sound = join(root, 'sound');
  }

  /** Starts a venue there and stops it; returns where the journal ends, and a snapshot stands. */
  async run(): Promise<number> {
    await runOnce(this.sound);
    const end = journalHead(this.sound)!.seq;
    assert.equal(listSnapshots(this.sound)[0]?.seq, end);
    return end;
  }

  /** A copy of the stopped venue's folder without `lost`, whose journal ends `frames` frames early. */
  copyWithout(lost: readonly string[], frames = 0): string {
    const data = join(this.#root, `copy-${++this.#copies}`);
    cpSync(this.sound, data, { recursive: true });
    if (frames > 0) {
      const db = new Database(segmentPath(data, 1));
      db.prepare('DELETE FROM frames WHERE first_seq IN (SELECT first_seq FROM frames ORDER BY first_seq DESC LIMIT ?)').run(frames);
      db.close();
    }
    for (const name of lost) rmSync(join(data, name), { recursive: true });
    return data;
  }
}

export async function runOnce(data: string): Promise<void> {
  const venue = await VenueProcess.start({ data, flags: FLAGS });
  await venue.ready();
  assert.equal((await venue.stop()).code, 0);
}

/** What the files of a folder hold; not the index of a WAL, which every connection makes anew. */
export function contentOf(folder: string): string {
  const names = (readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('lock.db') && !/-(wal|shm)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name)).sort();
  return names.map((name) => `${name} ${createHash('sha256').update(readFileSync(name)).digest('hex')}`).join('\n');
}

/** The line of a start that is refused and leaves `part` of the folder, by default all of it, as it was. */
export function refusedUnchanged(data: string, part = ''): string {
  const content = contentOf(join(data, part));
  const line = refused(['--port', '0', '--data', data, ...FLAGS]);
  assert.equal(contentOf(join(data, part)), content);
  return line;
}
