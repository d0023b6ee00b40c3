// Finds lost commits in a segment's WAL. SQLite stops at the first page that does not follow from the one before, so one changed bit
// drops every later commit. A power cut leaves at most one complete commit behind that page (more with DURABILITY=normal). Layout:
// https://www.sqlite.org/fileformat2.html#walformat.

import * as fs from 'node:fs';
import { withFileErrors } from './journal-errors.ts';
import { PAGE_BYTES } from './segment.ts';

const HEAD_BYTES = 32;
const FRAME_HEAD_BYTES = 24;
const FRAME_BYTES = FRAME_HEAD_BYTES + PAGE_BYTES;
const BIG_ENDIAN = 1;
const [PAGE_AT, SALTS_AT, HEAD_SUM_AT] = [8, 16, 24];
const [COMMIT_AT, FRAME_SALTS_AT, FRAME_SUM_AT] = [4, 8, 16];
/** Each commit is synced before the next. */
const COMMITS_LOST_BY_POWER_CUT = 1;

type WalDamage = { readonly at: number; readonly commits: number };

export function findWalDamage(path: string): WalDamage | null {
  if (!fs.existsSync(path)) return null;
  return withFileErrors(path, () => {
    const file = fs.openSync(path, 'r');
    try {
      return damageIn(file);
    } finally {
      fs.closeSync(file);
    }
  });
}

function damageIn(file: number): WalDamage | null {
  const head = Buffer.alloc(HEAD_BYTES);
  if (fs.readSync(file, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) return null;
  const isBig = (head.readUInt32BE(0) & BIG_ENDIAN) !== 0;
  const isHeadWhole = sameSums(sumsAt(head, HEAD_SUM_AT), sumOf(head.subarray(0, HEAD_SUM_AT), isBig, [0, 0]));
  if (isHeadWhole && head.readUInt32BE(PAGE_AT) !== PAGE_BYTES) return null;
  // With a damaged header, the salts come from the first page.
  let salts = isHeadWhole ? head.subarray(SALTS_AT, HEAD_SUM_AT) : null;
  let at = isHeadWhole ? -1 : 0;
  let commits = 0;
  let before = sumsAt(head, HEAD_SUM_AT);
  const frame = Buffer.alloc(FRAME_BYTES);
  for (let place = HEAD_BYTES; fs.readSync(file, frame, 0, FRAME_BYTES, place) === FRAME_BYTES; place += FRAME_BYTES) {
    salts ??= Buffer.from(frame.subarray(FRAME_SALTS_AT, FRAME_SUM_AT));
    const hasLogSalts = salts.equals(frame.subarray(FRAME_SALTS_AT, FRAME_SUM_AT));
    const stated = sumsAt(frame, FRAME_SUM_AT);
    const isWhole = hasLogSalts && sameSums(stated, sumOfFrame(frame, isBig, before));
    if (!isWhole && at < 0) at = place;
    else if (isWhole && at >= 0 && frame.readUInt32BE(COMMIT_AT) !== 0) commits++;
    before = stated;
  }
  return commits > COMMITS_LOST_BY_POWER_CUT ? { at, commits } : null;
}

function sumOfFrame(frame: Buffer, isBig: boolean, before: Sums): Sums {
  return sumOf(frame.subarray(FRAME_HEAD_BYTES), isBig, sumOf(frame.subarray(0, FRAME_SALTS_AT), isBig, before));
}

type Sums = readonly [number, number];

function sumOf(bytes: Buffer, isBig: boolean, [first, second]: Sums): Sums {
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + (isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + second) >>> 0;
    second = (second + (isBig ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + first) >>> 0;
  }
  return [first, second];
}

function sumsAt(bytes: Buffer, at: number): Sums {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
}

function sameSums(a: Sums, b: Sums): boolean {
  return a[0] === b[0] && a[1] === b[1];
}
