// Whether the write-ahead log of a segment is as it was written. SQLite takes it as far as each of its pages follows from the one before,
// and what comes behind passes for what a power cut left of a last commit: so one bit that was changed takes every later commit away, and
// nobody is told. Here what lies behind is looked at. A commit is synced before the next one is begun, so a power cut leaves at
// most one behind a page that is not whole; with DURABILITY=normal, where they are not synced one by one, it may leave more.
// Layout: https://www.sqlite.org/fileformat2.html#walformat. Reads only; to be called while nobody writes.

import * as fs from 'node:fs';
import { onFile } from './errors.ts';
import { PAGE_BYTES } from './segment.ts';

const HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
const FRAME_BYTES = FRAME_HEAD_BYTES + PAGE_BYTES;
/** Of the magic number: the words that are summed are big-endian. */
const BIG_ENDIAN = 1;
const [PAGE_AT, SALTS_AT, HEAD_SUM_AT] = [8, 16, 24];
const [COMMIT_AT, FRAME_SALTS_AT, FRAME_SUM_AT] = [4, 8, 16];
/** What a power cut may leave. */
const COMMITS_OF_A_CUT = 1;

/** `at`: the byte from which on SQLite takes nothing. `commits`: how many are whole behind that. */
type WalDamage = { readonly at: number; readonly commits: number };

/** Null where nothing is lost but what a power cut takes. A log of another page size is not looked at: none of ours has one. */
export function walDamage(path: string): WalDamage | null {
  if (!fs.existsSync(path)) return null;
  const wal = onFile(path, () => fs.readFileSync(path));
  if (wal.length < HEAD_BYTES + FRAME_BYTES) return null;
  const isBig = (wal.readUInt32BE(0) & BIG_ENDIAN) !== 0;
  const isHeadWhole = isAt(wal, HEAD_SUM_AT, sumOf(wal.subarray(0, HEAD_SUM_AT), isBig, [0, 0]));
  if (isHeadWhole && wal.readUInt32BE(PAGE_AT) !== PAGE_BYTES) return null;
  // Of a head that is not whole nothing is used: SQLite takes none of the pages, whose salts are then those of the first.
  const salts = isHeadWhole ? wal.subarray(SALTS_AT, HEAD_SUM_AT) : wal.subarray(HEAD_BYTES + FRAME_SALTS_AT, HEAD_BYTES + FRAME_SUM_AT);
  let at = isHeadWhole ? -1 : 0;
  let commits = 0;
  for (let frame = HEAD_BYTES; frame + FRAME_BYTES <= wal.length; frame += FRAME_BYTES) {
    const before = frame === HEAD_BYTES ? HEAD_SUM_AT : frame - FRAME_BYTES + FRAME_SUM_AT;
    const isOfThisLog = salts.equals(wal.subarray(frame + FRAME_SALTS_AT, frame + FRAME_SUM_AT));
    const isWhole = isOfThisLog && followsFrom(wal, isBig, before, frame);
    if (!isWhole && at < 0) at = frame;
    else if (isWhole && at >= 0 && wal.readUInt32BE(frame + COMMIT_AT) !== 0) commits++;
  }
  return commits > COMMITS_OF_A_CUT ? { at, commits } : null;
}

/** Whether the sums of a frame are those of the beginning of its head and of its page, after those that stand at `before`. */
function followsFrom(wal: Buffer, isBig: boolean, before: number, frame: number): boolean {
  const ofHead = sumOf(wal.subarray(frame, frame + FRAME_SALTS_AT), isBig, [wal.readUInt32BE(before), wal.readUInt32BE(before + 4)]);
  return isAt(wal, frame + FRAME_SUM_AT, sumOf(wal.subarray(frame + FRAME_HEAD_BYTES, frame + FRAME_BYTES), isBig, ofHead));
}

type Sums = readonly [number, number];

function sumOf(bytes: Buffer, isBig: boolean, [first, second]: Sums): Sums {
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + (isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + second) >>> 0;
    second = (second + (isBig ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + first) >>> 0;
  }
  return [first, second];
}

function isAt(wal: Buffer, at: number, [first, second]: Sums): boolean {
  return wal.readUInt32BE(at) === first && wal.readUInt32BE(at + 4) === second;
}
