// Writes a snapshot from the state's arrays, which must not change meanwhile. A failure leaves older snapshots untouched. Two are kept,
// and the newest of another BEHAVIOUR, which a rebuilt history needs.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { DISK, makeFolder, removeIfPossible, writeAll, writeAtomically, type Files } from './files.ts';
import { CHUNK_BYTES, END_MARK, headerBytes, snapshotFolder, type ColumnType, type SnapshotHead } from './snapshot-format.ts';
import { behaviourOf, listSnapshots } from './snapshot-read.ts';

export type SectionSource = { readonly name: string; readonly type: ColumnType; readonly elements: number; readonly bytes: Uint8Array };

const KEPT = 2;

export function writeSnapshot(dataFolder: string, head: SnapshotHead, sections: readonly SectionSource[], files: Files = DISK): string {
  const folder = snapshotFolder(dataFolder);
  makeFolder(folder);
  for (const name of fs.readdirSync(folder)) {
    if (name.endsWith('.tmp')) removeIfPossible(files, join(folder, name));
  }
  const path = join(folder, `snapshot-${head.seq}.bin`);
  const heads = sections.map(({ name, type, elements, bytes }) => ({ name, type, elements, bytes: bytes.length }));
  const header = headerBytes(head, heads);
  writeAtomically(files, path, (fd) => {
    const all = createHash('sha256').update(header.hash);
    writeAll(files, fd, header.block);
    for (const { bytes } of sections) {
      const hash = writeSection(files, fd, bytes);
      writeAll(files, fd, hash);
      all.update(hash);
    }
    writeAll(files, fd, Buffer.concat([END_MARK, all.digest()]));
  });
  const old = listSnapshots(dataFolder).slice(KEPT);
  const boundary = old.find((one) => (behaviourOf(one.path) ?? head.behaviour) !== head.behaviour);
  for (const one of old) if (one !== boundary) removeIfPossible(files, one.path);
  return path;
}

function writeSection(files: Files, fd: number, bytes: Uint8Array): Uint8Array {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, bytes.length - at);
    hash.update(bytes.subarray(at, at + length));
    writeAll(files, fd, bytes, at, length);
  }
  return hash.digest();
}
