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

type Resume = {
  readonly incarnation: string; readonly point: ResumePoint | null;
  /** The newest position that another node said it has accepted. */
  readonly heard?: number;
};

/** Null: this folder has followed no log. */
export function readResume(dataFolder: string): Resume | null {
  const text = resumeText(dataFolder);
  if (text === null) return null;
  const resume = parsed(text);
  if (resume !== null) return resume;
  throw new JournalRefusal('file', `journal/${FILE} is damaged: remove it, and the log is read from its first message`);
}

export function writeResume(dataFolder: string, resume: Resume): void {
  makeFolder(journalFolder(dataFolder));
  writeTextAtomically(DISK, join(journalFolder(dataFolder), FILE), `${JSON.stringify({ ...resume, check: checkOf(resume) })}\n`);
}

/** Null: this folder has followed no log. */
export function resumeText(dataFolder: string): string | null {
  const path = join(journalFolder(dataFolder), FILE);
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : null;
}

/** Writes the file for a copy whose journal ends at `seq`. A point after that is left out: the log is then read from its first message. */
export function copyResume(dataFolder: string, text: string, seq: number): void {
  const resume = parsed(text);
  if (resume === null) return;
  const { point } = resume;
  writeResume(dataFolder, { ...resume, point: point !== null && point.seq <= seq ? point : null });
}

function parsed(text: string): Resume | null {
  try {
    const { check, ...resume } = JSON.parse(text) as Resume & { check: string };
    return check === checkOf(resume) ? resume : null;
  } catch {
    return null;
  }
}

function checkOf({ incarnation, point, heard }: Resume): string {
  return createHash('sha256').update(JSON.stringify({ incarnation, point, heard })).digest('hex');
}
