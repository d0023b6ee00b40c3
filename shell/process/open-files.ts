// How many files the process may have open, and how many of them the connections of clients may be. Journal, history and snapshots
// are opened while the venue runs, and a file that cannot be opened there ends it: strangers must never hold the last one.

import { readFileSync } from 'node:fs';
import { BadSetting } from './bad-setting.ts';
import { BOUNDS } from '../http/limits.ts';

/** For the venue's own files and threads and for services of others: with 16 api threads it has about 160 open. */
export const RESERVED_FILES = 256;
/** Connections of an api thread below which a start is refused, and below which it is remarked. */
const FEWEST = 16;
const FEW = 1_000;

/** As the system says it; Infinity where it does not. Node has raised the soft limit to the hard one. */
export function openFilesLimit(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}

/** Connections that each of `workers` edges may have open, in a process of so many files. */
export function connectionsOf(files: number, workers: number): number {
  return Math.max(0, Math.min(BOUNDS.connections, Math.floor((files - RESERVED_FILES) / workers)));
}

/** What the operator should know of the limit, or null. Throws BadSetting where there are not enough files to begin with. */
export function openFilesWarning(files: number, workers: number): string | null {
  const connections = connectionsOf(files, workers);
  if (connections >= FEW) return null;
  const text = `the process may open ${files} files, which leaves ${connections} connections to each of ${workers} api threads`;
  const least = (each: number): number => RESERVED_FILES + each * workers;
  if (connections < FEWEST) throw new BadSetting(`${text}: at least ${least(FEWEST)} files are needed (ulimit -n)`);
  return `${text}: with ${least(BOUNDS.connections)} files (ulimit -n) it is ${BOUNDS.connections}`;
}
