// Divides the process's file limit. Connections must never take the last files: the venue ends if it cannot open one of
// the journal, history or snapshots.

import { readFileSync } from 'node:fs';
import { BadSetting } from './bad-setting.ts';
import { BOUNDS } from '../http/limits.ts';

/** The venue's own and those of threads and external services: about 160 with 16 api threads. */
export const RESERVED_FILES = 256;
const FEWEST = 16;
const FEW = 1_000;

/** Infinity if unknown. Node has raised the soft limit. */
export function openFilesLimit(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}

export function connectionsOf(files: number, workers: number): number {
  return Math.max(0, Math.min(BOUNDS.connections, Math.floor((files - RESERVED_FILES) / workers)));
}

/** Throws BadSetting if there are too few. */
export function openFilesWarning(files: number, workers: number): string | null {
  const connections = connectionsOf(files, workers);
  if (connections >= FEW) return null;
  const text = `the process may open ${files} files, which leaves ${connections} connections to each of ${workers} api threads`;
  const least = (each: number): number => RESERVED_FILES + each * workers;
  if (connections < FEWEST) throw new BadSetting(`${text}: at least ${least(FEWEST)} files are needed (ulimit -n)`);
  return `${text}: with ${least(BOUNDS.connections)} files (ulimit -n) it is ${BOUNDS.connections}`;
}
