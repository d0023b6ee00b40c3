// Finds, verifies and loads snapshots, newest first. A snapshot is verified completely before it is loaded, and again while it is loaded,
// because a disk may return other bytes the second time.

import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import type { KnownHead } from './head-file.ts';
import { HASH_BYTES, sameHash } from './chain.ts';
import { JournalRefusal, withFileErrors } from './journal-errors.ts';
import {
  CHUNK_BYTES, END_BYTES, END_MARK, HEADER_LIMIT, PREFIX_BYTES, START_MARK, parseHeader, snapshotFolder, type SectionHead,
  type SnapshotHead,
} from './snapshot-format.ts';

export class SnapshotDamage extends Error {
  override readonly name = 'SnapshotDamage';
  readonly path: string;

  constructor(path: string, reason: string) {
    super(`snapshot damaged: ${path}: ${reason}`);
    this.path = path;
  }
}

export type Snapshot = SnapshotHead & {
  readonly path: string;
  readonly sections: readonly SectionHead[];
  readonly headerHash: Uint8Array;
};

type Header = { head: SnapshotHead; sections: readonly SectionHead[]; start: number; headerHash: Uint8Array };

export function listSnapshots(dataFolder: string): { seq: number; path: string }[] {
  const folder = snapshotFolder(dataFolder);
  if (!fs.existsSync(folder)) return [];
  const found: { seq: number; path: string }[] = [];
  for (const name of fs.readdirSync(folder)) {
    const match = /^snapshot-(\d{1,16})\.bin$/.exec(name);
    if (match !== null) found.push({ seq: Number(match[1]), path: join(folder, name) });
  }
  return found.sort((a, b) => b.seq - a.seq);
}

/** Undamaged ones; `onDamage` gets the others. Throws JournalRefusal if the system cannot open one, which may be sound. */
export function* readSnapshots(dataFolder: string, onDamage: (damage: SnapshotDamage) => void): Generator<Snapshot> {
  for (const { path, seq } of listSnapshots(dataFolder)) {
    let snapshot: Snapshot | null = null;
    try {
      snapshot = verifySnapshot(path, seq);
    } catch (error) {
      if (error instanceof JournalRefusal) throw error;
      onDamage(error instanceof SnapshotDamage ? error : new SnapshotDamage(path, error instanceof Error ? error.message : String(error)));
    }
    if (snapshot !== null) yield snapshot;
  }
}

export function setSnapshotAside(damage: SnapshotDamage): void {
  fs.renameSync(damage.path, `${damage.path}.damaged`);
}

/** `into` gives arrays of exactly `bytes`. After SnapshotDamage they are invalid and the process must stop. */
export function loadSnapshot(snapshot: Snapshot, into: (section: SectionHead) => Uint8Array): void {
  const { path } = snapshot;
  withOpenFile(path, (fd) => {
    const header = readHeader(fd, path);
    if (!sameHash(header.headerHash, snapshot.headerHash)) throw new SnapshotDamage(path, 'the file was replaced after it was verified');
    readSections(fd, path, header, into);
  });
}

export function behaviourOf(path: string): number | null {
  return soundHeader(path)?.head.behaviour ?? null;
}

/** A damaged header's seq comes from the file name. */
export function snapshotHeads(dataFolder: string): KnownHead[] {
  return listSnapshots(dataFolder).map(({ seq, path }) => {
    const head = soundHeader(path)?.head;
    return head?.seq === seq ? { name: basename(path), seq, hash: head.headHash } : { name: basename(path), seq };
  });
}

function soundHeader(path: string): Header | null {
  try {
    return withOpenFile(path, (fd) => readHeader(fd, path));
  } catch (error) {
    if (error instanceof SnapshotDamage) return null;
    throw error;
  }
}

function verifySnapshot(path: string, seq: number): Snapshot {
  return withOpenFile(path, (fd) => {
    const header = readHeader(fd, path);
    const { head, sections, headerHash } = header;
    if (head.seq !== seq) throw new SnapshotDamage(path, `holds seq ${head.seq}`);
    readSections(fd, path, header, null);
    return { ...head, path, sections, headerHash };
  });
}

function withOpenFile<T>(path: string, work: (fd: number) => T): T {
  return withFileErrors(path, () => {
    const fd = fs.openSync(path, 'r');
    try {
      return work(fd);
    } finally {
      fs.closeSync(fd);
    }
  });
}

function readSections(fd: number, path: string, header: Header, into: ((section: SectionHead) => Uint8Array) | null): void {
  const all = createHash('sha256').update(header.headerHash);
  const scratch = Buffer.allocUnsafe(CHUNK_BYTES);
  const stored = Buffer.alloc(HASH_BYTES);
  let at = header.start;
  for (const section of header.sections) {
    const { name, bytes } = section;
    const target = into === null ? null : into(section);
    if (target !== null && target.length !== bytes) throw new RangeError(`section ${name}: ${bytes} bytes into ${target.length}`);
    const hash = createHash('sha256');
    for (let done = 0; done < bytes; done += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, bytes - done);
      const chunk = target === null ? scratch.subarray(0, length) : target.subarray(done, done + length);
      readAll(fd, path, chunk, at + done);
      hash.update(chunk);
    }
    readAll(fd, path, stored, at + bytes);
    if (!sameHash(hash.digest(), stored)) throw new SnapshotDamage(path, `section ${name} has a wrong checksum`);
    all.update(stored);
    at += bytes + HASH_BYTES;
  }
  checkEnd(fd, path, at, all);
}

function readHeader(fd: number, path: string): Header {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  readAll(fd, path, prefix, 0);
  const length = prefix.readUInt32LE(8);
  if (!prefix.subarray(0, START_MARK.length).equals(START_MARK)) throw new SnapshotDamage(path, 'no start mark');
  if (length > HEADER_LIMIT) throw new SnapshotDamage(path, `header of ${length} bytes`);
  const rest = Buffer.alloc(length + HASH_BYTES);
  readAll(fd, path, rest, PREFIX_BYTES);
  const text = rest.subarray(0, length);
  const headerHash = createHash('sha256').update(prefix).update(text).digest();
  if (!sameHash(headerHash, rest.subarray(length))) throw new SnapshotDamage(path, 'header has a wrong checksum');
  return { ...parseHeader(text.toString('utf8')), start: PREFIX_BYTES + rest.length, headerHash };
}

function checkEnd(fd: number, path: string, at: number, all: Hash): void {
  const end = Buffer.alloc(END_BYTES);
  readAll(fd, path, end, at);
  if (!end.equals(Buffer.concat([END_MARK, all.digest()]))) throw new SnapshotDamage(path, 'no end mark');
  const { size } = fs.fstatSync(fd);
  if (size !== at + END_BYTES) throw new SnapshotDamage(path, `${size} bytes instead of ${at + END_BYTES}`);
}

function readAll(fd: number, path: string, target: Uint8Array, at: number): void {
  for (let done = 0; done < target.length;) {
    const count = fs.readSync(fd, target, done, target.length - done, at + done);
    if (count === 0) throw new SnapshotDamage(path, 'file ends early');
    done += count;
  }
}
