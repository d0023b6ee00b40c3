// The layout of a snapshot file, little-endian, covered by checksums:
//   8 bytes   'SBSNAP01'
//   u32, u32  length of the header text; 0
//   ..        header: JSON, UTF-8
//   32        sha256 of all before
//   then per section: its bytes, sha256 of them
//   8 bytes   'SBSNAPND'
//   32        sha256 over the sha256 of header and sections; end of file

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { HASH_BYTES, hashText } from './chain.ts';

export type ColumnType = 'u8' | 'i32' | 'u32' | 'f64';
export type SectionHead = { readonly name: string; readonly type: ColumnType; readonly elements: number; readonly bytes: number };
type SnapshotMeta = Readonly<Record<string, string | number>>;

/** `digest`: of the output at `seq`, two u32. */
export type SnapshotHead = {
  readonly seq: number;
  readonly headHash: Uint8Array;
  readonly behaviour: number;
  readonly codec: number;
  readonly digest: readonly [low: number, high: number];
  readonly meta: SnapshotMeta;
};

export const START_MARK = Buffer.from('SBSNAP01');
export const END_MARK = Buffer.from('SBSNAPND');
export const PREFIX_BYTES = 16;
export const END_BYTES = END_MARK.length + HASH_BYTES;
export const HEADER_LIMIT = 4_194_304;
export const CHUNK_BYTES = 1_048_576;

const WIDTH: Readonly<Record<ColumnType, number>> = { u8: 1, i32: 4, u32: 4, f64: 8 };

export function snapshotFolder(dataFolder: string): string {
  return join(dataFolder, 'snapshots');
}

export function headerBytes(head: SnapshotHead, sections: readonly SectionHead[]): { block: Uint8Array; hash: Uint8Array } {
  for (const section of sections) {
    const fault = sectionFault(section);
    if (fault !== null) throw new RangeError(`snapshot: ${fault}`);
  }
  const text = Buffer.from(JSON.stringify({
    seq: head.seq, head_hash: hashText(head.headHash), behaviour: head.behaviour, codec: head.codec, digest: head.digest, meta: head.meta,
    sections: sections.map(({ name, type, elements, bytes }) => ({ name, type, elements, bytes })),
  }));
  if (text.length > HEADER_LIMIT) throw new RangeError(`snapshot: header of ${text.length} bytes, at most ${HEADER_LIMIT}`);
  const block = Buffer.alloc(PREFIX_BYTES + text.length + HASH_BYTES);
  START_MARK.copy(block, 0);
  block.writeUInt32LE(text.length, 8);
  text.copy(block, PREFIX_BYTES);
  const hash = createHash('sha256').update(block.subarray(0, PREFIX_BYTES + text.length)).digest();
  hash.copy(block, PREFIX_BYTES + text.length);
  return { block, hash };
}

export function parseHeader(text: string): { head: SnapshotHead; sections: readonly SectionHead[] } {
  const { seq, head_hash: hash, behaviour, codec, digest, meta, sections } = JSON.parse(text) as {
    seq: number; head_hash: string; behaviour: number; codec: number; digest: [number, number]; meta: SnapshotMeta; sections: SectionHead[];
  };
  return { head: { seq, headHash: Buffer.from(hash, 'hex'), behaviour, codec, digest, meta }, sections };
}

function sectionFault({ name, type, elements, bytes }: SectionHead): string | null {
  if (bytes === elements * WIDTH[type]) return null;
  return `section ${name} of ${elements} ${type} has ${bytes} bytes`;
}
