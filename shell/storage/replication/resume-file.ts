// `journal/log.json`: which log a node follows, and from where it is read after a restart. It may lag behind the journal, whose frames are
// skipped, never the other way round.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { DISK, makeFolder, writeTextAtomically } from '../journal/files.ts';
import { JournalRefusal } from '../journal/journal-errors.ts';
import { journalFolder } from '../journal/segment.ts';
import type { ResumePoint } from './reader-rule.ts';

const FILE = 'log.json';

type Resume = { readonly incarnation: string; readonly point: ResumePoint | null };

/** Null: this folder has followed no log. */
export function readResume(dataFolder: string): Resume | null {
  const path = join(journalFolder(dataFolder), FILE);
  if (!fs.existsSync(path)) return null;
  try {
    const { check, ...resume } = JSON.parse(fs.readFileSync(path, 'utf8')) as Resume & { check: string };
    if (check === checkOf(resume)) return resume;
  } catch {
  }
  throw new JournalRefusal('file', `journal/${FILE} is damaged: remove it, and the log is read from its first message`);
}

export function writeResume(dataFolder: string, resume: Resume): void {
  makeFolder(journalFolder(dataFolder));
  writeTextAtomically(DISK, join(journalFolder(dataFolder), FILE), `${JSON.stringify({ ...resume, check: checkOf(resume) })}\n`);
}

function checkOf({ incarnation, point }: Resume): string {
  return createHash('sha256').update(JSON.stringify({ incarnation, point })).digest('hex');
}
