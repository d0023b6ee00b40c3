// The journal on this machine's disk: commits of 1, 10, 100 and 1,000 records of 400 bytes with full durability, the read-back
// rate of the verified chain, and snapshot writing, verifying and loading. Prints; decides nothing.
//   node bench/journal.ts [folder]   (a folder on the disk to be measured; default: the system's temporary folder)

import * as fs from 'node:fs';
import { arch, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { stampRecord, viewsOf, writeHeader } from '../core/codec/record.ts';
import { readFrames } from '../shell/journal/read.ts';
import { loadSnapshot, readSnapshots } from '../shell/journal/snapshot-read.ts';
import { writeSnapshot } from '../shell/journal/snapshot-write.ts';
import { JournalWriter } from '../shell/journal/writer.ts';

const RECORD = 400;
const RUN_MS = 3_000;
const SNAPSHOT_MB = 256;

const round = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Milliseconds, three digits after the point. */
function quantile(sorted: Float64Array, share: number): string {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(3);
}

function openIn(folder: string): JournalWriter {
  return JournalWriter.open({ dataFolder: folder, venue: '0'.repeat(16), behaviour: 1, codec: 1, durability: 'full', time: 0 });
}

function benchFrames(folder: string, perFrame: number): void {
  const writer = openIn(folder);
  const views = viewsOf(new ArrayBuffer(perFrame * RECORD));
  for (let i = 0; i < perFrame; i++) writeHeader(views, i * RECORD, RECORD, 1, 1, 1, i);
  const times: number[] = [];
  const start = performance.now();
  while (performance.now() - start < RUN_MS) {
    const first = writer.head.seq + 1;
    for (let i = 0; i < perFrame; i++) stampRecord(views, i * RECORD, first + i, first + i);
    const before = performance.now();
    writer.append(views.u8, first, first + perFrame - 1);
    times.push(performance.now() - before);
  }
  const seconds = (performance.now() - start) / 1_000;
  const written = writer.head.seq;
  writer.close();
  const readStart = performance.now();
  let count = 0;
  for (const frame of readFrames(folder, 1)) count += frame.lastSeq - frame.firstSeq + 1;
  const readSeconds = (performance.now() - readStart) / 1_000;
  const sorted = Float64Array.from(times).sort();
  const [p50, p99, top] = [quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1)];
  console.log(`frames of ${perFrame}: ${round(written / seconds)} records/s, commit p50 ${p50} ms, p99 ${p99} ms, max ${top} ms;`,
    `read back ${round(count / readSeconds)} records/s`);
}

function benchSnapshot(folder: string): void {
  const column = new Float64Array(SNAPSHOT_MB * 131_072);
  for (let i = 0; i < column.length; i++) column[i] = i * 1.5;
  const bytes = new Uint8Array(column.buffer);
  const head = { seq: 1, headHash: new Uint8Array(32), behaviour: 1, codec: 1, digest: [0, 0], meta: {} } as const;
  const rate = (start: number): string => round(SNAPSHOT_MB / ((performance.now() - start) / 1_000));
  for (let seq = 1; seq <= 3; seq++) {
    let start = performance.now();
    writeSnapshot(folder, { ...head, seq }, [{ name: 'column', type: 'f64', elements: column.length, bytes }]);
    const write = rate(start);
    start = performance.now();
    const snapshot = readSnapshots(folder, (damage) => { throw damage; }).next().value!;
    const verify = rate(start);
    start = performance.now();
    loadSnapshot(snapshot, () => bytes);
    console.log(`snapshot of ${SNAPSHOT_MB} MiB: write with fsync ${write} MiB/s, verify ${verify} MiB/s, load ${rate(start)} MiB/s`);
  }
}

const base = fs.mkdtempSync(join(process.argv[2] ?? tmpdir(), 'strikebook-bench-'));
try {
  console.log(`node ${process.version}, ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, folder ${base}`);
  for (const perFrame of [1, 10, 100, 1_000]) benchFrames(join(base, `frames-${perFrame}`), perFrame);
  benchSnapshot(join(base, 'snapshots'));
} finally {
  fs.rmSync(base, { recursive: true });
}
