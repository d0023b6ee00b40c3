// The journal on this machine's disk: commits of 1, 10, 100 and 1,000 records of 400 bytes with full durability, the read rate of the
// verified chain, and writing, verifying and loading snapshots. It prints figures and has no limits to pass.
//   node bench/journal.ts [folder]   (a folder on the disk to be measured; default: the system's temporary folder)

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { stampRecord, viewsOf, writeHeader } from '../core/codec/record.ts';
import { readFrames } from '../shell/storage/journal/read.ts';
import { loadSnapshot, readSnapshots } from '../shell/storage/journal/snapshot-read.ts';
import { writeSnapshot } from '../shell/storage/journal/snapshot-write.ts';
import { JournalWriter } from '../shell/storage/journal/writer.ts';
import { figure, heading, median, spread } from './machine.ts';

const RECORD = 400;
const RUN_MS = 3_000;
const SNAPSHOT_MB = 256;
const SNAPSHOTS = 3;

function openIn(folder: string): JournalWriter {
  return JournalWriter.open({ dataFolder: folder, venue: '0'.repeat(16), behaviour: 1, codec: 1, durability: 'full', time: 0 });
}

function benchFrames(folder: string, perFrame: number): void {
  const writer = openIn(folder);
  const views = viewsOf(new ArrayBuffer(perFrame * RECORD));
  for (let i = 0; i < perFrame; i++) writeHeader(views, i * RECORD, RECORD, 1, 1, i);
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
  figure(`frames of ${perFrame}`, written / seconds, 'records/s', `${times.length} commits in ${RUN_MS / 1_000} s`);
  spread(`frames of ${perFrame}, one commit`, Float64Array.from(times).sort(), 'ms');
  figure(`frames of ${perFrame}, read back`, count / readSeconds, 'records/s', 'chain verified, one run');
}

function benchSnapshot(folder: string): void {
  const column = new Float64Array(SNAPSHOT_MB * 131_072);
  for (let i = 0; i < column.length; i++) column[i] = i * 1.5;
  const bytes = new Uint8Array(column.buffer);
  const head = { seq: 1, headHash: new Uint8Array(32), behaviour: 1, codec: 1, digest: [0, 0], meta: {} } as const;
  const rates: Record<'write' | 'verify' | 'load', number[]> = { write: [], verify: [], load: [] };
  const time = <T>(step: keyof typeof rates, act: () => T): T => {
    const start = performance.now();
    const result = act();
    rates[step].push(SNAPSHOT_MB / ((performance.now() - start) / 1_000));
    return result;
  };
  for (let seq = 1; seq <= SNAPSHOTS; seq++) {
    time('write', () => writeSnapshot(folder, { ...head, seq }, [{ name: 'column', type: 'f64', elements: column.length, bytes }]));
    const snapshot = time('verify', () => readSnapshots(folder, (damage) => { throw damage; }).next().value!);
    time('load', () => loadSnapshot(snapshot, () => bytes));
  }
  for (const [step, of] of Object.entries(rates)) {
    const note = `median of ${SNAPSHOTS}${step === 'write' ? ', with fsync' : ''}`;
    figure(`snapshot of ${SNAPSHOT_MB} MiB, ${step}`, median(of), 'MiB/s', note);
  }
}

const base = fs.mkdtempSync(join(process.argv[2] ?? tmpdir(), 'strikebook-bench-'));
try {
  heading(`records of ${RECORD} bytes, one thread, durability full, a fresh folder each`);
  for (const perFrame of [1, 10, 100, 1_000]) benchFrames(join(base, `frames-${perFrame}`), perFrame);
  benchSnapshot(join(base, 'snapshots'));
} finally {
  fs.rmSync(base, { recursive: true });
}
