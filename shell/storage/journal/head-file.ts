// Known heads: evidence of the journal's end from outside the segments. SQLite silently opens a committed prefix of a damaged WAL, so a
// lost end shows only by comparison: with a snapshot, the history's applied seq, or `journal/head.json`. The writer saves head.json after
// what it names is durable: it may lag a sound journal but is never ahead.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { sameHash, hashText, type Head } from './chain.ts';
import { JournalDamage, JournalRefusal, withFileErrors } from './journal-errors.ts';
import { writeTextAtomically, type Files } from './files.ts';
import { journalFolder, listSegments } from './segment.ts';

/** Without `hash`, only the seq is compared. */
export type KnownHead = { readonly name: string; readonly seq: number; readonly hash?: Uint8Array };

const ANCHOR = 'head.json';

export function writeHeadFile(dataFolder: string, segment: number, head: Head, files: Files): void {
  const body = { segment, seq: head.seq, hash: hashText(head.hash) };
  const text = `${JSON.stringify({ ...body, check: checkOf(body) })}\n`;
  writeTextAtomically(files, join(journalFolder(dataFolder), ANCHOR), text);
}

/** Throws if the segment that head.json names is missing. */
export function withHeadFile(dataFolder: string, known: readonly KnownHead[]): readonly KnownHead[] {
  const path = join(journalFolder(dataFolder), ANCHOR);
  if (!fs.existsSync(path)) return known;
  const { segment, seq, hash } = parseAnchor(withFileErrors(path, () => fs.readFileSync(path).toString()));
  const newest = listSegments(dataFolder).at(-1) ?? 0;
  if (newest < segment) {
    throw new JournalRefusal('segment_missing', `segment ${segment} is missing: ${ANCHOR} names it at seq ${seq}`);
  }
  return [...known, { name: ANCHOR, seq, hash: Buffer.from(hash, 'hex') }];
}

function parseAnchor(text: string): { segment: number; seq: number; hash: string } {
  try {
    const { segment, seq, hash, check } = JSON.parse(text) as Record<string, unknown>;
    const body = { segment: Number(segment), seq: Number(seq), hash: String(hash) };
    if (check === checkOf(body)) return body;
  } catch {
  }
  throw new JournalRefusal('file', `journal/${ANCHOR} is damaged and cannot prove where the journal ends: restore it from a backup, `
    + 'or remove it to rely on the snapshots and the history alone');
}

function checkOf(body: { segment: number; seq: number; hash: string }): string {
  return createHash('sha256').update(`${body.segment} ${body.seq} ${body.hash}`).digest('hex');
}

export function compareKnown(known: readonly KnownHead[], segment: number, firstSeq: number, head: Head): void {
  for (const { name, seq, hash } of known) {
    if (hash === undefined || seq > head.seq || seq < Math.min(firstSeq, head.seq)) continue;
    if (seq < head.seq) throw new JournalDamage(segment, firstSeq, seq, `${name} is at seq ${seq}, where no frame ends`);
    if (!sameHash(hash, head.hash)) throw new JournalDamage(segment, firstSeq, firstSeq, `${name} has a different hash at seq ${seq}`);
  }
}

export function refuseEarlyEnd(known: readonly KnownHead[], end: number): void {
  for (const { name, seq } of known) {
    if (seq > end) throw new JournalRefusal('ends_early', `journal ends at seq ${end}, ${name} is at ${seq}`);
  }
}
